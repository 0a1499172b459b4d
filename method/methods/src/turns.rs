//! The order in which two sides are run that are compared.

/// Side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one that begins.
    A,
    /// The other.
    B,
}

/// Order of so many runs of each side: A B B A, so that what drifts with time is in both alike.
pub fn turns(each: u32) -> impl Iterator<Item = Side> {
    let all = [Side::A, Side::B, Side::B, Side::A].into_iter().cycle();
    all.take(2 * each as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_is_in_both_sides_alike() {
        let mean = |side: Side, each: u32| {
            let places = turns(each).enumerate().filter(|(_, s)| *s == side);
            let places: Vec<usize> = places.map(|(place, _)| place).collect();
            assert_eq!(places.len(), each as usize);
            places.iter().sum::<usize>() as f64 / f64::from(each)
        };
        for each in [2, 4, 10] {
            assert_eq!(mean(Side::A, each), mean(Side::B, each));
        }
        assert_eq!(turns(1).collect::<Vec<_>>(), [Side::A, Side::B]);
    }
}
