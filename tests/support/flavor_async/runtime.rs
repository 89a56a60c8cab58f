//! One runtime for all connections of a test binary.

use std::future::Future;
use std::sync::LazyLock;

use diesel_async::async_connection_wrapper::BlockOn;
use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime starts"));

/// Waits for a future, also where a runtime is at work already: in a closure that a commit runs,
/// in a recorder of statements, in a task.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::task::block_in_place(|| RUNTIME.block_on(future))
}

/// How diesel-async's wrapper waits.
pub struct TestRuntime;

impl BlockOn for TestRuntime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        block_on(future)
    }

    fn get_runtime() -> Self {
        Self
    }
}
