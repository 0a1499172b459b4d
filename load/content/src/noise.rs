//! Random bytes by address.

use crate::aes::{Keys, LANE, Path, counter};
use plimsoll_draw::mix64;
use std::sync::LazyLock;

/// The round keys of all noise. They are always the same, so that 16 bytes of it lead back to the counter that they were
/// made of, whatever the seed: that is how Plimsoll knows what it has written ([`crate::Recogniser`]).
static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::new(0x706c_696d_736f_6c6c));

/// A function from (address, generation) to random bytes, one for each seed.
///
/// A byte depends on its own address and generation only, not on where a call starts or how long it is, so a large
/// write can be checked by small reads.
#[derive(Debug, Clone)]
pub struct Noise {
    /// What the generations of this seed are mixed with, so that other seeds count elsewhere.
    mask: u64,
    keys: Keys,
    path: Path,
}

impl Noise {
    /// The function of a seed, computed the fastest way that this CPU has.
    pub fn new(seed: u64) -> Self {
        Noise {
            // Not `mix64(seed)` itself: whoever draws generations by that would draw the masks.
            mask: mix64(!seed),
            keys: *KEYS,
            path: Path::detect(),
        }
    }

    /// Fills `buf` with the bytes at `address`, `address + 1`, …
    #[inline]
    pub fn fill(&self, buf: &mut [u8], address: u64, generation: u64) {
        self.fill_masked(buf, address, generation ^ self.mask);
    }

    /// As [`Self::fill`], of a generation that is mixed with the seed's mask already.
    #[inline]
    pub(crate) fn fill_masked(&self, buf: &mut [u8], address: u64, generation: u64) {
        let mut lane = address / LANE as u64;
        let skip = (address % LANE as u64) as usize;
        let mut rest = buf;
        if skip != 0 {
            let head = rest.len().min(LANE - skip);
            let bytes = self.lane(lane, generation);
            rest[..head].copy_from_slice(&bytes[skip..skip + head]);
            rest = &mut rest[head..];
            lane = lane.wrapping_add(1);
        }
        self.path.fill(&self.keys, lane, generation, rest);
        let tail = rest.len() % LANE;
        if tail != 0 {
            let whole = rest.len() - tail;
            let bytes = self.lane(lane.wrapping_add((whole / LANE) as u64), generation);
            rest[whole..].copy_from_slice(&bytes[..tail]);
        }
    }

    /// The byte at an address.
    pub fn byte(&self, address: u64, generation: u64) -> u8 {
        self.lane(address / LANE as u64, generation ^ self.mask)[(address % LANE as u64) as usize]
    }

    /// The lane and the masked generation that 16 bytes of noise were made of, whatever its seed. Any bytes lead to some; of
    /// real addresses the upper bits of a lane's number are 0.
    pub(crate) fn made_of(bytes: &[u8; LANE]) -> (u64, u64) {
        counter(&KEYS, bytes)
    }

    fn lane(&self, lane: u64, generation: u64) -> [u8; LANE] {
        let mut bytes = [0; LANE];
        self.path.fill(&self.keys, lane, generation, &mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Chi-square of byte counts, 255 degrees of freedom.
    fn chi_square(bytes: &[u8]) -> f64 {
        let mut counts = [0u64; 256];
        for b in bytes {
            counts[*b as usize] += 1;
        }
        let expected = bytes.len() as f64 / 256.0;
        counts
            .iter()
            .map(|c| (*c as f64 - expected).powi(2) / expected)
            .sum()
    }

    #[test]
    fn bytes_are_neither_uneven_nor_too_even() {
        for seed in 0..8 {
            let mut buf = vec![0; 4 << 20];
            Noise::new(seed).fill(&mut buf, seed << 30, seed);
            let x = chi_square(&buf);
            // 255 +- 22.6: five standard deviations on both sides. Two AES rounds would give 0.
            assert!((142.0..368.0).contains(&x), "seed {seed}: {x}");
        }
    }

    #[test]
    fn neighbouring_bits_and_lanes_are_independent() {
        let mut buf = vec![0u8; 1 << 20];
        Noise::new(9).fill(&mut buf, 0, 0);
        for distance in [1, 2, 4, 8, 16, 32, 64, 512, 4096] {
            let equal: u32 = buf
                .iter()
                .zip(&buf[distance..])
                .map(|(a, b)| (a ^ b).count_zeros())
                .sum();
            let n = ((buf.len() - distance) * 8) as f64;
            let z = (f64::from(equal) - n / 2.0) / (n / 4.0).sqrt();
            assert!(z.abs() < 5.0, "distance {distance}: {z}");
        }
    }

    #[test]
    fn all_lanes_of_a_generation_differ_and_so_do_generations_and_seeds() {
        let mut lanes = std::collections::HashSet::new();
        for seed in 0..4 {
            for generation in 0..4 {
                let mut buf = vec![0; 256 << 10];
                Noise::new(seed).fill(&mut buf, 1 << 40, generation);
                for lane in buf.chunks_exact(LANE) {
                    assert!(lanes.insert(lane.to_vec()));
                }
            }
        }
    }

    #[test]
    fn neither_lz4_nor_zstd_gains_anything() {
        let mut buf = vec![0; 128 << 10];
        Noise::new(7).fill(&mut buf, 0, 0);
        for unit in [4096, 65536, 131_072] {
            for block in buf.chunks_exact(unit) {
                assert!(lz4_flex::block::compress(block).len() >= unit);
                assert!(zstd::bulk::compress(block, 1).expect("compresses").len() >= unit);
            }
        }
    }

    proptest! {
        #[test]
        fn a_byte_does_not_depend_on_where_a_call_starts(
            seed: u64, address in 0u64..1 << 48, generation: u64, len in 0usize..700, cut in 0usize..700
        ) {
            let noise = Noise::new(seed);
            let mut whole = vec![0; len];
            noise.fill(&mut whole, address, generation);
            let cut = cut.min(len);
            let mut parts = vec![0; len];
            noise.fill(&mut parts[..cut], address, generation);
            noise.fill(&mut parts[cut..], address + cut as u64, generation);
            prop_assert_eq!(&whole, &parts);
            if let Some(b) = whole.get(cut) {
                prop_assert_eq!(*b, noise.byte(address + cut as u64, generation));
            }
        }
    }
}
