//! Data that is there from the beginning.

use crate::array::Array;
use crate::map::{ZERO, data, unique};
use plimsoll_content::{Identity, mix64};
use std::ops::Range;

impl Array {
    /// Writes chunks in no time, as if long ago: what they hold is `identity` of their number. Chunks past the end of
    /// the LUN are left out.
    pub fn fill(
        &mut self,
        lun: u32,
        chunks: Range<u64>,
        mut identity: impl FnMut(u64) -> Identity,
    ) {
        for chunk in self.contents.within(lun, chunks) {
            let content = match identity(chunk) {
                Identity::Zero if self.contents.reduction.zeros => ZERO,
                Identity::Zero => data(ZERO),
                Identity::Data { fingerprint, .. } => data(fingerprint),
            };
            self.replace(lun, chunk, content, 0);
            if content != ZERO {
                self.media.place(self.contents.key(lun, chunk));
            }
        }
    }

    /// Writes chunks in no time, as if long ago, with data like no other: [`Array::fill`] in a moment, and without memory
    /// for what is only read. Chunks past the end of the LUN are left out.
    pub fn fill_unique(&mut self, lun: u32, chunks: Range<u64>, seed: u64) {
        let seed = mix64(seed) ^ mix64(u64::from(lun));
        let Range { start, end } = self.contents.within(lun, chunks);
        let mut chunk = start;
        while chunk < end {
            let filled = self.contents.fill_page(lun, chunk, end, seed);
            if filled == 0 {
                self.replace(lun, chunk, unique(mix64(seed ^ mix64(chunk))), 0);
            }
            let next = chunk + filled.max(1);
            if self.media.keeps_places() {
                (chunk..next).for_each(|c| self.media.place(self.contents.key(lun, c)));
            }
            chunk = next;
        }
    }
}
