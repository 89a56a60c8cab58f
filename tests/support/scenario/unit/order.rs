//! The order of a unit's statements, on real foreign keys and unique columns.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::{Unit, failure, product, shop};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Node, Order, OrderLine, Product};
use crate::support::schema::{accounts, nodes, order_lines, orders};
use crate::support::{Queries, TestDb};

/// Order 1 with line 1, order 2 with line 2, both of product 1.
fn with_orders() -> (TestDb, Conn) {
    let db = shop(1);
    let mut conn = db.connect();
    for sql in [
        "INSERT INTO orders (customer, total_cents, version) VALUES ('Ada', 0, 1), ('Bob', 0, 1)",
        "INSERT INTO order_lines (order_id, product_id, quantity, version) \
         VALUES (1, 1, 1, 1), (2, 1, 1, 1)",
    ] {
        conn.batch_execute(sql).unwrap();
    }
    (db, conn)
}

/// An order whose key the caller assigns.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = orders)]
struct NumberedOrder {
    id: i32,
    customer: String,
    total_cents: i64,
    #[version]
    version: i32,
}

/// Its line; the types join in the wrong order on purpose.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = order_lines, belongs_to(NumberedOrder, foreign_key = order_id))]
struct NumberedLine {
    id: i32,
    order_id: i32,
    product_id: i32,
    quantity: i32,
    #[version]
    version: i32,
}

fn numbered(id: i32) -> NumberedOrder {
    NumberedOrder {
        id,
        customer: "Ada".into(),
        total_cents: 0,
        version: 0,
    }
}

fn numbered_line(id: i32, order_id: i32) -> NumberedLine {
    NumberedLine {
        id,
        order_id,
        product_id: 1,
        quantity: 1,
        version: 0,
    }
}

#[test]
fn rule_13_parents_are_inserted_before_their_children() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [5, 4] {
        uow.insert(numbered_line(id, id)).unwrap();
    }
    for id in [4, 5] {
        uow.insert(numbered(id)).unwrap();
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 4);
}

#[test]
fn parents_are_inserted_before_a_child_moves_to_them() {
    let (_db, mut conn) = with_orders();
    let mut uow = Unit::new();
    let child: Handle<NumberedLine> = uow.find(&mut conn, 1).unwrap();
    uow[child].order_id = 9;
    uow.insert(numbered(9)).unwrap();
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
}

#[test]
fn rule_13_children_are_deleted_before_their_parents() {
    let (_db, mut conn) = with_orders();
    let mut uow = Unit::new();
    let parent: Handle<Order> = uow.find(&mut conn, 1).unwrap();
    let child: Handle<OrderLine> = uow.find(&mut conn, 1).unwrap();
    uow.delete(parent);
    uow.delete(child);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
    let count: i64 = orders::table.count().get_result(&mut conn).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_child_moves_away_before_its_parent_is_deleted() {
    let (_db, mut conn) = with_orders();
    let mut uow = Unit::new();
    let parent: Handle<Order> = uow.find(&mut conn, 1).unwrap();
    let child: Handle<OrderLine> = uow.find(&mut conn, 1).unwrap();
    uow.delete(parent);
    uow[child].order_id = 2;
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
}

#[test]
fn a_parent_is_replaced_under_its_child() {
    // The child moves from the old parent to a new one: insert, update, delete.
    let (_db, mut conn) = with_orders();
    let mut uow = Unit::new();
    let old: Handle<Order> = uow.find(&mut conn, 1).unwrap();
    let child: Handle<OrderLine> = uow.find(&mut conn, 1).unwrap();
    let gone: Handle<OrderLine> = uow.find(&mut conn, 2).unwrap();
    uow.delete(old);
    uow.delete(gone);
    let new = uow
        .insert(Order {
            id: 0,
            customer: "Eve".into(),
            total_cents: 0,
            version: 0,
        })
        .unwrap();
    let line = uow
        .insert_with(new, |order| OrderLine {
            id: 0,
            order_id: order.id,
            product_id: 1,
            quantity: 7,
            version: 0,
        })
        .unwrap();
    uow[child].order_id = 2;
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 5);
    assert_eq!(uow[line].order_id, uow[new].id);
}

