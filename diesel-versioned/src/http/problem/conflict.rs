//! One row in conflict, as a problem shows it.

use crate::changes::Changes;
use crate::conflict::ConflictKind;
use crate::conflicts::AnyConflict;
use crate::http::ETag;

/// A row that was not written, in a [`Problem`](super::Problem).
#[derive(Debug, Clone)]
pub struct ProblemConflict {
    pub(super) table: &'static str,
    pub(super) key: String,
    pub(super) kind: ConflictKind,
    pub(super) expected: String,
    pub(super) actual: Option<String>,
    pub(super) groups: Vec<&'static str>,
    pub(super) changes: Changes,
    pub(super) etag: Option<ETag>,
    /// The tags of the groups, as they stand now.
    group_etags: Vec<(&'static str, Option<ETag>)>,
    /// What the conflict says.
    text: String,
}

impl ProblemConflict {
    pub(super) fn new(conflict: &dyn AnyConflict) -> Self {
        Self {
            table: conflict.table(),
            key: conflict.key(),
            kind: conflict.kind(),
            expected: conflict.expected(),
            actual: conflict.actual(),
            groups: conflict.groups(),
            changes: conflict.changes(),
            group_etags: conflict
                .groups()
                .into_iter()
                .map(|group| (group, conflict.etag_of(group)))
                .collect(),
            etag: conflict.etag(),
            text: conflict.to_string(),
        }
    }

    /// The table of the row.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// The primary key of the row, as text.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Why the guard did not hold.
    pub fn kind(&self) -> ConflictKind {
        self.kind
    }

    /// What the conflict says to people.
    pub(in crate::http) fn text(&self) -> &str {
        &self.text
    }

    /// The tag of the row as it stands now; `None` if it is gone.
    pub fn etag(&self) -> Option<&ETag> {
        self.etag.as_ref()
    }

    /// The tag of a group of columns as it stands now, where the conflict is about it.
    pub(in crate::http) fn etag_of(&self, group: &str) -> Option<&ETag> {
        let mut groups = self.group_etags.iter();
        groups.find(|known| known.0 == group)?.1.as_ref()
    }

    /// The groups of columns that the conflict is about; see [`Conflict::groups`](crate::Conflict::groups).
    pub fn groups(&self) -> &[&'static str] {
        &self.groups
    }

    /// Which columns differ, who changed them, from what to what.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }
}
