//! What the guard compares: the groups of the columns, and what was loaded where there is no version.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::columns::{located, path_at, position};
use crate::attr::CheckKind;
use crate::model::{Field, Model};
use crate::validate::Entity;

impl Entity<'_> {
    /// `const GROUPS`, `const CHECK` and `const CHECKED`, where they say something.
    pub(super) fn guard_consts(&self) -> TokenStream {
        let groups = self.groups_const();
        let check = self.check_consts();
        quote!(#groups #check)
    }

    fn groups_const(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        let groups = self.versions.iter().filter_map(|version| {
            let name = version.field.attrs.version_group.as_ref()?.value.value();
            let (version, columns) = (position(version.position), self.columns_in(&name));
            Some(quote!(#library::VersionGroup::new(#name, #version, #columns)))
        });
        let groups: Vec<_> = groups.collect();
        (!groups.is_empty())
            .then(|| quote!(const GROUPS: &'static [#library::VersionGroup] = &[#(#groups),*];))
    }

    /// The columns of a group, those of parts among them.
    fn columns_in(&self, group: &str) -> TokenStream {
        let (model, library) = (self.model, &self.model.library);
        let is_in = |field: &Field<'_>| {
            let given = field.attrs.group.as_ref();
            given.is_some_and(|given| given.value.value() == group)
        };
        let own = model.columns.iter().enumerate();
        let own = own.filter(|(_, field)| is_in(field));
        let own = own.map(|(index, _)| position(index));
        let parts = model.parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| is_in(part)).map(|(index, part)| {
            let (offset, set) = (model.offset(index), model.part_item(part, "UPDATABLE"));
            quote!(.with_part(#offset, #set))
        });
        quote!(#library::__private::column_set(&[#(#own),*]) #(#parts)*)
    }

    fn check_consts(&self) -> Option<TokenStream> {
        let (model, library) = (self.model, &self.model.library);
        let check = match model.attrs.check.as_ref()?.value {
            CheckKind::Changed => quote!(Changed),
            CheckKind::All | CheckKind::Hash => quote!(All),
        };
        let own = model.columns.iter().enumerate();
        let own = own.filter(|(index, field)| self.is_data(*index) && is_checked(field));
        let own = own.map(|(index, _)| position(index));
        let parts = model.parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| is_checked(part));
        let parts = parts.map(|(index, part)| {
            let offset = model.offset(index);
            let [count, unguarded, unchecked, inexact] =
                ["COLUMN_COUNT", "UNGUARDED", "UNCHECKED", "INEXACT"]
                    .map(|item| model.part_item(part, item));
            quote! {
                .with_part(
                    #offset,
                    #library::__private::exact_part(#count, #inexact)
                        .without(#unguarded)
                        .without(#unchecked),
                )
            }
        });
        Some(quote! {
            const CHECK: #library::Check = #library::Check::#check;
            const CHECKED: #library::ColumnSet =
                #library::__private::column_set(&[#(#own),*]) #(#parts)*;
        })
    }

    /// Shows at its field that a column cannot be compared for certain.
    pub(super) fn check_exact(&self) -> Option<TokenStream> {
        let (model, library) = (self.model, &self.model.library);
        model.attrs.check.as_ref()?;
        let columns = model.columns.iter().enumerate();
        let checked = columns.filter(|(index, field)| self.is_data(*index) && is_checked(field));
        let asserts = checked.map(|(_, field)| {
            let span = located(field.span);
            let (library, probe) = (path_at(library, span), model.probe(field));
            quote_spanned! {span=>
                const _: () = #library::__private::assert_exact(#probe::EXACT);
            }
        });
        Some(quote! {
            #[allow(unused_qualifications)]
            const _: () = {
                use #library::__private::Comparison as _;
                #(#asserts)*
            };
        })
    }
}

impl Model<'_> {
    /// `const UNCHECKED` and `const INEXACT` of a part.
    pub(super) fn part_guard_consts(&self) -> TokenStream {
        let library = &self.library;
        let own = self.columns.iter().enumerate();
        let unchecked = own.clone().filter(|(_, field)| !is_checked(field));
        let unchecked = unchecked.map(|(index, _)| position(index));
        let inexact = own.filter(|(_, field)| is_checked(field));
        let inexact = inexact.map(|(index, field)| {
            let (index, probe) = (position(index), self.probe(field));
            quote!(.with_if(#index, !#probe::EXACT))
        });
        let parts = self.parts.iter().enumerate();
        let (unchecked_parts, inexact_parts): (Vec<_>, Vec<_>) = parts
            .map(|(index, part)| {
                let offset = self.offset(index);
                let [count, unchecked, inexact] =
                    ["COLUMN_COUNT", "UNCHECKED", "INEXACT"].map(|item| self.part_item(part, item));
                if is_checked(part) {
                    (
                        quote!(.with_part(#offset, #unchecked)),
                        Some(quote!(.with_part(#offset, #inexact))),
                    )
                } else {
                    let all = quote!(#library::__private::part_columns(0, #count));
                    (quote!(.with_part(#offset, #all)), None)
                }
            })
            .unzip();
        let inexact_parts = inexact_parts.into_iter().flatten();
        quote! {
            const UNCHECKED: #library::ColumnSet =
                #library::__private::column_set(&[#(#unchecked),*]) #(#unchecked_parts)*;
            const INEXACT: #library::ColumnSet = {
                #[allow(unused_imports)]
                use #library::__private::Comparison as _;
                #library::ColumnSet::EMPTY #(#inexact)* #(#inexact_parts)*
            };
        }
    }
}

/// Whether a guard may compare the column.
fn is_checked(field: &Field<'_>) -> bool {
    field.attrs.unchecked.is_none() && !field.is_unguarded()
}
