//! What an entity and a part have in common: columns, sets of them, changes, conversions.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

use crate::model::{Field, Model};

/// Which columns a set has.
#[derive(Clone, Copy)]
pub(crate) enum Writes {
    Inserts,
    Updates,
    Unguarded,
    /// By the database.
    Generated,
}

impl Writes {
    fn has(self, field: &Field<'_>) -> bool {
        match self {
            Self::Inserts => field.inserts(),
            Self::Updates => field.updates(),
            Self::Unguarded => field.is_unguarded(),
            Self::Generated => field.is_generated(),
        }
    }
}

/// Tokens that are found where the user's derive stands and are reported at `span`.
pub(crate) fn located(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// A path as it was written, reported at `span`.
pub(crate) fn path_at(path: &Path, span: Span) -> TokenStream {
    let leading = path
        .leading_colon
        .map(|_| quote_spanned!(located(span)=> ::));
    let segments = path.segments.iter().map(|segment| {
        let mut ident = segment.ident.clone();
        ident.set_span(ident.span().located_at(span));
        ident
    });
    let separator = quote_spanned!(located(span)=> ::);
    let mut tokens = quote!(#leading);
    tokens.append_separated(segments, separator);
    tokens
}

/// A position without a type suffix.
pub(crate) fn position(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}

impl Model<'_> {
    /// `<Type as Trait>` for the type of a field; what is wrong with it is reported there.
    pub(crate) fn field_as(&self, field: &Field<'_>, of: impl ToTokens) -> TokenStream {
        let (ty, span) = (field.ty, located(field.ty.span()));
        let library = path_at(&self.library, span);
        quote_spanned!(span=> <#ty as #library::#of>)
    }

    /// An item of a part's trait, `COLUMN_COUNT` and the like. All are reported at the derive, so
    /// that the compiler tells only once that the type is no part.
    pub(crate) fn part_item(&self, part: &Field<'_>, item: &str) -> TokenStream {
        let (library, ty) = (&self.library, part.ty);
        let item = Ident::new(item, Span::call_site());
        quote!(<#ty as #library::VersionedPart>::#item)
    }

    /// The type of a column, `products::name`.
    pub(crate) fn column_path(&self, field: &Field<'_>) -> TokenStream {
        let (table, column) = (&self.table, &field.column_ident);
        quote!(#table::#column)
    }

    /// `Role::Data { … }` of a field that is neither key nor version.
    pub(crate) fn data_role(&self, field: &Field<'_>) -> TokenStream {
        let library = &self.library;
        let (insert, update) = (field.inserts(), field.updates());
        if field.is_unguarded() {
            return quote!(#library::Role::Unguarded { insert: #insert });
        }
        if field.is_generated() {
            return quote!(#library::Role::Generated);
        }
        if field.is_mark() {
            return quote!(#library::Role::SoftDelete { insert: #insert });
        }
        quote!(#library::Role::Data { insert: #insert, update: #update })
    }

    /// How many columns stand before the part at `index`: a constant expression. It has no
    /// `0 +`, which clippy finds in the user's code.
    pub(crate) fn offset(&self, index: usize) -> TokenStream {
        let own = Some(self.columns.len()).filter(|own| *own > 0 || index == 0);
        let own = own.map(position).into_iter().map(|own| quote!(#own));
        let parts = self.parts.iter().take(index);
        let before = parts.map(|part| self.part_item(part, "COLUMN_COUNT"));
        let terms = own.chain(before);
        quote!(#(#terms)+*)
    }

    /// What is known of comparing the values of a column.
    pub(crate) fn probe(&self, field: &Field<'_>) -> TokenStream {
        let (library, column) = (&self.library, self.column_path(field));
        quote!(<#library::__private::Probe<#library::__private::SqlTypeOf<#column>>>)
    }

    /// A position in the part at `index`, made from one in the whole.
    pub(crate) fn within(&self, index: usize, column: &TokenStream) -> TokenStream {
        if index == 0 && self.columns.is_empty() {
            return column.clone();
        }
        let offset = self.offset(index);
        quote!(#column - (#offset))
    }

    /// `const COLUMN_COUNT`
    pub(crate) fn column_count(&self) -> TokenStream {
        let library = &self.library;
        let count = self.offset(self.parts.len());
        if self.parts.is_empty() {
            return count;
        }
        quote!(#library::__private::column_count(#count))
    }

    /// The set of these own columns, and of the parts' columns.
    pub(crate) fn column_set(
        &self,
        own: impl IntoIterator<Item = usize>,
        writes: Writes,
    ) -> TokenStream {
        let library = &self.library;
        let own = own.into_iter().map(position);
        let parts = self.parts.iter().enumerate().filter_map(|(index, part)| {
            let (offset, set) = (self.offset(index), self.part_set(part, writes)?);
            Some(quote!(.with_part(#offset, #set)))
        });
        quote!(#library::__private::column_set(&[#(#own),*]) #(#parts)*)
    }

    /// The columns of a part that a set of `writes` has: what the entity says of the part as a
    /// whole is said of each of them.
    fn part_set(&self, part: &Field<'_>, writes: Writes) -> Option<TokenStream> {
        let set = |name| self.part_item(part, name);
        match writes {
            Writes::Inserts => part.inserts().then(|| set("INSERTABLE")),
            Writes::Updates => part.updates().then(|| set("UPDATABLE")),
            Writes::Unguarded if part.is_unguarded() => {
                let (updatable, unguarded) = (set("UPDATABLE"), set("UNGUARDED"));
                Some(quote!(#updatable.or(#unguarded)))
            }
            Writes::Unguarded => part.updates().then(|| set("UNGUARDED")),
            Writes::Generated if part.is_generated() => {
                let (library, count) = (&self.library, set("COLUMN_COUNT"));
                Some(quote!(#library::__private::part_columns(0, #count)))
            }
            Writes::Generated => Some(set("GENERATED")),
        }
    }

    /// The set of the columns of a role, where there may be some.
    pub(crate) fn role_set(
        &self,
        writes: Writes,
        is_data: impl Fn(usize) -> bool,
    ) -> Option<TokenStream> {
        let own = self.data_columns(writes, is_data);
        (!(own.is_empty() && self.parts.is_empty())).then(|| self.column_set(own, writes))
    }

    /// `const UNGUARDED` and `const GENERATED` of a part.
    pub(crate) fn role_consts(&self) -> TokenStream {
        let library = &self.library;
        let unguarded = self.role_set(Writes::Unguarded, |_| true);
        let unguarded = unguarded.into_iter();
        let generated = self.role_set(Writes::Generated, |_| true).into_iter();
        quote! {
            #(const UNGUARDED: #library::ColumnSet = #unguarded;)*
            #(const GENERATED: #library::ColumnSet = #generated;)*
        }
    }

    /// `fn take_columns`, of the own fields that `takes` has and of the parts, where there are any.
    pub(crate) fn take_columns_fn(
        &self,
        takes: impl Fn(&Field<'_>) -> bool,
    ) -> Option<TokenStream> {
        let library = &self.library;
        let columns = self.columns.iter().enumerate();
        let own = columns.filter(|(_, field)| takes(field));
        let own = own.map(|(index, field)| {
            let (member, index) = (&field.member, position(index));
            let copy = self.copied_value(field, &quote!(__from));
            quote!(if __columns.contains(#index) { self.#member = #copy; })
        });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, offset) = (&part.member, self.offset(index));
            let take = self.part_item(part, "take_columns");
            quote!(#take(&mut self.#member, &__from.#member, __columns.after(#offset));)
        });
        let takes: Vec<_> = own.chain(parts).collect();
        (!takes.is_empty()).then(|| {
            quote! {
                fn take_columns(&mut self, __from: &Self, __columns: #library::ColumnSet) {
                    #(#takes)*
                }
            }
        })
    }

    /// The own columns that a set of `writes` has, those that `is_data` leaves out aside.
    pub(crate) fn data_columns(
        &self,
        writes: Writes,
        is_data: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        columns
            .filter(|(index, field)| is_data(*index) && writes.has(field))
            .map(|(index, _)| index)
            .collect()
    }

    /// `fn column`
    ///
    /// `tells_text` for columns that a guard may compare.
    pub(crate) fn column_fn(
        &self,
        tells_text: bool,
        role: impl Fn(usize, &Field<'_>) -> TokenStream,
    ) -> TokenStream {
        let library = &self.library;
        let columns = self.columns.iter().enumerate().map(|(index, field)| {
            let (path, role) = (self.column_path(field), role(index, field));
            let text = tells_text.then(|| {
                let probe = self.probe(field);
                quote!(.text(#probe::TEXT))
            });
            quote!(#library::Column::new(
                <#path as #library::__private::diesel::Column>::NAME,
                #role,
            ) #text)
        });
        let probes = tells_text.then(|| quote!(use #library::__private::Comparison as _;));
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (column, end) = (self.part_item(part, "column"), self.offset(index + 1));
            let within = self.within(index, &quote!(__index));
            let role = self.data_role(part);
            quote!(
                _ if __index < #end => #library::__private::part_column(#column(#within), #role),
            )
        });
        let own = quote!(#library::__private::at(COLUMNS, __index));
        let body = if self.parts.is_empty() {
            own
        } else {
            let range = self.columns.len().checked_sub(1).map(|last| {
                let last = position(last);
                quote!(0..=#last => #own,)
            });
            quote! {
                match __index {
                    #range
                    #(#parts)*
                    _ => #own,
                }
            }
        };
        quote! {
            fn column(__index: usize) -> #library::Column {
                #probes
                const COLUMNS: &[#library::Column] = &[#(#columns),*];
                #body
            }
        }
    }

    /// `fn changed`
    pub(crate) fn changed_fn(&self, is_data: impl Fn(usize) -> bool) -> TokenStream {
        let library = &self.library;
        let columns = self.columns.iter().enumerate();
        let own = columns
            .filter(|(index, _)| is_data(*index))
            .map(|(index, field)| {
                let (member, index) = (&field.member, position(index));
                let span = located(field.ty.span());
                let as_eq = self.field_as(field, quote_spanned!(span=> __private::PartialEq));
                let ne = quote_spanned!(span=> #as_eq::ne);
                quote!(.with_if(#index, #ne(&self.#member, &__base.#member)))
            });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, offset) = (&part.member, self.offset(index));
            let changed = self.part_item(part, "changed");
            quote!(.with_part(#offset, #changed(&self.#member, &__base.#member)))
        });
        quote! {
            fn changed(&self, __base: &Self) -> #library::ColumnSet {
                #library::ColumnSet::EMPTY #(#own)* #(#parts)*
            }
        }
    }

    /// `fn column_value`
    pub(crate) fn column_value_fn(&self) -> TokenStream {
        let library = &self.library;
        let own = self.columns.iter().enumerate().map(|(index, field)| {
            let (member, index) = (&field.member, position(index));
            quote!(#index => #library::__private::Shown(&self.#member).value(),)
        });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, end) = (&part.member, self.offset(index + 1));
            let (value, within) = (
                self.part_item(part, "column_value"),
                self.within(index, &quote!(__index)),
            );
            quote!(_ if __index < #end => #value(&self.#member, #within),)
        });
        quote! {
            fn column_value(&self, __index: usize) -> #library::ColumnValue<'_> {
                #[allow(unused_imports)]
                use #library::__private::{ShowDebug as _, ShowHidden as _};
                match __index {
                    #(#own)*
                    #(#parts)*
                    _ => #library::__private::hidden(__index),
                }
            }
        }
    }

    /// The own fields whose values are converted before they are sent; then come the parts.
    pub(crate) fn conversions(&self) -> impl Iterator<Item = (usize, &Field<'_>)> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, field)| field.attrs.serialize_as.is_some())
    }

    /// `type Converted`
    pub(crate) fn converted_type(&self) -> TokenStream {
        let own = self.conversions().map(|(_, field)| field.sent_type());
        let parts = self.parts.iter();
        let parts = parts.map(|part| self.part_item(part, "Converted"));
        quote!((#(#own,)* #(#parts,)*))
    }

    /// `fn converted`
    pub(crate) fn converted_fn(&self) -> TokenStream {
        let own = self.conversions().map(|(_, field)| self.sent_value(field));
        let parts = self.parts.iter().map(|part| {
            let (member, converted) = (&part.member, self.part_item(part, "converted"));
            quote!(#converted(&self.#member))
        });
        let values: Vec<_> = own.chain(parts).collect();
        let body = if values.is_empty() {
            TokenStream::new()
        } else {
            quote!((#(#values,)*))
        };
        quote! {
            fn converted(&self) -> Self::Converted {
                #body
            }
        }
    }

    /// A copy of a field's value, converted if it has `serialize_as`.
    pub(crate) fn sent_value(&self, field: &Field<'_>) -> TokenStream {
        let copied = self.copied_value(field, &quote!(self));
        if field.attrs.serialize_as.is_none() {
            return copied;
        }
        let (sent, span) = (field.sent_type(), located(field.ty.span()));
        let as_into = self.field_as(field, quote_spanned!(span=> __private::Into<#sent>));
        let into = quote_spanned!(span=> #as_into::into);
        quote!(#into(#copied))
    }

    /// A copy of a field's value in `entity`.
    pub(crate) fn copied_value(&self, field: &Field<'_>, entity: &TokenStream) -> TokenStream {
        let (member, span) = (&field.member, located(field.ty.span()));
        let as_clone = self.field_as(field, quote_spanned!(span=> __private::Clone));
        let clone = quote_spanned!(span=> #as_clone::clone);
        quote!(#clone(&#entity.#member))
    }
}
