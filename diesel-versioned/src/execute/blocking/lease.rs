//! Leases on a blocking connection: taken, kept, given back, and written under.

use std::time::Duration;

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::session::{self, affected, answers, own_rows};
use super::under::write_under;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::lease::{
    Asked, Lease, LeaseError, LeaseHolder, LostLease, Place, Stands, check_ttl, forgettable, held,
    next_token,
};
use crate::statement::lease::RowOfLease;
use crate::statement::{Ask, Entity, KnownCatalog, OwnTables, Reading, TableName, lease};

/// What a [`Lease`] can do on a connection of the type `Conn`. The [module](crate::lease) says what it
/// is for, and has an example.
#[diagnostic::on_unimplemented(
    message = "leases cannot be kept through `{Conn}`",
    label = "no connection of a database that `diesel_versioned_leases` can be in",
    note = "on a connection of diesel-async use `diesel_versioned::async_prelude`"
)]
pub trait LeaseDsl<Conn>: Sized {
    /// Takes the lease of an entity's row for so long, unless someone else holds it.
    ///
    /// Who holds it already gets a new one with a greater number, and the old one is lost. Nothing is
    /// waited for but a write or a lease that is under way at this moment; the row itself is neither read
    /// nor locked. Read the row after you have acquired its lease, or check that its version is the one
    /// that you know.
    ///
    /// In a transaction of yours it is acquired when that is committed.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let document = Document::find(&mut conn, 7)?;
    /// let lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// assert_eq!((lease.table(), lease.key(), lease.holder()), ("documents", "7", "maria"));
    ///
    /// let error = Lease::acquire(&mut conn, &document, "paul", quarter).unwrap_err();
    /// assert_eq!(error.code(), "lease.held");
    ///
    /// let again = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// assert!(again.token() > lease.token());
    /// assert!(lease.release(&mut conn)?.is_some()); // the first one is lost
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`LeaseError::Held`] with who holds it, since when and until when.
    /// - [`LeaseError::Holder`], [`LeaseError::Ttl`] and [`LeaseError::Key`] of what cannot be. The
    ///   table of leases was not asked.
    /// - [`LeaseError::Database`] of whatever the database reports; run the migrations if the table is
    ///   missing.
    fn acquire<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<Self, LeaseError>
    where
        Conn: Leases<T>;

    /// Takes the lease of an entity's row, whoever holds it, and says who did, if somebody did. They cannot
    /// write under their lease any more. A commit under it that has begun is waited for.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let mut document = Document::find(&mut conn, 7)?;
    /// let marias = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    ///
    /// let (pauls, previous) = Lease::steal(&mut conn, &document, "paul", quarter)?;
    /// assert_eq!(previous.as_ref().map(|by| by.name()), Some("maria"));
    /// assert!(pauls.token() > marias.token());
    ///
    /// document.body = "Dear Sir".to_owned();
    /// assert_eq!(marias.save(&mut conn, &mut document).unwrap_err().code(), "lease.lost");
    /// pauls.save(&mut conn, &mut document)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`acquire`](LeaseDsl::acquire), but for [`LeaseError::Held`].
    fn steal<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<(Self, Option<LeaseHolder>), LeaseError>
    where
        Conn: Leases<T>;

    /// The lease that was acquired before, in another request or another process, from its holder and
    /// its number.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { documents (id) { id -> Integer, version -> Integer } }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # let document = Document { id: 7, version: 1 };
    /// let lease = Lease::acquire(&mut conn, &document, "maria", Duration::from_secs(900))?;
    /// let in_the_page = (lease.holder().to_owned(), lease.token());
    ///
    /// let (holder, token) = in_the_page; // the next request
    /// let resumed = Lease::resume(&mut conn, &document, holder, token)?;
    /// assert_eq!(resumed, lease);
    /// assert_eq!(Lease::resume(&mut conn, &document, "maria", 1).unwrap_err().code(), "lease.lost");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeaseError::Lost`] if that lease is over, and the others as [`acquire`](LeaseDsl::acquire).
    fn resume<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> Result<Self, LeaseError>
    where
        Conn: Leases<T>;

    /// Who holds the lease of an entity's row at the moment: "Maria is editing since 10:02". It is a look
    /// and no promise, and waits for nobody.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let document = Document::find(&mut conn, 7)?;
    /// assert_eq!(Lease::holder_of(&mut conn, &document)?, None);
    ///
    /// let lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// let editing = Lease::holder_of(&mut conn, &document)?.ok_or("somebody is")?;
    /// assert_eq!((editing.name(), editing.since()), ("maria", lease.since()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeaseError::Key`] and [`LeaseError::Database`], as [`acquire`](LeaseDsl::acquire).
    fn holder_of<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
    ) -> Result<Option<LeaseHolder>, LeaseError>
    where
        Conn: Leases<T>;

    /// Lets the lease last so long from now, also if that is sooner than it was to end.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let document = Document::find(&mut conn, 7)?;
    /// let mut lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// let (token, until) = (lease.token(), lease.until());
    ///
    /// lease.renew(&mut conn, quarter * 2)?;
    /// assert_eq!(lease.token(), token);
    /// assert!(lease.until() > until);
    ///
    /// lease.release(&mut conn)?;
    /// assert_eq!(lease.renew(&mut conn, quarter).unwrap_err().code(), "lease.lost");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeaseError::Lost`] if it is over already, [`LeaseError::Ttl`] and [`LeaseError::Database`]. The
    /// lease is unchanged then.
    fn renew(&mut self, conn: &mut Conn, ttl: Duration) -> Result<(), LeaseError>;

    /// Gives the lease back: `None`, if it was held until now; otherwise how it had been lost, which is no
    /// error here, for it is over in either case. Whatever was to be written under it since has been
    /// refused. The number is not given again.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let document = Document::find(&mut conn, 7)?;
    /// let marias = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// assert_eq!(marias.release(&mut conn)?, None);
    ///
    /// let pauls = Lease::acquire(&mut conn, &document, "paul", quarter)?; // at once
    /// assert!(pauls.token() > marias.token());
    /// let lost = marias.release(&mut conn)?; // once more
    /// assert!(matches!(lost, Some(LostLease::Taken { by }) if by.name() == "paul"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeaseError::Database`]. It expires by itself then.
    fn release(&self, conn: &mut Conn) -> Result<Option<LostLease>, LeaseError>;

    /// [Saves](crate::VersionedDsl::save) the entity under the lease of its row: guarded by its version and
    /// by the lease, in one transaction, or in a savepoint inside yours.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let mut document = Document::find(&mut conn, 7)?;
    /// let lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// document.body = "Dear Sir".to_owned();
    /// lease.save(&mut conn, &mut document)?;
    /// assert_eq!(document.version, 2);
    ///
    /// Document::find(&mut conn, 7)?.touch(&mut conn)?; // a writer without a lease
    /// assert!(lease.save(&mut conn, &mut document).unwrap_err().is_conflict());
    ///
    /// lease.release(&mut conn)?;
    /// document.reload(&mut conn)?;
    /// assert_eq!(lease.save(&mut conn, &mut document).unwrap_err().code(), "lease.lost");
    /// assert_eq!(document.version, 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The entity is unchanged then.
    ///
    /// - [`CommitError::Lease`] if the lease is over, or is not that of this row.
    /// - The others as a [unit](crate::UnitOfWork::commit) of this one entity, a conflict for example: a writer
    ///   without a lease was faster.
    fn save<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Conn: Leases<T>;

    /// [Writes](crate::VersionedDsl::save_changes) under the lease of its row the columns in which the
    /// entity differs from `base`, the row as it was loaded; nothing if none does, and then the lease is not
    /// looked at. Of [groups](derive@crate::Versioned#groups) those are checked and moved that a column
    /// differs in; an entity [without a version](derive@crate::Versioned#no-version) is saved by this.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let loaded = Document::find(&mut conn, 7)?;
    /// let lease = Lease::acquire(&mut conn, &loaded, "maria", quarter)?;
    /// let mut document = loaded.clone();
    /// lease.save_changes(&mut conn, &mut document, &loaded)?; // nothing differs
    /// assert_eq!(document.version, 1);
    ///
    /// document.body = "Dear Sir".to_owned();
    /// lease.save_changes(&mut conn, &mut document, &loaded)?;
    /// assert_eq!(Document::find(&mut conn, 7)?.body, "Dear Sir");
    /// assert_eq!(document.version, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`save`](LeaseDsl::save); and [`CommitError::Invalid`] if `base` is another row.
    fn save_changes<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        Conn: Leases<T>;

    /// [Deletes](crate::VersionedDsl::delete) the row under its lease, which is still held afterwards.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let mut document = Document::find(&mut conn, 7)?;
    /// let lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// lease.delete(&mut conn, &mut document)?;
    /// assert!(Document::find(&mut conn, 7).optional()?.is_none());
    /// assert_eq!(lease.release(&mut conn)?, None); // it was held until now
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`save`](LeaseDsl::save).
    fn delete<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Conn: Leases<T>;

    /// [Touches](crate::VersionedDsl::touch) the row under its lease.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     documents (id) { id -> Integer, body -> Text, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = documents)]
    /// # struct Document { id: i32, body: String, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO documents VALUES (7, 'Dear', 1)")?;
    /// # let quarter = Duration::from_secs(900);
    /// let mut document = Document::find(&mut conn, 7)?;
    /// let lease = Lease::acquire(&mut conn, &document, "maria", quarter)?;
    /// lease.touch(&mut conn, &mut document)?;
    /// assert_eq!((&*document.body, document.version), ("Dear", 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`save`](LeaseDsl::save).
    fn touch<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Conn: Leases<T>;

    /// Removes what the table knows of leases that have been over for longer than this, and for a day at
    /// least, and returns how many those were. To run now and then.
    ///
    /// A row whose leases were forgotten goes on with the time as its next number, which is greater than
    /// any before: unless the database's clock has been set back by more than a day.
    ///
    /// # Errors
    ///
    /// What the database reports.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # use diesel_versioned::prelude::*;
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// let quarter = Duration::from_secs(90 * 24 * 60 * 60);
    /// assert_eq!(Lease::forget_leases(&mut conn, quarter)?, 0);
    /// # Ok(())
    /// # }
    /// ```
    fn forget_leases(conn: &mut Conn, over_for: Duration) -> QueryResult<usize>;
}

