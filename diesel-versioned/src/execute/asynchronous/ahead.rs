//! Steps of a commit that are sent at once, before the protocol asks for them.

use std::collections::VecDeque;

use diesel_async::AsyncConnection;
use futures_util::future::join_all;

use super::pipeline::{self, Sent};
use super::set::AsyncSet;
use crate::unit_of_work::{Answer, Protocol, Step, UnitOfWork};

/// Steps of a commit that were sent before the protocol asked for them.
#[derive(Default)]
pub(super) struct Ahead {
    /// What came of them.
    answers: VecDeque<Answer>,
    /// It was tried in this commit, and they have to be waited for one by one.
    impossible: bool,
}

impl Ahead {
    /// What was answered after an error is of no interest.
    pub(super) fn forget(&mut self) {
        self.answers.clear();
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
{
    /// The answer to this step, where it was sent with an earlier one or is now sent with those
    /// after it.
    pub(super) async fn send_ahead(
        &mut self,
        conn: &mut C,
        protocol: &Protocol,
        ahead: &mut Ahead,
    ) -> Option<Answer> {
        if let Some(answer) = ahead.answers.pop_front() {
            return Some(answer);
        }
        let steps = protocol.together(&self.sets);
        if steps.is_empty() || ahead.impossible {
            return None;
        }
        let Some((sent, counts)) = self.send(conn, steps) else {
            ahead.impossible = true;
            return None;
        };
        let mut received = join_all(sent).await.into_iter();
        for (step, count) in steps.iter().zip(counts) {
            let answer = match received.by_ref().take(count).collect() {
                Ok(received) => self.sets[step.set()].1.receive(conn, step, received).await,
                Err(error) => Err(error),
            };
            let failed = answer.is_err();
            ahead.answers.push_back(answer);
            if failed {
                break;
            }
        }
        ahead.answers.pop_front()
    }

    /// The statements of some steps, to be sent at once, and how many belong to each; `None` if they
    /// have to be waited for one by one.
    fn send<'c>(&self, conn: &'c C, steps: &[Step]) -> Option<(Vec<Sent<'c>>, Vec<usize>)> {
        let wire = pipeline::wire(conn)?;
        let mut counts = Vec::with_capacity(steps.len());
        let mut sent = Vec::new();
        for step in steps {
            let before = sent.len();
            // Nothing is on its way before it is waited for, so what was made is just dropped.
            if !self.sets[step.set()].1.send(wire, step, &mut sent) {
                return None;
            }
            counts.push(sent.len() - before);
        }
        Some((sent, counts))
    }
}
