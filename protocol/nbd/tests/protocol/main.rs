//! The protocol as both sides see it: each other, other people's peers, and garbage.

mod garbage;
mod handshake;
mod options;
mod pair;
mod peers;
mod pieces;
mod replies;
mod requests;
mod tls;
