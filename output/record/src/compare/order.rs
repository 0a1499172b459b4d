//! In which order the sides' runs were made.

use super::RunFigures;

/// Farthest that the sides' mean places may lie apart: what strict alternation (A B A B) comes to.
const FARTHEST: f64 = 1.0;

/// A letter for each run, by start: `ABBA`.
pub(super) fn order(a: &[RunFigures], b: &[RunFigures]) -> String {
    let side = |letter, runs: &[RunFigures]| -> Vec<(i64, char)> {
        runs.iter()
            .map(|run| (run.started_unix_ns, letter))
            .collect()
    };
    let mut all = side('A', a);
    all.extend(side('B', b));
    all.sort_unstable();
    all.into_iter().map(|(_, letter)| letter).collect()
}

/// A warning where a slow drift of the storage would show as a difference: where the sides' mean places in time are not
/// the same. A B B A cancels a linear drift. One run a side cannot be interleaved.
pub(super) fn note(order: &str) -> Option<String> {
    let place = |letter| {
        let places: Vec<f64> = order
            .chars()
            .enumerate()
            .filter(|(_, c)| *c == letter)
            .map(|(i, _)| i as f64)
            .collect();
        (places.len() > 1).then(|| places.iter().sum::<f64>() / places.len() as f64)
    };
    let apart = (place('A')? - place('B')?).abs();
    (apart > FARTHEST).then(|| {
        format!(
            "The runs were not interleaved ({order}): a slow drift of the storage looks like a difference. Run A B B A."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_warned_of_and_interleaved_runs_are_not() {
        for good in ["AB", "ABAB", "ABBA", "ABBAABBAAB", "AABBBBAA"] {
            assert_eq!(note(good), None, "{good}");
        }
        for bad in ["AABB", "AAAAABBBBB", "BBBBBAAAAA"] {
            assert!(note(bad).is_some(), "{bad}");
        }
    }
}
