//! The key that a request is known by.

use std::fmt;

/// The key that a request is known by, checked: what
/// [`UnitOfWork::idempotency_key`](crate::UnitOfWork::idempotency_key) makes of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdempotencyKey(String);

impl IdempotencyKey {
    /// How many characters a key has at most.
    const MOST: usize = 255;

    pub(crate) fn new(text: &str) -> Result<Self, KeyError> {
        let length = text.chars().count();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if length > Self::MOST {
            return Err(KeyError::TooLong { length });
        }
        // Databases do not agree on whether spaces at the end count.
        if text.trim() != text || text.chars().any(char::is_control) {
            return Err(KeyError::Invisible {
                key: text.to_owned(),
            });
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text cannot be an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It has no characters.
    #[error("an idempotency key must not be empty; take the one that the client sent, or a UUID")]
    Empty,

    /// It has too many characters.
    #[error(
        "an idempotency key has at most 255 characters, this one has {length}; \
         take a hash of what it is made of"
    )]
    TooLong {
        /// How many it has.
        length: usize,
    },

    /// It begins or ends in white space, or has control characters in it: databases do not agree on them.
    #[error(
        "the idempotency key {key:?} begins or ends in a space or has control characters in it; \
         trim it, or take a hash of what it is made of"
    )]
    Invisible {
        /// The text.
        key: String,
    },
}

impl KeyError {
    /// A stable name for programs: `replay.key`.
    pub fn code(&self) -> &'static str {
        "replay.key"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_text_of_1_to_255_visible_characters() {
        for text in ["a", "POST /orders 7f3c", &"ü".repeat(255)] {
            assert_eq!(IdempotencyKey::new(text).map(|key| key.0), Ok(text.into()));
        }
        assert_eq!(IdempotencyKey::new(""), Err(KeyError::Empty));
        let long = IdempotencyKey::new(&"ü".repeat(256));
        assert_eq!(long, Err(KeyError::TooLong { length: 256 }));
        for text in [" a", "a ", "a\n", "a\u{0}b", "\u{a0}"] {
            let error = IdempotencyKey::new(text);
            assert!(matches!(error, Err(KeyError::Invisible { .. })), "{text:?}");
        }
    }
}
