//! A unit of work and its database as plain data: what a commit must do, by the rules alone.
//!
//! Two tables: `products`, and `accounts` with a unique column. Rows of both are seen as a text,
//! an amount and a version.

use std::collections::BTreeMap;

use diesel_versioned::{ConflictKind, Operation};

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    Products,
    Accounts,
}

/// A row: of which table, under which key.
pub type Place = (Table, i32);

/// What stands in a row beside its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub text: String,
    pub amount: i32,
}

/// The rows of the database with their versions.
pub type Rows = BTreeMap<Place, (Content, i32)>;

/// What is to become of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Loaded,
    Whole,
    New,
    Deleted,
    Gone,
}

/// An entity of the unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub place: Place,
    pub mine: Content,
    pub base: Content,
    pub version: i32,
    pub fate: Fate,
    /// It came from the database, not from a form.
    pub read: bool,
    pub touch: bool,
    pub check: bool,
}

/// A change that a commit reports: old and new version.
pub type Change = (Place, Operation, Option<i32>, Option<i32>);

/// A conflict: expected and actual version.
pub type Lost = (Place, ConflictKind, i32, Option<i32>);

/// What a commit must come to.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Committed(Vec<Change>),
    Conflicts(Vec<Lost>),
    Violation,
    /// The database decides by the order in which it visits rows; both are right.
    CommittedOrViolation(Vec<Change>),
}

/// What a unit does to a row.
enum Need {
    Nothing,
    Check,
    Update(Operation),
    Delete,
    Insert,
}

impl Slot {
    pub fn new(place: Place, content: Content, version: i32, fate: Fate) -> Self {
        Self {
            place,
            base: content.clone(),
            mine: content,
            version,
            fate,
            read: fate == Fate::Loaded,
            touch: false,
            check: false,
        }
    }

    /// What a row holds once the columns that were changed are written to it.
    fn over(&self, current: &Content) -> Content {
        let whole = self.fate == Fate::Whole;
        Content {
            text: if whole || self.mine.text != self.base.text {
                self.mine.text.clone()
            } else {
                current.text.clone()
            },
            amount: if whole || self.mine.amount != self.base.amount {
                self.mine.amount
            } else {
                current.amount
            },
        }
    }

    /// Whether a commit would write it.
    pub fn is_dirty(&self) -> bool {
        !matches!(self.need(), Need::Nothing | Need::Check)
    }

    /// Whether there is an entity.
    pub fn is_there(&self) -> bool {
        self.fate != Fate::Gone
    }

    fn need(&self) -> Need {
        match self.fate {
            Fate::Gone => Need::Nothing,
            Fate::New => Need::Insert,
            Fate::Deleted => Need::Delete,
            Fate::Whole => Need::Update(Operation::Update),
            Fate::Loaded if self.mine != self.base => Need::Update(Operation::Update),
            Fate::Loaded if self.touch => Need::Update(Operation::Touch),
            Fate::Loaded if self.check => Need::Check,
            Fate::Loaded => Need::Nothing,
        }
    }
}

/// The slot that a key stands for: an insert hides the deletion that makes room for it.
pub fn tracked(slots: &[Slot], place: Place) -> Option<usize> {
    let at = |fate: fn(Fate) -> bool| {
        slots
            .iter()
            .position(|slot| slot.place == place && fate(slot.fate))
    };
    at(|fate| !matches!(fate, Fate::Gone | Fate::Deleted))
        .or_else(|| at(|fate| fate == Fate::Deleted))
}

