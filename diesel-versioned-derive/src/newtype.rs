//! `#[derive(VersionValue)]`: a type of one's own around a version.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, GenericParam, LitStr, Member, Path, parse_quote};

/// `#[derive(VersionValue)]`
pub(crate) fn version_value(input: &DeriveInput) -> TokenStream {
    expand(input).unwrap_or_else(Error::into_compile_error)
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let ident = &input.ident;
    let (member, field) = only_field(input)?;
    let lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    if let Some(param) = input.generics.params.iter().find(|param| lifetime(param)) {
        let message = "a version owns its value; remove the lifetime";
        return Err(Error::new_spanned(param, message));
    }
    let (inner, library) = (&field.ty, library(input)?);
    let mut generics = input.generics.clone();
    let bound = parse_quote!(#inner: #library::VersionValue);
    generics.make_where_clause().predicates.push(bound);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics #library::version::VersionNewtype for #ident #type_generics #where_clause {
            type Inner = #inner;

            fn of(__inner: Self::Inner) -> Self {
                Self { #member: __inner }
            }

            fn inner(&self) -> &Self::Inner {
                &self.#member
            }
        }
    })
}

fn only_field(input: &DeriveInput) -> syn::Result<(Member, &Field)> {
    if let Data::Struct(data) = &input.data {
        let mut fields = data.fields.members().zip(&data.fields);
        if let (Some(field), None) = (fields.next(), fields.next()) {
            return Ok(field);
        }
    }
    let message = format!(
        "derive `VersionValue` on a struct with one field, the version inside of it, or implement it \
         for `{}`",
        input.ident
    );
    Err(Error::new_spanned(&input.ident, message))
}

/// `::diesel_versioned` unless `#[versioned(crate = "…")]`.
fn library(input: &DeriveInput) -> syn::Result<Path> {
    let mut library = parse_quote!(::diesel_versioned);
    for attr in input
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("versioned"))
    {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("`VersionValue` knows `#[versioned(crate = \"…\")]` alone"));
            }
            library = meta.value()?.parse::<LitStr>()?.parse()?;
            Ok(())
        })?;
    }
    Ok(library)
}
