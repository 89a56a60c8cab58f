//! How often a unit waits for PostgreSQL: counted on a link with a delay of 1 ms each way.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use diesel::pg::Pg;
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use diesel_versioned::async_prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

use crate::flavor::block_on;
use crate::support::TestDb;
use crate::support::entities::{Account, Order, OrderLine, Product, StockLevel};

/// A link to the server that counts how often the client sends after an answer.
#[derive(Clone)]
struct Link {
    trips: Arc<AtomicUsize>,
    answered: Arc<AtomicBool>,
}

impl Link {
    const DELAY: Duration = Duration::from_millis(1);

    /// Listens on a socket in `folder`; returns the URL by which it is reached.
    fn listen(url: &str, folder: &Path) -> (Self, String) {
        let host = url
            .split("host=")
            .nth(1)
            .and_then(|rest| rest.split('&').next());
        let host = host.unwrap().to_owned();
        let listener = UnixListener::bind(folder.join(".s.PGSQL.5432")).unwrap();
        let through = url.replace(&host, folder.to_str().unwrap());
        let link = Self {
            trips: Arc::default(),
            answered: Arc::new(AtomicBool::new(true)),
        };
        let accepting = link.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(format!("{host}/.s.PGSQL.5432")).await;
                let (client, server) = (client.into_split(), server.unwrap().into_split());
                let (there, back) = (accepting.clone(), accepting.clone());
                tokio::spawn(async move { there.carry(client.0, server.1, true).await });
                tokio::spawn(async move { back.carry(server.0, client.1, false).await });
            }
        });
        (link, through)
    }

    async fn carry(
        &self,
        mut from: tokio::net::unix::OwnedReadHalf,
        mut to: tokio::net::unix::OwnedWriteHalf,
        to_server: bool,
    ) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            if to_server && self.answered.swap(false, Ordering::SeqCst) {
                self.trips.fetch_add(1, Ordering::SeqCst);
            }
            // What a link costs; the test waits for nothing by it, it counts.
            tokio::time::sleep(Self::DELAY).await;
            // Before it is there: the client may send again as soon as it is.
            if !to_server {
                self.answered.store(true, Ordering::SeqCst);
            }
            if to.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    }

    /// How often the client has waited since it was last asked.
    fn trips(&self) -> usize {
        self.trips.swap(0, Ordering::SeqCst)
    }
}

const ROWS: &str = "INSERT INTO products VALUES (1, 'P1', 100, 10, 1), (2, 'P2', 100, 10, 1);
    INSERT INTO stock_levels VALUES (1, 'a', 10, 1);
    INSERT INTO accounts VALUES (1, 'a@b', NULL, 0, 1)";

