//! What of the load was missing after an instant: darkness, the dip, and when it was over.

use super::cells::{Cell, Cells};

/// Time for which the rate has to stay where it is expected to have recovered, s; less where less is left to look at.
pub const CALM_S: f64 = 5.0;

/// Loss between two instants.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dip {
    /// The longest time without a completion, s, and when it began, s from the step's start.
    pub blackout_s: f64,
    pub blackout_at_s: f64,
    /// Further time in which the rate was below the band, s.
    pub brownout_s: f64,
    /// I/Os by which it was below what was expected.
    pub lost: f64,
    /// The lowest rate, as a share of what was expected; `None` where it was in the band all the time.
    pub lowest: Option<f64>,
}

impl Dip {
    /// A time, or the end of the blackout where it lies within: cells are coarser than what ends a blackout, and no rate is back while
    /// nothing completes.
    pub fn not_within(&self, at_s: f64) -> f64 {
        let end_s = self.blackout_at_s + self.blackout_s;
        match self.blackout_s > 0.0 && at_s >= self.blackout_at_s {
            true => at_s.max(end_s),
            false => at_s,
        }
    }
}

/// The dip from `from_s` to `to_s`. A time without completions belongs to where it began.
pub fn dip(cells: &Cells, from_s: f64, to_s: f64) -> Dip {
    let inside = |c: &Cell| c.start_s + c.length_s / 2.0 >= from_s && c.start_s < to_s;
    let all = &cells.all;
    let mut dip = Dip::default();
    let mut dark_s = 0.0;
    let mut at = all.partition_point(|c| !inside(c) && c.start_s < from_s);
    while at < all.len() && inside(&all[at]) {
        let run = all[at..].iter().take_while(|c| cells.is_dark(c)).count();
        if run > 0 {
            let length_s: f64 = all[at..at + run].iter().map(|c| c.length_s).sum();
            let seen_s = refined(cells, at, run, length_s);
            if seen_s > dip.blackout_s {
                (dip.blackout_s, dip.blackout_at_s) = (seen_s, all[at].start_s);
                dark_s = length_s;
            }
        }
        for (here, cell) in all.iter().enumerate().skip(at).take(run.max(1)) {
            if cells.is_dark(cell) || cells.is_low(here) {
                dip.brownout_s += cell.length_s;
                dip.lost += cell.expected - cell.ios;
                let share = cell.ios / cell.expected;
                dip.lowest = Some(dip.lowest.map_or(share, |lowest| lowest.min(share)));
            }
        }
        at += run.max(1);
    }
    dip.brownout_s -= dark_s;
    dip
}

/// A gap of `run` dark cells is longer than they are, by less than a cell at either end. An I/O that came due at its beginning
/// waited for its end, so the longest response time about its end is its length, where the cells allow for that. Else some I/O
/// waited for something else, and the middle of what the cells allow is no more than a cell off.
fn refined(cells: &Cells, at: usize, run: usize, dark_s: f64) -> f64 {
    let near = &cells.all[at..(at + run + 2).min(cells.all.len())];
    let longest = near.iter().map(|c| c.longest_s).fold(0.0, f64::max);
    match longest <= dark_s + 2.0 * cells.length_s {
        true => longest.max(dark_s),
        false => dark_s + cells.length_s,
    }
}

