//! The derive macros of diesel-versioned; use them through that crate.

mod attr;
mod derive;
mod errors;
mod expand;
mod model;
mod validate;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// docs
#[proc_macro_derive(Versioned, attributes(version, versioned, diesel))]
pub fn versioned(input: TokenStream) -> TokenStream {
    derive::versioned(&parse_macro_input!(input as DeriveInput)).into()
}

/// docs
#[proc_macro_derive(VersionedPart, attributes(version, versioned, diesel))]
pub fn versioned_part(input: TokenStream) -> TokenStream {
    derive::versioned_part(&parse_macro_input!(input as DeriveInput)).into()
}
