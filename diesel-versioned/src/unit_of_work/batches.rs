//! The planned rows of a set as statements.

use super::landed::Apart;
use super::order::Operation;
use super::set::Set;
use super::work::Group;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::soft_delete::mark_columns;
use crate::statement::{Delete, Entity, Insert, Next, Row, UpdateMany, chunks, padded_chunks};

/// How the rows of an insert come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsertMode {
    /// Not at all: the insert writes every column.
    Plain,
    /// By `RETURNING`.
    Returning,
    /// By a read of the keys, which `RETURNING` hands back.
    ReturningKeys,
    /// By a read of the keys, which the insert wrote.
    ReadByKey,
    /// One row at a time, by the key that the connection made last.
    OneByOne,
}

impl InsertMode {
    /// The way for an entity type on a backend.
    pub(crate) fn of<T: Entity<DB>, DB: Dialect>() -> Self {
        let made_later = T::READS_BACK_UPDATE && !DB::RETURNING_SHOWS_ALL;
        match (DB::RETURNING, T::key_is_generated()) {
            _ if !T::READS_BACK_INSERT => Self::Plain,
            (true, _) if !made_later => Self::Returning,
            (true, true) => Self::ReturningKeys,
            (_, false) => Self::ReadByKey,
            (false, true) => Self::OneByOne,
        }
    }
}

/// How the rows of an update come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpdateMode {
    /// Not at all: nothing in them is made by the database.
    Plain,
    /// By `RETURNING`.
    Returning,
    /// By a read of their keys.
    ReadByKey,
}

impl UpdateMode {
    /// The way for an entity type on a backend.
    pub(crate) fn of<T: Entity<DB>, DB: Dialect>() -> Self {
        match (
            T::READS_BACK_UPDATE,
            DB::RETURNING && DB::RETURNING_SHOWS_ALL,
        ) {
            (false, _) => Self::Plain,
            (true, true) => Self::Returning,
            (true, false) => Self::ReadByKey,
        }
    }
}

impl<T: Versioned> Set<T> {
    /// The statements of a group of updates, or of rows that are marked as deleted.
    pub(crate) fn update_statements<'a, DB: Dialect>(
        &'a self,
        group: &Group,
    ) -> impl Iterator<Item = UpdateMany<'a, T, DB>>
    where
        T: Entity<DB>,
    {
        let (columns, guard) = (group.columns, group.guard);
        let planned = self.planned(group);
        // Whatever else writes the mark of deletion gives it.
        let restores =
            group.operation == Operation::Update && !columns.and(mark_columns::<T>()).is_empty();
        let binds = UpdateMany::<T, DB>::binds_per_row(columns, guard);
        padded_chunks(planned, DB::UPDATE_ROWS, binds, DB::MAX_BINDS).map(move |(chunk, size)| {
            let rows = chunk.iter().filter_map(|planned| {
                let slot = self.slots.get(planned.slot)?;
                let marked = self.work.marked.get(&planned.slot);
                let row = Row::new(marked.or(slot.mine.as_ref())?, planned.next.clone());
                Some(row.based(slot.loaded()))
            });
            UpdateMany::new(rows.collect(), size, columns, guard).restoring(restores)
        })
    }

    /// The statements of a group of deletes.
    pub(crate) fn delete_statements<'a, DB: Dialect>(
        &'a self,
        group: &Group,
    ) -> impl Iterator<Item = Delete<'a, T, DB>>
    where
        T: Entity<DB>,
    {
        let slots = self
            .work
            .deletes
            .get(group.rows.clone())
            .unwrap_or_default();
        let binds = T::KEY_COUNT + group.guard.len();
        chunks(slots, DB::OTHER_ROWS, binds, DB::MAX_BINDS).map(|chunk| {
            Delete::new(chunk.iter().filter_map(|&slot| {
                let slot = self.slots.get(slot)?;
                let mine = slot.mine.as_ref()?;
                Some((mine, slot.loaded().unwrap_or(mine)))
            }))
        })
    }

    /// The rows of a group of inserts and their versions, in chunks of one statement each.
    pub(crate) fn insert_chunks<DB: Dialect>(
        &self,
        group: &Group,
    ) -> impl Iterator<Item = Vec<(&T, Next<T::Version>)>>
    where
        T: Entity<DB>,
    {
        let inserts = self
            .work
            .inserts
            .get(group.rows.clone())
            .unwrap_or_default();
        let binds = Insert::<T, DB>::BINDS_PER_ROW;
        let most = match self.work.apart {
            Apart::Alone => 1,
            Apart::Yes | Apart::No => DB::OTHER_ROWS,
        };
        chunks(inserts, most, binds, DB::MAX_BINDS).map(|chunk| {
            chunk
                .iter()
                .filter_map(|insert| Some((self.sent(insert.slot)?, insert.initial.clone())))
                .collect()
        })
    }
}
