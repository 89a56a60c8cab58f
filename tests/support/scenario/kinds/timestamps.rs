//! What holds for timestamps alone: they are strictly increasing, by ticks of their precision.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDateTime, Utc};
use time::{OffsetDateTime, PrimitiveDateTime};

/// A timestamp as numbers.
pub trait Instant: Sized {
    fn of_seconds(seconds: i64) -> Self {
        Self::of_nanos(i128::from(seconds) * 1_000_000_000)
    }

    /// Since 1970.
    fn of_nanos(nanos: i128) -> Self;

    /// Since 1970.
    fn nanos(self) -> i128;
}

impl Instant for DateTime<Utc> {
    fn of_nanos(nanos: i128) -> Self {
        Self::from_timestamp_nanos(nanos.try_into().unwrap())
    }

    fn nanos(self) -> i128 {
        self.timestamp_nanos_opt().unwrap().into()
    }
}

impl Instant for NaiveDateTime {
    fn of_nanos(nanos: i128) -> Self {
        DateTime::of_nanos(nanos).naive_utc()
    }

    fn nanos(self) -> i128 {
        self.and_utc().nanos()
    }
}

impl Instant for OffsetDateTime {
    fn of_nanos(nanos: i128) -> Self {
        Self::from_unix_timestamp_nanos(nanos).unwrap()
    }

    fn nanos(self) -> i128 {
        self.unix_timestamp_nanos()
    }
}

impl Instant for PrimitiveDateTime {
    fn of_nanos(nanos: i128) -> Self {
        let time = OffsetDateTime::of_nanos(nanos);
        Self::new(time.date(), time.time())
    }

    fn nanos(self) -> i128 {
        self.assume_utc().nanos()
    }
}

impl Instant for SystemTime {
    fn of_nanos(nanos: i128) -> Self {
        UNIX_EPOCH + Duration::from_nanos(nanos.try_into().unwrap())
    }

    fn nanos(self) -> i128 {
        let since = self.duration_since(UNIX_EPOCH).unwrap();
        since.as_nanos().try_into().unwrap()
    }
}

/// The scenarios of a kind that `kind!` has made and that is a timestamp; a tick has so many
/// nanoseconds.
macro_rules! timestamp {
    ($name:ident, $tick:literal) => {
        mod $name {
            use std::time::SystemTime;

            use diesel::prelude::*;

            use crate::flavor::prelude::*;
            use crate::kinds::$name::{Thing, store, thing, things};
            use crate::support::scenario::kinds::Instant;

            fn nanos_of(thing: &Thing) -> i128 {
                thing.version.nanos()
            }

            fn now() -> i128 {
                SystemTime::now().nanos()
            }

            #[test]
            fn a_version_is_the_time_of_its_write_cut_to_ticks() {
                let db = store();
                let conn = &mut db.connect();
                let before = now();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                assert_eq!(nanos_of(&mine) % $tick, 0);
                assert!(before - $tick < nanos_of(&mine) && nanos_of(&mine) <= now());
                let mut last = nanos_of(&mine);
                for _ in 0..10 {
                    let before = now();
                    mine.save(conn).unwrap();
                    let next = nanos_of(&mine);
                    assert_eq!(next % $tick, 0);
                    // Never earlier than the clock, and beyond it only as far as it has to be.
                    assert!(next > last && next > before - $tick);
                    assert!(next <= now() || next == last + $tick);
                    last = next;
                }
            }

            #[test]
            fn the_rows_of_a_commit_have_one_time() {
                let db = store();
                let conn = &mut db.connect();
                let mut uow = UnitOfWork::new();
                let handles: Vec<Handle<Thing>> =
                    (1..=100).map(|id| uow.insert(thing(id)).unwrap()).collect();
                for _ in 0..2 {
                    uow.commit(conn).unwrap();
                    let one = nanos_of(&uow[handles[0]]);
                    for &handle in &handles {
                        assert_eq!(nanos_of(&uow[handle]), one);
                        uow.touch(handle);
                    }
                }
            }

            #[test]
            fn where_the_clock_is_behind_a_version_moves_by_a_tick() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                // In the year 2036.
                let ahead = <Thing as Versioned>::Version::of_seconds(2_100_000_000);
                diesel::update(things::table)
                    .set(things::version.eq(ahead))
                    .execute(conn)
                    .unwrap();
                mine.reload(conn).unwrap();
                let start = nanos_of(&mine);
                let mut stale = mine.clone();
                for ticks in 1..=3 {
                    mine.save(conn).unwrap();
                    assert_eq!(nanos_of(&mine), start + ticks * $tick);
                }
                assert!(stale.save(conn).unwrap_err().is_conflict());
                Thing::save_all(conn, std::slice::from_mut(&mut mine)).unwrap();
                assert_eq!(nanos_of(&mine), start + 4 * $tick);
                assert_eq!(Thing::find(conn, 1).unwrap(), mine);

                // So it does in writes that have not read it.
                for ticks in 5..=16 {
                    if ticks % 2 == 0 {
                        Thing::apply(conn, 1, things::amount.eq(ticks))
                            .execute()
                            .unwrap();
                    } else {
                        let all = Thing::update_where(things::id.ge(0));
                        all.set(things::amount.eq(ticks)).execute(conn).unwrap();
                    }
                    mine.reload(conn).unwrap();
                    assert_eq!(nanos_of(&mine), start + i128::from(ticks) * $tick);
                }
                mine.save(conn).unwrap();
                // A second ends, to the letter of the text where it is one.
                for after in [0, 1, 1_000] {
                    let ends = start + 1_000_000_000 * (after + 1) - $tick;
                    mine.version = <Thing as Versioned>::Version::of_nanos(ends);
                    diesel::update(things::table)
                        .set(things::version.eq(mine.version.clone()))
                        .execute(conn)
                        .unwrap();
                    Thing::apply(conn, 1, things::amount.eq(1))
                        .execute()
                        .unwrap();
                    mine.reload(conn).unwrap();
                    assert_eq!(nanos_of(&mine), ends + $tick);
                    mine.save(conn).unwrap();
                    assert_eq!(nanos_of(&mine), ends + 2 * $tick);
                }
            }
        }
    };
}
pub(crate) use timestamp;
