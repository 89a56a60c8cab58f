//! One entity type's rows on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::fence::BlockingFence;
use super::overwrite::Audit;
use super::read::{find_alone, read};
use super::replay::BlockingStore;
use super::session::{self, affected, rows};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::outcome;
use crate::statement::{Entity, Insert, LastInserted, Lock, Returning};
use crate::unit_of_work::{
    Group, Holds, InsertMode, Set, SetCore, SetKind, UpdateMode, WriteOperation,
};

/// The rows of one entity type, on a blocking connection of the type `C`.
#[allow(private_interfaces, reason = "only this crate can call these")]
pub trait BlockingSet<C>: SetCore {
    #[doc(hidden)]
    fn write(&mut self, conn: &mut C, group: &Group) -> QueryResult<usize>;

    #[doc(hidden)]
    fn lock(&mut self, conn: &mut C, only_checks: bool) -> QueryResult<usize>;

    #[doc(hidden)]
    fn read_current(&mut self, conn: &mut C) -> QueryResult<usize>;
}

impl<C> SetKind for dyn BlockingSet<C> {
    type Also = Box<dyn FnMut(&mut C) -> QueryResult<()> + Send>;
    type Store = Box<dyn BlockingStore<C>>;
    type Audit = Box<dyn Audit<C> + Send>;
    type Fence = Box<dyn BlockingFence<C>>;
}

#[allow(private_interfaces, reason = "see the trait")]
impl<T, C> BlockingSet<C> for Set<T>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    fn write(&mut self, conn: &mut C, group: &Group) -> QueryResult<usize> {
        match group.statement() {
            WriteOperation::Update => match UpdateMode::of::<T, C::Backend>() {
                UpdateMode::Plain => self
                    .update_statements(group)
                    .try_fold(0, |sum, statement| Ok(sum + affected(conn, &statement)?)),
                UpdateMode::Returning => {
                    let mut written = Vec::with_capacity(group.len());
                    for statement in self.update_statements(group) {
                        let statement = Returning::<_, T, _>::of(statement);
                        written.append(&mut rows(conn, statement)?);
                    }
                    let count = written.len();
                    let mut found = Vec::with_capacity(count);
                    let paired = outcome::pair(&self.keys_of(group), written);
                    find_alone(conn, paired, Lock::Current, &mut found)?;
                    self.take_read_back(group, found);
                    Ok(count)
                }
                UpdateMode::ReadByKey => {
                    let count = self
                        .update_statements(group)
                        .try_fold(0, |sum, statement| {
                            QueryResult::Ok(sum + affected(conn, &statement)?)
                        })?;
                    // Otherwise some are in conflict, and nothing stays.
                    if count == group.len() {
                        let found = read(conn, &self.keys_of(group), Lock::Current)?;
                        self.take_read_back(group, found);
                    }
                    Ok(count)
                }
            },
            WriteOperation::Delete => self
                .delete_statements(group)
                .try_fold(0, |sum, statement| Ok(sum + affected(conn, &statement)?)),
            WriteOperation::Insert { .. } => {
                let mode = InsertMode::of::<T, C::Backend>();
                let (mut returned, mut landed) = (Vec::new(), Vec::new());
                let mut count = 0;
                if mode == InsertMode::OneByOne {
                    session::forget_last_inserted(conn)?;
                }
                for chunk in self.insert_chunks::<C::Backend>(group) {
                    match mode {
                        InsertMode::Plain => count += affected(conn, &Insert::new(chunk))?,
                        InsertMode::Returning => {
                            let statement = Returning::<_, T, _>::of(Insert::new(chunk));
                            returned.append(&mut rows(conn, statement)?);
                        }
                        InsertMode::ReturningKeys => {
                            let statement = Returning::<_, T, _>::of(Insert::new(chunk));
                            let returned: Vec<T> = rows(conn, statement)?;
                            count += returned.len();
                            let keys: Vec<T::Key> = returned.iter().map(T::key).collect();
                            let found = read(conn, &keys, Lock::Current)?;
                            landed.append(&mut outcome::in_order(&keys, found));
                        }
                        InsertMode::ReadByKey => {
                            let keys: Vec<T::Key> =
                                chunk.iter().map(|(row, _)| row.key()).collect();
                            count += affected(conn, &Insert::new(chunk))?;
                            landed.append(&mut read(conn, &keys, Lock::Current)?);
                        }
                        InsertMode::OneByOne => {
                            for (row, initial) in chunk {
                                if affected(conn, &Insert::new([(row, initial)]))? > 0 {
                                    let row = rows(conn, LastInserted::new(row))?;
                                    let row = outcome::last_inserted(row, returned.last())?;
                                    returned.push(row);
                                }
                            }
                        }
                    }
                }
                count += returned.len();
                match mode {
                    InsertMode::Plain => {}
                    InsertMode::OneByOne => self.land_each(group, returned),
                    InsertMode::Returning => {
                        let paired = outcome::pair_inserted(&self.inserted_keys(group), returned);
                        find_alone(conn, paired, Lock::Current, &mut landed)?;
                        self.land(group, landed);
                    }
                    InsertMode::ReturningKeys | InsertMode::ReadByKey => self.land(group, landed),
                }
                Ok(count)
            }
        }
    }

    fn lock(&mut self, conn: &mut C, only_checks: bool) -> QueryResult<usize> {
        let found = read(conn, &self.keys_to_lock(only_checks), Lock::Write)?;
        Ok(self.unmoved(&found))
    }

    fn read_current(&mut self, conn: &mut C) -> QueryResult<usize> {
        let found = read(conn, &self.keys_to_lock(false), Lock::Current)?;
        let count = found.len();
        self.see_current(found);
        Ok(count)
    }
}

impl<T, C> Holds<T> for dyn BlockingSet<C>
where
    T: Versioned,
    C: 'static,
    Set<T>: BlockingSet<C>,
{
    fn boxed(set: Set<T>) -> Box<Self> {
        Box::new(set)
    }
}
