//! The ways to take one away from the stock. Each is written as a program would write it.

use std::time::Duration;

use clap::ValueEnum;
use diesel::prelude::*;
use diesel_versioned::prelude::*;

use crate::again::{Dice, again, policy};
use crate::product::{Failure, Product, contention_products};

/// A lease that nobody gives back, because its holder died, ends after this.
const TTL: Duration = Duration::from_secs(30);

/// How one is taken away from the stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Way {
    /// `Product::update_with`: read, think and write in one transaction, and again after a conflict
    Optimistic,
    /// `find`, think, `save` without a transaction around it, and again after a conflict
    Save,
    /// `Product::lock` in a transaction: whoever comes second waits in the database
    Lock,
    /// `Lease::acquire`, read, think, `lease.save`, `release`; a held lease is asked for again
    Lease,
    /// think, then `Product::apply`: one statement
    Relative,
}

impl Way {
    pub(crate) const ALL: [Self; 5] = [
        Self::Optimistic,
        Self::Save,
        Self::Lock,
        Self::Lease,
        Self::Relative,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Optimistic => "optimistic",
            Self::Save => "save",
            Self::Lock => "lock",
            Self::Lease => "lease",
            Self::Relative => "relative",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }
}

/// One operation: take one away from the stock of a product.
pub(crate) struct Task<'a> {
    pub(crate) id: i64,
    /// Who does it.
    pub(crate) holder: &'a str,
    /// What takes time between reading and writing.
    pub(crate) think: &'a dyn Fn(),
    pub(crate) dice: &'a mut Dice,
    /// How often it was tried, the last time included.
    pub(crate) attempts: u32,
}

/// A connection on which operations can be done in each of the ways.
pub(crate) trait Ways {
    /// Does it, however often it takes.
    ///
    /// # Errors
    ///
    /// [`Failure::SoldOut`] if there is nothing left; any other means that the program does not work.
    fn perform(&mut self, way: Way, task: &mut Task<'_>) -> Result<(), Failure>;

    /// Ends the lease that a run which was interrupted may have left.
    fn end_lease(&mut self, id: i64) -> Result<(), Failure>;
}

/// For each type of connection: how a row is locked and a version moves on is known of those, not of
/// an enum of them.
macro_rules! ways {
    ($connection:ty) => {
        impl Ways for $connection {
            fn perform(&mut self, way: Way, task: &mut Task<'_>) -> Result<(), Failure> {
                let Task {
                    id,
                    holder,
                    think,
                    dice,
                    attempts,
                } = task;
                let id = *id;
                match way {
                    Way::Optimistic => {
                        Product::update_with(self, id, &policy(), |product| {
                            *attempts += 1;
                            think();
                            product.take_one()
                        })?;
                    }
                    Way::Save => again(dice, || {
                        *attempts += 1;
                        let mut product = Product::find(self, id)?;
                        think();
                        product.take_one()?;
                        Ok(product.save(self)?)
                    })?,
                    Way::Lock => retry(self, &policy(), |conn| {
                        *attempts += 1;
                        let mut product = Product::lock(conn, id, Lock::Update, Wait::Block)?;
                        think();
                        product.take_one()?;
                        product.save(conn)?;
                        Ok::<_, Failure>(())
                    })?,
                    Way::Lease => {
                        let page = page(id);
                        let lease = again(dice, || {
                            *attempts += 1;
                            Ok(Lease::acquire(self, &page, *holder, TTL)?)
                        })?;
                        // Nobody else writes now, so a conflict would be an error.
                        let written = (|| {
                            let mut product = Product::find(self, id)?;
                            think();
                            product.take_one()?;
                            lease.save(self, &mut product).map_err(|error| match error {
                                CommitError::Conflicts(_) => Failure::Other(Box::new(error)),
                                error => Failure::from(error),
                            })
                        })();
                        again(dice, || Ok(lease.release(self)?))?;
                        written?;
                    }
                    Way::Relative => {
                        use contention_products::stock;
                        think();
                        again(dice, || {
                            *attempts += 1;
                            Product::apply(self, id, stock.eq(stock - 1))
                                .filter(stock.ge(1))
                                .execute()?;
                            Ok(())
                        })?;
                    }
                }
                Ok(())
            }

            fn end_lease(&mut self, id: i64) -> Result<(), Failure> {
                let (lease, _) = Lease::steal(self, &page(id), "contention", TTL)?;
                lease.release(self)?;
                Ok(())
            }
        }
    };
}

ways!(SqliteConnection);
#[cfg(feature = "postgres")]
ways!(PgConnection);
#[cfg(feature = "mysql")]
ways!(MysqlConnection);

/// Something to acquire the lease of: only its key counts. The row is read afterwards.
const fn page(id: i64) -> Product {
    Product {
        id,
        stock: 0,
        version: 0,
    }
}
