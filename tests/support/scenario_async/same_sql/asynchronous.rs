//! The steps on a connection of diesel-async.

use crate::Conn;
use crate::flavor::prelude;

#[allow(
    clippy::duplicate_mod,
    reason = "one source, with each flavor's own names in it"
)]
#[path = "steps.rs"]
mod steps;

pub use steps::run;
