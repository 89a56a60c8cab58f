//! The version: how it begins, what follows it, and the checks of its column and its options.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::columns::{located, path_at};
use crate::attr::{Precision, UuidKind};
use crate::model::Field;
use crate::validate::Entity;

impl Entity<'_> {
    /// What `impl Versioned` says of the version.
    pub(super) fn version_fns(&self) -> TokenStream {
        let member = &self.version.field.member;
        let (initial, next) = (self.initial_version_fn(), self.next_version_fn());
        let shape = self.version_shape_fn();
        quote! {
            fn version(&self) -> &Self::Version {
                &self.#member
            }

            fn set_version(&mut self, __version: Self::Version) {
                self.#member = __version;
            }

            #initial
            #next
            #shape
        }
    }

    /// `fn version_shape`, where the precision is not the one of the type.
    fn version_shape_fn(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        let precision = self.precision()?;
        Some(quote! {
            fn version_shape() -> #library::schema_check::Shape {
                #precision.shape()
            }
        })
    }

    /// `fn initial_version`, where an option says something about it.
    fn initial_version_fn(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        let (moment, value) = match (&self.version.field.attrs.initial, self.moment()) {
            (Some(initial), _) => {
                let value = &initial.value;
                let value = quote! {
                    let __initial: Self::Version = #value;
                    #library::__private::Ok(__initial)
                };
                (quote!(_), value)
            }
            (None, Some(moment)) => {
                let initial = quote!(#library::VersionValue::initial(&#moment));
                (quote!(__moment), initial)
            }
            (None, None) => return None,
        };
        let signature = self.version_signature(quote!(initial_version), quote!(#moment:));
        Some(quote!(#signature { #value }))
    }

    /// `fn next_version`, where an option says something about it.
    fn next_version_fn(&self) -> Option<TokenStream> {
        let Field { member, attrs, .. } = self.version.field;
        let library = &self.model.library;
        let next = quote!(#library::VersionValue::next);
        let value = match (&attrs.wrap, self.moment()) {
            (Some(_), _) => quote! {
                #library::__private::wrapping::<Self>(#next(&self.#member, __moment), __moment)
            },
            (None, Some(moment)) => quote!(#next(&self.#member, &#moment)),
            (None, None) => return None,
        };
        let signature = self.version_signature(quote!(next_version), quote!(&self, __moment:));
        Some(quote!(#signature { #value }))
    }

    fn version_signature(&self, name: TokenStream, arguments: TokenStream) -> TokenStream {
        let library = &self.model.library;
        quote! {
            fn #name(
                #arguments &#library::version::Moment,
            ) -> #library::__private::Result<Self::Version, #library::version::NoVersion>
        }
    }

    /// The moment as the options of the version want it, where they want something.
    fn moment(&self) -> Option<TokenStream> {
        let attrs = &self.version.field.attrs;
        if let Some(precision) = self.precision() {
            return Some(quote!(__moment.with_precision(#precision)));
        }
        match attrs.uuid.as_ref()?.value {
            UuidKind::V4 => Some(quote!(__moment.with_uuid_v4())),
            UuidKind::V7 => None,
        }
    }

    /// The precision that the version's attribute names.
    fn precision(&self) -> Option<TokenStream> {
        let precision = self.version.field.attrs.precision.as_ref()?.value;
        Some(self.precision_path(precision))
    }

    /// A precision as the library has it.
    pub(super) fn precision_path(&self, precision: Precision) -> TokenStream {
        let library = &self.model.library;
        let precision = match precision {
            Precision::Seconds => quote!(Seconds),
            Precision::Millis => quote!(Millis),
            Precision::Micros => quote!(Micros),
        };
        quote!(#library::version::Precision::#precision)
    }

    /// Shows at the version's field that its column is nullable, or that an option is not for its
    /// type.
    pub(super) fn check_version(&self) -> TokenStream {
        let field = self.version.field;
        let (library, column) = (&self.model.library, self.model.column_path(field));
        let span = located(field.span);
        let assert = quote_spanned!(span=> assert_version_column::<VersionColumn>());
        let ty = field.ty;
        let span = located(ty.span());
        let ident = self.model.ident;
        let made_here = quote_spanned!(span=> assert_made_here::<#ident>());
        let is_generic = !self.model.generics.params.is_empty();
        let made_here = (!is_generic && field.attrs.by_database.is_none())
            .then(|| quote!(#library::__private::#made_here;));
        let kinds = if self.model.is_generic(ty) {
            Vec::new()
        } else {
            self.required_kinds()
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

    /// What the options of the version ask of its type.
    pub(super) fn required_kinds(&self) -> Vec<Ident> {
        let attrs = &self.version.field.attrs;
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
}
