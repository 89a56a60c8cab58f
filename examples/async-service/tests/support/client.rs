//! A small HTTP client: one connection for each request, JSON answers.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_LENGTH, HOST};
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Null where there is none.
    pub(crate) body: Value,
}

impl Answer {
    /// The code of an answer that is a failure.
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// Sends a request and waits for the answer.
pub(crate) async fn send(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let driver = tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, address)
        .header(CONTENT_LENGTH, body.len());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::new(Bytes::from(body.to_owned()));
    let answer = sender.send_request(request.body(body).unwrap());
    let (head, body) = answer.await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    drop(sender);
    driver.await.unwrap().unwrap();
    if head.status.as_u16() >= 400 {
        assert_eq!(head.headers["content-type"], "application/problem+json");
    }
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: match &*body {
            [] => Value::Null,
            json => serde_json::from_slice(json).unwrap(),
        },
    }
}
