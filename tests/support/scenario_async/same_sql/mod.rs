//! Blocking and asynchronous connections send the same statements in the same order.

mod asynchronous;
mod blocking;

use super::shop;

#[test]
fn the_statements_are_those_of_a_blocking_connection() {
    let (db, _) = shop(9);
    let blocking = blocking::run(&db, &mut crate::plain(&db));
    let (db, _) = shop(9);
    let asynchronous = asynchronous::run(&db, &mut db.connect());
    for (blocking, asynchronous) in blocking.iter().zip(&asynchronous) {
        assert_eq!(blocking, asynchronous);
        assert!(!blocking.1.is_empty(), "{} sends nothing", blocking.0);
    }
    assert_eq!(blocking.len(), asynchronous.len());
    assert!(blocking.len() > 20);
}
