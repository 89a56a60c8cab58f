//! One entity type's rows on an asynchronous connection.

use diesel::QueryResult;
use diesel::query_builder::QueryFragment;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::fence::AsyncFence;
use super::overwrite::AnyAudit;
use super::pipeline::{Received, Sent, WireOf};
use super::read::{find_alone, read};
use super::replay::AsyncStore;
use super::session::{self, affected, rows};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::outcome;
use crate::statement::{Entity, Insert, LastInserted, Lock, Returning, Select, key_chunks};
use crate::unit_of_work::{
    Group, Holds, InsertMode, Set, SetCore, SetKind, Step, UpdateMode, WriteOperation,
};

/// The rows of one entity type, on an asynchronous connection of the type `C`.
#[allow(private_interfaces, reason = "only this crate can call these")]
pub trait AsyncSet<C: AsyncConnection>: SetCore {
    #[doc(hidden)]
    fn write<'a>(
        &'a mut self,
        conn: &'a mut C,
        group: &'a Group,
    ) -> BoxFuture<'a, QueryResult<usize>>;

    #[doc(hidden)]
    fn lock<'a>(
        &'a mut self,
        conn: &'a mut C,
        only_checks: bool,
    ) -> BoxFuture<'a, QueryResult<usize>>;

    #[doc(hidden)]
    fn read_current<'a>(&'a mut self, conn: &'a mut C) -> BoxFuture<'a, QueryResult<usize>>;

    /// Sends the statements of a step; `false` if they have to be waited for one by one.
    #[doc(hidden)]
    fn send<'c>(&self, wire: &'c WireOf<C>, step: &Step, sent: &mut Vec<Sent<'c>>) -> bool;

    /// Takes what has come back for them, and counts as the step itself would.
    #[doc(hidden)]
    fn receive<'a>(
        &'a mut self,
        conn: &'a mut C,
        step: &'a Step,
        received: Vec<Received>,
    ) -> BoxFuture<'a, QueryResult<usize>>;
}

impl<'a, C> SetKind for dyn AsyncSet<C> + 'a {
    type Also = Box<dyn FnMut(&mut C) -> BoxFuture<'_, QueryResult<()>> + Send>;
    type Store = Box<dyn AsyncStore<C>>;
    type Audit = Box<dyn AnyAudit<C>>;
    type Fence = Box<dyn AsyncFence<C>>;
}

