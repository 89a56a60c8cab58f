//! The tests are in the files beside this one. This library holds the README, so that its code
//! blocks are compiled and run.

#[doc = include_str!("../README.md")]
pub struct Readme;
