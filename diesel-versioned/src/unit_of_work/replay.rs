//! A unit under an idempotency key: what it asks for, what it did, and what an earlier one did.

use std::any::TypeId;

use diesel::QueryResult;
use diesel::result::Error;

use super::committed::{CommittedChange, Nested};
use super::core::Core;
use super::protocol::Answer;
use super::rows::CommittedRows;
use super::{Committed, SetCore, SetKind, UnitOfWork};
use crate::error::{CommitError, EntityRef};
use crate::replay::{IdempotencyKey, RecordedChange, TABLE, digest, lasting, record};

/// The key of a unit, and what is known of it while a commit runs.
pub(crate) struct Replay<R> {
    pub(crate) key: IdempotencyKey,
    /// What the program says that is asked for; otherwise it is what the unit writes.
    pub(crate) given: Option<String>,
    /// What this commit asks for.
    pub(crate) payload: String,
    /// A commit has begun, and it is not known yet how it ended.
    under_way: bool,
    /// A commit of this unit ended without an answer: what was to follow it has not run.
    unanswered: bool,
    /// What an earlier commit under this key did.
    pub(super) recalled: Option<Recalled>,
    /// How the keys are stored.
    pub(crate) store: R,
}

/// What an earlier commit did to rows that this unit does not know.
pub(super) struct Recalled(Vec<RecordedChange>);

impl<R> Replay<R> {
    #[cfg(feature = "replay")]
    pub(crate) fn new(key: IdempotencyKey, given: Option<String>, store: R) -> Self {
        Self {
            key,
            given,
            payload: String::new(),
            under_way: false,
            unanswered: false,
            recalled: None,
            store,
        }
    }
}

impl<R> Replay<R> {
    /// It is known how the commit has ended.
    pub(super) fn ended(&mut self) {
        self.under_way = false;
    }
}

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Says what this commit asks for, before its first write.
    pub(super) fn say_payload(&mut self) {
        let Some(replay) = &mut self.replay else {
            return;
        };
        replay.recalled = None;
        // Its future may have been dropped while the last one was under way.
        replay.unanswered |= std::mem::replace(&mut replay.under_way, true);
        let sets = &self.sets;
        replay.payload = replay.given.clone().unwrap_or_else(|| {
            digest(|say| {
                for (_, set) in sets {
                    set.core_ref().describe(say);
                }
            })
        });
    }

    /// Takes down how a commit has failed.
    pub(crate) fn fail_with(&mut self, error: &CommitError) {
        self.fail();
        if let Some(replay) = &mut self.replay {
            replay.ended();
            replay.unanswered |= matches!(error, CommitError::OutcomeUnknown { .. });
        }
    }

    /// Takes down that a closure has panicked before COMMIT; it is rolled back.
    pub(crate) fn panicked(&mut self) {
        self.fail();
        if let Some(replay) = &mut self.replay {
            replay.ended();
        }
    }

    /// What this commit does, as it is recorded.
    pub(crate) fn record(&self) -> String {
        let rows = self.sets.iter().flat_map(|(_, set)| set.core_ref().wrote());
        record::write(rows)
    }

    /// Takes what was found under the key, and counts those who asked for the same.
    pub(crate) fn recall(&mut self, found: Option<(String, String)>) -> Answer {
        let Some(replay) = &mut self.replay else {
            return Ok(0);
        };
        // It was there a moment ago, and has expired.
        let (payload, text) = found.ok_or(Error::NotFound)?;
        if payload != replay.payload {
            return Ok(0);
        }
        let mut changes = recorded(&text)?;
        recall_all(&mut self.sets, &mut changes);
        replay.recalled = Some(Recalled(changes));
        Ok(1)
    }

    /// What a commit under a key did, for a unit that may know its rows.
    #[cfg(feature = "replay")]
    pub(crate) fn tell(
        &mut self,
        found: Option<(String, String)>,
    ) -> QueryResult<Option<Committed>> {
        let Some((_, text)) = found else {
            return Ok(None);
        };
        let mut changes = recorded(&text)?;
        let mut rows: Vec<Box<dyn CommittedRows>> = Vec::new();
        recall_all(&mut self.sets, &mut changes);
        for (_, set) in &mut self.sets {
            rows.push(set.core().recalled());
            set.core().abandon();
        }
        rows.push(Box::new(RecordedRows(changes)));
        Ok(Some(Committed::replayed(self.id, self.sequence, rows)))
    }

    /// It was written before: brings memory to what is in the database now.
    pub(super) fn replay(
        &mut self,
        recalled: Recalled,
        replay: Replay<V::Store>,
        nested: bool,
    ) -> Committed
    where
        V::Also: 'static,
        V::Store: 'static,
    {
        self.sequence += 1;
        let mut rows: Vec<Box<dyn CommittedRows>> = Vec::new();
        for (_, set) in &mut self.sets {
            rows.push(set.core().refresh(nested));
        }
        rows.push(Box::new(RecordedRows(recalled.0)));
        self.recorded.clear();
        if !nested {
            // What they were for is done.
            self.audits.clear();
        }
        // Whoever wrote it has run these, unless that was this unit and it got no answer.
        let also = std::mem::take(&mut self.also);
        let links = std::mem::take(&mut self.links);
        let hooks = std::mem::take(&mut self.hooks);
        let (hooks, not_run) = if replay.unanswered {
            (hooks, Vec::new())
        } else {
            (Vec::new(), hooks)
        };
        let nested = nested.then(|| Nested {
            also: Box::new(also),
            links,
            replay: Box::new(Some(replay)),
            hooks: not_run,
        });
        Committed {
            hooks,
            nested,
            ..Committed::replayed(self.id, self.sequence, rows)
        }
    }
}

/// Gives each set the recorded rows that are its own, and then those that could be.
fn recall_all<S: SetCore + ?Sized>(
    sets: &mut [(TypeId, Box<S>)],
    changes: &mut Vec<RecordedChange>,
) {
    for (_, set) in &mut *sets {
        set.core().recall(changes);
    }
    for (_, set) in sets {
        set.core().recall_others(changes);
    }
}

/// What a database reports about the table of the keys.
pub(super) fn failed(source: Error) -> CommitError {
    CommitError::Database {
        source,
        entity: Some(EntityRef {
            table: TABLE,
            key: None,
        }),
    }
}

fn recorded(text: &str) -> QueryResult<Vec<RecordedChange>> {
    record::read(text).ok_or_else(|| {
        let problem = "what is recorded under this idempotency key was not written by this \
                       library; take a new key";
        Error::QueryBuilderError(problem.into())
    })
}

/// Rows that an earlier commit wrote and that this unit does not know.
struct RecordedRows(Vec<RecordedChange>);

impl CommittedRows for RecordedRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn change(&self, index: usize) -> Option<CommittedChange> {
        let row = self.0.get(index)?.clone();
        Some(CommittedChange {
            table: lasting(&row.table),
            key: row.key,
            operation: row.operation,
            old_version: row.old_version,
            new_version: row.new_version,
        })
    }

    fn undo(self: Box<Self>, _: &mut dyn Core) {}
}
