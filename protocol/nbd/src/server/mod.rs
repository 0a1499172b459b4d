//! The server's side: a [`Handshake`] that ends in a [`Session`](crate::Session), then [`Requests`] in and
//! [`ReplyEncoder`] out.

mod encoder;
mod handshake;
mod requests;

pub use encoder::{Extent, ReplyEncoder};
pub use handshake::{Handshake, Progress, Tls};
pub use requests::{Event, PayloadAhead, Requests};
