//! Columns of an entity: their names and roles, and sets of them.

/// One column of an entity's table, as the derive found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The name in the database.
    pub name: &'static str,
    /// What the column is for.
    pub role: Role,
    /// It holds text, which a database may compare by other rules than Rust; told where a guard may
    /// compare it.
    pub is_text: bool,
}

impl Column {
    /// A column of this name and role. The derive calls it.
    pub const fn new(name: &'static str, role: Role) -> Self {
        Self {
            name,
            role,
            is_text: false,
        }
    }

    /// The same, of text or not. The derive calls it.
    #[must_use]
    pub const fn text(self, is_text: bool) -> Self {
        Self { is_text, ..self }
    }
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// Part of the primary key.
    Key {
        /// Written by an insert; `false` for a key that the database generates.
        insert: bool,
    },
    /// The version.
    Version,
    /// Bookkeeping: written by the key alone, without check and without a new version.
    Unguarded {
        /// Written by an insert.
        insert: bool,
    },
    /// Made by the database with every write, and read back after it.
    Generated,
    /// Marks a row as deleted: written by a deletion and a restoration alone.
    SoftDelete {
        /// Written by an insert.
        insert: bool,
    },
    /// Everything else.
    Data {
        /// Written by an insert.
        insert: bool,
        /// Written by an update.
        update: bool,
    },
}

/// A set of columns of one entity, by their positions.
///
/// ```
/// use diesel_versioned::ColumnSet;
///
/// let set = ColumnSet::EMPTY.with(0).with(5);
/// assert!(set.contains(5) && !set.contains(1));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [0, 5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// No column.
    pub const EMPTY: Self = Self(0);

    /// How many columns an entity may have: Diesel's largest table.
    pub const CAPACITY: usize = 128;

    /// This set and one more column.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`ColumnSet::CAPACITY`].
    #[must_use]
    pub const fn with(self, index: usize) -> Self {
        assert!(
            index < Self::CAPACITY,
            "an entity has at most 128 columns, as a Diesel table has"
        );
        Self(self.0 | (1 << index))
    }

    /// This set and one more column if `condition` holds.
    #[must_use]
    pub const fn with_if(self, index: usize, condition: bool) -> Self {
        if condition { self.with(index) } else { self }
    }

    /// All columns of `other`, moved up by `offset` positions, added to this set.
    #[must_use]
    pub const fn with_part(self, offset: usize, other: Self) -> Self {
        Self(self.0 | (other.0 << offset))
    }

    /// Those columns of this set that stand at `offset` or behind it, as positions from there: the
    /// columns of a part, and what follows them.
    #[must_use]
    pub const fn after(self, offset: usize) -> Self {
        if offset < Self::CAPACITY {
            Self(self.0 >> offset)
        } else {
            Self::EMPTY
        }
    }

    /// Whether the column at `index` is in this set.
    pub const fn contains(self, index: usize) -> bool {
        index < Self::CAPACITY && self.0 & (1 << index) != 0
    }

    /// The columns that are in one of the sets or in both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The columns that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The columns of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether no column is in this set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many columns are in this set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The positions in this set, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index)
        })
    }
}
