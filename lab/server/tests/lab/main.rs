//! A lab as its clients see it.

mod client;
mod data;
mod faults;
mod hostile;
mod http;
mod stage;
mod tools;
