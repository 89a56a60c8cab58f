//! A problem as JSON, or as whatever else serde writes.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{Problem, ProblemConflict};
use crate::changes::{Changes, ColumnChange};
use crate::serialize::ConflictFields;

/// The members that are the problem's own.
const OWN: [&str; 8] = [
    "type",
    "title",
    "status",
    "code",
    "detail",
    "instance",
    "etag",
    "conflicts",
];

impl Problem {
    pub(super) fn to_json(&self) -> String {
        // There is nothing in it that cannot be written: no map but of texts, no type of a user's.
        serde_json::to_string(self)
            .unwrap_or_else(|_| format!("{{\"status\":{}}}", self.0.status.as_u16()))
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = &self.0;
        let mut problem = serializer.serialize_map(None)?;
        problem.serialize_entry("type", &parts.uri)?;
        let phrase = parts.status.canonical_reason();
        if let Some(title) = parts.title.as_deref().or(phrase) {
            problem.serialize_entry("title", title)?;
        }
        problem.serialize_entry("status", &parts.status.as_u16())?;
        problem.serialize_entry("code", &parts.code)?;
        if let Some(detail) = &parts.detail {
            problem.serialize_entry("detail", detail)?;
        }
        if let Some(instance) = &parts.instance {
            problem.serialize_entry("instance", instance)?;
        }
        if let Some(etag) = &parts.etag {
            problem.serialize_entry("etag", etag)?;
        }
        if !parts.conflicts.is_empty() {
            let values = parts.values;
            let conflicts = parts.conflicts.iter();
            let conflicts: Vec<_> = conflicts.map(|row| Shown { row, values }).collect();
            problem.serialize_entry("conflicts", &conflicts)?;
        }
        for (name, value) in &parts.members {
            if !OWN.contains(&&**name) {
                problem.serialize_entry(name, value)?;
            }
        }
        problem.end()
    }
}

/// A row in conflict, with or without the values of its columns.
struct Shown<'a> {
    row: &'a ProblemConflict,
    values: bool,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        let fields = ConflictFields {
            table: row.table,
            key: &row.key,
            kind: row.kind,
            expected: &row.expected,
            actual: row.actual.as_deref(),
            groups: &row.groups,
        };
        let mut conflict = serializer.serialize_struct("Conflict", fields.count() + 1)?;
        if self.values {
            fields.serialize_into(&mut conflict, &row.changes)?;
        } else {
            fields.serialize_into(&mut conflict, &Names(&row.changes))?;
        }
        conflict.serialize_field("etag", &row.etag)?;
        conflict.end()
    }
}

/// Changes without their values.
struct Names<'a>(&'a Changes);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.as_slice().iter().map(Name))
    }
}

struct Name<'a>(&'a ColumnChange);

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut change = serializer.serialize_struct("ColumnChange", 2)?;
        change.serialize_field("column", self.0.column)?;
        change.serialize_field("by", &self.0.by)?;
        change.end()
    }
}
