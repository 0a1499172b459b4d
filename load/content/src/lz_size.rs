//! How small bytes become, without making them small.

/// Positions are remembered by a hash of four bytes.
const HASH_BITS: u32 = 12;
/// A match is at least this long…
const MIN_MATCH: usize = 4;
/// …does not reach into the last bytes…
const LAST_LITERALS: usize = 5;
/// …does not start later than this before the end…
const LAST_START: usize = 12;
/// …and lies at most this far back.
const FURTHEST: usize = 65_535;

/// The size of `bytes` as one LZ4 block, found as LZ4's fast search finds matches, without writing the block. Never
/// more than the bytes themselves: what does not compress is stored as it is.
pub fn lz_size(bytes: &[u8]) -> usize {
    let mut table = [0u32; 1 << HASH_BITS];
    let mut size = 0;
    let mut anchor = 0;
    let mut at = 0;
    let mut misses = 0;
    while at + LAST_START <= bytes.len() {
        let slot = &mut table[slot(bytes, at)];
        let candidate = *slot as usize;
        *slot = at as u32 + 1;
        if candidate == 0
            || at + 1 - candidate > FURTHEST
            || quad(bytes, candidate - 1) != quad(bytes, at)
        {
            // Ever larger steps through what does not compress.
            at += 1 + (misses >> 6);
            misses += 1;
            continue;
        }
        let (start, length) = extend(bytes, candidate - 1, at, anchor);
        size += sequence_size(start - anchor, length);
        anchor = start + length;
        at = anchor;
        misses = 0;
    }
    size += sequence_size(bytes.len() - anchor, 0);
    size.min(bytes.len())
}

/// Lengthens a match both ways; gives its start and its length.
fn extend(bytes: &[u8], mut from: usize, mut at: usize, anchor: usize) -> (usize, usize) {
    let end = bytes.len() - LAST_LITERALS;
    let ahead = (at..end)
        .zip(from..)
        .take_while(|(a, f)| bytes[*a] == bytes[*f])
        .count();
    let mut length = ahead;
    while at > anchor && from > 0 && bytes[at - 1] == bytes[from - 1] {
        at -= 1;
        from -= 1;
        length += 1;
    }
    (at, length)
}

fn quad(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn slot(bytes: &[u8], at: usize) -> usize {
    (quad(bytes, at).wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

/// An LZ4 sequence: a token, literals, and a match where there is one (the last sequence has none).
pub(crate) fn sequence_size(literals: usize, matched: usize) -> usize {
    let tail = if matched < MIN_MATCH {
        matched
    } else {
        2 + extra(matched - MIN_MATCH)
    };
    1 + literals + extra(literals) + tail
}

/// Bytes that a length takes beyond its half of the token.
fn extra(n: usize) -> usize {
    if n < 15 { 0 } else { (n - 15) / 255 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Noise;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_lz4_on_what_compresses_and_what_does_not() {
        let mut random = vec![0; 4096];
        Noise::new(3).fill(&mut random, 0, 0);
        assert_eq!(lz_size(&random), 4096);
        let text = "the quick brown fox jumps over the lazy dog; ".repeat(91);
        let mut half = random.clone();
        half[2000..].fill(7);
        for bytes in [text.as_bytes(), &half, &[0; 4096]] {
            let real = lz4_flex::block::compress(bytes).len() as f64;
            let got = lz_size(bytes) as f64;
            assert!(
                (got - real).abs() <= 4.0 + real * 0.02,
                "{got} against {real}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_size(bytes in proptest::collection::vec(0u8..4, 0..3000)) {
            prop_assert!(lz_size(&bytes) <= bytes.len());
        }
    }
}
