//! What a soak makes of courses whose truth is known.

mod carried_out;
mod parts;
mod power;
#[path = "../synthetic/mod.rs"]
mod synthetic;
mod verdicts;