/// A connection on which rows of `T` can be leased: what [`LeaseDsl`] asks for.
pub trait Leases<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_table_name(&mut self) -> QueryResult<String>;

    #[doc(hidden)]
    fn execute_save_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError>;

    #[doc(hidden)]
    fn execute_save_changes_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>;

    #[doc(hidden)]
    fn execute_delete_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError>;

    #[doc(hidden)]
    fn execute_touch_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError>;
}

#[diagnostic::do_not_recommend]
impl<T, C> Leases<T> for C
where
    C: LoadConnection + 'static,
    C::Backend:
        OwnTables + QueryMetadata<<T as Entity<C::Backend>>::SqlType> + QueryMetadata<RowOfLease>,
    T: Entity<C::Backend>,
{
    fn execute_table_name(&mut self) -> QueryResult<String> {
        session::usable(self)?;
        let ask = Ask::name::<T, C::Backend>(&KnownCatalog::default());
        TableName::of_answer(answers(self, ask)?)
    }

    fn execute_save_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError> {
        write_under(self, lease, entity, |uow, entity| uow.save(entity))
    }

    fn execute_save_changes_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError> {
        write_under(self, lease, entity, |uow, entity| {
            uow.attach_changed(base.clone(), entity)
        })
    }

    fn execute_delete_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError> {
        write_under(self, lease, entity, |uow, entity| {
            let handle = uow.attach(entity)?;
            uow.delete(handle);
            Ok(handle)
        })
    }

    fn execute_touch_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError> {
        write_under(self, lease, entity, |uow, entity| {
            let handle = uow.attach(entity)?;
            uow.touch(handle);
            Ok(handle)
        })
    }
}

