//! How large the requests were that reached a LUN: a host that splits them shows here.

/// Requests by size, in powers of two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    counts: [u64; Self::BUCKETS],
}

impl Sizes {
    /// Up to 512 bytes, up to 1 KiB, … and everything above 16 MiB.
    pub const BUCKETS: usize = 17;

    /// Counts a request.
    #[inline]
    pub fn count(&mut self, len: u32) {
        let above = len
            .max(1)
            .div_ceil(512)
            .next_power_of_two()
            .trailing_zeros() as usize;
        self.counts[above.min(Self::BUCKETS - 1)] += 1;
    }

    /// (The largest size of the bucket in bytes, how many), for each bucket.
    pub fn each(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().enumerate().map(|(i, c)| (512 << i, *c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_request_is_seen_as_its_pieces() {
        let mut sizes = Sizes::default();
        for len in [262_144, 262_144, 4096, 513, 512, u32::MAX] {
            sizes.count(len);
        }
        let seen: Vec<_> = sizes.each().filter(|s| s.1 > 0).collect();
        assert_eq!(
            seen,
            [
                (512, 1),
                (1024, 1),
                (4096, 1),
                (262_144, 2),
                (33_554_432, 1)
            ]
        );
    }
}
