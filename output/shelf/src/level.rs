//! Changes of level in a short series: some dozens of runs of one test, a night apart.
//!
//! The series is divided in the way that best explains the ranks of its values, where each further part has to explain enough
//! ([`PENALTY`]). A division is a change only if the ranks around it, shuffled, rarely part as well ([`CHANCE`]). This test holds for
//! any distribution, and allows for the choice of the best of all places. All of it is worked out anew with each further run, so a
//! change that later runs do not bear out disappears again.

use plimsoll_draw::Draw;

/// Runs on each side of a change, at least: as many as a verdict of `compare` needs.
pub(crate) const LEAST_RUNS: usize = plimsoll_record::compare::RUNS_FOR_A_VERDICT;
/// A change of less than this part of the level is too small to matter, as it is to `compare`.
pub(crate) const LEAST_SIZE: f64 = plimsoll_record::compare::PRACTICAL;
/// The chance that a place which is no change is taken for one.
const CHANCE: f64 = 0.02;
/// A further part must explain so many times `ln(runs)` of the noise's variance, as in `plimsoll_measure::segments`.
const PENALTY: f64 = 3.0;
/// Orders that are tried.
const ORDERS: usize = 1999;

/// Change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    /// The first run of the new level.
    pub at: usize,
    /// Mean of the runs since the change before.
    pub before: f64,
    /// Mean of the runs until the next.
    pub after: f64,
    /// Runs until the next change, or until now.
    pub runs_after: usize,
}

impl Change {
    /// Change as a part of the level before.
    pub(crate) fn size(&self) -> f64 {
        self.after / self.before - 1.0
    }

    /// True where so few runs came after it that it may be gone with the next ones.
    pub(crate) fn is_young(&self) -> bool {
        self.runs_after < 2 * LEAST_RUNS
    }
}

/// The changes of a series, in the order of time.
pub(crate) fn changes(values: &[f64]) -> Vec<Change> {
    if values.iter().any(|v| !v.is_finite()) {
        return Vec::new();
    }
    let mut places = divided(&ranks(values));
    settle(values, &mut places);
    while let Some(weak) = first_weak(values, &places) {
        places.remove(weak);
        settle(values, &mut places);
    }
    let ends = bounds(values, &places);
    let changes = ends.windows(3).map(|e| Change {
        at: e[1],
        before: mean(&values[e[0]..e[1]]),
        after: mean(&values[e[1]..e[2]]),
        runs_after: e[2] - e[1],
    });
    changes.collect()
}

/// Starts of the parts after the first into which a series is best divided, none of them shorter than [`LEAST_RUNS`].
fn divided(ranks: &[f64]) -> Vec<usize> {
    let n = ranks.len();
    let sums = Sums::of(ranks);
    let penalty = PENALTY * (n.max(2) as f64).ln() * noise(ranks);
    // The least cost of the first values, and where their last part begins.
    let mut best = vec![(-penalty, 0)];
    for end in 1..=n {
        let cost = |start: usize| best[start].0 + sums.cost(start, end) + penalty;
        let all = (0..end).map(|start| (cost(start), start));
        best.extend(all.min_by(|a, b| a.0.total_cmp(&b.0)));
    }
    let (mut places, mut end) = (Vec::new(), n);
    while end > 0 {
        end = best[end].1;
        places.push(end);
    }
    places.reverse();
    places.retain(|place| *place > 0);
    // A single outlier makes a part, but no level: it is merged with the neighbour that it is more like.
    loop {
        let ends = bounds(ranks, &places);
        let loss = |at: usize| {
            let (a, b, c) = (ends[at], ends[at + 1], ends[at + 2]);
            sums.cost(a, c) - sums.cost(a, b) - sums.cost(b, c)
        };
        let is_beside_short = |at: &usize| {
            ends[*at..]
                .windows(2)
                .take(2)
                .any(|e| e[1] - e[0] < LEAST_RUNS)
        };
        let short = (0..places.len()).filter(is_beside_short);
        let Some(least) = short.min_by(|a, b| loss(*a).total_cmp(&loss(*b))) else {
            return places;
        };
        places.remove(least);
    }
}

/// The variance of values around levels that are not known: half of the mean squared difference of neighbours, but for the largest
/// tenth of them, for there the level may have changed.
fn noise(values: &[f64]) -> f64 {
    let mut squares: Vec<f64> = values.windows(2).map(|v| (v[0] - v[1]).powi(2)).collect();
    squares.sort_unstable_by(f64::total_cmp);
    squares.truncate((squares.len() as f64 * 0.9).ceil() as usize);
    match squares.is_empty() {
        true => 0.0,
        false => mean(&squares) / 2.0,
    }
}

/// Sums of the first values, and of their squares.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn of(values: &[f64]) -> Self {
        let mut sums = vec![(0.0, 0.0)];
        for v in values {
            let (sum, squares) = sums[sums.len() - 1];
            sums.push((sum + v, squares + v * v));
        }
        Sums(sums)
    }

    /// The squared deviations from the mean of a part.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let (sum, squares) = (self.0[to].0 - self.0[from].0, self.0[to].1 - self.0[from].1);
        (squares - sum * sum / (to - from) as f64).max(0.0)
    }
}

