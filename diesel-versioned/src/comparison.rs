//! What is known of an SQL type whose values a guard compares.

use std::marker::PhantomData;

#[cfg(feature = "postgres")]
use diesel::sql_types::Array;
use diesel::sql_types::{Float, Nullable, Text};

/// Asks about an SQL type: what is known of it is said by an inherent constant, which is found before
/// that of [`Comparison`].
#[derive(Debug)]
pub struct Probe<ST>(PhantomData<ST>);

/// What holds of an SQL type of which nothing else is known.
pub trait Comparison {
    /// A value is equal to the one that is read and written again.
    const EXACT: bool = true;

    /// It is text, which a collation may compare by rules of its own.
    const TEXT: bool = false;
}

impl<ST> Comparison for Probe<ST> {}

macro_rules! known {
    ($($(#[$cfg:meta])* $sql_type:ty: $name:ident = $value:expr;)+) => {
        $(
            $(#[$cfg])*
            impl Probe<$sql_type> {
                /// See [`Comparison`].
                pub const $name: bool = $value;
            }

            $(#[$cfg])*
            impl Probe<Nullable<$sql_type>> {
                /// See [`Comparison`].
                pub const $name: bool = $value;
            }
        )+
    };
}

known! {
    // SQLite keeps eight bytes of what others write there, and Diesel reads four.
    Float: EXACT = false;
    Text: TEXT = true;
    // Where there is no type of its own it is compared as text, and what is read need not be written
    // in the same order and with the same blanks.
    #[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
    diesel::sql_types::Json: EXACT = false;
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    diesel::sql_types::Jsonb: EXACT = false;
    #[cfg(feature = "postgres")]
    diesel::sql_types::Citext: TEXT = true;
    #[cfg(feature = "postgres")]
    Array<Text>: TEXT = true;
    #[cfg(feature = "postgres")]
    Array<Nullable<Text>>: TEXT = true;
    #[cfg(feature = "postgres")]
    Array<diesel::sql_types::Citext>: TEXT = true;
    #[cfg(feature = "postgres")]
    Array<Nullable<diesel::sql_types::Citext>>: TEXT = true;
    // Its elements are as inexact as one of them.
    #[cfg(feature = "postgres")]
    Array<Float>: EXACT = false;
    #[cfg(feature = "postgres")]
    Array<Nullable<Float>>: EXACT = false;
    #[cfg(feature = "postgres")]
    Array<diesel::sql_types::Json>: EXACT = false;
    #[cfg(feature = "postgres")]
    Array<Nullable<diesel::sql_types::Json>>: EXACT = false;
    #[cfg(feature = "postgres")]
    Array<diesel::sql_types::Jsonb>: EXACT = false;
    #[cfg(feature = "postgres")]
    Array<Nullable<diesel::sql_types::Jsonb>>: EXACT = false;
}
