//! Inserted rows come back, and each is taken for its own.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::{Unit, failure};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Order;
use crate::support::schema::orders;
use crate::support::{TestBackend, TestDb};

diesel::table! {
    swapped_orders (id) { id -> Integer, customer -> Text, total_cents -> BigInt, version -> Integer }
}

/// An order that is written through a view.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = swapped_orders)]
struct SwappedOrder {
    #[diesel(skip_insertion)]
    id: i32,
    customer: String,
    total_cents: i64,
    #[version]
    version: i32,
}

diesel::table! {
    tags (name) { name -> Text, size -> Integer, version -> Integer }
}

/// A row whose key the database may spell in another way.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = tags, primary_key(name))]
struct Tag {
    name: String,
    #[versioned(generated)]
    size: i32,
    #[version]
    version: i32,
}

fn order(customer: &str, total_cents: i64) -> Order {
    Order {
        id: -1,
        customer: customer.into(),
        total_cents,
        version: 0,
    }
}

fn tag(name: &str) -> Tag {
    Tag {
        name: name.into(),
        size: 0,
        version: 0,
    }
}

#[test]
fn rows_are_told_apart_by_what_was_sent_and_not_by_their_order() {
    if Conn::NAME != "PostgreSQL" {
        return; // Only there a trigger says what an insert hands back.
    }
    let db = TestDb::new();
    let conn = &mut db.connect();
    conn.batch_execute(
        r"CREATE VIEW swapped_orders AS SELECT * FROM orders;
          CREATE FUNCTION swap_orders() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
              INSERT INTO orders (customer, total_cents, version)
                  VALUES (NEW.customer, NEW.total_cents, NEW.version) RETURNING id INTO NEW.id;
              IF current_query() ~ '\), \(' THEN
                  IF NEW.customer = 'a' THEN
                      NEW.id := NEW.id + 1; NEW.customer := 'b';
                  ELSE
                      NEW.id := NEW.id - 1; NEW.customer := 'a';
                  END IF;
              END IF;
              RETURN NEW;
          END $$;
          CREATE TRIGGER swap_orders INSTEAD OF INSERT ON swapped_orders
              FOR EACH ROW EXECUTE FUNCTION swap_orders()",
    )
    .unwrap();
    let mut uow = Unit::new();
    let handles = ["a", "b"].map(|customer| {
        let order = SwappedOrder {
            id: -1,
            customer: customer.into(),
            total_cents: 5,
            version: 0,
        };
        uow.insert(order).unwrap()
    });
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    let stands: Vec<Order> = orders::table.order(orders::id).load(conn).unwrap();
    let known = handles.map(|handle| (uow[handle].id, &*uow[handle].customer));
    let stands: Vec<_> = stands.iter().map(|row| (row.id, &*row.customer)).collect();
    assert_eq!(stands, known);
}

#[test]
fn what_a_trigger_makes_of_them_does_not_mix_them_up() {
    // By the sum they can be told apart, then not even by that.
    for totals in [[1, 2, 3], [5, 5, 5]] {
        let db = TestDb::new();
        let conn = &mut db.connect();
        conn.batch_execute(&Conn::capitalize_inserted("orders", "customer"))
            .unwrap();
        let mut uow = Unit::new();
        let names = ["ada", "bob", "cyd"];
        let handles = [0, 1, 2].map(|at| uow.insert(order(names[at], totals[at])).unwrap());
        assert_eq!(uow.commit(conn).unwrap().len(), 3);
        let stands: Vec<Order> = orders::table.order(orders::id).load(conn).unwrap();
        assert_eq!(stands.len(), 3, "nothing of the first try has stayed");
        for (at, handle) in handles.into_iter().enumerate() {
            let row = stands.iter().find(|row| row.id == uow[handle].id).unwrap();
            assert_eq!(row.customer, names[at].to_uppercase());
            assert_eq!((row.total_cents, row.version), (totals[at], 1));
            uow[handle].total_cents = 9;
        }
        assert_eq!(uow.commit(conn).unwrap().len(), 3);
    }
}

/// A table of tags whose keys the database writes in capitals.
fn tags(db: &TestDb, key: &str) -> Conn {
    let mut conn = db.connect();
    let (define, capitals) = (
        Conn::DEFINE_CASE_BLIND_TEXT,
        Conn::capitalize_inserted("tags", "name"),
    );
    conn.batch_execute(&format!(
        "{define} CREATE TABLE tags (name {key} NOT NULL PRIMARY KEY,
             size INTEGER NOT NULL DEFAULT 7, version INTEGER NOT NULL); {capitals}"
    ))
    .unwrap();
    conn
}

#[test]
fn a_row_under_another_spelling_of_its_key_is_found() {
    let db = TestDb::new();
    let conn = &mut tags(&db, Conn::CASE_BLIND_TEXT);
    let mut uow = Unit::new();
    let handles = ["a", "b"].map(|name| uow.insert(tag(name)).unwrap());
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    for (handle, name) in handles.into_iter().zip(["a", "b"]) {
        let expected = Tag {
            size: 7,
            version: 1,
            ..tag(name)
        };
        assert_eq!(
            uow[handle], expected,
            "the copy keeps the program's spelling"
        );
        assert_eq!(uow.handle(name.to_owned()), Some(handle));
        uow.delete(handle);
    }
    let stands: Vec<String> = tags::table.select(tags::name).load(conn).unwrap();
    assert_eq!(stands, ["A", "B"]);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(tags::table.count().get_result(conn), Ok(0));
}

#[test]
fn a_row_that_comes_under_another_key_is_an_error() {
    let db = TestDb::new();
    let conn = &mut tags(&db, Conn::EXACT_TEXT);
    let mut uow = Unit::new();
    let handle = uow.insert(tag("a")).unwrap();
    let error = failure(uow.commit(conn));
    assert_eq!(error.code(), "database", "{error:?}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        source.contains("cannot be read back by its key"),
        "{source}"
    );
    assert_eq!((&*uow[handle].name, uow[handle].size), ("a", 0));
    assert_eq!(tags::table.count().get_result(conn), Ok(0));
}

#[test]
fn a_row_is_not_taken_for_the_one_before_it() {
    if Conn::NAME != "MySQL" {
        return; // The others hand the key back that a trigger gives.
    }
    let db = TestDb::new();
    let conn = &mut db.connect();
    conn.batch_execute(
        "CREATE TRIGGER numbers BEFORE INSERT ON orders FOR EACH ROW
             SET NEW.id = IF(NEW.customer LIKE 'vip%', 1001, NEW.id)",
    )
    .unwrap();
    for customers in [["Ann", "vip Bob"], ["vip Bob", "Ann"]] {
        let mut uow = Unit::new();
        for customer in customers {
            uow.insert(order(customer, 1)).unwrap();
        }
        let error = failure(uow.commit(conn));
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("cannot be found by the key"), "{source}");
        assert_eq!(orders::table.count().get_result(conn), Ok(0));
    }
}
