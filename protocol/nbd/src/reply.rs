//! The headers of replies.

use crate::numbers::{CHUNK_MAGIC, SIMPLE_MAGIC};

/// Bytes of a simple reply. A read's data follows it.
pub const SIMPLE_REPLY: usize = 16;

/// Bytes of a chunk's header. Its payload follows it.
pub const CHUNK_HEADER: usize = 20;

/// A simple reply; `error` is 0 for success.
#[inline]
pub(crate) fn simple(error: u32, cookie: u64) -> [u8; SIMPLE_REPLY] {
    let mut out = [0; SIMPLE_REPLY];
    out[0..4].copy_from_slice(&SIMPLE_MAGIC.to_be_bytes());
    out[4..8].copy_from_slice(&error.to_be_bytes());
    out[8..16].copy_from_slice(&cookie.to_be_bytes());
    out
}

/// A chunk's header; `len` is that of its payload, bytes.
#[inline]
pub(crate) fn chunk(flags: u16, kind: u16, cookie: u64, len: u32) -> [u8; CHUNK_HEADER] {
    let mut out = [0; CHUNK_HEADER];
    out[0..4].copy_from_slice(&CHUNK_MAGIC.to_be_bytes());
    out[4..6].copy_from_slice(&flags.to_be_bytes());
    out[6..8].copy_from_slice(&kind.to_be_bytes());
    out[8..16].copy_from_slice(&cookie.to_be_bytes());
    out[16..20].copy_from_slice(&len.to_be_bytes());
    out
}
