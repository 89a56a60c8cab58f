//! Merging: the domain's rule makes one state of three, the library sees to what it stands on.

mod independent;

pub use independent::independent;

use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::soft_delete::mark_columns;
use crate::unmergeable::{Unmergeable, Why};

/// The rule by which two writes of an entity become one.
///
/// Which columns may be combined is known to the domain alone: two edits of different columns can
/// be right one by one and wrong together. A booking that is moved to start later by one and to
/// end earlier by the other may end before it starts. So there is no rule for every entity, and no
/// rule that takes mine as it is: write one, or declare which columns are independent
/// ([`#[versioned(merge(independent(…)))]`](derive@crate::Versioned#merging)). Without either an entity
/// has none. For a single place a closure with the same arguments will do.
///
/// A rule starts from `theirs`, which is what stands in the database, and brings my change into it.
/// Key, version and [unguarded](derive@crate::Versioned#bookkeeping) columns are none of its business:
/// the library sets them after it. A rule that gives mine
/// back as it is, though they changed a column that I did not, does not merge: it would make the
/// last write win, so its result is not taken.
///
/// ```
/// use diesel_versioned::prelude::*;
/// # diesel::table! {
/// #     bookings (id) {
/// #         id -> Integer, starts_on -> Integer, ends_on -> Integer, guests -> Integer,
/// #         version -> Integer,
/// #     }
/// # }
///
/// #[derive(Debug, Clone, PartialEq, Versioned)]
/// #[diesel(table_name = bookings)]
/// struct Booking {
///     id: i32,
///     starts_on: i32,
///     ends_on: i32,
///     guests: i32,
///     #[version]
///     version: i32,
/// }
///
/// impl Merge for Booking {
///     fn merge(base: &Self, mine: &Self, mut theirs: Self) -> Result<Self, Unmergeable> {
///         // Guests come and go: both changes count.
///         theirs.guests += mine.guests - base.guests;
///         // The days belong together: they are one value that one of us may have changed.
///         let days = |booking: &Self| (booking.starts_on, booking.ends_on);
///         if days(mine) != days(base) {
///             if days(&theirs) != days(base) && days(&theirs) != days(mine) {
///                 return Err(Unmergeable::new(["starts_on", "ends_on"], "both moved the booking"));
///             }
///             (theirs.starts_on, theirs.ends_on) = days(mine);
///         }
///         Ok(theirs)
///     }
/// }
///
/// let base = Booking { id: 1, starts_on: 3, ends_on: 9, guests: 2, version: 1 };
/// let theirs = Booking { ends_on: 5, guests: 3, version: 2, ..base.clone() };
///
/// let one_more = Booking { guests: 3, ..base.clone() };
/// let merged = Booking::merge(&base, &one_more, theirs.clone())?;
/// assert_eq!(merged, Booking { guests: 4, ..theirs.clone() });
///
/// // Column by column this would be a booking from 7 to 5.
/// let later = Booking { starts_on: 7, ..base.clone() };
/// let error = Booking::merge(&base, &later, theirs).unwrap_err();
/// assert_eq!(error.columns(), ["starts_on", "ends_on"]);
/// # Ok::<(), Unmergeable>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rule for merging",
    label = "needs `impl Merge`",
    note = "implement `Merge` for `{Self}`, or declare columns that do not depend on each other: \
            `#[versioned(merge(independent(title, body)))]`"
)]
pub trait Merge: Versioned {
    /// What is to be written: `theirs` with what I changed from `base` to `mine`.
    ///
    /// # Errors
    ///
    /// [`Unmergeable::new`], with the columns that cannot be combined.
    fn merge(base: &Self, mine: &Self, theirs: Self) -> Result<Self, Unmergeable>;
}

