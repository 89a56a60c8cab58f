//! Inserts: each entity gets its own row's key, and rows that need the key of another one wait.

use std::collections::HashMap;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;

use super::{Unit, failure, product, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Node, Order, OrderLine, Product, StockLevel};
use crate::support::schema::{nodes, order_lines, orders};
use crate::support::{Queries, TestBackend, TestDb};

fn order(customer: impl Into<String>) -> Order {
    Order {
        id: -1,
        customer: customer.into(),
        total_cents: 0,
        version: 9,
    }
}

fn line(order: &Order, quantity: i32) -> OrderLine {
    OrderLine {
        id: -1,
        order_id: order.id,
        product_id: 1,
        quantity,
        version: 9,
    }
}

fn node(parent: Option<i32>, label: &str) -> Node {
    Node {
        id: -1,
        parent_id: parent,
        label: label.into(),
        version: 9,
    }
}

#[test]
fn an_insert_writes_the_initial_version_whatever_the_field_holds() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [0, 7, -3].map(|version| {
        uow.insert(Product {
            version,
            ..product(10 + version)
        })
        .unwrap()
    });
    assert_eq!(uow.commit(conn).unwrap().len(), 3);
    assert_eq!(stocks(conn), [(7, 10, 1), (10, 10, 1), (17, 10, 1)]);
    assert!(handles.iter().all(|&handle| uow[handle].version == 1));
}

#[test]
fn every_entity_of_a_batch_gets_the_key_of_its_own_row() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles: Vec<Handle<Order>> = (0..700)
        .map(|number| uow.insert(order(format!("customer {number}"))).unwrap())
        .collect();
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 700);
    if Conn::LONE_INSERT_RETURNS {
        assert!(queries.count() < 20, "{} statements", queries.count());
    }
    let rows: HashMap<i32, String> = orders::table
        .select((orders::id, orders::customer))
        .load(conn)
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(rows.len(), 700);
    for (number, &handle) in handles.iter().enumerate() {
        let entity = &uow[handle];
        assert_eq!(rows[&entity.id], format!("customer {number}"));
        assert_eq!((&entity.customer, entity.version), (&rows[&entity.id], 1));
    }
    // By these keys they are tracked from now on.
    let some = &uow[handles[350]];
    assert_eq!(uow.handle(some.id), Some(handles[350]));
    for &handle in &handles {
        uow[handle].total_cents = 5;
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 700);
}

#[test]
fn a_child_gets_the_generated_key_of_its_parent() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let parent = uow.insert(order("Ada")).unwrap();
    let child = uow.insert_with(parent, |order| line(order, 3)).unwrap();
    assert_eq!(uow.get(child), None, "it is made when the unit runs");
    assert!(uow.is_dirty(child));
    assert_eq!(uow.len(), 2);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(uow[child].order_id, uow[parent].id);
    let stands: OrderLine = order_lines::table.first(conn).unwrap();
    assert_eq!(stands, uow[child]);
    assert_eq!((stands.quantity, stands.version), (3, 1));
    uow[child].quantity = 4;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}

#[test]
fn hundreds_of_children_are_batched_and_find_their_parents() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mut families = Vec::new();
    for number in 0..60 {
        let parent = uow.insert(order(format!("customer {number}"))).unwrap();
        for quantity in 0..5 {
            let quantity = number * 100 + quantity;
            let child = uow.insert_with(parent, move |order| line(order, quantity));
            families.push((parent, child.unwrap(), quantity));
        }
    }
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 360);
    if Conn::LONE_INSERT_RETURNS {
        assert!(queries.count() < 20, "{} statements", queries.count());
    }
    let rows: HashMap<i32, OrderLine> = order_lines::table
        .load::<OrderLine>(conn)
        .unwrap()
        .into_iter()
        .map(|row| (row.id, row))
        .collect();
    for (parent, child, quantity) in families {
        let child = &uow[child];
        assert_eq!(&rows[&child.id], child);
        assert_eq!((child.order_id, child.quantity), (uow[parent].id, quantity));
        assert_eq!(uow[parent].customer, format!("customer {}", quantity / 100));
    }
}

