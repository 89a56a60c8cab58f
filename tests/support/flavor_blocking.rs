//! What the scenarios of this binary work with: Diesel's own connections.

/// How much longer a statement takes than on a blocking connection.
pub const SLOWER: u32 = 1;

pub mod prelude {
    //! The names that a scenario uses.

    pub use diesel_versioned::prelude::*;
}