impl<T: Versioned> Conflict<T> {
    /// Merges by a rule: [`T::merge`](Merge::merge), or a closure that is given base, mine and
    /// theirs. The result has the key of the row and its current version, whatever the rule did to
    /// them, and is ready to be saved; if someone is faster again, that save conflicts again. Of
    /// unguarded columns it has mine where I changed them, otherwise theirs.
    ///
    /// For an entity of a unit use [`UnitOfWork::resolve`](crate::UnitOfWork::resolve). A lone
    /// `save` does not know the base; give it with [`with_base`](Conflict::with_base).
    ///
    /// # Errors
    ///
    /// [`Unmergeable`]: what the rule says; that it gave mine back, which would lose what only they
    /// changed; or, without asking it, that there is no base, that the row is gone or nobody changed
    /// it, or that I wanted to delete it.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, name -> Text, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, name: String, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
    /// #     stock INTEGER NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO products VALUES (42, 'Chai', 7, 1)")?;
    /// let loaded = Product::find(&mut conn, 42)?;
    /// let mut theirs = loaded.clone(); // someone else sells one
    /// theirs.stock -= 1;
    /// theirs.save(&mut conn)?;
    ///
    /// let mut mine = loaded.clone(); // and I sell two
    /// mine.stock -= 2;
    /// if let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn) {
    ///     assert_eq!(
    ///         conflict.resolve(|_, _, theirs| Ok(theirs)).unwrap_err().code(),
    ///         "merge.no_base"
    ///     );
    ///     let conflict = conflict.with_base(loaded)?;
    ///     mine = conflict.resolve(|base, mine, theirs| {
    ///         let stock = theirs.stock + (mine.stock - base.stock);
    ///         if stock < 0 {
    ///             return Err(Unmergeable::new(["stock"], "there are not enough left"));
    ///         }
    ///         Ok(Product { stock, ..theirs })
    ///     })?;
    ///     mine.save(&mut conn)?;
    /// }
    /// assert_eq!((mine.stock, mine.version), (4, 3));
    /// # Ok(())
    /// # }
    /// ```
    pub fn resolve(
        &self,
        rule: impl FnOnce(&T, &T, T) -> Result<T, Unmergeable>,
    ) -> Result<T, Unmergeable> {
        self.merge(self.base.as_ref(), &self.mine, rule)
    }

    /// The same conflict with the state that mine was made from, where the library does not know
    /// it: after a lone [`save`](crate::VersionedDsl::save), for an entity that came from a form.
    /// It takes the place of a base that is known.
    ///
    /// # Errors
    ///
    /// [`Unmergeable`] if it is another row, or this one at another version than
    /// [`expected`](Conflict::expected).
    pub fn with_base(self, base: T) -> Result<Self, Unmergeable> {
        if base.key() != self.key || base.version() != self.expected {
            return Err(self.unmergeable(Why::WrongBase));
        }
        Ok(Self {
            base: Some(base),
            ..self
        })
    }

    /// Whether I and they changed different columns: `false` if both changed one, and if that
    /// cannot be told because there is no base or the row is gone or was not changed. Columns that
    /// no guarded update writes do not count.
    ///
    /// It is no reason to put the two together: different columns can depend on each other; see
    /// [`Merge`].
    pub fn is_disjoint(&self) -> bool {
        match (self.kind, &self.base, &self.current) {
            (ConflictKind::Modified, Some(base), Some(current)) => {
                let both = self.mine.changed(base).and(current.changed(base));
                both.and(T::UPDATABLE).is_empty()
            }
            _ => false,
        }
    }

    /// Asks the rule, of these states and the current one, and puts the result on the current row.
    pub(crate) fn merge(
        &self,
        base: Option<&T>,
        mine: &T,
        rule: impl FnOnce(&T, &T, T) -> Result<T, Unmergeable>,
    ) -> Result<T, Unmergeable> {
        let current = match (self.kind, &self.current) {
            (ConflictKind::Refused, _) => return Err(self.unmergeable(Why::Refused)),
            (ConflictKind::Deleted, _) | (_, None) => return Err(self.unmergeable(Why::Deleted)),
            (ConflictKind::Modified, Some(current)) => current,
        };
        if self.lost.deletes() {
            return Err(self.unmergeable(Why::Delete));
        }
        let base = base.ok_or_else(|| self.unmergeable(Why::NoBase))?;
        let mut merged = rule(base, mine, current.clone())
            .map_err(|unmergeable| unmergeable.about(T::TABLE, &self.key))?;
        let lost = current.changed(base).without(mine.changed(base));
        let lost = lost.and(T::UPDATABLE);
        if !lost.is_empty() && merged.changed(mine).and(T::UPDATABLE).is_empty() {
            let columns = lost.iter().map(|index| T::column(index).name);
            return Err(self.unmergeable(Why::Overwrites).of_columns(columns));
        }
        take_unmerged(&mut merged, base, mine, current);
        merged.copy_key(&self.mine);
        merged.set_version(current.version());
        Ok(merged)
    }

    pub(crate) fn unmergeable(&self, why: Why) -> Unmergeable {
        Unmergeable::because(why).about(T::TABLE, &self.key)
    }
}

/// Gives a merged entity what no rule decides. Its unguarded columns are mine where I changed them,
/// otherwise theirs; what the database generates is theirs, and so is the mark of deletion.
pub fn take_unmerged<T: Versioned>(merged: &mut T, base: &T, mine: &T, theirs: &T) {
    let not_mine = T::GENERATED.or(mark_columns::<T>());
    if T::UNGUARDED.or(not_mine).is_empty() {
        return;
    }
    let by_me = mine.changed(base).and(T::UNGUARDED);
    merged.take_columns(mine, by_me);
    merged.take_columns(theirs, T::UNGUARDED.without(by_me).or(not_mine));
}
