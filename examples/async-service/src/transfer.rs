//! A transfer of stock from one product to another: a unit of work over both and the journal.

use diesel::result::Error;
use diesel_async::AsyncConnection;
use diesel_versioned::async_prelude::*;
use diesel_versioned::{AsyncExecutes, AsyncSet, Dialect, Holds};
use serde::{Deserialize, Serialize};

use crate::catalogue::Product;
use crate::journal::{Entry, Journal};

/// What a client wants to be moved.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transfer {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) quantity: i64,
}

/// The two products after a transfer.
#[derive(Debug, Serialize)]
pub(crate) struct Transferred {
    pub(crate) from: Product,
    pub(crate) to: Product,
}

/// Why nothing was moved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransferError {
    #[error("the quantity is {0}; it must be at least 1")]
    Quantity(i64),
    #[error("a transfer needs two products, from and to are both {0}")]
    SameProduct(i64),
    #[error("there is no product {0}")]
    NoSuchProduct(i64),
    #[error("product {id} has a stock of {stock}, less than {quantity}")]
    NotEnough { id: i64, stock: i64, quantity: i64 },
    #[error("product {id} has a stock of {stock}, and {quantity} more is more than it can hold")]
    TooMuch { id: i64, stock: i64, quantity: i64 },
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// A connection through which stock is moved.
pub(crate) trait MovesStock {
    /// Moves stock: both products and the journal, or nothing. If somebody else writes one of the
    /// products between the read and the commit, it is a conflict.
    ///
    /// # Errors
    ///
    /// If the transfer makes no sense or the stock does not allow it, or the unit is not committed.
    fn transfer(
        &mut self,
        wanted: Transfer,
    ) -> impl Future<Output = Result<Transferred, TransferError>> + Send;
}

impl<C> MovesStock for C
where
    C: AsyncConnection<Backend: Dialect> + AsyncExecutes<Product> + Journal + 'static,
    dyn AsyncSet<C>: Holds<Product>,
{
    async fn transfer(&mut self, wanted: Transfer) -> Result<Transferred, TransferError> {
        let conn = self;
        let Transfer { from, to, quantity } = wanted;
        if quantity < 1 {
            return Err(TransferError::Quantity(quantity));
        }
        if from == to {
            return Err(TransferError::SameProduct(from));
        }
        let mut uow = UnitOfWork::<C>::new();
        let source = find(&mut uow, conn, from).await?;
        let target = find(&mut uow, conn, to).await?;

        let stock = uow[source].stock;
        if stock < quantity {
            return Err(TransferError::NotEnough {
                id: from,
                stock,
                quantity,
            });
        }
        uow[source].stock -= quantity;
        let stock = uow[target].stock;
        uow[target].stock = stock.checked_add(quantity).ok_or(TransferError::TooMuch {
            id: to,
            stock,
            quantity,
        })?;
        let entry = Entry {
            from_id: from,
            to_id: to,
            quantity,
        };
        uow.also(async move |conn| conn.write(entry).await);

        uow.commit(conn).await?;
        Ok(Transferred {
            from: uow[source].clone(),
            to: uow[target].clone(),
        })
    }
}

async fn find<C>(
    uow: &mut UnitOfWork<C>,
    conn: &mut C,
    id: i64,
) -> Result<Handle<Product>, TransferError>
where
    C: AsyncConnection<Backend: Dialect> + AsyncExecutes<Product> + 'static,
    dyn AsyncSet<C>: Holds<Product>,
{
    uow.find(conn, id).await.map_err(|error| match error {
        Error::NotFound => TransferError::NoSuchProduct(id),
        error => TransferError::Commit(error.into()),
    })
}
