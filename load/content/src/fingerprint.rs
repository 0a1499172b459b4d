//! A 64-bit name for bytes.

use plimsoll_draw::mix64;

const A: u64 = 0xa076_1d64_78bd_642f;
const B: u64 = 0xe703_7ed1_a0b4_28db;

/// Both halves of a product, folded: how wyhash and its relatives mix.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut w = [0; 8];
    w[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(w)
}

/// A hash of bytes and their number; for telling blocks apart, not against an adversary.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    let mut state = mix64(bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(16);
    for c in &mut chunks {
        state = fold(word(&c[..8]) ^ A, word(&c[8..]) ^ state ^ B);
    }
    let rest = chunks.remainder();
    let (low, high) = rest.split_at(rest.len().min(8));
    mix64(fold(word(low) ^ B, word(high) ^ state ^ A) ^ state)
}

/// A hash of words, in order.
pub(crate) fn combine(words: &[u64]) -> u64 {
    words
        .iter()
        .fold(A, |state, w| mix64(state ^ mix64(*w)).rotate_left(23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_changed_bit_changes_about_half_of_the_hash() {
        let mut bytes = vec![0x5a; 521];
        let base = fingerprint(&bytes);
        let mut moved = 0;
        for i in 0..bytes.len() {
            bytes[i] ^= 4;
            let f = fingerprint(&bytes);
            assert_ne!(f, base, "byte {i}");
            moved += (f ^ base).count_ones();
            bytes[i] ^= 4;
        }
        let mean = f64::from(moved) / bytes.len() as f64;
        assert!((30.0..34.0).contains(&mean), "{mean}");
    }

    #[test]
    fn length_and_order_count() {
        assert_ne!(fingerprint(&[0; 16]), fingerprint(&[0; 17]));
        assert_ne!(combine(&[1, 2]), combine(&[2, 1]));
    }
}
