//! Four AES rounds over a counter: memory-speed bytes that are the same on every machine.
//!
//! Two rounds are not enough: over a counter they give perfectly even byte counts (a chi-square of 0), which is
//! structure, not noise. Four pass, and cost nothing with wide AES instructions. This is a generator, not a cipher: ten
//! rounds would be needed to keep a secret.
//!
//! A *lane* is 16 bytes. Lane number and generation are the two halves of its counter. Each round is a permutation, so
//! different counters always give different lanes.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod inverse;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use inverse::counter;
use plimsoll_draw::mix64;

/// Bytes of a lane.
pub(crate) const LANE: usize = 16;

/// Rounds after the first whitening.
const ROUNDS: usize = 4;

/// Round keys, as little-endian words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys([u128; ROUNDS + 1]);

impl Keys {
    /// Keys from a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = mix64(seed);
        Keys([(); ROUNDS + 1].map(|()| {
            let low = mix64(state);
            let high = mix64(low ^ seed.rotate_left(32));
            state = mix64(high);
            u128::from(high) << 64 | u128::from(low)
        }))
    }
}

/// How the rounds are computed; all ways give the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// Four lanes an instruction.
    #[cfg(target_arch = "x86_64")]
    Vaes512,
    /// One lane an instruction.
    #[cfg(target_arch = "x86_64")]
    AesNi,
    /// One lane an instruction.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Tables.
    Portable,
}

impl Path {
    /// The fastest way on this CPU.
    pub(crate) fn detect() -> Self {
        Self::available()[0]
    }

    /// All ways on this CPU, fastest first.
    pub(crate) fn available() -> Vec<Self> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("aes") {
                if std::arch::is_x86_feature_detected!("vaes")
                    && std::arch::is_x86_feature_detected!("avx512f")
                {
                    paths.push(Path::Vaes512);
                }
                paths.push(Path::AesNi);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("aes") {
            paths.push(Path::Neon);
        }
        paths.push(Path::Portable);
        paths
    }

    /// Fills `out` with lanes `lane`, `lane + 1`, … of a generation; a last part shorter than a lane is left alone.
    #[inline]
    pub(crate) fn fill(self, keys: &Keys, lane: u64, generation: u64, out: &mut [u8]) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` names this path only where the CPU has avx512f, vaes and aes.
            Path::Vaes512 => unsafe { x86::fill_vaes512(keys, lane, generation, out) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` names this path only where the CPU has aes.
            Path::AesNi => unsafe { x86::fill_aes_ni(keys, lane, generation, out) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: `available` names this path only where the CPU has aes.
            Path::Neon => unsafe { aarch64::fill_neon(keys, lane, generation, out) },
            Path::Portable => portable::fill(keys, lane, generation, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_gives_the_same_bytes(
            seed: u64, lane: u64, generation: u64, lanes in 0usize..70, tail in 0usize..LANE
        ) {
            let keys = Keys::new(seed);
            let mut expected = vec![0; lanes * LANE + tail];
            Path::Portable.fill(&keys, lane, generation, &mut expected);
            for path in Path::available() {
                let mut got = vec![0; expected.len()];
                path.fill(&keys, lane, generation, &mut got);
                prop_assert_eq!(&got, &expected, "{:?}", path);
            }
        }
    }

    #[test]
    fn the_bytes_never_change_between_versions() {
        // What was written by one version is verified by the next.
        let mut out = [0; 32];
        Path::Portable.fill(&Keys::new(1), 2, 3, &mut out);
        assert_eq!(
            out[..16],
            95_715_691_833_311_232_874_714_093_553_690_993_031u128.to_le_bytes()
        );
    }
}
