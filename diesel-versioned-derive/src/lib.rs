//! The derive macros of diesel-versioned.
use proc_macro::TokenStream;

/// stub
#[proc_macro_derive(Versioned, attributes(version, versioned, diesel))]
pub fn versioned(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
/// stub
#[proc_macro_derive(VersionedPart, attributes(versioned, diesel))]
pub fn versioned_part(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
