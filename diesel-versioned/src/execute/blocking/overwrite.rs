//! Overwriting on purpose on a blocking connection.

use diesel::QueryResult;
use diesel::connection::{Connection, LoadConnection};
use diesel::expression::QueryMetadata;

use super::session::affected;
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::conflict::Conflict;
use crate::entity::Versioned;
use crate::execute::transaction::kept;
use crate::outcome;
use crate::overwrite::{Actor, Overwrite, OverwriteError};
use crate::statement::{Entity, OwnTables};
use crate::unit_of_work::{Handle, UnitOfWork};

/// What records that a row is overwritten, in the transaction that does it: the library's own
/// [`OverwriteTable`](crate::OverwriteTable), or yours.
///
/// A closure is one if the types of its arguments are written out. It runs after the row was
/// written; an error or a panic rolls both back. It must not end the transaction.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
/// # diesel::table! { journal (id) { id -> Integer, text -> Text } }
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
///
/// struct Journal;
///
/// impl Audit<SqliteConnection> for Journal {
///     fn record(&mut self, conn: &mut SqliteConnection, what: &Overwrite) -> QueryResult<()> {
///         let text = format!("{} overwrote {} {}", what.actor(), what.table(), what.key());
///         diesel::insert_into(journal::table).values(journal::text.eq(text)).execute(conn)?;
///         Ok(())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 2);
/// #     CREATE TABLE journal (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
/// let mut stale = Product { id: 1, stock: 7, version: 1 };
/// let Err(SaveError::Conflict(conflict)) = stale.save(&mut conn) else {
///     panic!("it is stale");
/// };
/// conflict.overwrite_with(&mut conn, &mut Journal, Actor::new("anna")?, "counted")?;
/// let texts: Vec<String> = journal::table.select(journal::text).load(&mut conn)?;
/// assert_eq!(texts, ["anna overwrote products 1"]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not record overwrites on a `{Conn}`",
    label = "no `Audit`",
    note = "implement `Audit<{Conn}>`, or give a closure whose arguments are written with their \
            types: `|conn: &mut {Conn}, what: &Overwrite| …`"
)]
pub trait Audit<Conn> {
    /// Records it.
    ///
    /// # Errors
    ///
    /// Whatever the database reports; then nothing is overwritten.
    fn record(&mut self, conn: &mut Conn, overwrite: &Overwrite) -> QueryResult<()>;
}

#[diagnostic::do_not_recommend]
impl<C, F: FnMut(&mut C, &Overwrite) -> QueryResult<()>> Audit<C> for F {
    fn record(&mut self, conn: &mut C, overwrite: &Overwrite) -> QueryResult<()> {
        self(conn, overwrite)
    }
}

impl<C> Audit<C> for crate::OverwriteTable
where
    C: Connection,
    C::Backend: OwnTables,
{
    fn record(&mut self, conn: &mut C, overwrite: &Overwrite) -> QueryResult<()> {
        kept(affected(conn, &overwrite.record())?)
    }
}

/// What a [`Conflict`] can do on a connection of the type `Conn`: overwrite what stands there, on
/// purpose and on record.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
/// # use diesel_migrations::MigrationHarness;
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, price_cents -> BigInt, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = products)]
/// struct Product {
///     id: i32,
///     name: String,
///     price_cents: i64,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     price_cents BIGINT NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO products VALUES (42, 'Chai', 250, 1)")?;
/// conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
///
/// let mut mine = Product::find(&mut conn, 42)?;
/// let mut theirs = mine.clone(); // someone else
/// theirs.price_cents = 270;
/// theirs.save(&mut conn)?;
///
/// mine.price_cents = 299;
/// let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn) else {
///     panic!("their price would be lost, and nobody would know");
/// };
/// // … Anna has been shown both prices, and decides:
/// let mine = conflict.overwrite(&mut conn, Actor::new("anna")?, "price list of May")?;
/// assert_eq!((mine.price_cents, mine.version), (299, 3));
///
/// # diesel::table! {
/// #     diesel_versioned_overwrites (id) {
/// #         id -> BigInt, actor -> Text, overwritten_values -> Text, reason -> Text,
/// #     }
/// # }
/// let (actor, lost) = diesel_versioned_overwrites::table
///     .select((
///         diesel_versioned_overwrites::actor,
///         diesel_versioned_overwrites::overwritten_values,
///     ))
///     .first::<(String, String)>(&mut conn)?;
/// assert_eq!((&*actor, &*lost), ("anna", r#"{"price_cents": 270}"#));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "the row of this conflict cannot be overwritten through `{Conn}`",
    label = "no connection of the entity's database",
    note = "on a connection of diesel-async use `diesel_versioned::async_prelude`"
)]
pub trait OverwriteDsl<Conn> {
    /// The entity.
    type Entity: Versioned;

