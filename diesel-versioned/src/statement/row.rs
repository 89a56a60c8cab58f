//! One row of a write: what it expects, what it writes.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::AstPass;

use crate::entity::{Bind, Versioned};

/// What a write makes of the version of its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next<V> {
    /// It is compared, and this one follows it.
    Is(V),
    /// It is compared, and the database makes the one that follows it.
    ByDatabase,
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
            Self::ByDatabase | Self::Unguarded => None,
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
}

impl<'a, T: Versioned> Row<'a, T> {
    /// A row that is written as `entity` is; `next` says whether it must stand at the entity's
    /// version, and which one it then has.
    pub(crate) fn new(entity: &'a T, next: Next<T::Version>) -> Self {
        Self {
            entity,
            converted: entity.converted(),
            key: entity.key(),
            expected: entity.version().clone(),
            next,
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

    /// Binds one of the values that the guard compares: the parts of the key, then the version.
    pub(super) fn bind_guard<'b, DB: Backend>(
        &'b self,
        part: usize,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>
    where
        T: Bind<DB>,
    {
        if part < T::KEY_COUNT {
            T::bind_key(&self.key, part, out)
        } else {
            T::bind_version(&self.expected, out)
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
            Next::Is(next) if column == T::VERSION_COLUMN => T::bind_version(next, out),
            _ => self.entity.bind(&self.converted, column, out),
        }
    }
}
