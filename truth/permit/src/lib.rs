//! Who may write where.
//!
//! A permit is leave to write to one file or device, by its identity and not by its name. Nothing outside of this crate
//! can make one, and whatever opens something for writing takes one.

mod birth;
mod held;
mod nodes;
pub mod output;
mod refusal;
pub mod target;

pub use held::{Held, Identity};
pub use refusal::Refusal;
