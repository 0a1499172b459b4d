//! What bytes are written: generators, and the identity of a block.
//!
//! A [`Filler`] turns (seed, address, generation) into bytes, always the same ones, on every machine: what was written
//! can be checked later without a copy. Duplicates that alternate are the exception: they depend on how often their block
//! was written ([`Rewrites`]). [`Identity`] says of a block what an array that reduces data would find in it:
//! zeros, data that it has seen before, and how far it compresses; from the filler's description
//! ([`Filler::identity`]) or from bytes ([`identify_bytes`]).

mod aes;
mod compression;
mod dedupe;
mod filler;
mod fingerprint;
mod identity;
mod lz_size;
mod noise;
mod plan;
mod prefetch;
mod reciprocal;
mod recogniser;
mod repeat;
mod rewrites;
mod runs;
mod scattered;
pub mod verify;

pub use filler::Filler;
pub use identity::{Identity, identify_bytes, identify_uncompressed};
pub use lz_size::lz_size;
pub use noise::Noise;
pub use plan::{ContentPlan, DedupePlan, Placement};
pub use plimsoll_draw::mix64;
pub use prefetch::prefetch;
pub use recogniser::Recogniser;
pub use rewrites::Rewrites;
