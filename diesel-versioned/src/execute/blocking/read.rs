//! Rows that are read by their keys, on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::session::rows;
use crate::backend::Dialect;
use crate::outcome::{self, Asked, Paired};
use crate::statement::{Entity, Lock, Select, key_chunks};

/// Reads the rows with some keys; each comes with the key that it was asked for by.
pub(super) fn read<T, C>(conn: &mut C, keys: &[T::Key], lock: Lock) -> QueryResult<Vec<(T::Key, T)>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    let mut found = Vec::with_capacity(keys.len());
    for keys in key_chunks::<T, C::Backend>(keys) {
        let read = rows(conn, Select::<T, _>::new(keys, lock))?;
        find_alone(conn, outcome::pair(keys, read), lock, &mut found)?;
    }
    Ok(found)
}

/// Takes rows with the keys that they were asked for by; where that is not clear, a row is read alone.
pub(super) fn find_alone<T, C>(
    conn: &mut C,
    (mut pairs, alone): Paired<T>,
    lock: Lock,
    found: &mut Vec<Asked<T>>,
) -> QueryResult<()>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    found.append(&mut pairs);
    for key in alone {
        let asked = std::slice::from_ref(&key);
        let row = rows(conn, Select::<T, _>::new(asked, lock))?;
        found.extend(row.into_iter().map(|row| (key.clone(), row)));
    }
    Ok(())
}
