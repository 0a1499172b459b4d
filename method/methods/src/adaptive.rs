//! The adaptive curve: finds the maximum, and then measures where the curve bends.
//!
//! It looks up first, by rates that leave ever less of the maximum free, as a queue's response grows with what is left free.
//! Then it closes in on the knee and on each limit, and measures about each limit for as long as it takes to know its
//! capacity well enough. At the end it goes down again, through rates that it has seen before.

mod bend;
mod confirm;
mod crossing;
#[cfg(test)]
mod noise;
mod scale;
mod scatter;
mod sight;
mod spline;
mod stages;
mod verdict;
mod watch;

use crate::completed_steps::{CompletedSteps, Pause};
use crate::curve::{at_rate, shared_rate};
use crate::method::{Method, Observer};
use crate::next::Next;
use crate::search::{Searched, searched};
use crate::verdict::limits;
use crossing::{Crossing, crossing};
use plimsoll_evidence::{SloStatistic, StepEvidence, Verdict};
use plimsoll_plan::{AdaptiveSpec, Arrival, Load, Nanos, Rate, SHORTEST_POINT, Step, depth};
use sight::{Goal, Leg, Point, Sight, sights};
use watch::{Enough, Watch};

/// A response past so many times the greatest limit is nowhere near any of them.
const FAR_PAST: f64 = 3.0;
/// I/Os that a percentile's interval needs beyond it.
const BEYOND: f64 = 40.0;

/// The state machine of an adaptive curve. It has no state but its specification.
#[derive(Debug, Clone, PartialEq)]
pub struct Adaptive {
    base: Step,
    spec: AdaptiveSpec,
    goals: Vec<Goal>,
}

/// Progress of a search.
#[derive(Default)]
struct SearchProgress<'a> {
    /// The steps of the search.
    probes: Vec<&'a StepEvidence>,
    /// Outcome of the search for that depth.
    depth: Option<Searched>,
    maximum: Option<&'a StepEvidence>,
    /// The points, in the order in which they were measured.
    points: Vec<Point<'a>>,
    /// All I/O so far, s.
    spent_s: f64,
    /// The part of the budget that the running stage may come to, s.
    until_s: f64,
    /// The stages that the budget cut short.
    cut: Vec<&'static str>,
    /// Number of times that the full load was put on again.
    full_loads: usize,
    /// The step that is wanted next follows the last one without a rest.
    at_once: bool,
    /// Watch that may end the next wanted point before its time.
    enough: Option<Enough>,
}

/// Reason why a stage goes no further.
enum Stop {
    /// A step is to be measured first, or the last one broke off.
    Pause(Pause),
    /// Budget too short for another point.
    Budget,
}

/// A point that is wanted.
struct Wanted {
    rate: f64,
    leg: Leg,
    /// Counted time, s.
    seconds: f64,
    /// True where the point may end as soon as it is known to be far from all limits.
    may_end: bool,
}

impl Adaptive {
    /// A curve of this specification; of the steps there is one.
    pub fn new(steps: &[Step], spec: &AdaptiveSpec) -> Self {
        let goal = |(statistic, limit_ns)| Goal {
            statistic,
            limit_ns,
        };
        Adaptive {
            base: steps[0].clone(),
            spec: spec.clone(),
            goals: limits(&spec.slos).into_iter().map(goal).collect(),
        }
    }

    /// Progress over the completed steps, and the reason why it goes no further.
    fn course<'a>(&self, completed: &'a [&'a StepEvidence]) -> (SearchProgress<'a>, Option<Pause>) {
        let mut completed_steps = CompletedSteps::new(completed);
        let mut course = SearchProgress::default();
        let end = self.run(&mut completed_steps, &mut course);
        (course, end.err())
    }

    fn run<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Pause> {
        self.find_depth(completed_steps, course)?;
        let maximum = completed_steps.measure(|| self.maximum(course))?;
        course.took(maximum);
        course.maximum = Some(maximum);
        if maximum.ios == 0 {
            return Ok(());
        }
        for (name, share, stage) in self.stages() {
            course.until_s = share * self.spec.budget.as_secs_f64();
            match stage(self, completed_steps, course) {
                Ok(()) => {}
                Err(Stop::Budget) => course.cut.push(name),
                Err(Stop::Pause(pause)) => return Err(pause),
            }
        }
        Ok(())
    }

