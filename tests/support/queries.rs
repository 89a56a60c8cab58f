//! Records what a connection sends: "one statement, one round trip" is asserted, not believed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::Connection;
use diesel::connection::InstrumentationEvent;

/// The SQL texts that one connection has run since the recording began, in order, without binds.
/// BEGIN, SAVEPOINT and COMMIT are among them.
#[derive(Clone, Default)]
pub struct Queries {
    texts: Arc<Mutex<Vec<String>>>,
}

impl Queries {
    /// Begins to record. It replaces the connection's instrumentation.
    pub fn of<C: Connection>(conn: &mut C) -> Self {
        let queries = Self::default();
        let recorder = queries.clone();
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = event {
                let text = query.to_string();
                let sql = text.split(" -- binds").next().unwrap_or(&text);
                recorder.lock().push(sql.to_owned());
            }
        });
        queries
    }

    /// What was recorded; the recording begins anew.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock())
    }

    /// How many statements there are since the last [`Queries::take`].
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
