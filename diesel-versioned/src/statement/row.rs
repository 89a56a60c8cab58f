//! One row of a write: what it expects, what it writes, and what of it is compared.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::AstPass;

use crate::columns::ColumnSet;
use crate::entity::{Bind, Versioned};

/// What a write makes of the version of its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next<V> {
    /// It is compared, and this one follows it.
    Is(V),
    /// It is compared, and the database makes the one that follows it.
    ByDatabase,
    /// What is there is compared, and none follows it: the row is deleted, or has no version.
    Nothing,
    /// It is neither compared nor moved.
    Unguarded,
}

impl<V> Next<V> {
    /// Whether the row must stand at the expected version.
    pub(crate) fn is_guarded(&self) -> bool {
        !matches!(self, Self::Unguarded)
    }

    /// The version that the row gets, where it is made here.
    pub(crate) fn made(self) -> Option<V> {
        match self {
            Self::Is(next) => Some(next),
            Self::ByDatabase | Self::Nothing | Self::Unguarded => None,
        }
    }
}

/// What a guard compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// A part of the key.
    Key(usize),
    /// A version column.
    Version(usize),
    /// A column, with what it was when the row was loaded.
    Content(usize),
}

impl Compared {
    /// The parts of the key.
    pub(super) fn key<T: Versioned>() -> Vec<Self> {
        (0..T::KEY_COUNT).map(Self::Key).collect()
    }

    /// The parts of the key, and these columns.
    pub(super) fn guard<T: Versioned>(columns: ColumnSet) -> Vec<Self> {
        let mut compared = Self::key::<T>();
        compared.extend(Self::columns::<T>(columns));
        compared
    }

    /// These columns.
    pub(super) fn columns<T: Versioned>(columns: ColumnSet) -> impl Iterator<Item = Self> {
        columns.iter().map(|column| {
            if T::VERSION_COLUMNS.contains(column) {
                Self::Version(column)
            } else {
                Self::Content(column)
            }
        })
    }

    /// The position of the column.
    pub(super) fn column<T: Versioned>(self) -> usize {
        match self {
            Self::Key(part) => T::key_column(part),
            Self::Version(column) | Self::Content(column) => column,
        }
    }
}

/// One row of a write.
pub(crate) struct Row<'a, T: Versioned> {
    entity: &'a T,
    converted: T::Converted,
    key: T::Key,
    expected: T::Version,
    next: Next<T::Version>,
    /// The row as it was loaded, where that is compared.
    base: Option<(&'a T, T::Converted)>,
}

impl<'a, T: Versioned> Row<'a, T> {
    /// A row that is written as `entity` is; `next` says whether it must stand at the entity's
    /// version, and which one it then has.
    pub(crate) fn new(entity: &'a T, next: Next<T::Version>) -> Self {
        Self {
            entity,
            converted: entity.converted(),
            key: entity.key(),
            expected: entity.version(),
            next,
            base: None,
        }
    }

    /// The same with the row as it was loaded, for a guard that compares its columns.
    pub(crate) fn based(self, base: Option<&'a T>) -> Self {
        let base = base.filter(|_| !T::CHECKED.is_empty());
        Self {
            base: base.map(|base| (base, base.converted())),
            ..self
        }
    }

    /// The version that the row must be at.
    pub(super) fn expected(&self) -> &T::Version {
        &self.expected
    }

    /// What becomes of the version.
    pub(super) fn next(&self) -> &Next<T::Version> {
        &self.next
    }

    /// Binds one of the values that the guard compares.
    pub(super) fn bind_guard<'b, DB: Backend>(
        &'b self,
        compared: Compared,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>
    where
        T: Bind<DB>,
    {
        match (compared, &self.base) {
            (Compared::Key(part), _) => T::bind_key(&self.key, part, out),
            (Compared::Version(column), _) => T::bind_version(&self.expected, column, out),
            (Compared::Content(column), Some((base, converted))) => {
                base.bind(converted, column, out)
            }
            (Compared::Content(column), None) => self.entity.bind(&self.converted, column, out),
        }
    }

    /// Binds the value that a column gets; the version's is the next one.
    pub(super) fn bind_value<'b, DB: Backend>(
        &'b self,
        column: usize,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>
    where
        T: Bind<DB>,
    {
        match &self.next {
            Next::Is(next) if T::VERSION_COLUMNS.contains(column) => {
                T::bind_version(next, column, out)
            }
            _ => self.entity.bind(&self.converted, column, out),
        }
    }
}