    fn find_depth<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
    ) -> Result<(), Pause> {
        let Some(search) = &self.spec.search else {
            return Ok(());
        };
        loop {
            let rates: Vec<f64> = course.probes.iter().map(|p| p.rate.mean).collect();
            match searched(search, &rates) {
                Searched::Try(depth) => {
                    let probe = completed_steps.measure(|| search.probe(&self.base, depth))?;
                    course.took(probe);
                    course.probes.push(probe);
                }
                found => {
                    course.depth = Some(found);
                    return Ok(());
                }
            }
        }
    }

    /// The maximum, at the depth that was found.
    fn maximum(&self, course: &SearchProgress) -> Step {
        let mut step = self.base.clone();
        step.elapsed = self.spec.look;
        if let Some(Searched::Found { depth, .. }) = course.depth {
            depth::set(&mut step.depths, depth);
        }
        step
    }

    /// The maximum once more, before a point that is to find nothing saved up.
    fn full_load(&self, course: &SearchProgress) -> Step {
        let mut step = self.maximum(course);
        step.name = format!("{}_(full_{})", self.base.name, course.full_loads + 1);
        step
    }

    /// Measures a point, in what is left of the stage's part of the budget.
    fn measure<'a>(
        &self,
        completed_steps: &mut CompletedSteps<'a>,
        course: &mut SearchProgress<'a>,
        wanted: &Wanted,
    ) -> Result<Point<'a>, Stop> {
        let Some(maximum) = course.maximum else {
            return Err(Stop::Budget);
        };
        let left = course.until_s - course.spent_s - self.spec.warmup.as_secs_f64();
        let shortest = SHORTEST_POINT.as_secs_f64();
        if left < shortest {
            return Err(Stop::Budget);
        }
        let seconds = wanted.seconds.max(shortest).min(left);
        course.enough = Some(self.enough(wanted));
        let step = completed_steps
            .measure(|| self.point(course, maximum, wanted, seconds))
            .map_err(Stop::Pause)?;
        course.took(step);
        let point = Point {
            rate: step.offered.unwrap_or(wanted.rate),
            leg: wanted.leg,
            step,
        };
        course.points.push(point);
        Ok(point)
    }

    /// The step of a point. Its rate is that of all streams together.
    fn point(
        &self,
        course: &SearchProgress,
        maximum: &StepEvidence,
        wanted: &Wanted,
        seconds: f64,
    ) -> Step {
        let own = maximum.rate.mean - shared_rate(&self.base, maximum);
        let rate = Rate((wanted.rate - own).max(wanted.rate / 100.0));
        let arrival = match wanted.leg {
            Leg::Confirm => Arrival::Even,
            _ => self.spec.arrival,
        };
        let mut step = at_rate(&self.base, maximum, rate, arrival);
        if let (Some(search), Some(Searched::Found { depth, .. })) =
            (&self.spec.search, course.depth)
        {
            depth::set(&mut step.depths, search.point_slots(depth));
        }
        // Whole tenths of a second: samples are as long.
        step.elapsed = Nanos((seconds * 10.0).round() as u64 * 100_000_000);
        let percent = 100.0 * wanted.rate / maximum.rate.mean;
        let name = format!("{}_({percent:.1}%)", self.base.name);
        let before = course
            .points
            .iter()
            .filter(|p| p.step.name.starts_with(&name));
        step.name = match before.count() {
            0 => name,
            n => format!("{name}_{}", n + 1),
        };
        step
    }

    fn enough(&self, wanted: &Wanted) -> Enough {
        let of_mean = |g: &&Goal| g.statistic == SloStatistic::Mean;
        let means = self.goals.iter().filter(of_mean).map(|g| g.limit_ns as f64);
        let largest = self.goals.iter().map(|g| g.limit_ns).max().unwrap_or(0);
        Enough {
            may_end: wanted.may_end && self.goals.iter().all(|g| of_mean(&g)),
            limits_ns: means.collect(),
            past_ns: FAR_PAST * largest as f64,
            look_s: self.spec.look.as_secs_f64(),
        }
    }

    /// I/Os without which some percentile has no interval.
    fn least_ios(&self) -> f64 {
        let beyond = |g: &Goal| match g.statistic {
            SloStatistic::Mean => 0.0,
            SloStatistic::Quantile(q) => BEYOND / q.min(1.0 - q),
        };
        self.goals.iter().map(beyond).fold(0.0, f64::max)
    }

    /// Counted time of a point that shows where to look, s: long enough for the percentiles.
    fn look_s(&self, rate: f64) -> f64 {
        let look = self.spec.look.as_secs_f64();
        let longest = self.spec.longest.as_secs_f64();
        look.max(1.2 * self.least_ios() / rate).min(longest)
    }
}

impl SearchProgress<'_> {
    fn took(&mut self, step: &StepEvidence) {
        self.spent_s += step.warmup_s + step.counted_s;
    }

    /// The points as a limit sees them.
    fn sights(&self, goal: &Goal) -> Vec<Sight> {
        sights(&self.points, goal, self.most())
    }

    fn crossing(&self, goal: &Goal) -> Option<Crossing> {
        crossing(&self.sights(goal), self.most())
    }

    fn most(&self) -> f64 {
        self.maximum.map_or(0.0, |m| m.rate.mean)
    }
}

impl Method for Adaptive {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let (course, pause) = self.course(completed);
        let complete = pause.is_none();
        let verdict = || self.verdict(&course, complete).map(Verdict::Curve);
        match pause {
            Some(pause) => pause.next(verdict),
            None => Next::Done(verdict()),
        }
    }

    fn rests_before(&self, completed: &[&StepEvidence], _: &Step) -> bool {
        !self.course(completed).0.at_once
    }

    fn observer(&self, completed: &[&StepEvidence], step: &Step) -> Option<Box<dyn Observer>> {
        if !matches!(step.load, Load::Rate { .. }) {
            return None;
        }
        let enough = self.course(completed).0.enough?;
        Some(Box::new(Watch::new(enough)))
    }
}
