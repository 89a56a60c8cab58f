//! A hash of what a row holds, for clients of tables without a version, with the feature `hash`.
//!
//! `#[versioned(check = "hash")]` guards as `check = "all"` does and gives the entity a
//! [`content_hash`](ContentHashed::content_hash), which a client takes away with the row and brings
//! back. The row is then loaded, its hash compared, and written guarded by the very values whose hash
//! that was: whoever writes in between is noticed.
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//! use diesel_versioned::hash::ContentHash;
//!
//! # diesel::table! { contacts (id) { id -> Integer, name -> Text, age -> Nullable<Integer> } }
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[versioned(check = "hash")]
//! struct Contact { id: i32, name: String, age: Option<i32> }
//!
//! /// What a form brings back is written if nobody has written the row since.
//! fn edit(
//!     conn: &mut SqliteConnection,
//!     token: &ContentHash,
//!     form: Contact,
//! ) -> Result<Contact, Box<dyn std::error::Error>> {
//!     let loaded = Contact::find(conn, form.id)?;
//!     if loaded.content_hash() != *token {
//!         return Err("someone else has changed this contact; look at it again".into());
//!     }
//!     let mut contact = form;
//!     contact.save_changes(conn, &loaded)?;
//!     Ok(contact)
//! }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use diesel::connection::SimpleConnection;
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE contacts (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
//! #     age INTEGER); INSERT INTO contacts VALUES (1, 'Ada', 36)")?;
//!
//! let token = Contact::find(&mut conn, 1)?.content_hash();
//! let form = Contact { id: 1, name: "Ada L.".to_owned(), age: Some(36) };
//! let written = edit(&mut conn, &token, form.clone())?;
//! assert_ne!(written.content_hash(), token);
//! assert!(edit(&mut conn, &token, form).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! # The algorithm
//!
//! It is the same in every process, on every database and in every version of this crate, so that a
//! hash may be kept, and can be computed by another program. SHA-256 of the text that these lines make,
//! in UTF-8, each ended by a line feed:
//!
//! 1. `diesel-versioned: content, 1`
//! 2. for each column of the key and each that the guard compares, by the bytes of its name: the name,
//!    `=`, and the value.
//!
//! A value is written by its kind, not by the type of its column:
//!
//! | kind | written as | example |
//! | --- | --- | --- |
//! | NULL | `n` | `n` |
//! | a truth value | `b` and `1` or `0` | `b1` |
//! | a whole number | `i` and its digits | `i-42` |
//! | a floating-point number | `f` and the bits of the double in 16 hexadecimal digits; 0 for -0, one NaN | `f3ff0000000000000` |
//! | a text | `s`, how many bytes it has, `:`, the text | `s4:Chai` |
//! | bytes | `x`, how many there are, `:`, in hexadecimal | `x2:cafe` |
//! | a date | `d` and the date | `d2026-11-30` |
//! | a time of day | `h` and the time, to the nanosecond | `h08:30:00.000000000` |
//! | a date and time, in UTC if it has a zone | `t`, the date, `T`, the time | `t2026-11-30T08:30:00.000000000` |
//! | a UUID | `u` and its 32 hexadecimal digits | `u67e5504410b1426f9247bb680e5fe0c8` |
//! | a list | `l`, how many items it has, `:`, the items | `l2:i1i2` |
//!
//! The hash is shown as 64 hexadecimal digits, and read back by `parse`.

mod content;
mod value;

use std::fmt;
use std::str::FromStr;

pub use content::Content;
pub use value::{ContentValue, ContentWriter};

use crate::entity::Versioned;

/// An entity that has a hash of what it holds: `#[versioned(check = "hash")]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no content hash",
    label = "needs `#[versioned(check = \"hash\")]`",
    note = "an entity with a version has no need of it: hand out the version"
)]
pub trait ContentHashed: Versioned {
    /// Tells the columns that are hashed.
    #[doc(hidden)]
    fn content(&self, content: &mut Content);

    /// The hash of what this copy holds; see [the algorithm](self#the-algorithm). Of a row that was just
    /// loaded it is that of the row.
    fn content_hash(&self) -> ContentHash {
        let mut content = Content::default();
        self.content(&mut content);
        content.hash()
    }
}

/// A part of an entity that has a content hash: `#[versioned(check = "hash")]` on the part as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a part of an entity with a content hash and has none",
    label = "needs `#[versioned(check = \"hash\")]`",
    note = "write `#[versioned(check = \"hash\")]` on `{Self}`, or `#[versioned(unchecked)]` on the field"
)]
pub trait ContentPart {
    /// Tells the columns that are hashed.
    #[doc(hidden)]
    fn content(&self, content: &mut Content);
}

/// A hash of what a row holds: SHA-256.
///
/// ```
/// use diesel_versioned::hash::ContentHash;
///
/// let text = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/// let hash: ContentHash = text.parse()?;
/// assert_eq!(hash.to_string(), text);
/// assert!("9f86".parse::<ContentHash>().is_err());
/// # Ok::<(), diesel_versioned::hash::NotAHash>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for ContentHash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let digits = text.as_bytes();
        let is_lower = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 64 || !digits.iter().all(is_lower) {
            return Err(NotAHash(()));
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks(2)) {
            for &digit in pair {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    _ => digit - b'a' + 10,
                };
                *byte = *byte << 4 | value;
            }
        }
        Ok(Self(hash))
    }
}

/// A text that is no content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a content hash has 64 hexadecimal digits, in lower case; hand back the one that was read")]
pub struct NotAHash(());

#[cfg(feature = "serde")]
impl serde::Serialize for ContentHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
