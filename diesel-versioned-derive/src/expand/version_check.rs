//! What the compiler is to check of a version: its column, and what its options ask of its type.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::columns::{located, path_at};
use crate::model::Field;
use crate::validate::Entity;

impl Entity<'_> {
    /// Shows at the field of a version that its column is nullable, or that an option is not for its
    /// type.
    pub(super) fn check_versions(&self) -> TokenStream {
        let versions = self.versions.iter();
        versions
            .map(|version| self.check_version(version.field))
            .collect()
    }

    fn check_version(&self, field: &Field<'_>) -> TokenStream {
        let model = self.model;
        let (library, column) = (&model.library, model.column_path(field));
        let span = located(field.span);
        let assert = quote_spanned!(span=> assert_version_column::<VersionColumn>());
        let ty = field.ty;
        let span = located(ty.span());
        let ident = model.ident;
        let made_here = quote_spanned!(span=> assert_made_here::<#ident>());
        let is_generic = !model.generics.params.is_empty();
        let made_here = (!is_generic && field.attrs.by_database.is_none())
            .then(|| quote!(#library::__private::#made_here;));
        let kinds = if model.is_generic(ty) {
            Vec::new()
        } else {
            required_kinds(field)
        };
        let kinds = kinds.into_iter().map(|mut kind| {
            kind.set_span(span);
            let library = path_at(library, span);
            quote_spanned! {span=>
                const fn has_kind<V: #library::version::#kind>() {}
                has_kind::<#ty>();
            }
        });
        quote! {
            #[allow(unused_qualifications)]
            const _: () = {
                type VersionColumn = #column;
                #made_here
                #library::__private::#assert
            };
            #(
                #[allow(unused_qualifications)]
                const _: () = { #kinds };
            )*
        }
    }
}

/// What the options of a version ask of its type.
pub(super) fn required_kinds(field: &Field<'_>) -> Vec<Ident> {
    let attrs = &field.attrs;
    let kinds = [
        attrs.wrap.as_ref().map(|_| "CountingVersion"),
        attrs.precision.as_ref().map(|_| "TimestampVersion"),
        attrs.uuid.as_ref().map(|_| "UuidVersion"),
    ];
    let kinds = kinds.into_iter().flatten();
    kinds
        .map(|kind| Ident::new(kind, Span::call_site()))
        .collect()
}
