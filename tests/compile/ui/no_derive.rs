//! A struct that is used as an entity without the derive.

use diesel_versioned::Versioned;


#[derive(Clone)]
struct Product;

fn wants_an_entity<T: Versioned>(_: T) {}

fn main() {
    wants_an_entity(Product);
}
