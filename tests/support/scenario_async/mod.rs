//! What only asynchronous connections can do, on each of them.

mod cancel;
#[cfg(feature = "dev_pg")]
mod round_trips;

use std::future::Future;

use diesel_async::AsyncConnection;
use diesel_async::pooled_connection::ManagerConfig;

use crate::Inner;
use crate::support::TestDb;

/// Runs a test on a runtime of its own, as a task: it is `Send`.
fn block_on<F>(test: F) -> F::Output
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("the runtime starts");
    match runtime.block_on(runtime.spawn(test)) {
        Ok(output) => output,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// A further connection, with the settings of [`TestDb::connect`].
async fn connect(db: &TestDb) -> Inner {
    let url = db.url().to_owned();
    configured(&url)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"))
}

async fn configured(url: &str) -> diesel::ConnectionResult<Inner> {
    // The same parameter under the name that mysql_async knows it by.
    let url = url.replace("unix_socket=", "socket=");
    let mut conn = Inner::establish(&url).await?;
    crate::configure(&mut conn)
        .await
        .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    Ok(conn)
}

/// Connections of a pool have the same settings.
fn manager_config() -> ManagerConfig<Inner> {
    let mut config = ManagerConfig::default();
    config.custom_setup = Box::new(|url| Box::pin(configured(url)));
    config
}