/// Time at which the rate was back where it is expected, to stay there, s from the step's start; `None` where that was never seen.
/// `from_s`: the instant of what is recovered from.
pub fn recovered_at(cells: &Cells, from_s: f64) -> Option<f64> {
    let last = cells.all.last()?;
    let end_s = last.start_s + last.length_s;
    let calm_s = CALM_S.min((end_s - from_s) / 2.0);
    let mut since_s = from_s;
    for (at, cell) in cells.all.iter().enumerate() {
        if cell.start_s + cell.length_s <= from_s {
            continue;
        }
        if cell.start_s - since_s >= calm_s {
            return Some(since_s);
        }
        if cells.is_off(at) {
            since_s = cell.start_s + cell.length_s;
        }
    }
    (end_s - since_s >= calm_s).then_some(since_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{SeriesBin, StepSeries};

    const MS: u64 = 1_000_000;

    /// 100 due in each bin of 100 ms, so many done; the instant is at the tenth.
    fn cells(done: impl Fn(u64) -> u64, longest_ms: impl Fn(u64) -> u64) -> Cells {
        let bin = |n: u64| SeriesBin {
            ios: done(n),
            due: 100,
            response_max_ns: longest_ms(n) * MS,
            ..SeriesBin::default()
        };
        Cells::of(&series(200, bin), 1000 * MS).unwrap()
    }

    /// The same with 40 due.
    fn cells_of_forty(done: impl Fn(u64) -> u64) -> Cells {
        let bin = |n: u64| SeriesBin {
            ios: done(n),
            due: 40,
            ..SeriesBin::default()
        };
        Cells::of(&series(200, bin), 1000 * MS).unwrap()
    }

    fn series(bins: u64, bin: impl Fn(u64) -> SeriesBin) -> StepSeries {
        StepSeries {
            end_ns: bins * 100 * MS,
            bin_ns: 100 * MS,
            bins: (0..bins).map(bin).collect(),
            ..StepSeries::default()
        }
    }

    #[test]
    fn a_gap_is_as_long_as_the_longest_wait_about_its_end() {
        // 40 done in bin 10, nothing in 11..=20, then what was held up.
        let done = |n| match n {
            10 => 40,
            11..=20 => 0,
            21 => 1160,
            _ => 100,
        };
        let cells = cells(done, |n| if n == 21 { 1090 } else { 1 });
        let dip = dip(&cells, 1.0, 20.0);
        assert!((dip.blackout_s - 1.09).abs() < 1e-9, "{dip:?}");
        assert!((dip.blackout_at_s - 1.1).abs() < 1e-9, "{dip:?}");
        assert!((dip.brownout_s - 0.1).abs() < 1e-9, "{dip:?}");
        assert_eq!((dip.lost, dip.lowest), (1060.0, Some(0.0)));
        let recovered = recovered_at(&cells, 1.0).unwrap();
        assert!((recovered - 2.2).abs() < 1e-9, "{recovered}");
    }

    #[test]
    fn an_io_that_waits_longer_than_the_gap_makes_it_no_longer() {
        let done = |n| if n == 12 { 0 } else { 100 };
        let cells = cells(done, |n| if n == 13 { 30_000 } else { 1 });
        let dip = dip(&cells, 1.0, 20.0);
        assert!((dip.blackout_s - 0.2).abs() < 1e-9, "{dip:?}");
    }

    #[test]
    fn half_the_rate_is_a_brownout_and_what_never_comes_back_is_no_recovery() {
        let cells = cells(|n| if n < 10 { 100 } else { 50 }, |_| 1);
        let whole = dip(&cells, 1.0, 20.0);
        assert_eq!((whole.blackout_s, whole.lowest), (0.0, Some(0.5)));
        assert!((whole.brownout_s - 19.0).abs() < 1e-6, "{whole:?}");
        assert_eq!(recovered_at(&cells, 1.0), None);
        let early = dip(&cells, 1.0, 2.0);
        assert!((early.brownout_s - 1.0).abs() < 1e-6, "{early:?}");
    }

    #[test]
    fn a_little_less_for_long_is_a_brownout_though_each_bin_might_be_chance() {
        // 40 come due in each bin, and 34 or 35 are done from the tenth to the hundredth: 14 % less. 5 or 6 missing from one bin
        // are no more than the scatter that is taken for granted.
        let done = |n: u64| match n {
            10..=100 => 34 + n % 2,
            _ => 40,
        };
        let cells = cells_of_forty(done);
        let dip = dip(&cells, 1.0, 20.0);
        assert!((dip.brownout_s - 9.1).abs() < 0.15, "{dip:?}");
        assert!((dip.lost - 91.0 * 5.5).abs() < 6.0, "{dip:?}");
    }

    #[test]
    fn what_scatters_by_chance_is_no_dip() {
        // 88 and 112 in turn, before as after.
        let cells = cells(|n| if n % 2 == 0 { 88 } else { 112 }, |_| 1);
        assert_eq!(dip(&cells, 1.0, 20.0), Dip::default());
        assert_eq!(recovered_at(&cells, 1.0), Some(1.0));
    }

    #[test]
    fn a_handful_of_ios_that_are_out_at_the_edge_of_a_bin_are_no_dip() {
        let done = |n| match n {
            50 => 36,
            51 => 44,
            _ => 40,
        };
        let cells = cells_of_forty(done);
        assert_eq!(dip(&cells, 1.0, 20.0), Dip::default());
    }

    #[test]
    fn few_ios_are_looked_at_in_longer_cells() {
        let bin = |n: u64| SeriesBin {
            ios: u64::from(n.is_multiple_of(2)) * 4,
            due: u64::from(n.is_multiple_of(2)) * 4,
            ..SeriesBin::default()
        };
        let series = series(60, bin);
        let cells = Cells::of(&series, 2500 * MS).unwrap();
        assert!((cells.length_s - 1.0).abs() < 1e-9, "{cells:?}");
        assert_eq!(cells.before, 2);
        assert!((cells.all[cells.before].start_s - 2.5).abs() < 1e-9);
        assert!(Cells::of(&series, 0).is_none());
        assert!(Cells::of(&series, 7_000 * MS).is_none());
    }
}