    /// Overwrites what stands there with [`mine`](Conflict::mine), and records it in the table
    /// `diesel_versioned_overwrites`: both in one transaction, or in a savepoint inside the caller's.
    /// Returns the entity as it is written, at its new version.
    ///
    /// It is a guarded write as any other: by the version of [`current`](Conflict::current), which is
    /// what the person who decides has seen. If someone has written the row since, nothing is
    /// written and that is the next conflict, for the person to look at.
    ///
    /// Every column is written as it is in mine: what was seen as mine is what stands there
    /// afterwards. To keep some of their values, [merge](Conflict::resolve) instead. If nothing
    /// differs it is written and recorded all the same.
    ///
    /// If it was a deletion that conflicted, the row is deleted, and returned as it last stood; where rows
    /// are [marked](derive@crate::Versioned#soft-deletion), as it stands with its mark.
    ///
    /// An entity of a [`UnitOfWork`](crate::UnitOfWork) is overwritten by
    /// [`UnitOfWork::overwrite`](crate::UnitOfWork::overwrite). This call does not know the unit: it
    /// stays at the version that it knows, so its next commit conflicts again.
    ///
    /// # Errors
    ///
    /// Nothing is written then; only after [`OverwriteError::OutcomeUnknown`] the database may hold
    /// the row and the record.
    ///
    /// - [`OverwriteError::Conflict`] if someone has written the row since, or it is gone now.
    /// - [`OverwriteError::Impossible`] if the row was gone already, or nobody else had written it.
    /// - [`OverwriteError::Reason`] if the reason is blank, has more than 1,000 characters or control
    ///   characters other than line breaks and tabs.
    /// - [`OverwriteError::Audit`] if it cannot be recorded: the table is missing, most likely.
    /// - [`OverwriteError::Database`] and the others that [`OverwriteError`] lists.
    ///
    /// # Panics
    ///
    /// If the `Clone` or the serialization of a value panics; it is rolled back then.
    fn overwrite(
        &self,
        conn: &mut Conn,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Self::Entity, OverwriteError<Self::Entity>>;

    /// The same with a record of your own; see [`Audit`].
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::Actor;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 2)")?;
    /// # let mut mine = Product { id: 1, stock: 7, version: 1 };
    /// # let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn) else { panic!("stale") };
    /// let mut lost = Vec::new();
    /// let mut audit = |_: &mut SqliteConnection, what: &Overwrite| {
    ///     lost.extend(what.overwritten::<Product>().cloned());
    ///     Ok(())
    /// };
    /// conflict.overwrite_with(&mut conn, &mut audit, Actor::new("stocktaking")?, "counted")?;
    /// assert_eq!(lost[0].stock, 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`overwrite`](OverwriteDsl::overwrite); what the audit returns is
    /// [`OverwriteError::Audit`].
    ///
    /// # Panics
    ///
    /// If the audit panics; it is rolled back then.
    fn overwrite_with<A: Audit<Conn>>(
        &self,
        conn: &mut Conn,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Self::Entity, OverwriteError<Self::Entity>>;
}

/// A connection that can overwrite the rows of `T`: what [`OverwriteDsl`] asks for.
pub trait Overwrites<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_overwrite(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>>;

    #[doc(hidden)]
    fn execute_overwrite_with<A: Audit<Self>>(
        &mut self,
        conflict: &Conflict<T>,
        audit: &mut A,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>>;
}

#[diagnostic::do_not_recommend]
impl<T, C> Overwrites<T> for C
where
    C: LoadConnection + 'static,
    C::Backend: OwnTables + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    fn execute_overwrite(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>> {
        self.execute_overwrite_with(conflict, &mut crate::OverwriteTable, actor, reason)
    }

    fn execute_overwrite_with<A: Audit<C>>(
        &mut self,
        conflict: &Conflict<T>,
        audit: &mut A,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>> {
        let mut uow = UnitOfWork::<C, dyn BlockingSet<C>>::new();
        let handle = uow.overwrite_one(conflict, actor, reason)?;
        let mut failed = false;
        let mut audit = |conn: &mut C, overwrite: &Overwrite| {
            let recorded = audit.record(conn, overwrite);
            failed = recorded.is_err();
            recorded
        };
        match uow.commit_lent(self, &mut audit) {
            Ok(done) => Ok(outcome::overwritten(
                conflict,
                uow.get(handle),
                done.marked(handle),
            )),
            Err(error) => Err(OverwriteError::of_unit(error, failed)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Versioned, C: Overwrites<T>> OverwriteDsl<C> for Conflict<T> {
    type Entity = T;

    fn overwrite(
        &self,
        conn: &mut C,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<T, OverwriteError<T>> {
        conn.execute_overwrite(self, actor, reason.into())
    }

    fn overwrite_with<A: Audit<C>>(
        &self,
        conn: &mut C,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<T, OverwriteError<T>> {
        conn.execute_overwrite_with(self, audit, actor, reason.into())
    }
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets the next commit overwrite the row of a conflict on purpose, and record that in the table
    /// `diesel_versioned_overwrites`, both in the unit's transaction.
    ///
    /// The entity stands on what was seen, the conflict's [`current`](Conflict::current), from now
    /// on: the next commit writes every column as the entity has it then, or deletes the row if the
    /// unit deletes it, guarded by the version that was seen. If someone has written the row since,
    /// that commit reports the next conflict, and nothing is written or recorded; overwrite again,
    /// or [`resolve`](UnitOfWork::resolve) or [`discard`](UnitOfWork::discard) the entity, and then
    /// nothing is recorded of this one.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # use diesel_versioned::Actor;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// let mut uow = UnitOfWork::new();
    /// let tea: Handle<Product> = uow.find(&mut conn, 1)?;
    /// let milk: Handle<Product> = uow.find(&mut conn, 2)?;
    /// uow[tea].stock = 8; // as it was counted
    /// uow[milk].stock = 3;
    ///
    /// Product::update_with(&mut conn, 1, &RetryPolicy::default(), |tea| tea.stock = 9)?; // someone else
    /// let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) else {
    ///     panic!("their stock would be lost");
    /// };
    /// for conflict in conflicts.of::<Product>() {
    ///     uow.overwrite(conflict, Actor::new("stocktaking")?, "counted twice")?;
    /// }
    /// uow.commit(&mut conn)?;
    /// assert_eq!((uow[tea].stock, uow[tea].version), (8, 3));
    /// assert_eq!((uow[milk].stock, uow[milk].version), (3, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The unit is as it was then.
    ///
    /// - [`OverwriteError::Impossible`] if the row is gone, if nobody else has written it, if the
    ///   conflict is not one of this unit, if the unit has gone on since, or if it
    ///   [expects the row to be unchanged](UnitOfWork::expect_unchanged).
    /// - [`OverwriteError::Reason`] as for a single conflict.
    ///
    /// The commit returns [`CommitError::Database`](crate::CommitError::Database) if it cannot be
    /// recorded.
    pub fn overwrite<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Handle<T>, OverwriteError<T>>
    where
        C::Backend: OwnTables,
    {
        self.overwrite_with(conflict, crate::OverwriteTable, actor, reason)
    }

    /// The same with a record of your own, which this unit keeps; see [`Audit`].
    ///
    /// # Errors
    ///
    /// As [`overwrite`](UnitOfWork::overwrite).
    pub fn overwrite_with<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        audit: impl Audit<C> + Send + 'static,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Handle<T>, OverwriteError<T>> {
        self.overwrite_tracked(conflict, Box::new(audit), actor, reason.into())
    }
}
