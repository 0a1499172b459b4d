//! An array, and the host's paths to it.

use plimsoll_array::{Array, Completion, Io};

/// An array that is reached over all of its paths in turn, as by a multipath device with the round-robin selector.
#[derive(Debug)]
pub(crate) struct Bay {
    pub array: Array,
    paths: u32,
    path: u32,
    /// When the last request was submitted, ns.
    submitted_ns: u64,
}

impl Bay {
    /// Of an array on which nothing was done yet.
    pub fn new(array: Array) -> Self {
        Bay {
            paths: array.front_end().paths().len() as u32,
            path: 0,
            submitted_ns: 0,
            array,
        }
    }

    /// Submits a request over the next path.
    #[inline]
    pub fn submit(&mut self, now_ns: u64, io: &Io) -> Completion {
        debug_assert!(now_ns >= self.submitted_ns, "time went back in the array");
        self.submitted_ns = now_ns;
        let path = self.path;
        self.path = if path + 1 >= self.paths { 0 } else { path + 1 };
        self.array.submit(now_ns, &Io { path, ..*io })
    }
}
