//! The example asserts what it says; here it is run.

use std::process::Command;

#[test]
fn the_quickstart_runs() {
    let output = Command::new(env!("CARGO_BIN_EXE_quickstart"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("modified, expected 1, found Some(2)"),
        "{said}"
    );
    assert!(said.contains("  price_cents differs\n"), "{said}");
    assert!(said.ends_with("Insert of products 43\n"), "{said}");
}