#[test]
fn a_tree_in_one_table_grows_level_by_level() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let root = uow.insert(node(None, "root")).unwrap();
    let child_of = |label: &'static str| {
        move |parent: &Node| node(Some(parent.id), &format!("{}/{label}", parent.label))
    };
    let a = uow.insert_with(root, child_of("a")).unwrap();
    let a1 = uow.insert_with(a, child_of("1")).unwrap();
    let deepest = uow.insert_with(a1, child_of("x")).unwrap();
    let b = uow.insert_with(root, child_of("b")).unwrap();
    let other = uow.insert(node(None, "other")).unwrap();
    assert_eq!(uow.commit(conn).unwrap().len(), 6);
    assert_eq!(uow[deepest].label, "root/a/1/x");
    for (child, parent) in [(deepest, a1), (a1, a), (a, root), (b, root)] {
        assert_eq!(uow[child].parent_id, Some(uow[parent].id));
    }
    assert_eq!(uow[other].parent_id, None);
    let mut rows: Vec<Node> = nodes::table.load(conn).unwrap();
    rows.sort_by_key(|row| row.id);
    let mut mine: Vec<Node> = [root, a, a1, deepest, b, other]
        .iter()
        .map(|&handle| uow[handle].clone())
        .collect();
    mine.sort_by_key(|row| row.id);
    assert_eq!(rows, mine);
}

#[test]
fn a_parent_may_stand_in_the_database_already() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut first = Unit::new();
    let placed = first.insert(order("Ada")).unwrap();
    first.commit(conn).unwrap();
    let id = first[placed].id;

    let mut uow = Unit::new();
    let parent: Handle<Order> = uow.find(conn, id).unwrap();
    uow[parent].total_cents = 8;
    let child = uow
        .insert_with(parent, |order| {
            assert_eq!(order.total_cents, 8, "as I changed it");
            line(order, 2)
        })
        .unwrap();
    let grandchild = uow
        .insert_with(child, |line| StockLevel {
            warehouse: line.id,
            sku: "A".into(),
            quantity: line.quantity,
            version: 0,
        })
        .unwrap();
    assert_eq!(uow.commit(conn).unwrap().len(), 3);
    assert_eq!(uow[child].order_id, id);
    assert_eq!(uow[grandchild].warehouse, uow[child].id);
    assert_eq!(
        uow.handle((uow[child].id, "A".to_owned())),
        Some(grandchild)
    );
}

#[test]
fn without_the_parent_there_is_no_child() {
    let db = shop(1);
    let conn = &mut db.connect();
    for delete in [false, true] {
        let mut uow = Unit::new();
        let parent = uow.insert(order("Ada")).unwrap();
        let child = uow.insert_with(parent, |order| line(order, 1)).unwrap();
        let grandchild = uow.insert_with(child, |_| product(77)).unwrap();
        let other = uow.insert(order("Bob")).unwrap();
        let others_child = uow.insert_with(other, |order| line(order, 2)).unwrap();
        if delete {
            uow.delete(parent);
        } else {
            uow.discard(parent);
        }
        assert_eq!(uow.len(), 2);
        assert_eq!(uow.commit(conn).unwrap().len(), 2);
        assert_eq!((uow.get(child), uow.get(grandchild)), (None, None));
        assert_eq!(uow[others_child].order_id, uow[other].id);
    }
    assert_eq!(stocks(conn), [(1, 10, 1)]);
}

