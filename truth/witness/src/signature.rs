//! What a device holds: known signatures, and any block that isn't zero.

mod archive;
mod database;
mod image;
mod magic;
mod structure;
mod windows;

pub use windows::Windows;

use crate::offsets::sampled_offsets;
use crate::probe::Probe;
use serde::Serialize;
use std::io;

/// Bytes at the start that are looked at whole: as far as the farthest signature lies (VMFS, 2 MiB).
pub const HEAD_BYTES: u64 = (2 << 20) + 4096;
/// Bytes at the end that are looked at whole.
pub const TAIL_BYTES: u64 = 1 << 20;
/// Bytes at the start in which any data is seen.
pub const DENSE_BYTES: u64 = 16 << 20;
/// One sampled look.
pub const SAMPLE_BYTES: u64 = 4096;
/// What is read at once in between.
const PIECE_BYTES: u64 = 1 << 20;

/// A signature that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Signature {
    /// Of what: `ext4`, `LVM2 physical volume`.
    pub name: String,
    /// Where, bytes from the start.
    pub offset: u64,
}

/// What a look at a device found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scan {
    /// Known signatures, by offset.
    pub signatures: Vec<Signature>,
    /// Where the first non-zero block was seen; `None`: all that was looked at is zero.
    pub data_at: Option<u64>,
    /// Bytes looked at.
    pub looked_at_bytes: u64,
}

impl Scan {
    /// The signatures that data of tests doesn't have by chance.
    pub fn signatures_beside_tests(&self) -> impl Iterator<Item = &Signature> {
        let is_sure = |signature: &&Signature| !signature.may_be_chance();
        self.signatures.iter().filter(is_sure)
    }
}

impl Signature {
    /// True where it is so few bytes that random data has them now and then: any two once in 65,536 times.
    pub fn may_be_chance(&self) -> bool {
        ["nilfs2", "boot sector"].contains(&self.name.as_str())
    }
}

/// The signatures in what is visible of a device. Pure.
pub fn find(windows: &Windows<'_>) -> Vec<Signature> {
    let mut found = magic::find(windows);
    found.extend(structure::find(windows));
    found.extend(image::find(windows));
    found.extend(database::find(windows));
    found.extend(archive::find(windows));
    found.sort_by_key(|signature| signature.offset);
    found
}

/// Looks at the start and the end whole and at `samples` blocks between, drawn with `seed`; it stops at the first data. `size`
/// in bytes. An error is the read's own.
pub fn scan(probe: &mut Probe, size: u64, seed: u64, samples: usize) -> io::Result<Scan> {
    let head = probe.read(0, size.min(HEAD_BYTES) as usize)?.to_vec();
    let tail_at = size.saturating_sub(TAIL_BYTES);
    let tail = probe.read(tail_at, (size - tail_at) as usize)?.to_vec();
    let windows = Windows::new(&head, &tail, size);
    let mut scan = Scan {
        signatures: find(&windows),
        data_at: windows.first_nonzero(),
        looked_at_bytes: (head.len() + tail.len()) as u64,
    };
    let dense = DENSE_BYTES.min(tail_at);
    let pieces = (HEAD_BYTES..dense).step_by(PIECE_BYTES as usize);
    let pieces = pieces.map(|at| (at, PIECE_BYTES.min(dense - at)));
    let sampled = sampled_offsets(seed, dense.max(HEAD_BYTES), tail_at, SAMPLE_BYTES, samples);
    let sampled = sampled.into_iter().map(|at| (at, SAMPLE_BYTES));
    for (offset, length) in pieces.chain(sampled) {
        if scan.data_at.is_some() {
            break;
        }
        let block = probe.read(offset, length as usize)?;
        scan.looked_at_bytes += block.len() as u64;
        scan.data_at = first_nonzero(block).map(|at| offset + at as u64);
    }
    Ok(scan)
}

/// Index of the first byte that isn't zero.
pub fn first_nonzero(bytes: &[u8]) -> Option<usize> {
    // Whole words first: a loop that the compiler makes wide.
    let skip = bytes
        .chunks_exact(64)
        .take_while(|chunk| chunk.iter().fold(0u8, |all, byte| all | byte) == 0)
        .count()
        * 64;
    bytes[skip..]
        .iter()
        .position(|byte| *byte != 0)
        .map(|at| skip + at)
}
