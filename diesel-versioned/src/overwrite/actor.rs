//! Who overwrites, and why: texts that were looked at.

use std::fmt;

/// Who overwrites a row on purpose: a name that the record shows and that programs can look for.
///
/// Whom it stands for is up to the program: a user, a job. The library does not know them; it takes
/// any text that is not blank, has at most 255 characters and no control characters.
///
/// ```
/// use diesel_versioned::Actor;
///
/// let anna = Actor::new("anna@example.org")?;
/// assert_eq!(anna.as_str(), "anna@example.org");
///
/// let error = Actor::new(" ").unwrap_err();
/// assert_eq!(error.code(), "overwrite.actor");
/// assert_eq!(error.to_string(), "the actor is empty; say who overwrites the row");
/// # Ok::<(), diesel_versioned::ActorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actor(String);

impl Actor {
    /// How many characters an actor has at most.
    pub const MAX_CHARACTERS: usize = 255;

    /// An actor of this name.
    ///
    /// # Errors
    ///
    /// [`ActorError`] if the name is blank, too long or has control characters in it.
    pub fn new(name: impl Into<String>) -> Result<Self, ActorError> {
        let name = name.into();
        if name.trim().is_empty() {
            Err(ActorError::Empty)
        } else if name.chars().count() > Self::MAX_CHARACTERS {
            Err(ActorError::TooLong)
        } else if name.chars().any(char::is_control) {
            Err(ActorError::ControlCharacter)
        } else {
            Ok(Self(name))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Why a text is no [`Actor`]. Its code is `overwrite.actor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActorError {
    /// There is nothing in it but spaces.
    #[error("the actor is empty; say who overwrites the row")]
    Empty,
    /// It has more than [`Actor::MAX_CHARACTERS`].
    #[error("the actor is longer than 255 characters; give a short name or a number")]
    TooLong,
    /// It has a line break, a NUL or the like in it.
    #[error("the actor has control characters in it; give a name of one line")]
    ControlCharacter,
}

impl ActorError {
    /// A stable name for programs: `overwrite.actor`.
    pub const fn code(self) -> &'static str {
        "overwrite.actor"
    }
}

/// Why a text is no reason for an overwrite. Its code is `overwrite.reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReasonError {
    /// There is nothing in it but white space.
    #[error("the reason is empty; say why the row is overwritten")]
    Empty,
    /// It has more than 1,000 characters.
    #[error("the reason is longer than 1,000 characters; shorten it")]
    TooLong,
    /// It has control characters in it that are no line breaks and no tabs.
    #[error("the reason has control characters in it; only line breaks and tabs may be there")]
    ControlCharacter,
}

impl ReasonError {
    /// A stable name for programs: `overwrite.reason`.
    pub const fn code(self) -> &'static str {
        "overwrite.reason"
    }
}

const MOST_REASON: usize = 1_000;

/// A reason, if it is one.
pub(crate) fn reason(text: String) -> Result<String, ReasonError> {
    let forbidden = |character: char| character.is_control() && !"\n\r\t".contains(character);
    if text.trim().is_empty() {
        Err(ReasonError::Empty)
    } else if text.chars().count() > MOST_REASON {
        Err(ReasonError::TooLong)
    } else if text.contains(forbidden) {
        Err(ReasonError::ControlCharacter)
    } else {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Actor, ActorError, ReasonError, reason};

    #[test]
    fn an_actor_is_a_name_of_one_line() {
        assert_eq!(Actor::new("ä".repeat(255)).unwrap().as_str().len(), 510);
        assert_eq!(Actor::new("ä".repeat(256)), Err(ActorError::TooLong));
        for blank in ["", "  ", "\n"] {
            assert_eq!(Actor::new(blank), Err(ActorError::Empty));
        }
        for control in ["a\nb", "a\0", "a\u{7f}", "a\u{85}"] {
            assert_eq!(Actor::new(control), Err(ActorError::ControlCharacter));
        }
    }

    #[test]
    fn a_reason_may_have_lines() {
        assert!(reason("a\r\n\tb 🦀".to_owned()).is_ok());
        assert!(reason("ä".repeat(1_000)).is_ok());
        assert_eq!(reason("ä".repeat(1_001)), Err(ReasonError::TooLong));
        assert_eq!(reason(" \n".to_owned()), Err(ReasonError::Empty));
        assert_eq!(reason("a\0".to_owned()), Err(ReasonError::ControlCharacter));
    }
}
