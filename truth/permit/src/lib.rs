//! Who may write where.
//!
//! A permit is leave to write to one file or device, by its identity and not by its name. Nothing outside of this crate
//! can make one, and whatever opens something for writing takes one.

mod birth;
mod last_change;
mod nodes;
pub mod output;
mod path_handle;
mod refusal;
mod removal;
pub mod target;
pub mod tree;
mod writers;

pub use path_handle::{Identity, PathHandle};
pub use refusal::Refusal;
