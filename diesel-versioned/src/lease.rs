//! Leases, with the feature `lease`: who edits a row for longer than a transaction lasts, across
//! processes and machines.
//!
//! The version keeps two people from overwriting each other, but the second one hears of it when the
//! work of an hour is done. A lease lets the first one say at the beginning that the row is being edited,
//! and lets everybody else see who does, since when and until when. It ends by itself, so that a holder
//! that dies holds nobody up for long; and it has a number, so that one that only slept cannot write when
//! somebody else has taken over.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! use std::time::Duration;
//!
//! use diesel::prelude::*;
//! use diesel_migrations::MigrationHarness;
//! use diesel_versioned::lease::{Lease, LeaseDsl, LeaseError, LostLease};
//! use diesel_versioned::prelude::*;
//!
//! diesel::table! {
//!     documents (id) { id -> Integer, body -> Text, version -> Integer }
//! }
//!
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = documents)]
//! struct Document {
//!     id: i32,
//!     body: String,
//!     #[version]
//!     version: i32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
//! #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, '', 1)")?;
//! conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
//! let quarter = Duration::from_secs(15 * 60);
//!
//! // Maria opens the page.
//! let mut document = Document::find(&mut conn, 7)?;
//! let mut marias = Lease::acquire(&mut conn, &document, "maria", quarter)?;
//!
//! // Paul wants to, and is told who is there.
//! let editing = Lease::holder_of(&mut conn, &document)?;
//! assert_eq!(editing.as_ref().map(|by| by.name()), Some("maria"));
//! let error = Lease::acquire(&mut conn, &document, "paul", quarter).unwrap_err();
//! assert_eq!(error.code(), "lease.held");
//! assert_eq!(error.holder(), editing.as_ref());
//!
//! // Her page renews the lease in the background, and saves under it.
//! marias.renew(&mut conn, quarter)?;
//! document.body = "Dear".to_owned();
//! marias.save(&mut conn, &mut document)?;
//! assert_eq!(document.version, 2);
//!
//! // Her machine goes to sleep. It is urgent, and Paul takes over.
//! let (pauls, previous) = Lease::steal(&mut conn, &document, "paul", quarter)?;
//! assert_eq!(previous.as_ref().map(|by| by.name()), Some("maria"));
//! assert!(pauls.token() > marias.token());
//!
//! // It wakes up and saves: refused, though nobody has written the document yet.
//! document.body = "Dear Sir".to_owned();
//! let Err(CommitError::Lease(lost)) = marias.save(&mut conn, &mut document) else {
//!     panic!("Paul relies on nobody else writing");
//! };
//! assert_eq!(lost.code(), "lease.lost");
//! assert_eq!(lost.holder().map(|by| by.name()), Some("paul"));
//! assert!(lost.to_string().starts_with("`maria` does not hold `documents` 7 any more: it is held by paul, since "));
//! assert_eq!(document.version, 2);
//!
//! // Whoever leaves gives it back; to have lost it is no error here, and no secret.
//! assert_eq!(pauls.release(&mut conn)?, None);
//! let lost = marias.release(&mut conn)?;
//! assert!(matches!(lost, Some(LostLease::TakenMeanwhile { by }) if by.name() == "paul"));
//! assert_eq!(Lease::holder_of(&mut conn, &document)?, None);
//! # Ok(())
//! # }
//! ```
//!
//! # What it promises
//!
//! - *One holder.* Of all who acquire the lease of a row at the same time one gets it. Another one gets it
//!   when it was released or has expired, or by [`steal`](LeaseDsl::steal).
//! - *One clock.* Times are taken and compared by the database alone; no statement has a client's time in
//!   it, so clients may be minutes off. On SQLite the database's clock is the machine's. If the database's
//!   clock jumps, leases end early or late, and nothing else goes wrong.
//! - *Numbers that only grow.* Each lease of a row, by acquiring, stealing or acquiring again, has a
//!   greater [`token`](Lease::token) than any before it, also after it was released, has expired or was
//!   [forgotten](LeaseDsl::forget_leases). Give it to whatever else you write to under the lease (a file
//!   store, a printer) and let that refuse smaller ones.
//! - *No write after the end.* [`save`](LeaseDsl::save), [`save_changes`](LeaseDsl::save_changes),
//!   [`delete`](LeaseDsl::delete), [`touch`](LeaseDsl::touch) and a unit [under](crate::UnitOfWork::under) the lease see in their own
//!   transaction whether the lease has this holder and number and has not expired, with the lease locked
//!   until COMMIT. Otherwise nothing is written, and [`LeaseError::Lost`] says who holds it now.
//!
//! # What it does not
//!
//! - *It binds those who ask.* A program that writes the row without a lease is not held up by one: `save`
//!   and units without `under` do not look at the table. The version guards both: whoever comes second
//!   has a conflict, never an overwritten change, so a lease is a courtesy to people and not what keeps
//!   the data right. A writer that is to respect leases acquires one, or asks
//!   [`holder_of`](LeaseDsl::holder_of), which is only a look.
//! - *It does not last by itself.* [`renew`](LeaseDsl::renew) it well before it expires, after a third of
//!   the time for example. One that has expired cannot be renewed, even if nobody has taken it: what a
//!   holder may do must not depend on whether somebody else happened to look. Acquire it again.
//! - *It does not end by itself before it expires.* Dropping a [`Lease`] does nothing, for there is no
//!   connection to do it on; [`release`](LeaseDsl::release) it, or let it expire.
//!
//! # Why nobody gets in between
//!
//! A guarded write first reads the lease's row and locks it (`FOR NO KEY UPDATE` on PostgreSQL,
//! `FOR UPDATE` on MySQL and MariaDB; on SQLite the transaction has the write lock of the whole database
//! from its beginning). To acquire, steal, renew or release is to update that row. So they wait for the
//! COMMIT, or the write waits for theirs and then sees what they wrote:
//!
//! | | after having waited, the check sees |
//! | --- | --- |
//! | PostgreSQL, READ COMMITTED | the row as it was committed: the database reads a row again that it has waited for |
//! | PostgreSQL, REPEATABLE READ and SERIALIZABLE | a serialization failure if the row has changed since the snapshot; nothing is written |
//! | MySQL, MariaDB, any level | the row as it was committed: a locking read does not use the snapshot. With `innodb_snapshot_isolation` an error if it has changed since |
//! | SQLite | the row as it was committed; inside a transaction of yours that has only read so far, the first write fails as busy if anything has changed since |
//!
//! *If it expires between the check and COMMIT*, the commit succeeds. Nobody else can have it before that
//! commit, for its row is locked: whoever acquires it then reads what was written. The check decides, not
//! the end of the transaction, and the same is true of the time for which the check itself has waited.
//!
//! Inside a transaction of yours a lease is acquired, renewed, released or stolen when that is committed.
//! Until then the others wait for it (and are turned away as
//! [transient](LeaseError::is_transient) if they wait too long); if it is rolled back, nothing has
//! happened, and a [`Lease`] from it is [lost](LostLease). Acquire in a transaction of its own, before
//! the work, as a call outside of any transaction does.
//!
//! # The holder
//!
//! A holder is a name of yours: a person, a tab of a browser, a worker. One that acquires the lease that
//! it holds already gets a new one, with a greater number, and the old one is lost: a process that was
//! started again goes on at once, and the one that it takes the place of, should it still be there, cannot
//! write any more. (So does Consul for one session; WebDAV and JCR refuse it, and their users wait for
//! their own locks.) If two tabs of one person are to keep each other out, name the tab too.
//!
//! A [`Lease`] is plain data. To use it in the next request, or in another process, keep holder and token
//! (in the page, in a session) and [`resume`](LeaseDsl::resume) it.
//!
//! # The row
//!
//! A lease is of a table and a primary key, whether or not such a row is there: a row that is deleted
//! leaves its lease, and one that is to be inserted may be leased before, if the key is known. The table
//! is known by its name and, if the `table!` has one, its schema; programs that are to respect each
//! other's leases name it alike. The key is known by its `Debug`, as in messages: a key that is an `i32`
//! here and an `i64` there is the same, one that is a text here and a `Uuid` there is not. Where the
//! database does not tell `a` from `A`, lease by the key as it was loaded.
//!
//! For a whole of many rows, an order and its lines, lease the one that stands for it, and write all of
//! them in a unit under that lease.
//!
//! # The table
//!
//! Leases are in `diesel_versioned_leases`, made by the `migrations` (a feature): one row for each row that
//! was ever leased, which stays when the lease is over so that its number is known. Remove old ones now and
//! then by [`forget_leases`](LeaseDsl::forget_leases). A row that comes new begins with the time in
//! milliseconds as its number, which is greater than any that was given before, so also after a table was
//! emptied or restored from a backup; that alone depends on the database's clock.
//!
//! # On an asynchronous connection
//!
//! The same names are in `async_prelude`: [`LeaseDsl`] stands for
//! `AsyncLeaseDsl` there.

