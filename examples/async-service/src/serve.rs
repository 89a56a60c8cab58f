//! Serving until it is told to stop, and finishing what is under way then.

use std::future::pending;
use std::io::{self, Write};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::sleep;

/// What ended the service other than a signal.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("signals cannot be received")]
    Signals(#[source] io::Error),
    #[error("{address}: cannot listen there")]
    Listen { address: String, source: io::Error },
    #[error("requests were still under way when the time to finish was over; they are dropped")]
    Unfinished,
}

/// Listens, says where, and serves until SIGTERM or Ctrl-C. Then no more connections are taken,
/// and the requests that are under way have `grace` to finish; a second signal ends that.
///
/// # Errors
///
/// If it cannot listen, or requests were left unfinished.
pub(crate) async fn serve(
    router: Router,
    address: &str,
    database: &str,
    grace: Duration,
) -> Result<(), ServeError> {
    // Before anyone can know that the service is there.
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let listening = |source| ServeError::Listen {
        address: address.to_owned(),
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(listening)?;
    let bound = listener.local_addr().map_err(listening)?;
    say(&format!("{database} is served at http://{bound}"));

    let (stop, stopped) = oneshot::channel::<()>();
    let server = axum::serve(listener, router).with_graceful_shutdown(async {
        // The other end is gone only when this one is.
        drop(stopped.await);
    });
    let told_to_stop = async {
        signals.next().await;
        say("stopping when all requests are finished");
        drop(stop);
        tokio::select! {
            () = signals.next() => {}
            () = sleep(grace) => {}
        }
    };
    tokio::select! {
        served = server => served.map_err(listening),
        () = told_to_stop => Err(ServeError::Unfinished),
    }
}

/// The signals by which the service is told to stop.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        let received = tokio::select! {
            received = self.terminate.recv() => received,
            received = self.interrupt.recv() => received,
        };
        if received.is_none() {
            // There will never be one.
            pending().await
        }
    }
}

/// Ctrl-C, where there are no signals.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[allow(clippy::unnecessary_wraps, reason = "as where it can fail")]
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            pending().await
        }
    }
}

/// A line on standard output, at once. That nobody reads it is no failure of the service.
fn say(line: &str) {
    let mut out = io::stdout();
    drop(writeln!(out, "{line}").and_then(|()| out.flush()));
}
