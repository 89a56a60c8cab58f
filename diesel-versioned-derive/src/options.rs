//! Options of an attribute: read by a table, which also tells what could have been written.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Meta, Result, Token, Type};

use crate::errors::Errors;

/// One option: its name, how it is written, and how its value is read.
pub(crate) struct Known<T> {
    pub(crate) name: &'static str,
    pub(crate) form: &'static str,
    pub(crate) read: fn(&mut T, Ident, ParseStream<'_>) -> Result<()>,
}

/// What happens to an option that is in no table.
#[derive(Clone, Copy)]
pub(crate) enum Unknown {
    /// It is ours, so it is a mistake; these options have their place elsewhere.
    Reject {
        misplaced: &'static [&'static str],
        home: &'static str,
    },
    /// It is Diesel's, so it is for another derive.
    Skip,
}

impl Unknown {
    /// It is a mistake, and there is no other place for it.
    pub(crate) const REJECT: Self = Self::Reject {
        misplaced: &[],
        home: "",
    };
}

/// Reads the options of one attribute; a wrong one does not hide the next.
pub(crate) fn read_options<T>(
    attribute: &Attribute,
    table: &[Known<T>],
    unknown: Unknown,
    attrs: &mut T,
    errors: &Errors,
) {
    let path = attribute.path().to_token_stream();
    let Meta::List(list) = &attribute.meta else {
        if let (Unknown::Reject { .. }, Some(first)) = (unknown, table.first()) {
            let form = first.form;
            let message =
                format!("`{path}` takes options in parentheses; write `#[{path}({form})]`");
            errors.on(attribute, message);
        }
        return;
    };
    let result = list.parse_args_with(|input: ParseStream<'_>| {
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if let Some(known) = table.iter().find(|known| name.unraw() == known.name) {
                // Where the tokens end there is none to point at.
                let alone = input.is_empty();
                if let Err(error) = (known.read)(attrs, name.clone(), input) {
                    let ended = error.to_string().starts_with("unexpected end of input");
                    let span = if alone || ended {
                        name.span()
                    } else {
                        error.span()
                    };
                    let form = known.form;
                    errors.at(span, format!("{error}; write `#[{path}({form})]`"));
                    skip_to_comma(input)?;
                }
            } else {
                if let Unknown::Reject { misplaced, home } = unknown {
                    let message = if misplaced.iter().any(|other| name.unraw() == *other) {
                        format!("`{name}` is for {home}; move it there")
                    } else {
                        format!("unknown option `{name}`; {}", expected(table))
                    };
                    errors.at(name.span(), message);
                }
                skip_value(input)?;
            }
            if !input.is_empty() && input.parse::<Token![,]>().is_err() {
                errors.at(input.span(), "unexpected token; separate options with `,`");
                skip_to_comma(input)?;
                input.parse::<Option<Token![,]>>()?;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        errors.add(error);
    }
}

/// The options of a table as they are written, for messages.
fn expected<T>(table: &[Known<T>]) -> String {
    let forms = table.iter().map(|known| format!("`{}`", known.form));
    let forms: Vec<_> = forms.collect();
    let one_of = if forms.len() > 1 { "one of " } else { "" };
    format!("expected {one_of}{}", forms.join(", "))
}

pub(crate) fn after_equals<T: Parse>(input: ParseStream<'_>) -> Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// Skips the value of an option that another derive reads: `= type`, `= expression` or `(…)`.
pub(crate) fn skip_value(input: ParseStream<'_>) -> Result<()> {
    if input.parse::<Option<Token![=]>>()?.is_some() {
        // A type first: the comma of `Eq<a, b>` does not end the value.
        for skip in [skip_one::<Type>, skip_one::<Expr>] {
            if skip(input) {
                return Ok(());
            }
        }
    }
    skip_to_comma(input)
}

fn skip_one<T: Parse>(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    let whole = fork.parse::<T>().is_ok() && (fork.is_empty() || fork.peek(Token![,]));
    if whole {
        input.advance_to(&fork);
    }
    whole
}

fn skip_to_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// Fails if an option that is only a word is given a value.
pub(crate) fn no_value(input: ParseStream<'_>) -> Result<()> {
    if input.peek(Token![=]) {
        return Err(input.error("there is nothing to choose"));
    }
    Ok(())
}

pub(crate) fn skip_rest(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
