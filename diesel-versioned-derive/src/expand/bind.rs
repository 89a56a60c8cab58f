//! Binding: one match of column → `push_bind_param`, for every backend that can hold the values.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Member, parse_quote};

use super::columns::{located, path_at, position};
use crate::model::{Field, Model};

impl Model<'_> {
    /// The struct's generics and a backend, `__DB`.
    pub(crate) fn backend_generics(&self) -> Generics {
        let library = &self.library;
        let mut generics = self.generics.clone();
        generics
            .params
            .push(parse_quote!(__DB: #library::__private::diesel::backend::Backend));
        generics
    }

    /// What a backend must be able to hold.
    pub(crate) fn backend_predicates(&self) -> Vec<TokenStream> {
        let library = &self.library;
        let own = self.columns.iter().flat_map(|field| {
            let sql_type = self.sql_type(field);
            let holds = quote!(__DB: #library::__private::diesel::sql_types::HasSqlType<#sql_type>);
            [holds, self.sends(field, quote!(__DB))]
        });
        let parts = self.parts.iter().map(|part| {
            let ty = part.ty;
            quote!(#ty: #library::BindPart<__DB>)
        });
        own.chain(parts).collect()
    }

    /// The value of a field can be sent to this backend.
    fn sends(&self, field: &Field<'_>, backend: impl ToTokens) -> TokenStream {
        let (ty, sql_type) = (field.sent_type(), self.sql_type(field));
        let span = located(ty.span());
        let library = path_at(&self.library, span);
        quote_spanned! {span=>
            #ty: #library::__private::diesel::serialize::ToSql<#sql_type, #backend>
        }
    }

    /// The check that `check_for_backend` asks for: a wrong type is reported at its field.
    pub(crate) fn check_backends(&self) -> Option<TokenStream> {
        let backends = &self.attrs.check_for_backend;
        if backends.is_empty() || !self.generics.params.is_empty() {
            return None;
        }
        let columns = self.columns.iter();
        let sends = columns.flat_map(|field| backends.iter().map(|db| self.sends(field, db)));
        Some(quote! {
            #[allow(unused_qualifications)]
            const _: () = {
                #[allow(dead_code)]
                const fn check_for_backend()
                where
                    #(#sends,)*
                {
                }
            };
        })
    }

    /// `fn bind`
    pub(crate) fn bind_fn(&self) -> TokenStream {
        let library = &self.library;
        let converted: Vec<_> = self.conversions().map(|(index, _)| index).collect();
        let own = self.columns.iter().enumerate().map(|(index, field)| {
            let value = match converted.iter().position(|other| *other == index) {
                Some(slot) => {
                    let slot = Member::from(slot);
                    quote!(&__converted.#slot)
                }
                None => {
                    let member = &field.member;
                    quote!(&self.#member)
                }
            };
            let (index, push) = (position(index), self.push(field));
            quote!(#index => __out.#push(#value),)
        });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, ty, slot) = (&part.member, part.ty, Member::from(converted.len() + index));
            let (end, within) = (
                self.offset(index + 1),
                self.within(index, &quote!(__column)),
            );
            quote! {
                _ if __column < #end => <#ty as #library::BindPart<__DB>>::bind(
                    &self.#member,
                    &__converted.#slot,
                    #within,
                    __out,
                ),
            }
        });
        let converted = if converted.is_empty() && self.parts.is_empty() {
            quote!(_)
        } else {
            quote!(__converted)
        };
        quote! {
            fn bind<'b>(
                &'b self,
                #converted: &'b Self::Converted,
                __column: usize,
                __out: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> {
                match __column {
                    #(#own)*
                    #(#parts)*
                    _ => #library::__private::no_column(__column),
                }
            }
        }
    }

    /// `push_bind_param::<…>` for the column of a field.
    pub(crate) fn push(&self, field: &Field<'_>) -> TokenStream {
        let sql_type = self.sql_type(field);
        quote!(push_bind_param::<#sql_type, _>)
    }

    fn sql_type(&self, field: &Field<'_>) -> TokenStream {
        let library = &self.library;
        let column = self.column_path(field);
        quote!(#library::__private::SqlTypeOf<#column>)
    }
}
