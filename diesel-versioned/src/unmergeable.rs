//! Why two writes were not merged.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use crate::error::EntityRef;

/// Why a conflict was not resolved by a rule. Nothing was changed: the conflict and, in a unit, the
/// entity are as they were.
///
/// A rule makes one with [`Unmergeable::new`], of the columns that it cannot combine.
///
/// # Codes
///
/// What [`code`](Unmergeable::code) returns. A code keeps its meaning; new ones may come.
///
/// | code | what happened |
/// | --- | --- |
/// | `merge.columns` | the rule cannot combine what was done to these [`columns`](Unmergeable::columns) |
/// | `merge.overwrites` | the rule gave mine back, which would lose what only they changed: these `columns` |
/// | `merge.no_base` | it is not known what was loaded, so it cannot be told who changed what |
/// | `merge.wrong_base` | the base that was given is another row, or the row at another version |
/// | `merge.delete` | I wanted to delete the row, and a rule gives a row to write |
/// | `merge.expect_unchanged` | the unit was to commit only if nobody changed the row |
/// | `merge.outdated` | the unit has gone on since the conflict: it was resolved or read again |
/// | `conflict.deleted` | the row is gone |
/// | `conflict.refused` | nobody changed the row, the database held the write back |
/// | `unit.unknown_handle` | the conflict is of another unit, or the entity is no longer part of it |
///
/// ```
/// use diesel_versioned::Unmergeable;
///
/// let error = Unmergeable::new(["starts_on", "ends_on"], "the end would be before the start");
/// assert_eq!(error.code(), "merge.columns");
/// assert_eq!(error.columns(), ["starts_on", "ends_on"]);
/// assert_eq!(
///     error.to_string(),
///     "`starts_on`, `ends_on` cannot be merged: the end would be before the start"
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Unmergeable {
    why: Why,
    columns: Vec<&'static str>,
    entity: Option<EntityRef>,
}

/// What stands in the way of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    Columns(Cow<'static, str>),
    Overwrites,
    NoBase,
    WrongBase,
    Delete,
    ExpectUnchanged,
    Outdated,
    Deleted,
    Refused,
    UnknownHandle,
}

impl Unmergeable {
    /// What a rule returns for columns that it cannot combine. `reason` is for people: it says what
    /// is wrong with them.
    pub fn new(
        columns: impl IntoIterator<Item = &'static str>,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            why: Why::Columns(reason.into()),
            columns: columns.into_iter().collect(),
            entity: None,
        }
    }

    pub(crate) fn because(why: Why) -> Self {
        Self {
            why,
            columns: Vec::new(),
            entity: None,
        }
    }

    /// The same, about these columns.
    pub(crate) fn of_columns(mut self, columns: impl Iterator<Item = &'static str>) -> Self {
        self.columns = columns.collect();
        self
    }

    /// The same, about this row.
    pub(crate) fn about(mut self, table: &'static str, key: &impl fmt::Debug) -> Self {
        self.entity = Some(EntityRef {
            table,
            key: Some(format!("{key:?}")),
        });
        self
    }

    /// A stable name for programs, one of those that [`Unmergeable`] lists.
    pub fn code(&self) -> &'static str {
        match self.why {
            Why::Columns(_) => "merge.columns",
            Why::Overwrites => "merge.overwrites",
            Why::NoBase => "merge.no_base",
            Why::WrongBase => "merge.wrong_base",
            Why::Delete => "merge.delete",
            Why::ExpectUnchanged => "merge.expect_unchanged",
            Why::Outdated => "merge.outdated",
            Why::Deleted => "conflict.deleted",
            Why::Refused => "conflict.refused",
            Why::UnknownHandle => "unit.unknown_handle",
        }
    }

    /// The columns that the rule cannot combine, or would overwrite; none if it was not asked.
    pub fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    /// What is wrong and, where the library knows, what to do.
    pub fn reason(&self) -> &str {
        match &self.why {
            Why::Columns(reason) => reason,
            Why::Overwrites => {
                "the rule gave mine back, which would undo what only they changed; let it start \
                 from theirs"
            }
            Why::NoBase => {
                "there is no base, so it cannot be told who changed what; give the state that was \
                 loaded with `with_base`, or show both states to someone who decides"
            }
            Why::WrongBase => {
                "the base has another key or another version than the conflict expects; give the \
                 state that mine was made from"
            }
            Why::Delete => {
                "it was to be deleted, and a rule gives a row to write; look at what stands there, \
                 then discard the deletion or read the row and delete it again"
            }
            Why::ExpectUnchanged => {
                "the unit was to commit only if nobody changed it; read it again and decide anew \
                 what was decided by it"
            }
            Why::Outdated => {
                "the unit has gone on since this conflict; commit it and resolve the conflict that \
                 this reports, if any"
            }
            Why::Deleted => {
                "someone else deleted it, so there is nothing to merge with; insert it again, or \
                 restore it if it is only marked as deleted, or drop the change"
            }
            Why::Refused => {
                "nobody else changed it, so merging does not help; look for a trigger, a rule or \
                 row-level security that holds the write back"
            }
            Why::UnknownHandle => {
                "the conflict is not one of this unit, or the entity is no longer part of it; \
                 resolve what this unit's last commit reported"
            }
        }
    }

    /// Which row it is about; `None` before the library has it from the rule.
    pub fn entity(&self) -> Option<&EntityRef> {
        self.entity.as_ref()
    }
}

impl fmt::Display for Unmergeable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, column) in self.columns.iter().enumerate() {
            let separator = if index > 0 { ", " } else { "" };
            write!(f, "{separator}`{column}`")?;
        }
        match (&self.entity, self.columns.is_empty()) {
            (Some(entity), true) => write!(f, "{entity}")?,
            (Some(entity), false) => write!(f, " of {entity}")?,
            (None, true) => f.write_str("the entity")?,
            (None, false) => {}
        }
        write!(f, " cannot be merged: {}", self.reason())
    }
}

impl fmt::Debug for Unmergeable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unmergeable")
            .field("code", &self.code())
            .field("columns", &self.columns)
            .field("entity", &self.entity)
            .field("reason", &self.reason())
            .finish()
    }
}

impl Error for Unmergeable {}
