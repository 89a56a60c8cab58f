//! Conflicts and changes for serde: what a program hands to another one, as JSON for example.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::changes::{ChangedBy, Changes, ColumnChange};
use crate::conflict::{Conflict, ConflictKind};
use crate::conflicts::{AnyConflict, Conflicts};
use crate::entity::Versioned;

/// `"me"`, `"them"`, `"both"` or `"unknown"`.
impl Serialize for ChangedBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `{column, by, base, mine, theirs}`; the values are text, `null` where they are not known.
impl Serialize for ColumnChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut change = serializer.serialize_struct("ColumnChange", 5)?;
        change.serialize_field("column", self.column)?;
        change.serialize_field("by", &self.by)?;
        change.serialize_field("base", &self.base)?;
        change.serialize_field("mine", &self.mine)?;
        change.serialize_field("theirs", &self.theirs)?;
        change.end()
    }
}

/// A list of its columns. It shows values, as the table does.
impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.as_slice())
    }
}

/// `"modified"`, `"deleted"` or `"refused"`.
impl Serialize for ConflictKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `{table, key, kind, code, expected, actual, changes}`; key and versions are text, as in
/// messages, so that conflicts of all types look alike. It shows the values of the columns that
/// differ; for whole entities serialize [`mine`](Conflict::mine) and [`current`](Conflict::current).
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! {
/// #     products (id) { id -> Integer, name -> Text, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, name: String, stock: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     stock INTEGER NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO products VALUES (42, 'Chai', 7, 2)")?;
/// let mut stale = Product { id: 42, name: "Chai".to_owned(), stock: 9, version: 1 };
/// let Err(SaveError::Conflict(conflict)) = stale.save(&mut conn) else {
///     panic!("it stands at version 2");
/// };
/// assert_eq!(
///     serde_json::to_value(&*conflict)?,
///     serde_json::json!({
///         "table": "products",
///         "key": "42",
///         "kind": "modified",
///         "code": "conflict.modified",
///         "expected": "1",
///         "actual": "2",
///         "changes": [
///             { "column": "stock", "by": "unknown", "base": null, "mine": "9", "theirs": "7" },
///         ],
///     })
/// );
/// # Ok(())
/// # }
/// ```
impl<T: Versioned> Serialize for Conflict<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self as &dyn AnyConflict).serialize(serializer)
    }
}

/// As [`Conflict`] is.
impl Serialize for dyn AnyConflict + '_ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, expected, actual) = (self.key(), self.expected(), self.actual());
        let groups = self.groups();
        let fields = ConflictFields {
            table: self.table(),
            key: &key,
            kind: self.kind(),
            expected: &expected,
            actual: actual.as_deref(),
            groups: &groups,
        };
        let mut conflict = serializer.serialize_struct("Conflict", fields.count())?;
        fields.serialize_into(&mut conflict, &self.changes())?;
        conflict.end()
    }
}

/// What is said of every conflict.
pub(crate) struct ConflictFields<'a> {
    pub(crate) table: &'static str,
    pub(crate) key: &'a str,
    pub(crate) kind: ConflictKind,
    pub(crate) expected: &'a str,
    pub(crate) actual: Option<&'a str>,
    /// Told where there are some.
    pub(crate) groups: &'a [&'static str],
}

impl ConflictFields<'_> {
    /// How many members there are, the changes among them.
    pub(crate) fn count(&self) -> usize {
        7 + usize::from(!self.groups.is_empty())
    }

    pub(crate) fn serialize_into<S: SerializeStruct>(
        &self,
        conflict: &mut S,
        changes: &impl Serialize,
    ) -> Result<(), S::Error> {
        conflict.serialize_field("table", self.table)?;
        conflict.serialize_field("key", self.key)?;
        conflict.serialize_field("kind", &self.kind)?;
        conflict.serialize_field("code", self.kind.code())?;
        conflict.serialize_field("expected", self.expected)?;
        conflict.serialize_field("actual", &self.actual)?;
        if !self.groups.is_empty() {
            conflict.serialize_field("groups", self.groups)?;
        }
        conflict.serialize_field("changes", changes)
    }
}

/// A list of all conflicts.
impl Serialize for Conflicts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
