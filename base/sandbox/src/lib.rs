//! Wall around a foreign program, kept by the kernel: what it may write.
//!
//! Whatever a program was told to do, behind the wall it writes to what was opened to it and to nothing else. Reading and executing stay free. The wall is Landlock: it binds the thread that builds it and whatever
//! that thread starts, for good, so a program is started from a thread that exists for nothing else.

mod calls;
mod devices;

mod wall;

pub use devices::CONTROLS;
pub use wall::{Strength, Wall, strength};
