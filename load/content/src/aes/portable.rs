//! AES rounds with tables, for CPUs without AES instructions.

use super::{Keys, LANE};

/// Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2.1).
pub(super) const fn times_x(a: u8) -> u8 {
    (a << 1) ^ (if a & 0x80 != 0 { 0x1b } else { 0 })
}

/// The S-box (FIPS 197, 5.1.1), by walking the powers of the generator 3 and of its inverse at once.
pub(super) const fn sbox() -> [u8; 256] {
    let mut table = [0; 256];
    let mut power: u8 = 1;
    let mut inverse: u8 = 1;
    loop {
        power ^= times_x(power);
        // Division by 3.
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 0x09;
        }
        table[power as usize] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        if power == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
}

/// SubBytes and MixColumns of a byte in row 0; the other rows are rotations of it.
const fn round_table() -> [u32; 256] {
    let sbox = sbox();
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let s = sbox[i];
        let double = times_x(s);
        table[i] = u32::from_le_bytes([double, s, s, double ^ s]);
        i += 1;
    }
    table
}

static TABLE: [u32; 256] = round_table();

#[inline]
fn round(s: [u32; 4], key: u128) -> [u32; 4] {
    let column = |j: usize| {
        let byte = |row: usize| TABLE[(s[(j + row) % 4] >> (8 * row)) as usize & 0xff];
        byte(0)
            ^ byte(1).rotate_left(8)
            ^ byte(2).rotate_left(16)
            ^ byte(3).rotate_left(24)
            ^ (key >> (32 * j)) as u32
    };
    [column(0), column(1), column(2), column(3)]
}

fn lane_bytes(keys: &Keys, lane: u64, generation: u64) -> [u8; LANE] {
    let start = (u128::from(generation) << 64 | u128::from(lane)) ^ keys.0[0];
    let mut s = [
        start as u32,
        (start >> 32) as u32,
        (start >> 64) as u32,
        (start >> 96) as u32,
    ];
    for key in &keys.0[1..] {
        s = round(s, *key);
    }
    let mut out = [0; LANE];
    for (bytes, word) in out.chunks_exact_mut(4).zip(s) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// See [`super::Path::fill`].
pub(super) fn fill(keys: &Keys, lane: u64, generation: u64, out: &mut [u8]) {
    for (i, bytes) in out.chunks_exact_mut(LANE).enumerate() {
        bytes.copy_from_slice(&lane_bytes(keys, lane.wrapping_add(i as u64), generation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_s_box_is_the_standards() {
        let s = sbox();
        assert_eq!(
            [s[0x00], s[0x01], s[0x53], s[0xff]],
            [0x63, 0x7c, 0xed, 0x16]
        );
        let mut seen = s;
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(i, b)| i == *b as usize));
    }

    #[test]
    fn a_round_is_the_standards() {
        // FIPS 197, appendix B: the state at the start of round 1, its round key, and the state at the start of round 2.
        let start =
            u128::from_be_bytes(0x193d_e3be_a0f4_e22b_9ac6_8d2a_e9f8_4808u128.to_le_bytes());
        let key = u128::from_be_bytes(0xa0fa_fe17_8854_2cb1_23a3_3939_2a6c_7605u128.to_le_bytes());
        let next = u128::from_be_bytes(0xa49c_7ff2_689f_352b_6b5b_ea43_026a_5049u128.to_le_bytes());
        let words = [
            start as u32,
            (start >> 32) as u32,
            (start >> 64) as u32,
            (start >> 96) as u32,
        ];
        let got = round(words, key);
        let got = got
            .iter()
            .rev()
            .fold(0u128, |n, w| n << 32 | u128::from(*w));
        assert_eq!(got, next);
    }
}
