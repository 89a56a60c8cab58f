//! Code: a judged model as implementations of the library's traits.

mod bind;
mod columns;
mod declared;
mod entity;
mod generics;
mod guard;
mod mark;
mod merge;
mod part;
mod stub;
mod touch;
mod version;
mod version_check;
mod versions;

pub(crate) use entity::entity;
pub(crate) use part::part;
pub(crate) use stub::{entity_stub, part_stub};
