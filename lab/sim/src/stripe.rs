//! Volumes that a host stripes over several LUNs of one array: which bytes lie where, and what of a request each column gets.

use plimsoll_array::{CHUNK, Io, IoKind};
use std::ops::Range;

/// A stripe over LUNs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stripe {
    /// LUN of each column.
    pub luns: Vec<u32>,
    /// Bytes that lie on one column before the next one's come: whole chunks.
    pub unit: u64,
}

impl Stripe {
    fn width(&self) -> u64 {
        self.unit.saturating_mul(self.luns.len() as u64)
    }

    /// Bytes of the volume on LUNs of so many bytes: whole rows.
    pub fn bytes(&self, lun_bytes: u64) -> u64 {
        lun_bytes / self.unit * self.width()
    }

    /// The column and its byte where a byte of the volume lies.
    fn place(&self, at: u64) -> (u32, u64) {
        let (row, column) = (at / self.width(), at % self.width() / self.unit);
        let lun = self.luns[column as usize];
        (lun, row * self.unit + at % self.unit)
    }

    /// The byte of the volume that lies on a column's byte.
    pub fn volume_byte(&self, column: usize, at: u64) -> u64 {
        at / self.unit * self.width() + column as u64 * self.unit + at % self.unit
    }

    /// Chunks of each column that bytes of the volume lie on, as far as they are whole rows of it.
    pub fn column_chunks(&self, bytes: Range<u64>) -> Range<u64> {
        let at = |byte: u64| byte / self.width() * self.unit / CHUNK;
        at(bytes.start)..at(bytes.end + self.width() - 1)
    }

    /// A request cut at the borders of the units, as a volume manager cuts it. A flush goes to every column.
    pub fn pieces<'a>(&self, io: &Io<'a>) -> Vec<Io<'a>> {
        if io.op == IoKind::Flush {
            return self
                .luns
                .iter()
                .map(|lun| Io { lun: *lun, ..*io })
                .collect();
        }
        let (mut at, end) = (io.offset, io.offset + u64::from(io.len));
        let mut pieces = Vec::new();
        while at < end {
            let until = (at / self.unit + 1).saturating_mul(self.unit).min(end);
            let (lun, offset) = self.place(at);
            let chunk = |byte: u64| (byte / CHUNK - io.offset / CHUNK) as usize;
            let carried = chunk(at)..chunk(until + CHUNK - 1);
            pieces.push(Io {
                lun,
                offset,
                len: (until - at) as u32,
                blocks: io.blocks.get(carried).unwrap_or_default(),
                ..*io
            });
            at = until;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_content::Identity;

    #[test]
    fn a_request_is_cut_at_units_and_each_piece_takes_its_blocks_along() {
        let stripe = Stripe {
            luns: vec![5, 2, 7],
            unit: 2 * CHUNK,
        };
        let blocks: Vec<Identity> = (0..8)
            .map(|fingerprint| Identity::Data {
                fingerprint,
                compressed: CHUNK as u32,
            })
            .collect();
        let whole = Io {
            lun: 9,
            op: IoKind::Write,
            blocks: &blocks,
            ..Io::read(9, 5 * CHUNK, 8 * CHUNK as u32)
        };
        let pieces = stripe.pieces(&whole);
        let places: Vec<_> = pieces
            .iter()
            .map(|p| (p.lun, p.offset / CHUNK, u64::from(p.len) / CHUNK))
            .collect();
        assert_eq!(
            places,
            [(7, 1, 1), (5, 2, 2), (2, 2, 2), (7, 2, 2), (5, 4, 1)]
        );
        let carried = pieces.iter().flat_map(|p| p.blocks);
        assert_eq!(carried.copied().collect::<Vec<_>>(), blocks);
        assert_eq!(stripe.bytes(5 * CHUNK), 12 * CHUNK);
        for at in (0..40).map(|n| n * 1000) {
            let (lun, own) = stripe.place(at);
            let column = stripe.luns.iter().position(|l| *l == lun).unwrap();
            assert_eq!(stripe.volume_byte(column, own), at);
        }
    }
}
