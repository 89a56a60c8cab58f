//! Random units against the model: after every step the unit, after every commit every row, every
//! version and the exact set of conflicts are compared. `PROPTEST_CASES` sets how many cases.

use std::cell::RefCell;

use diesel::connection::{Connection, SimpleConnection, TransactionManager};
use diesel::prelude::*;
use diesel::result::Error;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::model::{self, Change, Content, Fate, Lost, Outcome, Place, Rows, Slot, Table};
use crate::Conn;
use crate::flavor::{self, prelude::*};
use crate::support::entities::{Account, Product};
use crate::support::schema::{accounts, documents, products};
use crate::support::{TestBackend, TestDb};

type Manager = <Conn as Connection>::TransactionManager;

/// What is done. An entity is chosen by a number that is taken modulo how many there are.
#[derive(Debug, Clone)]
enum Step {
    Find(Place),
    Insert(Place, Content),
    Save(Place, Content, i32),
    Change(usize, Content),
    ChangeAmount(usize, i32),
    Delete(usize),
    Touch(usize),
    Expect(usize),
    Discard(usize),
    /// Someone else writes a row, or deletes it.
    Foreign(Place, Option<(Content, i32)>),
    /// The next commit that gets that far fails in `also`.
    AlsoFails,
    /// What conflicted is discarded, or not.
    Commit {
        discard: bool,
    },
    /// In a caller's transaction, which is rolled back, or not.
    Nested {
        rolls_back: bool,
    },
}

fn place() -> impl Strategy<Value = Place> {
    let table = prop_oneof![Just(Table::Products), Just(Table::Accounts)];
    (table, 1..=4_i32)
}

fn content() -> impl Strategy<Value = Content> {
    ("[a-e]", 0..4_i32).prop_map(|(text, amount)| Content { text, amount })
}

fn step() -> impl Strategy<Value = Step> {
    let slot = 0..16_usize;
    prop_oneof![
        6 => place().prop_map(Step::Find),
        3 => (place(), content()).prop_map(|(place, content)| Step::Insert(place, content)),
        1 => (place(), content(), 1..3_i32)
            .prop_map(|(place, content, version)| Step::Save(place, content, version)),
        3 => (slot.clone(), content()).prop_map(|(slot, content)| Step::Change(slot, content)),
        3 => (slot.clone(), 0..4_i32).prop_map(|(slot, amount)| Step::ChangeAmount(slot, amount)),
        2 => slot.clone().prop_map(Step::Delete),
        2 => slot.clone().prop_map(Step::Touch),
        2 => slot.clone().prop_map(Step::Expect),
        1 => slot.prop_map(Step::Discard),
        2 => (place(), proptest::option::weighted(0.7, (content(), 1..4_i32)))
            .prop_map(|(place, row)| Step::Foreign(place, row)),
        1 => Just(Step::AlsoFails),
        4 => any::<bool>().prop_map(|discard| Step::Commit { discard }),
        2 => any::<bool>().prop_map(|rolls_back| Step::Nested { rolls_back }),
    ]
}

/// A handle of either type.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AnyHandle {
    Product(Handle<Product>),
    Account(Handle<Account>),
}

/// An entity that is seen as a content and a version.
trait Sample: Versioned {
    fn make(place: Place, content: &Content, version: i32) -> Self;
    fn content(&self) -> Content;
    fn change(&mut self, content: &Content);
    fn number(&self) -> i32;
    fn any(handle: Handle<Self>) -> AnyHandle
    where
        Self: Sized;
}

impl Sample for Product {
    fn make((_, id): Place, content: &Content, version: i32) -> Self {
        Self {
            id,
            name: content.text.clone(),
            price_cents: 0,
            stock: content.amount,
            version,
        }
    }

    fn content(&self) -> Content {
        Content {
            text: self.name.clone(),
            amount: self.stock,
        }
    }

    fn change(&mut self, content: &Content) {
        self.name.clone_from(&content.text);
        self.stock = content.amount;
    }

    fn number(&self) -> i32 {
        self.version
    }

