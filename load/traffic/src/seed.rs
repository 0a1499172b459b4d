//! One seed for each purpose.

use plimsoll_content::mix64;

/// A seed made of another and of what it is for; different lists give unrelated seeds.
pub fn seed_for(seed: u64, parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(mix64(seed ^ parts.len() as u64), |state, part| {
            mix64(state.rotate_left(29) ^ mix64(*part))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_list_of_parts_has_its_own_seed() {
        let mut seen = HashSet::new();
        for seed in 0..20 {
            assert!(seen.insert(seed_for(seed, &[])));
            for a in 0..20 {
                assert!(seen.insert(seed_for(seed, &[a])));
                for b in 0..20 {
                    assert!(seen.insert(seed_for(seed, &[a, b])));
                }
            }
        }
    }

    #[test]
    fn the_same_list_has_the_same_seed() {
        assert_eq!(seed_for(7, &[1, 2]), seed_for(7, &[1, 2]));
    }
}
