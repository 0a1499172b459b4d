//! The snapshots of a LUN, and the old content that they need.

/// A snapshot of a LUN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Its number, from 1, which is never used again.
    pub number: u32,
    /// When it was taken, nanoseconds.
    pub at_ns: u64,
}

/// Content that was replaced, and that a snapshot needs.
#[derive(Debug, Clone, Copy)]
struct Kept {
    content: u64,
    /// The epoch in which it was written.
    written: u32,
    /// The epoch in which it was replaced.
    replaced: u32,
}

/// The snapshots of a LUN.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    /// Those that exist, by their numbers.
    each: Vec<Snapshot>,
    epoch: u32,
    /// The number of the last one that exists; 0 where there is none.
    newest: u32,
    kept: Vec<Kept>,
}

impl Snapshots {
    /// Those that exist, by their numbers.
    pub fn each(&self) -> &[Snapshot] {
        &self.each
    }

    /// Chunks of old content that are kept for them; zeros take nothing.
    pub fn kept_chunks(&self) -> u64 {
        self.kept.len() as u64
    }

    /// How many were ever taken.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// True where one shows what was written in that epoch and is still there.
    #[inline]
    pub(crate) fn need(&self, written: u32) -> bool {
        written < self.newest
    }

    /// Keeps content that they need, and that is replaced now.
    #[cold]
    pub(crate) fn keep(&mut self, content: u64, written: u32) {
        self.kept.push(Kept {
            content,
            written,
            replaced: self.epoch,
        });
    }

    /// Takes one; its number.
    pub(crate) fn take(&mut self, at_ns: u64) -> u32 {
        self.epoch += 1;
        self.newest = self.epoch;
        let number = self.epoch;
        self.each.push(Snapshot { number, at_ns });
        number
    }

    /// Deletes one, and gives the contents that none needs any more; nothing where there is none of this number.
    pub(crate) fn delete(&mut self, number: u32) -> Option<Vec<u64>> {
        let at = self.each.binary_search_by_key(&number, |s| s.number).ok()?;
        self.each.remove(at);
        let before = at.checked_sub(1).map_or(0, |at| self.each[at].number);
        let after = self.each.get(at).map_or(u32::MAX, |s| s.number);
        self.newest = self.each.last().map_or(0, |s| s.number);
        let showed = |k: &Kept| k.written < number && number <= k.replaced;
        let shown = |k: &Kept| k.written < before || after <= k.replaced;
        let gone = self.kept.extract_if(.., |k| showed(k) && !shown(k));
        Some(gone.map(|k| k.content).collect())
    }
}