#[test]
fn a_tree_loses_a_branch_after_its_leaves_have_moved() {
    let db = TestDb::new();
    db.execute("INSERT INTO nodes VALUES (1, NULL, 'root', 1)");
    db.execute("INSERT INTO nodes VALUES (2, 1, 'branch', 1)");
    db.execute("INSERT INTO nodes VALUES (3, 2, 'leaf', 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let branch: Handle<Node> = uow.find(conn, 2).unwrap();
    let leaf: Handle<Node> = uow.find(conn, 3).unwrap();
    uow.delete(branch);
    uow[leaf].parent_id = Some(1);
    let committed = uow.commit(conn);
    // `Node` does not say that it belongs to itself, so rows go before they change.
    assert_eq!(failure(committed).code(), "constraint.foreign_key");

    #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
    #[diesel(table_name = nodes, belongs_to(Branch, foreign_key = parent_id))]
    struct Branch {
        id: i32,
        parent_id: Option<i32>,
        label: String,
        #[version]
        version: i32,
    }
    let mut uow = Unit::new();
    let branch: Handle<Branch> = uow.find(conn, 2).unwrap();
    let leaf: Handle<Branch> = uow.find(conn, 3).unwrap();
    uow.delete(branch);
    uow[leaf].parent_id = Some(1);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
}

#[test]
fn what_belongs_to_no_one_joins_in_any_order() {
    let (_db, mut conn) = with_orders();
    let mut uow = Unit::new();
    let line: Handle<OrderLine> = uow.find(&mut conn, 1).unwrap();
    let lamp: Handle<Product> = uow.find(&mut conn, 1).unwrap();
    let order: Handle<Order> = uow.find(&mut conn, 1).unwrap();
    uow[line].quantity = 2;
    uow[lamp].stock = 2;
    uow[order].total_cents = 2;
    uow.insert(product(2)).unwrap();
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 4);
}

fn two_accounts() -> (TestDb, Conn) {
    let db = TestDb::new();
    db.execute("INSERT INTO accounts VALUES (1, 'a', NULL, 0, 1), (2, 'b', NULL, 0, 1)");
    let conn = db.connect();
    (db, conn)
}

fn account(id: i64, email: &str) -> Account {
    Account {
        id,
        email: email.into(),
        nickname: None,
        balance: 0,
        version: 0,
    }
}

fn emails(conn: &mut Conn) -> Vec<(i64, String)> {
    accounts::table
        .select((accounts::id, accounts::email))
        .order(accounts::id)
        .load(conn)
        .unwrap()
}

#[test]
fn a_unique_value_freed_by_a_delete_is_taken_by_an_insert() {
    let (_db, mut conn) = two_accounts();
    let mut uow = Unit::new();
    uow.insert(account(3, "a")).unwrap();
    let old: Handle<Account> = uow.find(&mut conn, 1_i64).unwrap();
    uow.delete(old);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
    assert_eq!(emails(&mut conn), [(2, "b".into()), (3, "a".into())]);
}

#[test]
fn a_unique_value_freed_by_a_delete_is_taken_by_an_update() {
    let (_db, mut conn) = two_accounts();
    let mut uow = Unit::new();
    let [old, other] = [1_i64, 2].map(|id| uow.find::<Account>(&mut conn, id).unwrap());
    uow[other].email = "a".into();
    uow.delete(old);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
    assert_eq!(emails(&mut conn), [(2, "a".into())]);
}

#[test]
fn a_unique_value_freed_by_an_update_is_taken_by_an_insert() {
    let (_db, mut conn) = two_accounts();
    let mut uow = Unit::new();
    uow.insert(account(3, "a")).unwrap();
    let old: Handle<Account> = uow.find(&mut conn, 1_i64).unwrap();
    uow[old].email = "c".into();
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 2);
    assert_eq!(
        emails(&mut conn),
        [(1, "c".into()), (2, "b".into()), (3, "a".into())]
    );
}

#[test]
fn two_unique_values_that_change_places_are_a_violation() {
    // Every backend checks row by row; a free value in between takes two units.
    let (_db, mut conn) = two_accounts();
    let mut uow = Unit::new();
    let [one, two] = [1_i64, 2].map(|id| uow.find::<Account>(&mut conn, id).unwrap());
    uow[one].email = "b".into();
    uow[two].email = "a".into();
    assert_eq!(failure(uow.commit(&mut conn)).code(), "constraint.unique");
    assert_eq!(emails(&mut conn), [(1, "a".into()), (2, "b".into())]);

    uow[one].email = "free".into();
    uow[two].email = "b".into();
    uow.commit(&mut conn).unwrap();
    uow[two].email = "a".into();
    uow.commit(&mut conn).unwrap();
    uow[one].email = "b".into();
    uow.commit(&mut conn).unwrap();
    assert_eq!(emails(&mut conn), [(1, "b".into()), (2, "a".into())]);
}

#[test]
fn rule_13_updates_and_deletes_are_sorted_by_key() {
    // Sixteen rows attached in a random order, sent in the order of their keys.
    let db = shop(16);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [9, 2, 14, 7, 1, 16, 4, 11] {
        let handle: Handle<Product> = uow.find(conn, id).unwrap();
        uow[handle].stock = id;
    }
    for id in [3, 12, 5] {
        let handle: Handle<Product> = uow.find(conn, id).unwrap();
        uow.delete(handle);
    }
    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    let keys: Vec<String> = done.iter().map(|change| change.key().to_owned()).collect();
    assert_eq!(
        keys,
        ["3", "5", "12", "1", "2", "4", "7", "9", "11", "14", "16"]
    );
    let texts = queries.take();
    let first = |word: &str| texts.iter().position(|text| text.contains(word));
    assert!(
        first("DELETE") < first("UPDATE products SET").or(first("SET ")),
        "{texts:?}"
    );
}
