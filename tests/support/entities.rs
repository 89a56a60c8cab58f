//! The entities of the tests, one per table of `schema.rs`.

use diesel::prelude::*;
use diesel_versioned::{Versioned, VersionedPart};

use super::schema::{
    accounts, customers, documents, nodes, order_lines, orders, products, stock_levels,
};

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
pub struct Product {
    pub id: i32,
    pub name: String,
    pub price_cents: i64,
    pub stock: i32,
    #[version]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = orders)]
pub struct Order {
    #[diesel(skip_insertion)]
    pub id: i32,
    pub customer: String,
    pub total_cents: i64,
    #[version]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = order_lines, belongs_to(Order))]
pub struct OrderLine {
    #[diesel(skip_insertion)]
    pub id: i32,
    pub order_id: i32,
    pub product_id: i32,
    pub quantity: i32,
    #[version]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = stock_levels, primary_key(warehouse, sku))]
pub struct StockLevel {
    pub warehouse: i32,
    pub sku: String,
    pub quantity: i32,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = accounts)]
pub struct Account {
    pub id: i64,
    pub email: String,
    pub nickname: Option<String>,
    pub balance: i64,
    #[version]
    pub version: i16,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = documents)]
#[versioned(merge(independent(title, type_, body)))]
pub struct Document {
    pub id: i32,
    pub title: String,
    #[diesel(column_name = type_)]
    pub kind: String,
    pub position: i32,
    pub body: Option<String>,
    #[version]
    pub lock_version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = nodes)]
pub struct Node {
    #[diesel(skip_insertion)]
    pub id: i32,
    pub parent_id: Option<i32>,
    pub label: String,
    #[version]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = customers)]
#[versioned(merge(independent(name, address)))]
pub struct Customer {
    pub id: i32,
    pub name: String,
    #[diesel(embed)]
    pub address: Address,
    #[version]
    pub version: i32,
}

/// A part of [`Customer`].
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = customers)]
pub struct Address {
    pub street: String,
    pub city: String,
}
