//! The model of a storage array: when an I/O completes and where it was served.
//!
//! [`Array::submit`] takes a request and the time, and answers at once when it will be done. It reads no clock, sleeps
//! never and draws no number that its seed doesn't determine: the same requests at the same times give the same
//! answers. In virtual time the answer is the next event; against a real clock it's the time at which to reply.
//!
//! An array is built from a [`Persona`], a TOML file with every parameter and its source, at a scale that divides
//! rates, parallelism, capacity, caches and journal, and keeps latencies. What happens inside:
//!
//! - [`path`]: ports with a rate, paths that can be slow, down or silent;
//! - [`slice`], [`core`]: slices of a LUN are owned by cores, in turn; an owner bears a share of each request's cost,
//!   the core on which the data is placed by its fingerprint another, and the rest goes round;
//! - [`map`], [`dedupe`]: zeros, duplicates and compressible data are known by looking at what is written;
//! - [`snapshot`]: writes are redirected while a snapshot needs what was there;
//! - [`cache`]: hits are earned by earlier reads;
//! - [`journal`]: writes are acknowledged from it while there is room;
//! - [`flash`]: dies that are busy, page mapping, garbage collection;
//! - [`tier`], [`node`]: disks below the flash, data on other nodes;
//! - [`depth`]: latency by requests in flight, for arrays that are known only by a measured curve;
//! - [`filer`]: file systems behind a gateway, in front of the array;
//! - [`host`]: a host that starves in front of a healthy array;
//! - [`fault`]: what can be done to it while it works, at once ([`Array::inject`]) or at a time ([`Array::schedule`], or
//!   `[[faults]]` in the persona);
//! - [`counters`], [`sizes`], [`working_set`]: what an analytics page shows.
//!
//! Times are nanoseconds and never go back from one call to the next. All stations are charged at the instant when a
//! request arrives (see [`station`]). At a scale above 1 each core is slower by the scale, so queues are as long in time
//! but shorter in requests, and at low load a request waits longer for the one before it than it would at full size.

mod agenda;
mod array;
mod backlog;
pub mod cache;
pub mod complaint;
mod contents;
pub mod core;
pub mod counters;
pub mod dedupe;
pub mod depth;
mod expected;
pub mod fault;
pub mod filer;
mod fill;
pub mod fit;
pub mod flash;
mod footprint;
pub mod gateways;
mod host;
mod inject;
pub mod io;
pub mod journal;
mod lun;
pub mod map;
pub mod masking;
mod media;
pub mod node;
pub mod path;
pub mod persona;
mod read;
pub mod sizes;
pub mod slice;
pub mod snapshot;
pub mod span;
pub mod station;
pub mod tier;
mod words;
pub mod working_set;
mod write;

pub use agenda::Event;
pub use array::Array;
pub use complaint::Complaint;
pub use counters::Counters;
pub use expected::{Expected, expected};
pub use fault::{Fault, FaultError, FaultScript, FaultWordsError, ScheduledFault, ScriptError};
pub use filer::Filer;
pub use footprint::{Footprint, GREATEST_SCALE};
pub use io::{CHUNK, Completion, Io, IoKind, Served, Status};
pub use lun::Lun;
pub use masking::Masking;
pub use path::PathCondition;
pub use persona::{Persona, PersonaError};
pub use snapshot::SnapshotError;
pub use span::Span;