#[allow(private_interfaces, reason = "see the trait")]
impl<T, C> AsyncSet<C> for Set<T>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    fn write<'a>(
        &'a mut self,
        conn: &'a mut C,
        group: &'a Group,
    ) -> BoxFuture<'a, QueryResult<usize>> {
        async move {
            let mut count = 0;
            match group.statement() {
                WriteOperation::Update => match UpdateMode::of::<T, C::Backend>() {
                    UpdateMode::Plain => {
                        for statement in self.update_statements(group) {
                            count += affected(conn, statement).await?;
                        }
                    }
                    UpdateMode::Returning => {
                        let mut written = Vec::with_capacity(group.len());
                        for statement in self.update_statements(group) {
                            let statement = Returning::<_, T, _>::of(statement);
                            written.append(&mut rows(conn, statement).await?);
                        }
                        count = self.read_back(conn, group, written).await?;
                    }
                    UpdateMode::ReadByKey => {
                        for statement in self.update_statements(group) {
                            count += affected(conn, statement).await?;
                        }
                        // Otherwise some are in conflict, and nothing stays.
                        if count == group.len() {
                            let keys = self.keys_of(group);
                            let found = read(conn, &keys, Lock::Current).await?;
                            self.take_read_back(group, found);
                        }
                    }
                },
                WriteOperation::Delete => {
                    for statement in self.delete_statements(group) {
                        count += affected(conn, statement).await?;
                    }
                }
                WriteOperation::Insert { .. } => {
                    let mode = InsertMode::of::<T, C::Backend>();
                    let (mut returned, mut landed) = (Vec::new(), Vec::new());
                    if mode == InsertMode::OneByOne {
                        session::forget_last_inserted(conn).await?;
                    }
                    for chunk in self.insert_chunks::<C::Backend>(group) {
                        match mode {
                            InsertMode::Plain => {
                                count += affected(conn, Insert::new(chunk)).await?;
                            }
                            InsertMode::Returning => {
                                let statement = Returning::<_, T, _>::of(Insert::new(chunk));
                                returned.append(&mut rows(conn, statement).await?);
                            }
                            InsertMode::ReturningKeys => {
                                let statement = Returning::<_, T, _>::of(Insert::new(chunk));
                                let returned: Vec<T> = rows(conn, statement).await?;
                                count += returned.len();
                                let keys: Vec<T::Key> = returned.iter().map(T::key).collect();
                                let found = read(conn, &keys, Lock::Current).await?;
                                landed.append(&mut outcome::in_order(&keys, found));
                            }
                            InsertMode::ReadByKey => {
                                let keys: Vec<T::Key> =
                                    chunk.iter().map(|(row, _)| row.key()).collect();
                                count += affected(conn, Insert::new(chunk)).await?;
                                landed.append(&mut read(conn, &keys, Lock::Current).await?);
                            }
                            InsertMode::OneByOne => {
                                for (row, initial) in chunk {
                                    if affected(conn, Insert::new([(row, initial)])).await? > 0 {
                                        let row = rows(conn, LastInserted::new(row)).await?;
                                        let row = outcome::last_inserted(row, returned.last())?;
                                        returned.push(row);
                                    }
                                }
                            }
                        }
                    }
                    match mode {
                        InsertMode::Plain => {}
                        InsertMode::OneByOne => {
                            count += returned.len();
                            self.land_each(group, returned);
                        }
                        InsertMode::Returning => {
                            count += self.land_returned(conn, group, returned).await?;
                        }
                        InsertMode::ReturningKeys | InsertMode::ReadByKey => {
                            self.land(group, landed);
                        }
                    }
                }
            }
            Ok(count)
        }
        .boxed()
    }

    fn lock<'a>(
        &'a mut self,
        conn: &'a mut C,
        only_checks: bool,
    ) -> BoxFuture<'a, QueryResult<usize>> {
        async move {
            let keys = self.keys_to_lock(only_checks);
            let found = read(conn, &keys, Lock::Write).await?;
            Ok(self.unmoved(&found))
        }
        .boxed()
    }

    fn read_current<'a>(&'a mut self, conn: &'a mut C) -> BoxFuture<'a, QueryResult<usize>> {
        async move {
            let keys = self.keys_to_lock(false);
            let found = read(conn, &keys, Lock::Current).await?;
            let count = found.len();
            self.see_current(found);
            Ok(count)
        }
        .boxed()
    }

    fn send<'c>(&self, wire: &'c WireOf<C>, step: &Step, sent: &mut Vec<Sent<'c>>) -> bool {
        // The statements of a step have values of the same types, so the first one tells.
        let first = sent.len();
        match step {
            Step::Resolve { .. } => false,
            Step::Lock { only_checks, .. } => {
                let keys = self.keys_to_lock(*only_checks);
                key_chunks::<T, C::Backend>(&keys).all(|keys| {
                    send_for_rows::<T, C>(
                        wire,
                        first,
                        &Select::<T, _>::new(keys, Lock::Write),
                        sent,
                    )
                })
            }
            Step::Write { group, .. } => match group.statement() {
                WriteOperation::Update => match UpdateMode::of::<T, C::Backend>() {
                    UpdateMode::Plain => self
                        .update_statements(group)
                        .all(|statement| send_for_count::<C>(wire, first, &statement, sent)),
                    UpdateMode::Returning => self.update_statements(group).all(|statement| {
                        let statement = Returning::<_, T, _>::of(statement);
                        send_for_rows::<T, C>(wire, first, &statement, sent)
                    }),
                    UpdateMode::ReadByKey => false,
                },
                WriteOperation::Delete => self
                    .delete_statements(group)
                    .all(|statement| send_for_count::<C>(wire, first, &statement, sent)),
                WriteOperation::Insert { .. } => {
                    let mode = InsertMode::of::<T, C::Backend>();
                    self.insert_chunks::<C::Backend>(group)
                        .all(|chunk| match mode {
                            InsertMode::Plain => {
                                send_for_count::<C>(wire, first, &Insert::new(chunk), sent)
                            }
                            InsertMode::Returning => send_for_rows::<T, C>(
                                wire,
                                first,
                                &Returning::<_, T, _>::of(Insert::new(chunk)),
                                sent,
                            ),
                            InsertMode::ReturningKeys
                            | InsertMode::ReadByKey
                            | InsertMode::OneByOne => false,
                        })
                }
            },
        }
    }

    fn receive<'a>(
        &'a mut self,
        conn: &'a mut C,
        step: &'a Step,
        received: Vec<Received>,
    ) -> BoxFuture<'a, QueryResult<usize>> {
        let mut count = 0;
        let mut found: Vec<Vec<T>> = Vec::new();
        for received in received {
            match received {
                Received::Count(matched) => count += matched,
                Received::Rows(rows) => found.extend(rows.downcast().ok().map(|rows| *rows)),
            }
        }
        async move {
            match step {
                Step::Write { group, .. }
                    if !found.is_empty() && group.statement() == WriteOperation::Update =>
                {
                    let written = found.into_iter().flatten().collect();
                    self.read_back(conn, group, written).await
                }
                Step::Write { group, .. } if !found.is_empty() => {
                    let returned = found.into_iter().flatten().collect();
                    self.land_returned(conn, group, returned).await
                }
                Step::Lock { only_checks, .. } => {
                    let keys = self.keys_to_lock(*only_checks);
                    let mut locked = Vec::with_capacity(keys.len());
                    for (keys, found) in key_chunks::<T, C::Backend>(&keys).zip(found) {
                        let paired = outcome::pair(keys, found);
                        find_alone(conn, paired, Lock::Write, &mut locked).await?;
                    }
                    Ok(self.unmoved(&locked))
                }
                Step::Write { .. } | Step::Resolve { .. } => Ok(count),
            }
        }
        .boxed()
    }
}

