//! The tests of what the compiler says are beside this file.
