DROP TABLE diesel_versioned_replays;
