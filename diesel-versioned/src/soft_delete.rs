//! Rows that are marked as deleted and stay: `#[versioned(soft_delete)]`.

use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::schema_check::Shape;
use crate::version::{Moment, NoVersion, Precision, TimestampVersion};

/// An entity with a field that marks a row as deleted,
/// [`#[versioned(soft_delete)]`](derive@crate::Versioned#soft-deletion): `delete` marks its rows, and
/// they can be found and restored. Implemented by the derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not marked as deleted, its rows are deleted for good",
    label = "no field of it has `#[versioned(soft_delete)]`",
    note = "`restore`, `purge` and `find_deleted` are for entities with a mark: put \
            `#[versioned(soft_delete)]` on a `bool` or an `Option` of a timestamp",
    note = "`delete` deletes the rows of any other entity"
)]
pub trait SoftDelete: Versioned {}

/// A type that can mark a row as deleted: `bool`, or an `Option` of a
/// [timestamp](crate::version::TimestampVersion), `None` for a row that is not deleted.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use diesel_versioned::version::{DeletionMark, Moment, NoVersion};
///
/// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(43_200);
/// assert_eq!(bool::mark(&Moment::at(noon))?, true);
/// assert_eq!(Option::<SystemTime>::mark(&Moment::at(noon))?, Some(noon));
/// assert!(!Option::<SystemTime>::no_mark().is_marked());
/// # Ok::<(), NoVersion>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot mark a row as deleted",
    label = "neither a `bool` nor an `Option` of a timestamp",
    note = "for a timestamp write `Option<{Self}>` over a column that may be NULL: it is NULL while the \
            row is not deleted",
    note = "timestamps need the feature of diesel-versioned that is called like their crate: `chrono`, \
            `time`; `SystemTime` needs none"
)]
pub trait DeletionMark: Clone + PartialEq + Send + Sync + 'static {
    /// Whether NULL is what a row has that is not deleted; if not, `FALSE` is.
    const NULL: bool;

    /// The mark of a row that is deleted at a moment.
    ///
    /// # Errors
    ///
    /// What the timestamp says.
    fn mark(moment: &Moment) -> Result<Self, NoVersion>;

    /// That of a row that is not deleted.
    fn no_mark() -> Self;

    /// Whether it says that the row is deleted.
    fn is_marked(&self) -> bool;

    /// What the column must be able to hold, if times are cut to this.
    fn shape(precision: Precision) -> Shape;
}

impl DeletionMark for bool {
    const NULL: bool = false;

    fn mark(_: &Moment) -> Result<Self, NoVersion> {
        Ok(true)
    }

    fn no_mark() -> Self {
        false
    }

    fn is_marked(&self) -> bool {
        *self
    }

    fn shape(_: Precision) -> Shape {
        Shape::Boolean
    }
}

#[diagnostic::do_not_recommend]
impl<V: TimestampVersion> DeletionMark for Option<V> {
    const NULL: bool = true;

    fn mark(moment: &Moment) -> Result<Self, NoVersion> {
        V::initial(moment).map(Some)
    }

    fn no_mark() -> Self {
        None
    }

    fn is_marked(&self) -> bool {
        self.is_some()
    }

    fn shape(precision: Precision) -> Shape {
        match V::shape() {
            Shape::Timestamp { .. } => precision.shape(),
            other => other,
        }
    }
}

/// The column that marks a row as deleted, as the derive found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkColumn {
    /// The position of the column.
    pub index: usize,
    /// Whether NULL is what a row has that is not deleted; if not, `FALSE` is.
    pub null: bool,
}

impl MarkColumn {
    /// The column at a position. The derive calls it.
    pub const fn new<M: DeletionMark>(index: usize) -> Self {
        Self {
            index,
            null: M::NULL,
        }
    }

    /// The SQL behind the column's name that says that a row is deleted, or that it is not.
    pub(crate) const fn says(self, deleted: bool) -> &'static str {
        match (self.null, deleted) {
            (true, true) => " IS NOT NULL",
            (true, false) => " IS NULL",
            (false, true) => " <> FALSE",
            (false, false) => " = FALSE",
        }
    }
}

/// The column that marks a row as deleted, where there is one.
pub(crate) fn mark_columns<T: Versioned>() -> ColumnSet {
    match T::MARK {
        Some(mark) => ColumnSet::EMPTY.with(mark.index),
        None => ColumnSet::EMPTY,
    }
}

/// A copy without its mark, if it has one.
pub(crate) fn unmarked<T: Versioned>(entity: &T) -> Option<T> {
    entity.is_deleted().then(|| {
        let mut entity = entity.clone();
        entity.remove_mark();
        entity
    })
}
