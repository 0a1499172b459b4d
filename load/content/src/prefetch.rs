//! Memory that will be needed soon.

/// Asks the processor to fetch a place from memory while other work is done. Nothing waits for it, and nothing changes.
/// On processors other than x86-64 it does nothing.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads nothing that the program sees and faults at no address; this one is even valid.
    // Stable Rust has no other word for it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
