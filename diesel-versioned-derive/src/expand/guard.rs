//! What the guard compares: the groups of the columns, and what was loaded where there is no version.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

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
        let own = model.columns.iter().enumerate();
        let own = own.filter(|(_, field)| field.is_in_group(group));
        let own = own.map(|(index, _)| position(index));
        let parts = model.parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| part.is_in_group(group));
        let parts = parts.map(|(index, part)| {
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

    /// `const HAS_TAG` and `fn tag`, of an entity whose clients hold a hash.
    pub(super) fn tag_fn(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        self.model.is_hashed().then(|| {
            quote! {
                #library::__with_hash! {
                    const HAS_TAG: bool = true;

                    fn tag(&self) -> #library::__private::String {
                        #library::__private::hash_text(self)
                    }
                }
            }
        })
    }

    /// `impl ContentHashed`
    pub(super) fn content_hashed(&self) -> Option<TokenStream> {
        if !self.model.is_hashed() {
            return None;
        }
        let (model, library, ident) = (self.model, &self.model.library, self.model.ident);
        let (impl_generics, ty_generics, _) = model.generics.split_for_impl();
        let is_hashed = |index, field: &Field<'_>| self.is_key(index) || is_checked(field);
        let hashed = model.hashed(is_hashed);
        let where_clause = model.where_clause(self.predicates().into_iter().chain(hashed));
        let content = model.content_fn(is_hashed);
        Some(quote! {
            #library::__with_hash! {
                #[automatically_derived]
                #[allow(unused_qualifications)]
                impl #impl_generics #library::hash::ContentHashed for #ident #ty_generics #where_clause {
                    #content
                }
            }
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
    fn is_hashed(&self) -> bool {
        let check = self.attrs.check.as_ref();
        check.is_some_and(|check| check.value == CheckKind::Hash)
    }

    /// `impl ContentPart`
    pub(super) fn content_part(&self) -> Option<TokenStream> {
        if !self.is_hashed() {
            return None;
        }
        let (library, ident) = (&self.library, self.ident);
        let (impl_generics, ty_generics, _) = self.generics.split_for_impl();
        let is_hashed = |_, field: &Field<'_>| is_checked(field);
        let where_clause = self.where_clause(self.hashed(is_hashed));
        let content = self.content_fn(is_hashed);
        Some(quote! {
            #library::__with_hash! {
                #[automatically_derived]
                #[allow(unused_qualifications)]
                impl #impl_generics #library::hash::ContentPart for #ident #ty_generics #where_clause {
                    #content
                }
            }
        })
    }

    /// What generic fields must do to be hashed.
    fn hashed(&self, is_hashed: impl Fn(usize, &Field<'_>) -> bool) -> Vec<TokenStream> {
        let library = &self.library;
        let own = self.columns.iter().enumerate();
        let own = own.filter(|(index, field)| is_hashed(*index, field));
        own.filter(|(_, field)| self.is_generic(field.ty))
            .map(|(_, field)| {
                let ty = field.ty;
                quote!(#ty: #library::hash::ContentValue)
            })
            .collect()
    }

    /// `fn content`
    fn content_fn(&self, is_hashed: impl Fn(usize, &Field<'_>) -> bool) -> TokenStream {
        let library = &self.library;
        let own = self.columns.iter().enumerate();
        let own = own.filter(|(index, field)| is_hashed(*index, field));
        let own = own.map(|(_, field)| {
            let (path, member) = (self.column_path(field), &field.member);
            let span = located(field.ty.span());
            let column = quote_spanned!(span=> __content.column);
            quote! {
                #column(
                    <#path as #library::__private::diesel::Column>::NAME,
                    &self.#member,
                );
            }
        });
        let parts = self.parts.iter().filter(|part| is_checked(part));
        let parts = parts.map(|part| {
            let (member, ty) = (&part.member, part.ty);
            quote!(<#ty as #library::hash::ContentPart>::content(&self.#member, __content);)
        });
        quote! {
            fn content(&self, __content: &mut #library::hash::Content) {
                #(#own)*
                #(#parts)*
            }
        }
    }

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
    field.attrs.unchecked.is_none() && !field.is_unguarded() && !field.is_mark()
}
