DROP TABLE diesel_versioned_leases;
