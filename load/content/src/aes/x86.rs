//! AES rounds with x86 instructions.

use super::{Keys, LANE, ROUNDS};
use std::arch::x86_64::{
    __m128i, __m512i, _mm_aesenc_si128, _mm_set_epi64x, _mm_storeu_si128, _mm_xor_si128,
    _mm512_add_epi64, _mm512_aesenc_epi128, _mm512_broadcast_i32x4, _mm512_set_epi64,
    _mm512_storeu_si512, _mm512_xor_si512,
};

/// Lanes of a 512-bit register.
const WIDE: usize = 4;
/// Registers in flight: an AES round takes 3 to 5 cycles and a new one can start every cycle.
const DEEP: usize = 8;

#[inline]
#[target_feature(enable = "aes")]
fn round_keys(keys: &Keys) -> [__m128i; ROUNDS + 1] {
    keys.0.map(|k| _mm_set_epi64x((k >> 64) as i64, k as i64))
}

/// See [`super::Path::fill`]: four lanes an instruction, eight registers deep.
#[target_feature(enable = "avx512f,vaes,aes")]
pub(super) fn fill_vaes512(keys: &Keys, lane: u64, generation: u64, out: &mut [u8]) {
    const BYTES: usize = WIDE * DEEP * LANE;
    let wide = round_keys(keys).map(|k| _mm512_broadcast_i32x4(k));
    let g = generation as i64;
    let at = |l: u64| l as i64;
    let mut counter = _mm512_set_epi64(
        g,
        at(lane.wrapping_add(3)),
        g,
        at(lane.wrapping_add(2)),
        g,
        at(lane.wrapping_add(1)),
        g,
        at(lane),
    );
    let step = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
    let mut chunks = out.chunks_exact_mut(BYTES);
    let mut done = 0u64;
    for chunk in &mut chunks {
        let mut s: [__m512i; DEEP] = [counter; DEEP];
        for x in &mut s {
            *x = _mm512_xor_si512(counter, wide[0]);
            counter = _mm512_add_epi64(counter, step);
        }
        for key in &wide[1..] {
            for x in &mut s {
                *x = _mm512_aesenc_epi128(*x, *key);
            }
        }
        for (to, x) in chunk.chunks_exact_mut(WIDE * LANE).zip(s) {
            // SAFETY: `to` is 64 writable bytes, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), x) };
        }
        done += (WIDE * DEEP) as u64;
    }
    fill_aes_ni(
        keys,
        lane.wrapping_add(done),
        generation,
        chunks.into_remainder(),
    );
}

/// See [`super::Path::fill`]: one lane an instruction, eight registers deep.
#[target_feature(enable = "aes")]
pub(super) fn fill_aes_ni(keys: &Keys, lane: u64, generation: u64, out: &mut [u8]) {
    let k = round_keys(keys);
    let counter = |l: u64| _mm_set_epi64x(generation as i64, l as i64);
    let mut next = lane;
    let mut chunks = out.chunks_exact_mut(DEEP * LANE);
    for chunk in &mut chunks {
        let mut s: [__m128i; DEEP] = [k[0]; DEEP];
        for x in &mut s {
            *x = _mm_xor_si128(counter(next), k[0]);
            next = next.wrapping_add(1);
        }
        for key in &k[1..] {
            for x in &mut s {
                *x = _mm_aesenc_si128(*x, *key);
            }
        }
        for (to, x) in chunk.chunks_exact_mut(LANE).zip(s) {
            // SAFETY: `to` is 16 writable bytes, and the store needs no alignment.
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), x) };
        }
    }
    for to in chunks.into_remainder().chunks_exact_mut(LANE) {
        let mut x = _mm_xor_si128(counter(next), k[0]);
        next = next.wrapping_add(1);
        for key in &k[1..] {
            x = _mm_aesenc_si128(x, *key);
        }
        // SAFETY: `to` is 16 writable bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), x) };
    }
}
