//! A hash of what a row holds, for clients that bring it back.

use super::{Card, address_book, find, lost};
use crate::flavor::prelude::*;

/// Computed by another program, from what the documentation says; the same on every database.
const HASH: &str = "4a4001737a76f15e5b52da71e65b3d751b2747d60d58ddcf17cdfdf4a985dad2";

#[test]
fn the_hash_of_a_row_is_the_same_everywhere() {
    let db = address_book(1);
    let mut card: Card = find(&db, 1);
    assert_eq!(card.content_hash().to_string(), HASH);
    // What is not compared is not hashed.
    (card.note, card.seen) = ("other".to_owned(), 9);
    assert_eq!(card.content_hash().to_string(), HASH);
    let hash = card.content_hash();
    for change in [
        |card: &mut Card| card.age = None,
        |card: &mut Card| card.email = None,
        |card: &mut Card| card.name.push('!'),
        |card: &mut Card| card.weight = 70.100_000_000_000_01,
    ] {
        let mut other = card.clone();
        change(&mut other);
        assert_ne!(other.content_hash(), hash);
    }
}

#[test]
fn what_was_hashed_is_what_guards_the_write() {
    let db = address_book(2);
    let conn = &mut db.connect();
    let token = find::<Card>(&db, 1).content_hash();
    db.execute("UPDATE contacts SET note = 'theirs' WHERE id = 1");

    // A later request: the row as it is now, what the client has seen of it, and the write.
    let loaded: Card = find(&db, 1);
    assert_eq!(loaded.content_hash(), token);
    db.execute("UPDATE contacts SET age = NULL WHERE id = 1");
    let mut mine = loaded.clone();
    mine.name = "mine".to_owned();
    let conflict = lost(mine.save_changes(conn, &loaded));
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_ne!(conflict.current().unwrap().content_hash(), token);

    let loaded: Card = find(&db, 2);
    let mut mine = loaded.clone();
    mine.name = "mine".to_owned();
    mine.save_changes(conn, &loaded).unwrap();
    assert_eq!(mine.content_hash(), find::<Card>(&db, 2).content_hash());
}

#[cfg(feature = "http")]
#[test]
fn the_hash_is_the_entity_tag() {
    use diesel_versioned::http::{HttpDsl, IfMatch};

    let db = address_book(1);
    let loaded: Card = find(&db, 1);
    let etag = loaded.etag();
    assert_eq!(etag.to_string(), format!("\"v{HASH}\""));
    let if_match: IfMatch = etag.to_string().parse().unwrap();
    loaded.expect_loaded(&if_match).unwrap();
    db.execute("UPDATE contacts SET weight = 1");
    let error = find::<Card>(&db, 1).expect_loaded(&if_match).unwrap_err();
    assert_eq!(error.code(), "precondition.failed");

    let mut uow = super::Unit::new();
    let stale: Handle<Card> = uow.attach(loaded).unwrap();
    uow[stale].age = Some(1);
    let conflicts = super::all_lost(uow.commit(&mut db.connect()));
    let current = conflicts.iter().next().unwrap().etag().unwrap();
    assert_eq!(current, find::<Card>(&db, 1).etag());
}
