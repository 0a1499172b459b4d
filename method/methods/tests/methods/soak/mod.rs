//! What a soak makes of courses whose truth is known.

mod carried_out;
mod parts;
mod power;
mod verdicts;
