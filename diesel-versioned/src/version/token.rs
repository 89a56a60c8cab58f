//! Tokens: random bytes, and a type by which Diesel writes and reads them.

use std::fmt;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Binary;

use super::{Moment, NoVersion, Step, SteppingVersion, VersionValue};
use crate::schema_check::Shape;

/// Fewer bytes than these are soon the same again.
const LEAST: usize = 8;

/// How many bytes a `Vec<u8>` has, unless the one before it says otherwise.
const COMMON: usize = 16;

/// Fills in random bytes that differ from those before them.
fn fill(bytes: &mut [u8], old: &[u8], moment: &Moment) -> Result<(), NoVersion> {
    moment.random(bytes)?;
    if bytes == old
        && let Some(last) = bytes.last_mut()
    {
        *last = last.wrapping_add(1);
    }
    Ok(())
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(DIGITS[usize::from(half)]))
        .collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let half = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    text.as_bytes()
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => Some(half(high)? << 4 | half(low)?),
            _ => None,
        })
        .collect()
}

/// At least 8 bytes, or the program does not build:
///
/// ```compile_fail
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::Moment;
///
/// let token = <[u8; 4]>::initial(&Moment::new());
/// ```
impl<const N: usize> VersionValue for [u8; N] {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        const { assert!(N >= LEAST, "a token has at least 8 bytes") };
        let mut bytes = [0; N];
        moment.random(&mut bytes)?;
        Ok(bytes)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        const { assert!(N >= LEAST, "a token has at least 8 bytes") };
        let mut bytes = [0; N];
        fill(&mut bytes, self, moment)?;
        Ok(bytes)
    }

    fn to_text(&self) -> String {
        to_hex(self)
    }

    fn from_text(text: &str) -> Option<Self> {
        from_hex(text)?.try_into().ok()
    }

    fn shape() -> Shape {
        Shape::Bytes {
            len: u64::try_from(N).ok(),
        }
    }
}

/// 16 bytes; as many as before if there are at least 8.
impl VersionValue for Vec<u8> {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        let mut bytes = vec![0; COMMON];
        moment.random(&mut bytes)?;
        Ok(bytes)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        let mut bytes = vec![
            0;
            if self.len() < LEAST {
                COMMON
            } else {
                self.len()
            }
        ];
        fill(&mut bytes, self, moment)?;
        Ok(bytes)
    }

    fn to_text(&self) -> String {
        to_hex(self)
    }

    fn from_text(text: &str) -> Option<Self> {
        from_hex(text)
    }

    fn shape() -> Shape {
        Shape::Bytes { len: None }
    }
}

/// Random, so that it is no row's.
impl<const N: usize> SteppingVersion for [u8; N] {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        Self::initial(moment).map(Step::to)
    }
}

/// 16 random bytes, whatever the row has.
impl SteppingVersion for Vec<u8> {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        Self::initial(moment).map(Step::to)
    }
}

impl<const N: usize> SteppingVersion for Token<N> {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        Self::initial(moment).map(Step::to)
    }
}

/// `N` random bytes as a version, at least 8, over a column of bytes: `BLOB`, `bytea`, `BINARY(16)`.
/// A `[u8; N]` of its own Diesel 2.3 writes but does not read.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
/// use diesel_versioned::version::Token;
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, version -> Binary }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product { id: i32, name: String, #[version] version: Token }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     version BLOB NOT NULL)")?;
/// let mut product = Product { id: 42, name: "Chai".into(), version: Token::default() };
/// product.insert(&mut conn)?;
/// let mut old = product.clone();
///
/// product.delete(&mut conn)?;
/// product.insert(&mut conn)?; // another row under the same key
/// assert_eq!(old.save(&mut conn).unwrap_err().code(), "conflict.modified");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub struct Token<const N: usize = COMMON>(pub [u8; N]);

impl<const N: usize> Default for Token<N> {
    /// Zeros: no token, but something to write in the field of a row that is not inserted yet.
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> fmt::Debug for Token<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl<const N: usize> VersionValue for Token<N> {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        VersionValue::initial(moment).map(Self)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.0.next(moment).map(Self)
    }

    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        VersionValue::from_text(text).map(Self)
    }

    fn shape() -> Shape {
        <[u8; N]>::shape()
    }
}

