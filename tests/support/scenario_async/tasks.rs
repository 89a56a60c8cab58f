//! Tasks of a runtime: what they run is `Send`, and of many at one version one wins.

use std::sync::Arc;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use diesel_versioned::async_prelude::*;
use tokio::sync::Barrier;

use super::{Unit, connect, shop};
use crate::flavor::block_on;
use crate::support::entities::{Order, Product};
use crate::support::scenario::single::row;
use crate::support::schema::documents;

/// The results of as many tasks as there are connections, started together.
async fn together<R, F, T>(db: &crate::support::TestDb, count: usize, task: F) -> Vec<R>
where
    F: Fn(usize, crate::Inner, Arc<Barrier>) -> T,
    T: Future<Output = R> + Send + 'static,
    R: Send + 'static,
{
    let barrier = Arc::new(Barrier::new(count));
    let mut tasks = Vec::with_capacity(count);
    for number in 0..count {
        let conn = connect(db).await;
        tasks.push(tokio::spawn(task(number, conn, Arc::clone(&barrier))));
    }
    let mut results = Vec::with_capacity(count);
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

#[test]
fn rule_04_of_fifty_saves_at_one_version_exactly_one_succeeds() {
    let (db, lamps) = shop(1);
    let results = block_on(together(&db, 50, |number, mut conn, everyone| {
        let mut mine = lamps[0].clone();
        async move {
            mine.stock = 100 + i32::try_from(number).unwrap();
            everyone.wait().await;
            let result = mine.save(&mut conn).await;
            (mine, result)
        }
    }));
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(|(_, result)| result.is_ok());
    assert_eq!((won.len(), lost.len()), (1, 49));
    let (winner, _) = &won[0];
    assert_eq!((winner.version, row(&db, 1)), (2, winner.clone()));
    for (loser, result) in &lost {
        let error = result.as_ref().unwrap_err();
        let conflict = error.conflict().unwrap_or_else(|| panic!("{error:?}"));
        assert_eq!(conflict.current(), Some(winner));
        assert_eq!(loser.version, 1);
    }
}

#[test]
fn of_fifty_units_at_one_version_exactly_one_wins() {
    let (db, _) = shop(1);
    let results = block_on(together(&db, 50, |number, mut conn, everyone| async move {
        let mut uow = Unit::new();
        let handle = uow.find::<Product>(&mut conn, 1).await.unwrap();
        uow[handle].stock = 100 + i32::try_from(number).unwrap();
        everyone.wait().await;
        let result = uow.commit(&mut conn).await.map(|done| done.len());
        assert_eq!(uow[handle].version, if result.is_ok() { 2 } else { 1 });
        result
    }));
    let won: Vec<usize> = (0..50).filter(|&number| results[number].is_ok()).collect();
    assert_eq!(won.len(), 1, "{results:?}");
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert!(error.is_conflict(), "{error:?}");
    }
    let stands = row(&db, 1);
    assert_eq!(
        (stands.stock, stands.version),
        (100 + i32::try_from(won[0]).unwrap(), 2)
    );
}

#[test]
fn a_unit_is_moved_into_a_task_and_back() {
    let (db, lamps) = shop(2);
    let mut uow = Unit::new();
    let [sold, gone] = [0, 1].map(|index: usize| uow.attach(lamps[index].clone()).unwrap());
    uow[sold].stock = 4;
    let (uow, order, titles) = block_on(async {
        let (mut one, mut other) = (connect(&db).await, connect(&db).await);
        let first = tokio::spawn(async move {
            uow.delete(gone);
            let order = uow.insert(order("Ada")).unwrap();
            let text = String::from("sold");
            uow.also(async move |conn| {
                diesel::insert_into(documents::table)
                    .values((
                        documents::id.eq(1),
                        documents::title.eq(text),
                        documents::type_.eq("journal"),
                        documents::position.eq(1),
                        documents::lock_version.eq(1),
                    ))
                    .execute(conn)
                    .await
                    .map(drop)
            });
            assert_eq!(uow.commit(&mut one).await.unwrap().len(), 3);
            (uow, order)
        });
        let (mut uow, order) = first.await.unwrap();
        uow[order].total_cents = 7;
        uow[sold].stock = 3;
        let second = tokio::spawn(async move {
            assert_eq!(uow.commit(&mut other).await.unwrap().len(), 2);
            uow
        });
        let uow = second.await.unwrap();
        let titles: Vec<String> = documents::table
            .select(documents::title)
            .load(&mut connect(&db).await)
            .await
            .unwrap();
        (uow, order, titles)
    });
    assert_eq!((uow[sold].version, uow[order].version), (3, 2));
    assert_eq!(row(&db, 1), uow[sold]);
    assert_eq!(titles, ["sold"]);
}

