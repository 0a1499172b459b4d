//! Text to plan: the native TOML, and Vdbench parameter files.

pub mod dialect;
pub mod native;
pub mod recognise;
pub mod vdbench;

pub use dialect::Dialect;
