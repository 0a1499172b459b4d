//! Text to plan: the native TOML, and the definitions of other tools; and plans as texts again.

#[macro_use]
mod codes;

pub mod asked;
pub mod convert;
pub mod dialect;
pub mod diskspd;
pub mod fio;
pub mod native;
pub mod recognise;
pub mod vdbench;

pub use asked::{AskedRun, AskedStream};
pub use dialect::{Dialect, program_name};
