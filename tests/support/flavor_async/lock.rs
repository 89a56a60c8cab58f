//! Locks by the asynchronous half of the library with the signatures of the blocking one.

use diesel_versioned::{AsyncLockDsl, IntoKey, Lock, SaveError, Versioned, Wait};

use super::Blocking;
use super::runtime::block_on;
use crate::Inner;

/// [`AsyncLockDsl`] with the signatures of [`diesel_versioned::LockDsl`].
pub trait LockDsl<Conn>: Versioned {
    fn lock(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Self, SaveError<Self>>;

    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut Conn,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Vec<Self>, SaveError<Self>>;

    fn lock_loaded(&self, conn: &mut Conn, lock: Lock, wait: Wait) -> Result<(), SaveError<Self>>;
}

impl<T: AsyncLockDsl<Inner>> LockDsl<Blocking> for T {
    fn lock(
        conn: &mut Blocking,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Self, SaveError<Self>> {
        block_on(<T as AsyncLockDsl<Inner>>::lock(conn, key, lock, wait))
    }

    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut Blocking,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Vec<Self>, SaveError<Self>> {
        block_on(<T as AsyncLockDsl<Inner>>::lock_all(conn, keys, lock, wait))
    }

    fn lock_loaded(
        &self,
        conn: &mut Blocking,
        lock: Lock,
        wait: Wait,
    ) -> Result<(), SaveError<Self>> {
        block_on(AsyncLockDsl::<Inner>::lock_loaded(self, conn, lock, wait))
    }
}
