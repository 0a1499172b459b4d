//! A record shown: terminal, Vdbench's logs, HTML.

// A step's document is one `json!`, which the compiler reads a field at a time.
#![recursion_limit = "512"]

mod answer;
pub mod catalogue;
pub mod diskspd;
mod doubts;
mod figures;
pub mod fio;
pub mod gates;
pub mod html;
pub mod human;
pub mod json;
mod names;
mod quantity;
pub mod redact;
mod saturation;
mod sentence;
pub mod terminal;
pub mod vdbench;

pub use answer::{AnswerLines, Measured, shell_word};
pub use doubts::rule_words;