/// Runs a test with the URL of a database at the other end of a link.
fn at_a_link<F>(test: impl FnOnce(Link, String) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send,
{
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let db = TestDb::new();
    db.execute(ROWS);
    let url = db.url().to_owned();
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let folder = std::env::temp_dir().join(format!("dv-link-{}-{number}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let socket = folder.clone();
    block_on(async move {
        let (link, url) = Link::listen(&url, &socket);
        test(link, url).await;
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Runs a test with a connection over a link.
fn over_a_link<F>(test: impl FnOnce(Link, AsyncPgConnection) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send,
{
    at_a_link(async move |link, url| {
        test(link, AsyncPgConnection::establish(&url).await.unwrap()).await;
    });
}

async fn begin_and_commit(link: &Link, conn: &mut AsyncPgConnection) -> usize {
    link.trips();
    conn.transaction(async |_| diesel::QueryResult::Ok(()))
        .await
        .unwrap();
    link.trips()
}

/// Commits a unit of three types again and again, and counts.
async fn three_types<C>(link: &Link, conn: &mut C)
where
    C: AsyncConnection<Backend = Pg> + 'static,
{
    let mut uow = UnitOfWork::new();
    let product: Handle<Product> = uow.find(conn, 1).await.unwrap();
    let level: Handle<StockLevel> = uow.find(conn, (1, "a".to_owned())).await.unwrap();
    let account: Handle<Account> = uow.find(conn, 1).await.unwrap();
    link.trips();
    conn.batch_execute("BEGIN").await.unwrap();
    conn.batch_execute("COMMIT").await.unwrap();
    let least = link.trips();
    assert_eq!(least, 2);
    // The first time each statement is prepared.
    for (round, most) in [(1, least + 4), (2, least + 1), (3, least + 1)] {
        uow[product].stock = 20 + round;
        uow[level].quantity = 20 + round;
        uow[account].balance = i64::from(20 + round);
        link.trips();
        assert_eq!(uow.commit(conn).await.unwrap().len(), 3);
        let trips = link.trips();
        assert!(trips <= most, "{trips} round trips in round {round}");
    }
}

#[test]
fn three_types_are_written_in_one_round_trip() {
    over_a_link(async |link, mut conn| three_types(&link, &mut conn).await);
}

#[test]
fn so_they_are_on_the_connections_of_pools() {
    use diesel_async::pooled_connection::{AsyncDieselConnectionManager, bb8, deadpool, mobc};

    at_a_link(async |link, url| {
        let manager = || AsyncDieselConnectionManager::<AsyncPgConnection>::new(&url);
        let pool = deadpool::Pool::builder(manager())
            .max_size(1)
            .build()
            .unwrap();
        three_types(&link, &mut pool.get().await.unwrap()).await;
        // By its target any pooled connection is what it is.
        three_types(&link, &mut *pool.get().await.unwrap()).await;

        let pool = bb8::Pool::builder()
            .max_size(1)
            .build(manager())
            .await
            .unwrap();
        three_types(&link, &mut pool.get_owned().await.unwrap()).await;

        let pool = mobc::Pool::builder().max_open(1).build(manager());
        three_types(&link, &mut pool.get().await.unwrap()).await;
    });
}

#[test]
fn rows_that_are_locked_first_cost_one_more() {
    over_a_link(async |link, mut conn| {
        let conn = &mut conn;
        let mut uow = UnitOfWork::new();
        let product: Handle<Product> = uow.find(conn, 1).await.unwrap();
        let seen: Handle<Product> = uow.find(conn, 2).await.unwrap();
        let level: Handle<StockLevel> = uow.find(conn, (1, "a".to_owned())).await.unwrap();
        let account: Handle<Account> = uow.find(conn, 1).await.unwrap();
        let least = begin_and_commit(&link, conn).await;
        for round in 0..3 {
            uow[product].stock = 20 + round;
            uow[level].quantity = 20 + round;
            uow[account].balance = i64::from(20 + round);
            uow.expect_unchanged(seen);
            link.trips();
            assert_eq!(uow.commit(conn).await.unwrap().len(), 3);
            let trips = link.trips();
            assert!(round == 0 || trips <= least + 2, "{trips} round trips");
        }
    });
}

#[test]
fn children_wait_for_the_keys_of_their_parents_and_for_nothing_else() {
    over_a_link(async |link, mut conn| {
        let conn = &mut conn;
        let mut uow = UnitOfWork::new();
        let product: Handle<Product> = uow.find(conn, 1).await.unwrap();
        let least = begin_and_commit(&link, conn).await;
        for round in 0..3 {
            uow[product].stock = 20 + round;
            let order = uow
                .insert(Order {
                    id: 0,
                    customer: "Ada".into(),
                    total_cents: 1,
                    version: 0,
                })
                .unwrap();
            for quantity in 1..=3 {
                uow.insert_with(order, move |order: &Order| OrderLine {
                    id: 0,
                    order_id: order.id,
                    product_id: 1,
                    quantity,
                    version: 0,
                })
                .unwrap();
            }
            link.trips();
            assert_eq!(uow.commit(conn).await.unwrap().len(), 5);
            let trips = link.trips();
            assert!(round == 0 || trips <= least + 2, "{trips} round trips");
        }
    });
}

#[test]
fn what_fails_on_the_way_is_found_out_as_if_it_had_been_waited_for() {
    over_a_link(async |_, mut conn| {
        let conn = &mut conn;
        let mut stale = UnitOfWork::new();
        let product: Handle<Product> = stale.find(conn, 1).await.unwrap();
        let level: Handle<StockLevel> = stale.find(conn, (1, "a".to_owned())).await.unwrap();
        let account: Handle<Account> = stale.find(conn, 1).await.unwrap();
        Product::find(conn, 1)
            .await
            .unwrap()
            .touch(conn)
            .await
            .unwrap();
        Account::find(conn, 1)
            .await
            .unwrap()
            .touch(conn)
            .await
            .unwrap();
        stale[product].stock = 1;
        stale[level].quantity = 1;
        stale[account].balance = 1;
        // A violated constraint in the same flight is the source of the conflicts.
        stale
            .insert(Account {
                id: 2,
                email: "a@b".into(),
                nickname: None,
                balance: 0,
                version: 0,
            })
            .unwrap();
        for _ in 0..2 {
            match stale.commit(conn).await {
                Err(CommitError::Conflicts(conflicts)) => {
                    let tables: Vec<&str> = conflicts.iter().map(|one| one.table()).collect();
                    assert_eq!(tables, ["products", "accounts"]);
                }
                other => panic!("{other:?}"),
            }
        }
        let level = StockLevel::find(conn, (1, "a".to_owned())).await.unwrap();
        assert_eq!((level.quantity, level.version), (10, 1));
    });
}

/// A type that PostgreSQL alone knows the number of: Diesel asks for it when it is first used.
mod asked_for {
    use std::io::Write;

    use diesel::deserialize::{self, FromSql, FromSqlRow};
    use diesel::expression::AsExpression;
    use diesel::pg::{Pg, PgValue};
    use diesel::prelude::*;
    use diesel::query_builder::QueryId;
    use diesel::serialize::{self, IsNull, Output, ToSql};
    use diesel::sql_types::SqlType;
    use diesel_versioned::Versioned;

    #[derive(SqlType, QueryId)]
    #[diesel(postgres_type(name = "mood"))]
    pub struct MoodType;

    #[derive(Debug, Clone, PartialEq, AsExpression, FromSqlRow)]
    #[diesel(sql_type = MoodType)]
    pub struct Mood(pub String);

    impl ToSql<MoodType, Pg> for Mood {
        fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
            out.write_all(self.0.as_bytes())?;
            Ok(IsNull::No)
        }
    }

    impl FromSql<MoodType, Pg> for Mood {
        fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
            Ok(Self(std::str::from_utf8(value.as_bytes())?.to_owned()))
        }
    }

    diesel::table! {
        use diesel::sql_types::{Integer, Text};
        use super::MoodType;

        people (name) {
            name -> Text,
            mood -> MoodType,
            version -> Integer,
        }
    }

    diesel::table! {
        pets (name) {
            name -> Text,
            owner -> Text,
            version -> Integer,
        }
    }

    #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    #[diesel(table_name = people, primary_key(name))]
    pub struct Person {
        pub name: String,
        pub mood: Mood,
        #[version]
        pub version: i32,
    }

    #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    #[diesel(table_name = pets, primary_key(name), belongs_to(Person))]
    pub struct Pet {
        pub name: String,
        pub owner: String,
        #[version]
        pub version: i32,
    }
}

#[test]
fn a_statement_whose_types_are_asked_for_is_not_overtaken() {
    use asked_for::{Mood, Person, Pet};

    over_a_link(async |_, mut conn| {
        let conn = &mut conn;
        conn.batch_execute(
            "CREATE TYPE mood AS ENUM ('glad', 'sad');
             CREATE TABLE people (name TEXT PRIMARY KEY, mood mood NOT NULL, version INT NOT NULL);
             CREATE TABLE pets (name TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES people,
                 version INT NOT NULL)",
        )
        .await
        .unwrap();
        let mut uow = UnitOfWork::new();
        let ada = uow
            .insert(Person {
                name: "Ada".into(),
                mood: Mood("glad".into()),
                version: 0,
            })
            .unwrap();
        uow.insert(Pet {
            name: "Rex".into(),
            owner: "Ada".into(),
            version: 0,
        })
        .unwrap();
        assert_eq!(uow.commit(conn).await.unwrap().len(), 2);
        uow[ada].mood = Mood("sad".into());
        assert_eq!(uow.commit(conn).await.unwrap().len(), 1);
        let ada = Person::find(conn, "Ada").await.unwrap();
        assert_eq!((ada.mood, ada.version), (Mood("sad".into()), 2));
    });
}
