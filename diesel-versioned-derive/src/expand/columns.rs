//! What an entity and a part have in common: columns, sets of them, changes, conversions.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::model::{Field, Model};

/// Which columns a set has.
#[derive(Clone, Copy)]
pub(crate) enum Writes {
    Inserts,
    Updates,
}

impl Writes {
    fn has(self, field: &Field<'_>) -> bool {
        match self {
            Self::Inserts => field.inserts(),
            Self::Updates => field.updates(),
        }
    }
}

/// Tokens that are found where the user's derive stands and are reported at `span`.
pub(crate) fn located(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// A position without a type suffix.
pub(crate) fn position(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}

impl Model<'_> {
    /// The type of a column, `products::name`.
    pub(crate) fn column_path(&self, field: &Field<'_>) -> TokenStream {
        let (table, column) = (&self.table, &field.column_ident);
        quote!(#table::#column)
    }

    /// `Role::Data { … }` of a field that is neither key nor version.
    pub(crate) fn data_role(&self, field: &Field<'_>) -> TokenStream {
        let library = &self.library;
        let (insert, update) = (field.inserts(), field.updates());
        quote!(#library::Role::Data { insert: #insert, update: #update })
    }

    /// How many columns stand before the part at `index`: a constant expression.
    pub(crate) fn offset(&self, index: usize) -> TokenStream {
        let library = &self.library;
        let own = position(self.columns.len());
        let before = self.parts.iter().take(index).map(|part| part.ty);
        quote!(#own #(+ <#before as #library::VersionedPart>::COLUMN_COUNT)*)
    }

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
        let parts = self.parts.iter().enumerate();
        let parts = parts
            .filter(|(_, part)| writes.has(part))
            .map(|(index, part)| {
                let (ty, offset) = (part.ty, self.offset(index));
                let set = match writes {
                    Writes::Inserts => quote!(INSERTABLE),
                    Writes::Updates => quote!(UPDATABLE),
                };
                quote!(.with_part(#offset, <#ty as #library::VersionedPart>::#set))
            });
        quote!(#library::__private::column_set(&[#(#own),*]) #(#parts)*)
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
    pub(crate) fn column_fn(&self, role: impl Fn(usize, &Field<'_>) -> TokenStream) -> TokenStream {
        let library = &self.library;
        let columns = self.columns.iter().enumerate().map(|(index, field)| {
            let (path, role) = (self.column_path(field), role(index, field));
            quote!(#library::Column::new(
                <#path as #library::__private::diesel::Column>::NAME,
                #role,
            ))
        });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (ty, start, end) = (part.ty, self.offset(index), self.offset(index + 1));
            let (insert, update) = (part.inserts(), part.updates());
            quote!(
                if index >= #start && index < #end {
                    return #library::__private::part_column(
                        <#ty as #library::VersionedPart>::column(index - (#start)),
                        #insert,
                        #update,
                    );
                }
            )
        });
        quote! {
            fn column(index: usize) -> #library::Column {
                const COLUMNS: &[#library::Column] = &[#(#columns),*];
                #(#parts)*
                #library::__private::at(COLUMNS, index)
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
                let ne = quote_spanned! {located(field.span)=>
                    #library::__private::PartialEq::ne
                };
                quote!(.with_if(#index, #ne(&self.#member, &base.#member)))
            });
        let parts = self.parts.iter().enumerate().map(|(index, part)| {
            let (member, ty, offset) = (&part.member, part.ty, self.offset(index));
            quote!(.with_part(
                #offset,
                <#ty as #library::VersionedPart>::changed(&self.#member, &base.#member),
            ))
        });
        quote! {
            fn changed(&self, base: &Self) -> #library::ColumnSet {
                #library::ColumnSet::EMPTY #(#own)* #(#parts)*
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
        let library = &self.library;
        let own = self.conversions().map(|(_, field)| field.sent_type());
        let parts = self.parts.iter().map(|part| part.ty);
        quote!((
            #(#own,)*
            #(<#parts as #library::VersionedPart>::Converted,)*
        ))
    }

    /// `fn converted`
    pub(crate) fn converted_fn(&self) -> TokenStream {
        let library = &self.library;
        let own = self.conversions().map(|(_, field)| self.sent_value(field));
        let parts = self.parts.iter().map(|part| {
            let (member, ty) = (&part.member, part.ty);
            quote!(<#ty as #library::VersionedPart>::converted(&self.#member))
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
        let library = &self.library;
        let (member, ty) = (&field.member, field.sent_type());
        let span = located(field.span);
        let clone = quote_spanned!(span=> #library::__private::Clone::clone);
        if field.attrs.serialize_as.is_none() {
            return quote!(#clone(&self.#member));
        }
        let into = quote_spanned!(span=> #library::__private::Into::<#ty>::into);
        quote!(#into(#clone(&self.#member)))
    }
}
