//! The columns of a row, as they are hashed.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::ContentHash;
use super::value::{ContentValue, ContentWriter};

/// The columns of a row that are hashed. The derive fills it.
#[derive(Debug, Default)]
pub struct Content {
    columns: BTreeMap<&'static str, String>,
}

impl Content {
    /// Takes a column in.
    pub fn column(&mut self, name: &'static str, value: &(impl ContentValue + ?Sized)) {
        let mut text = ContentWriter::default();
        value.write(&mut text);
        self.columns.insert(name, text.finish());
    }

    /// The hash of all of them.
    pub(super) fn hash(&self) -> ContentHash {
        let mut hash = Sha256::new();
        hash.update("diesel-versioned: content, 1\n");
        for (name, value) in &self.columns {
            hash.update(name);
            hash.update("=");
            hash.update(value);
            hash.update("\n");
        }
        ContentHash(hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::Content;

    /// Computed by another program:
    /// `printf 'diesel-versioned: content, 1\nage=n\nid=i7\nname=s4:Chai\n' | sha256sum`
    #[test]
    fn the_hash_is_the_one_that_the_documentation_describes() {
        let mut content = Content::default();
        content.column("name", "Chai");
        content.column("id", &7_i64);
        content.column("age", &None::<i32>);
        assert_eq!(
            content.hash().to_string(),
            "02bd4a9e776fb4330d8579b50fb1cc319c38192554e43fc3f122a01b5dc657f9"
        );
    }
}
