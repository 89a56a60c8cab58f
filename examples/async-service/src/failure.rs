//! What a request is answered that was not done: one shape of JSON, with a code that stays.

use std::error::Error;
use std::io::{self, Write};

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use diesel::result::Error as DieselError;
use diesel_versioned::async_prelude::*;
use serde::Serialize;
use tokio::task::JoinError;

use crate::catalogue::{FormError, Product};
use crate::condition::{ConditionError, Expected};
use crate::conflict::ConflictView;
use crate::database::NoConnection;
use crate::transfer::TransferError;

/// An answer that is not the one that was hoped for.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    body: Body,
}

#[derive(Debug, Serialize)]
struct Body {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<ConflictView>,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let answer = (self.status, Json(self.body));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            ([(RETRY_AFTER, "1")], answer).into_response()
        } else {
            answer.into_response()
        }
    }
}

impl Failure {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            body: Body {
                code,
                message: message.into(),
                conflicts: Vec::new(),
            },
        }
    }

    /// Why a product was not written: one that a client had read at a version, or a new one.
    /// `was` is how it looked to the client.
    pub(crate) fn of_save(
        error: &SaveError<Product>,
        expected: Option<Expected>,
        was: Option<&Product>,
    ) -> Self {
        let Some(conflict) = error.conflict() else {
            return Self::of_database(error, error.code(), error.is_transient());
        };
        let status = match (conflict.kind(), expected) {
            // The precondition of a row that is not there is not even looked at (RFC 9110, 13.2.1).
            (ConflictKind::Deleted, _) => StatusCode::NOT_FOUND,
            (ConflictKind::Modified, Some(Expected::Header(_))) => StatusCode::PRECONDITION_FAILED,
            _ => StatusCode::CONFLICT,
        };
        let mut failure = Self::new(status, error.code(), conflict.to_string());
        failure
            .body
            .conflicts
            .push(ConflictView::with_base(conflict, was));
        failure
    }

    /// Why a product was not read.
    pub(crate) fn of_read(error: DieselError, id: i64) -> Self {
        if matches!(error, DieselError::NotFound) {
            return Self::no_such_product(id);
        }
        let error = CommitError::from(error);
        Self::of_database(&error, error.code(), error.is_transient())
    }

    fn of_commit(error: &CommitError) -> Self {
        let Some(conflicts) = error.conflicts() else {
            return Self::of_database(error, error.code(), error.is_transient());
        };
        let mut failure = Self::new(StatusCode::CONFLICT, error.code(), conflicts.to_string());
        failure.body.conflicts = conflicts.of().map(ConflictView::new).collect();
        failure
    }

    fn no_such_product(id: i64) -> Self {
        let message = format!("there is no product {id}");
        Self::new(StatusCode::NOT_FOUND, "row.not_found", message)
    }

    /// An error that is no conflict. Where the database is to blame, its words are for the log.
    fn of_database(error: &dyn Error, code: &'static str, transient: bool) -> Self {
        if transient {
            let message = "the database is busy with other work; try again";
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message);
        }
        match code {
            "connection.closed" => Self::unreachable(code, error),
            code if code.starts_with("constraint.") => {
                let message = "the database has a rule against it";
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
            }
            "version.exhausted" => Self::new(StatusCode::CONFLICT, code, error.to_string()),
            _ => {
                log(error);
                let message = match code {
                    "outcome.unknown" => error.to_string(),
                    _ => "the database reported an error; the log of the service has it".to_owned(),
                };
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, code, message)
            }
        }
    }

    fn unreachable(code: &'static str, error: &dyn Error) -> Self {
        log(error);
        let message = "there is no connection to the database; try again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }
}

impl From<NoConnection> for Failure {
    fn from(error: NoConnection) -> Self {
        Self::unreachable("connection.none", &error)
    }
}

impl From<FormError> for Failure {
    fn from(error: FormError) -> Self {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self::new(status, "product.invalid", error.to_string())
    }
}

impl From<ConditionError> for Failure {
    fn from(error: ConditionError) -> Self {
        let (status, code) = match error {
            ConditionError::Missing { .. } => {
                (StatusCode::PRECONDITION_REQUIRED, "condition.missing")
            }
            ConditionError::NoVersion { .. } | ConditionError::Contradiction { .. } => {
                (StatusCode::BAD_REQUEST, "condition.invalid")
            }
        };
        Self::new(status, code, error.to_string())
    }
}

impl From<TransferError> for Failure {
    fn from(error: TransferError) -> Self {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        match &error {
            TransferError::Commit(error) => Self::of_commit(error),
            TransferError::NoSuchProduct(id) => Self::no_such_product(*id),
            TransferError::Quantity(_) | TransferError::SameProduct(_) => {
                Self::new(status, "transfer.invalid", error.to_string())
            }
            TransferError::NotEnough { .. } | TransferError::TooMuch { .. } => {
                Self::new(status, "transfer.stock", error.to_string())
            }
        }
    }
}

impl From<JoinError> for Failure {
    fn from(error: JoinError) -> Self {
        log(&error);
        let message = "the service made a mistake; its log has more";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "service", message)
    }
}

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Self {
        Self::new(rejection.status(), "request.body", rejection.body_text())
    }
}

impl From<PathRejection> for Failure {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), "request.path", rejection.body_text())
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
