//! You have a conflict: now what?
//!
//! A conflict says that a row is no longer what you decided by. Nothing is written and nothing in
//! memory has changed, so there is time to decide. What to do depends on whose decision it is:
//!
//! | whose | what to do |
//! | --- | --- |
//! | the user's | [show them](#show) what both changed |
//! | the domain's | [merge](#merge) by a rule that it has |
//! | the user's, who has seen both and insists | [overwrite](#overwrite) it, on record |
//! | the program's, it can compute the change from whatever stands there | [do it again](#do-it-again) |
//! | the program's, and SQL can compute it | [let the database do it](#let-the-database-do-it), and there is no conflict |
//! | nobody's, and so many write the row that it happens all the time | [wait](#wait) instead: lock it |
//! | nobody's, it is the same request again | give it a key, as `replay` (a feature) says |
//! | nobody's, they edit parts of the row that have nothing to do with each other | give each part [a version of its own](derive@crate::Versioned#groups) |
//! | nobody's, the row was only one of many | [`discard`](crate::UnitOfWork::discard) it and commit the rest |
//!
//! and on what happened to the row:
//!
//! | kind | what to do |
//! | --- | --- |
//! | [`Modified`](crate::ConflictKind::Modified) | show, merge, overwrite, or do it again |
//! | [`Deleted`](crate::ConflictKind::Deleted) | insert it again, or drop the change; there is nothing to merge with. A row that is only [marked as deleted](#deleted-but-still-there) can be restored |
//! | [`Refused`](crate::ConflictKind::Refused) | look for the trigger, the rule or the policy, or for a [time that SQLite has in another spelling](crate::which_version#timestamps); neither merging nor overwriting helps |
//!
//! Where people edit for long, [let them see each other before](#before-it-happens).
//!
//! # Show
//!
//! [`Conflict::changes`](crate::Conflict::changes) is the view of the three states: each column
//! that differs, as it was loaded, as I changed it and as it stands there, and who changed it. As
//! text it is a table, with the feature `serde` it is JSON, and with `http` the answer to a request.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     members (id) { id -> Integer, email -> Text, password -> Text, version -> Integer }
//! # }
//! /// It has no `Debug`, so it is never shown.
//! #[derive(Clone, PartialEq)]
//! struct Password(String);
//! # impl From<String> for Password { fn from(text: String) -> Self { Self(text) } }
//! # impl From<Password> for String { fn from(password: Password) -> Self { password.0 } }
//!
//! #[derive(Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = members)]
//! struct Member {
//!     id: i32,
//!     email: String,
//!     #[diesel(serialize_as = String, deserialize_as = String)]
//!     password: Password,
//!     #[version]
//!     version: i32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE members (id INTEGER PRIMARY KEY, email TEXT NOT NULL,
//! #     password TEXT NOT NULL, version INTEGER NOT NULL);
//! #     INSERT INTO members VALUES (1, 'ada@example.org', 'x', 1)")?;
//! let mut uow = UnitOfWork::new();
//! let ada: Handle<Member> = uow.find(&mut conn, 1)?;
//! uow[ada].email = "ada@example.com".to_owned();
//!
//! let mut theirs = Member::find(&mut conn, 1)?; // someone else
//! theirs.password = Password("secret".to_owned());
//! theirs.save(&mut conn)?;
//!
//! let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) else {
//!     panic!("the new password would be lost");
//! };
//! let conflict = conflicts.of::<Member>().next().ok_or("a conflict")?;
//! assert_eq!(
//!     format!("\n{}\n", conflict.changes()),
//!     r#"
//! column   | base              | mine              | theirs            | who
//! email    | "ada@example.org" | "ada@example.com" | "ada@example.org" | me
//! password | …                 | …                 | …                 | them
//! "#
//! );
//! # Ok(())
//! # }
//! ```
//!
//! Values are shown by the `Debug` of their types; a type without one is shown as `…`. The text of
//! a conflict itself, which is what lands in a log, has the table, the key and the versions in it
//! and no other value.
//!
//! A lone [`save`](crate::VersionedDsl::save) does not know what the entity was when it was loaded,
//! nor does a form. Who changed what is then
//! [unattributed](crate::Changes::unattributed); keep the loaded entity and hand it to
//! [`with_base`](crate::Conflict::with_base) to know.
//!
//! # Merge
//!
//! It is tempting to take of each column whichever value was changed. That is right only if the
//! columns have nothing to do with each other, and the library cannot know that. Take a booking,
//! from the 3rd to the 9th. Ann ends it on the 5th; Bob, who has not seen that, lets it start on
//! the 7th. Each was right, and [`is_disjoint`](crate::Conflict::is_disjoint) is `true`; put
//! together column by column the booking would end before it starts. So there is no merge without a
//! rule of yours.
//!
//! Declare which columns are independent of each other; only those are combined:
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     bookings (id) {
//! #         id -> Integer, starts_on -> Integer, ends_on -> Integer, note -> Text,
//! #         guest -> Text, version -> Integer,
//! #     }
//! # }
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = bookings)]
//! #[versioned(merge(independent(guest, note)))]
//! struct Booking {
//!     id: i32,
//!     starts_on: i32,
//!     ends_on: i32,
//!     note: String,
//!     guest: String,
//!     #[version]
//!     version: i32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE bookings (id INTEGER PRIMARY KEY, starts_on INTEGER NOT NULL,
//! #     ends_on INTEGER NOT NULL, note TEXT NOT NULL, guest TEXT NOT NULL,
//! #     version INTEGER NOT NULL);
//! #     INSERT INTO bookings VALUES (1, 3, 9, '', 'Eve', 1), (2, 3, 9, '', 'Mallory', 1)")?;
//! let mut bobs = UnitOfWork::new();
//! let one: Handle<Booking> = bobs.find(&mut conn, 1)?;
//! let two: Handle<Booking> = bobs.find(&mut conn, 2)?;
//! bobs[one].note = "by train".to_owned();
//! bobs[two].starts_on = 7;
//!
//! let mut anns = Booking::find(&mut conn, 1)?;
//! anns.guest = "Eve and Trent".to_owned();
//! anns.save(&mut conn)?;
//! let mut anns = Booking::find(&mut conn, 2)?;
//! anns.ends_on = 5;
//! anns.save(&mut conn)?;
//!
//! let Err(CommitError::Conflicts(conflicts)) = bobs.commit(&mut conn) else {
//!     panic!("Ann's work would be lost");
//! };
//! let mut left_to_bob = Vec::new();
//! for conflict in conflicts.of::<Booking>() {
//!     if let Err(unmergeable) = bobs.resolve(conflict, Booking::merge) {
//!         left_to_bob.push((*conflict.key(), unmergeable.columns().to_vec()));
//!         if let Some(handle) = conflict.handle() {
//!             bobs.discard(handle);
//!         }
//!     }
//! }
//! assert_eq!(left_to_bob, [(2, vec!["starts_on", "ends_on"])]);
//! bobs.commit(&mut conn)?;
//! assert_eq!(bobs[one].guest, "Eve and Trent");
//! assert_eq!(bobs[one].note, "by train");
//! # Ok(())
//! # }
//! ```
//!
//! Or write the rule: [`impl Merge`](crate::Merge), where days that belong together are one value
//! and numbers are added up, or a closure for [`resolve`](crate::Conflict::resolve). A rule sees one
//! row; what you decided by looking at several, decide anew. What a rule cannot combine is
//! [`Unmergeable`](crate::Unmergeable), with the columns: show it.
//!
//! A merged entity stands at the version that was merged with, no other: if someone writes the row
//! before it is saved, that is the next conflict.
//!
//! # Do it again
//!
//! A change that is computed from what stands there, a counter or a transfer, is done again from a
//! fresh read: [`update_with`](crate::VersionedDsl::update_with) for one row,
//! [`UnitOfWork::run`](crate::UnitOfWork::run) for a unit, [`retry`](crate::retry()) for anything
//! else in a transaction. None of them takes an entity: what someone has typed into a form is not
//! computed from anything, and writing it again under a new version would be the lost update.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, stock: i32, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
//! #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 2, 1)")?;
//! #[derive(Debug)]
//! enum SaleError {
//!     SoldOut,
//!     Commit(CommitError),
//! }
//!
//! impl From<CommitError> for SaleError {
//!     fn from(error: CommitError) -> Self {
//!         Self::Commit(error)
//!     }
//! }
//!
//! impl Retryable for SaleError {
//!     fn is_retryable(&self) -> bool {
//!         matches!(self, Self::Commit(error) if error.is_retryable())
//!     }
//! }
//!
//! let sell = |product: &mut Product| {
//!     product.stock = product.stock.checked_sub(2).filter(|&left| left >= 0).ok_or(SaleError::SoldOut)?;
//!     Ok(())
//! };
//! let policy = RetryPolicy::default();
//! assert_eq!(Product::update_with(&mut conn, 42, &policy, sell).map(|sold| sold.stock).ok(), Some(0));
//! let error = Product::update_with(&mut conn, 42, &policy, sell).unwrap_err();
//! assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
//! assert!(matches!(error.last(), Some(SaleError::SoldOut)));
//! # Ok(())
//! # }
//! ```
//!
//! # Wait
//!
//! A guard lets everybody go ahead and turns all but one away at the end. Where many write the same row,
//! or where the work is dear, it is better to wait at the beginning: lock the row, and nobody else can
//! write it until the transaction ends. The guard stays, and holds.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     accounts (id) { id -> Integer, balance -> BigInt, version -> Integer }
//! # }
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = accounts)]
//! struct Account {
//!     id: i32,
//!     balance: i64,
//!     #[version]
//!     version: i32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL,
//! #     version INTEGER NOT NULL); INSERT INTO accounts VALUES (1, 100, 1), (2, 0, 1)")?;
//! let policy = RetryPolicy::default();
//! let (handles, _) = UnitOfWork::run(&mut conn, &policy, |uow, conn| {
//!     // Locked in the order of their keys, returned as they were asked for.
//!     let accounts = uow.lock_all::<Account, _>(conn, [2, 1], Lock::Update, Wait::Block)?;
//!     uow[accounts[0]].balance += 40;
//!     uow[accounts[1]].balance -= 40;
//!     Ok::<_, CommitError>(accounts.len())
//! })?;
//! assert_eq!(handles, 2);
//! assert_eq!(Account::find(&mut conn, 2)?.balance, 40);
//!
//! // What was loaded earlier: locked if it is still so, a conflict if not.
//! let loaded = Account::find(&mut conn, 1)?;
//! conn.immediate_transaction(|conn| loaded.lock_loaded(conn, Lock::Share, Wait::Block))?;
//! Account::find(&mut conn, 1)?.touch(&mut conn)?; // someone else
//! let late = conn.immediate_transaction(|conn| loaded.lock_loaded(conn, Lock::Share, Wait::Block));
//! assert_eq!(late.unwrap_err().code(), "conflict.modified");
//! # Ok(())
//! # }
//! ```
//!
//! - A lock belongs to a transaction: `conn.transaction(…)`, [`retry`](crate::retry()),
//!   [`UnitOfWork::run`](crate::UnitOfWork::run). Outside of one it is an error (`lock.no_transaction`).
//! - Lock all that you need of a table by one [`lock_all`](crate::LockDsl::lock_all), and tables always
//!   in one order; then nobody deadlocks.
//! - [`Wait::NoWait`](crate::Wait::NoWait) gives up at once (`lock.refused`),
//!   [`Wait::SkipLocked`](crate::Wait::SkipLocked) leaves out what others have: workers take the next jobs
//!   of a queue with it. What a database does not have is an error that says so (`lock.unsupported`);
//!   [`LockDsl`](crate::LockDsl#on-each-database) has the table. On SQLite a lock is the one lock of the
//!   whole database.
//! - A row that is not there cannot be locked (`row.not_found`).
//! - Whoever waits while a person thinks keeps everybody waiting. There a guard is better.
//!
//! `lock.timeout`, `lock.refused` and `lock.deadlock` pass: they are
//! [transient](crate::CommitError::is_transient), [done again](#do-it-again) by a policy, and 503 over
//! HTTP.
//!
//! | Hibernate, Rails, SQLAlchemy | here |
//! | --- | --- |
//! | `PESSIMISTIC_WRITE`, `lock.find(id)`, `with_for_update()` | `Product::lock(conn, id, Lock::Update, Wait::Block)` |
//! | `PESSIMISTIC_READ`, `with_for_update(read=True)` | `Lock::Share` |
//! | `session.lock(entity, …)`, `with_lock` | `product.lock_loaded(…)`; it does not read the row anew, a stale one is a conflict |
//! | `lock.timeout` of 0, `lock("… NOWAIT")`, `nowait=True` | `Wait::NoWait` |
//! | `SKIP_LOCKED`, `skip_locked=True` | `Wait::SkipLocked` |
//!
//! ## Which one?
//!
//! Multiply how often the row is written in a second by how many seconds pass between reading and writing
//! it: that is the share of the attempts that are in vain, as long as it is small, and nothing that computes
//! from what it has read can do more than one at a time, however it waits.
//!
//! | where | take |
//! | --- | --- |
//! | SQL can say the change | [`apply`](#let-the-database-do-it): the row is held for one statement only |
//! | the product is below 0.1 | the guard, [done again](#do-it-again): nobody waits, hardly any attempt is in vain |
//! | above, and the program needs milliseconds | the row lock: more goodput, nothing in vain, and the slowest wait less |
//! | above, and somebody thinks, or another service is asked | the guard, and a [lease](#before-it-happens) that tells the others before they begin |
//! | near 1 or above | none of these is enough: hold it for less, or make several rows of it |
//! | SQLite | one who writes at a time, whatever the row: think before the transaction. `find`, think, `save` does; `update_with` and `lock` hold the lock of the whole database meanwhile |
//!
//! `docs/contention.md` has the measurements, the model, and what happens at a thousand times the load; the
//! example `contention` repeats them on your database.
//!
//! # Read from one snapshot
//!
//! Something is computed of several rows, and the result is written: each row that was read and is
//! written has its guard, so what matters is that all of them were read at one moment.
//! [`UnitOfWork::read`](crate::UnitOfWork::read) reads into the unit in a read-only transaction of the
//! isolation that you want, which is over when the closure returns. Nothing is locked while you compute;
//! [`expect_unchanged`](crate::UnitOfWork::expect_unchanged) guards what was read and is not written.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     accounts (id) { id -> Integer, balance -> BigInt, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = accounts)]
//! # struct Account { id: i32, balance: i64, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL,
//! #     version INTEGER NOT NULL); INSERT INTO accounts VALUES (1, 100, 1), (2, 0, 1), (3, 7, 1)")?;
//! let mut uow = UnitOfWork::new();
//! let (giro, savings, fees) = uow.read(&mut conn, Isolation::RepeatableRead, |uow, conn| {
//!     let giro: Handle<Account> = uow.find(conn, 1)?;
//!     let savings: Handle<Account> = uow.find(conn, 2)?;
//!     let fees: Handle<Account> = uow.find(conn, 3)?; // of the same moment
//!     Ok::<_, CommitError>((giro, savings, fees))
//! })?;
//! let to_move = (uow[giro].balance - uow[savings].balance) / 2 - uow[fees].balance;
//! uow[giro].balance -= to_move;
//! uow[savings].balance += to_move;
//! uow.expect_unchanged(fees);
//!
//! Account::find(&mut conn, 3)?.touch(&mut conn)?; // someone else
//! let error = uow.commit(&mut conn).unwrap_err();
//! assert_eq!(error.code(), "conflict.modified"); // read again, compute again
//! # Ok(())
//! # }
//! ```
//!
//! [`UnitOfWork::isolation`](crate::UnitOfWork::isolation) sets the isolation of the commit itself, and
//! [`RetryPolicy::isolation`](crate::RetryPolicy::isolation) that of the transactions of `retry` and
//! `run`, where reads, computing and writes are in one transaction. [`Isolation`](crate::Isolation) tells
//! what each level is on each database; the transactions of SQLite are serializable whatever is asked for.
//! The session is as it was afterwards. In a transaction that has begun it cannot be changed: that is
//! an error (`isolation.in_transaction`), and nothing is sent.
//!
//! # Let the database do it
//!
//! A change that SQL can say needs neither a read nor a version to compare: `stock = stock - 3` is right
//! whatever stands there. [`apply`](crate::VersionedDsl::apply) writes one row so, under a condition if
//! there is one, and [`update_where`](crate::RelativeDsl::update_where) all rows that meet a condition.
//! Two at once lose nothing, and nobody does anything again. The version moves on in the same
//! statement, so a form that someone had open is in conflict, as it must be.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     products (id) { id -> Integer, price -> Integer, stock -> Integer, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, price: i32, stock: i32, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, price INTEGER NOT NULL,
//! #     stock INTEGER NOT NULL, version INTEGER NOT NULL); INSERT INTO products VALUES (42, 10, 5, 1)")?;
//! use self::products::dsl::{price, stock};
//!
//! let mut form = Product::find(&mut conn, 42)?;
//!
//! // UPDATE … SET stock = stock - 3, version = version + 1 WHERE id = 42 AND stock >= 3 AND …
//! Product::apply(&mut conn, 42, stock.eq(stock - 3))
//!     .filter(stock.ge(3))
//!     .execute()?;
//! assert_eq!(Product::find(&mut conn, 42)?.stock, 2);
//!
//! // There are not so many left: the answer says so, and shows the row.
//! let error = Product::apply(&mut conn, 42, stock.eq(stock - 3))
//!     .filter(stock.ge(3))
//!     .execute()
//!     .unwrap_err();
//! assert_eq!(error.code(), "apply.condition");
//! assert_eq!(error.current().map(|row| row.stock), Some(2));
//!
//! let rows = Product::update_where(price.lt(20)).set(price.eq(price * 2)).execute(&mut conn)?;
//! assert_eq!(rows, 1);
//!
//! form.price = 12;
//! assert!(form.save(&mut conn).unwrap_err().is_conflict());
//! # Ok(())
//! # }
//! ```
//!
//! How the version moves on is the kind's: an integer is counted on, and one at its end is an error; a time
//! becomes now, or a tick more than the row has; a token becomes a new one; what the database makes
//! it makes. Of [groups](derive@crate::Versioned#groups) those move that are touched, for bookkeeping
//! alone none does, and a table without a version has nothing to move. In a statement of Diesel's own put [`bump()`](crate::RelativeDsl::bump) into `set`: without
//! it those who have read the rows would not notice.
//!
//! In a unit, [`UnitOfWork::apply`](crate::UnitOfWork::apply) lets the next commit do it, with the rest of
//! the unit in one transaction: an order and the pieces that it takes from the stock.
//!
//! If the row may not be there yet, [`insert_or_save`](crate::VersionedDsl::insert_or_save) inserts it, or
//! saves it under its guard. Without a version it cannot know the guard, and says so.
//!
//! # A rule over several rows
//!
//! A version guards one row. A rule that says something of several, such as that one of two doctors is
//! always on call, is broken by two people who each change another of them: each has looked at both rows
//! and writes one, and no guard fails. This is *write skew*, and no isolation level below the strictest
//! keeps it away. There are two ways to let the second one know:
//!
//! - Say what was looked at. [`UnitOfWork::expect_unchanged`](crate::UnitOfWork::expect_unchanged) demands
//!   that a row which is only read is still at its version, and locks it until the unit is committed, so
//!   that nobody moves it in between. It is for rules that a reader knows.
//! - Say what belongs together.
//!   [`#[versioned(touches(Order))]`](derive@crate::Versioned#a-parent-that-moves-with-its-children) on
//!   the lines of an order moves the version of the order on with each of them, so whoever has read the
//!   order conflicts. It is for rules of the order, whoever writes.
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     doctors (id) { id -> Integer, on_call -> Bool, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = doctors)]
//! # struct Doctor { id: i32, on_call: bool, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE doctors (id INTEGER PRIMARY KEY, on_call BOOLEAN NOT NULL,
//! #     version INTEGER NOT NULL); INSERT INTO doctors VALUES (1, TRUE, 1), (2, TRUE, 1)")?;
//! /// A doctor leaves if the other one stays.
//! fn leave(
//!     conn: &mut SqliteConnection,
//!     me: i32,
//!     other: i32,
//! ) -> Result<UnitOfWork<SqliteConnection>, diesel::result::Error> {
//!     let mut uow = UnitOfWork::new();
//!     let me: Handle<Doctor> = uow.find(conn, me)?;
//!     let other: Handle<Doctor> = uow.find(conn, other)?;
//!     if uow[other].on_call {
//!         uow[me].on_call = false;
//!         uow.expect_unchanged(other); // without it both of them leave
//!     }
//!     Ok(uow)
//! }
//!
//! let mut anns = leave(&mut conn, 1, 2)?;
//! let mut bobs = leave(&mut conn, 2, 1)?;
//! anns.commit(&mut conn)?;
//! assert!(bobs.commit(&mut conn).unwrap_err().is_conflict());
//! # let on_call = doctors::table.filter(doctors::on_call).count().get_result::<i64>(&mut conn)?;
//! assert_eq!(on_call, 1);
//! # Ok(())
//! # }
//! ```
//!
//! A conflict of a row that was only expected, or of an order of which only lines were written, has no
//! change of mine in it: decide anew from what stands there now.
//!
//! # Deleted, but still there
//!
//! Where rows are [marked as deleted](derive@crate::Versioned#soft-deletion), a conflict of the kind
//! `Deleted` has a [`current`](crate::Conflict::current): the row as it was deleted. Show it, and
//! leave it to the person whether it is to come back:
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     notes (id) {
//! #         id -> Integer, text -> Text, editor -> Text, deleted -> Bool, version -> Integer,
//! #     }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = notes)]
//! # struct Note {
//! #     id: i32,
//! #     text: String,
//! #     editor: String,
//! #     #[versioned(soft_delete)]
//! #     deleted: bool,
//! #     #[version]
//! #     version: i32,
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
//! #     editor TEXT NOT NULL, deleted BOOLEAN NOT NULL, version INTEGER NOT NULL);
//! #     INSERT INTO notes VALUES (1, 'buy tea', 'ann', FALSE, 1)")?;
//! let mut uow = UnitOfWork::new();
//! let note: Handle<Note> = uow.find(&mut conn, 1)?;
//! uow[note].text = "buy green tea".to_owned();
//!
//! // Bob signs the row and deletes it, which is two writes and one transaction.
//! conn.transaction::<_, SaveError<Note>, _>(|conn| {
//!     let mut bobs = Note::find(conn, 1)?;
//!     bobs.editor = "bob".to_owned();
//!     bobs.save(conn)?;
//!     bobs.delete(conn)
//! })?;
//!
//! let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) else {
//!     panic!("nobody would ever see it");
//! };
//! let conflict = conflicts.of::<Note>().next().ok_or("a conflict")?;
//! let deleted = conflict.current().ok_or("it is marked, and there")?;
//! assert_eq!(deleted.editor, "bob");
//! // … Ann has seen that, and wants her note back:
//! let mut again = UnitOfWork::new();
//! let note = again.attach(deleted.clone())?;
//! again.restore(note);
//! again[note].text = conflict.mine().text.clone();
//! again.commit(&mut conn)?;
//! assert_eq!(Note::find(&mut conn, 1)?.text, "buy green tea");
//! # Ok(())
//! # }
//! ```
//!
//! If someone has restored, or purged, the row while she was looking, that is the next conflict.
//!
//! # Overwrite
//!
//! Sometimes mine is right, whatever stands there: the price list of the new month, a count of the
//! stock by hand, a correction by someone who answers for it. Then say so, and who says it:
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_migrations::MigrationHarness;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     products (id) { id -> Integer, price_cents -> BigInt, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, price_cents: i64, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY,
//! #     price_cents BIGINT NOT NULL, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 270, 2)")?;
//! # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
//! # let mut mine = Product { id: 42, price_cents: 299, version: 1 };
//! let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn) else {
//!     panic!("it stands at version 2");
//! };
//! println!("{}", conflict.changes()); // Anna looks at both prices, and decides
//! match conflict.overwrite(&mut conn, Actor::new("anna")?, "price list of May") {
//!     Ok(written) => assert_eq!((written.price_cents, written.version), (299, 3)),
//!     // Someone has written the row while she was looking: she has not seen that.
//!     Err(OverwriteError::Conflict(next)) => println!("{}", next.changes()),
//!     Err(other) => return Err(other.into()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! It takes a conflict, which is to say that somebody could look at what is about to be lost, and it
//! is guarded by the version that they saw. It is not retried by anything here: a loop that
//! overwrites until it succeeds is the last write that wins, which this library is there to prevent.
//! The row and a record of what was lost, by whom and why are written in one transaction, so neither
//! is there without the other. The record is in the table `diesel_versioned_overwrites`
//! ([`OverwriteTable`](crate::OverwriteTable)), which the feature `migrations` makes, or wherever
//! your own [`Audit`](crate::Audit) puts it.
//!
//! Mine is written as a whole, also what only they have changed; that is what the person was shown
//! as mine. If some of theirs is to stay, [merge](#merge). If nobody decides, it is not an
//! overwrite: [do it again](#do-it-again), or give up.
//!
//! In a unit, [`UnitOfWork::overwrite`](crate::UnitOfWork::overwrite) lets the next commit do it,
//! with the rest of the unit and the record in one transaction.
//!
//! # Before it happens
//!
//! A conflict at the end of an hour's work is right and still annoying. With the feature `lease`, an
//! editor says at the beginning that it holds the row, whoever comes next is shown who does and since
//! when, and either waits or takes over; the module `lease` has the whole story.
//!
//! | when | what to do |
//! | --- | --- |
//! | a page that edits is opened | `Lease::acquire(conn, &document, "maria", quarter_of_an_hour)`; keep holder and token in the page |
//! | it is held by someone else | show the error, or `Lease::holder_of`; offer to look only, or to `Lease::steal` it |
//! | every five minutes, in the background | `Lease::resume(…)?.renew(conn, quarter_of_an_hour)` |
//! | the page saves | `lease.save(conn, &mut document)`, `lease.save_changes(conn, &mut document, &loaded)`, or a unit with `uow.under(&lease)` |
//! | the lease was lost: the machine slept, someone has taken over | nothing was written; show who has it now, keep the text, and acquire again when they are done. The version says then whether they have written |
//! | the page is closed | `lease.release(conn)`; if the browser just dies, it runs out |
//!
//! The lease is between those who use it. The version guards everybody, so a job that knows nothing of
//! leases and writes in between makes a conflict, and all of the above begins.
