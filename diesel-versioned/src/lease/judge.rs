//! What stands in the table and what may be done by it, as both kinds of execution ask.

use std::time::Duration;

use diesel::result::Error as DieselError;

use super::holder::{LeaseHolder, LostLease, time};
use super::{Lease, LeaseError, Place};
use crate::entity::Versioned;

/// What the table says of a row: holder, token, since, until, released at; and the database's time.
pub(crate) type Stands = (String, i64, i64, i64, Option<i64>, i64);

fn is_alive((_, _, _, until, released, now): &Stands) -> bool {
    released.is_none() && until > now
}

fn holder_of(stands: &Stands) -> LeaseHolder {
    let (name, token, since, until, released, _) = stands;
    LeaseHolder {
        name: name.clone(),
        token: *token,
        since: *since,
        until: released.unwrap_or(*until),
    }
}

/// Who holds a lease now.
pub(crate) fn held(stands: Option<&Stands>) -> Option<LeaseHolder> {
    stands.filter(|stands| is_alive(stands)).map(holder_of)
}

/// A lease that is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) place: Place,
    pub(crate) holder: String,
    pub(crate) ttl: Duration,
    table: &'static str,
    row: &'static str,
}

impl Asked {
    /// Looks at what is asked for, before anything is sent.
    pub(crate) fn new<T: Versioned>(
        place: Place,
        holder: String,
        ttl: Duration,
    ) -> Result<Self, LeaseError> {
        check_holder(&holder)?;
        Ok(Self {
            place,
            holder,
            ttl: check_ttl(ttl)?,
            table: T::TABLE,
            row: std::any::type_name::<T::Table>(),
        })
    }

    /// Who held it until now; fails if that is someone else and the lease is not to be stolen.
    pub(crate) fn may_take(
        &self,
        stands: &Stands,
        steal: bool,
    ) -> Result<Option<LeaseHolder>, LeaseError> {
        match held(Some(stands)) {
            Some(by) if !steal && by.name != self.holder => Err(LeaseError::Held {
                table: self.table,
                key: self.place.key.clone(),
                by,
            }),
            previous => Ok(previous),
        }
    }

    /// The row of the table, which must be there.
    pub(crate) fn kept(&self, stands: Option<Stands>) -> Result<Stands, LeaseError> {
        stands.ok_or_else(not_kept)
    }

    /// The lease as it was written.
    pub(crate) fn taken(self, stands: &Stands, token: i64) -> Result<Lease, LeaseError> {
        let held = holder_of(stands);
        if (held.token, &held.name) != (token, &self.holder) {
            return Err(not_kept());
        }
        Ok(Lease {
            table: self.table,
            row: self.row,
            place: self.place,
            held,
        })
    }

    /// The lease of an earlier time, if it still holds under this number.
    pub(crate) fn resumed(self, stands: Option<Stands>, token: i64) -> Result<Lease, LeaseError> {
        let mut lease = Lease {
            table: self.table,
            row: self.row,
            place: self.place,
            held: LeaseHolder {
                name: self.holder,
                token,
                since: 0,
                until: 0,
            },
        };
        let stands = lease.must_hold(stands)?;
        lease.held = holder_of(&stands);
        Ok(lease)
    }
}

/// A number that no lease of the row had before: the database's time, or one more than the last number
/// where that is not later. A row that was removed, or a table that was emptied or restored from a
/// backup, goes on with greater numbers too.
pub(crate) fn next_token((_, token, _, _, _, now): &Stands) -> i64 {
    token.saturating_add(1).max(*now)
}

impl Lease {
    /// How the lease was lost, if it was.
    pub(crate) fn lost(&self, stands: Option<&Stands>) -> Option<LostLease> {
        let Some(stands) = stands else {
            return Some(LostLease::Forgotten);
        };
        let by = holder_of(stands);
        if by.token != self.held.token || by.name != self.held.name {
            // A row of an acquisition that was rolled back, or of a table that was restored.
            if by.token < self.held.token {
                return Some(LostLease::Forgotten);
            }
            return Some(if is_alive(stands) {
                LostLease::Taken { by }
            } else {
                LostLease::TakenMeanwhile { by }
            });
        }
        if is_alive(stands) {
            None
        } else if stands.4.is_some() {
            Some(LostLease::Released)
        } else {
            Some(LostLease::Expired { at: time(stands.3) })
        }
    }

    /// What stands there, if that is this lease and it holds.
    pub(crate) fn must_hold(&self, stands: Option<Stands>) -> Result<Stands, LeaseError> {
        match (self.lost(stands.as_ref()), stands) {
            (None, Some(stands)) => Ok(stands),
            (how, _) => Err(LeaseError::Lost {
                table: self.table,
                key: self.place.key.clone(),
                holder: self.held.name.clone(),
                how: how.unwrap_or(LostLease::Forgotten),
            }),
        }
    }

    /// It lasts as long as stands there.
    pub(crate) fn renewed(&mut self, stands: &Stands) {
        self.held = holder_of(stands);
    }

    /// Fails if this is the lease of another row.
    pub(crate) fn must_be_of<T: Versioned>(&self, entity: &T) -> Result<(), LeaseError> {
        if self.is_of(entity) {
            Ok(())
        } else {
            Err(LeaseError::OtherRow {
                table: self.table,
                key: self.place.key.clone(),
                other: T::TABLE,
            })
        }
    }
}

