//! Names of tables that come from a record and last as long as those in the program.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The name, kept once for the whole time of the program: there are as few as there are tables.
pub(crate) fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    match names.get(name) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(name.into());
            names.insert(new);
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lasting;

    #[test]
    fn a_name_is_kept_once() {
        let other = String::from("kept once");
        let names = [lasting("kept once"), lasting(&other)];
        assert_eq!(names[0], "kept once");
        assert!(std::ptr::eq(names[0], names[1]));
    }
}
