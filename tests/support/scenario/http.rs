//! Over HTTP: entity tag, precondition, write, conflict, problem.

use std::error::Error;

use diesel::OptionalExtension;
use diesel_versioned::http::{ETag, Expected, IfMatch, IfNoneMatch, PreconditionError, Problem};
use http::StatusCode;
use serde_json::{Value, json};

use super::single::{lamp, row, sold_by_someone_else, stored_lamp};
use super::unit::{product, sell, shop};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Document, Product, StockLevel};
use crate::support::{TestBackend, TestDb, race};

type Unit = UnitOfWork<Conn>;

fn if_match(value: &str) -> IfMatch {
    value.parse().unwrap()
}

/// What the client is sent.
fn answered(problem: Problem) -> (StatusCode, Value) {
    let response = problem.into_response();
    assert_eq!(
        response.headers()["content-type"],
        "application/problem+json"
    );
    let body: Value = serde_json::from_str(response.body()).unwrap();
    assert_eq!(body["status"], response.status().as_u16());
    (response.status(), body)
}

/// Status and code of a problem.
fn says(problem: &Problem) -> (u16, &str) {
    (problem.status().as_u16(), problem.code())
}

/// A PUT of a form: the row is not read before it is written.
fn put(conn: &mut Conn, header: &str, mut edited: Product) -> Result<Product, Problem> {
    let expected = edited.expect(&if_match(header))?;
    edited.save(conn).map_err(|error| expected.problem(error))?;
    Ok(edited)
}

/// A DELETE: the row is read before.
fn delete(conn: &mut Conn, header: &str, id: i32) -> Result<(), Problem> {
    let mut found = Product::find(conn, id)?;
    let expected = found.expect_loaded(&if_match(header))?;
    found.delete(conn).map_err(|error| expected.problem(error))
}

