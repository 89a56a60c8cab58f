//! The harness itself: databases, tables, recorder and races work before anything else is blamed.

use diesel::prelude::*;

use crate::support::schema::{
    accounts, customers, documents, nodes, order_lines, orders, products, stock_levels,
};
use crate::support::{Queries, TestBackend, TestDb, race};

#[test]
fn every_table_takes_and_gives_a_row() {
    let db = TestDb::new();
    let conn = &mut db.connect();

    diesel::insert_into(products::table)
        .values((
            products::id.eq(42),
            products::name.eq("Lamp"),
            products::price_cents.eq(2_999_i64),
            products::stock.eq(5),
            products::version.eq(1),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        products::table
            .first::<(i32, String, i64, i32, i32)>(conn)
            .unwrap(),
        (42, "Lamp".to_owned(), 2_999, 5, 1)
    );

    diesel::insert_into(orders::table)
        .values((
            orders::customer.eq("Ada"),
            orders::total_cents.eq(5_998_i64),
            orders::version.eq(1),
        ))
        .execute(conn)
        .unwrap();
    let order = orders::table
        .first::<(i32, String, i64, i32)>(conn)
        .unwrap();
    assert_eq!(order, (1, "Ada".to_owned(), 5_998, 1));

    diesel::insert_into(order_lines::table)
        .values((
            order_lines::order_id.eq(order.0),
            order_lines::product_id.eq(42),
            order_lines::quantity.eq(2),
            order_lines::version.eq(1),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        order_lines::table
            .inner_join(orders::table)
            .inner_join(products::table)
            .select((orders::customer, products::name, order_lines::quantity))
            .first::<(String, String, i32)>(conn)
            .unwrap(),
        ("Ada".to_owned(), "Lamp".to_owned(), 2)
    );

    diesel::insert_into(stock_levels::table)
        .values((
            stock_levels::warehouse.eq(1),
            stock_levels::sku.eq("A-7"),
            stock_levels::quantity.eq(3),
            stock_levels::version.eq(1_i64),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        stock_levels::table
            .find((1, "A-7"))
            .first::<(i32, String, i32, i64)>(conn)
            .unwrap(),
        (1, "A-7".to_owned(), 3, 1)
    );

    diesel::insert_into(accounts::table)
        .values((
            accounts::id.eq(7_i64),
            accounts::email.eq("ada@example.org"),
            accounts::nickname.eq(None::<String>),
            accounts::balance.eq(100_i64),
            accounts::version.eq(1_i16),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        accounts::table
            .first::<(i64, String, Option<String>, i64, i16)>(conn)
            .unwrap(),
        (7, "ada@example.org".to_owned(), None, 100, 1)
    );

    diesel::insert_into(documents::table)
        .values((
            documents::id.eq(1),
            documents::title.eq("Terms"),
            documents::type_.eq("legal"),
            documents::position.eq(3),
            documents::body.eq(Some("…")),
            documents::lock_version.eq(1),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        documents::table
            .filter(documents::position.eq(3))
            .first::<(i32, String, String, i32, Option<String>, i32)>(conn)
            .unwrap(),
        (
            1,
            "Terms".to_owned(),
            "legal".to_owned(),
            3,
            Some("…".to_owned()),
            1
        )
    );

    for parent in [None, Some(1)] {
        diesel::insert_into(nodes::table)
            .values((
                nodes::parent_id.eq(parent),
                nodes::label.eq("node"),
                nodes::version.eq(1),
            ))
            .execute(conn)
            .unwrap();
    }
    assert_eq!(
        nodes::table
            .order(nodes::id)
            .select((nodes::id, nodes::parent_id))
            .load::<(i32, Option<i32>)>(conn)
            .unwrap(),
        [(1, None), (2, Some(1))]
    );

    diesel::insert_into(customers::table)
        .values((
            customers::id.eq(1),
            customers::name.eq("Ada"),
            customers::street.eq("St James's Square"),
            customers::city.eq("London"),
            customers::version.eq(1),
        ))
        .execute(conn)
        .unwrap();
    assert_eq!(
        customers::table
            .select((customers::street, customers::city))
            .first::<(String, String)>(conn)
            .unwrap(),
        ("St James's Square".to_owned(), "London".to_owned())
    );
}

#[test]
fn a_test_has_its_database_for_itself() {
    let (one, other) = (TestDb::new(), TestDb::new());
    one.execute("INSERT INTO products VALUES (1, 'Lamp', 100, 1, 1)");
    let count = |db: &TestDb| {
        products::table
            .count()
            .get_result::<i64>(&mut db.connect())
            .unwrap()
    };
    assert_eq!((count(&one), count(&other)), (1, 0));
}

#[test]
fn foreign_keys_are_enforced() {
    let db = TestDb::new();
    let refused = diesel::insert_into(order_lines::table)
        .values((
            order_lines::order_id.eq(1),
            order_lines::product_id.eq(1),
            order_lines::quantity.eq(1),
            order_lines::version.eq(1),
        ))
        .execute(&mut db.connect());
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn text_is_compared_byte_by_byte() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 100, 1, 1)");
    let named = |name: &str, conn: &mut crate::Conn| {
        products::table
            .filter(products::name.eq(name.to_owned()))
            .count()
            .get_result::<i64>(conn)
            .unwrap()
    };
    assert_eq!((named("Lamp", conn), named("lamp", conn)), (1, 0));
}

#[test]
fn the_recorder_sees_every_statement() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    conn.transaction(|conn| {
        diesel::update(products::table.find(1))
            .set(products::stock.eq(2))
            .execute(conn)
    })
    .unwrap();
    let texts = queries.take();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[0], "BEGIN");
    assert!(texts[1].starts_with("UPDATE"), "{texts:?}");
    assert!(!texts[1].contains("binds"), "{texts:?}");
    assert_eq!(texts[2], "COMMIT");
    assert_eq!(queries.count(), 0);
}

#[test]
fn racers_run_together_and_lose_no_increment() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 100, 0, 1)");
    let rows = race(&db, 50, |_, conn| {
        diesel::update(products::table.find(1))
            .set(products::stock.eq(products::stock + 1))
            .execute(conn)
            .unwrap()
    });
    assert_eq!(rows, vec![1; 50]);
    let stock: i32 = products::table
        .select(products::stock)
        .first(&mut db.connect())
        .unwrap();
    assert_eq!(stock, 50);
}

#[test]
fn a_killed_session_is_noticed() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    db.execute(&kill);
    assert!(
        products::table.count().get_result::<i64>(conn).is_err(),
        "the connection still works"
    );
}

#[test]
fn a_refused_update_is_no_error_and_no_row() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 100, 0, 1)");
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    db.execute(refuse);
    let rows = diesel::update(products::table.find(1))
        .set(products::stock.eq(9))
        .execute(&mut db.connect())
        .unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn matched_rows_are_counted_though_nothing_changes() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 100, 0, 1)");
    let rows = diesel::update(products::table.find(1))
        .set(products::stock.eq(0))
        .execute(&mut db.connect())
        .unwrap();
    assert_eq!(rows, 1);
}