    fn any(handle: Handle<Self>) -> AnyHandle {
        AnyHandle::Product(handle)
    }
}

impl Sample for Account {
    fn make((_, id): Place, content: &Content, version: i32) -> Self {
        Self {
            id: id.into(),
            email: content.text.clone(),
            nickname: None,
            balance: content.amount.into(),
            version: i16::try_from(version).unwrap(),
        }
    }

    fn content(&self) -> Content {
        Content {
            text: self.email.clone(),
            amount: i32::try_from(self.balance).unwrap(),
        }
    }

    fn change(&mut self, content: &Content) {
        self.email.clone_from(&content.text);
        self.balance = content.amount.into();
    }

    fn number(&self) -> i32 {
        self.version.into()
    }

    fn any(handle: Handle<Self>) -> AnyHandle {
        AnyHandle::Account(handle)
    }
}

/// Evaluates with `T` as the entity type of a table.
macro_rules! of_table {
    ($table:expr, $T:ident => $body:expr) => {
        match $table {
            Table::Products => {
                type $T = Product;
                $body
            }
            Table::Accounts => {
                type $T = Account;
                $body
            }
        }
    };
}

/// Evaluates with a handle of its own type.
macro_rules! of_handle {
    ($any:expr, $handle:ident => $body:expr) => {
        match $any {
            AnyHandle::Product($handle) => $body,
            AnyHandle::Account($handle) => $body,
        }
    };
}

/// What stays from case to case.
struct Stage {
    db: TestDb,
    conn: Conn,
    foreign: Conn,
}

impl Stage {
    fn new() -> Self {
        let db = TestDb::new();
        let (conn, foreign) = (db.connect(), db.connect());
        Self { db, conn, foreign }
    }

    /// Rows 1 and 2 of each table, and a connection without a transaction.
    fn clear(&mut self) -> Rows {
        // A case that failed may have left one open.
        let depth = Manager::transaction_manager_status_mut(&mut self.conn).transaction_depth();
        if !matches!(depth, Ok(None)) {
            self.conn = self.db.connect();
        }
        for table in ["products", "accounts", "documents"] {
            self.foreign
                .batch_execute(&format!("DELETE FROM {table}"))
                .unwrap();
        }
        let mut rows = Rows::new();
        for (id, text) in [(1, "a"), (2, "b")] {
            let content = Content {
                text: text.into(),
                amount: 1,
            };
            for table in [Table::Products, Table::Accounts] {
                let place = (table, id);
                write_row(&mut self.foreign, &mut rows, place, Some((&content, 1)));
            }
        }
        rows
    }
}

/// Someone else writes or deletes a row; one that is there moves to its next version. A write
/// that a constraint forbids does not happen.
fn write_row(conn: &mut Conn, rows: &mut Rows, place: Place, row: Option<(&Content, i32)>) {
    let table = match place.0 {
        Table::Products => "products",
        Table::Accounts => "accounts",
    };
    let id = place.1;
    let Some((content, version)) = row else {
        rows.remove(&place);
        conn.batch_execute(&format!("DELETE FROM {table} WHERE id = {id}"))
            .unwrap();
        return;
    };
    let taken = rows.iter().any(|(other, (theirs, _))| {
        *other != place && other.0 == Table::Accounts && theirs.text == content.text
    });
    if place.0 == Table::Accounts && taken {
        return;
    }
    let Content { text, amount } = content;
    let (text_column, amount_column) = match place.0 {
        Table::Products => ("name", "stock"),
        Table::Accounts => ("email", "balance"),
    };
    let version = match rows.get(&place) {
        Some((_, old)) => {
            conn.batch_execute(&format!(
                "UPDATE {table} SET {text_column} = '{text}', {amount_column} = {amount}, \
                 version = version + 1 WHERE id = {id}"
            ))
            .unwrap();
            old + 1
        }
        None => {
            let nothing = if place.0 == Table::Products {
                "0"
            } else {
                "NULL"
            };
            conn.batch_execute(&format!(
                "INSERT INTO {table} VALUES ({id}, '{text}', {nothing}, {amount}, {version})"
            ))
            .unwrap();
            version
        }
    };
    rows.insert(place, (content.clone(), version));
}

