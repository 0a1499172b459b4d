//! The saturation campaign: for each mix and size the least concurrency that carries nearly the most, and points below it.
//!
//! The most is looked for by doubling the depth, as a curve does, and then the workers and the depth together: a target may
//! carry only so much for each connection, queue or thread. It goes on past the depths that bring next to nothing where a curve
//! through them says that much is left to come. The least depth that carries [`NEARLY`] of it lies between
//! two of the depths that were tried, and is closed in by bisection. What stands in the result is measured again, for longer:
//! the best of many short looks would be too good.

mod beyond;
mod ceiling;
mod looks;
mod table;
mod untested;
mod verdict;

use crate::completed_steps::{CompletedSteps, Pause};
use crate::method::Method;
use crate::next::Next;
use crate::search::{Searched, searched};
use beyond::beyond;
use looks::Looks;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_plan::bounds::WORKERS_MAX;
use plimsoll_plan::{Arrival, Load, MORE_WORKERS, Rate, SaturateSpec, Step};

/// Share of the most that the least concurrency has to carry.
pub(crate) const NEARLY: f64 = 0.97;
/// The least depth is known well enough where the next one that is too small is at least this part of it.
const CLOSE: f64 = 0.85;
/// More workers than usual are worth it where they carry this much more: as much as nearly the most may lack.
const GAIN: f64 = 0.03;
/// Number of looks at a depth that decides: chance of one look counts for much where a curve is flat.
const TWICE: usize = 2;
/// The depths at the end of a search that decide; and how often they are looked at where no greater one may be tried.
const LAST: usize = 3;
const AT_LAST: usize = 3;
/// The depth that is found is looked at so often: of several depths by chance the luckiest was taken.
const CONFIRMED: usize = 4;
/// A look this near to what it is held against decides nothing by itself.
const UNSURE: f64 = 0.02;
/// A point below is near enough to its share of the most where it is no further off than this part of it.
const NEAR: f64 = 0.12;

/// The state machine of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturate {
    cells: Vec<Step>,
    spec: SaturateSpec,
}

/// Results of a cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell<'a> {
    /// The short steps.
    pub looks: Looks<'a>,
    /// The least concurrency that carries nearly the most.
    pub full: Option<Point<'a>>,
    /// About half of that, and about a quarter.
    pub parts: Vec<Point<'a>>,
    /// One outstanding I/O.
    pub synchronous: Option<Point<'a>>,
    /// More workers than usual, where they carry more.
    pub workers: Option<u32>,
    /// At the greatest depth that may be tried the rate still grew: more might carry more.
    pub at_limit: bool,
    /// So did the greatest number of workers.
    pub workers_at_limit: bool,
    /// The most that any depth reached, in the mean of its looks, I/Os per second.
    pub most: f64,
    /// Nearly the most, I/Os per second.
    pub enough: f64,
}

/// One row of the result.
#[derive(Debug, Clone)]
pub(crate) struct Point<'a> {
    /// `full`, `half`, `quarter`, `synchronous`.
    pub name: &'static str,
    /// I/Os in flight on each target; `None`: an open loop, for even one in flight carries more than that.
    pub depth: Option<u32>,
    pub evidence: &'a StepEvidence,
}

impl Saturate {
    /// A campaign over these cells.
    pub fn new(cells: &[Step], spec: &SaturateSpec) -> Self {
        Saturate {
            cells: cells.to_vec(),
            spec: spec.clone(),
        }
    }

    /// All cells as far as the completed steps go, and why it is no further.
    fn cells<'a>(&self, completed: &'a [&'a StepEvidence]) -> (Vec<Cell<'a>>, Option<Pause>) {
        let mut completed_steps = CompletedSteps::new(completed);
        let mut cells = Vec::new();
        for step in &self.cells {
            let mut cell = Cell::default();
            let end = self.cell(step, &mut completed_steps, &mut cell);
            cells.push(cell);
            if let Err(pause) = end {
                return (cells, Some(pause));
            }
        }
        (cells, None)
    }

