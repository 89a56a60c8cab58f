//! The derive macros of diesel-versioned. Use them through that crate, which exports them beside
//! the traits that they implement and documents them there.

mod attr;
mod column_name;
mod derive;
mod errors;
mod expand;
mod model;
mod newtype;
mod options;
#[cfg(test)]
mod snapshots;
mod validate;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

// Documented at `diesel_versioned::derive`, where the examples can run.
#[allow(missing_docs, reason = "documented where it is exported")]
#[proc_macro_derive(Versioned, attributes(version, versioned, diesel))]
pub fn versioned(input: TokenStream) -> TokenStream {
    derive::versioned(&parse_macro_input!(input as DeriveInput)).into()
}

#[allow(missing_docs, reason = "documented where it is exported")]
#[proc_macro_derive(VersionValue, attributes(versioned))]
pub fn version_value(input: TokenStream) -> TokenStream {
    newtype::version_value(&parse_macro_input!(input as DeriveInput)).into()
}

#[allow(missing_docs, reason = "documented where it is exported")]
#[proc_macro_derive(VersionedPart, attributes(version, versioned, diesel))]
pub fn versioned_part(input: TokenStream) -> TokenStream {
    derive::versioned_part(&parse_macro_input!(input as DeriveInput)).into()
}
