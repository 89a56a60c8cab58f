//! A key that the database made, read back from the text that `{:?}` makes of it.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::str::FromStr;

/// Reads a key. `KeyText::<K>::new().read(text)` takes the method of the type if the key is
/// `FromStr`, and otherwise that of [`NoKeyText`]; the compiler decides it where the type is known.
pub struct KeyText<K>(PhantomData<K>);

impl<K> KeyText<K> {
    /// Reads keys of this type.
    #[allow(clippy::new_without_default, reason = "the derive alone calls it")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<K: FromStr + Debug> KeyText<K> {
    /// The key, if `{:?}` makes this very text of it.
    pub fn read(self, text: &str) -> Option<K> {
        let key = K::from_str(text).ok()?;
        (format!("{key:?}") == text).then_some(key)
    }
}

/// What [`KeyText`] falls back to.
pub trait NoKeyText<K> {
    /// No key.
    fn read(self, text: &str) -> Option<K>;
}

impl<K> NoKeyText<K> for KeyText<K> {
    fn read(self, _text: &str) -> Option<K> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyText, NoKeyText as _};

    #[derive(Debug, PartialEq)]
    struct Id(i64);

    #[test]
    fn a_key_is_read_back_from_its_own_text_only() {
        assert_eq!(KeyText::<i64>::new().read("42"), Some(42));
        assert_eq!(KeyText::<i64>::new().read("+42"), None);
        // Its text is quoted, and reading that is not what `FromStr` does.
        assert_eq!(KeyText::<String>::new().read("\"a\""), None);
        assert_eq!(KeyText::<Id>::new().read("Id(42)"), None);
    }
}
