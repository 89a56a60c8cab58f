//! The pipeline of each derive: attributes → model → rules → code.

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::errors::Errors;
use crate::model::Model;
use crate::{expand, validate};

/// `#[derive(Versioned)]`
pub(crate) fn versioned(input: &DeriveInput) -> TokenStream {
    let errors = Errors::new();
    let model = Model::new(input, &errors);
    let entity = validate::entity(input, &model, &errors);
    match (errors.check(), entity) {
        (Ok(()), Some(entity)) => expand::entity(&entity),
        (Ok(()), None) => TokenStream::new(),
        (Err(error), _) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(expand::entity_stub(input, &model));
            tokens
        }
    }
}

/// `#[derive(VersionedPart)]`
pub(crate) fn versioned_part(input: &DeriveInput) -> TokenStream {
    let errors = Errors::new();
    let model = Model::new(input, &errors);
    validate::part(input, &model, &errors);
    match errors.check() {
        Ok(()) => expand::part(&model),
        Err(error) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(expand::part_stub(input, &model));
            tokens
        }
    }
}
