//! Intervals of many hosts put together. All hosts cut theirs on one grid, so that interval n of one is the same time as that of
//! another; what is added is added in the hosts' order, so that the sum does not depend on who was first.

use crate::{CpuInterval, Interval, Phase};
use plimsoll_measure::IntervalStats;
use std::collections::BTreeMap;

/// Puts together what hosts report of one step.
#[derive(Debug)]
pub struct Merger {
    hosts: usize,
    open: BTreeMap<u32, Vec<Option<Interval>>>,
    drains: Vec<Option<Interval>>,
    /// The next interval that is to be whole.
    next: u32,
    /// Hosts that send no more.
    done: Vec<bool>,
}

impl Merger {
    /// Merge of so many hosts.
    pub fn new(hosts: usize) -> Self {
        Merger {
            hosts,
            open: BTreeMap::new(),
            drains: vec![None; hosts],
            next: 1,
            done: vec![false; hosts],
        }
    }

    /// Adds a host's interval, from 0; hands back those that are whole now, in order. One that came before is not counted twice.
    pub fn add(&mut self, host: usize, interval: Interval) -> Vec<Interval> {
        if host >= self.hosts || self.done[host] {
            return Vec::new();
        }
        if interval.phase == Phase::Drain {
            self.drains[host].get_or_insert(interval);
            return Vec::new();
        }
        if interval.number < self.next {
            return Vec::new();
        }
        let hosts = self.hosts;
        let parts = self
            .open
            .entry(interval.number)
            .or_insert_with(|| vec![None; hosts]);
        parts[host].get_or_insert(interval);
        self.whole()
    }

    /// A host sends no more of this step.
    pub fn done(&mut self, host: usize) -> Vec<Interval> {
        if let Some(done) = self.done.get_mut(host) {
            *done = true;
        }
        let mut whole = self.whole();
        if self.done.iter().all(|d| *d) {
            // Hosts may have ended in different intervals: it comes after all of them.
            let drain = merged(std::mem::take(&mut self.drains));
            whole.extend(drain.map(|drain| Interval {
                number: drain.number.max(self.next),
                ..drain
            }));
        }
        whole
    }

    /// The hosts that an interval waits for which others have ended.
    pub fn stragglers(&self) -> Vec<usize> {
        let Some((_, parts)) = self.open.first_key_value() else {
            return Vec::new();
        };
        let lacks = |host: &usize| parts[*host].is_none() && !self.done[*host];
        (0..self.hosts).filter(lacks).collect()
    }

    fn whole(&mut self) -> Vec<Interval> {
        let mut whole = Vec::new();
        let over = self.done.iter().all(|d| *d);
        while let Some(entry) = self.open.first_entry() {
            if *entry.key() != self.next && !over {
                break;
            }
            let parts = entry.get();
            let all = (0..self.hosts).all(|h| parts[h].is_some() || self.done[h]);
            if !all {
                break;
            }
            self.next = entry.key() + 1;
            whole.extend(merged(entry.remove()));
        }
        whole
    }
}

/// One interval of all hosts; `None` where no host has one.
pub fn merged(parts: Vec<Option<Interval>>) -> Option<Interval> {
    let parts: Vec<Interval> = parts.into_iter().flatten().collect();
    let first = parts.first()?;
    let mut stats = IntervalStats::new(first.stats.streams.len());
    parts.iter().for_each(|p| stats.merge(&p.stats));
    let start_ns = parts.iter().map(|p| p.start_ns).min()?;
    let end_ns = parts
        .iter()
        .map(|p| p.start_ns.saturating_add(p.length_ns))
        .max()?;
    let number = parts.iter().map(|p| p.number).max()?;
    let mut whole = Interval::new(first.step, number, start_ns..end_ns, first.phase, stats);
    let cpus: Option<Vec<&CpuInterval>> = parts.iter().map(|p| p.cpu.as_ref()).collect();
    whole.cpu = cpus.map(|cpus| cpu_of_all(&cpus));
    Some(whole)
}

