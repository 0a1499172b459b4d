//! A lab as its clients see it.

mod client;
mod data;
mod faults;
mod hostile;
mod http;
mod http_client;
mod masking;
mod stage;
mod tools;
