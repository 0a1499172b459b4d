//! fio's header of a verified block, byte for byte.
//!
//! Two layouts are out there: that of fio 3.40 and before, which is written, and that of 3.41, which has a version and is
//! understood (`verify.h` of both).

use super::sum::{Sum, crc32c};

const MAGIC: u16 = 0xacca;
/// What stands for the version; no sum of the older layout has this number.
const VERSION: u8 = 0x81;

/// The bytes of the layout that is written.
pub(super) const BYTES: usize = 40;
/// Those of fio 3.41's.
const BYTES_3_41: usize = 48;

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub magic: u16,
    pub sum: u8,
    /// Of the block with its header, bytes.
    pub len: u32,
    pub seed: u64,
    /// Offset of the block in its file, bytes.
    pub offset: u64,
    /// Seconds and nanoseconds.
    pub time: (u32, u32),
    pub number: u16,
    pub thread: u16,
    /// Over all before it.
    pub crc: u32,
    /// Sum that `crc` should be.
    pub wanted_crc: u32,
    /// Length of the header itself, bytes.
    pub bytes: usize,
}

impl Header {
    pub fn new(sum: u8, len: u32, seed: u64, offset: u64) -> Self {
        Header {
            magic: MAGIC,
            sum,
            len,
            seed,
            offset,
            time: (0, 0),
            number: 0,
            thread: 0,
            crc: 0,
            wanted_crc: 0,
            bytes: BYTES,
        }
    }

    /// Magic number with which every header begins.
    pub fn wanted_magic() -> u16 {
        MAGIC
    }

    /// Writes it to the beginning of `block`.
    pub fn write(&self, block: &mut [u8]) {
        block[0..2].copy_from_slice(&self.magic.to_le_bytes());
        block[2..4].copy_from_slice(&u16::from(self.sum).to_le_bytes());
        block[4..8].copy_from_slice(&self.len.to_le_bytes());
        block[8..16].copy_from_slice(&self.seed.to_le_bytes());
        block[16..24].copy_from_slice(&self.offset.to_le_bytes());
        block[24..28].copy_from_slice(&self.time.0.to_le_bytes());
        block[28..32].copy_from_slice(&self.time.1.to_le_bytes());
        block[32..34].copy_from_slice(&self.thread.to_le_bytes());
        block[34..36].copy_from_slice(&self.number.to_le_bytes());
        let crc = crc32c(&block[..36]);
        block[36..BYTES].copy_from_slice(&crc.to_le_bytes());
    }

    /// Header that stands at the beginning of `block`; `None` where the block is too short.
    pub fn read(block: &[u8]) -> Option<Header> {
        let is_new = *block.get(2)? == VERSION;
        let bytes = if is_new { BYTES_3_41 } else { BYTES };
        let block = block.get(..bytes)?;
        let u16_at = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        let (sum, number, thread) = match is_new {
            true => (block[3], u16_at(32), u16_at(40)),
            false => (block[2], u16_at(34), u16_at(32)),
        };
        Some(Header {
            magic: u16_at(0),
            sum,
            len: u32_at(4),
            seed: u64_at(8),
            offset: u64_at(16),
            time: (u32_at(24), u32_at(28)),
            number,
            thread,
            crc: u32_at(bytes - 4),
            wanted_crc: crc32c(&block[..bytes - 4]),
            bytes,
        })
    }
}

/// The length of the header, with its sum, that stands at the beginning of `block`; `None` where none does.
pub(crate) fn length_at(block: &[u8]) -> Option<usize> {
    if !block.starts_with(&MAGIC.to_le_bytes()) {
        return None;
    }
    let header = Header::read(block).filter(|header| header.crc == header.wanted_crc)?;
    Some(header.bytes + Sum::of_number(header.sum)?.bytes())
}
