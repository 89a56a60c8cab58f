//! A deletion that conflicted and is insisted on.

use diesel_versioned::Actor;

use super::{Note, notes, store};
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;

#[test]
fn the_row_comes_back_as_it_stands() {
    let db = store(1);
    let conn = &mut db.connect();
    db.make_own_tables();
    let mut mine = Note::find(conn, 1).unwrap();
    let mut theirs = mine.clone();
    theirs.text = "theirs".to_owned();
    theirs.save(conn).unwrap();
    mine.text = "mine".to_owned();
    let lost = conflict(mine.delete(conn));
    let mut gone = lost
        .overwrite(conn, Actor::new("ann").unwrap(), "it is nonsense")
        .unwrap();
    assert!(gone.deleted_at.is_some());
    assert_eq!((&*gone.text, gone.version), ("theirs", 3));
    assert_eq!(notes(&db), [gone.clone()]);
    // The copy is fresh.
    gone.restore(conn).unwrap();
    let lost = conflict(mine.purge(conn));
    let purged = lost.overwrite(conn, Actor::new("ann").unwrap(), "it is nonsense");
    assert_eq!(purged.unwrap(), gone);
    assert_eq!(notes(&db), []);
}
