//! What stands in for the code when there was an error: the traits are implemented, so that only
//! our message is shown and not one for every call that needs them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::model::{self, Model};

/// In place of `#[derive(Versioned)]`.
pub(crate) fn entity_stub(input: &DeriveInput, model: &Model<'_>) -> Option<TokenStream> {
    if !has_stub(input, model) {
        return None;
    }
    let (library, table, ident) = (&model.library, &model.table, model.ident);
    let stub = quote!({ loop {} });
    let key: Vec<_> = model
        .key_names()
        .iter()
        .filter_map(|name| model.columns.get(model.position(name)?))
        .map(model::Field::sent_type)
        .collect();
    let key = match &*key {
        [key] => quote!(#key),
        _ => quote!((#(#key),*)),
    };
    let merge = model.attrs.independent.as_ref().map(|_| {
        quote! {
            #[automatically_derived]
            impl #library::Merge for #ident {
                fn merge(
                    _: &Self,
                    _: &Self,
                    _: Self,
                ) -> #library::__private::Result<Self, #library::Unmergeable> #stub
            }
        }
    });
    let soft_delete = model.fields().any(model::Field::is_mark).then(|| {
        quote! {
            #[automatically_derived]
            impl #library::SoftDelete for #ident {}
        }
    });
    Some(quote! {
        #[automatically_derived]
        impl #library::Versioned for #ident {
            type Table = #table::table;
            type Key = #key;
            type Version = i32;
            type Converted = ();
            const TABLE: &'static str = "";
            const COLUMN_COUNT: usize = 0;
            const KEY_COUNT: usize = 0;
            const VERSION_COLUMNS: #library::ColumnSet = #library::ColumnSet::EMPTY;
            const INSERTABLE: #library::ColumnSet = #library::ColumnSet::EMPTY;
            const UPDATABLE: #library::ColumnSet = #library::ColumnSet::EMPTY;
            fn table() -> Self::Table #stub
            fn column(_: usize) -> #library::Column #stub
            fn key_column(_: usize) -> usize #stub
            fn key(&self) -> Self::Key #stub
            fn copy_key(&mut self, _: &Self) #stub
            fn version(&self) -> Self::Version #stub
            fn set_version(&mut self, _: Self::Version) #stub
            fn changed(&self, _: &Self) -> #library::ColumnSet #stub
            fn column_value(&self, _: usize) -> #library::ColumnValue<'_> #stub
            fn converted(&self) -> Self::Converted #stub
        }

        #merge
        #soft_delete

        #[automatically_derived]
        impl<__DB: #library::__private::diesel::backend::Backend> #library::Bind<__DB> for #ident {
            fn bind<'b>(
                &'b self,
                _: &'b Self::Converted,
                _: usize,
                _: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> #stub
            fn bind_key<'b>(
                _: &'b Self::Key,
                _: usize,
                _: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> #stub
            fn bind_version<'b>(
                _: &'b Self::Version,
                _: usize,
                _: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> #stub
        }
    })
}

/// In place of `#[derive(VersionedPart)]`.
pub(crate) fn part_stub(input: &DeriveInput, model: &Model<'_>) -> Option<TokenStream> {
    if !has_stub(input, model) {
        return None;
    }
    let (library, ident) = (&model.library, model.ident);
    let stub = quote!({ loop {} });
    Some(quote! {
        #[automatically_derived]
        impl #library::VersionedPart for #ident {
            type Converted = ();
            const COLUMN_COUNT: usize = 0;
            const INSERTABLE: #library::ColumnSet = #library::ColumnSet::EMPTY;
            const UPDATABLE: #library::ColumnSet = #library::ColumnSet::EMPTY;
            fn column(_: usize) -> #library::Column #stub
            fn changed(&self, _: &Self) -> #library::ColumnSet #stub
            fn column_value(&self, _: usize) -> #library::ColumnValue<'_> #stub
            fn converted(&self) -> Self::Converted #stub
        }

        #[automatically_derived]
        impl<__DB: #library::__private::diesel::backend::Backend> #library::BindPart<__DB>
            for #ident
        {
            fn bind<'b>(
                &'b self,
                _: &'b Self::Converted,
                _: usize,
                _: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> #stub
        }
    })
}

/// A stub needs a struct, and no parameters: their bounds would be guesses.
fn has_stub(input: &DeriveInput, model: &Model<'_>) -> bool {
    model::fields(input).is_some() && model.generics.params.is_empty()
}
