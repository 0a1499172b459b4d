//! One step's course over all hosts: who is ready, what has come, who is done. Pure.

use crate::message::{Report, WireRanks};
use plimsoll_evidence::merge::Merger;
use plimsoll_evidence::{Interval, StepEvidence};
use plimsoll_printable::one_line;
use plimsoll_rig::WorkerPlaces;
use std::collections::BTreeSet;

/// Step of a fleet, as its hosts report of it.
#[derive(Debug)]
pub struct FleetStep {
    number: u32,
    merger: Merger,
    places: Vec<Option<WorkerPlaces>>,
    /// The numbers of each host's intervals that have come: one that tells a step again may tell of the newest twice.
    came: Vec<BTreeSet<u32>>,
    ends: Vec<Option<HostEnd>>,
    errors: u64,
    /// The fsyncs among them.
    failed_syncs: u64,
    /// Streams of each host's own step, by their place in the whole one; none where all hosts have the whole.
    streams: Option<Streams>,
}

/// Each host's streams, by their indices in the whole step, and how many that has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams {
    /// By host.
    pub of_hosts: Vec<Vec<usize>>,
    /// Of the whole step.
    pub count: usize,
}

/// End of a host's part.
#[derive(Debug, Clone)]
pub enum HostEnd {
    /// Complete: the evidence of the part, and how late it began, ns.
    Done(Box<StepEvidence>, u64),
    /// Failed, for this reason.
    Failed(String),
    /// The host is not heard any more.
    Lost(String),
    /// No part was begun, for another host was missing.
    NotBegun,
    /// The step has no part for this host.
    NoPart,
}

/// Effect of a host's report.
#[derive(Debug)]
pub enum ReportEffect {
    /// A host's own interval.
    OfHost(Box<Interval>),
    /// One of all of them.
    Merged(Box<Interval>),
    /// A host's note.
    Note(usize, String),
}

impl FleetStep {
    /// Step `number` on so many hosts; those in `gone` have no part in it.
    pub fn new(number: u32, hosts: usize, gone: &[usize]) -> Self {
        let mut course = FleetStep {
            number,
            merger: Merger::new(hosts),
            places: vec![None; hosts],
            came: vec![BTreeSet::new(); hosts],
            ends: vec![None; hosts],
            errors: 0,
            failed_syncs: 0,
            streams: None,
        };
        for host in gone {
            course.end(*host, HostEnd::Lost("it was lost before".into()));
        }
        course
    }

    /// Each host has a step of its own, with these streams of the whole.
    #[must_use]
    pub fn of_parts(self, streams: Option<Streams>) -> Self {
        FleetStep { streams, ..self }
    }

    /// Takes in what a host says.
    pub fn on_report(&mut self, host: usize, report: Report) -> Vec<ReportEffect> {
        match report {
            Report::Prepared {
                number,
                workers,
                sharers,
                rested,
            } if number == self.number => {
                self.places[host] = Some(WorkerPlaces { workers, sharers });
                let unrest = "its targets had not come to rest before the step".to_string();
                (!rested)
                    .then_some(ReportEffect::Note(host, unrest))
                    .into_iter()
                    .collect()
            }
            Report::Interval { number, interval } if number == self.number => {
                self.interval(host, *interval)
            }
            Report::Done {
                number,
                evidence,
                late_ns,
            } if number == self.number => self.end(host, HostEnd::Done(evidence, late_ns)),
            Report::Failed { number, why } if number == self.number => {
                self.end(host, HostEnd::Failed(one_line(&why)))
            }
            Report::Refuses { why } => self.end(host, HostEnd::Failed(one_line(&why))),
            Report::Finished { .. } => {
                self.end(host, HostEnd::Lost("the agent ended the run".into()))
            }
            Report::Note(note) => vec![ReportEffect::Note(host, note)],
            _ => Vec::new(),
        }
    }

    fn interval(&mut self, host: usize, interval: Interval) -> Vec<ReportEffect> {
        if self.ends[host].is_some() || !self.came[host].insert(interval.number) {
            return Vec::new();
        }
        // A host numbers the streams of its own step from 0 on, whichever they are of the whole.
        let stats = match &self.streams {
            Some(streams) => interval.stats.among(&streams.of_hosts[host], streams.count),
            None => interval.stats,
        };
        let host_interval = Interval {
            step: self.number,
            host: host as u32 + 1,
            stats,
            ..interval
        };
        let whole = self.merger.add(host, host_interval.clone());
        std::iter::once(ReportEffect::OfHost(Box::new(host_interval)))
            .chain(self.effects(whole))
            .collect()
    }

    fn effects(&mut self, whole: Vec<Interval>) -> Vec<ReportEffect> {
        let errors = whole.iter().map(|i| i.stats.errors());
        self.errors = errors.fold(self.errors, u64::saturating_add);
        let syncs = whole.iter().map(|i| i.stats.failed_syncs());
        self.failed_syncs = syncs.fold(self.failed_syncs, u64::saturating_add);
        let merged = |i| ReportEffect::Merged(Box::new(i));
        whole.into_iter().map(merged).collect()
    }

