//! Prices: decimal text to cents and back, exact, without floating point.

use std::fmt;

/// A price in cents, shown as a decimal number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cents(pub(crate) i64);

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

/// Why a text is not a price. The wording completes "price "9,99" …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAPrice {
    #[error("is empty")]
    Empty,
    #[error("is negative")]
    Negative,
    #[error("is not a plain decimal number such as 12.50")]
    NotDecimal,
    #[error("has a comma; write a price as 1234.50")]
    Comma,
    #[error(
        "has more than two decimals; it is not rounded, as the result could be wrong by a cent"
    )]
    TooPrecise,
    #[error("is too large")]
    TooLarge,
}

/// Reads a price such as `18`, `21.35` or `18.0000`.
///
/// # Errors
///
/// If the text is anything else: decimals beyond the cent must be zero, nothing is rounded.
pub(crate) fn parse(text: &str) -> Result<Cents, NotAPrice> {
    if text.is_empty() {
        return Err(NotAPrice::Empty);
    }
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if let Some(rest) = text.strip_prefix('-') {
        return Err(parse(rest).map_or(NotAPrice::NotDecimal, |_| NotAPrice::Negative));
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !digits(whole) || !digits(fraction) {
        let with_comma = text.contains(',') && digits(&text.replace([',', '.'], ""));
        return Err(if with_comma {
            NotAPrice::Comma
        } else {
            NotAPrice::NotDecimal
        });
    }
    let (cents, beyond) = fraction.split_at(fraction.len().min(2));
    if beyond.bytes().any(|b| b != b'0') {
        return Err(NotAPrice::TooPrecise);
    }
    let tens = if cents.len() == 1 { 10 } else { 1 };
    let cents = tens
        * cents
            .bytes()
            .fold(0, |sum, b| sum * 10 + i64::from(b - b'0'));
    whole
        .parse::<i64>()
        .ok()
        .and_then(|whole| whole.checked_mul(100)?.checked_add(cents))
        .map(Cents)
        .ok_or(NotAPrice::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_read_exactly() {
        for (text, cents) in [
            ("0", 0),
            ("18", 1800),
            ("9.8", 980),
            ("21.35", 2135),
            ("0.99", 99),
            ("18.0000", 1800),
            ("0.07", 7),
            ("92233720368547758.07", i64::MAX),
        ] {
            assert_eq!(parse(text), Ok(Cents(cents)), "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for cents in [0, 7, 99, 100, 2135, i64::MAX] {
            assert_eq!(parse(&Cents(cents).to_string()), Ok(Cents(cents)));
        }
        assert_eq!(Cents(-5).to_string(), "-0.05");
    }

    #[test]
    fn nothing_is_guessed_or_rounded() {
        for (text, error) in [
            ("", NotAPrice::Empty),
            ("-1", NotAPrice::Negative),
            ("-", NotAPrice::NotDecimal),
            ("--1", NotAPrice::NotDecimal),
            ("abc", NotAPrice::NotDecimal),
            ("1e3", NotAPrice::NotDecimal),
            ("$5", NotAPrice::NotDecimal),
            (".5", NotAPrice::NotDecimal),
            ("5.", NotAPrice::NotDecimal),
            ("1.2.3", NotAPrice::NotDecimal),
            ("٣", NotAPrice::NotDecimal),
            ("9,99", NotAPrice::Comma),
            ("1,234.50", NotAPrice::Comma),
            ("9.999", NotAPrice::TooPrecise),
            ("92233720368547758.08", NotAPrice::TooLarge),
            ("99999999999999999999", NotAPrice::TooLarge),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}
