//! Content of which a share of the blocks holds only zeros.

use crate::compression::BLOCK_END;
use crate::filler::Filler;
use crate::fingerprint::combine;
use crate::identity::Identity;
use plimsoll_draw::mix64;

/// What the filler of the other blocks makes, with zeros in a share of them.
///
/// Nothing is remembered: a block's number and the seed say whether it is one of zeros, so that writing it again writes zeros
/// again, whoever writes it and when.
#[derive(Debug, Clone)]
pub(crate) struct PartZero {
    pub(crate) under: Filler,
    unit: u64,
    /// A block whose number hashes to less than this holds zeros.
    below: u64,
    key: u64,
}

impl PartZero {
    /// Zeros in this share (0 to 1) of the blocks of `unit` bytes, drawn from `seed`.
    pub(crate) fn new(under: Filler, share: f64, unit: u64, seed: u64) -> Self {
        PartZero {
            under,
            unit: unit.max(512),
            // 2^64 as a float; the cast saturates.
            below: (share.clamp(0.0, 1.0) * 18_446_744_073_709_551_616.0) as u64,
            key: mix64(seed ^ 0x7a65_726f),
        }
    }

    fn is_zero(&self, number: u64) -> bool {
        mix64(number ^ self.key) < self.below
    }

    /// Cuts a range at the borders of blocks: where a piece begins, how long it is, and whether it is zeros.
    fn pieces(&self, offset: u64, len: u64) -> impl Iterator<Item = (u64, u64, bool)> {
        let end = offset + len;
        let mut at = offset;
        std::iter::from_fn(move || {
            let start = at;
            let number = start / self.unit;
            at = end.min((number + 1) * self.unit);
            (start < end).then(|| (start, at - start, self.is_zero(number)))
        })
    }

    pub(crate) fn fill(&self, buf: &mut [u8], offset: u64, generation: u64) {
        let mut done = 0;
        for (start, len, is_zero) in self.pieces(offset, buf.len() as u64) {
            let part = &mut buf[done..done + len as usize];
            match is_zero {
                true => part.fill(0),
                false => self.under.fill(part, start, generation),
            }
            done += len as usize;
        }
    }

    /// What an array finds: a range that is all zeros, none, or both. Zeros compress to next to nothing.
    pub(crate) fn identity(&self, offset: u64, len: u32, generation: u64) -> Identity {
        let (mut name, mut stored, mut any) = (0, BLOCK_END, false);
        for (start, piece, is_zero) in self.pieces(offset, u64::from(len)) {
            let found = match is_zero {
                true => Identity::Zero,
                false => self.under.identity(start, piece as u32, generation),
            };
            match found {
                Identity::Zero => name = combine(&[name, 0, piece]),
                // A whole range of one block is what it would be without zeros anywhere.
                Identity::Data { .. } if piece == u64::from(len) => return found,
                Identity::Data {
                    fingerprint,
                    compressed,
                } => {
                    any = true;
                    name = combine(&[name, 1, fingerprint]);
                    stored += u64::from(compressed);
                }
            }
        }
        match any {
            false => Identity::Zero,
            true => Identity::Data {
                fingerprint: name,
                compressed: stored.min(u64::from(len)) as u32,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ContentPlan, DedupePlan, Filler, Identity, Placement, identify_bytes};
    use std::collections::{HashMap, HashSet};

    const BLOCKS: u64 = 4000;

    fn plan(share: f64, dedupe: Option<DedupePlan>) -> ContentPlan {
        ContentPlan::PartZero {
            share,
            unit: 4096,
            seed: 7,
            rest: Box::new(ContentPlan::Reducible {
                compress: 1.0,
                dedupe,
            }),
        }
    }

    fn block(filler: &Filler, number: u64, generation: u64) -> Vec<u8> {
        let mut bytes = vec![1; 4096];
        filler.fill(&mut bytes, number * 4096, generation);
        bytes
    }

    #[test]
    fn the_share_of_zeros_and_the_ratio_of_the_rest_are_what_was_asked_for() {
        let dedupe = DedupePlan {
            ratio: 2.0,
            unit: 4096,
            sets: BLOCKS / 20,
            units: BLOCKS,
            flip_flop: false,
            placement: Placement::Scattered,
            seed: 5,
        };
        let filler = Filler::new(plan(0.5, Some(dedupe)), 1);
        let (mut zeros, mut different) = (0, HashSet::new());
        for number in 0..BLOCKS {
            match identify_bytes(&block(&filler, number, 0)) {
                Identity::Zero => zeros += 1,
                Identity::Data { fingerprint, .. } => {
                    different.insert(fingerprint);
                }
            }
        }
        // 50 %, give or take five standard deviations (31.6 blocks).
        assert!((1840..=2160).contains(&zeros), "{zeros}");
        let ratio = (BLOCKS - zeros) as f64 / different.len() as f64;
        assert!((1.8..=2.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_block_of_zeros_stays_one_and_the_rest_is_new_with_each_write() {
        let filler = Filler::new(plan(0.3, None), 1);
        for number in 0..200 {
            let (first, again) = (block(&filler, number, 1), block(&filler, number, 2));
            let is_zero = |bytes: &[u8]| bytes.iter().all(|b| *b == 0);
            assert_eq!(is_zero(&first), is_zero(&again));
            assert_eq!(is_zero(&first), first == again);
        }
        assert!(filler.is_fresh() && !filler.is_unique());
    }

    #[test]
    fn what_is_said_of_a_range_is_what_is_in_its_bytes() {
        let filler = Filler::new(plan(0.5, None), 1);
        let mut said = HashMap::new();
        for (offset, len) in (0..300u64).map(|n| (n * 2048, [2048u32, 4096, 8192][n as usize % 3]))
        {
            let mut bytes = vec![1; len as usize];
            filler.fill(&mut bytes, offset, 3);
            let (told, found) = (filler.identity(offset, len, 3), identify_bytes(&bytes));
            match (told, found) {
                (Identity::Zero, Identity::Zero) => {}
                (
                    Identity::Data {
                        fingerprint,
                        compressed,
                    },
                    Identity::Data {
                        fingerprint: real,
                        compressed: size,
                    },
                ) => {
                    assert_eq!(*said.entry(fingerprint).or_insert(real), real);
                    // Zeros in between take a few bytes of a codec's.
                    assert!(compressed.abs_diff(size) <= 128, "{compressed} {size}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
