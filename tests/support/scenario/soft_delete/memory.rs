//! What the copy says that a whole write, or one under a lease, was given.

use std::time::Duration;

use diesel_versioned::lease::Lease;

use super::{Note, far_past, note, notes, store};
use crate::flavor::prelude::*;

#[test]
fn under_a_lease() {
    let db = store(1);
    db.make_own_tables();
    let conn = &mut db.connect();
    let mut mine = Note::find(conn, 1).unwrap();
    let lease = Lease::acquire(conn, &mine, "maria", Duration::from_secs(60)).unwrap();
    lease.delete(conn, &mut mine).unwrap();
    assert!(mine.deleted_at.is_some());
    assert_eq!(notes(&db), [mine.clone()]);
    // The copy is fresh: it can be restored.
    mine.restore(conn).unwrap();
    mine.deleted_at = far_past();
    lease.save(conn, &mut mine).unwrap();
    assert_eq!(notes(&db), [mine]);
}

#[test]
fn after_a_save_of_many() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut mine = [1, 2].map(|id| Note {
        deleted_at: far_past(),
        text: "mine".to_owned(),
        ..note(id)
    });
    Note::save_all(conn, &mut mine).unwrap();
    assert_eq!(notes(&db), mine);
}
