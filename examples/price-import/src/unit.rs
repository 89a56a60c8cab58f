//! One unit: some rows that are written together; those in conflict are taken out, and told.

use std::collections::BTreeMap;

use diesel_versioned::Operation;
use diesel_versioned::prelude::*;

use crate::catalogue::{self, Product};
use crate::cli::OnConflict;
use crate::database::Database;
use crate::import::Job;
use crate::input::{Key, Row};
use crate::journal::{self, Journal};
use crate::report::{Reason, Refusal, Tally, Trouble};
use crate::rival::Rival;

/// A unit that the database did not take.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnitError {
    #[error("the catalogue cannot be read")]
    Read(#[from] diesel::result::Error),
    #[error(transparent)]
    Track(#[from] TrackError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error("the simulated conflict failed")]
    Rival(#[from] SaveError<Product>),
}

impl UnitError {
    /// Whether the same rows, read again, may well be written.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Commit(error) if error.is_transient())
    }
}

/// Some rows that are written together.
pub(crate) struct Unit<'a> {
    job: Job,
    rows: &'a [Row],
    uow: UnitOfWork<Database>,
    /// The rows to be written, by the id of their product.
    open: BTreeMap<i64, (&'a Row, Handle<Product>)>,
    pub(crate) tally: Tally,
    /// What there is to say about rows that are not applied.
    pub(crate) troubles: Vec<String>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(job: Job, rows: &'a [Row]) -> Self {
        Self {
            job,
            rows,
            uow: UnitOfWork::new(),
            open: BTreeMap::new(),
            tally: Tally::default(),
            troubles: Vec::new(),
        }
    }

    /// Applies the rows, or tells which are not.
    ///
    /// # Errors
    ///
    /// If the database fails. Nothing is written then, or it is not known whether it is.
    pub(crate) fn apply(
        &mut self,
        db: &mut Database,
        rival: Option<&mut Rival>,
    ) -> Result<(), UnitError> {
        self.read(db, rival)?;
        if !self.must_stop() {
            self.write(db)?;
        }
        // What is still open when the job stops was not written.
        self.tally.not_tried += std::mem::take(&mut self.open).len();
        Ok(())
    }

    /// Reads the products and changes them in memory.
    fn read(&mut self, db: &mut Database, mut rival: Option<&mut Rival>) -> Result<(), UnitError> {
        // The products before the journal: if another run applies a row in between, the product
        // that was read is stale, and its version says so when it is written.
        let mut products = catalogue::find(db, self.rows)?;
        let earlier = journal::applied(db, self.job.import, self.rows)?;
        let mut next_id = None;
        for row in self.rows {
            if earlier.contains(&row.number) {
                self.tally.earlier += 1;
                continue;
            }
            match products.remove(&row.key) {
                Some(product) => {
                    if let Some(rival) = rival.as_deref_mut() {
                        rival.meet(product.id)?;
                    }
                    self.change(row, product)?;
                }
                None if self.job.create_missing => {
                    let id = match (&row.key, next_id) {
                        (Key::Id(id), _) => *id,
                        (Key::Sku(_), Some(id)) => id,
                        (Key::Sku(_), None) => catalogue::next_id(db)?,
                    };
                    next_id = Some(id.saturating_add(1));
                    self.create(row, id)?;
                }
                None => self.trouble(row, &Reason::Gone),
            }
        }
        Ok(())
    }

    fn change(&mut self, row: &'a Row, product: Product) -> Result<(), TrackError> {
        let stock = match stock_after(product.stock, row.quantity) {
            Ok(stock) => stock,
            Err(refusal) => {
                self.trouble(row, &Reason::Refused(refusal));
                return Ok(());
            }
        };
        let id = product.id;
        let handle = self.uow.attach(product)?;
        self.uow[handle].price_cents = row.price.0;
        self.uow[handle].stock = stock;
        // A price that is right already must still be right when the journal says so.
        self.uow.expect_unchanged(handle);
        self.open.insert(id, (row, handle));
        Ok(())
    }

    fn create(&mut self, row: &'a Row, id: i64) -> Result<(), TrackError> {
        match stock_after(0, row.quantity) {
            Ok(stock) => {
                let handle = self.uow.insert(new_product(id, row, stock))?;
                self.open.insert(id, (row, handle));
            }
            Err(refusal) => self.trouble(row, &Reason::Refused(refusal)),
        }
        Ok(())
    }

    /// Writes the open rows, less those that turn out to be in conflict.
    fn write(&mut self, db: &mut Database) -> Result<(), UnitError> {
        let journal = Journal::new(self.job.import);
        self.uow.also({
            let journal = journal.clone();
            move |db| journal.write(db)
        });
        while !self.open.is_empty() {
            journal.fill(self.open.iter().map(|(id, (row, _))| (*id, *row)));
            match self.uow.commit(db) {
                Ok(done) => {
                    self.count(&done);
                    self.open.clear();
                }
                Err(CommitError::Conflicts(conflicts)) => {
                    for conflict in conflicts.of::<Product>() {
                        if let Some((row, handle)) = self.open.remove(conflict.key()) {
                            self.uow.discard(handle);
                            self.trouble(row, &Reason::Conflict(conflict));
                        }
                    }
                    if self.must_stop() {
                        break;
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn count(&mut self, done: &Committed) {
        let created = done
            .iter()
            .filter(|change| change.operation() == Operation::Insert)
            .count();
        self.tally.created += created;
        self.tally.updated += done.len() - created;
        // Nothing is written for a product that already is as its row says.
        self.tally.unchanged += self.open.len() - done.len();
    }

    fn trouble(&mut self, row: &Row, reason: &Reason<'_>) {
        self.troubles.push(Trouble(row, reason).to_string());
        match reason {
            Reason::Refused(_) => self.tally.refused += 1,
            Reason::Conflict(_) | Reason::Gone => self.tally.conflicts += 1,
        }
    }

    /// Whether a row is not applied and the job stops by that.
    pub(crate) fn must_stop(&self) -> bool {
        self.job.on_conflict == OnConflict::Stop && self.tally.not_applied() > 0
    }
}

fn stock_after(stock: i64, quantity: i64) -> Result<i64, Refusal> {
    match stock.checked_add(quantity) {
        None => Err(Refusal::Overflow { stock, quantity }),
        Some(after) if after < 0 => Err(Refusal::Negative { stock, quantity }),
        Some(after) => Ok(after),
    }
}

fn new_product(id: i64, row: &Row, stock: i64) -> Product {
    let sku = match &row.key {
        Key::Sku(sku) => Some(sku),
        Key::Id(_) => row.new_sku.as_ref(),
    };
    let name = row.new_name.as_ref().or(sku);
    Product {
        id,
        sku: sku.map(|sku| sku.to_string()),
        name: name.map_or_else(|| format!("Product {id}"), |name| name.to_string()),
        price_cents: row.price.0,
        stock,
        // Whatever stands here: the first version is written.
        version: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stock_stays_within_its_bounds() {
        assert_eq!(stock_after(3, -3), Ok(0));
        assert_eq!(
            stock_after(3, -4),
            Err(Refusal::Negative {
                stock: 3,
                quantity: -4
            })
        );
        let overflow = Refusal::Overflow {
            stock: i64::MAX,
            quantity: 1,
        };
        assert_eq!(stock_after(i64::MAX, 1), Err(overflow));
    }
}
