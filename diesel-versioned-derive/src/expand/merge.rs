//! `impl Merge`, for entities that declare independent columns.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::columns::position;
use crate::model::Field;
use crate::validate::Entity;

impl Entity<'_> {
    pub(crate) fn merge(&self) -> Option<TokenStream> {
        let model = self.model;
        let listed = &model.attrs.independent.as_ref()?.value;
        let (library, ident) = (&model.library, model.ident);
        let (impl_generics, ty_generics, _) = model.generics.split_for_impl();
        let data = model.columns.iter().enumerate();
        let own: Vec<_> = data
            .filter(|(index, field)| self.is_data(*index) && field.updates())
            .collect();
        let parts = model.parts.iter().enumerate();
        let parts: Vec<_> = parts.filter(|(_, part)| part.updates()).collect();

        let cloned = own.iter().chain(&parts).map(|(_, field)| field.ty);
        let cloned = cloned
            .filter(|ty| model.is_generic(ty))
            .map(|ty| quote!(#ty: #library::__private::Clone));
        let where_clause = model.where_clause(self.predicates().into_iter().chain(cloned));

        let independent = listed
            .iter()
            .filter_map(|name| model.position(name))
            .map(position);
        let listed_parts = listed.iter().filter_map(|name| model.part(name));
        let listed_parts = listed_parts.map(|index| {
            let part = self.part_set(index);
            quote!(.or(#part))
        });
        let wholes = parts.iter().map(|(index, _)| self.part_set(*index));
        let take_own = own.iter().map(|(index, field)| {
            let index = position(*index);
            let take = self.take(field);
            quote!(if __mine_only.contains(#index) { #take })
        });
        let take_parts = parts.iter().map(|(index, part)| {
            let (set, take) = (self.part_set(*index), self.take(part));
            quote!(if !__mine_only.and(#set).is_empty() { #take })
        });
        // A part is taken whole, so what is unguarded or generated in it is set right afterwards.
        let unguarded =
            model.columns.iter().any(|field| field.is_unguarded()) || !model.parts.is_empty();
        let keep_current = unguarded
            .then(|| quote!(let __current = #library::__private::Clone::clone(&__theirs);));
        let take_unguarded = unguarded.then(|| {
            quote! {
                #library::__private::take_unmerged(&mut __theirs, __base, __mine, &__current);
            }
        });
        Some(quote! {
            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics #library::Merge for #ident #ty_generics #where_clause {
                fn merge(
                    __base: &Self,
                    __mine: &Self,
                    mut __theirs: Self,
                ) -> #library::__private::Result<Self, #library::Unmergeable> {
                    let __mine_only = #library::__private::independent(
                        __base,
                        __mine,
                        &__theirs,
                        #library::__private::column_set(&[#(#independent),*]) #(#listed_parts)*,
                        &[#(#wholes),*],
                    )?;
                    #keep_current
                    #(#take_own)*
                    #(#take_parts)*
                    #take_unguarded
                    #library::__private::Ok(__theirs)
                }
            }
        })
    }

    /// The columns of the part at `index`.
    fn part_set(&self, index: usize) -> impl ToTokens {
        let model = self.model;
        let library = &model.library;
        let offset = model.offset(index);
        let count = model.parts.get(index).map(|part| {
            let ty = part.ty;
            quote!(<#ty as #library::VersionedPart>::COLUMN_COUNT)
        });
        quote!(#library::__private::part_columns(#offset, #count))
    }

    /// Takes my value of a field.
    fn take(&self, field: &Field<'_>) -> TokenStream {
        let (member, mine) = (&field.member, quote!(__mine));
        let copy = self.model.copied_value(field, &mine);
        quote!(__theirs.#member = #copy;)
    }
}
