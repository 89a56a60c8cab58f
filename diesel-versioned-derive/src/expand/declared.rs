//! What `table!` says of the columns whose types `check_schema` looks at.

use proc_macro2::TokenStream;
use quote::quote;

use super::columns::position;
use crate::validate::Entity;

impl Entity<'_> {
    /// `fn declared`, where there is a version or a mark of deletion.
    pub(super) fn declared_fn(&self) -> Option<TokenStream> {
        let (model, library) = (self.model, &self.model.library);
        let columns = self.versions.iter().chain(&self.mark).map(|placed| {
            let (index, column) = (position(placed.position), model.column_path(placed.field));
            let sql_type = quote!(#library::__private::SqlTypeOf<#column>);
            quote!(#index => #library::schema_check::Declared::of::<#sql_type>(),)
        });
        let columns: Vec<_> = columns.collect();
        (!columns.is_empty()).then(|| {
            quote! {
                fn declared(__column: usize) -> #library::schema_check::Declared {
                    match __column {
                        #(#columns)*
                        _ => #library::schema_check::Declared::Unknown,
                    }
                }
            }
        })
    }
}