    fn cell<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
    ) -> Result<(), Pause> {
        self.look(step, completed_steps, cell)?;
        if self.more_workers(step, completed_steps, cell)? {
            self.look(step, completed_steps, cell)?;
        }
        let least = self.close_in(step, completed_steps, cell)?;
        let workers = match self.workers_at(step, cell, least) {
            None => self.fewest_workers(step, completed_steps, cell, least)?,
            more => more,
        };
        let at = |point, depth| self.spec.point(step, point, depth, workers);
        let full = completed_steps.measure(|| at("full", least))?;
        cell.full = Some(Point {
            name: "full",
            depth: Some(least),
            evidence: full,
        });
        for (name, share) in [("half", 0.5), ("quarter", 0.25)] {
            let part = self.part(step, completed_steps, cell, (name, share * full.rate.mean))?;
            cell.parts.push(part);
        }
        cell.synchronous = Some(Point {
            name: "synchronous",
            depth: Some(1),
            evidence: completed_steps
                .measure(|| self.spec.point(step, "synchronous", 1, Some(1)))?,
        });
        Ok(())
    }

    /// A short step at this depth, with the workers that the cell has come to.
    fn probe(&self, step: &Step, cell: &Cell, depth: u32) -> Step {
        let workers = self.workers_at(step, cell, depth);
        self.spec.probe(step, depth, workers)
    }

    /// The cell's workers at this depth: each needs a slot. `None`: the usual number.
    fn workers_at(&self, step: &Step, cell: &Cell, depth: u32) -> Option<u32> {
        let slots = self.spec.probe(step, depth, None).total_depth();
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        cell.workers.map(|workers| workers.min(slots))
    }

    /// Doubles the workers, and the depth with them, until that no longer pays. That the depth alone does not is known. Whether
    /// more than the usual number carry more.
    fn more_workers<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
    ) -> Result<bool, Pause> {
        let best = cell.looks.best().zip(cell.looks.workers());
        let Some(((depth, _), usual)) = best else {
            return Ok(false);
        };
        if step.workers.count.is_some() || cell.most <= 0.0 {
            return Ok(false);
        }
        let greatest = self.spec.depths(step).most;
        for doubled in 1..=MORE_WORKERS {
            let workers = usual.saturating_mul(1 << doubled);
            let depth = depth.saturating_mul(1 << doubled).min(greatest);
            let probe = self.spec.probe(step, depth, Some(workers));
            if u64::from(workers) > probe.total_depth().min(u64::from(WORKERS_MAX)) {
                break;
            }
            let look = completed_steps.measure(|| probe)?;
            // A target that has its own number of workers has no more of them.
            if look.workers < workers || look.rate.mean <= (1.0 + GAIN) * cell.most {
                break;
            }
            cell.most = look.rate.mean;
            cell.workers = Some(workers);
            cell.workers_at_limit = doubled == MORE_WORKERS;
        }
        Ok(cell.workers.is_some())
    }

    /// Doubles the depth until that no longer pays, and is not expected to.
    fn look<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
    ) -> Result<(), Pause> {
        let search = self.spec.depths(step);
        let depths: Vec<u32> = search.depths().collect();
        let mut tried: usize = 0;
        cell.looks.clear();
        loop {
            let rates: Vec<f64> = cell.looks.rates().map(|(_, rate)| rate).collect();
            if let Searched::Found { .. } = searched(&search, &rates) {
                let is_last = tried == depths.len();
                let times = if is_last { AT_LAST } else { TWICE };
                let last = &depths[tried.saturating_sub(LAST)..tried];
                if let Some(depth) = last.iter().find(|d| cell.looks.times(**d) < times) {
                    self.look_at(step, completed_steps, cell, *depth)?;
                    continue;
                }
                let beyond = beyond(&cell.looks.reached(), cell.looks.scatter(), is_last);
                if beyond.is_nearly_all || is_last {
                    cell.at_limit = !beyond.is_nearly_all;
                    cell.most = cell.looks.best().map_or(0.0, |(_, rate)| rate);
                    cell.enough = NEARLY * beyond.most;
                    return Ok(());
                }
            }
            self.look_at(step, completed_steps, cell, depths[tried])?;
            tried += 1;
        }
    }

    fn look_at<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
        depth: u32,
    ) -> Result<(), Pause> {
        let look = completed_steps.measure(|| self.probe(step, cell, depth))?;
        cell.looks.add(depth, look);
        Ok(())
    }

    /// True where a depth carries nearly the most. Where one look is too near to that to decide, there are more, up to `times`.
    fn carries_nearly<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
        (depth, times): (u32, usize),
    ) -> Result<bool, Pause> {
        let enough = cell.enough;
        loop {
            match cell.looks.rate(depth) {
                Some(rate)
                    if cell.looks.times(depth) >= times
                        || (rate / enough - 1.0).abs() >= UNSURE =>
                {
                    return Ok(rate >= enough);
                }
                // A target that carries nothing carries it at any depth.
                Some(_) if enough <= 0.0 => return Ok(true),
                _ => self.look_at(step, completed_steps, cell, depth)?,
            }
        }
    }

    /// The least depth that carries nearly the most.
    fn close_in<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
    ) -> Result<u32, Pause> {
        let best = cell.looks.best().map_or(1, |(depth, _)| depth);
        let (mut low, mut high) = (0, best);
        let depths: Vec<u32> = cell.looks.rates().map(|(depth, _)| depth).collect();
        for depth in depths.into_iter().filter(|d| *d < best) {
            if self.carries_nearly(step, completed_steps, cell, (depth, TWICE))? {
                high = depth;
                break;
            }
            low = depth;
        }
        let found = self.between(step, completed_steps, cell, (low, high))?;
        if found == best || self.carries_nearly(step, completed_steps, cell, (found, CONFIRMED))? {
            return Ok(found);
        }
        // It was luck: the next greater one that carries it, and what lies between.
        let carries = |(depth, rate): &(u32, f64)| *depth > found && *rate >= cell.enough;
        let next = cell.looks.rates().find(carries).map_or(best, |(d, _)| d);
        self.between(step, completed_steps, cell, (found, next.max(found)))
    }

    /// The least depth that carries nearly the most, between one that does not and one that does, by bisection.
    fn between<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
        (mut low, mut high): (u32, u32),
    ) -> Result<u32, Pause> {
        while low + 1 < high && f64::from(low) < CLOSE * f64::from(high) {
            // Between depths a ratio says more than a difference.
            let between = (f64::from(low.max(1)) * f64::from(high)).sqrt().round() as u32;
            let depth = between.clamp(low + 1, high - 1);
            match self.carries_nearly(step, completed_steps, cell, (depth, TWICE))? {
                true => high = depth,
                false => low = depth,
            }
        }
        Ok(high)
    }

    /// The fewest workers that still carry nearly the most at this depth: one after the other twice as many. `None` where the
    /// number was given, or one had them all anyway.
    fn fewest_workers<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &mut Cell<'a>,
        depth: u32,
    ) -> Result<Option<u32>, Pause> {
        let used = cell.looks.workers().unwrap_or(1);
        if step.workers.count.is_some() || used <= 1 {
            return Ok(None);
        }
        let mut workers = 1;
        while workers < used {
            let look = completed_steps.measure(|| self.spec.probe(step, depth, Some(workers)))?;
            if look.rate.mean >= NEARLY * cell.most {
                return Ok(Some(workers));
            }
            workers *= 2;
        }
        Ok(None)
    }

    /// A point at about this rate: at the depth that should carry it by what is known, and once more where that is far off.
    fn part<'a>(
        &self,
        step: &Step,
        completed_steps: &mut CompletedSteps<'a>,
        cell: &Cell<'a>,
        (name, rate): (&'static str, f64),
    ) -> Result<Point<'a>, Pause> {
        let mut known: Vec<(u32, f64)> = cell.looks.rates().collect();
        let one = known.iter().find(|(d, _)| *d == 1).map_or(0.0, |(_, r)| *r);
        if one > (1.0 + NEAR) * rate {
            let evidence = completed_steps.measure(|| self.paced(step, name, rate))?;
            return Ok(Point {
                name,
                depth: None,
                evidence,
            });
        }
        let mut depth = depth_for(&known, rate);
        for _ in 0..2 {
            let probe = completed_steps.measure(|| self.probe(step, cell, depth))?;
            if (probe.rate.mean / rate - 1.0).abs() <= NEAR {
                break;
            }
            known.push((depth, probe.rate.mean));
            known.sort_unstable_by_key(|(d, _)| *d);
            let next = depth_for(&known, rate);
            if next == depth {
                break;
            }
            depth = next;
        }
        let workers = self.workers_at(step, cell, depth);
        let evidence = completed_steps.measure(|| self.spec.point(step, name, depth, workers))?;
        Ok(Point {
            name,
            depth: Some(depth),
            evidence,
        })
    }

    /// A point at a rate that even one outstanding I/O passes: an open loop.
    fn paced(&self, step: &Step, name: &str, rate: f64) -> Step {
        let mut paced = self.spec.point(step, name, 64, None);
        paced.load = Load::rate(Rate(rate.round().max(1.0)), Arrival::Exponential);
        paced
    }
}