fn order(customer: &str) -> Order {
    Order {
        id: 0,
        customer: customer.to_owned(),
        total_cents: 1,
        version: 0,
    }
}

#[test]
fn every_command_runs_in_a_task() {
    let (db, mut lamps) = shop(3);
    let mut conn = block_on(connect(&db));
    let task = async move {
        lamps[0].save(&mut conn).await?;
        lamps[0].touch(&mut conn).await?;
        lamps[1].delete(&mut conn).await?;
        lamps[1].insert(&mut conn).await?;
        lamps[2].reload(&mut conn).await?;
        let found = Product::find(&mut conn, 1).await?;
        assert_eq!(found, lamps[0]);
        Product::save_all(&mut conn, &mut lamps).await.unwrap();
        Ok::<_, SaveError<Product>>(lamps)
    };
    let lamps = block_on(async { tokio::spawn(task).await.unwrap() }).unwrap();
    let versions: Vec<i32> = lamps.iter().map(|lamp| lamp.version).collect();
    assert_eq!(versions, [4, 2, 2]);
    assert_eq!(row(&db, 1), lamps[0]);
}

#[test]
fn a_conflict_is_overwritten_in_a_task() {
    let (db, mut lamps) = shop(2);
    db.make_own_tables();
    let mut conn = block_on(connect(&db));
    let task = async move {
        let anna = Actor::new("anna")?;
        let mut lost = Vec::new();
        for lamp in &mut lamps {
            lamp.clone().touch(&mut conn).await.unwrap();
            lamp.stock = 0;
            lost.extend(lamp.save(&mut conn).await.unwrap_err().conflict().cloned());
        }
        let first = lost[0]
            .overwrite(&mut conn, anna.clone(), "counted")
            .await?;
        let told = Arc::new(std::sync::Mutex::new(String::new()));
        let telling = Arc::clone(&told);
        let mut audit = async move |conn: &mut crate::Inner, what: &Overwrite| {
            diesel::insert_into(documents::table)
                .values((
                    documents::id.eq(1),
                    documents::title.eq(what.reason()),
                    documents::type_.eq("journal"),
                    documents::position.eq(1),
                    documents::lock_version.eq(1),
                ))
                .execute(conn)
                .await?;
            telling.lock().unwrap().push_str(what.key());
            Ok(())
        };
        let second = lost[1]
            .overwrite_with(&mut conn, &mut audit, anna, "counted too")
            .await?;
        let told = told.lock().unwrap().clone();
        Ok::<_, OverwriteError<Product>>((first, second, told))
    };
    let (first, second, told) = block_on(async { tokio::spawn(task).await.unwrap() }).unwrap();
    assert_eq!((row(&db, 1), row(&db, 2)), (first.clone(), second));
    assert_eq!((first.version, first.stock), (3, 0));
    assert_eq!(told, "2");
}

#[test]
fn a_unit_overwrites_in_a_task() {
    let (db, lamps) = shop(1);
    db.make_own_tables();
    let mut conn = block_on(connect(&db));
    let task = async move {
        let mut uow = Unit::new();
        let lamp = uow.attach(lamps[0].clone()).unwrap();
        uow[lamp].stock = 0;
        lamps[0].clone().touch(&mut conn).await.unwrap();
        let error = uow.commit(&mut conn).await.unwrap_err();
        let conflicts = error.conflicts().unwrap();
        for conflict in conflicts.of::<Product>() {
            let anna = Actor::new("anna").unwrap();
            uow.overwrite(conflict, anna, "counted").unwrap();
        }
        uow.commit(&mut conn).await.unwrap();
        uow[lamp].clone()
    };
    let lamp = block_on(async { tokio::spawn(task).await.unwrap() });
    assert_eq!((row(&db, 1), lamp.version), (lamp.clone(), 3));
}
