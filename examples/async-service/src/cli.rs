//! The command line.

use std::num::NonZeroU32;

use clap::Parser;

/// Serves a stock of products over HTTP: every write is guarded by the version that its client
/// has read, so nobody overwrites what another one has just saved.
///
/// Without arguments it creates and migrates async-service.sqlite and listens on 127.0.0.1:3000.
/// SIGTERM and Ctrl-C let it finish the requests that are under way; a second one does not wait.
#[derive(Debug, Parser)]
#[command(
    name = "async-service",
    version,
    after_help = "GET, PUT, DELETE /products/{id}, POST /products, POST /transfers; README.md of \
        the example has a session.\n\
        Exit status: 0 it was stopped, 1 it could not begin or finish (one line says why), \
        2 wrong arguments."
)]
pub(crate) struct Cli {
    /// Where to listen; with the port 0 the system chooses one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:3000")]
    pub(crate) listen: String,

    /// An SQLite file (created if it does not exist), or a postgres:// URL
    #[arg(long, value_name = "URL", default_value = "async-service.sqlite")]
    pub(crate) database_url: String,

    /// How long a statement waits for another transaction's lock before the answer is 503
    #[arg(long, value_name = "MILLISECONDS", default_value = "5000")]
    pub(crate) lock_timeout: NonZeroU32,

    /// How long requests may take to finish after the service was told to stop
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub(crate) grace: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