#[test]
fn a_child_may_be_taken_out_alone() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let parent = uow.insert(order("Ada")).unwrap();
    let gone = uow.insert_with(parent, |order| line(order, 1)).unwrap();
    let deleted = uow.insert_with(parent, |order| line(order, 2)).unwrap();
    let stays = uow.insert_with(parent, |order| line(order, 3)).unwrap();
    uow.discard(gone);
    uow.delete(deleted);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(uow[stays].quantity, 3);
    let count: i64 = order_lines::table.count().get_result(conn).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_unit_that_failed_makes_its_rows_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let parent = uow.insert(order("Ada")).unwrap();
    let mut made = 0;
    let child = uow
        .insert_with(parent, move |order| {
            made += 1;
            line(order, made)
        })
        .unwrap();
    let mut attempts = 0;
    uow.also(move |_| {
        attempts += 1;
        if attempts < 3 {
            return Err(Error::RollbackTransaction);
        }
        Ok(())
    });
    for _ in 0..2 {
        assert!(!failure(uow.commit(conn)).is_conflict());
        assert_eq!(uow.get(child), None);
        assert_eq!(uow[parent], order("Ada"));
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(uow[child].order_id, uow[parent].id);
    assert_eq!(uow[child].quantity, 3);
    let count: i64 = orders::table.count().get_result(conn).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn inserts_keep_the_order_in_which_they_were_given() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles: Vec<Handle<Order>> = (0..40)
        .map(|number| uow.insert(order(format!("{}", 99 - number))).unwrap())
        .collect();
    uow.commit(conn).unwrap();
    let ids: Vec<i32> = handles.iter().map(|&handle| uow[handle].id).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

mod uncounted {
    //! A table whose key the database makes, but does not count.

    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    diesel::table! {
        tickets (id) { id -> Integer, label -> Text, version -> Integer }
    }

    #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
    #[diesel(table_name = tickets)]
    pub struct Ticket {
        #[diesel(skip_insertion)]
        pub id: i32,
        pub label: String,
        #[version]
        pub version: i32,
    }

    /// The next row is number 7.
    pub const SCHEMA: &str = "CREATE TABLE tickets (id INT NOT NULL DEFAULT 7 PRIMARY KEY,
            label VARCHAR(32) NOT NULL, version INTEGER NOT NULL);
         INSERT INTO tickets VALUES (1, 'someone else''s', 1)";
}

#[test]
fn a_key_that_the_database_does_not_count_is_not_taken_for_an_earlier_one() {
    use uncounted::{SCHEMA, Ticket, tickets};

    type Insert = fn(&mut Ticket, &mut Conn) -> Result<(), Error>;
    let alone: Insert = |ticket, conn| match ticket.insert(conn) {
        Err(SaveError::Database(source)) => Err(source),
        Err(error) => panic!("{error:?}"),
        Ok(()) => Ok(()),
    };
    let in_a_unit: Insert = |ticket, conn| {
        let mut uow = Unit::new();
        let handle = uow.insert(ticket.clone()).unwrap();
        match uow.commit(conn) {
            Err(CommitError::Database { source, .. }) => return Err(source),
            result => drop(result.unwrap()),
        }
        *ticket = uow[handle].clone();
        Ok(())
    };
    for insert in [alone, in_a_unit] {
        let db = TestDb::new();
        let conn = &mut db.connect();
        conn.batch_execute(SCHEMA).unwrap();
        // The connection was given the key 1 before: that of a ticket, if one believes it.
        let mut earlier = order("Ada");
        earlier.insert(conn).unwrap();
        assert_eq!(earlier.id, 1);

        let mut mine = Ticket {
            id: -1,
            label: "mine".into(),
            version: 9,
        };
        let before = mine.clone();
        let result = insert(&mut mine, conn);
        let ids: Vec<i32> = tickets::table.select(tickets::id).load(conn).unwrap();
        if Conn::LONE_INSERT_RETURNS {
            assert_eq!(result, Ok(()));
            assert_eq!((mine.id, mine.label.as_str(), mine.version), (7, "mine", 1));
            assert_eq!(ids.len(), 2);
        } else {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("`tickets`"), "{error}");
            assert!(error.contains("must be AUTO_INCREMENT"), "{error}");
            assert_eq!(mine, before);
            assert_eq!(ids, [1], "nothing is written");
        }
    }
}
