//! Who changed which column, from what to what.

mod table;

use std::fmt;

use crate::columns::ColumnSet;
use crate::entity::Versioned;

/// Who changed a column since the base was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangedBy {
    /// Only I changed it.
    Me,
    /// Only someone else changed it.
    Them,
    /// Both changed it.
    Both,
    /// It differs, and without a base it cannot be told who changed it.
    Unknown,
}

impl ChangedBy {
    const fn name(self) -> &'static str {
        match self {
            Self::Me => "me",
            Self::Them => "them",
            Self::Both => "both",
            Self::Unknown => "unknown",
        }
    }
}

/// `me`, `them`, `both` or `unknown`.
impl fmt::Display for ChangedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One column of [`Changes`], with its three values as text: what `{:?}` makes of the fields. The
/// text is `…` where the type of a field has no `Debug`.
///
/// `{:?}` of a change leaves the values out, for they may be secrets.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ColumnChange {
    /// The name of the column.
    pub column: &'static str,
    /// Who changed it.
    pub by: ChangedBy,
    /// The value as it was loaded; `None` where that is not known.
    pub base: Option<String>,
    /// The value as I wanted to write it.
    pub mine: String,
    /// The value as the database has it now; `None` if the row is gone.
    pub theirs: Option<String>,
}

impl fmt::Debug for ColumnChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnChange")
            .field("column", &self.column)
            .field("by", &self.by)
            .finish_non_exhaustive()
    }
}

/// The columns that differ in a conflict, in the order of the entity's fields.
///
/// One that is [unguarded](derive@crate::Versioned#bookkeeping) is mine if I changed it and theirs
/// otherwise, never both; one that no update writes is never mine.
///
/// As text it is a table. It shows values: `{}` of the [`Conflict`](crate::Conflict) does not.
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
/// #     INSERT INTO products VALUES (42, 'Chai', 7, 1)")?;
/// let mut uow = UnitOfWork::new();
/// let chai: Handle<Product> = uow.find(&mut conn, 42)?;
/// uow[chai].name = "Chai, loose".to_owned();
/// uow[chai].stock = 5;
///
/// let mut theirs = Product::find(&mut conn, 42)?; // someone else
/// theirs.stock = 6;
/// theirs.save(&mut conn)?;
///
/// let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) else {
///     panic!("their stock would be lost");
/// };
/// let conflict = conflicts.of::<Product>().next().ok_or("a conflict")?;
/// assert_eq!(
///     format!("\n{}\n", conflict.changes()),
///     r#"
/// column | base   | mine          | theirs | who
/// name   | "Chai" | "Chai, loose" | "Chai" | me
/// stock  | 7      | 5             | 6      | both
/// "#
/// );
/// assert!(!conflict.is_disjoint());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    columns: Vec<ColumnChange>,
}

impl Changes {
    /// What differs between the three states.
    pub(crate) fn new<T: Versioned>(base: Option<&T>, mine: &T, theirs: Option<&T>) -> Self {
        let sets = Sets::new(base, mine, theirs);
        let text = |state: &T, index| format!("{:?}", state.column_value(index));
        let columns = (0..T::COLUMN_COUNT)
            .filter_map(|index| {
                Some(ColumnChange {
                    by: sets.by(index)?,
                    column: T::column(index).name,
                    base: base.map(|base| text(base, index)),
                    mine: text(mine, index),
                    theirs: theirs.map(|theirs| text(theirs, index)),
                })
            })
            .collect();
        Self { columns }
    }

    fn by(&self, wanted: &'static [ChangedBy]) -> impl Iterator<Item = &'static str> + '_ {
        self.columns
            .iter()
            .filter(move |change| wanted.contains(&change.by))
            .map(|change| change.column)
    }

    /// The columns that I changed, those that both changed among them.
    pub fn mine(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Me, ChangedBy::Both])
    }

    /// The columns that someone else changed, those that both changed among them.
    pub fn theirs(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Them, ChangedBy::Both])
    }

    /// The columns that both changed.
    pub fn both(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Both])
    }

    /// The columns that differ between mine and current where no base is known.
    pub fn unattributed(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Unknown])
    }

    /// Every column that differs, with who changed it and the three values.
    pub fn iter(&self) -> impl Iterator<Item = ColumnChange> + '_ {
        self.columns.iter().cloned()
    }

    #[cfg(feature = "serde")]
    pub(crate) fn as_slice(&self) -> &[ColumnChange] {
        &self.columns
    }

    /// How many columns differ.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether no column differs.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
}

impl IntoIterator for Changes {
    type Item = ColumnChange;
    type IntoIter = std::vec::IntoIter<ColumnChange>;

    fn into_iter(self) -> Self::IntoIter {
        self.columns.into_iter()
    }
}

/// Which columns differ, by whom.
#[derive(Clone, Copy)]
struct Sets {
    mine: ColumnSet,
    theirs: ColumnSet,
    unattributed: ColumnSet,
}

impl Sets {
    fn new<T: Versioned>(base: Option<&T>, mine: &T, theirs: Option<&T>) -> Self {
        let since = |base: &T| theirs.map_or(ColumnSet::EMPTY, |theirs| theirs.changed(base));
        match base {
            Some(base) => {
                // What no update writes is nothing that I wanted.
                let mine = mine.changed(base).and(T::UPDATABLE.or(T::UNGUARDED));
                // Where I changed one that is unguarded, mine counts.
                let theirs = since(base).without(mine.and(T::UNGUARDED));
                Self {
                    mine,
                    theirs,
                    unattributed: ColumnSet::EMPTY,
                }
            }
            None => Self {
                mine: ColumnSet::EMPTY,
                theirs: ColumnSet::EMPTY,
                unattributed: since(mine),
            },
        }
    }

    fn by(self, index: usize) -> Option<ChangedBy> {
        match (self.mine.contains(index), self.theirs.contains(index)) {
            (true, true) => Some(ChangedBy::Both),
            (true, false) => Some(ChangedBy::Me),
            (false, true) => Some(ChangedBy::Them),
            (false, false) if self.unattributed.contains(index) => Some(ChangedBy::Unknown),
            (false, false) => None,
        }
    }
}
