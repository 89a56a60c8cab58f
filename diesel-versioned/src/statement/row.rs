//! One row of a guarded write: what it expects, what it writes.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::AstPass;

use crate::entity::{Bind, Versioned};

/// One row of a guarded write.
pub(crate) struct Row<'a, T: Versioned> {
    entity: &'a T,
    converted: T::Converted,
    key: T::Key,
    expected: T::Version,
    next: T::Version,
}

impl<'a, T: Versioned> Row<'a, T> {
    /// A row that is written as `entity` is, if it stands at the entity's version, and then has
    /// the version `next`.
    pub(crate) fn new(entity: &'a T, next: T::Version) -> Self {
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

    /// The version that the row gets.
    pub(super) fn next(&self) -> &T::Version {
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
        if column == T::VERSION_COLUMN {
            T::bind_version(&self.next, out)
        } else {
            self.entity.bind(&self.converted, column, out)
        }
    }
}
