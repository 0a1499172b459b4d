//! The client's side: a [`Handshake`] that ends in a [`Session`](crate::Session), then
//! [`Request::to_bytes`](crate::Request::to_bytes) out and [`Replies`] in.
//!
//! ```no_run
//! # use std::io::{Read, Write};
//! use plimsoll_nbd::client::{Awaited, Handshake, Outcome, Progress, Replies, Reply, Wanted};
//! use plimsoll_nbd::{Command, MAX_MESSAGE, Request};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut socket = std::net::TcpStream::connect("localhost:10809")?;
//! let (mut input, mut held, mut output) = (vec![0; MAX_MESSAGE], 0, Vec::new());
//!
//! let mut handshake = Handshake::new(Wanted::export("scale-out-flash-8/lun3"))?;
//! let session = loop {
//!     let mut rest = &input[..held];
//!     let progress = handshake.next(&mut rest, &mut output)?;
//!     let used = held - rest.len();
//!     input.copy_within(used..held, 0);
//!     held -= used;
//!     match progress {
//!         Progress::Ready(session) => break session,
//!         Progress::StartTls => return Err("nobody asked for TLS".into()),
//!         Progress::Send => {
//!             socket.write_all(&output)?;
//!             output.clear();
//!         }
//!         Progress::NeedInput => match socket.read(&mut input[held..])? {
//!             0 => return Err("the server hung up".into()),
//!             n => held += n,
//!         },
//!     }
//! };
//!
//! let mut replies = Replies::new(&session);
//! let mut block = vec![0; 4096];
//! let request = Request::new(Command::Read, 7, 0, 4096);
//! socket.write_all(&request.to_bytes())?;
//! let mut in_flight = [(request.cookie, Awaited::new(&request))];
//! let mut done = false;
//! while !done {
//!     let mut rest = &input[..held];
//!     while let Some(reply) = replies.next(&mut rest, &mut in_flight[..])? {
//!         match reply {
//!             Reply::Payload { at, bytes, .. } => block[at as usize..][..bytes.len()].copy_from_slice(bytes),
//!             Reply::Hole { at, len, .. } => block[at as usize..][..len as usize].fill(0),
//!             Reply::Error { .. } | Reply::Extent { .. } => {}
//!             Reply::Done { outcome: Outcome::Good, .. } => done = true,
//!             Reply::Done { outcome, .. } => return Err(format!("the read failed: {outcome:?}").into()),
//!         }
//!     }
//!     let used = held - rest.len();
//!     input.copy_within(used..held, 0);
//!     held -= used;
//!     if let Some(next) = replies.payload() {
//!         // Nothing is held now: the rest of the data can go where it belongs without a detour.
//!         let place = &mut block[next.at as usize..][..next.left as usize];
//!         socket.read_exact(place)?;
//!         replies.took(next.left);
//!     } else if !done {
//!         held += socket.read(&mut input[held..])?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod awaited;
mod coverage;
mod handshake;
mod replies;

pub use awaited::{Awaited, InFlight, Outcome};
pub use handshake::{Handshake, Progress, Wanted};
pub use replies::{PayloadAhead, Replies, Reply};
