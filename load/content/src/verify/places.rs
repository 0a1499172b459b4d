//! Where addresses of a target lie in its files: headers say the offset in the file.

/// The files of a target, end to end or striped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// End to end: (the target's address, the offset in the file) of each file's beginning, by rising address.
    Joined(Vec<(u64, u64)>),
    /// So many bytes of each file in turn.
    Striped {
        /// Where each file's first unit begins.
        starts: Vec<u64>,
        /// Bytes of a unit.
        unit: u64,
        /// The target's first address, in the stripe.
        offset: u64,
    },
}

impl Default for Places {
    fn default() -> Self {
        Places::Joined(Vec::new())
    }
}

impl Places {
    /// Of (the target's address, the offset in the file) of each file's beginning, by rising address.
    pub fn new(beginnings: Vec<(u64, u64)>) -> Self {
        Places::Joined(beginnings)
    }

    /// Places in a stripe: where each file's first unit begins, the bytes of a unit, and the target's first address in the stripe.
    pub fn striped(starts: Vec<u64>, unit: u64, offset: u64) -> Self {
        Places::Striped {
            starts,
            unit,
            offset,
        }
    }

    /// The offset in its file of an address of the target.
    pub fn in_file(&self, address: u64) -> u64 {
        match self {
            Places::Joined(beginnings) => {
                let after = beginnings.partition_point(|(start, _)| *start <= address);
                let (start, offset) = match after.checked_sub(1) {
                    Some(at) => beginnings[at],
                    None => (0, 0),
                };
                offset + (address - start)
            }
            Places::Striped {
                starts,
                unit,
                offset,
            } => {
                let (at, columns) = (address + offset, starts.len() as u64);
                let number = at / unit;
                starts[(number % columns) as usize] + number / columns * unit + at % unit
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_counts_from_its_own_beginning() {
        let places = Places::new(vec![(0, 4096), (8192, 0), (16384, 512)]);
        let found = [0, 8191, 8192, 16383, 20000].map(|at| places.in_file(at));
        assert_eq!(found, [4096, 12287, 0, 8191, 4128]);
        assert_eq!(Places::default().in_file(77), 77);
    }

    #[test]
    fn of_a_stripe_each_file_has_a_unit_in_turn() {
        let places = Places::striped(vec![0, 4096], 8192, 0);
        let found = [0, 8191, 8192, 16384, 24577].map(|at| places.in_file(at));
        assert_eq!(found, [0, 8191, 4096, 8192, 12289]);
        let behind = Places::striped(vec![0, 4096], 8192, 8192);
        assert_eq!([0, 8192].map(|at| behind.in_file(at)), [4096, 8192]);
    }
}
