//! Depths that fio's jobs search for (`latency_target`): looked at each interval, and set for the next.

use plimsoll_dialects::fio::{LatencyGoal, Reported};
use plimsoll_evidence::{Interval, OpSummary};
use plimsoll_measure::{Histogram, Op, StreamStats};
use plimsoll_plan::Plan;
use plimsoll_report::fio::{FoundDepth, LastWindow, LatencyRule, LatencySearch, Looked, Samples};
use plimsoll_rig::Control;

/// fio's error of a job whose I/Os cannot stay within their time.
const ETIMEDOUT: u32 = 110;
/// Intervals that are of no depth: in the first workers learn of it, and in the second the I/Os of the depth before come back.
const BETWEEN: u32 = 2;

/// All searches of a run.
pub struct Depths {
    searches: Vec<Search>,
}

/// One stream's.
struct Search {
    /// The place of its job among those that are reported.
    job: usize,
    /// The place of its step among those that measure, and its own there.
    step: usize,
    stream: usize,
    search: LatencySearch,
    /// Intervals that are left out before the next window.
    leave_out: u32,
    window: Window,
    /// The window that is the result, as far as it has come.
    last: Option<Last>,
    found: bool,
    failed: bool,
}

/// What has been seen of a depth.
#[derive(Default)]
struct Window {
    ns: u64,
    ios: u64,
    late: u64,
}

#[derive(Default)]
struct Last {
    stats: StreamStats,
    samples: Vec<Interval>,
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
            let own = streams.iter().enumerate();
            let own = own.filter(|(_, s)| asked.workloads.contains(&s.workload));
            searches.extend(own.map(|(stream, s)| Search {
                job,
                step: asked.step,
                stream,
                search: LatencySearch::of(rule(goal, s.depth)),
                leave_out: 0,
                window: Window::default(),
                last: None,
                found: false,
                failed: false,
            }));
        }
        Depths { searches }
    }

    /// The step at this place begins: its streams have the depths at which their searches are.
    pub fn begins(&self, step: Option<usize>, control: &Control) {
        control.free_depths();
        for own in self.searches.iter().filter(|s| Some(s.step) == step) {
            control.limit_depth(own.stream, own.search.depth());
        }
    }

    /// An interval of the step at this place has come; the sentence with which the step is to end, where it is.
    pub fn saw(&mut self, step: usize, interval: &Interval, control: &Control) -> Option<String> {
        if !interval.counts() {
            return None;
        }
        let mut any = false;
        for own in self.searches.iter_mut().filter(|s| s.step == step) {
            any = true;
            if let Some(depth) = own.saw(interval) {
                control.limit_depth(own.stream, depth);
            }
        }
        let own = || self.searches.iter().filter(|s| s.step == step);
        if let Some(failed) = own().find(|s| s.failed) {
            let within = failed.search.rule().within_ns;
            return Some(format!(
                "an I/O that was alone took longer than latency_target, {within} ns"
            ));
        }
        let all = any && own().all(|s| s.found);
        all.then(|| "the depth that keeps latency_target was found".to_string())
    }

    /// The error of a job, by its place among those that are reported.
    pub fn failed(&self, job: usize) -> Option<u32> {
        let mut own = self.searches.iter().filter(|s| s.job == job);
        own.any(|s| s.failed).then_some(ETIMEDOUT)
    }

    /// Whether any was ended as fio ends one that fails.
    pub fn any_failed(&self) -> bool {
        self.searches.iter().any(|s| s.failed)
    }

    /// Searches that should have come to an end and did not: how many, and the depth of the first.
    pub fn open(&self) -> Option<(usize, u32)> {
        let is_open = |s: &&Search| !s.found && !s.failed && !s.search.rule().goes_on;
        let mut open = self.searches.iter().filter(is_open);
        let first = open.next()?;
        Some((1 + open.count(), first.search.depth()))
    }

    /// What a job's search has come to; of several clones that are shown as one, the first one's depth.
    pub fn shown(&self, job: usize) -> Option<FoundDepth> {
        let own: Vec<&Search> = self.searches.iter().filter(|s| s.job == job).collect();
        let first = own.first()?;
        let all_found = own.iter().all(|s| s.found);
        Some(FoundDepth {
            rule: *first.search.rule(),
            depth: first.search.depth(),
            last: all_found.then(|| last_windows(&own)),
        })
    }
}

fn rule(goal: &LatencyGoal, slots: Option<u32>) -> LatencyRule {
    LatencyRule {
        within_ns: goal.within.0,
        percent: goal.percent,
        window_ns: goal.window.0,
        goes_on: goal.goes_on,
        most: slots.unwrap_or(goal.most).max(1),
    }
}

fn last_windows(searches: &[&Search]) -> LastWindow {
    let mut samples = Samples::default();
    let mut ops = Vec::new();
    for (search, last) in searches.iter().filter_map(|s| Some((s, s.last.as_ref()?))) {
        for (place, interval) in last.samples.iter().enumerate() {
            samples.put(place, search.stream, interval);
        }
        let all = Op::ALL.into_iter().zip(&last.stats.ops);
        let any = all.filter(|(_, o)| o.ios + o.errors > 0);
        ops.extend(any.map(|(op, o)| OpSummary::of(op, o)));
    }
    LastWindow { ops, samples }
}

impl Search {
    /// The depth that is to be next, where another is.
    fn saw(&mut self, interval: &Interval) -> Option<u32> {
        if self.found || self.failed {
            return None;
        }
        if self.leave_out > 0 {
            self.leave_out -= 1;
            return None;
        }
        let stats = interval.stats.streams.get(self.stream)?;
        self.window.ns += interval.length_ns;
        for op in &stats.ops {
            self.window.ios += op.ios;
            self.window.late += later_than(&op.response, self.search.rule().within_ns);
        }
        if let Some(last) = &mut self.last {
            last.stats.merge(stats);
            last.samples.push(interval.clone());
        }
        let is_over = self.window.ns >= self.search.rule().window_ns;
        if !is_over && !self.search.fails_at_once(self.window.late) {
            return None;
        }
        let window = std::mem::take(&mut self.window);
        match self.search.look(window.ios, window.late) {
            Looked::Again => None,
            Looked::Found => {
                self.found = true;
                None
            }
            Looked::Failed => {
                self.failed = true;
                None
            }
            Looked::Last => {
                self.last = Some(Last::default());
                None
            }
            Looked::Depth(depth) => {
                self.last = None;
                self.leave_out = BETWEEN;
                Some(depth)
            }
        }
    }
}

/// How many took longer. Those of the bucket that the time is in count as longer, unless none is.
fn later_than(times: &Histogram, within_ns: u64) -> u64 {
    if times.max_ns().is_none_or(|most| most <= within_ns) {
        return 0;
    }
    let late = times.buckets().filter(|(_, high, _)| *high > within_ns);
    late.map(|(_, _, count)| count).sum()
}