/// What a commit must come to. On success `rows` and `slots` are as they must be afterwards;
/// otherwise neither has changed.
pub fn commit(rows: &mut Rows, slots: &mut [Slot]) -> Outcome {
    let lost = conflicts(rows, slots);
    if !lost.is_empty() {
        return Outcome::Conflicts(lost);
    }
    let is = |wanted: fn(&Need) -> bool| slots.iter().filter(move |slot| wanted(&slot.need()));
    let deleted: Vec<Place> = is(|need| matches!(need, Need::Delete))
        .map(|slot| slot.place)
        .collect();
    let is_taken = is(|need| matches!(need, Need::Insert))
        .any(|slot| rows.contains_key(&slot.place) && !deleted.contains(&slot.place));
    if is_taken || !texts_are_unique(&written(rows, slots)) {
        return Outcome::Violation;
    }
    // A unique value that one updated row gives up and another one takes.
    let updated: Vec<&Slot> = is(|need| matches!(need, Need::Update(_)))
        .filter(|slot| slot.place.0 == Table::Accounts)
        .collect();
    let freed_on_the_way = updated.iter().any(|slot| {
        let text = slot.over(&rows[&slot.place].0).text;
        updated
            .iter()
            .any(|other| other.place != slot.place && rows[&other.place].0.text == text)
    });
    let changes = changes(slots);
    if freed_on_the_way {
        return Outcome::CommittedOrViolation(changes);
    }
    apply(rows, slots);
    Outcome::Committed(changes)
}

/// Every guarded row that is not at its version.
fn conflicts(rows: &Rows, slots: &[Slot]) -> Vec<Lost> {
    let guarded = slots
        .iter()
        .filter(|slot| !matches!(slot.need(), Need::Nothing | Need::Insert));
    let mut lost: Vec<Lost> = guarded
        .filter_map(|slot| match rows.get(&slot.place) {
            None => Some((slot.place, ConflictKind::Deleted, slot.version, None)),
            Some((_, actual)) if *actual != slot.version => Some((
                slot.place,
                ConflictKind::Modified,
                slot.version,
                Some(*actual),
            )),
            Some(_) => None,
        })
        .collect();
    lost.sort_by_key(|lost| lost.0);
    lost
}

fn texts_are_unique(rows: &Rows) -> bool {
    let mut texts: Vec<&str> = rows
        .iter()
        .filter(|(place, _)| place.0 == Table::Accounts)
        .map(|(_, (content, _))| content.text.as_str())
        .collect();
    let count = texts.len();
    texts.sort_unstable();
    texts.dedup();
    texts.len() == count
}

fn changes(slots: &[Slot]) -> Vec<Change> {
    let mut changes: Vec<Change> = slots
        .iter()
        .filter_map(|slot| {
            let old = slot.version;
            Some(match slot.need() {
                Need::Nothing | Need::Check => return None,
                Need::Update(operation) => (slot.place, operation, Some(old), Some(old + 1)),
                Need::Delete => (slot.place, Operation::Delete, Some(old), None),
                Need::Insert => (slot.place, Operation::Insert, None, Some(1)),
            })
        })
        .collect();
    sort(&mut changes);
    changes
}

/// By row, a deletion before what takes its place.
pub fn sort(changes: &mut [Change]) {
    changes.sort_by_key(|change| (change.0, change.1 != Operation::Delete));
}

/// Writes the unit.
pub fn apply(rows: &mut Rows, slots: &mut [Slot]) {
    *rows = written(rows, slots);
    for slot in slots {
        match slot.need() {
            Need::Delete => slot.fate = Fate::Gone,
            Need::Update(_) => {
                slot.version += 1;
                settle(slot);
            }
            Need::Insert => {
                slot.version = 1;
                settle(slot);
            }
            Need::Check => settle(slot),
            Need::Nothing => {}
        }
    }
}

/// The rows as the unit leaves them; of two under one key the later one.
fn written(rows: &Rows, slots: &[Slot]) -> Rows {
    let mut after = rows.clone();
    for slot in slots
        .iter()
        .filter(|slot| matches!(slot.need(), Need::Delete))
    {
        after.remove(&slot.place);
    }
    for slot in slots {
        match slot.need() {
            Need::Update(_) => {
                let content = slot.over(&after[&slot.place].0);
                after.insert(slot.place, (content, slot.version + 1));
            }
            Need::Insert => {
                after.insert(slot.place, (slot.mine.clone(), 1));
            }
            Need::Nothing | Need::Check | Need::Delete => {}
        }
    }
    after
}

/// Clean, at its version.
fn settle(slot: &mut Slot) {
    slot.base = slot.mine.clone();
    slot.fate = Fate::Loaded;
    slot.read = true;
    slot.touch = false;
    slot.check = false;
}
