//! Targets, streams and hosts of the current step, each with its last rates.

use crate::Part;
use plimsoll_plan::{Plan, Step};
use plimsoll_record::{IntervalTotals, OpTotals};
use std::collections::{BTreeMap, VecDeque};

/// Intervals whose rates are kept of each part.
pub(crate) const RECENT: u32 = 60;

/// More parts than anybody can read; of those past it nothing is kept.
pub(crate) const MOST_PARTS: u32 = 1024;

/// Amounts that a part did in one interval.
#[derive(Debug, Clone, Copy, Default)]
struct Amounts {
    ios: u64,
    bytes: u64,
    errors: u64,
    time_us: f64,
    max_us: Option<f64>,
}

impl Amounts {
    fn add(&mut self, other: &Amounts) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.errors = self.errors.saturating_add(other.errors);
        self.time_us += other.time_us;
        self.max_us = self.max_us.into_iter().chain(other.max_us).reduce(f64::max);
    }
}

/// Parts of one kind, by number from 1.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    names: Vec<String>,
    errors: BTreeMap<u32, u64>,
    recent: BTreeMap<u32, VecDeque<(u32, Amounts)>>,
}

impl Parts {
    pub(crate) fn named(names: Vec<String>) -> Self {
        Parts {
            names,
            ..Parts::default()
        }
    }

    fn add(&mut self, part: u32, interval: u32, amounts: Amounts) {
        if part > MOST_PARTS {
            return;
        }
        let errors = self.errors.entry(part).or_default();
        *errors = errors.saturating_add(amounts.errors);
        let recent = self.recent.entry(part).or_default();
        match recent.back_mut() {
            Some((last, sum)) if *last == interval => sum.add(&amounts),
            _ => recent.push_back((interval, amounts)),
        }
        while recent
            .front()
            .is_some_and(|(n, _)| n.saturating_add(RECENT) <= interval)
        {
            recent.pop_front();
        }
    }

    /// All parts at the end of an interval. `silent` is what is said of a part that has nothing of it.
    fn at(
        &self,
        interval: u32,
        length_of: impl Fn(u32) -> Option<f64>,
        silent: Option<f64>,
    ) -> Vec<Part> {
        let known = u32::try_from(self.names.len())
            .unwrap_or(MOST_PARTS)
            .min(MOST_PARTS);
        let seen = self.recent.keys().next_back().copied().unwrap_or(0);
        let first = interval.saturating_sub(RECENT - 1).max(1);
        let part = |number: u32| {
            let recent = self.recent.get(&number);
            let of = |n: u32| recent?.iter().find(|(m, _)| *m == n).map(|(_, a)| a);
            let each_second = |n: u32, amount: u64| length_of(n).map(|s| amount as f64 / s);
            let now = of(interval);
            Part {
                name: match self.names.get(number as usize - 1) {
                    Some(name) => name.clone(),
                    None => format!("stream {number}"),
                },
                rate: now.and_then(|a| each_second(interval, a.ios)).or(silent),
                bytes_per_s: now.and_then(|a| each_second(interval, a.bytes)).or(silent),
                mean_us: now.filter(|a| a.ios > 0).map(|a| a.time_us / a.ios as f64),
                max_us: now.and_then(|a| a.max_us),
                errors: self.errors.get(&number).copied().unwrap_or(0),
                recent: (first..=interval)
                    .map(|n| of(n).and_then(|a| each_second(n, a.ios)).or(silent))
                    .collect(),
            }
        };
        (1..=known.max(seen)).map(part).collect()
    }
}

/// The parts of a step.
#[derive(Debug, Default)]
pub(crate) struct StepParts {
    streams: Parts,
    targets: Parts,
    hosts: Parts,
    /// The target of each stream, from 1; empty where it is not known.
    target_of: Vec<u32>,
    /// Lengths of the last intervals, seconds.
    lengths: VecDeque<(u32, f64)>,
}

impl StepParts {
    /// Parts of a step; none where its definition is of another version.
    pub(crate) fn of(step: Option<&Step>, plan: Option<&Plan>, hosts: Vec<String>) -> Self {
        let hosts = Parts::named(hosts);
        let (Some(step), Some(plan)) = (step, plan) else {
            return StepParts {
                hosts,
                ..StepParts::default()
            };
        };
        let mut targets: Vec<usize> = step.streams.iter().map(|s| s.target.0 as usize).collect();
        targets.sort_unstable();
        targets.dedup();
        let name = |at: usize| plan.targets.get(at).map_or("", |t| &t.name).to_owned();
        let place = |at: usize| {
            targets
                .iter()
                .position(|t| *t == at)
                .map_or(0, |p| p as u32 + 1)
        };
        StepParts {
            streams: Parts::named(
                step.streams
                    .iter()
                    .map(|s| format!("{} on {}", s.workload, name(s.target.0 as usize)))
                    .collect(),
            ),
            target_of: step
                .streams
                .iter()
                .map(|s| place(s.target.0 as usize))
                .collect(),
            targets: Parts::named(targets.iter().map(|at| name(*at)).collect()),
            hosts,
            lengths: VecDeque::new(),
        }
    }

    /// An interval of all together.
    pub(crate) fn interval(&mut self, totals: &IntervalTotals) {
        self.lengths
            .push_back((totals.number, totals.length_ns as f64 / 1e9));
        while self.lengths.len() > RECENT as usize {
            self.lengths.pop_front();
        }
    }

    /// An operation of a stream.
    pub(crate) fn op(&mut self, op: &OpTotals) {
        let amounts = Amounts {
            ios: if op.counts { op.ios } else { 0 },
            bytes: op.bytes,
            errors: op.errors,
            time_us: if op.counts {
                op.mean_us.unwrap_or(0.0) * op.ios as f64
            } else {
                0.0
            },
            max_us: op.max_us.filter(|_| op.counts),
        };
        self.streams.add(op.stream, op.interval, amounts);
        let at = (op.stream as usize).checked_sub(1);
        if let Some(target) = at.and_then(|at| self.target_of.get(at)) {
            self.targets.add(*target, op.interval, amounts);
        }
    }

    /// An interval of a host.
    pub(crate) fn host(&mut self, host: u32, totals: &IntervalTotals) {
        let amounts = Amounts {
            ios: totals.ios,
            bytes: totals.bytes,
            errors: totals.errors,
            time_us: totals.mean_us.unwrap_or(0.0) * totals.ios as f64,
            max_us: totals.max_us,
        };
        self.hosts.add(host, totals.number, amounts);
    }

    /// Targets, streams and hosts as they are now.
    pub(crate) fn now(&self) -> (Vec<Part>, Vec<Part>, Vec<Part>) {
        let Some((interval, _)) = self.lengths.back() else {
            return Default::default();
        };
        let length_of = |n: u32| {
            let found = self.lengths.iter().find(|(m, _)| *m == n);
            found.map(|(_, s)| *s).filter(|s| *s > 0.0)
        };
        let at = |parts: &Parts, silent| parts.at(*interval, length_of, silent);
        let hosts = match self.hosts.names.len() > 1 {
            true => at(&self.hosts, None),
            false => Vec::new(),
        };
        // A stream without a row did nothing; a host without one has not told anything.
        (
            at(&self.targets, Some(0.0)),
            at(&self.streams, Some(0.0)),
            hosts,
        )
    }
}
