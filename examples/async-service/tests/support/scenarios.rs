//! What must be so on every database.

use std::collections::BTreeMap;
use std::sync::Arc;

use diesel_async::SimpleAsyncConnection;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

use super::{Answer, Database, Service, id};

/// What the rounds of a race may take until it has gone as it can.
const ROUNDS: usize = 200;

/// A product is made, read, edited, deleted.
pub(crate) async fn one_product(database: &impl Database) {
    let service = Service::start(database).await;
    let path = service.product("Chai", 7).await;
    let chai = service.get(&path).await;
    assert_eq!(
        (chai.status, &chai.headers["etag"]),
        (200, &r#""v1""#.parse().unwrap())
    );
    let mut form = chai.body;
    assert_eq!(
        form,
        json!({ "id": id(&path), "name": "Chai", "price_cents": 1000, "stock": 7, "version": 1 })
    );

    form["price_cents"] = json!(1200);
    let saved = service.put(&path, &form).await;
    assert_eq!(
        (saved.status, &saved.headers["etag"]),
        (200, &r#""v2""#.parse().unwrap())
    );
    form["version"] = json!(2);
    assert_eq!(saved.body, form);
    assert_eq!(service.get(&path).await.body, form);

    let stale = service.delete_if_match(&path, r#""v1""#).await;
    assert_eq!((stale.status, stale.code()), (412, "precondition.failed"));
    assert_eq!(stale.body["etag"], r#""v2""#);
    let deleted = service.delete_if_match(&path, r#""v2""#).await;
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(service.get(&path).await.status, 404);
    let again = service.delete_if_match(&path, r#""v2""#).await;
    assert_eq!((again.status, again.code()), (404, "row.not_found"));
    let late = service.put(&path, &form).await;
    assert_eq!((late.status, late.code()), (410, "conflict.deleted"));
    let late = service.put_if_match(&path, r#""v2""#, &form).await;
    assert_eq!((late.status, late.code()), (410, "conflict.deleted"));
}

/// Two clients have read version 1 and both write: one after the other, and at once.
pub(crate) async fn a_lost_update(database: &impl Database) {
    let service = Service::start(database).await;
    let path = service.product("Chai", 7).await;
    let was = json!({ "name": "Chai", "price_cents": 1000, "stock": 7 });
    let anns = json!({ "name": "Chai", "price_cents": 1200, "stock": 7, "version": 1 });
    let bobs = json!({ "name": "Chai", "price_cents": 1100, "stock": 5, "version": 1, "was": was });
    assert_eq!(service.put(&path, &anns).await.status, 200);

    let lost = service.put(&path, &bobs).await;
    let conflict = &lost.body["conflicts"][0];
    assert_eq!((lost.status, lost.code()), (409, "conflict.modified"));
    assert_eq!(
        (&conflict["expected"], &conflict["actual"]),
        (&json!("1"), &json!("2"))
    );
    assert_eq!(
        (&lost.body["etag"], &conflict["etag"]),
        (&json!("\"v2\""), &json!("\"v2\""))
    );
    assert_eq!(lost.body["current"], service.get(&path).await.body);
    assert_eq!(
        conflict["changes"],
        json!([
            { "column": "price_cents", "by": "both", "base": "1000", "mine": "1100", "theirs": "1200" },
            { "column": "stock", "by": "me", "base": "7", "mine": "5", "theirs": "7" },
        ])
    );

    let mut without_base = bobs.clone();
    without_base.as_object_mut().unwrap().remove("was");
    without_base.as_object_mut().unwrap().remove("version");
    let failed = service.put_if_match(&path, r#""v1""#, &without_base).await;
    assert_eq!((failed.status, failed.code()), (412, "precondition.failed"));
    assert_eq!(failed.body["etag"], r#""v2""#);
    assert_eq!(
        failed.body["conflicts"][0]["changes"],
        json!([
            { "column": "price_cents", "by": "unknown", "base": null, "mine": "1100", "theirs": "1200" },
            { "column": "stock", "by": "unknown", "base": null, "mine": "5", "theirs": "7" },
        ])
    );
    let current = service.get(&path).await.body;
    assert_eq!(
        (&current["price_cents"], &current["version"]),
        (&json!(1200), &json!(2))
    );

    for version in 2..12 {
        let barrier = Arc::new(Barrier::new(2));
        let write = |price: i64| {
            let (address, path, barrier) =
                (service.address.clone(), path.clone(), Arc::clone(&barrier));
            tokio::spawn(async move {
                let form = json!({ "name": "Chai", "price_cents": price, "stock": 7 });
                let version = format!("\"v{version}\"");
                let headers = [
                    ("content-type", "application/json"),
                    ("if-match", &*version),
                ];
                barrier.wait().await;
                super::send(&address, "PUT", &path, &headers, &form.to_string()).await
            })
        };
        let (ann, bob) = (write(1300), write(1400));
        let answers = [ann.await.unwrap(), bob.await.unwrap()];
        let (won, lost) = match answers.each_ref().map(|answer| answer.status) {
            [200, 412] => (&answers[0], &answers[1]),
            [412, 200] => (&answers[1], &answers[0]),
            _ => panic!("{answers:?}"),
        };
        assert_eq!(lost.code(), "precondition.failed");
        assert_eq!(lost.body["current"], won.body);
        assert_eq!(lost.body["etag"], won.headers["etag"].to_str().unwrap());
    }
}

/// What the headers of conditional requests may hold.
pub(crate) async fn conditions(database: &impl Database) {
    let service = Service::start(database).await;
    let path = service.product("Chai", 7).await;
    let form = json!({ "name": "Chai", "price_cents": 1100, "stock": 7 });
    let get = async |header: &str| {
        let headers = [("if-none-match", header)];
        super::send(&service.address, "GET", &path, &headers, "").await
    };

    for known in [r#""v1""#, r#"W/"v1""#, r#""v0" ,, "v1""#, "*"] {
        let answer = get(known).await;
        assert_eq!(
            (answer.status, &answer.body),
            (304, &json!(null)),
            "{known}"
        );
        assert_eq!(answer.headers["etag"], r#""v1""#);
    }
    for other in [r#""v2""#, r#""1""#, r#""v1-gzip""#] {
        assert_eq!(get(other).await.status, 200, "{other}");
    }
    for malformed in ["v1", "", r#""v1"#] {
        let answer = get(malformed).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "header.malformed"),
            "{malformed}"
        );
    }

    for never in [
        r#"W/"v1""#,
        r#""1""#,
        r#""v2""#,
        r#""v2", "v3""#,
        r#""v1-gzip""#,
    ] {
        for answer in [
            service.put_if_match(&path, never, &form).await,
            service.delete_if_match(&path, never).await,
        ] {
            let says = (answer.status, answer.code());
            assert_eq!(says, (412, "precondition.failed"), "{never}: {answer:?}");
        }
    }
    for malformed in [
        "v1",
        "1",
        "",
        r#""v1" "v2""#,
        r#"w/"v1""#,
        r#"*, "v1""#,
        r#""v1"#,
    ] {
        for answer in [
            service.put_if_match(&path, malformed, &form).await,
            service.delete_if_match(&path, malformed).await,
        ] {
            let says = (answer.status, answer.code());
            assert_eq!(says, (400, "header.malformed"), "{malformed}: {answer:?}");
            assert_eq!(answer.headers["content-type"], "application/problem+json");
            let detail = answer.body["detail"].as_str().unwrap();
            assert!(detail.starts_with("If-Match cannot be read"), "{detail}");
        }
    }
    let long = vec![r#""v1""#; 129].join(",");
    let answer = service.put_if_match(&path, &long, &form).await;
    assert_eq!((answer.status, answer.code()), (431, "header.too_long"));
    assert_eq!(service.get(&path).await.headers["etag"], r#""v1""#);

    // Several lines are one list.
    let lines = [
        ("content-type", "application/json"),
        ("if-match", r#""v9", "x""#),
        ("if-match", r#""v1""#),
    ];
    let answer = super::send(&service.address, "PUT", &path, &lines, &form.to_string()).await;
    assert_eq!(
        (answer.status, &answer.body["version"]),
        (200, &json!(2)),
        "{answer:?}"
    );
    for (header, version) in [(r#""v1",, W/"v9","v2""#, 3), ("*", 4), (r#""v4", "x""#, 5)] {
        let answer = service.put_if_match(&path, header, &form).await;
        assert_eq!(
            (answer.status, &answer.body["version"]),
            (200, &json!(version)),
            "{header}"
        );
    }
    let absent = service.put_if_match("/products/99", "*", &form).await;
    assert_eq!((absent.status, absent.code()), (404, "row.not_found"));
    assert_eq!(
        service.delete_if_match(&path, r#""v4", "v5""#).await.status,
        204
    );
    assert_eq!(service.delete_if_match(&path, "*").await.status, 404);
}

/// A client that sends its PUT again, since the answer was lost.
pub(crate) async fn a_put_that_is_sent_again(database: &impl Database) {
    let service = Service::start(database).await;
    let path = service.product("Chai", 7).await;
    let form = json!({ "name": "Chai", "price_cents": 1100, "stock": 7 });
    let done = service.put_if_match(&path, r#""v1""#, &form).await;
    assert_eq!(done.status, 200);
    let again = service.put_if_match(&path, r#""v1""#, &form).await;
    assert_eq!((again.status, again.code()), (412, "precondition.failed"));
    // Nothing differs: it was its own.
    assert_eq!(again.body["conflicts"][0]["changes"], json!([]));
    assert_eq!(again.body["current"], done.body);
}

/// Transfers that meet: all or none, never both on the same version.
pub(crate) async fn transfers_that_meet(database: &impl Database) {
    let service = Service::start(database).await;
    let (chai, chang) = (
        service.product("Chai", 1000).await,
        service.product("Chang", 0).await,
    );
    let (from, to) = (id(&chai), id(&chang));
    let mut ended = BTreeMap::new();
    let mut moved = 0;
    for round in 0..ROUNDS {
        // Nobody can write until both are there and something else was answered after them.
        let mut held = database.hold(from).await;
        let barrier = Arc::new(Barrier::new(3));
        let transfer = |from: i64, to: i64| {
            let (address, barrier) = (service.address.clone(), Arc::clone(&barrier));
            tokio::spawn(async move {
                let wanted = json!({ "from": from, "to": to, "quantity": 1 }).to_string();
                let headers = [("content-type", "application/json")];
                barrier.wait().await;
                super::send(&address, "POST", "/transfers", &headers, &wanted).await
            })
        };
        // Every other pair meets head on.
        let back = round % 2 == 1 && moved > 0;
        let first = transfer(from, to);
        let second = if back {
            transfer(to, from)
        } else {
            transfer(from, to)
        };
        barrier.wait().await;
        assert_eq!(service.get(&chai).await.status, 200);
        held.batch_execute("ROLLBACK").await.unwrap();
        drop(held);

        let answers = [first.await.unwrap(), second.await.unwrap()];
        let statuses = answers.each_ref().map(|answer| answer.status);
        let change = match (statuses, back) {
            ([200, 200], false) => 2,
            ([200, 200], true) => 0,
            ([200, 409], _) => 1,
            ([409, 200], false) => 1,
            ([409, 200], true) => -1,
            _ => panic!("{answers:?}"),
        };
        moved += change;
        for lost in answers.iter().filter(|answer| answer.status == 409) {
            // Those of a unit know by themselves who changed what.
            assert_eq!(lost.code(), "conflict.modified");
            let changes = lost.body["conflicts"][0]["changes"].as_array().unwrap();
            assert_eq!(changes.len(), 1, "{changes:?}");
            assert_eq!(
                (&changes[0]["column"], &changes[0]["by"]),
                (&json!("stock"), &json!("both"))
            );
        }
        *ended.entry(statuses.contains(&409)).or_insert(0) += 1;
        let stocks = (
            service.get(&chai).await.body["stock"].as_i64(),
            service.get(&chang).await.body["stock"].as_i64(),
        );
        assert_eq!(stocks, (Some(1000 - moved), Some(moved)));
        if round >= 9 && ended.contains_key(&true) {
            break;
        }
    }
    assert!(ended.contains_key(&true), "they never met: {ended:?}");
    let journal = format!(
        "(SELECT sum(CASE WHEN to_id = {to} THEN quantity ELSE -quantity END) FROM transfers)"
    );
    assert_eq!(database.number(&journal).await, moved);
}

/// What a client does wrong is told, and nothing is written.
pub(crate) async fn mistakes(database: &impl Database) {
    let service = Service::start(database).await;
    let chai = service.product("Chai", 7).await;
    let chang = service.product("Chang", i64::MAX).await;
    let (from, to) = (id(&chai), id(&chang));
    let form = json!({ "name": "Chai", "price_cents": 1, "stock": 1 });
    let with = |key: &str, value: serde_json::Value| {
        let mut form = form.clone();
        form[key] = value;
        form
    };
    let versioned = |key: &str, value: serde_json::Value| {
        let mut form = with(key, value);
        form["version"] = json!(1);
        form
    };
    let moved =
        |from: i64, to: i64, quantity: i64| json!({ "from": from, "to": to, "quantity": quantity });
    let says = |answer: Answer| (answer.status, answer.code().to_owned());
    let is = |status: u16, code: &str| (status, code.to_owned());

    assert_eq!(
        says(service.get("/products/99").await),
        is(404, "row.not_found")
    );
    assert_eq!(
        says(service.get("/products/chai").await),
        is(400, "request.path")
    );
    assert_eq!(says(service.get("/product").await), is(404, "request.path"));
    assert_eq!(
        says(service.get("/transfers").await),
        is(405, "request.method")
    );

    assert_eq!(
        says(service.put(&chai, &form).await),
        is(428, "precondition.required")
    );
    let undeleted = super::send(&service.address, "DELETE", &chai, &[], "").await;
    assert_eq!(says(undeleted), is(428, "precondition.required"));
    let contradiction = service
        .put_if_match(&chai, r#""v2""#, &with("version", json!(1)))
        .await;
    assert_eq!(says(contradiction), is(400, "request.contradiction"));
    let absent = service
        .put("/products/99", &with("version", json!(1)))
        .await;
    assert_eq!(says(absent), is(410, "conflict.deleted"));

    for (key, value) in [
        ("stock", json!(-1)),
        ("price_cents", json!(-1)),
        ("name", json!(" ")),
        ("id", json!(to)),
    ] {
        let answer = service.put(&chai, &versioned(key, value)).await;
        assert_eq!(says(answer), is(422, "product.invalid"), "{key}");
    }
    assert_eq!(
        says(service.post("/products", &with("id", json!(1))).await),
        is(422, "product.invalid")
    );
    assert_eq!(
        says(service.put(&chai, &versioned("stock", json!("7"))).await),
        is(422, "request.body")
    );
    assert_eq!(
        says(service.put(&chai, &versioned("stok", json!(7))).await),
        is(422, "request.body")
    );
    let headers = [("content-type", "application/json")];
    let broken = super::send(&service.address, "PUT", &chai, &headers, "{").await;
    assert_eq!(says(broken), is(400, "request.body"));
    let untyped = super::send(&service.address, "PUT", &chai, &[], "{}").await;
    assert_eq!(says(untyped), is(415, "request.body"));

    for (wanted, expected) in [
        (moved(from, to, 0), is(422, "transfer.invalid")),
        (moved(from, to, -1), is(422, "transfer.invalid")),
        (moved(from, from, 1), is(422, "transfer.invalid")),
        (moved(from, to, 8), is(422, "transfer.stock")),
        (moved(from, to, 1), is(422, "transfer.stock")),
        (moved(from, 99, 1), is(404, "row.not_found")),
    ] {
        assert_eq!(
            says(service.post("/transfers", &wanted).await),
            expected,
            "{wanted}"
        );
    }
    assert_eq!(service.get(&chai).await.body["version"], 1);
    assert_eq!(service.get(&chang).await.body["version"], 1);
    assert_eq!(database.number("(SELECT count(*) FROM transfers)").await, 0);
}

/// A product that another transaction holds for too long.
pub(crate) async fn a_busy_database(database: &impl Database) {
    let service = Service::start_with(database, &["--lock-timeout", "20"]).await;
    let (chai, chang) = (
        service.product("Chai", 7).await,
        service.product("Chang", 0).await,
    );
    let mut form = service.get(&chai).await.body;
    form["stock"] = json!(6);
    let wanted = json!({ "from": id(&chai), "to": id(&chang), "quantity": 1 });

    let mut held = database.hold(id(&chai)).await;
    for answer in [
        service.put(&chai, &form).await,
        service.post("/transfers", &wanted).await,
    ] {
        assert_eq!(
            (answer.status, answer.code()),
            (503, "lock.timeout"),
            "{answer:?}"
        );
        assert_eq!(answer.headers["retry-after"], "1");
    }
    assert_eq!(
        service.get(&chai).await.body["version"],
        1,
        "who reads does not wait"
    );
    held.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(service.put(&chai, &form).await.status, 200);
    assert_eq!(service.post("/transfers", &wanted).await.status, 200);
}

/// Clients that go away while their transfers are under way.
pub(crate) async fn clients_that_go_away(database: &impl Database) {
    let service = Service::start(database).await;
    let chai = service.product("Chai", 1000).await;
    let chang = service.product("Chang", 0).await;
    let wanted = json!({ "from": id(&chai), "to": id(&chang), "quantity": 1 });
    let mut held = database.hold(id(&chai)).await;
    let mut gone = Vec::new();
    for _ in 0..4 {
        let body = wanted.to_string();
        let head = head("POST", "/transfers", body.len(), "");
        let mut stream = TcpStream::connect(&service.address).await.unwrap();
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        gone.push(stream);
    }
    assert_eq!(service.get(&chai).await.status, 200);
    drop(gone);
    assert_eq!(service.get(&chai).await.status, 200);
    held.batch_execute("ROLLBACK").await.unwrap();
    drop(held);
    // The service goes on; what comes after them is written, or meets the last of them.
    for _ in 0..10 {
        loop {
            let next = service.post("/transfers", &wanted).await;
            match next.status {
                200 => break,
                409 => {}
                _ => panic!("{next:?}"),
            }
        }
    }
    // One statement each: some of those that are gone may be at work still.
    let total = database.number("(SELECT sum(stock) FROM products)").await;
    let journal = "(SELECT sum(quantity) FROM transfers)";
    let arrived = format!("(SELECT stock FROM products WHERE id = {})", id(&chang));
    let torn = database.number(&format!("({arrived} - {journal})")).await;
    assert_eq!((total, torn), (1000, 0));
    assert!(database.number(journal).await >= 10);
}

/// SIGTERM while a request is under way: it is finished, and nothing else is begun.
#[cfg(unix)]
pub(crate) async fn a_graceful_end(database: &impl Database) {
    let mut service = Service::start(database).await;
    let path = service.product("Chai", 7).await;
    let form = json!({ "name": "Chai", "price_cents": 1, "stock": 7, "version": 1 }).to_string();

    // The service asks for the body when the request is in the hands of its handler.
    let mut stream = TcpStream::connect(&service.address).await.unwrap();
    let head = head(
        "PUT",
        &path,
        form.len(),
        "expect: 100-continue\r\nconnection: close\r\n",
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let asks = "HTTP/1.1 100 Continue\r\n\r\n";
    let mut asked = vec![0; asks.len()];
    stream.read_exact(&mut asked).await.unwrap();
    assert_eq!(String::from_utf8(asked).unwrap(), asks);

    // This one has asked for nothing, and is not waited for.
    let _idle = TcpStream::connect(&service.address).await.unwrap();
    service.signal("TERM");
    let says = service.says().await;
    assert_eq!(
        says.as_deref(),
        Some("stopping when all requests are finished")
    );
    while TcpStream::connect(&service.address).await.is_ok() {
        tokio::task::yield_now().await;
    }

    stream.write_all(form.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let ended = service.ended().await;
    assert_eq!((ended.status, &*ended.stderr), (Some(0), ""));
    assert_eq!(
        database.number("(SELECT price_cents FROM products)").await,
        1
    );
}

fn head(method: &str, path: &str, length: usize, more: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n{more}\r\n"
    )
}
