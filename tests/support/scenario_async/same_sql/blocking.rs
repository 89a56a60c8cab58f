//! The steps on Diesel's own connection.

use crate::Plain as Conn;
use diesel_versioned::prelude;

#[path = "steps.rs"]
mod steps;

pub use steps::run;
