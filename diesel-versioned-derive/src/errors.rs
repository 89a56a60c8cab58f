//! Collects the errors of one derive, so that all of them are shown at once.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::Span;
use quote::ToTokens;

/// The errors found so far. [`Errors::check`] must be called before it is dropped.
pub(crate) struct Errors {
    /// `None` after `check`.
    found: RefCell<Option<Vec<syn::Error>>>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self {
            found: RefCell::new(Some(Vec::new())),
        }
    }

    /// An error at a place in the user's code.
    pub(crate) fn at(&self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// An error that underlines these tokens.
    pub(crate) fn on(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn add(&self, error: syn::Error) {
        if let Some(found) = self.found.borrow_mut().as_mut() {
            found.push(error);
        }
    }

    /// All errors in one, if there was any.
    pub(crate) fn check(self) -> syn::Result<()> {
        let found = self.found.borrow_mut().take().unwrap_or_default();
        let combined = found.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        combined.map_or(Ok(()), Err)
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(
            thread::panicking() || self.found.borrow().is_none(),
            "the errors of a derive were not checked"
        );
    }
}
