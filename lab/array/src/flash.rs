//! Flash: dies that are busy, and how logical pages are laid out on blocks that can only be erased whole.

mod dies;
mod mapping;
mod victims;

pub use dies::Dies;
pub use mapping::{Mapping, PageMove};
pub use victims::Victims;