/// Moves each place to where the values between its neighbours are parted best: ranks alone say that only roughly. One that then
/// has too few runs on a side is none, or none yet.
fn settle(values: &[f64], places: &mut Vec<usize>) {
    let mut at = 0;
    while at < places.len() {
        let ends = bounds(values, places);
        let (from, to) = (ends[at], ends[at + 2]);
        let spread =
            |place: &usize| absolute(&values[from..*place]) + absolute(&values[*place..to]);
        let best = (from + 1..to).min_by(|a, b| spread(a).total_cmp(&spread(b)));
        match best {
            Some(best) if best - from >= LEAST_RUNS && to - best >= LEAST_RUNS => {
                places[at] = best;
                at += 1;
            }
            _ => {
                places.remove(at);
            }
        }
    }
}

/// The sum of deviations from the median.
fn absolute(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    sorted.iter().map(|v| (v - median).abs()).sum()
}

/// The first place that is no change between its neighbours.
fn first_weak(values: &[f64], places: &[usize]) -> Option<usize> {
    let ends = bounds(values, places);
    ends.windows(3).position(|e| {
        let size = mean(&values[e[1]..e[2]]) / mean(&values[e[0]..e[1]]) - 1.0;
        size.is_nan() || size.abs() < LEAST_SIZE || is_chance(&values[e[0]..e[2]])
    })
}

fn bounds(values: &[f64], places: &[usize]) -> Vec<usize> {
    let inner = places.iter().copied();
    std::iter::once(0)
        .chain(inner)
        .chain([values.len()])
        .collect()
}

/// True where the values in another order are parted as well more often than may be.
fn is_chance(values: &[f64]) -> bool {
    let mut ranks = ranks(values);
    let best = parted(&ranks);
    // The same series has the same answer.
    let mut draw = Draw(values.len() as u64);
    let mut as_good = 0;
    for _ in 0..ORDERS {
        for last in (1..ranks.len()).rev() {
            ranks.swap(last, draw.below(last + 1));
        }
        as_good += usize::from(parted(&ranks) >= best);
    }
    (as_good + 1) as f64 / (ORDERS + 1) as f64 > CHANCE
}

/// The largest of the squares that the means before and behind a place explain.
fn parted(ranks: &[f64]) -> f64 {
    let (n, all) = (ranks.len(), ranks.iter().sum::<f64>());
    let (mut before, mut best) = (0.0, 0.0_f64);
    for (at, rank) in ranks.iter().enumerate() {
        if at >= LEAST_RUNS && n - at >= LEAST_RUNS {
            let (a, b) = (at as f64, (n - at) as f64);
            best = best.max((before / a - (all - before) / b).powi(2) * a * b / n as f64);
        }
        before += rank;
    }
    best
}

/// Ranks from 1; of equal values the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |v: f64| values.iter().filter(|other| **other < v).count();
    let equal = |v: f64| values.iter().filter(|other| **other == v).count();
    let rank = |v: &f64| below(*v) as f64 + (equal(*v) as f64 + 1.0) / 2.0;
    values.iter().map(rank).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels with their lengths, and noise of so many percent.
    fn series(levels: &[(f64, usize)], percent: f64, seed: u64) -> Vec<f64> {
        let mut draw = Draw(seed);
        let each = levels
            .iter()
            .flat_map(|(level, runs)| std::iter::repeat_n(*level, *runs));
        each.map(|level| level * (1.0 + percent / 100.0 * draw.normal()))
            .collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        changes(values).iter().map(|c| c.at).collect()
    }

    #[test]
    fn a_change_is_found_where_it_is_with_its_size() {
        let values = series(&[(20_000.0, 12), (18_000.0, 9)], 1.0, 1);
        let found = changes(&values);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].runs_after), (12, 9));
        assert!((found[0].size() + 0.1).abs() < 0.01, "{found:?}");
        assert!(found[0].is_young());
    }

    #[test]
    fn two_changes_are_found_and_what_comes_back_is_one_too() {
        let values = series(&[(100.0, 10), (80.0, 8), (100.0, 10)], 1.0, 2);
        assert_eq!(places(&values), [10, 18]);
    }

    #[test]
    fn nothing_is_a_change_that_is_too_short_or_too_small_or_one_wild_run() {
        assert!(places(&series(&[(100.0, 20), (80.0, 4)], 0.5, 3)).is_empty());
        assert!(places(&series(&[(100.0, 15), (101.0, 15)], 0.1, 4)).is_empty());
        let mut wild = series(&[(100.0, 20)], 0.5, 5);
        wild[10] = 5.0;
        assert!(places(&wild).is_empty());
        assert!(places(&[100.0; 30]).is_empty());
        assert!(places(&[]).is_empty());
        assert!(places(&[f64::NAN; 30]).is_empty());
    }

    #[test]
    fn a_change_that_later_runs_do_not_bear_out_is_gone() {
        // Five slow nights are a change while they are all there is; in forty that scatter as widely they are none.
        let mut values = series(&[(100.0, 6), (90.0, 5)], 0.5, 6);
        assert_eq!(places(&values), [6]);
        for night in 0..30 {
            values.push(if night % 2 == 0 { 100.5 } else { 89.5 });
        }
        assert!(places(&values).is_empty());
    }

    #[test]
    fn noise_alone_is_rarely_taken_for_a_change() {
        let found =
            (0..200).filter(|seed| !changes(&series(&[(100.0, 24)], 5.0, 1000 + seed)).is_empty());
        // Two in a hundred are allowed for, and the penalty lets fewer through.
        assert!(found.count() <= 4);
    }
}
