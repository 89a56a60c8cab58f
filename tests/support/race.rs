//! Threads that start together. Order in a test is forced by barriers, never by sleeping.

use std::sync::Barrier;
use std::thread;

use crate::Conn;
use crate::support::TestDb;

/// Runs `work` in as many threads as asked for, each with its own connection, all released at
/// the same moment. The results are in the order of the thread numbers, which `work` is given.
///
/// The connections are opened before the first thread starts, so a refused one cannot leave the
/// others waiting at the barrier.
pub fn race<R, F>(db: &TestDb, threads: usize, work: F) -> Vec<R>
where
    R: Send,
    F: Fn(usize, &mut Conn) -> R + Sync,
{
    let connections: Vec<Conn> = (0..threads).map(|_| db.connect()).collect();
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let handles: Vec<_> = connections
            .into_iter()
            .enumerate()
            .map(|(number, mut conn)| {
                let (barrier, work) = (&barrier, &work);
                scope.spawn(move || {
                    barrier.wait();
                    work(number, &mut conn)
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}
