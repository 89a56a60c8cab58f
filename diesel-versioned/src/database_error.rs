//! What an error of the database means: its code, and whether it passes. Diesel hands on no error
//! number, so what it does not name by kind is told by the text of the message.

mod texts;

use diesel::result::{DatabaseErrorKind, Error};

use self::texts::{
    CLOSED, MYSQL_DEADLOCK, MYSQL_LOCK_TIMEOUT, MYSQL_NO_WAIT, MYSQL_RECORD_CHANGED,
    POSTGRES_CLOSED, POSTGRES_DEADLOCK, POSTGRES_LOCK_NOT_AVAILABLE, POSTGRES_LOCK_TIMEOUT,
    SQLITE_BUSY, SQLITE_READ_ONLY,
};

use crate::relative::NotApplied;

const DEADLOCK: &str = "lock.deadlock";

/// The stable name for programs.
pub(crate) fn code(error: &Error) -> &'static str {
    use DatabaseErrorKind as Kind;
    match error {
        Error::NotFound => "row.not_found",
        Error::BrokenTransactionManager => "connection.closed",
        Error::DatabaseError(kind, information) => match kind {
            Kind::UniqueViolation => "constraint.unique",
            Kind::ForeignKeyViolation => "constraint.foreign_key",
            Kind::NotNullViolation => "constraint.not_null",
            Kind::CheckViolation => "constraint.check",
            Kind::ClosedConnection => "connection.closed",
            Kind::ReadOnlyTransaction => "transaction.read_only",
            _ if is_transient(error) => transient_code(information.message()),
            _ => told_by_text(information.message()),
        },
        Error::RollbackErrorOnCommit { commit_error, .. } => code(commit_error),
        Error::QueryBuilderError(error) => match error.downcast_ref::<NotApplied>() {
            Some(applied) => applied.code,
            None => "database",
        },
        _ => "database",
    }
}

/// The code of an error that Diesel does not name by kind.
fn told_by_text(message: &str) -> &'static str {
    if is_one_of(message, &[CLOSED, POSTGRES_CLOSED]) {
        "connection.closed"
    } else if message.starts_with("CONSTRAINT `") && message.contains("` failed for `") {
        "constraint.check" // MariaDB 4025
    } else if is_one_of(message, &[SQLITE_READ_ONLY]) {
        "transaction.read_only"
    } else {
        "database"
    }
}

/// The code of an error that passes: what was waited for, where that is known.
fn transient_code(message: &str) -> &'static str {
    if is_one_of(message, &[POSTGRES_DEADLOCK, MYSQL_DEADLOCK]) {
        DEADLOCK
    } else if is_one_of(message, &[POSTGRES_LOCK_NOT_AVAILABLE, MYSQL_NO_WAIT]) {
        "lock.refused"
    } else if is_one_of(
        message,
        &[SQLITE_BUSY, POSTGRES_LOCK_TIMEOUT, MYSQL_LOCK_TIMEOUT],
    ) {
        "lock.timeout"
    } else {
        "database.transient"
    }
}

/// Whether the database turned the work away for reasons that pass.
pub(crate) fn is_transient(error: &Error) -> bool {
    match error {
        Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        Error::DatabaseError(DatabaseErrorKind::Unknown, information) => {
            passes_by_text(information.message())
        }
        Error::RollbackErrorOnCommit { commit_error, .. } => is_transient(commit_error),
        _ => false,
    }
}

/// Whether the database has chosen this transaction to end a deadlock.
pub(crate) fn is_deadlock(error: &Error) -> bool {
    code(error) == DEADLOCK
}

fn passes_by_text(message: &str) -> bool {
    let tables = [
        SQLITE_BUSY,
        POSTGRES_DEADLOCK,
        POSTGRES_LOCK_TIMEOUT,
        POSTGRES_LOCK_NOT_AVAILABLE,
        MYSQL_LOCK_TIMEOUT,
        MYSQL_DEADLOCK,
        MYSQL_NO_WAIT,
        MYSQL_RECORD_CHANGED,
    ];
    is_one_of(message, &tables)
}

fn is_one_of(message: &str, tables: &[&[&str]]) -> bool {
    let mut texts = tables.iter().copied().flatten();
    texts.any(|text| says(message, text))
}

/// Whether a message has a text in it, with anything in the place of `%s`.
fn says(message: &str, text: &str) -> bool {
    let mut rest = message;
    text.split("%s").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart_from_other_errors() {
        for passes in [
            "database is locked",
            "Verklemmung (Deadlock) entdeckt",
            "デッドロックを検出しました",
            "no se pudo bloquear un candado en la fila de la relación «products»",
            "\"products\" 릴레이션의 잠금 정보를 구할 수 없음",
            "Timeout sur l'obtention du verrou",
            "Запись изменилась с момента последней выборки в таблице 'products'; Попробуйте \
             перезапустить транзакцию",
        ] {
            assert!(passes_by_text(passes), "{passes}");
        }
        for stays in [
            "",
            "division by zero",
            "Teilung durch Null",
            "duplicate key value violates unique constraint \"products_pkey\"",
            "canceling statement due to statement timeout",
            "terminating connection due to administrator command",
            "Table 'x.products' doesn't exist",
        ] {
            assert!(!passes_by_text(stays), "{stays}");
        }
    }

    #[test]
    fn what_was_waited_for_is_known() {
        for (message, code) in [
            ("database is locked", "lock.timeout"),
            ("Verklemmung (Deadlock) entdeckt", "lock.deadlock"),
            (
                "Deadlock found when trying to get lock; try restarting transaction",
                "lock.deadlock",
            ),
            (
                "Lock wait timeout exceeded; try restarting transaction",
                "lock.timeout",
            ),
            (
                "could not obtain lock on row in relation \"products\"",
                "lock.refused",
            ),
            (
                "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is \
                 set.",
                "lock.refused",
            ),
            (
                "could not serialize access due to concurrent update",
                "database.transient",
            ),
        ] {
            assert_eq!(transient_code(message), code, "{message}");
        }
    }

    #[test]
    fn a_closed_connection_is_known_by_its_servers_last_words() {
        for closed in [
            "terminating connection due to administrator command",
            "Verbindung wird abgebrochen aufgrund von Anweisung des Administrators",
            "管理者コマンドにより接続を終了しています",
            "MySQL server has gone away",
        ] {
            assert_eq!(told_by_text(closed), "connection.closed", "{closed}");
        }
        assert_eq!(told_by_text("division by zero"), "database");
    }

    #[test]
    fn no_text_is_so_short_that_it_says_nothing() {
        let all = [POSTGRES_LOCK_NOT_AVAILABLE, MYSQL_RECORD_CHANGED];
        for text in all.into_iter().flatten() {
            assert!(text.replace("%s", "").chars().count() > 10, "{text}");
        }
    }
}
