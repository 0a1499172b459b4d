//! The visible parts of a device.

use super::first_nonzero;

/// A device's start and end; what lies between isn't visible.
#[derive(Debug, Clone, Copy)]
pub struct Windows<'a> {
    head: &'a [u8],
    tail: &'a [u8],
    size: u64,
}

impl<'a> Windows<'a> {
    /// `head` begins at 0 and `tail` ends at `size`; they may overlap.
    pub fn new(head: &'a [u8], tail: &'a [u8], size: u64) -> Self {
        Windows { head, tail, size }
    }

    /// The device's size, bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// `length` bytes from `offset`; `None` where they are not all visible.
    pub fn at(&self, offset: u64, length: usize) -> Option<&'a [u8]> {
        let within = |window: &'a [u8], start: u64| {
            let from = usize::try_from(offset.checked_sub(start)?).ok()?;
            window.get(from..from.checked_add(length)?)
        };
        within(self.head, 0).or_else(|| within(self.tail, self.tail_start()))
    }

    /// Where the first byte lies that isn't zero, among the visible ones.
    pub fn first_nonzero(&self) -> Option<u64> {
        let head = first_nonzero(self.head).map(|at| at as u64);
        head.or_else(|| first_nonzero(self.tail).map(|at| self.tail_start() + at as u64))
    }

    fn tail_start(&self) -> u64 {
        self.size.saturating_sub(self.tail.len() as u64)
    }
}
