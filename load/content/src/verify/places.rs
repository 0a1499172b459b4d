//! Where addresses of a target lie in its files: headers say the offset in the file.

/// The files of a target, end to end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(Vec<(u64, u64)>);

impl Places {
    /// Of (the target's address, the offset in the file) of each file's beginning, by rising address.
    pub fn new(beginnings: Vec<(u64, u64)>) -> Self {
        Places(beginnings)
    }

    /// The offset in its file of an address of the target.
    pub fn in_file(&self, address: u64) -> u64 {
        let after = self.0.partition_point(|(start, _)| *start <= address);
        let (start, offset) = match after.checked_sub(1) {
            Some(at) => self.0[at],
            None => (0, 0),
        };
        offset + (address - start)
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
}
