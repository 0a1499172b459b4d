//! A record shown: terminal, Vdbench's logs, HTML.

pub mod diskspd;
mod figures;
pub mod fio;
pub mod html;
pub mod human;
pub mod json;
mod names;
mod quantity;
pub mod redact;
mod saturation;
pub mod terminal;
pub mod vdbench;
