//! Bytes that repeat, with the place of each I/O in them.

use std::sync::Arc;

/// fio's `verify_pattern=`, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternPlan {
    /// The bytes that repeat; at least one.
    pub bytes: Arc<[u8]>,
    /// Places in the bytes where the offset of the I/O stands, in eight bytes (`%o`).
    pub offsets: Arc<[u32]>,
    /// Length after which the pattern begins anew, with an offset of its own, bytes (`verify_pattern_interval=`).
    pub interval: Option<u32>,
}

impl PatternPlan {
    /// Fills `buf`, an I/O at `offset` of its file.
    pub(super) fn fill(&self, buf: &mut [u8], offset: u64) {
        let piece = self.interval.map_or(buf.len(), |n| n as usize).max(1);
        for (number, part) in (0..).zip(buf.chunks_mut(piece)) {
            self.fill_piece(part, offset + number * piece as u64);
        }
    }

    fn fill_piece(&self, part: &mut [u8], offset: u64) {
        for once in part.chunks_mut(self.bytes.len().max(1)) {
            once.copy_from_slice(&self.bytes[..once.len()]);
            for at in self.offsets.iter() {
                let place = once.iter_mut().skip(*at as usize);
                place
                    .zip(offset.to_le_bytes())
                    .for_each(|(byte, value)| *byte = value);
            }
        }
    }
}
