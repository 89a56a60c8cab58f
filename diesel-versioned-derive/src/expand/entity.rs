//! `impl Versioned` and `impl Bind`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{GenericArgument, Member, PathArguments, TypePath};

use super::columns::{Writes, position};
use super::version_check::required_kinds;
use crate::model::{Field, Model};
use crate::validate::Entity;

/// `#[derive(Versioned)]`
pub(crate) fn entity(entity: &Entity<'_>) -> TokenStream {
    let versioned = entity.versioned();
    let bind = entity.bind();
    let check = entity.check_versions();
    let check_exact = entity.check_exact();
    let check_touches = entity.check_touches();
    let content_hashed = entity.content_hashed();
    let check_columns = entity
        .model
        .parts
        .first()
        .and_then(|_| entity.check_columns());
    let check_backends = entity.model.check_backends();
    let merge = entity.merge();
    let soft_delete = entity.soft_delete();
    quote!(#versioned #bind #merge #soft_delete #content_hashed #check #check_exact #check_touches #check_columns #check_backends)
}

impl Entity<'_> {
    fn versioned(&self) -> TokenStream {
        let model = self.model;
        let (library, table, ident) = (&model.library, &model.table, model.ident);
        let (impl_generics, ty_generics, _) = model.generics.split_for_impl();
        let where_clause = model.where_clause(self.predicates());
        let is_data = |index| self.is_data(index);
        let inserts = model.data_columns(Writes::Inserts, |_| true);
        let updates = model.data_columns(Writes::Updates, is_data);

        let (key_type, version_type) = (self.key_type(), self.version_type());
        let converted_type = model.converted_type();
        let name = table_name(model);
        let column_count = model.column_count();
        let key_count = position(self.key.len());
        let version_columns = self.version_columns();
        let insertable = model.column_set(inserts, Writes::Inserts);
        let updatable = model.column_set(updates, Writes::Updates);
        let role_consts = self.role_consts();
        let guard_consts = self.guard_consts();
        let tag_fn = self.tag_fn();
        let column_fn = model.column_fn(model.attrs.check.is_some(), |index, field| {
            self.role(index, field)
        });
        let key_columns = self.key.iter().map(|part| position(part.position));
        let key_fns = self.key_fns();
        let version_fns = self.version_fns();
        let mark_const = self.mark_const();
        let mark_fns = self.mark_fns();
        let declared_fn = self.declared_fn();
        let changed_fn = model.changed_fn(is_data);
        let take_columns_fn = model.take_columns_fn(is_taken);
        let column_value_fn = model.column_value_fn();
        let converted_fn = model.converted_fn();
        let parents_fn = parents_fn(model);
        let touches_const = self.touches_const();
        let touches_fns = self.touches_fns();
        quote! {
            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics #library::Versioned for #ident #ty_generics #where_clause {
                type Table = #table::table;
                type Key = #key_type;
                type Version = #version_type;
                type Converted = #converted_type;

                const TABLE: &'static str = #name;
                const COLUMN_COUNT: usize = #column_count;
                const KEY_COUNT: usize = #key_count;
                const VERSION_COLUMNS: #library::ColumnSet = #version_columns;
                const INSERTABLE: #library::ColumnSet = #insertable;
                const UPDATABLE: #library::ColumnSet = #updatable;
                #role_consts
                #guard_consts
                #mark_const
                #touches_const

                fn table() -> Self::Table {
                    #table::table
                }

                #column_fn

                fn key_column(__part: usize) -> usize {
                    #library::__private::at(&[#(#key_columns),*], __part)
                }

                #key_fns
                #tag_fn
                #version_fns
                #mark_fns
                #declared_fn
                #changed_fn
                #take_columns_fn
                #column_value_fn
                #converted_fn
                #parents_fn
                #touches_fns
            }
        }
    }

    /// What is said of the columns of a role, where there may be some, and of a version that the
    /// database makes.
    fn role_consts(&self) -> TokenStream {
        let (model, library) = (self.model, &self.model.library);
        let is_data = |index| self.is_data(index);
        let by_database = self.is_made_by_database();
        let unguarded = model.role_set(Writes::Unguarded, is_data).map(|set| {
            if by_database {
                quote!(#library::__private::no_unguarded(#set))
            } else {
                set
            }
        });
        let unguarded = unguarded.into_iter();
        let generated = model.role_set(Writes::Generated, is_data).into_iter();
        let by_database = by_database.then(|| quote!(true)).into_iter();
        let wraps = self.wrapping_versions().into_iter();
        quote! {
            #(const UNGUARDED: #library::ColumnSet = #unguarded;)*
            #(const GENERATED: #library::ColumnSet = #generated;)*
            #(const VERSION_BY_DATABASE: bool = #by_database;)*
            #(const VERSION_WRAPS: #library::ColumnSet = #wraps;)*
        }
    }

    fn bind(&self) -> TokenStream {
        let model = self.model;
        let (library, ident) = (&model.library, model.ident);
        let generics = model.backend_generics();
        let (impl_generics, ..) = generics.split_for_impl();
        let (_, ty_generics, _) = model.generics.split_for_impl();
        let predicates = self
            .predicates()
            .into_iter()
            .chain(model.backend_predicates());
        let where_clause = model.where_clause(predicates);
        let bind_fn = model.bind_fn();
        let keys = self.key_fields().enumerate().map(|(part, field)| {
            let value = if self.key.len() == 1 {
                quote!(__key)
            } else {
                let member = Member::from(part);
                quote!(&__key.#member)
            };
            let (part, push) = (position(part), model.push(field));
            quote!(#part => __out.#push(#value),)
        });
        let bind_version = self.bind_version_fn();
        quote! {
            #[automatically_derived]
            #[allow(unused_qualifications)]
            impl #impl_generics #library::Bind<__DB> for #ident #ty_generics #where_clause {
                #bind_fn

                fn bind_key<'b>(
                    __key: &'b Self::Key,
                    __part: usize,
                    __out: &mut #library::__private::Pass<'_, 'b, __DB>,
                ) -> #library::__private::diesel::QueryResult<()> {
                    match __part {
                        #(#keys)*
                        _ => #library::__private::no_column(__part),
                    }
                }

                #bind_version
            }
        }
    }

    /// Counts the columns where the struct is, not where it is first used.
    fn check_columns(&self) -> Option<TokenStream> {
        let (library, ident) = (&self.model.library, self.model.ident);
        let is_generic = !self.model.generics.params.is_empty();
        (!is_generic).then(|| {
            quote! {
                #[allow(unused_qualifications)]
                const _: usize = <#ident as #library::Versioned>::COLUMN_COUNT;
                #[allow(unused_qualifications)]
                const _: #library::ColumnSet = <#ident as #library::Versioned>::UNGUARDED;
                #[allow(unused_qualifications)]
                const _: #library::ColumnSet = <#ident as #library::Versioned>::CHECKED;
            }
        })
    }

    pub(crate) fn predicates(&self) -> Vec<TokenStream> {
        let model = self.model;
        if model.generics.type_params().next().is_none() {
            return Vec::new();
        }
        let library = &model.library;
        let mut predicates = vec![quote! {
            Self: #library::CloneEntity
                + #library::__private::Send
                + #library::__private::Sync
                + 'static
        }];
        predicates.extend(model.generic_predicates(|index| self.is_data(index), is_taken));
        let key = self.key_type();
        if model.is_generic(&key) {
            predicates.push(quote!(#key: #library::EntityKey));
        }
        if let Some(mark) = &self.mark
            && model.is_generic(mark.field.ty)
        {
            let mark = mark.field.ty;
            predicates.push(quote!(#mark: #library::version::DeletionMark));
        }
        for version in &self.versions {
            let ty = version.field.ty;
            if model.is_generic(ty) {
                predicates.push(quote!(#ty: #library::VersionValue));
                for kind in required_kinds(version.field) {
                    predicates.push(quote!(#ty: #library::version::#kind));
                }
            }
        }
        predicates
    }

    pub(crate) fn is_data(&self, index: usize) -> bool {
        !self.is_version(index) && !self.is_key(index)
    }

    fn role(&self, index: usize, field: &Field<'_>) -> TokenStream {
        let library = &self.model.library;
        if self.is_version(index) {
            quote!(#library::Role::Version)
        } else if self.is_key(index) {
            let insert = field.inserts();
            quote!(#library::Role::Key { insert: #insert })
        } else {
            self.model.data_role(field)
        }
    }

    fn key_fields(&self) -> impl Iterator<Item = &Field<'_>> {
        self.key.iter().map(|part| part.field)
    }

    pub(super) fn is_key(&self, index: usize) -> bool {
        self.key.iter().any(|part| part.position == index)
    }

    fn key_type(&self) -> TokenStream {
        tuple(self.key_fields().map(Field::sent_type))
    }

    fn key_fns(&self) -> TokenStream {
        let key = tuple(self.key_fields().map(|field| self.model.sent_value(field)));
        let copies = self.key_fields().map(|field| {
            let (member, copy) = (
                &field.member,
                self.model.copied_value(field, &quote!(__from)),
            );
            quote!(self.#member = #copy;)
        });
        let key_from_text = self.key_from_text_fn();
        quote! {
            fn key(&self) -> Self::Key {
                #key
            }

            fn copy_key(&mut self, __from: &Self) {
                #(#copies)*
            }

            #key_from_text
        }
    }

    /// `fn key_from_text`, where the database makes the key.
    fn key_from_text_fn(&self) -> Option<TokenStream> {
        let [part] = &*self.key else { return None };
        let library = &self.model.library;
        let key = part.field.sent_type();
        (!part.field.inserts()).then(|| {
            quote! {
                fn key_from_text(
                    __text: &str,
                ) -> #library::__private::Option<Self::Key> {
                    #[allow(unused_imports)]
                    use #library::__private::NoKeyText as _;
                    #library::__private::KeyText::<#key>::new().read(__text)
                }
            }
        })
    }
}

/// Whether a field's value is taken over from another state of the row.
fn is_taken(field: &Field<'_>) -> bool {
    field.is_unguarded() || field.is_generated() || field.is_mark()
}

/// One value alone, several as a tuple.
pub(super) fn tuple<T: quote::ToTokens>(values: impl Iterator<Item = T>) -> TokenStream {
    let values: Vec<_> = values.collect();
    match &*values {
        [value] => quote!(#value),
        _ => quote!((#(#values),*)),
    }
}

/// The table's name, as messages show it.
fn table_name(model: &Model<'_>) -> String {
    let last = model.table.segments.last();
    last.map(|segment| segment.ident.unraw().to_string())
        .unwrap_or_default()
}

/// `fn parents`, for the entities that `belongs_to` names; one that borrows is no entity.
fn parents_fn(model: &Model<'_>) -> Option<TokenStream> {
    let library = &model.library;
    let owned = |parent: &&TypePath| !has_lifetime(parent);
    let parents = model.attrs.belongs_to.iter();
    let parents = parents.map(|belongs_to| &belongs_to.parent);
    let parents: Vec<_> = parents.filter(owned).collect();
    (!parents.is_empty()).then(|| {
        quote! {
            fn parents() -> #library::__private::Vec<#library::__private::TypeId> {
                #library::__private::vec([
                    #(#library::__private::TypeId::of::<#parents>()),*
                ])
            }
        }
    })
}

fn has_lifetime(path: &TypePath) -> bool {
    path.path
        .segments
        .iter()
        .any(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments
                .args
                .iter()
                .any(|argument| matches!(argument, GenericArgument::Lifetime(_))),
            PathArguments::None | PathArguments::Parenthesized(_) => false,
        })
}
