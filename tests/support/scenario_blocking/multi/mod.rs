//! A `#[derive(MultiConnection)]` enum over the backends of this build.

/// With each backend's own SQL.
mod own_syntax;
/// With the portable SQL on every backend, where an insert returns its row.
mod portable;

/// The commands and a unit, on a connection of any kind.
macro_rules! scenario {
    ($any:ty) => {
        #[test]
        fn every_command_works() {
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            let mut mine = lamp(42);
            mine.insert(conn).unwrap();
            let mut stale = mine.clone();
            mine.stock = 4;
            mine.save(conn).unwrap();
            mine.touch(conn).unwrap();
            assert_eq!((mine.version, row(&db, 42)), (3, mine.clone()));
            assert_eq!(Product::find(conn, 42).unwrap(), mine);
            assert_eq!(Product::find(conn, 1).optional().unwrap(), None);

            let error = stale.save(conn).unwrap_err();
            let conflict = error.conflict().unwrap();
            assert_eq!(conflict.kind(), ConflictKind::Modified);
            assert_eq!(conflict.current(), Some(&mine));

            stale.reload(conn).unwrap();
            stale.delete(conn).unwrap();
            assert_eq!(mine.save(conn).unwrap_err().code(), "conflict.deleted");
        }

        #[test]
        fn what_is_not_known_of_the_database_is_an_error() {
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            lamp(42).insert(conn).unwrap();
            let locked = conn
                .transaction(|conn| Product::lock(conn, 42, Lock::Update, Wait::Block).map(drop));
            let error = locked.unwrap_err();
            assert_eq!(error.code(), "lock.unsupported");
            assert!(error.to_string().contains("Dialect::LOCKS"), "{error}");

            let mut uow = UnitOfWork::new();
            let handle: Handle<Product> = uow.find(conn, 42).unwrap();
            uow[handle].stock = 0;
            uow.isolation(Isolation::Serializable);
            let code = uow.commit(conn).map(drop).map_err(|error| error.code());
            assert_eq!(code, Err("isolation.unsupported"));
            let policy = RetryPolicy::new().isolation(Isolation::Serializable);
            let retried = retry(conn, &policy, |_| Ok::<_, diesel::result::Error>(()));
            assert_eq!(retried.unwrap_err().code(), "retry.stopped");
            assert_eq!(row(&db, 42).version, 1);
        }

        #[test]
        fn a_bump_moves_a_version_on() {
            use crate::support::schema::products::{stock, table};
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            lamp(42).insert(conn).unwrap();
            for _ in 0..2 {
                let lamp = diesel::update(table.find(42));
                let rows = lamp
                    .set((stock.eq(stock - 1), Product::bump()))
                    .execute(conn);
                assert_eq!(rows, Ok(1));
            }
            assert_eq!((row(&db, 42).stock, row(&db, 42).version), (3, 3));
        }

        #[test]
        fn what_the_database_makes_is_read_back() {
            let db = roles::empty_store();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            let mut mine = counted::thing(1);
            mine.insert(conn).unwrap();
            mine.amount = 7;
            mine.save(conn).unwrap();
            mine.touch(conn).unwrap();
            assert_eq!((mine.twice, mine.version), (14, 3));
            assert_eq!(counted::rows(&db), [mine.clone()]);

            let mut all: Vec<_> = (2..=60).map(counted::thing).collect();
            for thing in &mut all {
                thing.insert(conn).unwrap();
                thing.amount = 100 - thing.id;
            }
            all.insert(0, mine);
            counted::Thing::save_all(conn, &mut all).unwrap();
            assert_eq!(counted::rows(&db), all);
            assert_eq!((all[59].twice, all[59].version), (80, 2));
        }

        #[test]
        fn a_batch_is_saved_or_reports_every_conflict() {
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            let mut rows: Vec<Product> = (1..=100).map(lamp).collect();
            for row in &mut rows {
                row.insert(conn).unwrap();
                row.stock = row.id;
            }
            Product::save_all(conn, &mut rows).unwrap();
            for row in rows.iter().step_by(33) {
                assert_eq!(self::row(&db, row.id), *row);
            }
            db.execute("UPDATE products SET version = 9 WHERE id IN (7, 77)");
            let error = Product::save_all(conn, &mut rows).unwrap_err();
            let keys: Vec<i32> = error
                .conflicts()
                .unwrap()
                .of::<Product>()
                .map(|conflict| *conflict.key())
                .collect();
            assert_eq!(keys, [7, 77]);
            assert!(rows.iter().all(|row| row.version == 2));

            let mut level = StockLevel {
                warehouse: 1,
                sku: "A-7".to_owned(),
                quantity: 3,
                version: 0,
            };
            let mut other = StockLevel {
                warehouse: 2,
                ..level.clone()
            };
            level.insert(conn).unwrap();
            other.insert(conn).unwrap();
            let mut levels = [level, other];
            StockLevel::save_all(conn, &mut levels).unwrap();
            assert_eq!(levels[1].version, 2);
        }

        #[test]
        fn a_unit_is_committed_or_reports_its_conflicts() {
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            lamp(42).insert(conn).unwrap();
            let mut uow = UnitOfWork::new();
            let product = uow.find::<Product>(conn, 42).unwrap();
            let new = uow.insert(lamp(43)).unwrap();
            uow[product].stock -= 2;
            uow.commit(conn).unwrap();
            assert_eq!((row(&db, 42).stock, row(&db, 43).version), (3, 1));

            sold_by_someone_else(&db, 42);
            uow[product].stock = 0;
            uow.delete(new);
            let error = uow.commit(conn).unwrap_err();
            let conflicts = error.conflicts().unwrap();
            assert_eq!(conflicts.of::<Product>().count(), 1);
            assert_eq!((row(&db, 42).stock, row(&db, 43).version), (2, 1));
        }
    };
}
use scenario;

/// Keys that the database makes, where there is a way to them.
macro_rules! generated_keys {
    ($any:ty, $possible:expr) => {
        #[test]
        fn generated_keys_come_back() {
            if !$possible {
                return;
            }
            let db = TestDb::new();
            let conn = &mut <$any>::establish(db.url()).unwrap();
            lamp(42).insert(conn).unwrap();
            let order = |customer: &str| Order {
                id: 0,
                customer: customer.to_owned(),
                total_cents: 1,
                version: 0,
            };
            let mut first = order("Ada");
            first.insert(conn).unwrap();
            assert_eq!((first.id, first.version), (1, 1));
            assert_eq!(Order::find(conn, 1).unwrap(), first);

            let mut uow = UnitOfWork::new();
            let orders = ["Grace", "Mary"].map(|customer| uow.insert(order(customer)).unwrap());
            let line = uow
                .insert_with(orders[1], |order| OrderLine {
                    id: 0,
                    order_id: order.id,
                    product_id: 42,
                    quantity: 2,
                    version: 0,
                })
                .unwrap();
            uow.commit(conn).unwrap();
            for order in orders {
                assert_eq!(Order::find(conn, uow[order].id).unwrap(), uow[order]);
            }
            assert_eq!(uow[line].order_id, uow[orders[1]].id);
            assert_eq!(OrderLine::find(conn, uow[line].id).unwrap(), uow[line]);
        }
    };
}
use generated_keys;
