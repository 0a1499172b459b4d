//! The rounds backwards: of 16 bytes, the counter that they were made of.

use super::{Keys, LANE, ROUNDS, portable};

/// The inverse of the S-box.
static INVERSE: [u8; 256] = inverse_sbox();

const fn inverse_sbox() -> [u8; 256] {
    let forward = portable::sbox();
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[forward[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// The lane and the generation whose bytes these are. Any 16 bytes are those of some.
pub(crate) fn counter(keys: &Keys, bytes: &[u8; LANE]) -> (u64, u64) {
    let mut state = u128::from_le_bytes(*bytes);
    for key in keys.0[1..=ROUNDS].iter().rev() {
        let mixed = (state ^ key).to_le_bytes();
        let mut before = [0; LANE];
        for (column, four) in mixed.chunks_exact(4).enumerate() {
            for (row, byte) in unmixed(four).into_iter().enumerate() {
                // Row r was taken from r columns farther on.
                before[(column + row) % 4 * 4 + row] = INVERSE[usize::from(byte)];
            }
        }
        state = u128::from_le_bytes(before);
    }
    state ^= keys.0[0];
    (state as u64, (state >> 64) as u64)
}

/// MixColumns backwards: four times forwards changes nothing, so three times is its inverse.
fn unmixed(column: &[u8]) -> [u8; 4] {
    let once = |c: [u8; 4]| {
        let all = c[0] ^ c[1] ^ c[2] ^ c[3];
        [0, 1, 2, 3].map(|row| c[row] ^ all ^ portable::times_x(c[row] ^ c[(row + 1) % 4]))
    };
    once(once(once([column[0], column[1], column[2], column[3]])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_made_of_a_counter_leads_back_to_it(seed: u64, lane: u64, generation: u64) {
            let keys = Keys::new(seed);
            let mut bytes = [0; LANE];
            portable::fill(&keys, lane, generation, &mut bytes);
            prop_assert_eq!(counter(&keys, &bytes), (lane, generation));
        }
    }
}