    /// A host's part is over; only the first end counts.
    pub fn end(&mut self, host: usize, end: HostEnd) -> Vec<ReportEffect> {
        if self.ends[host].is_some() {
            return Vec::new();
        }
        self.ends[host] = Some(end);
        let whole = self.merger.done(host);
        self.effects(whole)
    }

    /// True when all that go on are ready to begin.
    pub fn is_prepared(&self) -> bool {
        let ready = |h: usize| self.places[h].is_some() || self.ends[h].is_some();
        (0..self.places.len()).all(ready)
    }

    /// Each host's place among all; one that has no part keeps none of the load for others to take.
    pub fn ranks(&self, apart: &[bool]) -> Vec<WireRanks> {
        let standing = self.places.iter().flatten().next().cloned();
        let of = |p: &Option<WorkerPlaces>| p.clone().or_else(|| standing.clone());
        let places: Vec<WorkerPlaces> = self.places.iter().filter_map(of).collect();
        (0..places.len())
            .map(|host| WireRanks::among(&places, host, apart))
            .collect()
    }

    /// Each host's place where each has a step of its own.
    pub fn ranks_alone(&self) -> Vec<WireRanks> {
        let none = WorkerPlaces {
            workers: 0,
            sharers: Vec::new(),
        };
        let alone = |place: &Option<WorkerPlaces>| {
            let place = place.as_ref().unwrap_or(&none);
            let apart = vec![false; place.sharers.len()];
            WireRanks::among(std::slice::from_ref(place), 0, &apart)
        };
        self.places.iter().map(alone).collect()
    }

    /// False of a host that has nothing to do in it.
    pub fn has_a_part(&self, host: usize) -> bool {
        !matches!(self.ends[host], Some(HostEnd::NoPart))
    }

    /// Worker threads of all hosts.
    pub fn workers(&self) -> u32 {
        self.places.iter().flatten().map(|p| p.workers).sum()
    }

    /// Errors of all hosts in the intervals that are whole.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The fsyncs among them.
    pub fn failed_syncs(&self) -> u64 {
        self.failed_syncs
    }

    /// True when no host has anything more to say.
    pub fn is_over(&self) -> bool {
        self.ends.iter().all(Option::is_some)
    }

    /// The hosts whose part did not come to its end.
    pub fn broken(&self) -> impl Iterator<Item = (usize, &HostEnd)> {
        let ends = self.ends.iter().enumerate();
        ends.filter_map(|(h, e)| Some((h, e.as_ref()?)))
            .filter(|(_, e)| !matches!(e, HostEnd::Done(..) | HostEnd::NoPart))
    }

    /// True where hosts that were lost are all that keeps the step from being whole.
    pub fn only_lost(&self) -> bool {
        let is_lost = |(_, e): (usize, &HostEnd)| matches!(e, HostEnd::Lost(_));
        let is_other = |(_, e): (usize, &HostEnd)| matches!(e, HostEnd::Failed(_));
        self.broken().any(is_lost) && !self.broken().any(is_other)
    }

    /// Ends of the hosts' parts; `None` of one that has not ended.
    pub fn ends(&self) -> &[Option<HostEnd>] {
        &self.ends
    }

    /// Hosts that others wait for.
    pub fn stragglers(&self) -> Vec<usize> {
        self.merger.stragglers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::Phase;
    use plimsoll_measure::IntervalStats;

    #[test]
    fn each_hosts_streams_are_those_of_the_whole_step_that_it_carries_out() {
        let streams = Streams {
            of_hosts: vec![vec![2], vec![0, 2]],
            count: 3,
        };
        let mut course = FleetStep::new(1, 2, &[]).of_parts(Some(streams));
        let interval = |due: &[u64]| {
            let mut stats = IntervalStats::new(due.len());
            for (stream, due) in stats.streams.iter_mut().zip(due) {
                stream.due = *due;
            }
            let interval = Interval::new(1, 1, 0..1, Phase::Counted, stats);
            let interval = Box::new(interval);
            Report::Interval {
                number: 1,
                interval,
            }
        };
        course.on_report(0, interval(&[5]));
        let seen = course.on_report(1, interval(&[7, 11]));
        let due = |i: &Interval| i.stats.streams.iter().map(|s| s.due).collect::<Vec<_>>();
        let [
            ReportEffect::OfHost(host_interval),
            ReportEffect::Merged(all),
        ] = &seen[..]
        else {
            panic!("{seen:?}");
        };
        assert_eq!(
            (due(host_interval), due(all)),
            (vec![7, 0, 11], vec![7, 0, 16])
        );
    }

    #[test]
    fn an_interval_that_a_host_tells_twice_is_its_own_once() {
        let mut course = FleetStep::new(1, 2, &[]);
        let report = |number: u32| {
            let interval = Interval::new(1, number, 0..1, Phase::Counted, IntervalStats::new(1));
            let interval = Box::new(interval);
            Report::Interval {
                number: 1,
                interval,
            }
        };
        // The newest comes as it is measured, and then again among all that are told again.
        let effects = [2, 1, 2, 3, 3].map(|n| course.on_report(0, report(n)));
        let host_interval = effects.iter().flatten().map(|seen| match seen {
            ReportEffect::OfHost(host_interval) => host_interval.number,
            other => panic!("{other:?}"),
        });
        assert_eq!(host_interval.collect::<Vec<_>>(), [2, 1, 3]);
    }
}
