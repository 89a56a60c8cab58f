//! The versions: how they begin, what follows them, and the checks of their columns and options.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Member};

use super::columns::{located, path_at, position};
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

    /// The same where there are several.
    fn versions_fns(&self) -> TokenStream {
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
    fn version_moment_fn(&self) -> Option<TokenStream> {
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
    fn initial_value(&self, version: &Placed<'_>) -> TokenStream {
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
    fn next_value(&self, version: &Placed<'_>) -> TokenStream {
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
    fn precision(&self, field: &Field<'_>) -> Option<TokenStream> {
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

    /// Shows at the field of a version that its column is nullable, or that an option is not for its
    /// type.
    pub(super) fn check_versions(&self) -> TokenStream {
        let versions = self.versions.iter();
        versions
            .map(|version| self.check_version(version.field))
            .collect()
    }

    fn check_version(&self, field: &Field<'_>) -> TokenStream {
        let model = self.model;
        let (library, column) = (&model.library, model.column_path(field));
        let span = located(field.span);
        let assert = quote_spanned!(span=> assert_version_column::<VersionColumn>());
        let ty = field.ty;
        let span = located(ty.span());
        let ident = model.ident;
        let made_here = quote_spanned!(span=> assert_made_here::<#ident>());
        let is_generic = !model.generics.params.is_empty();
        let made_here = (!is_generic && field.attrs.by_database.is_none())
            .then(|| quote!(#library::__private::#made_here;));
        let kinds = if model.is_generic(ty) {
            Vec::new()
        } else {
            required_kinds(field)
        };
        let kinds = kinds.into_iter().map(|mut kind| {
            kind.set_span(span);
            let library = path_at(library, span);
            quote_spanned! {span=>
                const fn has_kind<V: #library::version::#kind>() {}
                has_kind::<#ty>();
            }
        });
        quote! {
            #[allow(unused_qualifications)]
            const _: () = {
                type VersionColumn = #column;
                #made_here
                #library::__private::#assert
            };
            #(
                #[allow(unused_qualifications)]
                const _: () = { #kinds };
            )*
        }
    }
}

/// What the options of a version ask of its type.
pub(super) fn required_kinds(field: &Field<'_>) -> Vec<Ident> {
    let attrs = &field.attrs;
    let kinds = [
        attrs.wrap.as_ref().map(|_| "CountingVersion"),
        attrs.precision.as_ref().map(|_| "TimestampVersion"),
        attrs.uuid.as_ref().map(|_| "UuidVersion"),
    ];
    let kinds = kinds.into_iter().flatten();
    kinds
        .map(|kind| Ident::new(kind, Span::call_site()))
        .collect()
}
