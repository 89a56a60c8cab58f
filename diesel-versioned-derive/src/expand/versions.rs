//! Several versions, those of groups: a tuple of them, each of which moves by itself.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Member;

use super::columns::position;
use crate::validate::Entity;

impl Entity<'_> {
    /// The same where there are several.
    pub(super) fn versions_fns(&self) -> TokenStream {
        let (model, library) = (self.model, &self.model.library);
        let versions = || self.versions.iter().enumerate();
        let copies = versions().map(|(_, version)| {
            let field = version.field;
            model.copied_value(field, &quote!(self))
        });
        let sets = versions().map(|(part, version)| {
            let (member, part) = (&version.field.member, Member::from(part));
            quote!(self.#member = __version.#part;)
        });
        let differ = versions().map(|(part, version)| {
            let (index, part) = (position(version.position), Member::from(part));
            quote!(.with_if(#index, __one.#part != __other.#part))
        });
        let texts = versions().map(|(_, version)| {
            let (index, member) = (position(version.position), &version.field.member);
            quote!(#index => #library::VersionValue::to_text(&self.#member),)
        });
        let from_texts = versions().map(|(_, version)| {
            let (index, member) = (position(version.position), &version.field.member);
            quote! {
                #index => match #library::VersionValue::from_text(__text) {
                    #library::__private::Option::Some(__version) => {
                        self.#member = __version;
                        true
                    }
                    #library::__private::Option::None => false,
                },
            }
        });
        let initials = versions().map(|(_, version)| self.initial_value(version));
        let nexts = versions().map(|(part, version)| {
            let (index, part) = (position(version.position), Member::from(part));
            let next = self.next_value(version);
            quote! {
                if __moving.contains(#index) {
                    __next.#part = #next?;
                }
            }
        });
        let moment = self.version_moment_fn();
        let shapes = versions().map(|(_, version)| {
            let (index, ty) = (position(version.position), version.field.ty);
            let shape = match self.precision(version.field) {
                Some(precision) => quote!(#precision.shape()),
                None => quote!(<#ty as #library::VersionValue>::shape()),
            };
            quote!(#index => #shape,)
        });
        quote! {
            fn version(&self) -> Self::Version {
                (#(#copies),*)
            }

            fn set_version(&mut self, __version: Self::Version) {
                #(#sets)*
            }

            fn versions_differ(
                __one: &Self::Version,
                __other: &Self::Version,
            ) -> #library::ColumnSet {
                #library::ColumnSet::EMPTY #(#differ)*
            }

            fn version_text(&self, __column: usize) -> #library::__private::String {
                match __column {
                    #(#texts)*
                    _ => #library::__private::String::new(),
                }
            }

            fn set_version_text(&mut self, __column: usize, __text: &str) -> bool {
                match __column {
                    #(#from_texts)*
                    _ => false,
                }
            }

            fn initial_version(
                __moment: &#library::version::Moment,
            ) -> #library::__private::Result<Self::Version, #library::version::NoVersion> {
                #library::__private::Ok((#(#initials?),*))
            }

            fn next_version(
                &self,
                __moment: &#library::version::Moment,
                __moving: #library::ColumnSet,
            ) -> #library::__private::Result<Self::Version, #library::version::NoVersion> {
                let mut __next = #library::Versioned::version(self);
                #(#nexts)*
                #library::__private::Ok(__next)
            }

            #moment

            fn version_shape(__column: usize) -> #library::schema_check::Shape {
                match __column {
                    #(#shapes)*
                    _ => #library::schema_check::Shape::Other,
                }
            }
        }
    }
}