/// The depth at which this rate is to be expected: by a straight line of the logarithms between the depths that enclose it.
/// Depths rise; there is at least one.
fn depth_for(known: &[(u32, f64)], rate: f64) -> u32 {
    let above = known.iter().position(|(_, r)| *r >= rate);
    let (before, after) = match above {
        None => return known.last().map_or(1, |(d, _)| *d),
        Some(0) => return known[0].0,
        Some(at) => (known[at - 1], known[at]),
    };
    if before.1 <= 0.0 || after.1 <= before.1 {
        return after.0;
    }
    let share = (rate / before.1).ln() / (after.1 / before.1).ln();
    let (low, high) = (f64::from(before.0).ln(), f64::from(after.0).ln());
    let depth = (low + share * (high - low)).exp().round() as u32;
    depth.clamp(before.0, after.0)
}

impl Method for Saturate {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let (cells, pause) = self.cells(completed);
        let complete = pause.is_none();
        let verdict = || self.verdict(&cells, complete).map(Verdict::Method);
        match pause {
            Some(pause) => pause.next(verdict),
            None => Next::Done(verdict()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_a_rate_lies_between_those_that_enclose_it() {
        let known = [(1, 1000.0), (2, 2000.0), (4, 4000.0), (8, 5000.0)];
        assert_eq!(depth_for(&known, 3000.0), 3);
        assert_eq!(depth_for(&known, 2000.0), 2);
        assert_eq!(depth_for(&known, 500.0), 1);
        assert_eq!(depth_for(&known, 9000.0), 8);
        // Noise can turn the order of two.
        assert_eq!(depth_for(&[(1, 1000.0), (2, 900.0), (4, 2000.0)], 950.0), 1);
        assert_eq!(depth_for(&[(1, 0.0), (2, 10.0)], 5.0), 2);
    }
}
