//! `impl VersionedPart` and `impl BindPart`.

use proc_macro2::TokenStream;
use quote::quote;

use super::columns::Writes;
use crate::model::Model;

/// `#[derive(VersionedPart)]`
pub(crate) fn part(model: &Model<'_>) -> TokenStream {
    let versioned_part = versioned_part(model);
    let bind_part = bind_part(model);
    let content_part = model.content_part();
    let check = model.check_backends();
    quote!(#versioned_part #bind_part #content_part #check)
}

fn versioned_part(model: &Model<'_>) -> TokenStream {
    let (library, ident) = (&model.library, model.ident);
    let (impl_generics, ty_generics, _) = model.generics.split_for_impl();
    let where_clause = model.where_clause(predicates(model));
    let converted_type = model.converted_type();
    let column_count = model.column_count();
    let inserts = model.data_columns(Writes::Inserts, |_| true);
    let updates = model.data_columns(Writes::Updates, |_| true);
    let insertable = model.column_set(inserts, Writes::Inserts);
    let updatable = model.column_set(updates, Writes::Updates);
    let role_consts = model.role_consts();
    let guard_consts = model.part_guard_consts();
    let column_fn = model.column_fn(true, |_, field| model.data_role(field));
    let changed_fn = model.changed_fn(|_| true);
    let take_columns_fn = model.take_columns_fn(|_| true);
    let column_value_fn = model.column_value_fn();
    let converted_fn = model.converted_fn();
    quote! {
        #[automatically_derived]
        #[allow(unused_qualifications)]
        impl #impl_generics #library::VersionedPart for #ident #ty_generics #where_clause {
            type Converted = #converted_type;

            const COLUMN_COUNT: usize = #column_count;
            const INSERTABLE: #library::ColumnSet = #insertable;
            const UPDATABLE: #library::ColumnSet = #updatable;
            #role_consts
            #guard_consts

            #column_fn
            #changed_fn
            #take_columns_fn
            #column_value_fn
            #converted_fn
        }
    }
}

fn bind_part(model: &Model<'_>) -> TokenStream {
    let (library, ident) = (&model.library, model.ident);
    let generics = model.backend_generics();
    let (impl_generics, ..) = generics.split_for_impl();
    let (_, ty_generics, _) = model.generics.split_for_impl();
    let predicates = predicates(model).chain(model.backend_predicates());
    let where_clause = model.where_clause(predicates);
    let bind_fn = model.bind_fn();
    quote! {
        #[automatically_derived]
        #[allow(unused_qualifications)]
        impl #impl_generics #library::BindPart<__DB> for #ident #ty_generics #where_clause {
            #bind_fn
        }
    }
}

/// What a part asks of its parameters. An entity lives as long as anybody likes, so its parts do.
fn predicates(model: &Model<'_>) -> impl Iterator<Item = TokenStream> {
    let columns = model.columns.iter().map(|field| field.ty);
    let generic = columns.filter(|ty| model.is_generic(ty));
    let lasting = generic.map(|ty| quote!(#ty: 'static));
    model
        .generic_predicates(|_| true, |_| true)
        .into_iter()
        .chain(lasting)
}
