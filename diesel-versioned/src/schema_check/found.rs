//! A table as the database has it, and by which collations its keys are kept unique.

use crate::backend::Catalog;
use crate::backend::catalog::{FoundColumn, KeyPart, Stored, TableKind};
use crate::entity::Versioned;

/// A table as the database has it.
pub(super) struct FoundTable {
    pub(super) kind: TableKind,
    pub(super) columns: Vec<FoundColumn>,
    /// The parts of each unique key.
    pub(super) keys: Vec<Vec<KeyPart>>,
}

impl FoundTable {
    /// The columns of the entity's key whose collations have to be asked for; all others are trusted.
    pub(super) fn collated<T: Versioned>(&mut self, catalog: &Catalog) -> Vec<&'static str> {
        if catalog.collations.is_none() {
            return Vec::new();
        }
        let key = (0..T::KEY_COUNT).map(|part| T::column(T::key_column(part)).name);
        let columns: Vec<_> = key.filter(|key| self.is_collated(catalog, key)).collect();
        for part in self.keys.iter_mut().flatten() {
            if !columns.iter().any(|column| is_of(part, catalog, column)) {
                part.collation = None;
            }
        }
        columns
    }

    /// Whether a column holds text and is part of a unique key that has a collation for it.
    fn is_collated(&self, catalog: &Catalog, name: &str) -> bool {
        let column = |column: &FoundColumn| {
            catalog.same_name(&column.name, name)
                && !matches!(column.stored, Stored::Integer { .. })
        };
        let mut parts = self.keys.iter().flatten();
        self.columns.iter().any(column)
            && parts.any(|part| part.collation.is_some() && is_of(part, catalog, name))
    }

    /// All collations keep a column unique as `=` compares it but the weaker ones.
    pub(super) fn trust(&mut self, catalog: &Catalog, column: &str, weaker: &[String]) {
        let is_weaker = |collation: &mut String| {
            let mut weaker = weaker.iter();
            weaker.any(|weaker| weaker.eq_ignore_ascii_case(collation))
        };
        for part in self.keys.iter_mut().flatten() {
            if is_of(part, catalog, column) {
                part.collation.take_if(|collation| !is_weaker(collation));
            }
        }
    }
}

fn is_of(part: &KeyPart, catalog: &Catalog, column: &str) -> bool {
    let of = part.column.as_deref();
    of.is_some_and(|of| catalog.same_name(of, column))
}
