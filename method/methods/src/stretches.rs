//! Lists of stretches that stay short, however often something happened.

use crate::pieces::SAMPLE_NS;
use plimsoll_evidence::Stretch;

/// At most so many are kept of a step.
const MOST: usize = 64;
/// Gap up to which two stretches are one, ns.
const APART_NS: u64 = 2 * SAMPLE_NS;

/// Length of the part of a stretch that lies in others, which are in order and do not overlap each other.
pub fn overlap(stretch: (f64, f64), others: &[(f64, f64)]) -> f64 {
    let part = |other: &(f64, f64)| (other.1.min(stretch.1) - other.0.max(stretch.0)).max(0.0);
    let first = others.partition_point(|other| other.1 <= stretch.0);
    let touched = others[first..]
        .iter()
        .take_while(|other| other.0 < stretch.1);
    touched.map(part).sum()
}

/// Neighbours joined: those that are close, and where there are too many of them, those that are less close. `sorted` are in
/// order and don't overlap.
pub fn bounded(sorted: Vec<Stretch>) -> Vec<Stretch> {
    let mut apart_ns = APART_NS;
    let mut joined = join(&sorted, apart_ns);
    while joined.len() > MOST {
        apart_ns *= 2;
        joined = join(&joined, apart_ns);
    }
    joined
}

fn join(sorted: &[Stretch], apart_ns: u64) -> Vec<Stretch> {
    let mut joined: Vec<Stretch> = Vec::new();
    for next in sorted {
        match joined.last_mut() {
            Some(last) if next.start_ns <= last.start_ns + last.length_ns + apart_ns => {
                last.length_ns = (next.start_ns + next.length_ns).saturating_sub(last.start_ns);
                last.ios += next.ios;
            }
            _ => joined.push(*next),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(period: u64, count: u64) -> Vec<Stretch> {
        (0..count)
            .map(|n| Stretch {
                start_ns: n * period * SAMPLE_NS,
                length_ns: SAMPLE_NS,
                ios: 2,
            })
            .collect()
    }

    #[test]
    fn neighbours_are_one_and_those_apart_are_not() {
        let near = bounded(each(3, 5));
        assert_eq!(near.len(), 1);
        assert_eq!((near[0].length_ns, near[0].ios), (13 * SAMPLE_NS, 10));
        assert_eq!(bounded(each(4, 5)).len(), 5);
    }

    #[test]
    fn a_day_of_them_stays_short_and_loses_none() {
        let all = bounded(each(5, 170_000));
        assert!(all.len() <= MOST, "{}", all.len());
        assert_eq!(all.iter().map(|s| s.ios).sum::<u64>(), 340_000);
        // Uneven gaps too: many at the start, few later.
        let mut uneven = each(4, 100);
        uneven.push(Stretch {
            start_ns: 1_000_000 * SAMPLE_NS,
            length_ns: SAMPLE_NS,
            ios: 1,
        });
        let joined = bounded(uneven);
        assert_eq!(joined.len(), 2);
        assert_eq!(joined[1].ios, 1);
    }
}