#[diagnostic::do_not_recommend]
impl<C> LeaseDsl<C> for Lease
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    fn acquire<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<Self, LeaseError>
    where
        C: Leases<T>,
    {
        let place = Place::of(conn.execute_table_name()?, entity)?;
        let asked = Asked::new::<T>(place, holder.into(), ttl)?;
        take(conn, asked, false).map(|(lease, _)| lease)
    }

    fn steal<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<(Self, Option<LeaseHolder>), LeaseError>
    where
        C: Leases<T>,
    {
        let place = Place::of(conn.execute_table_name()?, entity)?;
        let asked = Asked::new::<T>(place, holder.into(), ttl)?;
        take(conn, asked, true)
    }

    fn resume<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> Result<Self, LeaseError>
    where
        C: Leases<T>,
    {
        let place = Place::of(conn.execute_table_name()?, entity)?;
        let asked = Asked::new::<T>(place, holder.into(), Self::MAX_TTL)?;
        let stands = first(conn, lease::look(&asked.place))?;
        asked.resumed(stands, token)
    }

    fn holder_of<T: Versioned>(conn: &mut C, entity: &T) -> Result<Option<LeaseHolder>, LeaseError>
    where
        C: Leases<T>,
    {
        let place = Place::of(conn.execute_table_name()?, entity)?;
        Ok(held(first(conn, lease::look(&place))?.as_ref()))
    }

    fn renew(&mut self, conn: &mut C, ttl: Duration) -> Result<(), LeaseError> {
        let ttl = check_ttl(ttl)?;
        let stands = session::in_transaction(conn, |conn| {
            self.must_hold(first(conn, lease::lock(&self.place))?)?;
            affected(conn, &lease::renew(&self.place, ttl))?;
            self.must_hold(first(conn, lease::look(&self.place))?)
        })?;
        self.renewed(&stands);
        Ok(())
    }

    fn release(&self, conn: &mut C) -> Result<Option<LostLease>, LeaseError> {
        session::in_transaction(conn, |conn| {
            let stands = first(conn, lease::lock(&self.place))?;
            let lost = self.lost(stands.as_ref());
            if lost.is_none() {
                affected(conn, &lease::release(&self.place))?;
            }
            Ok(lost)
        })
    }

    fn save<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: Leases<T>,
    {
        conn.execute_save_under(self, entity)
    }

    fn save_changes<T: Versioned>(
        &self,
        conn: &mut C,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        C: Leases<T>,
    {
        conn.execute_save_changes_under(self, entity, base)
    }

    fn delete<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: Leases<T>,
    {
        conn.execute_delete_under(self, entity)
    }

    fn touch<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: Leases<T>,
    {
        conn.execute_touch_under(self, entity)
    }

    fn forget_leases(conn: &mut C, over_for: Duration) -> QueryResult<usize> {
        session::usable(conn)?;
        affected(conn, &lease::forget(forgettable(over_for)))
    }
}

/// Takes a lease, and says who held it.
fn take<C>(
    conn: &mut C,
    asked: Asked,
    steal: bool,
) -> Result<(Lease, Option<LeaseHolder>), LeaseError>
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    session::in_transaction(conn, |conn| {
        affected(conn, &lease::ensure(&asked.place))?;
        let stands = asked.kept(first(conn, lease::lock(&asked.place))?)?;
        let previous = asked.may_take(&stands, steal)?;
        let token = next_token(&stands);
        let taking = lease::take(&asked.place, &asked.holder, token, asked.ttl);
        affected(conn, &taking)?;
        let stands = asked.kept(first(conn, lease::look(&asked.place))?)?;
        Ok((asked.taken(&stands, token)?, previous))
    })
}

/// What stands in the table, if anything does.
pub(super) fn first<C>(conn: &mut C, statement: Reading<Stands>) -> QueryResult<Option<Stands>>
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    session::usable(conn)?;
    Ok(own_rows(conn, statement)?.into_iter().next())
}
