//! Parts of a step's time that never are too many.

/// Part of a step's time that can be joined with its neighbour.
pub trait Join: Copy {
    /// Adds the part that follows.
    fn join(&mut self, next: &Self);
}

/// So many parts are kept; where there would be more, neighbours are joined. Confidence takes 20 to 40 batches, so that
/// nothing is lost: a hundred streams for a day take 16 MB.
const MOST: usize = 1024;

/// Parts in the order of time, all of as many entries as each other but for the last.
#[derive(Debug, Clone)]
pub struct Folded<T> {
    parts: Vec<T>,
    /// Entries in each part, and in the last.
    each: u32,
    in_last: u32,
}

impl<T> Default for Folded<T> {
    fn default() -> Self {
        Folded {
            parts: Vec::new(),
            each: 1,
            in_last: 0,
        }
    }
}

impl<T: Join> Folded<T> {
    /// Adds the next entry.
    pub fn push(&mut self, entry: T) {
        match self.parts.last_mut() {
            Some(last) if self.in_last < self.each => last.join(&entry),
            _ => {
                self.halve_if_full();
                self.parts.push(entry);
                self.in_last = 0;
            }
        }
        self.in_last += 1;
    }

    /// All parts.
    pub fn parts(&self) -> &[T] {
        &self.parts
    }

    fn halve_if_full(&mut self) {
        if self.parts.len() < MOST {
            return;
        }
        let pairs = self.parts.chunks(2).map(|pair| {
            let mut joined = pair[0];
            pair[1..].iter().for_each(|next| joined.join(next));
            joined
        });
        self.parts = pairs.collect();
        self.each *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Join for u64 {
        fn join(&mut self, next: &u64) {
            *self += next;
        }
    }

    #[test]
    fn a_long_time_takes_no_more_memory_and_loses_nothing() {
        let mut folded = Folded::default();
        for n in 0..9001 {
            folded.push(n);
            assert!(folded.parts().len() <= MOST);
        }
        assert_eq!(folded.parts().iter().sum::<u64>(), 9000 * 9001 / 2);
        // The last may be shorter; all others are as long as each other.
        let (last, whole) = folded.parts().split_last().unwrap();
        let first: u64 = (0..16).sum();
        assert!(
            whole
                .iter()
                .zip(0..)
                .all(|(sum, n)| *sum == first + n * 256)
        );
        assert!(*last <= first + whole.len() as u64 * 256);
    }
}