mod error;
mod holder;
mod judge;

use std::time::{Duration, SystemTime};

pub use self::error::LeaseError;
pub use self::holder::{LeaseHolder, LostLease};
pub(crate) use self::judge::Stands;
#[cfg(feature = "lease")]
pub(crate) use self::judge::{Asked, check_ttl, forgettable, held, millis, next_token};
#[cfg(all(feature = "lease", feature = "async"))]
pub use crate::execute::AsyncLeaseDsl;
#[cfg(feature = "lease")]
pub use crate::execute::LeaseDsl;

use crate::entity::Versioned;

/// The table that leases are in.
pub(crate) const TABLE: &str = "diesel_versioned_leases";

/// A lease of a row, held when it was [acquired](LeaseDsl::acquire) or last renewed. Whether it still is,
/// the database says with each write under it. See the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    table: &'static str,
    /// The path of the `table!`, for there may be two of one name.
    row: &'static str,
    pub(crate) place: Place,
    pub(crate) held: LeaseHolder,
}

/// A row, as the table of leases knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// With its schema, if the `table!` names one.
    pub(crate) table: String,
    pub(crate) key: String,
}

impl Lease {
    /// The longest time for which a lease is given or renewed: 30 days.
    pub const MAX_TTL: Duration = Duration::from_secs(30 * 24 * 60 * 60);