/// One case: the unit and the database on one side, the model on the other.
struct Case<'a> {
    stage: &'a mut Stage,
    uow: UnitOfWork<Conn>,
    handles: Vec<AnyHandle>,
    rows: Rows,
    slots: Vec<Slot>,
    /// How many closures given to `also` are going to fail.
    also_fails: usize,
    /// How many transactions a caller has committed.
    journal: i32,
}

impl Case<'_> {
    fn take(&mut self, step: Step) {
        match step {
            Step::Find(place) => self.find(place),
            Step::Insert(place, content) => self.join(place, content, 0, Fate::New),
            Step::Save(place, content, version) => {
                self.join(place, content, version, Fate::Whole);
            }
            Step::Foreign(place, row) => {
                let row = row.as_ref().map(|(content, version)| (content, *version));
                write_row(&mut self.stage.foreign, &mut self.rows, place, row);
            }
            Step::AlsoFails => {
                self.also_fails += 1;
                let mut failed = false;
                self.uow.also(move |_| {
                    if std::mem::replace(&mut failed, true) {
                        Ok(())
                    } else {
                        Err(Error::RollbackTransaction)
                    }
                });
            }
            Step::Commit { discard } => {
                self.commit(discard);
            }
            Step::Nested { rolls_back } => self.nested(rolls_back),
            Step::Change(slot, _)
            | Step::ChangeAmount(slot, _)
            | Step::Delete(slot)
            | Step::Touch(slot)
            | Step::Expect(slot)
            | Step::Discard(slot) => {
                if !self.slots.is_empty() {
                    let slot = slot % self.slots.len();
                    if self.slots[slot].is_there() {
                        self.wish(slot, step);
                    }
                }
            }
        }
        self.compare_unit();
    }

    fn find(&mut self, place: Place) {
        let known = model::tracked(&self.slots, place);
        let found = of_table!(place.0, T => {
            let key = T::make(place, &nothing(), 0).key();
            self.uow.find::<T>(&mut self.stage.conn, key).optional().unwrap().map(T::any)
        });
        match (known, self.rows.get(&place)) {
            (Some(slot), _) if self.slots[slot].fate == Fate::Deleted => assert_eq!(found, None),
            (Some(slot), _) => assert_eq!(found, Some(self.handles[slot])),
            (None, None) => assert_eq!(found, None),
            (None, Some((content, version))) => {
                self.handles.push(found.unwrap());
                let slot = Slot::new(place, content.clone(), *version, Fate::Loaded);
                self.slots.push(slot);
            }
        }
    }

    fn join(&mut self, place: Place, content: Content, version: i32, fate: Fate) {
        let joined = of_table!(place.0, T => {
            let entity = T::make(place, &content, version);
            if fate == Fate::New {
                self.uow.insert(entity).map(T::any)
            } else {
                self.uow.save(entity).map(T::any)
            }
        });
        let is_free = match model::tracked(&self.slots, place) {
            None => true,
            Some(slot) => fate == Fate::New && self.slots[slot].fate == Fate::Deleted,
        };
        match joined {
            Ok(handle) if is_free => {
                self.handles.push(handle);
                self.slots.push(Slot::new(place, content, version, fate));
            }
            Err(TrackError::AlreadyTracked { .. }) if !is_free => {}
            other => panic!("{place:?}: {other:?}"),
        }
    }

    /// What is wished for one entity.
    fn wish(&mut self, index: usize, step: Step) {
        let slot = &mut self.slots[index];
        let uow = &mut self.uow;
        of_handle!(self.handles[index], handle => match step {
            Step::Change(_, content) => {
                uow[handle].change(&content);
                slot.mine = content;
            }
            Step::ChangeAmount(_, amount) => {
                slot.mine.amount = amount;
                uow[handle].change(&slot.mine);
            }
            Step::Delete(_) => {
                uow.delete(handle);
                slot.fate = match slot.fate {
                    Fate::New => Fate::Gone,
                    _ => Fate::Deleted,
                };
            }
            Step::Touch(_) => {
                uow.touch(handle);
                slot.touch = true;
            }
            Step::Expect(_) => {
                uow.expect_unchanged(handle);
                slot.check = true;
            }
            _ => {
                uow.discard(handle);
                slot.fate = Fate::Gone;
            }
        });
    }

    /// Commits on both sides and compares what came of it.
    fn commit(&mut self, discard: bool) -> Option<Committed> {
        let mut expected = {
            let (mut rows, mut slots) = (self.rows.clone(), self.slots.clone());
            let outcome = model::commit(&mut rows, &mut slots);
            if self.also_fails == 0 && matches!(outcome, Outcome::Committed(_)) {
                (self.rows, self.slots) = (rows, slots);
            }
            outcome
        };
        let result = self.uow.commit(&mut self.stage.conn);
        if let (Err(error), true) = (&result, self.also_fails > 0) {
            // It got as far as `also`.
            if error.code() == "database" {
                assert!(
                    matches!(
                        expected,
                        Outcome::Committed(_) | Outcome::CommittedOrViolation(_)
                    ),
                    "{expected:?}"
                );
                self.also_fails -= 1;
                return None;
            }
        }
        if let (Outcome::CommittedOrViolation(_), Ok(_)) = (&expected, &result) {
            model::apply(&mut self.rows, &mut self.slots);
        }
        if let Outcome::CommittedOrViolation(changes) = expected {
            expected = match &result {
                Ok(_) => Outcome::Committed(changes),
                Err(_) => Outcome::Violation,
            };
        }
        match (result, expected) {
            (Ok(done), Outcome::Committed(changes)) => {
                assert_eq!(self.also_fails, 0, "a closure was to fail");
                assert_eq!(listed(&done), changes);
                Some(done)
            }
            (Err(CommitError::Conflicts(conflicts)), Outcome::Conflicts(lost)) => {
                assert_eq!(lost_of(&conflicts), lost);
                if discard {
                    self.uow.discard(&conflicts);
                    // With a row that was to be deleted goes the one that was to replace it.
                    for slot in &mut self.slots {
                        if lost.iter().any(|(place, ..)| *place == slot.place) {
                            slot.fate = Fate::Gone;
                        }
                    }
                }
                None
            }
            (Err(error), Outcome::Violation) => {
                assert_eq!(error.code(), "constraint.unique", "{error:?}");
                None
            }
            (result, expected) => panic!("{result:?}\nexpected: {expected:?}"),
        }
    }

    /// Commits inside a caller's transaction that has written something before.
    fn nested(&mut self, rolls_back: bool) {
        let before = (self.rows.clone(), self.slots.clone());
        Manager::begin_transaction(&mut self.stage.conn).unwrap();
        let number = self.journal + 1;
        diesel::insert_into(documents::table)
            .values((
                documents::id.eq(number),
                documents::title.eq("journal"),
                documents::type_.eq(""),
                documents::position.eq(0),
                documents::lock_version.eq(1),
            ))
            .execute(&mut self.stage.conn)
            .unwrap();
        let done = self.commit(false);
        if rolls_back {
            Manager::rollback_transaction(&mut self.stage.conn).unwrap();
            if let Some(done) = done {
                assert!(done.is_nested());
                done.undo(&mut self.uow).unwrap();
                (self.rows, self.slots) = before;
            }
        } else {
            Manager::commit_transaction(&mut self.stage.conn).unwrap();
            self.journal = number;
        }
    }

    /// Every entity: what it holds, what it was, whether it is dirty, by which key it is found.
    fn compare_unit(&self) {
        for (slot, any) in self.slots.iter().zip(&self.handles) {
            of_handle!(*any, handle => {
                let mine = self.uow.get(handle);
                let seen = mine.map(|mine| (mine.content(), mine.number()));
                let expected = slot.is_there().then(|| (slot.mine.clone(), slot.version));
                assert_eq!(seen, expected, "{slot:?}");
                let base = self.uow.base(handle).map(Sample::content);
                let read = slot.read && slot.is_there();
                assert_eq!(base, read.then(|| slot.base.clone()), "{slot:?}");
                assert_eq!(self.uow.is_dirty(handle), slot.is_dirty(), "{slot:?}");
                if let Some(mine) = mine {
                    let known = model::tracked(&self.slots, slot.place)
                        .filter(|&known| self.slots[known].fate != Fate::Deleted)
                        .map(|known| self.handles[known]);
                    assert_eq!(same_key(&self.uow, mine), known, "{slot:?}");
                }
            });
        }
        let there = self.slots.iter().filter(|slot| slot.is_there()).count();
        assert_eq!(self.uow.len(), there);
    }

    /// Every row of the database.
    fn compare_rows(&mut self) {
        let conn = &mut self.stage.foreign;
        let stand: Vec<Product> = products::table.load(conn).unwrap();
        let mut rows: Rows = stand
            .iter()
            .map(|row| ((Table::Products, row.id), (row.content(), row.number())))
            .collect();
        let stand: Vec<Account> = accounts::table.load(conn).unwrap();
        rows.extend(stand.iter().map(|row| {
            let place = (Table::Accounts, i32::try_from(row.id).unwrap());
            (place, (row.content(), row.number()))
        }));
        assert_eq!(rows, self.rows);
        let journal: i64 = documents::table.count().get_result(conn).unwrap();
        assert_eq!(journal, i64::from(self.journal), "a caller's work");
    }
}

