//! AES rounds with ARMv8 instructions.
//!
//! ARM splits a round elsewhere than x86 does: AESE adds the key, then substitutes and shifts; AESMC mixes. So x86's
//! key of a round is added at the start of the next one here, and the last by hand.

use super::{Keys, LANE, ROUNDS};
use std::arch::aarch64::{uint8x16_t, vaeseq_u8, vaesmcq_u8, veorq_u8, vld1q_u8, vst1q_u8};

/// See [`super::Path::fill`].
#[target_feature(enable = "neon,aes")]
pub(super) fn fill_neon(keys: &Keys, lane: u64, generation: u64, out: &mut [u8]) {
    let load = |x: u128| -> uint8x16_t {
        let bytes = x.to_le_bytes();
        // SAFETY: `bytes` is 16 readable bytes, and the load needs no alignment.
        unsafe { vld1q_u8(bytes.as_ptr()) }
    };
    let k = keys.0.map(load);
    let mut next = lane;
    for to in out.chunks_exact_mut(LANE) {
        let mut x = load(u128::from(generation) << 64 | u128::from(next));
        next = next.wrapping_add(1);
        for key in &k[..ROUNDS] {
            x = vaesmcq_u8(vaeseq_u8(x, *key));
        }
        x = veorq_u8(x, k[ROUNDS]);
        // SAFETY: `to` is 16 writable bytes, and the store needs no alignment.
        unsafe { vst1q_u8(to.as_mut_ptr(), x) };
    }
}