impl<DB: Backend, const N: usize> ToSql<Binary, DB> for Token<N>
where
    [u8; N]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.to_sql(out)
    }
}

impl<DB: Backend, const N: usize> FromSql<Binary, DB> for Token<N>
where
    Vec<u8>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        match <[u8; N]>::try_from(Vec::from_sql(bytes)?) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(other) => Err(format!(
                "a token of {N} bytes cannot be read from {} of them; give the rows tokens of that \
                 length",
                other.len()
            )
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Moment, NoVersion, VersionValue};
    use super::{COMMON, Token};

    fn ones(bytes: &mut [u8]) -> Result<(), NoVersion> {
        bytes.fill(1);
        Ok(())
    }

    fn none(_: &mut [u8]) -> Result<(), NoVersion> {
        Err(NoVersion::failed("no more"))
    }

    fn made<V: VersionValue>(version: Result<V, NoVersion>) -> V {
        version.expect("there is randomness")
    }

    #[test]
    fn a_token_is_random_and_never_the_one_before() {
        let first: Token = made(Token::initial(&Moment::new()));
        let second = made(Token::initial(&Moment::new()));
        assert_ne!(first, second);
        let moment = Moment::with_source(ones);
        let token: Token<8> = made(VersionValue::initial(&moment));
        assert_eq!(token.0, [1; 8]);
        assert_eq!(made(token.next(&moment)).0, [1, 1, 1, 1, 1, 1, 1, 2]);
        let bytes: Vec<u8> = made(VersionValue::initial(&moment));
        assert_ne!(made(bytes.next(&moment)), bytes);
    }

    #[test]
    fn a_moment_gives_all_of_its_rows_one_token() {
        let moment = Moment::new();
        let next = |old: u8| made([old; 16].next(&moment));
        assert_eq!(next(1), next(2));
        assert_eq!(made(<[u8; 16]>::initial(&moment)), next(1));
        // The bytes beyond what is shared are random as well.
        let long: [u8; 64] = made(VersionValue::initial(&moment));
        assert!(long[32..].iter().any(|byte| *byte != 0));
    }

    #[test]
    fn bytes_keep_their_length_unless_they_are_too_few() {
        let moment = Moment::new();
        assert_eq!(made(Vec::<u8>::initial(&moment)).len(), COMMON);
        for (before, after) in [(0, COMMON), (7, COMMON), (8, 8), (40, 40)] {
            assert_eq!(made(vec![0_u8; before].next(&moment)).len(), after);
        }
    }

    #[test]
    fn without_randomness_there_is_no_token() {
        let moment = Moment::with_source(none);
        let fails = |result: Result<(), NoVersion>| matches!(result, Err(NoVersion::Failed(_)));
        assert!(fails(<[u8; 16]>::initial(&moment).map(drop)));
        assert!(fails([0_u8; 16].next(&moment).map(drop)));
        assert!(fails(Vec::<u8>::initial(&moment).map(drop)));
        assert!(fails(vec![0_u8; 16].next(&moment).map(drop)));
        assert!(fails(<[u8; 16]>::initial(&moment.with_uuid_v4()).map(drop)));
    }

    #[test]
    fn only_the_text_of_a_token_is_read_back() {
        let token = Token([0, 1, 0x7f, 0x80, 0xab, 0xcd, 0xef, 0xff]);
        assert_eq!(token.to_text(), "00017f80abcdefff");
        assert_eq!(Token::from_text("00017f80abcdefff"), Some(token));
        assert_eq!(format!("{token:?}"), token.to_text());
        for text in [
            "",
            "00017f80abcdef",
            "00017f80abcdefff0",
            "00017F80ABCDEFFF",
            "00017f80abcdefgg",
        ] {
            assert_eq!(Token::<8>::from_text(text), None, "{text}");
        }
        assert_eq!(Vec::<u8>::from_text(""), Some(Vec::new()));
        assert_eq!(Vec::<u8>::from_text("0"), None);
    }
}
