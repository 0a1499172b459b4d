//! A step's series around the instant of the disturbance, in cells that hold enough I/Os to tell a gap from chance.

use plimsoll_evidence::StepSeries;

/// I/Os that are expected in a cell, at least: at random arrivals one of 5e8 cells is empty by chance.
const ENOUGH: f64 = 20.0;
/// A cell longer than this shows nothing of what lasts seconds, s.
pub const LONGEST_S: f64 = 1.0;
/// Distance from the expected rate within which a cell lies by chance, standard deviations of the cells before the instant.
const CHANCE: f64 = 4.0;
/// The least scatter that is taken for granted, I/Os: a few that are out at a cell's edge are rare, and no dip.
const LEAST_NOISE: f64 = 1.5;
/// Share of the expected rate below which the rate is a dip.
pub const BAND: f64 = 0.90;
/// Distance from the expected rate at which the rate has recovered, as a share of it.
const RECOVERED: f64 = 0.05;

/// A part of the step's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cell {
    /// Start and length, s; the start from the step's.
    pub start_s: f64,
    pub length_s: f64,
    /// I/Os that completed, and those that were expected to.
    pub ios: f64,
    pub expected: f64,
    /// The longest response time, s.
    pub longest_s: f64,
}

/// The cells of a step.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    pub all: Vec<Cell>,
    /// Number of the cells before the instant.
    pub before: usize,
    /// Length of a cell, s.
    pub length_s: f64,
    /// The rate before, I/Os per second, and the part of what came due that was done.
    pub rate: f64,
    pub carried: f64,
    /// The scatter of a cell around what is expected of it, I/Os.
    noise: f64,
}

impl Cells {
    /// Of a series, with the instant `cut_ns` from the step's start; `None` where there is nothing before it, or nothing after.
    pub fn of(series: &StepSeries, cut_ns: u64) -> Option<Self> {
        let cut = series.bin_at(cut_ns)?;
        let lengths = (0..series.bins.len()).map(|bin| series.bin_length_ns(bin) as f64 / 1e9);
        let lengths: Vec<f64> = lengths.collect();
        let before = series.bins.get(..cut)?;
        let seconds: f64 = lengths[..cut].iter().sum();
        let ios: f64 = before.iter().map(|b| b.ios as f64).sum();
        let due: f64 = before.iter().map(|b| b.due as f64).sum();
        if seconds <= 0.0 || ios <= 0.0 {
            return None;
        }
        let rate = ios / seconds;
        let bin_s = series.bin_ns as f64 / 1e9;
        let group = (ENOUGH / (rate * bin_s)).ceil().clamp(1.0, 1e6) as usize;
        // The instant lies at an edge.
        let skipped = cut % group;
        let mut all = Vec::new();
        let mut at = skipped;
        while at < series.bins.len() {
            let end = (at + group).min(series.bins.len());
            let bins = &series.bins[at..end];
            let length_s: f64 = lengths[at..end].iter().sum();
            let sum = |of: fn(&plimsoll_evidence::SeriesBin) -> u64| -> f64 {
                bins.iter().map(|b| of(b) as f64).sum()
            };
            let longest = bins.iter().map(|b| b.response_max_ns).max();
            all.push(Cell {
                start_s: series.bin_start_ns(at) as f64 / 1e9,
                length_s,
                ios: sum(|b| b.ios),
                expected: match due > 0.0 {
                    true => sum(|b| b.due),
                    false => rate * length_s,
                },
                longest_s: longest.unwrap_or(0) as f64 / 1e9,
            });
            at = end;
        }
        let mut cells = Cells {
            before: (cut - skipped) / group,
            length_s: bin_s * group as f64,
            rate,
            carried: if due > 0.0 { ios / due } else { 1.0 },
            noise: 0.0,
            all,
        };
        cells.noise = cells.scatter();
        Some(cells)
    }

    fn scatter(&self) -> f64 {
        let off = self.all[..self.before].iter().map(|c| c.ios - c.expected);
        let squares: f64 = off.map(|off| off * off).sum();
        (squares / self.before.max(1) as f64)
            .sqrt()
            .max(LEAST_NOISE)
    }

    /// No I/O completed in it, and some were expected to.
    pub fn is_dark(&self, cell: &Cell) -> bool {
        cell.ios == 0.0 && cell.expected >= ENOUGH / 2.0
    }

    /// Fewer completed than 90 % of those expected, and fewer than by chance: in the cell, or in the second that begins or ends
    /// with it. A cell of 40 I/Os of which 6 are missing may be chance, and ten of them one after the other are none.
    pub fn is_low(&self, at: usize) -> bool {
        let cell = &self.all[at];
        if self.is_low_alone(cell) {
            return true;
        }
        let cells = self.in_a_second();
        let before = &self.all[(at + 1).saturating_sub(cells)..=at];
        let after = &self.all[at..(at + cells).min(self.all.len())];
        cell.ios < BAND * cell.expected
            && (self.are_low_together(before) || self.are_low_together(after))
    }

    fn is_low_alone(&self, cell: &Cell) -> bool {
        self.is_below([cell].into_iter())
    }

    /// Cells that are low by themselves say nothing of their neighbours.
    fn are_low_together(&self, cells: &[Cell]) -> bool {
        self.is_below(
            cells
                .iter()
                .filter(|c| !self.is_low_alone(c) && !self.is_dark(c)),
        )
    }

    fn is_below<'c>(&self, cells: impl Iterator<Item = &'c Cell>) -> bool {
        let (mut expected, mut missing, mut count) = (0.0, 0.0, 0.0);
        for cell in cells {
            expected += cell.expected;
            missing += cell.expected - cell.ios;
            count += 1.0;
        }
        missing > (1.0 - BAND) * expected && missing > CHANCE * self.noise * f64::sqrt(count)
    }

    /// Number of cells in a second.
    fn in_a_second(&self) -> usize {
        (LONGEST_S / self.length_s).ceil().max(1.0) as usize
    }

    /// True where the rate is off the expected one from a cell on: less than half of it in the cell, or more than 5 % off over the next
    /// second, either way. What was held up is caught up with.
    pub fn is_off(&self, at: usize) -> bool {
        let cell = &self.all[at];
        let half = cell.expected / 2.0;
        if self.is_dark(cell) || (cell.ios < half && half > CHANCE * self.noise) {
            return true;
        }
        let cells = self.in_a_second();
        // The last second stands for all that begins in it.
        let from = at.min(self.all.len().saturating_sub(cells));
        let second = &self.all[from..(from + cells).min(self.all.len())];
        let expected: f64 = second.iter().map(|c| c.expected).sum();
        let ios: f64 = second.iter().map(|c| c.ios).sum();
        let off = (expected - ios).abs();
        off > RECOVERED * expected && off > CHANCE * self.noise * (second.len() as f64).sqrt()
    }
}
