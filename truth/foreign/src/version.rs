//! Versions of tools, number by number.

/// `3.33-dirty` as 3, 33.
pub fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split(['.', '-']);
    parts.map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        assert_eq!(numbers("3.33-5-g1a2b"), [3, 33, 5]);
        assert!(numbers("3.9") < numbers("3.41"));
        assert!(numbers("3.42") >= vec![3, 42]);
        assert!(numbers("2.21") < vec![3, 42]);
    }
}
