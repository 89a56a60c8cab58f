//! A table full of rows and what is known of them.

use diesel::QueryResult;
use diesel::result::Error;

use crate::handwritten::Form;
use crate::product::Product;
use crate::rounds::{Contender, Cost, clock};
use crate::server::Server;

/// A connection to a table, and its rows as they are now.
#[derive(Debug)]
pub struct Stage<C> {
    /// The connection.
    pub conn: C,
    server: Option<i32>,
    rows: Vec<Product>,
}

impl<C: Server> Stage<C> {
    /// A table with the keys from 1 to `count`.
    pub fn new(count: usize) -> Self {
        let mut conn = C::connect();
        let rows: Vec<Product> = (1..).take(count).map(Product::new).collect();
        for chunk in rows.chunks(1_000) {
            conn.insert_by_hand(chunk).expect("the table is empty");
        }
        // The room that rows written again take is made now, before plans are: a server compares
        // what they cost.
        for _ in 0..2 {
            conn.batch_execute("UPDATE products SET stock = stock + 0")
                .expect("valid SQL");
            conn.tidy();
        }
        let server = conn.server_thread();
        Self { conn, server, rows }
    }

    /// Copies of the rows, as they would have been loaded.
    pub fn load(&self) -> Vec<Product> {
        self.rows.clone()
    }

    /// Notes that every row has been written once.
    pub fn written(&mut self) {
        for row in &mut self.rows {
            row.version += 1;
        }
    }

    /// Times something that writes every row once.
    pub fn time(&mut self, write: impl FnOnce(&mut C, Vec<Product>)) -> Cost {
        self.conn.tidy();
        let rows = self.load();
        let time = clock(self.server, || write(&mut self.conn, rows));
        self.written();
        time
    }
}

/// The unit of work: attach, change, commit.
pub fn unit<C: Server>() -> Contender<Stage<C>> {
    Contender::new("unit of work", |stage: &mut Stage<C>| {
        stage.time(|conn, rows| conn.commit_unit(rows))
    })
}

/// The same without what came before the commit.
pub fn commit<C: Server>() -> Contender<Stage<C>> {
    Contender::new("commit alone", |stage: &mut Stage<C>| {
        stage.conn.tidy();
        let commit = C::dirty_unit(stage.load());
        let cost = clock(stage.server, || commit(&mut stage.conn));
        stage.written();
        cost
    })
}

/// A loop of guarded updates in Diesel, in one transaction.
pub fn by_hand<C: Server>() -> Contender<Stage<C>> {
    Contender::new("loop by hand", |stage: &mut Stage<C>| {
        stage.time(update_loop)
    })
}

/// A set-based statement written by hand, in one transaction.
pub fn set_based<C: Server>(form: Form, chunk: usize) -> Contender<Stage<C>> {
    Contender::new(
        format!("{form:?}, {chunk} rows"),
        move |stage: &mut Stage<C>| stage.time(|conn, rows| update_sets(conn, rows, form, chunk)),
    )
}

/// Changes the rows and updates them one by one.
pub fn update_loop<C: Server>(conn: &mut C, mut rows: Vec<Product>) {
    conn.transaction(|conn| {
        rows.iter_mut().try_for_each(|row| {
            row.change();
            landed(conn.update_by_hand(row)?, 1)
        })
    })
    .expect("nobody else writes");
}

/// Changes the rows and updates them in sets.
pub fn update_sets<C: Server>(conn: &mut C, mut rows: Vec<Product>, form: Form, chunk: usize) {
    rows.iter_mut().for_each(Product::change);
    conn.transaction(|conn| {
        rows.chunks(chunk)
            .try_for_each(|chunk| landed(conn.update_set(form, chunk)?, chunk.len()))
    })
    .expect("nobody else writes");
}

/// Inserts the rows as Diesel does.
pub fn insert_sets<C: Server>(conn: &mut C, rows: Vec<Product>, chunk: usize) {
    conn.transaction(|conn| {
        rows.chunks(chunk)
            .try_for_each(|chunk| landed(conn.insert_by_hand(chunk)?, chunk.len()))
    })
    .expect("the rows are new");
}

fn landed(count: usize, meant: usize) -> QueryResult<()> {
    if count == meant {
        Ok(())
    } else {
        Err(Error::RollbackTransaction)
    }
}
