//! Where-clauses: what a generic entity asks of its parameters.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Ident;

use crate::model::{Field, Model};

impl Model<'_> {
    /// The struct's own where-clause and these predicates.
    pub(crate) fn where_clause(
        &self,
        predicates: impl IntoIterator<Item = TokenStream>,
    ) -> TokenStream {
        let own = self.generics.where_clause.as_ref();
        let own = own.into_iter().flat_map(|clause| &clause.predicates);
        let predicates = predicates.into_iter();
        quote!(where #(#own,)* #(#predicates,)*)
    }

    /// What the values of generic fields must do to be compared, converted and taken over.
    pub(crate) fn generic_predicates(
        &self,
        is_data: impl Fn(usize) -> bool,
        takes: impl Fn(&Field<'_>) -> bool,
    ) -> Vec<TokenStream> {
        let library = &self.library;
        let mut predicates = Vec::new();
        for (index, field) in self.columns.iter().enumerate() {
            let (ty, sent) = (field.ty, field.sent_type());
            if is_data(index) && self.is_generic(ty) {
                predicates.push(quote!(#ty: #library::__private::PartialEq));
            }
            if takes(field) && self.is_generic(ty) {
                predicates.push(quote!(#ty: #library::__private::Clone));
            }
            if field.attrs.serialize_as.is_some() && (self.is_generic(ty) || self.is_generic(sent))
            {
                predicates.push(quote! {
                    #ty: #library::__private::Clone + #library::__private::Into<#sent>
                });
                predicates.push(quote! {
                    #sent: #library::__private::Send + #library::__private::Sync
                });
            }
        }
        for part in self.parts.iter().filter(|part| self.is_generic(part.ty)) {
            let ty = part.ty;
            predicates.push(quote!(#ty: #library::VersionedPart));
        }
        predicates
    }

    /// Whether these tokens name one of the struct's type parameters.
    pub(crate) fn is_generic(&self, tokens: impl ToTokens) -> bool {
        let parameters: Vec<_> = self
            .generics
            .type_params()
            .map(|param| &param.ident)
            .collect();
        !parameters.is_empty() && names_one(tokens.into_token_stream(), &parameters)
    }
}

fn names_one(tokens: TokenStream, parameters: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => parameters.contains(&&ident),
        TokenTree::Group(group) => names_one(group.stream(), parameters),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
