//! What `impl Versioned` says of the parents that are touched.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::columns::{located, path_at};
use crate::validate::Entity;

impl Entity<'_> {
    /// `const TOUCHES`, where there are some.
    pub(super) fn touches_const(&self) -> Option<TokenStream> {
        (!self.touches.is_empty()).then(|| {
            quote!(
                const TOUCHES: bool = true;
            )
        })
    }

    /// Shows at a parent that it has no version to be moved.
    pub(super) fn check_touches(&self) -> Option<TokenStream> {
        if self.touches.is_empty() || !self.model.generics.params.is_empty() {
            return None;
        }
        let library = &self.model.library;
        let asserts = self.touches.iter().map(|(parent, _)| {
            let span = located(parent.span());
            let library = path_at(library, span);
            quote_spanned! {span=>
                const _: () = #library::__private::assert_touchable::<#parent>();
            }
        });
        Some(quote! {
            #[allow(unused_qualifications)]
            const _: () = {
                #(#asserts)*
            };
        })
    }

    /// `fn touches` and `fn touched_types`.
    pub(super) fn touches_fns(&self) -> Option<TokenStream> {
        if self.touches.is_empty() {
            return None;
        }
        let library = &self.model.library;
        let keys = self.touches.iter().map(|(parent, column)| {
            let value = self.model.sent_value(column.field);
            let span = located(column.field.ty.span());
            let here = path_at(library, span);
            let key = quote_spanned!(span=> __key);
            let of = quote_spanned!(span=> #here::ParentKey::of::<#parent>(#key));
            quote! {
                let #key = #value;
                if let #library::__private::Option::Some(__parent) = #of {
                    __parents.push(__parent);
                }
            }
        });
        let types = self.touches.iter().map(|(parent, _)| parent);
        Some(quote! {
            fn touches(&self) -> #library::__private::Vec<#library::ParentKey> {
                let mut __parents = #library::__private::Vec::new();
                #(#keys)*
                __parents
            }

            fn touched_types() -> #library::__private::Vec<#library::__private::TypeId> {
                #library::__private::vec([
                    #(#library::__private::TypeId::of::<#types>()),*
                ])
            }
        })
    }
}
