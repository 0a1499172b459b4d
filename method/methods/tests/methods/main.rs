//! Methods against made-up series and queues whose truth is known.

mod adaptive;
mod carrying;
mod curve;
mod held;
mod judging;
mod saturate;
mod saturate_drawn;
mod sequence;
mod soak;
mod starved;
mod streams;
mod sweep;
mod synthetic;
mod verdict;
