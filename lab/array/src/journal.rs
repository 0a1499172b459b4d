//! The write journal (an OpLog): writes are acknowledged from it, and drained from it to the media in the order in
//! which they came. When it is full, writes wait for the drain.

use crate::io::CHUNK;
use crate::persona::parameters::JournalParameters;
use std::collections::VecDeque;

/// The longest wait for room, nanoseconds: some 36 years. What goes on top of it still fits the clock.
const LONGEST: u64 = 1 << 60;

/// A chunk in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The LUN that it was written to, from 0.
    pub lun: u32,
    /// Its number on the LUN.
    pub chunk: u64,
    /// It holds zeros: a note in the journal, no data.
    pub zero: bool,
}

impl Entry {
    fn bytes(self) -> u64 {
        if self.zero { 0 } else { CHUNK }
    }
}

/// What is acknowledged and not yet drained, oldest first, and how fast it drains.
#[derive(Debug, Clone)]
pub struct Journal {
    entries: VecDeque<Entry>,
    capacity: u64,
    /// The drain leaves this much, so that data that is rewritten soon is written once.
    keep: u64,
    /// Notes of zeros take no room, but no more than so many entries are left.
    notes: usize,
    drain_ns_per_byte: f64,
    /// The three above, as they are without a fault.
    sound: (u64, u64, f64),
    fill: u64,
    /// Until when the drain has worked.
    drained_until: u64,
    /// How long writes waited for room, nanoseconds.
    pub waited_ns: u64,
}

impl Journal {
    /// The share of the drain that is left where nothing else is said of a full journal.
    pub const LEFT_WHEN_FULL: f64 = 0.1;

    /// An empty journal. `scale` divides its size and the rate of its drain.
    pub fn new(p: &JournalParameters, scale: f64) -> Self {
        let capacity = (p.mib * 1_048_576.0 / scale) as u64;
        let keep = (capacity as f64 * p.keep_share) as u64;
        let drain_ns_per_byte = 1e9 * scale / (p.drain_mib_s * 1_048_576.0);
        Journal {
            entries: VecDeque::new(),
            capacity,
            keep,
            notes: (capacity / CHUNK) as usize,
            drain_ns_per_byte,
            sound: (capacity, keep, drain_ns_per_byte),
            fill: 0,
            drained_until: 0,
            waited_ns: 0,
        }
    }

    /// Bytes in it. May be above the capacity by the writes that are waiting for room.
    pub fn fill(&self) -> u64 {
        self.fill
    }

    /// Bytes that fit.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Takes a chunk; returns how long it waits for room, nanoseconds.
    #[inline]
    pub fn append(&mut self, entry: Entry) -> u64 {
        self.entries.push_back(entry);
        self.fill += entry.bytes();
        let excess = self.fill.saturating_sub(self.capacity);
        if excess == 0 || entry.zero {
            return 0;
        }
        let wait = ((excess as f64 * self.drain_ns_per_byte) as u64).min(LONGEST);
        self.waited_ns = self.waited_ns.saturating_add(wait);
        wait
    }

    /// The next chunk that the drain has taken out by `now`, if there is one.
    #[inline]
    pub fn drain(&mut self, now: u64) -> Option<Entry> {
        let Some(&first) = self.entries.front() else {
            // Nor does one that has nothing to do.
            self.drained_until = now;
            return None;
        };
        let idle = self.fill <= self.keep && self.entries.len() <= self.notes;
        if idle {
            // A full journal is drained without a pause; an idle drain saves no time up.
            self.drained_until = now;
            if !first.zero || self.fill > 0 {
                return None;
            }
        }
        let takes = (first.bytes() as f64 * self.drain_ns_per_byte) as u64;
        let done = self.drained_until.saturating_add(takes);
        if done > now {
            return None;
        }
        self.drained_until = done;
        self.fill -= first.bytes();
        self.entries.pop_front()
    }

    /// From now on there is no room beyond what is in it, and only a share of the drain: others fill it as fast as it is
    /// emptied.
    pub fn stuff(&mut self, drain_share: f64) {
        let (_, keep, ns_per_byte) = self.sound;
        self.capacity = self.fill;
        self.keep = keep.min(self.capacity);
        self.drain_ns_per_byte = ns_per_byte / drain_share;
    }

    /// It has its size and its drain again.
    pub fn free(&mut self) {
        (self.capacity, self.keep, self.drain_ns_per_byte) = self.sound;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(chunk: u64) -> Entry {
        Entry {
            lun: 0,
            chunk,
            zero: false,
        }
    }

    fn journal() -> Journal {
        // 16 chunks, drained at one chunk a millisecond down to a quarter.
        Journal::new(
            &JournalParameters {
                mib: 16.0 / 256.0,
                drain_mib_s: 1000.0 / 256.0,
                keep_share: 0.25,
                append_us: 0.0,
                read_us: 0.0,
                bypass_kib: 64,
                batch_kib: 64,
                drain_batch_kib: 1024,
                replicas: 1,
            },
            1.0,
        )
    }

    #[test]
    fn drains_in_order_at_its_rate_and_leaves_its_share() {
        let mut j = journal();
        assert!((0..8).all(|c| j.append(entry(c)) == 0));
        assert_eq!(j.drain(999_000), None);
        let out: Vec<_> = std::iter::from_fn(|| j.drain(2_100_000))
            .map(|e| e.chunk)
            .collect();
        assert_eq!(out, [0, 1]);
        assert_eq!(std::iter::from_fn(|| j.drain(1_000_000_000)).count(), 2);
        assert_eq!(j.fill(), 4 * CHUNK);
    }

    #[test]
    fn a_drain_that_had_nothing_to_do_has_saved_no_time_up() {
        let mut j = journal();
        j.keep = 0;
        assert_eq!(j.drain(1_000_000_000), None);
        assert!((0..4).all(|c| j.append(entry(c)) == 0));
        // One takes a millisecond, however long it was idle before.
        assert_eq!(j.drain(1_000_999_000), None);
        let out = std::iter::from_fn(|| j.drain(1_002_100_000)).count();
        assert_eq!(out, 2);
    }

    #[test]
    fn writes_wait_for_the_drain_when_it_is_full_but_zeros_do_not() {
        let mut j = journal();
        assert!((0..16).all(|c| j.append(entry(c)) == 0));
        let waits: Vec<_> = (16..19)
            .map(|c| j.append(entry(c)).div_ceil(1_000_000))
            .collect();
        assert_eq!(waits, [1, 2, 3]);
        assert_eq!(
            j.append(Entry {
                zero: true,
                ..entry(20)
            }),
            0
        );
    }

    #[test]
    fn writes_wait_for_ever_where_next_to_nothing_is_left_of_the_drain() {
        for drain in [1e-18, f64::MIN_POSITIVE] {
            let mut j = journal();
            j.append(entry(0));
            j.stuff(drain);
            for chunk in 1..64 {
                assert_eq!(j.append(entry(chunk)), LONGEST);
            }
            assert_eq!(j.waited_ns, u64::MAX);
            assert_eq!(j.drain(LONGEST - 1), None);
        }
    }
}
