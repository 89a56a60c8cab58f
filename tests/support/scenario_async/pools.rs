//! Connections of bb8, deadpool and mobc: single writes, conflicts and units, in tasks.

use std::sync::{Arc, Mutex};

use diesel::connection::InstrumentationEvent;
use diesel_async::AsyncConnection;
use diesel_async::pooled_connection::{bb8, deadpool, mobc};
use diesel_versioned::async_prelude::*;
use diesel_versioned::{AsyncSet, Dialect, Holds};

use super::{connect, manager, shop};
use crate::flavor::block_on;
use crate::support::entities::{Order, Product};
use crate::support::scenario::single::row;

/// Sells a lamp, loses against that, and sells it again together with an order.
async fn sell<C>(conn: &mut C, id: i32)
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
    Product: VersionedDsl<C>,
    Order: VersionedDsl<C>,
    dyn AsyncSet<C>: Holds<Product> + Holds<Order>,
{
    let mut mine = Product::find(conn, id).await.unwrap();
    let mut stale = mine.clone();
    mine.stock -= 1;
    mine.save(conn).await.unwrap();

    let conflict = stale.save(conn).await.unwrap_err();
    assert_eq!(conflict.conflict().unwrap().current(), Some(&mine));

    let mut uow = UnitOfWork::new();
    let stale = uow.attach(stale).unwrap();
    uow[stale].stock = 0;
    let lost = uow.commit(conn).await.unwrap_err();
    assert!(lost.is_conflict(), "{lost:?}");

    let mut uow = UnitOfWork::new();
    let lamp = uow.find::<Product>(conn, id).await.unwrap();
    uow[lamp].stock -= 1;
    let order = uow
        .insert(Order {
            id: 0,
            customer: format!("customer {id}"),
            total_cents: 1,
            version: 0,
        })
        .unwrap();
    assert_eq!(uow.commit(conn).await.unwrap().len(), 2);
    assert_eq!((uow[lamp].stock, uow[lamp].version), (3, 3));
    let stands = Order::find(conn, uow[order].id).await.unwrap();
    assert_eq!(stands, uow[order]);
}

/// Four tasks share two connections.
macro_rules! in_tasks {
    ($db:ident, $pool:expr, $get:expr) => {{
        let pool = $pool;
        let tasks: Vec<_> = (1..=4)
            .map(|id| {
                let pool = pool.clone();
                tokio::spawn(async move {
                    let mut conn = $get(&pool).await.unwrap();
                    sell(&mut conn, id).await;
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        // What is inside is a connection as well.
        let mut conn = $get(&pool).await.unwrap();
        let mut lamp = Product::find(&mut *conn, 1).await.unwrap();
        lamp.save(&mut *conn).await.unwrap();
        drop(conn);
        assert_eq!(
            at_once(&mut $get(&pool).await.unwrap()).await,
            crate::SENT_AT_ONCE
        );
        for id in 1..=4 {
            assert_eq!(row(&$db, id).stock, 3);
        }
    }};
}

#[test]
fn connections_of_bb8() {
    let (db, _) = shop(4);
    block_on(async {
        let pool = bb8::Pool::builder().max_size(2).build(manager(&db)).await;
        in_tasks!(db, pool.unwrap(), bb8::Pool::get_owned);
    });
}

#[test]
fn connections_of_deadpool() {
    let (db, _) = shop(4);
    block_on(async {
        let pool = deadpool::Pool::builder(manager(&db)).max_size(2).build();
        in_tasks!(db, pool.unwrap(), deadpool::Pool::get);
    });
}

#[test]
fn connections_of_mobc() {
    let (db, _) = shop(4);
    block_on(async {
        let pool = mobc::Pool::builder().max_open(2).build(manager(&db));
        in_tasks!(db, pool, mobc::Pool::get);
    });
}

#[test]
fn a_connection_without_a_pool_sends_at_once_where_one_with_does() {
    let (db, _) = shop(4);
    let sent = block_on(async { at_once(&mut connect(&db).await).await });
    assert_eq!(sent, crate::SENT_AT_ONCE);
}

/// Whether a unit sends its second update before the first one is answered.
async fn at_once<C>(conn: &mut C) -> bool
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
    Product: VersionedDsl<C>,
    dyn AsyncSet<C>: Holds<Product>,
{
    let mut uow = UnitOfWork::new();
    let one = uow.find::<Product>(conn, 1).await.unwrap();
    let other = uow.find::<Product>(conn, 2).await.unwrap();
    uow[one].price_cents += 1;
    uow[other].name.push('!');
    let events = Arc::new(Mutex::new(String::new()));
    let recorder = Arc::clone(&events);
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        let (mark, query) = match event {
            InstrumentationEvent::StartQuery { query, .. } => ('>', query.to_string()),
            InstrumentationEvent::FinishQuery { query, .. } => ('<', query.to_string()),
            _ => return,
        };
        if query.contains("UPDATE \"products\"") || query.contains("UPDATE `products`") {
            recorder.lock().unwrap().push(mark);
        }
    });
    uow.commit(conn).await.unwrap();
    let events = events.lock().unwrap();
    match events.as_str() {
        ">><<" => true,
        "><><" => false,
        other => panic!("{other}"),
    }
}
