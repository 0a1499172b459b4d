//! Which bytes of a read have come.

/// Pieces that are kept apart, at most. They meet as the read fills; a server that leaves more gaps than that wants to
/// cost memory.
const MOST_PIECES: usize = 4096;

/// Ranges that have come. One piece that grows at its ends, which is the usual reply, needs no memory of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Coverage {
    total: u32,
    /// The only piece, while `pieces` is empty.
    start: u32,
    end: u32,
    /// In order, with a gap between each and the next.
    pieces: Vec<(u32, u32)>,
}

/// Reason for refusing a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash {
    /// Some of it has come before.
    Twice,
    /// There are too many pieces apart from each other.
    Scattered,
}

impl Coverage {
    pub(super) const NONE: Coverage = Coverage {
        total: 0,
        start: 0,
        end: 0,
        pieces: Vec::new(),
    };

    /// Bytes that have come.
    #[inline]
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// A piece comes; `at + len` is no more than `u32::MAX`, and `len` is not 0.
    #[inline]
    pub(super) fn add(&mut self, at: u32, len: u32) -> Result<(), Clash> {
        if self.total == 0 {
            (self.start, self.end) = (at, at + len);
        } else if self.pieces.is_empty() && at == self.end {
            self.end += len;
        } else {
            self.add_apart(at, at + len)?;
        }
        self.total += len;
        Ok(())
    }

    #[cold]
    fn add_apart(&mut self, at: u32, end: u32) -> Result<(), Clash> {
        if self.pieces.is_empty() {
            self.pieces.push((self.start, self.end));
        }
        let pieces = &mut self.pieces;
        let next = pieces.partition_point(|(_, end)| *end <= at);
        if pieces.get(next).is_some_and(|(start, _)| *start < end) {
            return Err(Clash::Twice);
        }
        let follows = next > 0 && pieces[next - 1].1 == at;
        let leads = pieces.get(next).is_some_and(|(start, _)| *start == end);
        match (follows, leads) {
            (true, true) => pieces[next - 1].1 = pieces.remove(next).1,
            (true, false) => pieces[next - 1].1 = end,
            (false, true) => pieces[next].0 = at,
            (false, false) if pieces.len() == MOST_PIECES => return Err(Clash::Scattered),
            (false, false) => pieces.insert(next, (at, end)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_in_a_row_need_no_memory() {
        let mut coverage = Coverage::default();
        for at in [0, 4096, 8192] {
            coverage.add(at, 4096).unwrap();
        }
        assert_eq!((coverage.total(), coverage.pieces.capacity()), (12_288, 0));
        assert_eq!(coverage.add(12_287, 2), Err(Clash::Twice));
        assert_eq!(coverage.total(), 12_288);
    }

    #[test]
    fn memory_is_bounded_whatever_the_gaps() {
        let mut coverage = Coverage::default();
        let taken = (0..).step_by(2).find(|at| coverage.add(*at, 1).is_err());
        assert_eq!(taken, Some(2 * MOST_PIECES as u32));
        assert_eq!(coverage.add(0, 1), Err(Clash::Twice));
        // What closes a gap is taken, and makes room.
        assert_eq!(coverage.add(1, 1), Ok(()));
        assert_eq!(coverage.add(2 * MOST_PIECES as u32, 1), Ok(()));
    }

    proptest! {
        #[test]
        fn each_byte_is_taken_once(pieces in prop::collection::vec((0_u32..64, 1_u32..16), 1..40)) {
            let mut coverage = Coverage::default();
            let mut bytes = [false; 80];
            for (at, len) in pieces {
                let range = &mut bytes[at as usize..][..len as usize];
                let fresh = range.iter().all(|came| !came);
                if fresh {
                    range.fill(true);
                }
                prop_assert_eq!(coverage.add(at, len).is_ok(), fresh);
                let total = bytes.iter().filter(|came| **came).count();
                prop_assert_eq!(coverage.total() as usize, total);
            }
        }
    }
}
