//! How much memory a thread has in use, and had at most: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Meter;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

#[global_allocator]
static METER: Meter = Meter;

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let now = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        now.get()
    });
    let _ = now.map(|now| MOST.try_with(|most| most.set(most.get().max(now))));
}

fn took(bytes: usize) {
    count(bytes.cast_signed());
}

fn gave(bytes: usize) {
    count(-bytes.cast_signed());
}

// SAFETY: every call is the system allocator's own, with the same arguments.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        took(size);
        gave(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(old, layout) }
    }
}

/// The most that `work` had in use at once, past what its thread had before it, bytes; and what it returned. What was only
/// asked for counts too.
pub fn most_of<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.get();
    MOST.set(before);
    let value = work();
    (usize::try_from(MOST.get() - before).unwrap_or(0), value)
}
