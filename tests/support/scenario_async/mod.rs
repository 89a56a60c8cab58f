//! What only asynchronous connections have: tasks, pools, futures that are dropped. And that their
//! SQL is that of the blocking ones.

mod cancel;
mod pools;
mod same_sql;
mod tasks;

use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig};
use diesel_async::{AsyncConnection, SimpleAsyncConnection};
use diesel_versioned::async_prelude::UnitOfWork;

use crate::flavor::prelude::VersionedDsl;
use crate::support::entities::Product;
use crate::support::scenario::single::lamp;
use crate::support::{TestBackend, TestDb};
use crate::{Conn, Inner};

type Unit = UnitOfWork<Inner>;

/// A further connection, with the settings of [`TestDb::connect`].
async fn connect(db: &TestDb) -> Inner {
    let url = db.url();
    configured(url)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"))
}

async fn configured(url: &str) -> diesel::ConnectionResult<Inner> {
    let mut conn = Inner::establish(url).await?;
    if let Some(settings) = Conn::SETTINGS {
        conn.batch_execute(settings)
            .await
            .map_err(diesel::ConnectionError::CouldntSetupConfiguration)?;
    }
    Ok(conn)
}

/// Connections of a pool have the same settings.
fn manager(db: &TestDb) -> AsyncDieselConnectionManager<Inner> {
    let mut config = ManagerConfig::default();
    config.custom_setup = Box::new(|url| Box::pin(configured(url)));
    AsyncDieselConnectionManager::new_with_config(db.url(), config)
}

/// A database with the lamps 1 to `count`, each with a stock of 5, at version 1.
fn shop(count: i32) -> (TestDb, Vec<Product>) {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut lamps: Vec<Product> = (1..=count).map(lamp).collect();
    for lamp in &mut lamps {
        lamp.insert(conn).unwrap();
    }
    (db, lamps)
}
