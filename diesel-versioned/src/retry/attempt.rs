//! What a closure that changes an entity may return.

use super::error::Retryable;
use crate::error::CommitError;

/// What the closure of [`update_with`](crate::VersionedDsl::update_with) may return: nothing, or a
/// `Result<(), E>` by which it can refuse the change.
#[diagnostic::on_unimplemented(
    message = "a closure that changes an entity returns nothing or a `Result<(), E>`, not `{Self}`",
    label = "not `()` and not a `Result<(), E>`",
    note = "`E` must be `Retryable` and `From<CommitError>`; end the closure with `;` if it \
            returns a value by accident"
)]
pub trait Attempt {
    /// The error of the closure and of the write.
    type Error: Retryable + From<CommitError>;

    /// Whether the change is to be written.
    ///
    /// # Errors
    ///
    /// What the closure returned.
    fn into_result(self) -> Result<(), Self::Error>;
}

impl Attempt for () {
    type Error = CommitError;

    fn into_result(self) -> Result<(), CommitError> {
        Ok(())
    }
}

impl<E: Retryable + From<CommitError>> Attempt for Result<(), E> {
    type Error = E;

    fn into_result(self) -> Self {
        self
    }
}
