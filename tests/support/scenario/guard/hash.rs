//! A hash of what a row holds, for clients that bring it back.
