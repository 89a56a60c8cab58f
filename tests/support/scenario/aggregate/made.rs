//! Children that are made when the unit runs, of parents whose keys the database makes.

use diesel::prelude::*;
use diesel_versioned::Versioned;

use super::{Floor, House, Read, Unit, floor, house, moved, read, room, town};
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Order;
use crate::support::schema::{nodes, order_lines, orders};

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = order_lines, belongs_to(Order))]
#[versioned(touches(Order))]
struct Line {
    #[diesel(skip_insertion)]
    id: i32,
    order_id: i32,
    product_id: i32,
    quantity: i32,
    #[version]
    version: i32,
}

/// A row whose parent is of its own type.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = nodes, belongs_to(Node, foreign_key = parent_id))]
#[versioned(touches(Node))]
struct Node {
    #[diesel(skip_insertion)]
    id: i32,
    parent_id: Option<i32>,
    label: String,
    #[version]
    version: i32,
}

fn line(order_id: i32) -> Line {
    Line {
        id: 0,
        order_id,
        product_id: 1,
        quantity: 1,
        version: 0,
    }
}

fn shop() -> TestDb {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (1, 'lamp', 100, 10, 1)");
    db
}

/// The versions of the orders.
fn versions(db: &TestDb) -> Vec<i32> {
    let versions = orders::table.select(orders::version).order(orders::id);
    versions.load(&mut db.connect()).unwrap()
}

fn order(uow: &mut UnitOfWork<crate::Conn>, name: &str) -> Handle<Order> {
    let order = Order {
        id: 0,
        customer: name.to_owned(),
        total_cents: 0,
        version: 0,
    };
    uow.insert(order).unwrap()
}

#[test]
fn lines_of_a_new_order_do_not_move_it_and_later_ones_do() {
    let db = shop();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let order = order(&mut uow, "Ann");
    for _ in 0..3 {
        uow.insert_with(order, |order: &Order| line(order.id))
            .unwrap();
    }
    uow.commit(conn).unwrap();
    assert_eq!((versions(&db), uow[order].version), (vec![1], 1));

    for _ in 0..3 {
        uow.insert_with(order, |order: &Order| line(order.id))
            .unwrap();
    }
    uow.commit(conn).unwrap();
    assert_eq!((versions(&db), uow[order].version), (vec![2], 2));

    let mut stale = Unit::new();
    let handle = stale
        .attach(Order {
            version: 1,
            ..uow[order].clone()
        })
        .unwrap();
    stale
        .insert_with(handle, |order: &Order| line(order.id))
        .unwrap();
    let error = stale.commit(conn).unwrap_err();
    assert_eq!(error.code(), "conflict.modified");
    let lines: i64 = order_lines::table.count().get_result(conn).unwrap();
    assert_eq!((versions(&db), lines), (vec![2], 6));
}

#[test]
fn a_line_that_says_another_order_than_it_was_made_from_is_refused() {
    let db = shop();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let (one, two) = (order(&mut uow, "Ann"), order(&mut uow, "Bob"));
    uow.commit(conn).unwrap();
    let other = uow[two].id;
    let made = uow.insert_with(one, move |_: &Order| line(other)).unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "unit.invalid");
    assert!(
        error.to_string().contains("made when the unit runs"),
        "{error}"
    );
    assert_eq!(versions(&db), [1, 1]);
    uow.touch(two);
    uow.commit(conn).unwrap();
    assert_eq!(uow[made].order_id, other);
    assert_eq!(versions(&db), [2, 2]);
}

#[test]
fn a_row_that_is_made_from_a_grandparent_touches_the_parent_that_is_known() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        floors,
        ..
    } = read(conn, &[1, 11]);
    uow.insert_with(houses[0], |_: &House| room(114)).unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`floors` 11 cannot be written"),
        "{error}"
    );
    uow[floors[0]].name = "changed".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (11, 2)]);

    let new = uow
        .insert_with(houses[0], |house: &House| floor(10 * house.id + 3))
        .unwrap();
    uow.insert_with(new, |floor: &Floor| room(10 * floor.id + 1))
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 3), (11, 2)]);
    let mut uow = Unit::new();
    let house = uow.insert(house(4)).unwrap();
    let floor = uow
        .insert_with(house, |house: &House| floor(10 * house.id + 1))
        .unwrap();
    uow.insert_with(floor, |floor: &Floor| room(10 * floor.id + 1))
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 3), (11, 2)]);
}

#[test]
fn all_that_are_above_a_row_of_its_own_type_move_once() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let node = |parent_id| Node {
        id: 0,
        parent_id,
        label: "node".to_owned(),
        version: 0,
    };
    let mut uow = Unit::new();
    let root = uow.insert(node(None)).unwrap();
    let child = move |parent: &Node| node(Some(parent.id));
    let left = uow.insert_with(root, child).unwrap();
    let right = uow.insert_with(root, child).unwrap();
    let leaf = uow.insert_with(left, child).unwrap();
    uow.commit(conn).unwrap();
    let versions = |uow: &Unit| [root, left, right, leaf].map(|node| uow[node].version);
    assert_eq!(versions(&uow), [1, 1, 1, 1]);
    uow[leaf].label = "leaf".to_owned();
    uow[left].label = "left".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(versions(&uow), [2, 2, 1, 2]);
    uow[leaf].parent_id = Some(uow[right].id);
    uow.commit(conn).unwrap();
    assert_eq!(versions(&uow), [3, 3, 2, 3]);
    // Its own parent.
    uow[leaf].parent_id = Some(uow[leaf].id);
    uow.commit(conn).unwrap();
    assert_eq!(versions(&uow), [4, 3, 3, 4]);
    for node in [root, left, right, leaf] {
        assert_eq!(Node::find(conn, uow[node].id).unwrap(), uow[node]);
    }
}
