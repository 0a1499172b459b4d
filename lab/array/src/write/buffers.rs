//! Where writes wait: until they are enough for one, and until there is room for them.

use crate::io::CHUNK;

/// Small writes that are gathered into one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    bytes: u64,
    size: u64,
    copies: u64,
}

impl Batch {
    /// A batch of `size` bytes, of which `copies` are written.
    pub fn new(size: u64, copies: u32) -> Self {
        Batch {
            bytes: 0,
            size: size.max(CHUNK),
            copies: u64::from(copies),
        }
    }

    /// Adds a chunk; how many writes that makes.
    pub fn add_chunk(&mut self) -> u64 {
        self.bytes += CHUNK;
        let full = self.bytes / self.size;
        self.bytes %= self.size;
        full * self.copies
    }
}

/// An SSD's write buffer: as many pages as it holds may be on their way to the flash.
#[derive(Debug, Clone)]
pub(crate) struct WriteBuffer {
    /// When the page that is in each place will be programmed.
    places: Vec<u64>,
    next: usize,
}

impl WriteBuffer {
    /// An empty buffer, or none for no pages; `scale` divides it.
    pub fn new(pages: u32, scale: f64) -> Option<Self> {
        (pages > 0).then(|| WriteBuffer {
            places: vec![0; (f64::from(pages) / scale).round().max(1.0) as usize],
            next: 0,
        })
    }

    /// How long a page that comes now waits for room, nanoseconds.
    pub fn wait(&self, now: u64) -> u64 {
        self.places[self.next].saturating_sub(now)
    }

    /// Takes a page that is programmed at `done`; returns when there is room for it.
    pub fn take(&mut self, done: u64) -> u64 {
        let room = std::mem::replace(&mut self.places[self.next], done);
        self.next = (self.next + 1) % self.places.len();
        room
    }
}
