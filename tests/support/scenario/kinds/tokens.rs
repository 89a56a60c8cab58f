//! What holds for tokens alone: they never come again.

/// The scenarios of a kind that `kind!` has made and that is a token.
macro_rules! token {
    ($name:ident) => {
        mod $name {
            use diesel_versioned::Operation;

            use crate::flavor::prelude::*;
            use crate::kinds::$name::{Thing, store, thing};
            use crate::support::scenario::outcome::conflict;

            #[test]
            fn a_row_that_was_inserted_again_does_not_pass_for_the_old_one() {
                let db = store();
                let conn = &mut db.connect();
                let mut old = thing(1);
                old.insert(conn).unwrap();
                old.clone().delete(conn).unwrap();
                let mut new = thing(1);
                new.insert(conn).unwrap();
                for write in [Thing::save, Thing::touch, Thing::delete] {
                    let lost = conflict(write(&mut old, conn));
                    assert_eq!(lost.kind(), ConflictKind::Modified);
                    assert_eq!(lost.current(), Some(&new));
                }
                // Nor in one unit.
                let mut uow = UnitOfWork::new();
                let gone: Handle<Thing> = uow.attach(new.clone()).unwrap();
                uow.delete(gone);
                uow.insert(thing(1)).unwrap();
                uow.commit(conn).unwrap();
                assert!(new.save(conn).unwrap_err().is_conflict());
            }

            #[test]
            fn the_rows_of_a_commit_share_a_token_that_no_other_has() {
                let db = store();
                let conn = &mut db.connect();
                let mut uow = UnitOfWork::new();
                let handles: Vec<Handle<Thing>> =
                    (1..=10).map(|id| uow.insert(thing(id)).unwrap()).collect();
                uow.commit(conn).unwrap();
                let mut seen = vec![uow[handles[0]].version.clone()];
                for _ in 0..5 {
                    for &handle in &handles {
                        uow.touch(handle);
                    }
                    let done = uow.commit(conn).unwrap();
                    let new = uow[handles[0]].version.clone();
                    for row in done.of::<Thing>() {
                        assert_eq!(row.operation, Operation::Touch);
                        assert_eq!(
                            (row.old_version, row.new_version),
                            (seen.last(), Some(&new))
                        );
                    }
                    assert!(!seen.contains(&new));
                    seen.push(new);
                }
            }
        }
    };
}
pub(crate) use token;
