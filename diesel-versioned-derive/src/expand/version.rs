//! The versions: how they begin, what follows them, and how they are bound.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Member;

use super::columns::position;
use super::entity::tuple;
use crate::attr::{Precision, UuidKind};
use crate::model::Field;
use crate::validate::{Entity, Placed};

impl Entity<'_> {
    pub(super) fn is_version(&self, index: usize) -> bool {
        self.versions
            .iter()
            .any(|version| version.position == index)
    }

    pub(super) fn is_made_by_database(&self) -> bool {
        let mut versions = self.versions.iter();
        versions.any(|version| version.field.attrs.by_database.is_some())
    }

    /// `type Version`
    pub(super) fn version_type(&self) -> TokenStream {
        let library = &self.model.library;
        if self.versions.is_empty() {
            return quote!(#library::version::ByContent);
        }
        tuple(self.versions.iter().map(|version| version.field.ty))
    }

    /// `const VERSION_COLUMNS`
    pub(super) fn version_columns(&self) -> TokenStream {
        let library = &self.model.library;
        let columns = self.versions.iter();
        let columns = columns.map(|version| position(version.position));
        quote!(#library::__private::column_set(&[#(#columns),*]))
    }

    /// What `impl Versioned` says of the versions.
    pub(super) fn version_fns(&self) -> TokenStream {
        let (model, library) = (self.model, &self.model.library);
        match &*self.versions {
            [] => quote! {
                fn version(&self) -> Self::Version {
                    #library::version::ByContent
                }

                fn set_version(&mut self, _: Self::Version) {}
            },
            [only] => {
                let member = &only.field.member;
                let version = model.copied_value(only.field, &quote!(self));
                let (initial, next) = (self.initial_version_fn(only), self.next_version_fn(only));
                let (moment, shape) = (self.version_moment_fn(), self.version_shape_fn(only));
                quote! {
                    fn version(&self) -> Self::Version {
                        #version
                    }

                    fn set_version(&mut self, __version: Self::Version) {
                        self.#member = __version;
                    }

                    #initial
                    #next
                    #moment
                    #shape
                }
            }
            _ => self.versions_fns(),
        }
    }

    /// `fn bind_version`
    pub(super) fn bind_version_fn(&self) -> TokenStream {
        let (model, library) = (self.model, &self.model.library);
        let (version, column, out, body) = match &*self.versions {
            [] => {
                let body = quote!(#library::__private::no_column(__column));
                (quote!(_), quote!(__column), quote!(_), body)
            }
            [only] => {
                let push = model.push(only.field);
                let body = quote!(__out.#push(__version));
                (quote!(__version), quote!(_), quote!(__out), body)
            }
            versions => {
                let binds = versions.iter().enumerate().map(|(part, version)| {
                    let (index, part) = (position(version.position), Member::from(part));
                    let push = model.push(version.field);
                    quote!(#index => __out.#push(&__version.#part),)
                });
                let body = quote! {
                    match __column {
                        #(#binds)*
                        _ => #library::__private::no_column(__column),
                    }
                };
                (quote!(__version), quote!(__column), quote!(__out), body)
            }
        };
        quote! {
            fn bind_version<'b>(
                #version: &'b Self::Version,
                #column: usize,
                #out: &mut #library::__private::Pass<'_, 'b, __DB>,
            ) -> #library::__private::diesel::QueryResult<()> {
                #body
            }
        }
    }

    /// `const VERSION_WRAPS`, where there are some.
    pub(super) fn wrapping_versions(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        let versions = self.versions.iter();
        let wraps = versions.filter(|version| version.field.attrs.wrap.is_some());
        let wraps: Vec<_> = wraps.map(|version| position(version.position)).collect();
        (!wraps.is_empty()).then(|| quote!(#library::__private::column_set(&[#(#wraps),*])))
    }

    /// `fn version_moment`, where an option says something about it.
    pub(super) fn version_moment_fn(&self) -> Option<TokenStream> {
        let library = &self.model.library;
        let moments = self.versions.iter().filter_map(|version| {
            let (index, moment) = (position(version.position), self.moment(version.field)?);
            Some(quote!(#index => #moment,))
        });
        let moments: Vec<_> = moments.collect();
        (!moments.is_empty()).then(|| {
            quote! {
                fn version_moment(
                    __moment: &#library::version::Moment,
                    __column: usize,
                ) -> #library::version::Moment {
                    match __column {
                        #(#moments)*
                        _ => #library::__private::Clone::clone(__moment),
                    }
                }
            }
        })
    }

    /// `fn version_shape`, where the precision is not the one of the type.
    fn version_shape_fn(&self, version: &Placed<'_>) -> Option<TokenStream> {
        let library = &self.model.library;
        let precision = self.precision(version.field)?;
        Some(quote! {
            fn version_shape(_: usize) -> #library::schema_check::Shape {
                #precision.shape()
            }
        })
    }

    /// `fn initial_version`, where an option says something about it.
    fn initial_version_fn(&self, version: &Placed<'_>) -> Option<TokenStream> {
        let library = &self.model.library;
        let moment = match (&version.field.attrs.initial, self.moment(version.field)) {
            (Some(_), _) => quote!(_),
            (None, Some(_)) => quote!(__moment),
            (None, None) => return None,
        };
        let value = self.initial_value(version);
        Some(quote! {
            fn initial_version(
                #moment: &#library::version::Moment,
            ) -> #library::__private::Result<Self::Version, #library::version::NoVersion> {
                #value
            }
        })
    }

    /// `Result` of the initial version, made at `__moment`.
    pub(super) fn initial_value(&self, version: &Placed<'_>) -> TokenStream {
        let (library, field) = (&self.model.library, version.field);
        let ty = field.ty;
        match (&field.attrs.initial, self.moment(field)) {
            (Some(initial), _) => {
                let value = &initial.value;
                quote! {{
                    let __initial: #ty = #value;
                    #library::__private::Result::<#ty, #library::version::NoVersion>::Ok(__initial)
                }}
            }
            (None, Some(moment)) => {
                quote!(<#ty as #library::VersionValue>::initial(&#moment))
            }
            (None, None) => quote!(<#ty as #library::VersionValue>::initial(__moment)),
        }
    }

    /// `fn next_version`, where an option says something about it.
    fn next_version_fn(&self, version: &Placed<'_>) -> Option<TokenStream> {
        let (library, field) = (&self.model.library, version.field);
        if field.attrs.wrap.is_none() && self.moment(field).is_none() {
            return None;
        }
        let value = self.next_value(version);
        Some(quote! {
            fn next_version(
                &self,
                __moment: &#library::version::Moment,
                _: #library::ColumnSet,
            ) -> #library::__private::Result<Self::Version, #library::version::NoVersion> {
                #value
            }
        })
    }

    /// `Result` of the next version, made at `__moment`.
    pub(super) fn next_value(&self, version: &Placed<'_>) -> TokenStream {
        let (library, field) = (&self.model.library, version.field);
        let member = &field.member;
        let next = quote!(#library::VersionValue::next);
        match (&field.attrs.wrap, self.moment(field)) {
            (Some(_), _) => {
                let initial = self.initial_value(version);
                quote! {
                    #library::__private::wrapping(#next(&self.#member, __moment), || #initial)
                }
            }
            (None, Some(moment)) => quote!(#next(&self.#member, &#moment)),
            (None, None) => quote!(#next(&self.#member, __moment)),
        }
    }

    /// The moment as the options of a version want it, where they want something.
    fn moment(&self, field: &Field<'_>) -> Option<TokenStream> {
        if let Some(precision) = self.precision(field) {
            return Some(quote!(__moment.with_precision(#precision)));
        }
        match field.attrs.uuid.as_ref()?.value {
            UuidKind::V4 => Some(quote!(__moment.with_uuid_v4())),
            UuidKind::V7 => None,
        }
    }

    /// The precision that the attribute of a version names.
    pub(super) fn precision(&self, field: &Field<'_>) -> Option<TokenStream> {
        let precision = field.attrs.precision.as_ref()?.value;
        Some(self.precision_path(precision))
    }

    /// A precision as the library has it.
    pub(super) fn precision_path(&self, precision: Precision) -> TokenStream {
        let library = &self.model.library;
        let precision = match precision {
            Precision::Seconds => quote!(Seconds),
            Precision::Millis => quote!(Millis),
            Precision::Micros => quote!(Micros),
        };
        quote!(#library::version::Precision::#precision)
    }
}
