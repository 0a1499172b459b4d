//! A few bytes, over and over.

use std::sync::Arc;

/// Short patterns are unrolled to at least this many bytes, so that filling is a few large copies.
const UNROLLED: usize = 4096;

/// Bytes repeated from the target's start.
#[derive(Debug, Clone)]
pub(crate) struct Repeat {
    bytes: Arc<[u8]>,
}

impl Repeat {
    /// Repeats `bytes`; none at all means zeros.
    pub(crate) fn new(bytes: Arc<[u8]>) -> Self {
        if bytes.is_empty() {
            return Repeat {
                bytes: vec![0; UNROLLED].into(),
            };
        }
        if bytes.len() >= UNROLLED {
            return Repeat { bytes };
        }
        let times = UNROLLED.div_ceil(bytes.len());
        Repeat {
            bytes: bytes.repeat(times).into(),
        }
    }

    /// Fills `buf` with the bytes at `address`.
    pub(crate) fn fill(&self, buf: &mut [u8], address: u64) {
        let mut from = (address % self.bytes.len() as u64) as usize;
        let mut rest = buf;
        while !rest.is_empty() {
            let n = rest.len().min(self.bytes.len() - from);
            let (now, later) = rest.split_at_mut(n);
            now.copy_from_slice(&self.bytes[from..from + n]);
            rest = later;
            from = 0;
        }
    }
}

/// Whether `part` is cut out of `pattern`, repeated.
pub(crate) fn is_of(pattern: &[u8], part: &[u8]) -> bool {
    let length = pattern.len();
    let (Some(first), 1..) = (part.first(), length) else {
        return false;
    };
    let byte = |from: usize, at: usize| pattern[(from + at) % length];
    let starts = |from: &usize| pattern[*from] == *first;
    (0..length)
        .filter(starts)
        .any(|from| part.iter().enumerate().all(|(at, b)| *b == byte(from, at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_byte_is_the_patterns_byte_at_its_address(
            pattern in proptest::collection::vec(any::<u8>(), 1..9000), address in 0u64..1 << 48, len in 0usize..20_000
        ) {
            let mut buf = vec![0; len];
            Repeat::new(pattern.clone().into()).fill(&mut buf, address);
            for (i, b) in buf.iter().enumerate() {
                prop_assert_eq!(*b, pattern[((address + i as u64) % pattern.len() as u64) as usize]);
            }
        }
    }
}