impl<T: Versioned> Set<T> {
    /// Takes the rows that an update has handed back, and counts them.
    async fn read_back<C>(
        &mut self,
        conn: &mut C,
        group: &Group,
        written: Vec<T>,
    ) -> QueryResult<usize>
    where
        C: AsyncConnection,
        C::Backend: Dialect,
        T: Entity<C::Backend>,
    {
        let count = written.len();
        let mut found = Vec::with_capacity(count);
        let paired = outcome::pair(&self.keys_of(group), written);
        find_alone(conn, paired, Lock::Current, &mut found).await?;
        self.take_read_back(group, found);
        Ok(count)
    }

    /// Takes the rows that an insert has handed back, and counts them.
    async fn land_returned<C>(
        &mut self,
        conn: &mut C,
        group: &Group,
        returned: Vec<T>,
    ) -> QueryResult<usize>
    where
        C: AsyncConnection,
        C::Backend: Dialect,
        T: Entity<C::Backend>,
    {
        let count = returned.len();
        let mut landed = Vec::with_capacity(count);
        let paired = outcome::pair_inserted(&self.inserted_keys(group), returned);
        find_alone(conn, paired, Lock::Current, &mut landed).await?;
        self.land(group, landed);
        Ok(count)
    }
}

/// Sends a statement that is answered by how many rows it matched; those of its step begin at `first`.
fn send_for_count<'c, C: AsyncConnection + 'static>(
    wire: &'c WireOf<C>,
    first: usize,
    statement: &dyn QueryFragment<C::Backend>,
    sent: &mut Vec<Sent<'c>>,
) -> bool {
    let ready = sent.len() > first || wire.is_ready_for(statement);
    if ready {
        let count = wire.execute(statement);
        sent.push(async move { Ok(Received::Count(count.await?)) }.boxed());
    }
    ready
}

/// Sends a statement that is answered by rows; those of its step begin at `first`.
fn send_for_rows<'c, T, C>(
    wire: &'c WireOf<C>,
    first: usize,
    statement: &dyn QueryFragment<C::Backend>,
    sent: &mut Vec<Sent<'c>>,
) -> bool
where
    C: AsyncConnection + 'static,
    T: Entity<C::Backend>,
{
    let ready = sent.len() > first || wire.is_ready_for(statement);
    if ready {
        let rows = wire.load(statement);
        sent.push(
            async move {
                let rows: QueryResult<Vec<T>> = rows.await?.iter().map(T::from_row).collect();
                Ok(Received::Rows(Box::new(rows?)))
            }
            .boxed(),
        );
    }
    ready
}

impl<T, C> Holds<T> for dyn AsyncSet<C>
where
    T: Versioned,
    C: AsyncConnection + 'static,
    Set<T>: AsyncSet<C>,
{
    fn boxed(set: Set<T>) -> Box<Self> {
        Box::new(set)
    }
}
