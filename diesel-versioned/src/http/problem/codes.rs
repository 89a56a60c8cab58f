//! Which status a code is answered with, and what is said where the error's words are not for the
//! client.

use ::http::StatusCode;

/// How a code is answered.
pub(in crate::http) struct Code {
    pub(in crate::http) name: &'static str,
    pub(in crate::http) status: StatusCode,
    /// Whether the same request may succeed later.
    pub(super) passes: bool,
    /// What is said; `None` if the error says it.
    pub(super) words: Option<&'static str>,
}

const FAULT: &str = "the service has made a mistake; its log has more";
const DATABASE: &str = "the database reported an error; the log of the service has it";

impl Code {
    /// How a code is answered; as a fault if it is not known.
    pub(super) fn of(name: &str) -> &'static Self {
        const UNKNOWN: Code = own("", StatusCode::INTERNAL_SERVER_ERROR, FAULT);
        CODES
            .iter()
            .find(|code| code.name == name)
            .unwrap_or(&UNKNOWN)
    }
}

const fn says(name: &'static str, status: StatusCode) -> Code {
    Code {
        name,
        status,
        passes: false,
        words: None,
    }
}

const fn own(name: &'static str, status: StatusCode, words: &'static str) -> Code {
    Code {
        name,
        status,
        passes: false,
        words: Some(words),
    }
}

const fn passes(name: &'static str, words: &'static str) -> Code {
    Code {
        name,
        status: StatusCode::SERVICE_UNAVAILABLE,
        passes: true,
        words: Some(words),
    }
}

const fn fault(name: &'static str) -> Code {
    own(name, StatusCode::INTERNAL_SERVER_ERROR, FAULT)
}

const UNMERGED: &str = "someone else has changed it; read it again and decide anew";

/// Every code of the library's, in the order of the documentation.
pub(in crate::http) const CODES: &[Code] = &[
    says("header.malformed", StatusCode::BAD_REQUEST),
    says("precondition.not_one_version", StatusCode::BAD_REQUEST),
    says("replay.key", StatusCode::BAD_REQUEST),
    says("overwrite.reason", StatusCode::BAD_REQUEST),
    own(
        "row.not_found",
        StatusCode::NOT_FOUND,
        "there is no such row",
    ),
    says("conflict.modified", StatusCode::CONFLICT),
    own(
        "conflict.refused",
        StatusCode::CONFLICT,
        "nobody else has changed it, and the database held the write back; trying again does not help",
    ),
    own(
        "apply.condition",
        StatusCode::CONFLICT,
        "what stands there does not allow it",
    ),
    own(
        "apply.refused",
        StatusCode::CONFLICT,
        "the database held the write back; trying again does not help",
    ),
    says("merge.columns", StatusCode::CONFLICT),
    own("merge.overwrites", StatusCode::CONFLICT, UNMERGED),
    own("merge.no_base", StatusCode::CONFLICT, UNMERGED),
    own("merge.wrong_base", StatusCode::CONFLICT, UNMERGED),
    own("merge.delete", StatusCode::CONFLICT, UNMERGED),
    own("merge.expect_unchanged", StatusCode::CONFLICT, UNMERGED),
    own("merge.outdated", StatusCode::CONFLICT, UNMERGED),
    own("overwrite.outdated", StatusCode::CONFLICT, UNMERGED),
    own("overwrite.expect_unchanged", StatusCode::CONFLICT, UNMERGED),
    says("lease.lost", StatusCode::CONFLICT),
    says("conflict.deleted", StatusCode::GONE),
    own("apply.gone", StatusCode::GONE, "there is no such row"),
    says("precondition.failed", StatusCode::PRECONDITION_FAILED),
    own(
        "constraint.unique",
        StatusCode::UNPROCESSABLE_ENTITY,
        "a value that must be unique is taken",
    ),
    own(
        "constraint.foreign_key",
        StatusCode::UNPROCESSABLE_ENTITY,
        "it refers to something that is not there, or something refers to it",
    ),
    own(
        "constraint.not_null",
        StatusCode::UNPROCESSABLE_ENTITY,
        "a value is missing",
    ),
    own(
        "constraint.check",
        StatusCode::UNPROCESSABLE_ENTITY,
        "a value is not one of those that are allowed",
    ),
    says("unit.already_tracked", StatusCode::UNPROCESSABLE_ENTITY),
    says("unit.invalid", StatusCode::UNPROCESSABLE_ENTITY),
    own(
        "replay.other_payload",
        StatusCode::UNPROCESSABLE_ENTITY,
        "something else was asked for under this idempotency key; take a new key for a new request",
    ),
    says("lease.held", StatusCode::LOCKED),
    says("precondition.required", StatusCode::PRECONDITION_REQUIRED),
    says(
        "header.too_long",
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    ),
    own(
        "outcome.unknown",
        StatusCode::INTERNAL_SERVER_ERROR,
        "the connection to the database was lost at the end, so it may be done or not; \
         look before you repeat it",
    ),
    fault("precondition.unknown_group"),
    fault("version.exhausted"),
    fault("version.unavailable"),
    fault("key.not_unique"),
    fault("unit.full"),
    fault("unit.unknown_handle"),
    fault("retry.in_transaction"),
    fault("retry.policy"),
    fault("overwrite.actor"),
    fault("overwrite.audit"),
    fault("lease.other_row"),
    fault("lease.holder"),
    fault("lease.ttl"),
    fault("lease.key"),
    own(
        "transaction.read_only",
        StatusCode::INTERNAL_SERVER_ERROR,
        DATABASE,
    ),
    own("database", StatusCode::INTERNAL_SERVER_ERROR, DATABASE),
    fault("lock.no_transaction"),
    fault("lock.unsupported"),
    fault("isolation.in_transaction"),
    fault("isolation.unsupported"),
    fault("unit.read_only"),
    passes(
        "lock.timeout",
        "someone else is at work on it and has not ended in time; try again",
    ),
    passes("lock.refused", "someone else is at work on it; try again"),
    passes(
        "lock.deadlock",
        "two got into each other's way, and this one gave way; try again",
    ),
    passes(
        "database.transient",
        "the database is busy with other work; try again",
    ),
    own(
        "connection.closed",
        StatusCode::SERVICE_UNAVAILABLE,
        "the connection to the database is lost, so it may be done or not; look before you repeat it",
    ),
    passes(
        "retry.exhausted",
        "too many others write the same at the moment; try again later",
    ),
];
