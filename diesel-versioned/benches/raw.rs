//! The update of one row with the C calls of SQLite on a prepared statement: as fast as it gets.
#![allow(unsafe_code, reason = "C functions")]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use libsqlite3_sys as ffi;

use crate::product::Product;

/// A connection of its own to a table in memory, and the statement.
#[derive(Debug)]
pub struct Raw {
    connection: *mut ffi::sqlite3,
    update: *mut ffi::sqlite3_stmt,
}

const TABLE: &CStr = c"CREATE TABLE products (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
    price_cents BIGINT NOT NULL, stock INTEGER NOT NULL, reserved INTEGER NOT NULL,
    version INTEGER NOT NULL)";

const INSERT: &CStr =
    c"INSERT INTO products VALUES (1, 'A product, number 0000001', 1001, 100, 0, 1)";

const UPDATE: &CStr = c"UPDATE products SET name = ?, price_cents = ?, stock = ?, reserved = ?, \
    version = ? WHERE id = ? AND version = ?";

impl Raw {
    /// A table with one row, `Product::new(1)`.
    pub fn connect() -> Self {
        let mut connection = ptr::null_mut();
        let mut update = ptr::null_mut();
        // SAFETY: all pointers are valid; the texts end with a zero.
        unsafe {
            done(ffi::sqlite3_open(c":memory:".as_ptr(), &mut connection));
            for sql in [TABLE, INSERT] {
                done(ffi::sqlite3_exec(
                    connection,
                    sql.as_ptr(),
                    None,
                    ptr::null_mut(),
                    ptr::null_mut(),
                ));
            }
            done(ffi::sqlite3_prepare_v3(
                connection,
                UPDATE.as_ptr(),
                -1,
                ffi::SQLITE_PREPARE_PERSISTENT,
                &mut update,
                ptr::null_mut(),
            ));
        }
        Self { connection, update }
    }

    /// Updates the row if it stands at the version, and moves the version on.
    pub fn save(&mut self, product: &mut Product) {
        let (statement, next) = (self.update, product.version + 1);
        // SAFETY: the statement lives as long as `self`, and the name until the reset.
        unsafe {
            done(ffi::sqlite3_bind_text(
                statement,
                1,
                product.name.as_ptr().cast::<c_char>(),
                c_int::try_from(product.name.len()).expect("it is short"),
                ffi::SQLITE_STATIC(),
            ));
            done(ffi::sqlite3_bind_int64(statement, 2, product.price_cents));
            done(ffi::sqlite3_bind_int(statement, 3, product.stock));
            done(ffi::sqlite3_bind_int(statement, 4, product.reserved));
            done(ffi::sqlite3_bind_int(statement, 5, next));
            done(ffi::sqlite3_bind_int(statement, 6, product.id));
            done(ffi::sqlite3_bind_int(statement, 7, product.version));
            assert_eq!(ffi::sqlite3_step(statement), ffi::SQLITE_DONE);
            assert_eq!(ffi::sqlite3_changes(self.connection), 1);
            done(ffi::sqlite3_reset(statement));
        }
        product.version = next;
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: both are valid, and are not used again.
        unsafe {
            ffi::sqlite3_finalize(self.update);
            ffi::sqlite3_close(self.connection);
        }
    }
}

fn done(code: c_int) {
    assert_eq!(code, ffi::SQLITE_OK);
}
