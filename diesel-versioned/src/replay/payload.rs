//! What a request asks for, as a short text by which two requests under one key are compared.

use sha2::{Digest, Sha256};

/// A short text of some fields that a unit says.
pub(crate) fn digest(fields: impl FnOnce(&mut dyn FnMut(&str))) -> String {
    let mut payload = Payload::of_unit();
    fields(&mut |field| payload.field(field));
    payload.finish()
}

/// Takes in fields and makes a text of 64 characters of them: SHA-256, in hexadecimal.
pub(crate) struct Payload(Sha256);

impl Payload {
    /// Of what a unit writes.
    fn of_unit() -> Self {
        Self::of("diesel-versioned: unit, 1")
    }

    /// Of what the program says that a request asks for.
    pub(crate) fn given(bytes: &[u8]) -> String {
        let mut payload = Self::of("diesel-versioned: given, 1");
        payload.bytes(bytes);
        payload.finish()
    }

    fn of(what: &str) -> Self {
        let mut payload = Self(Sha256::new());
        payload.field(what);
        payload
    }

    /// Takes a field in, with its length, so that no two lists of fields are alike.
    fn field(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn finish(self) -> String {
        format!("{:x}", self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::Payload;

    fn of(fields: &[&str]) -> String {
        let mut payload = Payload::of_unit();
        for field in fields {
            payload.field(field);
        }
        payload.finish()
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
        assert_ne!(of(&[]), Payload::given(b""));
        assert_eq!(of(&[]).len(), 64);
    }

    #[test]
    fn it_is_the_same_in_every_version_of_this_crate() {
        // It is kept in databases, so another text here needs another number in it.
        assert_eq!(
            Payload::given(b"{}"),
            "b320f5cf606ca4aa8fb2afce986876024c70068276e49f6f3411b39334b65092"
        );
    }
}
