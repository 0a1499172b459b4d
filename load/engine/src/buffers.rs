//! A worker's I/O buffers: one mapping, page-aligned, on huge pages where the kernel gives them.

use crate::EngineError;
use std::io;

/// Memory for all slots of a worker.
pub struct Arena {
    base: *mut u8,
    length: usize,
}

// SAFETY: the arena owns its mapping; only the worker that holds it hands out pointers into it.
unsafe impl Send for Arena {}

const HUGE_PAGE: usize = 2 << 20;

impl Arena {
    /// `bytes` of zeroed memory; 0 gives an empty arena.
    pub fn new(bytes: usize) -> Result<Self, EngineError> {
        if bytes == 0 {
            return Ok(Arena {
                base: std::ptr::null_mut(),
                length: 0,
            });
        }
        let page = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 4096 };
        let length = bytes.next_multiple_of(page);
        // SAFETY: a fresh anonymous mapping; no existing memory is touched.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(EngineError::Buffers {
                bytes: length,
                source: io::Error::last_os_error(),
            });
        }
        // SAFETY: the mapping above. Huge pages are a wish; a refusal costs nothing.
        unsafe { libc::madvise(base, length, libc::MADV_HUGEPAGE) };
        Ok(Arena {
            base: base.cast(),
            length,
        })
    }

    /// The whole region, for registration; `None` when empty or larger than the kernel's 1 GiB for one buffer.
    pub fn iovec(&self) -> Option<libc::iovec> {
        (self.length > 0 && self.length <= 1 << 30).then_some(libc::iovec {
            iov_base: self.base.cast(),
            iov_len: self.length,
        })
    }

    /// The address `offset` bytes in.
    #[inline(always)]
    pub fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.length || self.length == 0);
        self.base.wrapping_add(offset)
    }

    /// The bytes from `offset`, for filling. `&mut self`: the caller vouches that no I/O is in flight on them.
    #[inline(always)]
    pub fn bytes(&mut self, offset: usize, length: usize) -> &mut [u8] {
        assert!(offset + length <= self.length, "buffer out of its arena");
        // SAFETY: in the mapping (checked above), initialised (zeroed by the kernel), and borrowed mutably with self.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(offset), length) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: exactly the mapping that `new` made; the backend that knew it is gone (field order in Worker).
            unsafe { libc::munmap(self.base.cast(), self.length) };
        }
    }
}
