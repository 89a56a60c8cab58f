//! The name of a column, as Diesel takes it.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Result};

/// The name of a column in `table!`, without `r#`: an identifier or, as Diesel takes it too, a
/// string.
#[derive(Clone)]
pub(crate) struct ColumnName {
    name: String,
    span: Span,
}

impl ColumnName {
    pub(crate) fn of(ident: &Ident) -> Self {
        Self {
            name: ident.unraw().to_string(),
            span: ident.span(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The identifier of the column's type, raw so that a keyword is one too.
    pub(crate) fn to_ident(&self) -> Result<Ident> {
        let mut ident = syn::parse_str::<Ident>(&format!("r#{}", self.name)).map_err(|_| {
            let name = &self.name;
            syn::Error::new(
                self.span,
                format!(
                    "`{name}` is no identifier; write the name that the column has in `table!`: \
                     `column_name = {}`",
                    as_identifier(name)
                ),
            )
        })?;
        ident.set_span(self.span);
        Ok(ident)
    }
}

impl Parse for ColumnName {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(LitStr) {
            let literal = input.parse::<LitStr>()?;
            let value = literal.value();
            Ok(Self {
                name: value.strip_prefix("r#").unwrap_or(&value).to_owned(),
                span: literal.span(),
            })
        } else {
            let ident = input.call(Ident::parse_any);
            let ident = ident.map_err(|error| syn::Error::new(error.span(), "expected a name"))?;
            Ok(Self::of(&ident))
        }
    }
}

/// What Diesel's `print-schema` makes of a name that is no identifier.
fn as_identifier(name: &str) -> String {
    let mut identifier: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    if identifier == name {
        identifier.push('_');
    }
    identifier
}