/// Shares are the mean of the hosts', times and workers are all of theirs.
fn cpu_of_all(cpus: &[&CpuInterval]) -> CpuInterval {
    let mean = |of: fn(&CpuInterval) -> f64| {
        cpus.iter().map(|c| of(c)).sum::<f64>() / cpus.len().max(1) as f64
    };
    let sum = |of: fn(&CpuInterval) -> u64| cpus.iter().map(|c| of(c)).fold(0, u64::saturating_add);
    CpuInterval {
        user: mean(|c| c.user),
        system: mean(|c| c.system),
        iowait: mean(|c| c.iowait),
        steal: mean(|c| c.steal),
        process_ns: sum(|c| c.process_ns),
        io_wq_ns: sum(|c| c.io_wq_ns),
        workers: cpus.iter().flat_map(|c| c.workers.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_measure::{Demand, Op, Sample};
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;

    /// An interval in which these I/Os came back: (column of the heat map, response).
    fn interval(number: u32, ios: &[(usize, u64)]) -> Interval {
        let mut stats = IntervalStats::new(1);
        let stream = &mut stats.streams[0];
        for (column, ns) in ios {
            let op = &mut stream.ops[Op::Read as usize];
            op.ios += 1;
            op.bytes += 4096;
            op.response.record(*ns);
            op.service.record(ns / 2);
            stream.heat[column % 256] += 1;
        }
        stream.due = ios.len() as u64;
        stream.demand = vec![Demand {
            due: ios.len() as u64,
            ..Demand::default()
        }];
        stats.samples = vec![
            Sample {
                ios: ios.len() as u64,
                ..Sample::default()
            };
            1 + ios.len() % 3
        ];
        stats.lateness.record(ios.len() as u64);
        let start = u64::from(number - 1) * S;
        Interval::new(1, number, start..start + S, Phase::Counted, stats)
    }

    fn ios() -> impl Strategy<Value = Vec<(usize, u64)>> {
        proptest::collection::vec((0usize..256, 0u64..1 << 44), 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn what_is_merged_is_what_all_parts_come_to_in_whatever_order_they_come(
            all in proptest::collection::vec(proptest::collection::vec(ios(), 1..6), 1..6),
            order in any::<u64>(),
        ) {
            // Host h has as many intervals as it has; the shorter ones ended earlier.
            let mut parts: Vec<(usize, Interval)> = Vec::new();
            for (host, intervals) in all.iter().enumerate() {
                for (n, ios) in (1u32..).zip(intervals) {
                    parts.push((host, interval(n, ios)));
                }
            }
            let mut draw = order;
            let mut shuffled = Vec::new();
            while !parts.is_empty() {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                shuffled.push(parts.swap_remove((draw >> 33) as usize % parts.len()));
            }
            let mut merger = Merger::new(all.len());
            let mut whole = Vec::new();
            for (host, part) in shuffled {
                whole.extend(merger.add(host, part.clone()));
                // Once more: it counts once.
                whole.extend(merger.add(host, part));
            }
            for host in 0..all.len() {
                whole.extend(merger.done(host));
            }
            let longest = all.iter().map(Vec::len).max().unwrap_or(0);
            prop_assert_eq!(whole.len(), longest);
            for (n, whole) in whole.iter().enumerate() {
                prop_assert_eq!(whole.number as usize, n + 1);
                // One host that had done all of it: counters, buckets and columns are exact.
                let together: Vec<(usize, u64)> =
                    all.iter().filter_map(|h| h.get(n)).flatten().copied().collect();
                let one = interval(n as u32 + 1, &together);
                let (mine, truth) = (&whole.stats.streams[0], &one.stats.streams[0]);
                prop_assert_eq!(&mine.heat, &truth.heat);
                prop_assert_eq!((mine.due, mine.demand[0].due), (truth.due, truth.demand[0].due));
                let (mine, truth) = (&mine.ops[0], &truth.ops[0]);
                prop_assert_eq!((mine.ios, mine.bytes), (truth.ios, truth.bytes));
                prop_assert!(mine.response.buckets().eq(truth.response.buckets()));
                prop_assert_eq!(mine.response.max_ns(), truth.response.max_ns());
                // And to the last bit what the parts come to in the hosts' order.
                let in_order = all.iter().filter_map(|h| h.get(n)).map(|i| Some(interval(n as u32 + 1, i)));
                let in_order = merged(in_order.collect());
                prop_assert_eq!(Some(whole), in_order.as_ref());
            }
        }
    }

    #[test]
    fn an_interval_waits_for_the_slow_and_names_them_and_not_for_the_gone() {
        let mut merger = Merger::new(3);
        assert!(merger.add(0, interval(1, &[(0, 5)])).is_empty());
        assert!(merger.add(0, interval(2, &[(0, 5)])).is_empty());
        assert!(merger.add(2, interval(1, &[(0, 5)])).is_empty());
        assert_eq!(merger.stragglers(), [1]);
        let whole = merger.done(1);
        assert_eq!(whole.len(), 1);
        assert_eq!(whole[0].stats.ios(), 2);
        assert_eq!(merger.stragglers(), [2]);
        // Whoever is gone has nothing more to say.
        assert!(merger.add(1, interval(1, &[(0, 5)])).is_empty());
    }

    #[test]
    fn what_comes_back_after_the_end_is_one_last_interval() {
        let drain = |number, ns| Interval {
            phase: Phase::Drain,
            ..interval(number, &[(3, ns)])
        };
        let mut merger = Merger::new(2);
        assert!(merger.add(1, drain(2, 7)).is_empty());
        assert!(merger.add(0, interval(1, &[])).is_empty());
        assert_eq!(merger.add(1, interval(1, &[])).len(), 1);
        assert!(merger.add(0, drain(2, 9)).is_empty());
        assert!(merger.done(1).is_empty());
        let whole = merger.done(0);
        assert_eq!((whole.len(), whole[0].phase), (1, Phase::Drain));
        assert_eq!(whole[0].stats.ios(), 2);
    }

    #[test]
    fn what_came_after_the_end_comes_after_the_last_interval_of_any_host() {
        let mut merger = Merger::new(2);
        let drain = |number| Interval {
            phase: Phase::Drain,
            ..interval(number, &[(0, 5)])
        };
        // The first host ended an interval before the second.
        merger.add(0, interval(1, &[]));
        merger.add(0, drain(2));
        merger.add(1, interval(1, &[]));
        let mut all = merger.done(0);
        all.extend(merger.add(1, interval(2, &[])));
        all.extend(merger.done(1));
        let numbers: Vec<(u32, Phase)> = all.iter().map(|i| (i.number, i.phase)).collect();
        assert_eq!(numbers, [(2, Phase::Counted), (3, Phase::Drain)]);
    }
}
