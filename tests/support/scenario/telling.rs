//! What is told to `tracing`: conflicts, batches, retries and commits, and no value of a column.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::unit::{product, sell, shop};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb};

type Unit = UnitOfWork<Conn>;

/// The lines that were told.
#[derive(Clone, Default)]
struct Lines {
    text: Arc<Mutex<Vec<u8>>>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// What the library tells while some work is done.
fn told(work: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_span_events(FmtSpan::CLOSE)
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let text = lines.text.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&text)
        .lines()
        .filter(|line| line.contains(" diesel_versioned: "))
        .map(|line| line.trim().to_owned())
        .collect()
}

fn has(lines: &[String], parts: &[&str]) -> bool {
    lines
        .iter()
        .any(|line| parts.iter().all(|part| line.contains(part)))
}

#[test]
fn a_replay_tells_that_nothing_was_written() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let commit = |conn: &mut Conn| {
        let mut uow = Unit::new();
        uow.idempotency_key("a secret").unwrap();
        uow.insert(product(1)).unwrap();
        uow.commit(conn).unwrap()
    };
    let first = told(|| drop(commit(conn)));
    assert!(has(&first, &["commit{rows=1", "inserted=1"]), "{first:?}");
    let second = told(|| drop(commit(conn)));
    assert!(has(&second, &["commit{replayed=true}"]), "{second:?}");
    assert!(!has(&second, &["batch"]), "{second:?}");
    for line in first.iter().chain(&second) {
        assert!(!line.contains("a secret"), "{line}");
    }
}

#[test]
fn a_commit_tells_its_batches_and_what_came_of_it() {
    let db = shop(3);
    let conn = &mut db.connect();
    let lines = told(|| {
        let mut uow = Unit::new();
        for id in [1, 2] {
            let handle: Handle<Product> = uow.find(conn, id).unwrap();
            uow[handle].name = "a secret".into();
        }
        let gone: Handle<Product> = uow.find(conn, 3).unwrap();
        uow.delete(gone);
        uow.insert(product(4)).unwrap();
        uow.commit(conn).unwrap();
    });
    for parts in [
        [r#"batch table="products" operation="update" meant=2 rows=2"#],
        [r#"batch table="products" operation="delete" meant=1 rows=1"#],
        [r#"batch table="products" operation="insert" meant=1 rows=1"#],
        ["rows=4 deleted=1 updated=2 inserted=1"],
    ] {
        assert!(has(&lines, &parts), "{parts:?} is not in {lines:#?}");
    }
    assert!(!has(&lines, &["secret"]), "{lines:#?}");
    assert!(!has(&lines, &["conflict"]), "{lines:#?}");
}

#[test]
fn a_conflict_is_told_with_its_versions() {
    let db = shop(2);
    let conn = &mut db.connect();
    sell(&db, 1, 3);
    let lines = told(|| {
        let mut stale = product(1);
        stale.name = "a secret".into();
        assert!(stale.save(conn).is_err());
        let mut uow = Unit::new();
        uow.save(stale).unwrap();
        assert!(uow.commit(conn).is_err());
    });
    let conflict = r#"conflict table="products" key="1" expected="1" actual="2""#;
    let told: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains(conflict))
        .collect();
    assert_eq!(told.len(), 2, "{lines:#?}");
    assert!(
        told.iter()
            .all(|line| line.contains(r#"kind="conflict.modified""#))
    );
    assert!(
        has(&lines, &["conflicts=1", r#"code="conflict.modified""#]),
        "{lines:#?}"
    );
    assert!(!has(&lines, &["secret"]), "{lines:#?}");
}

#[test]
fn a_row_that_was_held_back_is_told_as_refused() {
    let Some(refuse) = Conn::REFUSE_PRODUCT_INSERTS else {
        return;
    };
    let db = shop(1);
    db.execute(refuse);
    let conn = &mut db.connect();
    let lines = told(|| assert!(product(2).insert(conn).is_err()));
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let parts = [r#"key="2" expected="1""#, r#"kind="conflict.refused""#];
    assert!(has(&lines, &parts), "{lines:#?}");
}

#[test]
fn a_touched_row_is_told_as_updated() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lines = told(|| {
        let mut uow = Unit::new();
        let handle: Handle<Product> = uow.find(conn, 1).unwrap();
        uow.touch(handle);
        uow.commit(conn).unwrap();
    });
    let parts = ["rows=1 deleted=0 updated=1 inserted=0"];
    assert!(has(&lines, &parts), "{lines:#?}");
}

#[test]
fn each_retry_is_told() {
    let db = shop(1);
    let conn = &mut db.connect();
    sell(&db, 1, 3);
    let policy = RetryPolicy::new().attempts(3);
    let lines = told(|| {
        let stale = Unit::run(conn, &policy, |uow, _| {
            uow.save(product(1))?;
            Ok::<_, CommitError>(())
        });
        assert!(stale.is_err());
    });
    assert!(has(&lines, &["retry attempt=1 delay="]), "{lines:#?}");
    assert!(has(&lines, &["retry attempt=2 delay="]), "{lines:#?}");
    assert!(!has(&lines, &["retry attempt=3"]), "{lines:#?}");
}

#[test]
fn an_overwrite_is_told_with_its_actor_and_without_values() {
    let db = shop(1);
    db.make_own_tables();
    let conn = &mut db.connect();
    sell(&db, 1, 3);
    let lines = told(|| {
        let mut stale = product(1);
        stale.name = "a secret".into();
        let error = stale.save(conn).unwrap_err();
        let conflict = error.conflict().unwrap();
        let anna = || Actor::new("anna").unwrap();
        conflict.overwrite(conn, anna(), "my motive").unwrap();
        // What is not done is not told.
        conflict.overwrite(conn, anna(), "my motive").unwrap_err();

        let mut uow = Unit::new();
        let handle = uow.attach(product(1)).unwrap();
        uow.delete(handle);
        let error = uow.commit(conn).unwrap_err();
        let conflict = error.conflicts().unwrap().of::<Product>().next().unwrap();
        uow.overwrite(conflict, anna(), "my motive").unwrap();
        uow.commit(conn).unwrap();
    });
    let told: Vec<&String> = lines
        .iter()
        .filter(|line| line.contains("overwrite table"))
        .collect();
    assert_eq!(told.len(), 2, "{lines:#?}");
    let first = r#"key="1" overwritten="2" written="3" actor="anna""#;
    assert!(told[0].contains(first), "{lines:#?}");
    let second = r#"key="1" overwritten="3" actor="anna""#;
    assert!(told[1].contains(second), "{lines:#?}");
    assert!(
        !has(&lines, &["secret"]) && !has(&lines, &["motive"]),
        "{lines:#?}"
    );
}
