//! Trees of directories and files: which names they have, how large files are, which of them exist, and which is next.
//!
//! Pure and seeded: nothing here touches a disk. Names and sizes are computed from their numbers and not kept, and what exists is kept
//! in bitmaps, so that a tree of ten million files takes a few megabytes. Names and sizes are Vdbench's, or the names are numbered.

mod bits;
mod making;
mod others;
mod population;
mod shape;
mod sizes;

pub use making::{Maker, Next};
pub use others::{Inside, Leftover, Leftovers, Others};
pub use population::{Claim, Population, Present};
pub use shape::{Entry, Shape};