/// The handle under the key of an entity.
fn same_key<T: Sample>(uow: &UnitOfWork<Conn>, entity: &T) -> Option<AnyHandle> {
    uow.handle::<T>(entity.key()).map(T::any)
}

fn nothing() -> Content {
    Content {
        text: String::new(),
        amount: 0,
    }
}

fn place_of(table: &str, key: &str) -> Place {
    let table = match table {
        "products" => Table::Products,
        _ => Table::Accounts,
    };
    (table, key.parse().unwrap())
}

fn listed(done: &Committed) -> Vec<Change> {
    let number = |version: Option<&str>| version.map(|version| version.parse().unwrap());
    let mut listed: Vec<Change> = done
        .iter()
        .map(|change| {
            (
                place_of(change.table(), change.key()),
                change.operation(),
                number(change.old_version()),
                number(change.new_version()),
            )
        })
        .collect();
    model::sort(&mut listed);
    listed
}

fn lost_of(conflicts: &Conflicts) -> Vec<Lost> {
    let mut lost: Vec<Lost> = conflicts
        .iter()
        .map(|conflict| {
            (
                place_of(conflict.table(), &conflict.key()),
                conflict.kind(),
                conflict.expected().parse().unwrap(),
                conflict.actual().map(|actual| actual.parse().unwrap()),
            )
        })
        .collect();
    lost.sort_by_key(|lost| lost.0);
    lost
}

#[test]
fn random_units_do_what_the_model_does() {
    let stage = RefCell::new(Stage::new());
    let defaults = Config::default();
    let cases = match std::env::var_os("PROPTEST_CASES") {
        Some(_) => defaults.cases,
        None => Conn::PROPERTY_CASES / flavor::SLOWER,
    };
    let config = Config {
        cases,
        failure_persistence: None,
        ..defaults
    };
    let steps = proptest::collection::vec(step(), 1..25);
    let outcome = TestRunner::new(config).run(&steps, |steps| {
        let mut stage = stage.borrow_mut();
        let rows = stage.clear();
        let mut case = Case {
            stage: &mut stage,
            uow: UnitOfWork::new(),
            handles: Vec::new(),
            rows,
            slots: Vec::new(),
            also_fails: 0,
            journal: 0,
        };
        for step in steps {
            let writes = matches!(step, Step::Commit { .. } | Step::Nested { .. });
            case.take(step);
            if writes {
                case.compare_rows();
            }
        }
        case.commit(true);
        case.compare_unit();
        case.compare_rows();
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