#[test]
fn a_tag_comes_back_as_the_version_that_guards() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let etag = stored_lamp(&db, 42).etag().to_string();
    assert_eq!(etag, r#""v1""#);
    let form = Product {
        stock: 4,
        version: 99,
        ..lamp(42)
    };
    let saved = put(conn, &etag, form.clone()).unwrap();
    assert_eq!(
        (saved.version, saved.etag().to_string()),
        (2, r#""v2""#.to_owned())
    );
    assert_eq!(row(&db, 42), saved);

    // The same for a wide version and a narrow one.
    let mut level = StockLevel {
        warehouse: 1,
        sku: "A".to_owned(),
        quantity: 1,
        version: 0,
    };
    level.insert(conn).unwrap();
    db.execute("UPDATE stock_levels SET version = 9223372036854775806");
    let expected = level
        .expect(&if_match(r#""v9223372036854775806""#))
        .unwrap();
    assert_eq!(expected.etag(), &ETag::of_version(&(i64::MAX - 1)));
    level.save(conn).unwrap();
    assert_eq!(level.etag().version(), Some(i64::MAX));

    let mut account = Account {
        id: 1,
        email: "ada@example.org".to_owned(),
        nickname: None,
        balance: 0,
        version: 0,
    };
    account.insert(conn).unwrap();
    let error = account.expect(&if_match(r#""v40000""#)).unwrap_err();
    assert_eq!(error, PreconditionError::NeverMatches { weak: false });
    assert_eq!(account.version, 1, "it is as it was");
    account.expect(&if_match(r#""v1""#)).unwrap();
    account.save(conn).unwrap();
}

#[test]
fn a_lost_save_is_412_with_the_diff_and_the_current_tag() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let base = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let mut mine = Product {
        name: "Desk lamp".to_owned(),
        ..base.clone()
    };
    let expected = mine.expect(&if_match(r#""v1""#)).unwrap();
    let Err(SaveError::Conflict(lost)) = mine.save(conn) else {
        panic!("it stands at 2");
    };
    // Who changed what is known by what the client had read.
    let lost = lost.with_base(base).unwrap();
    let detail = "`products` 42 was changed by someone else (expected version 1, found 2); \
                  reload it and apply the change again";
    let conflict = |changes: Value| {
        json!([{
            "table": "products", "key": "42", "kind": "modified", "code": "conflict.modified",
            "expected": "1", "actual": "2", "changes": changes, "etag": "\"v2\"",
        }])
    };
    let (status, body) = answered(expected.problem(lost.clone()));
    assert_eq!(status, 412);
    assert_eq!(
        body,
        json!({
            "type": "about:blank", "title": "Precondition Failed", "status": 412,
            "code": "precondition.failed", "detail": detail, "etag": "\"v2\"",
            "conflicts": conflict(json!([
                { "column": "name", "by": "me",
                  "base": "\"Lamp\"", "mine": "\"Desk lamp\"", "theirs": "\"Lamp\"" },
                { "column": "stock", "by": "them", "base": "5", "mine": "5", "theirs": "4" },
            ])),
        })
    );

    // A version that came in the body: nothing but the write has failed.
    let (status, body) = answered(Problem::from(lost.clone()).without_values());
    assert_eq!(status, 409);
    assert_eq!(
        body,
        json!({
            "type": "about:blank", "title": "Conflict", "status": 409,
            "code": "conflict.modified", "detail": detail, "etag": "\"v2\"",
            "conflicts": conflict(json!([
                { "column": "name", "by": "me" },
                { "column": "stock", "by": "them" },
            ])),
        })
    );
    assert_eq!(row(&db, 42).version, 2);

    // With the tag of the answer it goes through.
    let etag = body["etag"].as_str().unwrap();
    assert_eq!(put(conn, etag, mine).unwrap().version, 3);
}

#[test]
fn a_put_whose_answer_was_lost_fails_without_a_change() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    stored_lamp(&db, 42);
    let form = Product {
        stock: 4,
        ..lamp(42)
    };
    put(conn, r#""v1""#, form.clone()).unwrap();
    let again = put(conn, r#""v1""#, form).unwrap_err();
    assert_eq!(says(&again), (412, "precondition.failed"));
    assert!(again.conflicts()[0].changes().is_empty());
    assert_eq!(row(&db, 42).version, 2);
}

#[test]
fn a_row_that_is_gone_is_410_after_a_version_and_404_after_a_find() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    stored_lamp(&db, 42).delete(conn).unwrap();
    let gone = put(conn, r#""v1""#, lamp(42)).unwrap_err();
    assert_eq!(says(&gone), (410, "conflict.deleted"));
    assert_eq!((gone.etag(), gone.conflicts()[0].etag()), (None, None));
    let absent = delete(conn, r#""v1""#, 42).unwrap_err();
    assert_eq!(says(&absent), (404, "row.not_found"));
    assert_eq!(absent.detail(), Some("there is no such row"));

    // Inserted again it starts at its first version, and a tag from before passes for it.
    stored_lamp(&db, 42);
    assert_eq!(put(conn, r#""v1""#, lamp(42)).unwrap().version, 2);
}

#[test]
fn a_loaded_row_is_one_of_those_that_the_header_names() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let loaded = stored_lamp(&db, 42);
    for header in [r#""v1""#, r#""v0", , "v1""#, "*", r#""x",W/"v9","v1""#] {
        let expected = loaded.expect_loaded(&if_match(header));
        assert_eq!(
            expected.as_ref().map(Expected::etag),
            Ok(&ETag::of_version(&1)),
            "{header}"
        );
    }
    for (header, weak) in [
        (r#""v2""#, false),
        (r#"W/"v1""#, true),
        (r#""1", "v2""#, false),
    ] {
        let error = loaded.expect_loaded(&if_match(header)).unwrap_err();
        let problem = Problem::from(error);
        assert_eq!(says(&problem), (412, "precondition.failed"), "{header}");
        assert_eq!(problem.etag(), Some(&ETag::of_version(&1)));
        assert!(
            problem
                .detail()
                .unwrap()
                .starts_with("`products` 42 is \"v1\" and none of those in If-Match; ")
        );
        assert_eq!(problem.detail().unwrap().contains("weak"), weak);
    }
    // A write that is not read for can be guarded by one of them.
    for header in ["*", r#""v1", "v2""#] {
        let problem = put(conn, header, lamp(42)).unwrap_err();
        assert_eq!(
            says(&problem),
            (400, "precondition.not_one_version"),
            "{header}"
        );
    }
    assert_eq!(row(&db, 42).version, 1);
    delete(conn, "*", 42).unwrap();
}

#[test]
fn a_row_that_moves_between_find_and_write_is_412_unless_the_header_still_holds() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    stored_lamp(&db, 42);
    let failed = (412, "precondition.failed");
    let conflict = (409, "conflict.modified");
    for (header, expected_answer) in [
        ("*", conflict),
        (r#""v2", "v3""#, conflict),
        (r#""v2", "v3""#, failed),
        (r#""v4""#, failed),
    ] {
        let mut found = Product::find(conn, 42).unwrap();
        let expected = found.expect_loaded(&if_match(header)).unwrap();
        sold_by_someone_else(&db, 42);
        let problem = expected.problem(found.delete(conn).unwrap_err());
        assert_eq!(says(&problem), expected_answer, "{header}");
    }
    let mut found = Product::find(conn, 42).unwrap();
    let expected = found.expect_loaded(&if_match("*")).unwrap();
    db.execute("DELETE FROM products");
    let problem = expected.problem(found.delete(conn).unwrap_err());
    assert_eq!(says(&problem), (410, "conflict.deleted"));
}

#[test]
fn of_many_puts_with_one_tag_exactly_one_succeeds() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let results = race(&db, 20, |number, conn| {
        let form = Product {
            stock: i32::try_from(number).unwrap(),
            ..lamp(42)
        };
        put(conn, r#""v1""#, form)
    });
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 19));
    assert_eq!(&row(&db, 42), won[0].as_ref().unwrap());
    for problem in lost.iter().filter_map(|lost| lost.as_ref().err()) {
        assert_eq!(says(problem), (412, "precondition.failed"));
        assert_eq!(problem.etag(), Some(&ETag::of_version(&2)));
    }
}

#[test]
fn of_a_unit_only_the_row_of_the_header_is_412() {
    let db = shop(2);
    let conn = &mut db.connect();
    // The header is about product 1; product 2 is read by the unit.
    let commit = |conn: &mut Conn, meanwhile: &dyn Fn()| {
        let mut mine = product(1);
        let expected = mine.expect(&if_match(r#""v1""#)).unwrap();
        mine.stock = 9;
        let mut uow = Unit::new();
        uow.save(mine).unwrap();
        let other: Handle<Product> = uow.find(conn, 2).unwrap();
        uow[other].stock -= 1;
        meanwhile();
        expected.problem(uow.commit(conn).unwrap_err())
    };
    let problem = commit(conn, &|| sell(&db, 2, 5));
    assert_eq!(says(&problem), (409, "conflict.modified"));
    assert_eq!((problem.etag(), problem.conflicts().len()), (None, 1));
    assert_eq!(problem.conflicts()[0].etag(), Some(&ETag::of_version(&2)));

    let problem = commit(conn, &|| db.execute("DELETE FROM products WHERE id = 2"));
    assert_eq!(says(&problem), (409, "conflict.deleted"));

    db.execute("INSERT INTO products VALUES (2, 'P2', 100, 10, 1)");
    let problem = commit(conn, &|| {
        sell(&db, 1, 5);
        sell(&db, 2, 5);
    });
    assert_eq!(says(&problem), (412, "precondition.failed"));
    assert_eq!(problem.etag(), Some(&ETag::of_version(&2)));
    assert_eq!(problem.conflicts().len(), 2);

    db.execute("DELETE FROM products WHERE id = 1");
    let problem = commit(conn, &|| ());
    assert_eq!(says(&problem), (410, "conflict.deleted"));
}

#[test]
fn if_none_match_creates_once() {
    let db = TestDb::new();
    let any: IfNoneMatch = "*".parse().unwrap();
    let create = |conn: &mut Conn, mut new: Account| -> Result<Account, Problem> {
        let id = new.id;
        let check = |conn: &mut Conn| -> Result<(), Problem> {
            Ok(any.check(Account::find(conn, id).optional()?.as_ref())?)
        };
        check(conn)?;
        if let Err(error) = new.insert(conn) {
            check(conn)?;
            return Err(error.into());
        }
        Ok(new)
    };
    let account = |id, email: &str| Account {
        id,
        email: email.to_owned(),
        nickname: None,
        balance: 0,
        version: 0,
    };
    let results = race(&db, 8, |_, conn| {
        create(conn, account(1, "ada@example.org"))
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for problem in results.into_iter().filter_map(Result::err) {
        assert_eq!(says(&problem), (412, "precondition.failed"), "{problem:?}");
        assert_eq!(problem.etag(), Some(&ETag::of_version(&1)));
    }
    // Another unique column is no precondition.
    let conn = &mut db.connect();
    let problem = create(conn, account(2, "ada@example.org")).unwrap_err();
    assert_eq!(says(&problem), (422, "constraint.unique"));

    let found = Account::find(conn, 1).unwrap();
    let one: IfNoneMatch = r#"W/"v1""#.parse().unwrap();
    assert!(one.not_modified(&found.etag()));
    assert!(one.check(Some(&found)).is_err());
    found.clone().touch(conn).unwrap();
    let found = Account::find(conn, 1).unwrap();
    assert!(!one.not_modified(&found.etag()));
    assert_eq!(one.check(Some(&found)), Ok(()));
    assert_eq!(any.check(None::<&Account>), Ok(()));
}

#[test]
fn the_words_of_the_database_are_for_the_log() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    stored_lamp(&db, 42);
    let duplicate = Problem::from(lamp(42).insert(conn).unwrap_err());
    assert_eq!(says(&duplicate), (422, "constraint.unique"));
    let source = duplicate
        .source()
        .and_then(Error::source)
        .unwrap()
        .to_string();
    assert!(
        source.contains("products") || source.contains("42"),
        "{source}"
    );
    let (_, body) = answered(duplicate);
    assert_eq!(body["detail"], "a value that must be unique is taken");
    assert!(!body.to_string().contains(&source), "{body}");

    let failing = db;
    failing.execute(Conn::FAIL_PRODUCT_UPDATES);
    let mut mine = row(&failing, 42);
    let failed = Problem::from(mine.save(conn).unwrap_err());
    assert_eq!(says(&failed), (500, "database"), "{failed:?}");
    let source = failed.source().and_then(Error::source).unwrap().to_string();
    let (_, body) = answered(failed);
    assert!(!body.to_string().contains(&source), "{body}");
    assert_eq!(
        body["detail"],
        "the database reported an error; the log of the service has it"
    );
}

#[test]
fn a_row_that_was_held_back_is_409_whoever_expected_it() {
    let Some(refuse) = Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let db = TestDb::new();
    stored_lamp(&db, 42);
    db.execute(refuse);
    let problem = put(&mut db.connect(), r#""v1""#, lamp(42)).unwrap_err();
    assert_eq!(says(&problem), (409, "conflict.refused"));
}

#[test]
fn a_lost_connection_is_503_and_nothing_to_repeat_unseen() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    db.execute(&kill);
    let response = put(conn, r#""v1""#, lamp(42)).unwrap_err().into_response();
    assert_eq!(response.status(), 503);
    // It may be done.
    assert!(!response.headers().contains_key("retry-after"));
    assert!(response.body().contains("look before you repeat it"));
}

#[test]
fn a_retry_that_gives_up_is_503_and_one_that_stops_is_what_stopped_it() {
    let db = shop(1);
    let conn = &mut db.connect();
    sell(&db, 1, 5);
    let policy = RetryPolicy::new().attempts(2);
    let work = |uow: &mut Unit| -> Result<(), CommitError> {
        uow.save(product(1))?;
        Ok(())
    };
    let given_up = Unit::run(conn, &policy, |uow, _| work(uow)).unwrap_err();
    let given_up = Problem::from(given_up);
    assert_eq!(says(&given_up), (503, "retry.exhausted"));
    assert_eq!(given_up.into_response().headers()["retry-after"], "1");

    db.execute("DELETE FROM products");
    let stopped = Unit::run(conn, &policy, |uow, _| work(uow)).unwrap_err();
    assert_eq!(says(&Problem::from(stopped)), (409, "conflict.deleted"));
}

#[test]
fn a_version_of_a_header_that_is_retried_in_vain_is_412() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut mine = product(1);
    let expected = mine.expect(&if_match(r#""v1""#)).unwrap();
    sell(&db, 1, 5);
    let policy = RetryPolicy::new().attempts(2);
    let tried = Unit::run(conn, &policy, |uow, _| {
        uow.save(mine.clone())?;
        Ok::<_, CommitError>(())
    });
    let problem = expected.problem(tried.unwrap_err());
    assert_eq!(says(&problem), (412, "precondition.failed"));
    assert_eq!(problem.etag(), Some(&ETag::of_version(&2)));
    assert_eq!(problem.retry_after(), None);
    let detail = problem.detail().unwrap();
    assert!(detail.starts_with("`products` 1 was changed"), "{detail}");
}

#[test]
fn problems_travel() {
    fn travels<E: Error + Send + Sync + 'static>() {}
    travels::<Problem>();
    travels::<PreconditionError>();
    travels::<diesel_versioned::http::HeaderError>();
}

#[test]
fn what_cannot_be_merged_is_409_with_its_columns() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut base = Document {
        id: 1,
        title: "Tea".to_owned(),
        kind: "note".to_owned(),
        position: 1,
        body: None,
        lock_version: 0,
    };
    base.insert(conn).unwrap();
    let mut theirs = base.clone();
    theirs.title = "On tea".to_owned();
    theirs.save(conn).unwrap();
    let mut mine = base.clone();
    mine.title = "Of tea".to_owned();
    let Err(SaveError::Conflict(lost)) = mine.save(conn) else {
        panic!("it stands at 2");
    };
    let unmergeable = lost.resolve(Document::merge).unwrap_err();
    let (status, body) = answered(unmergeable.into());
    assert_eq!(
        (status.as_u16(), &body["code"]),
        (409, &json!("merge.no_base"))
    );
    assert_eq!(body.get("columns"), None);
    let lost = lost.with_base(base).unwrap();
    let unmergeable = lost.resolve(Document::merge).unwrap_err();
    let (status, body) = answered(unmergeable.into());
    assert_eq!(
        (status.as_u16(), &body["code"]),
        (409, &json!("merge.columns"))
    );
    assert_eq!(body["columns"], json!(["title"]));

    theirs.delete(conn).unwrap();
    let Err(SaveError::Conflict(gone)) = mine.save(conn) else {
        panic!("it is gone");
    };
    let unmergeable = gone.resolve(Document::merge).unwrap_err();
    assert_eq!(says(&unmergeable.into()), (410, "conflict.deleted"));
}

#[test]
fn a_row_twice_in_a_unit_is_422() {
    let mut uow = Unit::new();
    uow.attach(product(1)).unwrap();
    let twice = uow.attach(product(1)).unwrap_err();
    assert_eq!(says(&twice.into()), (422, "unit.already_tracked"));

    let db = shop(1);
    let error = Product::save_all(&mut db.connect(), &mut [product(1), product(1)]).unwrap_err();
    assert_eq!(says(&error.into()), (422, "unit.invalid"));
}
