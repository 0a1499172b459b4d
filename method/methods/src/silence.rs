//! Times in which a step is silent, or changes, because its streams' windows say so.

use crate::series::Series;
use plimsoll_plan::Step;
use std::ops::Range;

/// Times in which nothing is expected, (from, to) in s from the step's start; in order, and none overlaps another.
#[derive(Debug, Clone, PartialEq)]
pub struct Silence(pub Vec<(f64, f64)>);

impl Silence {
    /// Times in which no stream works, or none of what it does counts.
    pub fn of(step: &Step) -> Self {
        let end_ns = step.warmup.0.saturating_add(step.elapsed.0);
        let window = |s: &plimsoll_plan::Stream| {
            let counted = s.window.counted();
            let until = counted.until.map_or(u64::MAX, |until| until.0);
            (counted.from.0, until)
        };
        let mut windows: Vec<(u64, u64)> = step.streams.iter().map(window).collect();
        windows.sort_unstable();
        let (mut silent, mut at) = (Vec::new(), 0);
        for (from, until) in windows {
            if from > at {
                silent.push((at, from));
            }
            at = at.max(until);
        }
        if at < end_ns {
            silent.push((at, u64::MAX));
        }
        let seconds = |ns: u64| match ns {
            u64::MAX => f64::INFINITY,
            ns => ns as f64 / 1e9,
        };
        Silence(
            silent
                .into_iter()
                .map(|(from, to)| (seconds(from), seconds(to)))
                .collect(),
        )
    }

    /// Silence of these times and others together.
    pub fn with(mut self, others: &[(f64, f64)]) -> Self {
        self.0.extend_from_slice(others);
        self.0.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut joined: Vec<(f64, f64)> = Vec::new();
        for (from, to) in self.0 {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        Silence(joined)
    }
}

/// The longest stretch of samples in which no stream begins or ends: all of them where there is none that does.
pub fn steady_stretch(step: &Step, series: &Series) -> Range<usize> {
    let windows = step.streams.iter().map(|s| s.window.counted());
    let edges = windows.flat_map(|w| [Some(w.from.0), w.until.map(|until| until.0)]);
    let edges: Vec<f64> = edges.flatten().map(|ns| ns as f64 / 1e9).collect();
    let mut at = series.start_ns as f64 / 1e9;
    let (mut longest, mut begin) = (0..0, 0);
    for (n, seconds) in series.seconds.iter().enumerate() {
        let from = at;
        at += seconds;
        // A sample that an edge lies in is of neither side.
        if edges.iter().any(|edge| *edge > from && *edge < at) {
            begin = n + 1;
        } else if edges.contains(&from) {
            begin = n;
        }
        if n + 1 - begin.min(n + 1) > longest.len() {
            longest = begin..n + 1;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_touch_or_overlap_are_one() {
        let of = |times: &[(f64, f64)]| Silence(times.to_vec());
        let all = of(&[(0.0, 2.0), (5.0, 6.0)]).with(&[(1.0, 3.0), (6.0, 7.0), (8.0, 9.0)]);
        assert_eq!(all, of(&[(0.0, 3.0), (5.0, 7.0), (8.0, 9.0)]));
    }
}
