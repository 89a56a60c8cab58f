//! The mark of deletion: what `impl Versioned` says of it, `impl SoftDelete`, and its checks.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::columns::{located, position};
use crate::attr::Precision;
use crate::validate::mark::is_bool;
use crate::validate::{Entity, option_argument};

impl Entity<'_> {
    /// `const MARK`, where there is one.
    pub(super) fn mark_const(&self) -> Option<TokenStream> {
        let mark = self.mark?;
        let (library, ty, index) = (&self.model.library, mark.field.ty, position(mark.position));
        Some(quote! {
            const MARK: #library::__private::Option<#library::MarkColumn> =
                #library::__private::Option::Some(#library::MarkColumn::new::<#ty>(#index));
        })
    }

    /// What `impl Versioned` says of the mark.
    pub(super) fn mark_fns(&self) -> Option<TokenStream> {
        let field = self.mark?.field;
        let (library, member, ty) = (&self.model.library, &field.member, field.ty);
        let mark = quote!(<#ty as #library::version::DeletionMark>);
        let given = field.attrs.mark_precision.as_ref();
        let moment = given.map_or(quote!(__moment), |given| {
            let precision = self.precision_path(given.value);
            quote!(&__moment.with_precision(#precision))
        });
        let precision = given.map_or(Precision::Micros, |given| given.value);
        let precision = self.precision_path(precision);
        Some(quote! {
            fn is_deleted(&self) -> bool {
                #mark::is_marked(&self.#member)
            }

            fn set_mark(
                &mut self,
                __moment: &#library::version::Moment,
            ) -> #library::__private::Result<(), #library::version::NoVersion> {
                self.#member = #mark::mark(#moment)?;
                #library::__private::Ok(())
            }

            fn remove_mark(&mut self) {
                self.#member = #mark::no_mark();
            }

            fn mark_shape() -> #library::schema_check::Shape {
                #mark::shape(#precision)
            }
        })
    }

    /// `impl SoftDelete`, and what shows at the field that its column cannot hold the mark.
    pub(super) fn soft_delete(&self) -> Option<TokenStream> {
        let (model, field) = (self.model, self.mark?.field);
        let (library, ident, column) = (&model.library, model.ident, model.column_path(field));
        let (impl_generics, ty_generics, _) = model.generics.split_for_impl();
        let where_clause = model.where_clause(self.predicates());
        let ty = field.ty;
        // Of a type of the user's own it is not known which columns can hold it.
        let is_known = is_bool(ty) || option_argument(ty).is_some();
        let check = (is_known && !model.is_generic(ty)).then(|| {
            let name = located(field.span);
            let fits = quote_spanned!(name=> assert_mark_column::<MarkColumn, #ty>());
            quote! {
                #[allow(unused_qualifications)]
                const _: () = {
                    type MarkColumn = #column;
                    #library::__private::#fits
                };
            }
        });
        Some(quote! {
            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics #library::SoftDelete for #ident #ty_generics #where_clause {}

            #check
        })
    }
}
