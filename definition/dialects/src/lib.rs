//! Text to plan: the native TOML, Vdbench parameter files, and job files of fio.

pub mod dialect;
pub mod fio;
pub mod native;
pub mod recognise;
pub mod vdbench;

pub use dialect::Dialect;
