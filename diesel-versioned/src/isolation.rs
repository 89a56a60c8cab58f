//! What a transaction is to be like, without a connection: how much it sees of others, and whether it may
//! write.

use crate::backend::{Dialect, IsolationSyntax, Switch};
use crate::error::IsolationError;

/// How much a transaction sees of what others do meanwhile; each level sees less than the one before.
///
/// | | PostgreSQL | MySQL, MariaDB | SQLite |
/// | --- | --- | --- | --- |
/// | `ReadCommitted` | each statement sees what is committed by then | the same | as `Serializable` |
/// | `RepeatableRead` | one snapshot; a write of what has changed since fails with 40001 | one snapshot for reads that do not lock; writes and locks see the rows as they are | as `Serializable` |
/// | `Serializable` | as if one after the other, or 40001 | reads share a lock: others wait, or a deadlock | as if one after the other |
///
/// SQLite has one level, its transactions are serializable. It gives more than what is asked for, so
/// that every level can be asked for there and nothing has to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// Each statement sees what others have committed before it.
    ReadCommitted,
    /// All reads see one snapshot.
    RepeatableRead,
    /// The transactions are as if one had run after the other.
    Serializable,
}

impl Isolation {
    fn sql(self) -> &'static str {
        match self {
            Self::ReadCommitted => "ISOLATION LEVEL READ COMMITTED",
            Self::RepeatableRead => "ISOLATION LEVEL REPEATABLE READ",
            Self::Serializable => "ISOLATION LEVEL SERIALIZABLE",
        }
    }
}

/// What is wanted of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Terms {
    pub(crate) isolation: Option<Isolation>,
    pub(crate) read_only: bool,
}

/// How a database is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// Not at all.
    Nothing,
    /// By a statement before BEGIN, which holds for the next transaction alone.
    Before(String),
    /// By a statement after BEGIN.
    Inside(String),
}

impl Terms {
    /// Only to read, and in one snapshot or whatever is wanted.
    pub(crate) fn to_read(isolation: Isolation) -> Self {
        Self {
            isolation: Some(isolation),
            read_only: true,
        }
    }

    fn is_any(self) -> bool {
        self == Self::default()
    }

    /// Fails if they cannot be had. The transaction of a caller is as it is.
    pub(crate) fn check<DB: Dialect>(self, nested: bool) -> Result<(), IsolationError> {
        match DB::ISOLATION {
            _ if self.is_any() => Ok(()),
            _ if nested => Err(IsolationError::InTransaction),
            IsolationSyntax::Unknown => Err(IsolationError::Unsupported),
            _ => Ok(()),
        }
    }

    /// How the database is told.
    pub(crate) fn told<DB: Dialect>(self) -> Told {
        if self.is_any() {
            return Told::Nothing;
        }
        let isolation = self.isolation.map(Isolation::sql);
        let read_only = self.read_only.then_some("READ ONLY");
        let wanted: Vec<&str> = isolation.into_iter().chain(read_only).collect();
        let sql = || format!("SET TRANSACTION {}", wanted.join(", "));
        match DB::ISOLATION {
            IsolationSyntax::SetBefore => Told::Before(sql()),
            IsolationSyntax::SetInside => Told::Inside(sql()),
            IsolationSyntax::Unknown | IsolationSyntax::Serializable(_) => Told::Nothing,
        }
    }

    /// The setting of the session that keeps a transaction from writing, where a transaction has none.
    pub(crate) fn switch<DB: Dialect>(self) -> Option<Switch> {
        match DB::ISOLATION {
            IsolationSyntax::Serializable(switch) if self.read_only => Some(switch),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod tests {
    use diesel::mysql::Mysql;
    use diesel::pg::Pg;
    use diesel::sqlite::Sqlite;

    use super::{Isolation, Terms, Told};

    #[test]
    fn each_database_is_told_in_its_way() {
        let wanted = Terms::to_read(Isolation::RepeatableRead);
        let sql = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        assert_eq!(wanted.told::<Pg>(), Told::Inside(sql.to_owned()));
        assert_eq!(wanted.told::<Mysql>(), Told::Before(sql.to_owned()));
        assert_eq!(wanted.told::<Sqlite>(), Told::Nothing);
        assert!(wanted.switch::<Sqlite>().is_some() && wanted.switch::<Pg>().is_none());
        assert_eq!(Terms::default().told::<Pg>(), Told::Nothing);
        assert!(Terms::default().switch::<Sqlite>().is_none());
        let read_only = Terms {
            isolation: None,
            read_only: true,
        };
        let sql = "SET TRANSACTION READ ONLY";
        assert_eq!(read_only.told::<Pg>(), Told::Inside(sql.to_owned()));
    }
}
