//! The tests are in the files beside this one. This library holds the README, so that its code
//! blocks are compiled and run.

// One of the blocks needs diesel-async.
#[cfg_attr(feature = "async", doc = include_str!("../README.md"))]
#[cfg_attr(not(feature = "async"), doc = "The README, with the feature `async`.")]
pub struct Readme;
