//! What the compiler says about a derive that is wrong (`ui/`), and what it accepts (`ui-pass/`).
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test --test ui`, then read the
//! `.stderr` files as the user who made the mistake.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
    // The compiler lists what every backend of the build can store: here it is SQLite alone.
    cases.compile_fail("ui/one_backend/*.rs");
    cases.pass("ui-pass/*.rs");
}
