//! The tests are in the files beside this one. This library holds the README, so that its code
//! blocks are compiled and run.

// One of the blocks needs diesel-async, one the crate `http`.
#[cfg_attr(all(feature = "async", feature = "http"), doc = include_str!("../README.md"))]
#[cfg_attr(
    not(all(feature = "async", feature = "http")),
    doc = "The README, with the features `async` and `http`."
)]
pub struct Readme;
