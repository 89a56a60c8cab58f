//! The product catalogue: its table, its entity, and how rows of a price list are found in it.

use std::collections::{HashMap, HashSet};

use diesel::dsl::max;
use diesel::prelude::*;
use diesel_versioned::prelude::*;

use crate::database::Database;
use crate::input::{Key, Row, RowError};

diesel::table! {
    products (id) {
        id -> BigInt,
        sku -> Nullable<Text>,
        name -> Text,
        price_cents -> BigInt,
        stock -> BigInt,
        version -> Integer,
    }
}

/// One product.
#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) sku: Option<String>,
    pub(crate) name: String,
    pub(crate) price_cents: i64,
    pub(crate) stock: i64,
    #[version]
    pub(crate) version: i32,
}

/// How many keys one query looks up.
const LOOKUP: usize = 1_000;

/// Whether there is no product at all.
pub(crate) fn is_empty(db: &mut Database) -> QueryResult<bool> {
    let any = products::table
        .select(products::id)
        .first::<i64>(db)
        .optional()?;
    Ok(any.is_none())
}

/// An id that is greater than all.
pub(crate) fn next_id(db: &mut Database) -> QueryResult<i64> {
    let greatest = products::table
        .select(max(products::id))
        .first::<Option<i64>>(db)?;
    Ok(greatest.unwrap_or(0).saturating_add(1))
}

/// The products that some rows are about.
pub(crate) fn find(db: &mut Database, rows: &[Row]) -> QueryResult<HashMap<Key, Product>> {
    let mut found = HashMap::new();
    for rows in rows.chunks(LOOKUP) {
        let (ids, skus) = keys(rows);
        if !ids.is_empty() {
            let query = products::table.filter(products::id.eq_any(ids));
            for product in query.select(Product::as_select()).load(db)? {
                found.insert(Key::Id(product.id), product);
            }
        }
        if !skus.is_empty() {
            let query = products::table.filter(products::sku.eq_any(skus));
            for product in query.select(Product::as_select()).load(db)? {
                if let Some(sku) = product.sku.as_deref() {
                    found.insert(Key::Sku(sku.into()), product);
                }
            }
        }
    }
    Ok(found)
}

/// Finds the first row about a product that the catalogue does not have.
pub(crate) fn unknown(db: &mut Database, rows: &[Row]) -> QueryResult<Option<(u64, RowError)>> {
    for rows in rows.chunks(LOOKUP) {
        let (ids, skus) = keys(rows);
        let mut known = HashSet::new();
        if !ids.is_empty() {
            let query = products::table
                .filter(products::id.eq_any(ids))
                .select(products::id);
            known.extend(query.load(db)?.into_iter().map(Key::Id));
        }
        for (_, sku) in with_skus(db, skus)? {
            known.insert(Key::Sku(sku));
        }
        if let Some(row) = rows.iter().find(|row| !known.contains(&row.key)) {
            let hint = if is_empty(db)? {
                ", which is empty: load it from the file with --create-missing"
            } else {
                " (--create-missing creates it)"
            };
            return Ok(Some((
                row.number,
                RowError::Unknown {
                    key: row.key.clone(),
                    hint,
                },
            )));
        }
    }
    Ok(None)
}

/// Finds the first row that would create a product with the SKU of another one.
pub(crate) fn sku_taken(db: &mut Database, rows: &[Row]) -> QueryResult<Option<(u64, RowError)>> {
    for rows in rows.chunks(LOOKUP) {
        let skus = rows
            .iter()
            .filter_map(|row| row.new_sku.as_deref())
            .collect();
        let taken: HashMap<_, _> = with_skus(db, skus)?
            .into_iter()
            .map(|(id, sku)| (sku, id))
            .collect();
        for row in rows {
            let Some(sku) = &row.new_sku else { continue };
            match taken.get(sku) {
                Some(id) if Key::Id(*id) != row.key => {
                    let sku = sku.clone();
                    return Ok(Some((row.number, RowError::SkuTaken { sku, id: *id })));
                }
                _ => {}
            }
        }
    }
    Ok(None)
}

fn with_skus(db: &mut Database, skus: Vec<&str>) -> QueryResult<Vec<(i64, Box<str>)>> {
    if skus.is_empty() {
        return Ok(Vec::new());
    }
    let found = products::table
        .filter(products::sku.eq_any(skus))
        .select((products::id, products::sku.assume_not_null()))
        .load::<(i64, String)>(db)?;
    Ok(found
        .into_iter()
        .map(|(id, sku)| (id, sku.into()))
        .collect())
}

fn keys(rows: &[Row]) -> (Vec<i64>, Vec<&str>) {
    let (mut ids, mut skus) = (Vec::new(), Vec::new());
    for row in rows {
        match &row.key {
            Key::Id(id) => ids.push(*id),
            Key::Sku(sku) => skus.push(&**sku),
        }
    }
    (ids, skus)
}