    /// The table of the row.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// The primary key of the row, as text: what `{:?}` makes of it.
    pub fn key(&self) -> &str {
        &self.place.key
    }

    /// Who holds it.
    pub fn holder(&self) -> &str {
        self.held.name()
    }

    /// Its number, greater than that of any earlier lease of the row: a fencing token.
    pub fn token(&self) -> i64 {
        self.held.token()
    }

    /// When it was acquired, by the database's clock.
    pub fn since(&self) -> SystemTime {
        self.held.since()
    }

    /// When it expires unless it is renewed, by the database's clock. Only for people: this machine's
    /// clock may be another, so plan the next renewal by the time for which you asked.
    pub fn until(&self) -> SystemTime {
        self.held.until()
    }

    /// Whether it is the lease of this entity's row.
    pub fn is_of<T: Versioned>(&self, entity: &T) -> bool {
        self.row == std::any::type_name::<T::Table>()
            && self.place.key == format!("{:?}", entity.key())
    }
}

#[cfg(feature = "lease")]
impl Place {
    const MOST_KEY: usize = 512;

    /// The row of an entity, whose table statements name so.
    pub(crate) fn of<T: Versioned>(table: String, entity: &T) -> Result<Self, LeaseError> {
        let key = format!("{:?}", entity.key());
        let length = key.chars().count();
        if length > Self::MOST_KEY {
            let table = T::TABLE;
            return Err(LeaseError::Key { table, length });
        }
        Ok(Self { table, key })
    }
}
