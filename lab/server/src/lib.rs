//! A storage array that other programs can use: the model of `plimsoll-array` behind NBD, in real time and with real
//! data, and an analytics page beside it.
//!
//! ```no_run
//! use plimsoll_server::{Endpoint, Server, ServerOptions};
//!
//! let mut options = ServerOptions::persona("scale-out-flash-8")?;
//! options.endpoints = vec![Endpoint::Tcp("127.0.0.1:10809".parse()?)];
//! let server = Server::start(options)?;
//! println!("{}", server.uri(0, 3)); // nbd://127.0.0.1:10809/scale-out-flash-8/lun3
//! server.stop();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each endpoint is a path to the array, numbered in the order in which they are given. A path leads to a port, and there
//! to the LUNs that are exported to the client over that port: at first all of them.
//!
//! What a request passes through:
//!
//! 1. [`connection`](self): one thread for each connection reads requests, asks the model when each of them is done,
//!    and sends the reply then. Its buffers are small and fixed, whatever the client does: data is taken from the store
//!    while it is sent, and stored while it comes.
//! 2. the model: the array behind one lock, against the clock.
//! 3. the store: the bytes, thin and without duplicates in memory, or in a sparse file.
//!
//! How late replies leave, against the model's word, is counted: it is the error bar of every latency that the lab
//! makes ([`Status::lag`](status::Status::lag)).

mod access;
mod assemble;
mod connection;
mod endpoint;
mod history;
mod history_thread;
mod http;
mod lag;
mod model;
mod options;
mod pace;
mod registry;
mod server;
pub mod status;
mod store;
mod turns;
mod unix_socket;

pub use endpoint::Endpoint;
pub use options::{Limits, ServerError, ServerOptions, Tls};
pub use plimsoll_array::FaultScript;
pub use server::Server;
