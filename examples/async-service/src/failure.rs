//! What a request is answered that was not done: a problem, of the library's errors and our own.

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use diesel::result::Error as DieselError;
use diesel_versioned::async_prelude::*;
use diesel_versioned::http::{Expected, Problem};
use serde_json::json;
use tokio::task::JoinError;

use crate::catalogue::{FormError, Product};
use crate::database::NoConnection;
use crate::transfer::TransferError;

/// A problem that axum takes for an answer.
#[derive(Debug)]
pub(crate) struct Failure(Problem);

impl<E: Into<Problem>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        // What a client is not told.
        if let Some(source) = self
            .0
            .source()
            .filter(|_| self.0.status().is_server_error())
        {
            log(source);
        }
        self.0.into_response().into_response()
    }
}

impl Failure {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Problem::new(status, code).with_detail(detail.into()).into()
    }

    /// Why a product was not written. `expected` is there if the header said which version was read;
    /// `was` is how the product looked to the client, by which is told who changed what.
    pub(crate) fn of_save(
        error: SaveError<Product>,
        expected: Option<&Expected>,
        was: Option<Product>,
    ) -> Self {
        let (error, current) = match (error, was) {
            (SaveError::Conflict(lost), was) => {
                let current = lost.current().cloned();
                let based = was.and_then(|was| lost.clone().with_base(was).ok());
                (based.unwrap_or(*lost).into(), current)
            }
            (error, _) => (error, None),
        };
        let problem = match expected {
            Some(expected) => expected.problem(error),
            None => error.into(),
        };
        match current {
            Some(current) => problem.with_member("current", json!(current)).into(),
            None => problem.into(),
        }
    }

    /// Why what was to be done in the background has come to nothing.
    pub(crate) fn of_task(error: JoinError) -> Self {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "service")
            .with_detail("the service has made a mistake; its log has more")
            .with_source(error)
            .into()
    }
}

/// What the path holds.
pub(crate) fn of_path<T>(path: Result<Path<T>, PathRejection>) -> Result<T, Failure> {
    path.map(|Path(value)| value).map_err(|rejection| {
        Failure::new(rejection.status(), "request.path", rejection.body_text())
    })
}

/// What the body holds.
pub(crate) fn of_body<T>(body: Result<Json<T>, JsonRejection>) -> Result<T, Failure> {
    body.map(|Json(value)| value).map_err(|rejection| {
        Failure::new(rejection.status(), "request.body", rejection.body_text())
    })
}

impl From<NoConnection> for Problem {
    fn from(error: NoConnection) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "connection.none")
            .with_detail("there is no connection to the database; try again later")
            .with_retry_after(Duration::from_secs(1))
            .with_source(error)
    }
}

impl From<FormError> for Problem {
    fn from(error: FormError) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "product.invalid")
            .with_detail(error.to_string())
    }
}

impl From<TransferError> for Problem {
    fn from(error: TransferError) -> Self {
        let code = match error {
            TransferError::Commit(error) => return error.into(),
            TransferError::NoSuchProduct(_) => {
                return Self::from(DieselError::NotFound).with_detail(error.to_string());
            }
            TransferError::Quantity(_) | TransferError::SameProduct(_) => "transfer.invalid",
            TransferError::NotEnough { .. } | TransferError::TooMuch { .. } => "transfer.stock",
        };
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code).with_detail(error.to_string())
    }
}

/// An error and what caused it, in one line on standard error.
fn log(error: &dyn Error) {
    // Nobody may be there to read it; the request is answered all the same.
    drop(writeln!(
        io::stderr(),
        "async-service: {}",
        with_sources(error)
    ));
}

/// An error and what caused it, in one line.
pub(crate) fn with_sources(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        line.push_str(": ");
        line.push_str(source.to_string().trim_end());
        next = source.source();
    }
    line.replace('\n', " ")
}
