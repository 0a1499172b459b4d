//! Depths that fio's jobs search for (`latency_target`): looked at each interval, and set for the next.

use plimsoll_dialects::fio::Reported;
use plimsoll_evidence::{Interval, OpSummary};
use plimsoll_measure::Op;
use plimsoll_methods::LatencyDepth;
use plimsoll_plan::{LatencyGoal, Plan};
use plimsoll_report::fio::{FoundDepth, LastWindow, Samples};
use plimsoll_rig::Control;

/// fio's error of a job whose I/Os cannot stay within their time.
const ETIMEDOUT: u32 = 110;

/// All searches of a run.
pub struct Depths {
    searches: Vec<Search>,
}

/// One stream's.
struct Search {
    /// The place of its job among those that are reported.
    job: usize,
    /// The place of its step among those that measure.
    step: usize,
    search: LatencyDepth,
}

impl Depths {
    /// Of the jobs as they are reported.
    pub fn of(reported: &[Reported], plan: &Plan) -> Self {
        let steps: Vec<_> = plan.steps().collect();
        let mut searches = Vec::new();
        for (job, asked) in reported.iter().enumerate() {
            let Some(goal) = &asked.watched.latency else {
                continue;
            };
            let streams = steps.get(asked.step).map_or(&[][..], |s| &s.streams);
            let matching = streams.iter().enumerate();
            let matching = matching.filter(|(_, s)| asked.workloads.contains(&s.workload));
            searches.extend(matching.map(|(stream, s)| Search {
                job,
                step: asked.step,
                search: LatencyDepth::of(within_slots(goal, s.depth), stream),
            }));
        }
        Depths { searches }
    }

    /// The step at this place begins: its streams have the depths at which their searches are.
    pub fn begins(&self, step: Option<usize>, control: &Control) {
        control.free_depths();
        for matching in self.searches.iter().filter(|s| Some(s.step) == step) {
            control.limit_depth(matching.search.stream(), matching.search.depth());
        }
    }

    /// An interval of the step at this place has come; the sentence with which the step is to end, where it is.
    pub fn saw(&mut self, step: usize, interval: &Interval, control: &Control) -> Option<String> {
        if !interval.counts() {
            return None;
        }
        let mut any = false;
        for matching in self.searches.iter_mut().filter(|s| s.step == step) {
            any = true;
            if let Some(depth) = matching.search.saw(interval) {
                control.limit_depth(matching.search.stream(), depth);
            }
        }
        let matching = || self.searches.iter().filter(|s| s.step == step);
        if let Some(failed) = matching().find(|s| s.search.failed()) {
            let within = failed.search.goal().within.0;
            return Some(format!(
                "an I/O that was alone took longer than latency_target, {within} ns"
            ));
        }
        let all = any && matching().all(|s| s.search.found());
        all.then(|| "the depth that keeps latency_target was found".to_string())
    }

    /// The error of a job, by its place among those that are reported.
    pub fn failed(&self, job: usize) -> Option<u32> {
        let mut matching = self.searches.iter().filter(|s| s.job == job);
        matching.any(|s| s.search.failed()).then_some(ETIMEDOUT)
    }

    /// True where any was ended as fio ends one that fails.
    pub fn any_failed(&self) -> bool {
        self.searches.iter().any(|s| s.search.failed())
    }

    /// Searches that should have come to an end and did not: how many, and the depth of the first.
    pub fn open(&self) -> Option<(usize, u32)> {
        let is_open =
            |s: &&Search| !s.search.found() && !s.search.failed() && !s.search.goal().goes_on;
        let mut open = self.searches.iter().filter(is_open);
        let first = open.next()?;
        Some((1 + open.count(), first.search.depth()))
    }

    /// Result of a job's search; of several clones that are shown as one, the first one's depth.
    pub fn shown(&self, job: usize) -> Option<FoundDepth> {
        let matching: Vec<&Search> = self.searches.iter().filter(|s| s.job == job).collect();
        let first = matching.first()?;
        let all_found = matching.iter().all(|s| s.search.found());
        Some(FoundDepth {
            goal: *first.search.goal(),
            depth: first.search.depth(),
            last: all_found.then(|| last_windows(&matching)),
        })
    }
}

/// A stream of fewer slots has no larger depth.
fn within_slots(goal: &LatencyGoal, slots: Option<u32>) -> LatencyGoal {
    LatencyGoal {
        most: slots.unwrap_or(goal.most).max(1),
        ..*goal
    }
}

fn last_windows(searches: &[&Search]) -> LastWindow {
    let mut samples = Samples::default();
    let mut ops = Vec::new();
    for search in searches.iter().map(|s| &s.search) {
        let Some((stats, intervals)) = search.last() else {
            continue;
        };
        for (place, interval) in intervals.iter().enumerate() {
            samples.put(place, search.stream(), interval);
        }
        let all = Op::ALL.into_iter().zip(&stats.ops);
        let any = all.filter(|(_, o)| o.ios + o.errors > 0);
        ops.extend(any.map(|(op, o)| OpSummary::of(op, o)));
    }
    LastWindow { ops, samples }
}
