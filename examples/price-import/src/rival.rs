//! Somebody else, for `--simulate-conflicts`: a second connection that really changes products.

use diesel_versioned::prelude::*;

use crate::catalogue::Product;
use crate::database::Database;

/// A second connection that gets in the way of some products, evenly spread over the job.
pub(crate) struct Rival {
    db: Database,
    spread: Spread,
}

impl Rival {
    /// Changes `victims` of the next `rows` products that it meets.
    pub(crate) fn new(db: Database, victims: usize, rows: usize) -> Self {
        Self {
            db,
            spread: Spread {
                victims: victims.min(rows),
                rows,
                due: 0,
            },
        }
    }

    /// If the product is one of those: raises its price by a cent, as any honest program would.
    pub(crate) fn meet(&mut self, id: i64) -> Result<(), SaveError<Product>> {
        if self.spread.next() {
            let mut product = Product::find(&mut self.db, id)?;
            product.price_cents = product.price_cents.saturating_add(1);
            product.save(&mut self.db)?;
        }
        Ok(())
    }
}

/// So many victims among so many rows.
#[derive(Debug)]
struct Spread {
    victims: usize,
    rows: usize,
    due: usize,
}

impl Spread {
    fn next(&mut self) -> bool {
        self.due += self.victims;
        let hit = self.due >= self.rows;
        if hit {
            self.due -= self.rows;
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_victims_are_spread_evenly() {
        for (victims, hits) in [(0, vec![]), (2, vec![4, 9]), (3, vec![3, 6, 9])] {
            let mut spread = Spread {
                victims,
                rows: 10,
                due: 0,
            };
            assert_eq!((0..10).filter(|_| spread.next()).collect::<Vec<_>>(), hits);
        }
        let mut every = Spread {
            victims: 10,
            rows: 10,
            due: 0,
        };
        assert!((0..10).all(|_| every.next()));
    }
}