const MOST_HOLDER: usize = 255;

fn check_holder(name: &str) -> Result<(), LeaseError> {
    let problem = if name.trim().is_empty() {
        "is empty; say who holds it"
    } else if name.chars().count() > MOST_HOLDER {
        "has more than 255 characters; give a short name or a number"
    } else if name.trim() != name || name.chars().any(char::is_control) {
        "begins or ends in a space or has control characters in it; give a name of one line"
    } else {
        return Ok(());
    };
    Err(LeaseError::Holder { problem })
}

/// A time for which a lease can last.
pub(crate) fn check_ttl(ttl: Duration) -> Result<Duration, LeaseError> {
    if ttl >= Duration::from_millis(1) && ttl <= Lease::MAX_TTL {
        Ok(ttl)
    } else {
        Err(LeaseError::Ttl { ttl })
    }
}

/// For how long at least a lease must be over before it is forgotten: its number may run ahead of the
/// database's clock, and that may be set back.
pub(crate) fn forgettable(over_for: Duration) -> Duration {
    over_for.max(Duration::from_secs(24 * 60 * 60))
}

#[cold]
fn not_kept() -> LeaseError {
    let problem = "the lease is not kept as it was written; look for a trigger, a rule or row-level \
                   security on `diesel_versioned_leases`";
    LeaseError::Database(DieselError::QueryBuilderError(problem.into()))
}

/// For the statements, which count in milliseconds.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Stands, check_holder, check_ttl, held, next_token};
    use crate::lease::{Lease, LeaseHolder, LostLease, Place};

    fn lease(token: i64) -> Lease {
        Lease {
            table: "documents",
            row: "documents::table",
            place: Place {
                table: "documents".to_owned(),
                key: "7".to_owned(),
            },
            held: LeaseHolder {
                name: "maria".to_owned(),
                token,
                since: 10,
                until: 20,
            },
        }
    }

    fn stands(name: &str, token: i64, released: Option<i64>, now: i64) -> Stands {
        (name.to_owned(), token, 10, 20, released, now)
    }

    #[test]
    fn numbers_only_grow_whatever_the_clock_does() {
        let next = |token, now| next_token(&stands("", token, Some(0), now));
        assert_eq!(next(0, 1_000), 1_000);
        assert_eq!(next(999, 1_000), 1_000);
        assert_eq!(next(1_000, 1_000), 1_001);
        assert_eq!(next(1_000, 10), 1_001, "the clock went back");
    }

    #[test]
    fn a_lease_holds_until_it_expires_and_not_longer() {
        let row = |now| stands("maria", 5, None, now);
        assert!(held(Some(&row(19))).is_some());
        assert!(held(Some(&row(20))).is_none());
        assert!(held(Some(&stands("maria", 5, Some(15), 19))).is_none());
        assert!(held(None).is_none());
        assert_eq!(lease(5).lost(Some(&row(19))), None);
        let lost = lease(5).lost(Some(&row(20)));
        assert!(matches!(lost, Some(LostLease::Expired { .. })), "{lost:?}");
    }

    #[test]
    fn how_a_lease_was_lost() {
        let lost = |stands: Stands| lease(5).lost(Some(&stands));
        assert_eq!(lease(5).lost(None), Some(LostLease::Forgotten));
        assert_eq!(
            lost(stands("maria", 5, Some(12), 13)),
            Some(LostLease::Released)
        );
        for name in ["paul", "maria"] {
            let taken = lost(stands(name, 6, None, 13));
            assert!(matches!(taken, Some(LostLease::Taken { by }) if by.token() == 6));
            let over = lost(stands(name, 6, None, 20));
            assert!(matches!(over, Some(LostLease::TakenMeanwhile { .. })));
        }
        // What is older than it was there before: it was rolled back.
        assert_eq!(
            lost(stands("paul", 4, None, 13)),
            Some(LostLease::Forgotten)
        );
        // The same number of somebody else, after a table was restored: never both.
        assert!(lost(stands("paul", 5, None, 13)).is_some());
    }

    #[test]
    fn a_holder_is_a_name_of_one_line() {
        for name in ["maria", "maria@tab-7", &"ü".repeat(255)] {
            assert!(check_holder(name).is_ok(), "{name}");
        }
        for name in ["", " ", "a ", " a", "a\nb", "a\0", &"ü".repeat(256)] {
            let error = check_holder(name).unwrap_err();
            assert_eq!(error.code(), "lease.holder", "{name:?}");
        }
    }

    #[test]
    fn a_lease_lasts_between_a_millisecond_and_thirty_days() {
        for ttl in [Duration::from_millis(1), Lease::MAX_TTL] {
            assert!(check_ttl(ttl).is_ok(), "{ttl:?}");
        }
        for ttl in [
            Duration::ZERO,
            Duration::from_micros(999),
            Lease::MAX_TTL + Duration::from_nanos(1),
            Duration::MAX,
        ] {
            assert_eq!(check_ttl(ttl).unwrap_err().code(), "lease.ttl", "{ttl:?}");
        }
    }
}
