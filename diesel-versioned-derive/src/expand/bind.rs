//! Binding: one match of column → `push_bind_param`, for every backend that can hold the values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Generics, Member, parse_quote};

use super::columns::position;
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
            let (sql_type, ty) = (self.sql_type(field), field.sent_type());
            [
                quote!(__DB: #library::__private::diesel::sql_types::HasSqlType<#sql_type>),
                quote!(#ty: #library::__private::diesel::serialize::ToSql<#sql_type, __DB>),
            ]
        });
        let parts = self.parts.iter().map(|part| {
            let ty = part.ty;
            quote!(#ty: #library::BindPart<__DB>)
        });
        own.chain(parts).collect()
    }

    /// `fn bind`
    pub(crate) fn bind_fn(&self) -> TokenStream {
        let library = &self.library;
        let converted: Vec<_> = self.conversions().map(|(index, _)| index).collect();
        let own = self.columns.iter().enumerate().map(|(index, field)| {
            let value = match converted.iter().position(|other| *other == index) {
                Some(slot) => {
                    let slot = Member::from(slot);
                    quote!(&converted.#slot)
                }
                None => {
                    let member = &field.member;
                    quote!(&self.#member)
                }
            };
            let (index, push) = (position(index), self.push(field));
            quote!(#index => out.#push(#value),)
        });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, ty, slot) = (&part.member, part.ty, Member::from(converted.len() + index));
            let (start, end) = (self.offset(index), self.offset(index + 1));
            quote! {
                _ if column < #end => <#ty as #library::BindPart<__DB>>::bind(
                    &self.#member,
                    &converted.#slot,
                    column - (#start),
                    out,
                ),
            }
        });
        let converted = if converted.is_empty() && self.parts.is_empty() {
            quote!(_)
        } else {
            quote!(converted)
        };
        quote! {
            fn bind<'b>(
                &'b self,
                #converted: &'b Self::Converted,
                column: usize,
                out: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> {
                match column {
                    #(#own)*
                    #(#parts)*
                    _ => #library::__private::no_column(column),
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
