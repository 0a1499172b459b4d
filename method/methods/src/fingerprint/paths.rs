//! The target's paths, each by itself: whether one is slower or carries less, as one is that leads to a controller that does
//! not own the target (ALUA's non-optimised paths).

use super::ratio::{Ratio, rounds};
use super::script::{Order, Probe, ReadArea, Script};
use super::slices::ReadResult;
use plimsoll_plan::FINGERPRINT_BLOCK;

/// Rounds of all paths, at most; all take no longer than this, s.
const ROUNDS: usize = 8;
const TIME_S: f64 = 32.0;
/// The least rounds that say something.
const ROUNDS_LEAST: usize = 4;
/// Paths are alike where no two differ by more than this, with confidence: 10 %.
const ALIKE: f64 = 0.1;

/// Comparison of the paths.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paths {
    /// Of each path that is up: its number, the time of a single read, ns, and the reads a second with many in flight.
    pub each: Vec<(usize, f64, f64)>,
    /// The slowest path's single read: times as long as the fastest's.
    pub time: Ratio,
    /// The reads that the best path carries: times those of the worst.
    pub rate: Ratio,
    /// The paths that are not clearly worse than the best, by number.
    pub good: Vec<usize>,
}

impl Paths {
    /// True where some path is clearly worse, false where all are alike; `None` where neither is sure.
    pub fn differ(&self) -> Option<bool> {
        let alike = |r: &Ratio| r.high < 1.0 + ALIKE && r.low > 1.0 / (1.0 + ALIKE);
        if self.time.clear || self.rate.clear {
            return Some(true);
        }
        (alike(&self.time) && alike(&self.rate)).then_some(false)
    }
}

/// The asymmetry of paths.
pub(crate) fn asymmetry(script: &mut Script<'_>) -> ReadResult<Paths> {
    let ids = script.paths.clone();
    if ids.len() < 2 {
        return Ok(Err(
            "there is one path, or none can be told from others".into()
        ));
    }
    let whole = ReadArea::new(
        0,
        script.size / FINGERPRINT_BLOCK.0 * FINGERPRINT_BLOCK.0,
        Order::Random,
    );
    let probes = |depth, what: &str| -> Vec<Probe> {
        let one = |(number, id): &(usize, _)| Probe {
            path: Some(*id),
            warmup_ms: 50,
            elapsed_ms: 250,
            ..Probe::reads(format!("path {number}, {what}"), vec![whole], depth)
        };
        ids.iter().map(one).collect()
    };
    let fit = (TIME_S / (0.6 * ids.len() as f64)) as usize;
    let count = fit.clamp(ROUNDS_LEAST, ROUNDS);
    let times = rounds(script, &probes(1, "one at a time"), count, |r| r.service_ns)?;
    let rates = rounds(script, &probes(script.depth, "many at once"), count, |r| {
        r.rate
    })?;
    let (time, rate) = (times.means(), rates.means());
    let pairs = ids.len() * (ids.len() - 1) / 2;
    let (fastest, slowest) = ends(&time);
    let (worst, best) = ends(&rate);
    let worse = |path: &usize| {
        times.ratio_among(*path, fastest, pairs).clear
            || rates.ratio_among(best, *path, pairs).clear
    };
    Ok(Ok(Paths {
        time: times.ratio_among(slowest, fastest, pairs),
        rate: rates.ratio_among(best, worst, pairs),
        good: (0..ids.len())
            .filter(|path| !worse(path))
            .map(|path| ids[path].0)
            .collect(),
        each: ids
            .iter()
            .zip(time.iter().zip(&rate))
            .map(|((number, _), (t, r))| (*number, t.exp(), r.exp()))
            .collect(),
    }))
}

/// Places of the least and of the greatest value.
fn ends(values: &[f64]) -> (usize, usize) {
    let mut all: Vec<usize> = (0..values.len()).collect();
    all.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    (all[0], all[values.len() - 1])
}
