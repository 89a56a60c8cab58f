//! The derive macros, documented here, where their examples run.

/// Makes a struct a versioned entity: one row of a table, with a version that guards its writes.
///
/// Mark the field that holds the version with `#[version]` (where there is none see [no
/// version](#no-version)): an integer, a timestamp or a token over a
/// `NOT NULL` column; [`which_version`](crate::which_version) says which to take. The struct also needs `Clone`, and to be read it needs Diesel's
/// `Queryable` and `Selectable`. Every other field needs `PartialEq`, which tells whether it was
/// changed.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::{ColumnSet, Versioned};
///
/// diesel::table! {
///     products (id) {
///         id -> Integer,
///         name -> Text,
///         price_cents -> BigInt,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product {
///     id: i32,
///     name: String,
///     price_cents: i64,
///     #[version]
///     version: i32,
/// }
///
/// let base = Product { id: 42, name: "plum".to_owned(), price_cents: 120, version: 7 };
/// let mut mine = base.clone();
/// mine.price_cents = 99;
/// assert_eq!((mine.key(), mine.version()), (42, 7));
/// assert_eq!(mine.changed(&base), ColumnSet::EMPTY.with(2));
/// ```
///
/// # Attributes of this derive
///
/// | attribute | where | meaning |
/// | --- | --- | --- |
/// | `#[version]` | a field | the field holds the version |
/// | `#[version(initial = 100)]` | a field | a new row has this version instead of 1; an expression, which is asked for each row that is inserted |
/// | `#[version(precision = "millis")]` | a field | the timestamp is cut to `"seconds"`, `"millis"` or `"micros"`, which is what it is without; that of the column, or coarser |
/// | `#[version(uuid = "v4")]` | a field | the UUID is random throughout; without it a `"v7"`, which begins with the time |
/// | `#[version(wrap)]` | a field | the integer starts again at the initial version after its greatest one, where a write is [`VersionExhausted`](crate::SaveError::VersionExhausted) without it |
/// | `#[version(db)]` | a field | [the database makes the version](#a-version-that-the-database-makes) |
/// | `#[version(group = "content")]` | a field | holds the version of [a group of columns](#groups) |
/// | `#[versioned(group = "content")]` | a field | is in that [group](#groups) |
/// | `#[versioned(unguarded)]` | a field | is [bookkeeping](#bookkeeping): written without check and without a new version |
/// | `#[versioned(read_only)]` | a field | is [never written](#columns-that-are-not-written) |
/// | `#[versioned(insert_only)]` | a field | is written by an insert, [never by an update](#columns-that-are-not-written) |
/// | `#[versioned(generated)]` | a field | is [made by the database with every write](#generated-columns) and read back |
/// | `#[versioned(check = "changed")]` | the struct | there is [no version](#no-version): the columns that are written are compared with what was loaded; with `"all"` all columns, and with `"hash"` (the feature `hash`) all, of which clients hold a hash |
/// | `#[versioned(unchecked)]` | a field | is left out of that comparison |
/// | `#[versioned(soft_delete)]` | a field | [marks the row as deleted](#soft-deletion), which stays |
/// | `#[versioned(soft_delete(precision = "millis"))]` | a field | the mark is a time, cut as a version's is |
/// | `#[versioned(crate = "path")]` | the struct | where the library is, if not at `::diesel_versioned` |
/// | `#[versioned(touches(Order))]` | the struct | its writes [move the version of its parent on](#a-parent-that-moves-with-its-children) |
/// | `#[versioned(merge(independent(a, b)))]` | the struct | these columns do not depend on each other: [merging](#merging) |
///
/// # Attributes of Diesel
///
/// They mean what they mean to Diesel's derives. All others are skipped.
///
/// | attribute | where | meaning |
/// | --- | --- | --- |
/// | `table_name = path` | the struct | the table; without it the struct's name in snake case and an `s` |
/// | `primary_key(a, b)` | the struct | the columns of the key, in the order of [`find`]'s tuple; without it `id` |
/// | `belongs_to(Parent)`, `belongs_to(Parent, foreign_key = column)` | the struct | rows of `Parent` are inserted before and deleted after those of this entity |
/// | `check_for_backend(DB)` | the struct | a field that the backend cannot store is an error at the field |
/// | `column_name = name` | a field | the column, if it is named otherwise; needed in tuple structs |
/// | `embed` | a field | the columns of a part, which derives [`VersionedPart`] |
/// | `serialize_as = Type` | a field | is converted before it is written; a key has this type |
/// | `skip_insertion` | a field | is left to the database by an insert and read back after it |
/// | `skip_update` | a field | is never updated |
/// | `select_expression = …` | a field | is computed by the query and never written |
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::version::Moment;
/// use diesel_versioned::{Role, Versioned};
///
/// diesel::table! {
///     lines (order_id, number) {
///         order_id -> Integer,
///         number -> Integer,
///         amount -> Integer,
///         created_at -> Text,
///         revision -> BigInt,
///     }
/// }
///
/// #[derive(Clone, Versioned)]
/// #[diesel(table_name = lines, primary_key(order_id, number))]
/// struct Line {
///     order_id: i32,
///     number: i32,
///     amount: i32,
///     #[diesel(skip_insertion, skip_update)]
///     created_at: String,
///     #[version(initial = 0)]
///     #[diesel(column_name = revision)]
///     version: i64,
/// }
///
/// let line = Line { order_id: 7, number: 1, amount: 5, created_at: String::new(), version: 0 };
/// assert_eq!(line.key(), (7, 1));
/// assert_eq!(Line::column(3).role, Role::Data { insert: false, update: false });
/// assert_eq!(Line::column(4).name, "revision");
/// assert_eq!(Line::initial_version(&Moment::new())?, 0);
/// # Ok::<(), diesel_versioned::version::NoVersion>(())
/// ```
///
/// # A key that the database makes
///
/// `skip_insertion` on the key: an insert leaves it out and reads it back.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     orders (id) { id -> Integer, customer -> Text, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = orders)]
/// struct Order {
///     #[diesel(skip_insertion)]
///     id: i32,
///     customer: String,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT,
/// #     customer TEXT NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO orders VALUES (7, 'Bob', 1)")?;
/// let mut order = Order { id: 0, customer: "Ada".to_owned(), version: 0 };
/// order.insert(&mut conn)?;
/// assert_eq!((order.id, order.version), (8, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Groups
///
/// Different people may edit different parts of a row: one its text, another who may see it. With one
/// version they collide although neither undoes the other's work. Let each part have a version of its
/// own: `#[version(group = "…")]` on the versions, `#[versioned(group = "…")]` on the columns, an
/// embedded part as a whole.
///
/// - A write checks and moves the versions of the groups that it touches, and no others; one that touches
///   several does so in one statement.
/// - A unit of work and [`save_changes`](crate::VersionedDsl::save_changes) touch the groups whose columns
///   changed, [`apply`](crate::VersionedDsl::apply) and
///   [`update_where`](crate::RelativeDsl::update_where) those whose columns are set. Whatever saves a whole
///   row, a `touch`, a [`bump`](crate::RelativeDsl::bump) and a deletion touch all.
///   [`expect_unchanged`](crate::UnitOfWork::expect_unchanged) checks all and moves those that changed.
/// - [`Versioned::Version`](crate::Versioned::Version) is a tuple of the versions, in the order of the
///   fields. A conflict names the [`groups`](crate::Conflict::groups) that someone else has written.
/// - Each version has its own type and options, but for `db`: the database does not know of groups.
/// - A column that is written is in one group. Two columns that depend on each other must be in the same:
///   nobody notices when they are changed by two people otherwise.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     documents (id) {
///         id -> Integer,
///         title -> Text,
///         body -> Text,
///         readers -> Text,
///         content_version -> Integer,
///         access_version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Document {
///     id: i32,
///     #[versioned(group = "content")]
///     title: String,
///     #[versioned(group = "content")]
///     body: String,
///     #[versioned(group = "access")]
///     readers: String,
///     #[version(group = "content")]
///     content_version: i32,
///     #[version(group = "access")]
///     access_version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
/// #     body TEXT NOT NULL, readers TEXT NOT NULL, content_version INTEGER NOT NULL,
/// #     access_version INTEGER NOT NULL); INSERT INTO documents VALUES (1, 'Tea', '', 'all', 1, 1)")?;
/// let loaded = Document::find(&mut conn, 1)?;
/// let (mut author, mut owner, mut late) = (loaded.clone(), loaded.clone(), loaded.clone());
/// author.body = "Leaves.".to_owned();
/// author.save_changes(&mut conn, &loaded)?;
/// owner.readers = "staff".to_owned();
/// owner.save_changes(&mut conn, &loaded)?; // no conflict
/// assert_eq!((owner.content_version, owner.access_version), (1, 2));
///
/// late.title = "On tea".to_owned();
/// let Err(SaveError::Conflict(conflict)) = late.save_changes(&mut conn, &loaded) else {
///     panic!("the content was written");
/// };
/// assert_eq!(conflict.groups(), ["content"]);
/// assert_eq!((conflict.expected(), conflict.actual()), (&(1, 1), Some(&(2, 2))));
/// # Ok(())
/// # }
/// ```
///
/// # No version
///
/// A table that has no version column, and may not be given one, is guarded by what was loaded:
///
/// | `check` | a write compares | who is in conflict |
/// | --- | --- | --- |
/// | `"changed"` | the columns that it writes | who changed the same column; a deletion compares all |
/// | `"all"` | all columns | who changed any column |
/// | `"hash"` | all columns | the same; and the entity has a `content_hash` (the module `hash`) for clients that can hold only a token |
///
/// Writers who know nothing of this library are noticed by all three, which no version column can
/// promise. It is exact: NULL is equal to NULL, and text to no other text, whatever the collation (on
/// a `MultiConnection` enum if [`Dialect::syntax`](crate::Dialect::syntax) is handed on).
///
/// - **What was loaded must be known.** A unit of work knows it of what it has found or attached, and
///   [`save_changes`](crate::VersionedDsl::save_changes) is given it; a deletion takes this copy for it. A
///   `save`, `save_all`, `touch` or [`UnitOfWork::save`](crate::UnitOfWork::save) is
///   [`NoColumn`](crate::version::NoVersion::NoColumn), and nothing is sent; so is an
///   [`insert_or_save`](crate::VersionedDsl::insert_or_save) of a row that is there.
///   [`lock_loaded`](crate::LockDsl::lock_loaded) takes this copy for what was loaded, too; under a lease
///   it is `lease.save_changes(…)`.
/// - **The key must be unique**, by a primary key or a unique index, which an old table may lack: in a
///   batch a key that two rows have can make up for a row that is stale.
///   [`check_schema`](crate::VersionedDsl::check_schema) reports it.
/// - **A change and its way back** between two reads is not noticed: what stands there is what was loaded.
/// - **`"changed"` guards columns, not rows.** Two people who change different columns both succeed. Where
///   columns depend on each other take `"all"`.
/// - **A column must come back as it was written.** `REAL` and JSON need not, and are an error unless
///   `unchecked`: such a column is written and not guarded. `DOUBLE` is compared to the last bit, but for
///   the sign of zero. A value that the database rounds, cuts or pads (a time finer than its column, a
///   `CHAR(n)`) is another one afterwards: the next write of this copy is then a conflict with itself,
///   never a lost update.
/// - **A value must be stored as Diesel writes it.** SQLite takes any value into any column, and Diesel
///   reads what it does not write: a time with a `T` in it, a truth that is 2, bytes in a text. Such a row is
///   never equal to what was loaded of it, and each write of it is
///   [`Refused`](crate::ConflictKind::Refused). The same goes for a version that is a time. Bring old rows
///   into Diesel's form by one `UPDATE`.
/// - `unguarded` columns are not compared; those that the database makes or that are only read are.
/// - [`Version`](crate::Versioned::Version) is [`ByContent`](crate::version::ByContent), which tells
///   nothing; [`Conflict::changes`](crate::Conflict::changes) says what was changed.
///
/// The statements are longer than with a version, and so is the work of the database:
/// [`which_version`](crate::which_version) has the cost.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     contacts (id) { id -> Integer, name -> Text, phone -> Nullable<Text>, photo -> Nullable<Binary> }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[versioned(check = "all")]
/// struct Contact {
///     id: i32,
///     name: String,
///     phone: Option<String>,
///     #[versioned(unchecked)]
///     photo: Option<Vec<u8>>,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE contacts (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     phone TEXT, photo BLOB); INSERT INTO contacts VALUES (1, 'Ada', NULL, NULL)")?;
/// let mut uow = UnitOfWork::new();
/// let ada: Handle<Contact> = uow.find(&mut conn, 1)?;
/// uow[ada].name = "Ada L.".to_owned();
///
/// conn.batch_execute("UPDATE contacts SET phone = '1815'")?; // someone who knows of no guard
///
/// let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) else {
///     panic!("the contact was written");
/// };
/// let conflict = conflicts.of::<Contact>().next().unwrap();
/// assert_eq!(conflict.changes().theirs().collect::<Vec<_>>(), ["phone"]);
/// # Ok(())
/// # }
/// ```
///
/// # Bookkeeping
///
/// `unguarded`: a column in which nobody's decision stands, such as when a row was last seen. A change
/// of only such columns is written by the key alone, whatever version the row is at, and the version
/// stays: nobody is in conflict because of it. The last one who writes wins.
///
/// - A tracked entity of a unit writes those that changed: alone without a guard, together with
///   others under it. If the row is gone, that is a [`Conflict`](crate::Conflict) of the kind `Deleted`:
///   a row cannot be noted as seen that is not there, and the program believes that it is.
/// - Whatever saves a whole row (`save`, `save_all`, [`UnitOfWork::save`](crate::UnitOfWork::save))
///   leaves them out: what the copy holds may be older than what stands there.
///   [`save_unguarded`](crate::VersionedDsl::save_unguarded) writes them, and an insert.
/// - An [`apply`](crate::VersionedDsl::apply) and an [`update_where`](crate::RelativeDsl::update_where) that
///   set only such columns leave the version alone: `pings.eq(pings + 1)` counts what nobody has read.
/// - With [`touch`](crate::UnitOfWork::touch) they are written under the guard; with
///   [`expect_unchanged`](crate::UnitOfWork::expect_unchanged) the version is checked and stays; of a row
///   that is deleted they are not written.
/// - In a conflict they are mine if I changed them, otherwise theirs; no rule is asked.
///
/// On a field with `embed` it is said of all columns of the part. It goes with `skip_insertion`.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     machines (id) { id -> Integer, speed -> Integer, last_seen -> BigInt, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = machines)]
/// struct Machine {
///     id: i32,
///     speed: i32,
///     #[versioned(unguarded)]
///     last_seen: i64,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE machines (id INTEGER PRIMARY KEY, speed INTEGER NOT NULL,
/// #     last_seen BIGINT NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO machines VALUES (1, 10, 1000, 7)")?;
/// let mut mine = Machine::find(&mut conn, 1)?;
///
/// let mut uow = UnitOfWork::new();
/// let seen: Handle<Machine> = uow.find(&mut conn, 1)?;
/// uow[seen].last_seen = 2000;
/// uow.commit(&mut conn)?; // UPDATE … SET last_seen = 2000 WHERE id = 1
/// assert_eq!(uow[seen].version, 7);
///
/// mine.speed = 20;
/// mine.save(&mut conn)?; // no conflict, and no `last_seen`
/// assert_eq!((mine.last_seen, mine.version), (1000, 8));
/// assert_eq!(Machine::find(&mut conn, 1)?.last_seen, 2000);
///
/// mine.last_seen = 3000;
/// mine.save_unguarded(&mut conn)?;
/// assert_eq!(Machine::find(&mut conn, 1)?.last_seen, 3000);
/// # Ok(())
/// # }
/// ```
///
/// # Columns that are not written
///
/// `read_only` is for a column that the database or another program keeps: neither an insert nor an
/// update writes it, and it is read back after an insert. `insert_only` is for one that never changes
/// once the row is there. They do what Diesel's `skip_insertion` and `skip_update` do together, and
/// `skip_update` alone, where no Diesel derive is to be told as well.
///
/// A change of such a field is not written, needs no new version and is no work that a merge could
/// lose.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     articles (id) {
///         id -> Integer, title -> Text, author -> Text, rating -> Integer, version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = articles)]
/// struct Article {
///     id: i32,
///     title: String,
///     #[versioned(insert_only)]
///     author: String,
///     #[versioned(read_only)]
///     rating: i32,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
/// #     author TEXT NOT NULL, rating INTEGER NOT NULL DEFAULT 3, version INTEGER NOT NULL)")?;
/// let mut tea = Article {
///     id: 1, title: "Tea".into(), author: "Ada".into(), rating: 0, version: 0,
/// };
/// tea.insert(&mut conn)?;
/// assert_eq!(tea.rating, 3);
/// (tea.title, tea.author, tea.rating) = ("On tea".into(), "Bob".into(), 5);
/// tea.save(&mut conn)?;
/// let stored = Article::find(&mut conn, 1)?;
/// assert_eq!((&*stored.title, &*stored.author, stored.rating), ("On tea", "Ada", 3));
/// # Ok(())
/// # }
/// ```
///
/// # Generated columns
///
/// `generated` is for a column that the database makes anew with every write, by
/// `GENERATED ALWAYS AS (…)` or by a trigger. It is never written, and read back after an insert and
/// after each update, by the key of the row. Nothing else is taken from that row: what others wrote
/// meanwhile into columns of mine must be seen by me before I write over it, and `unguarded` ones are
/// theirs.
///
/// | | PostgreSQL | SQLite | MySQL, MariaDB |
/// | --- | --- | --- | --- |
/// | read back | `UPDATE … RETURNING` | a read in the same transaction | a read in the same transaction |
/// | a trigger that is seen | `BEFORE` | any | `BEFORE`, the only kind that can change the row |
///
/// What an `AFTER` trigger on PostgreSQL does to the same row is not seen; let it be a `BEFORE`
/// trigger.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     lines (id) {
///         id -> Integer, price -> Integer, quantity -> Integer, total -> Integer,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Line {
///     id: i32,
///     price: i32,
///     quantity: i32,
///     #[versioned(generated)]
///     total: i32,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE lines (id INTEGER PRIMARY KEY, price INTEGER NOT NULL,
/// #     quantity INTEGER NOT NULL, total INTEGER GENERATED ALWAYS AS (price * quantity) STORED,
/// #     version INTEGER NOT NULL); INSERT INTO lines VALUES (1, 30, 2, 1)")?;
/// let mut line = Line::find(&mut conn, 1)?;
/// line.quantity = 3;
/// line.save(&mut conn)?;
/// assert_eq!((line.total, line.version), (90, 2));
/// # Ok(())
/// # }
/// ```
///
/// # Soft deletion
///
/// `soft_delete`, on a `bool` or on an `Option` of a timestamp (`chrono`, `time`, `SystemTime`): a row
/// that is deleted is marked, at a new version, and stays. The mark is `TRUE`, or the time of the
/// commit, cut as [the times of versions](crate::which_version#timestamps) are; a row that is not
/// deleted has `FALSE`, or NULL.
///
/// | call | a row that is not deleted | one that is |
/// | --- | --- | --- |
/// | [`find`], [`reload`](crate::VersionedDsl::reload), [`update_with`](crate::VersionedDsl::update_with) | is found | `NotFound` |
/// | [`find_deleted`](crate::VersionedDsl::find_deleted) | `NotFound` | is found |
/// | [`save`](crate::VersionedDsl::save), [`touch`](crate::VersionedDsl::touch), [`save_unguarded`](crate::VersionedDsl::save_unguarded) | writes it | `Conflict` of the kind `Deleted` |
/// | [`delete`](crate::VersionedDsl::delete) | marks it | `Conflict` of the kind `Deleted` |
/// | [`restore`](crate::VersionedDsl::restore) | moves its version on | takes the mark from it |
/// | [`purge`](crate::VersionedDsl::purge) | `DELETE` | `DELETE` |
/// | [`insert_or_save`](crate::VersionedDsl::insert_or_save), [`lock_loaded`](crate::LockDsl::lock_loaded) | saves it; locks it | `Conflict` of the kind `Deleted` |
/// | [`lock`](crate::LockDsl::lock) | locks it | [`NotFound`](crate::LockError::NotFound) |
/// | [`apply`](crate::VersionedDsl::apply) | writes it | [`Gone`](crate::ApplyError::Gone) |
/// | [`update_where`](crate::RelativeDsl::update_where) | writes it if it meets the condition | is left out |
///
/// A `set` of Diesel's own with [`bump`](crate::RelativeDsl::bump) sees all rows.
///
/// All writes are guarded by the version, and those that say `Deleted` by the mark too: also a copy
/// that is fresh, got by `find_deleted`, is only written once it is restored. The conflict's
/// [`current`](crate::Conflict::current) is the row as it stands, so a person can see when it was
/// deleted, and by whom if a column says so. Units have the same commands, in the same batches and
/// locks as updates.
///
/// Only these commands write the mark. `save` does not, whatever a form has put into the field, and an
/// insert writes a row that is not deleted. In a merge the mark is theirs.
///
/// A row that is marked still has its key: one with the same key cannot be inserted. In a unit that
/// deletes it that is [`AlreadyTracked`](crate::TrackError::AlreadyTracked), and otherwise the
/// database's unique constraint; [`restore`](crate::UnitOfWork::restore) the row, or
/// [`purge`](crate::UnitOfWork::purge) it. For other columns that are unique among what is not deleted,
/// have a partial index. Rows that refer to it are not looked at: nothing is deleted that a foreign key
/// sees. Your own queries see all rows; filter by the mark.
///
/// ```
/// use diesel::prelude::*;
/// use diesel::result::Error::NotFound;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     notes (id) {
///         id -> Integer, text -> Text, deleted_at -> Nullable<Timestamp>, version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
/// struct Note {
///     id: i32,
///     text: String,
///     #[versioned(soft_delete)]
///     deleted_at: Option<chrono::NaiveDateTime>,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
/// #     deleted_at TIMESTAMP, version INTEGER NOT NULL);
/// #     INSERT INTO notes VALUES (1, 'buy tea', NULL, 1)")?;
/// let mut mine = Note::find(&mut conn, 1)?;
///
/// let mut theirs = mine.clone(); // someone else
/// theirs.delete(&mut conn)?; // UPDATE … WHERE id = 1 AND version = 1 AND deleted_at IS NULL
/// assert!(theirs.deleted_at.is_some() && theirs.version == 2);
/// assert_eq!(Note::find(&mut conn, 1), Err(NotFound));
///
/// mine.text = "buy green tea".to_owned();
/// let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn) else {
///     panic!("nobody would ever see it");
/// };
/// assert_eq!(conflict.kind(), ConflictKind::Deleted);
/// assert_eq!(conflict.current(), Some(&theirs));
///
/// let mut note = Note::find_deleted(&mut conn, 1)?;
/// note.restore(&mut conn)?;
/// assert_eq!((note.deleted_at, note.version), (None, 3));
/// note.purge(&mut conn)?;
/// assert_eq!(Note::find_deleted(&mut conn, 1), Err(NotFound));
/// # Ok(())
/// # }
/// ```
///
/// # A version that the database makes
///
/// `#[version(db)]`: a trigger, a generated column or `ON UPDATE CURRENT_TIMESTAMP(6)` moves the
/// version, also when a program writes that does not know of this library. No statement writes it; the
/// guard compares it as ever, and the new one is read back as a generated column is.
///
/// If it is the same after a write as before, it has guarded nothing. That is an error
/// ([`NoVersion::NotMoved`](crate::version::NoVersion::NotMoved)), and the write is taken back; so a
/// single write is a transaction of its own. The usual reasons:
///
/// - There is no trigger, or not for this column.
/// - The clock is too coarse: `CURRENT_TIMESTAMP` without `(6)`, or on PostgreSQL `now()`, which stands
///   still during a transaction; take `clock_timestamp()`.
/// - On MySQL and MariaDB `ON UPDATE CURRENT_TIMESTAMP` does nothing for a write that changes no value. A
///   [`touch`](crate::VersionedDsl::touch) is one, so it cannot be had there; nor can a `save` of what
///   stands there already. A trigger moves the version even so.
///
/// `unguarded` columns do not go with it: their writes would move the version.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! { products (id) { id -> Integer, name -> Text, version -> Integer } }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product {
///     id: i32,
///     name: String,
///     #[version(db)]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use diesel::connection::SimpleConnection;
///
/// let mut conn = SqliteConnection::establish(":memory:")?;
/// conn.batch_execute(
///     "CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
///          version INTEGER NOT NULL DEFAULT 1);
///      CREATE TRIGGER moves AFTER UPDATE ON products BEGIN
///          UPDATE products SET version = OLD.version + 1 WHERE id = NEW.id;
///      END;
///      INSERT INTO products (id, name) VALUES (1, 'Chai')",
/// )?;
/// let mut mine = Product::find(&mut conn, 1)?;
/// conn.batch_execute("UPDATE products SET name = 'Tea'")?; // by another program
/// assert!(mine.save(&mut conn).unwrap_err().is_conflict());
/// mine.reload(&mut conn)?;
/// mine.save(&mut conn)?;
/// assert_eq!(mine.version, 3);
/// # Ok(())
/// # }
/// ```
///
/// PostgreSQL has such a version in every table, without a change of the schema: `xmin`, by the type
/// `pg::Xid` of this crate.
///
/// # A parent and its children
///
/// `belongs_to`: whatever the order in which a [`UnitOfWork`](crate::UnitOfWork) is given its
/// rows, parents are inserted first and deleted last. It takes entities that derive `Versioned`;
/// the foreign key itself is a column like any other.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! { orders (id) { id -> Integer, version -> Integer } }
/// diesel::table! { lines (id) { id -> Integer, order_id -> Integer, version -> Integer } }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Order { id: i32, #[version] version: i32 }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(belongs_to(Order))]
/// struct Line { id: i32, order_id: i32, #[version] version: i32 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("PRAGMA foreign_keys = ON;
/// #     CREATE TABLE orders (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
/// #     CREATE TABLE lines (id INTEGER PRIMARY KEY,
/// #         order_id INTEGER NOT NULL REFERENCES orders (id), version INTEGER NOT NULL)")?;
/// let mut uow = UnitOfWork::new();
/// let line = uow.insert(Line { id: 1, order_id: 7, version: 0 })?;
/// let order = uow.insert(Order { id: 7, version: 0 })?;
/// assert_eq!(uow.commit(&mut conn)?.len(), 2); // the order, then its line
///
/// uow.delete(order);
/// uow.delete(line);
/// assert_eq!(uow.commit(&mut conn)?.len(), 2); // the line, then the order
/// # Ok(())
/// # }
/// ```
///
/// # A parent that moves with its children
///
/// `touches(Order)`, on a child that `belongs_to` it: an order and its lines are one thing, so two people
/// who edit different lines of one order must not both succeed unseen. A unit that writes, inserts,
/// deletes, restores or purges lines moves the version of their order on, guarded by the version that the
/// unit knows: whoever had read the order conflicts on it.
///
/// - By one for each unit, whether ten lines are written, or the order itself as well.
/// - A line that goes from one order to another touches both. One without an order (the foreign key is
///   an `Option`, and `None`) touches none.
/// - An order that is touched and touches something itself does so then.
/// - An order that the same unit inserts stays at its initial version, and one that it deletes is guarded
///   by that.
/// - The order needs a version: one with `check = …` cannot be touched. Of [groups](#groups) all versions
///   move.
/// - [Bookkeeping](#bookkeeping) of a line and [`expect_unchanged`](crate::UnitOfWork::expect_unchanged)
///   touch nothing.
///
/// **The unit must have the order**, by [`find`](crate::UnitOfWork::find) or
/// [`attach`](crate::UnitOfWork::attach). A version that nobody has read guards nothing, so without it
/// the commit fails with [`CommitError::Invalid`](crate::CommitError::Invalid), which names the order to
/// load, and nothing is sent. The same of an entity given to [`UnitOfWork::save`](crate::UnitOfWork::save)
/// or [`save_all`](crate::VersionedDsl::save_all): which order it had when it was loaded is not known; take the
/// loaded one in and change that. A row of [`insert_with`](crate::UnitOfWork::insert_with) touches the row
/// that it is made from; if it turns out to belong to another one that is not written, the unit fails and
/// is rolled back.
///
/// A lone `save`, `save_changes`, `insert`, `insert_or_save`, `delete`, `touch`, `restore` or `purge` of a line
/// is an error before anything is sent: [`SaveError::Database`](crate::SaveError::Database), with the reason
/// as its source. So is an `apply`, in a unit too, an `update_where` and a [`bump`](crate::RelativeDsl::bump)
/// in a `set` of Diesel's own; `update_with` and a write by `lease.save(…)` are `CommitError::Invalid`: none of
/// them has read the order. [`save_unguarded`](crate::VersionedDsl::save_unguarded) goes.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! { orders (id) { id -> Integer, version -> Integer } }
/// diesel::table! {
///     lines (id) { id -> Integer, order_id -> Integer, quantity -> Integer, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Order { id: i32, #[version] version: i32 }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(belongs_to(Order))]
/// #[versioned(touches(Order))]
/// struct Line { id: i32, order_id: i32, quantity: i32, #[version] version: i32 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
/// #     CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL,
/// #         quantity INTEGER NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO orders VALUES (7, 1); INSERT INTO lines VALUES (1, 7, 3, 1), (2, 7, 5, 1)")?;
/// let mut anns = UnitOfWork::new();
/// let order: Handle<Order> = anns.find(&mut conn, 7)?;
/// let line: Handle<Line> = anns.find(&mut conn, 1)?;
/// anns[line].quantity = 4;
///
/// let mut bobs = UnitOfWork::new();
/// let line: Handle<Line> = bobs.find(&mut conn, 2)?;
/// bobs[line].quantity = 4;
/// let error = bobs.commit(&mut conn).unwrap_err();
/// assert!(error.to_string().starts_with("`orders` 7 cannot be written"));
/// bobs.find::<Order>(&mut conn, 7)?;
///
/// anns.commit(&mut conn)?;
/// assert_eq!(anns[order].version, 2);
/// let Err(CommitError::Conflicts(conflicts)) = bobs.commit(&mut conn) else {
///     panic!("nine pieces, which nobody has seen");
/// };
/// let conflict = conflicts.of::<Order>().next().ok_or("a conflict")?;
/// assert_eq!((conflicts.len(), *conflict.key()), (1, 7));
/// # Ok(())
/// # }
/// ```
///
/// # Merging
///
/// `merge(independent(…))` names columns, and the fields of embedded parts, whose values are right
/// whatever those of the others are, and derives [`Merge`](crate::Merge):
///
/// - If only one side changed anything, that side's state is taken. What both changed to equal values
///   counts as changed by neither.
/// - If I changed some of the named columns and they changed others of them, both changes are taken.
/// - If both changed one column to different values, or one side changed a column that is not named
///   while the other changed any, that is [`Unmergeable`](crate::Unmergeable), with the columns: a
///   column that is not named may depend on every other one. An embedded part is one value.
///
/// Columns that an update does not write (`skip_update` and the like) are theirs and stand in nobody's
/// way. [Bookkeeping](#bookkeeping) is mine where I changed it.
///
/// ```
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     events (id) {
///         id -> Integer,
///         title -> Text,
///         room -> Text,
///         starts_at -> Integer,
///         ends_at -> Integer,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, PartialEq, Versioned)]
/// #[versioned(merge(independent(title, room)))]
/// struct Event {
///     id: i32,
///     title: String,
///     room: String,
///     starts_at: i32,
///     ends_at: i32,
///     #[version]
///     version: i32,
/// }
///
/// let base = Event {
///     id: 1, title: "Talk".into(), room: "A".into(), starts_at: 9, ends_at: 10, version: 1,
/// };
/// let renamed = Event { title: "Keynote".into(), ..base.clone() };
/// let moved = Event { room: "B".into(), version: 2, ..base.clone() };
/// let merged = Event::merge(&base, &renamed, moved)?;
/// assert_eq!((&*merged.title, &*merged.room), ("Keynote", "B"));
///
/// // An event that starts at 11 and ends at 10 is nobody's wish.
/// let longer = Event { starts_at: 8, version: 2, ..base.clone() };
/// let later = Event { starts_at: 11, ends_at: 12, ..base.clone() };
/// let error = Event::merge(&base, &later, longer.clone()).unwrap_err();
/// assert_eq!(error.columns(), ["starts_at", "ends_at"]);
/// // Whether the room is free then is not known either.
/// let moved = Event { room: "B".into(), ..base.clone() };
/// assert_eq!(Event::merge(&base, &moved, longer).unwrap_err().columns(), ["starts_at"]);
/// # Ok::<(), Unmergeable>(())
/// ```
///
/// # Generic entities
///
/// A generic struct is an entity for every type that its column can hold. What the values must do
/// is asked for where they are used, and not on the struct.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! { settings (name) { name -> Text, value -> Text, version -> Integer } }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(primary_key(name))]
/// struct Setting<V> {
///     name: String,
///     value: V,
///     #[version]
///     version: i32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO settings VALUES ('colour', 'red', 1)")?;
/// let mut setting = Setting::<String>::find(&mut conn, "colour")?;
/// setting.value = "green".to_owned();
/// setting.save(&mut conn)?;
/// assert_eq!(setting.version, 2);
/// # Ok(())
/// # }
/// ```
///
/// # When the compiler complains
///
/// - *`X` is a versioned entity and must be `Clone`*: add `Clone` to its derives; the state as it
///   was loaded is kept beside the changed one.
/// - *can't compare `X` with `X`*, at a field: add `PartialEq` to the derives of the field's type.
/// - *`X` doesn't implement `Debug`*, at a field: Diesel's `ToSql` asks for it.
/// - *the trait bound `X: ToSql<…>` is not satisfied*: the type of a field does not fit the SQL
///   type of its column. With `#[diesel(check_for_backend(…))]` it is reported at the field.
///
/// [`find`]: crate::VersionedDsl::find
pub use diesel_versioned_derive::Versioned;

/// Makes a struct a part of a versioned entity, which has it in a field with `#[diesel(embed)]`.
///
/// It takes the attributes of fields of [`Versioned`](derive@Versioned), but for a version, a group and
/// `soft_delete`, which are said in the entity. A part has no key. Of an entity with `check = "hash"` the part
/// says `#[versioned(check = "hash")]` too, unless its field is `unchecked`. The columns of a part follow the
/// entity's own.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::{Versioned, VersionedPart};
///
/// diesel::table! {
///     parcels (id) {
///         id -> Integer,
///         width -> Integer,
///         height -> Integer,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Clone, Queryable, Selectable, VersionedPart)]
/// #[diesel(table_name = parcels)]
/// struct Size {
///     width: i32,
///     height: i32,
/// }
///
/// #[derive(Clone, Queryable, Selectable, Versioned)]
/// struct Parcel {
///     id: i32,
///     #[diesel(embed)]
///     size: Size,
///     #[version]
///     version: i32,
/// }
///
/// let base = Parcel { id: 1, size: Size { width: 30, height: 20 }, version: 1 };
/// let mut mine = base.clone();
/// mine.size.height = 25;
/// let changed = mine.changed(&base).iter().map(|index| Parcel::column(index).name);
/// assert_eq!(changed.collect::<Vec<_>>(), ["height"]);
/// ```
pub use diesel_versioned_derive::VersionedPart;

/// Makes a type around a version one like it: it begins, moves on, is shown and checked as the one inside, and
/// takes the options of `#[version]` that it takes.
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{CountingVersion, Moment, NoVersion};
///
/// #[derive(Debug, Clone, PartialEq, VersionValue)]
/// struct Revision(i32);
///
/// let first = Revision::initial(&Moment::new())?;
/// assert_eq!((&first, first.next(&Moment::new())?), (&Revision(1), Revision(2)));
///
/// fn may_wrap<V: CountingVersion>(_: V) {}
/// may_wrap(first);
/// # Ok::<_, NoVersion>(())
/// ```
///
/// A struct with one field, which owns its version; it must be `Debug`, `Clone` and `PartialEq`. What Diesel
/// needs of a type is [Diesel's matter](crate::VersionValue#a-type-of-your-own). It implements
/// [`VersionNewtype`](crate::version::VersionNewtype).
pub use diesel_versioned_derive::VersionValue;
