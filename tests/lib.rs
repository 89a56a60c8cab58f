//! The tests are in the files beside this one; this library is empty.
