//! What happened at an array, as evidence.

use crate::flow::Flow;
use crate::look::Key;
use crate::mapping::MetricPlace;
use plimsoll_evidence::{
    ArrayEvidence, ArrayInterval, ArrayPath, BackEndUse, Bucket, CoreUse, FrontEndUse, JournalUse,
    MediaUse, PortUse, Reduction, Requests,
};
use std::collections::BTreeSet;

/// Fills in what is known; the rest stays as it is.
pub(crate) fn evidence(flow: &Flow, array: ArrayEvidence) -> ArrayEvidence {
    ArrayEvidence {
        scale: flow.state(MetricPlace::ModelScale),
        observed_s: flow.seconds,
        front_end: front_end(flow),
        back_end: back_end(flow),
        read_source: buckets(flow, MetricPlace::ReadSource),
        write_destination: buckets(flow, MetricPlace::WriteDestination),
        cores: cores(flow),
        ports: flow
            .amounts(MetricPlace::PortBusySeconds)
            .into_iter()
            .map(|(_, busy)| PortUse {
                utilisation: share(flow, busy),
            })
            .collect(),
        paths: paths(flow),
        media: media(flow),
        journal: journal(flow),
        write_amplification: write_amplification(flow),
        reduction: reduction(flow),
        ..array
    }
}

/// What of it is worth to be seen over time.
pub(crate) fn over_time(flow: &Flow) -> ArrayInterval {
    let cores = cores(flow);
    let uses = || cores.iter().map(|c| c.utilisation);
    let rate = |n: f64| (flow.seconds > 0.0).then(|| n / flow.seconds);
    let sum = |a, b| Some(flow.amount(a)? + flow.amount(b)?);
    let fill = |capacity: f64| Some(flow.state(MetricPlace::JournalFillBytes)? / capacity);
    ArrayInterval {
        core_max: uses().reduce(f64::max),
        core_mean: (!cores.is_empty()).then(|| uses().sum::<f64>() / cores.len() as f64),
        front_end_iops: sum(MetricPlace::Reads, MetricPlace::Writes).and_then(rate),
        back_end_iops: sum(MetricPlace::BackEndReads, MetricPlace::BackEndWrites).and_then(rate),
        journal_fill: flow
            .state(MetricPlace::JournalCapacityBytes)
            .filter(|capacity| *capacity > 0.0)
            .and_then(fill),
        write_amplification: write_amplification(flow),
    }
}

/// A count; more than a count can be is the most that it can be.
fn count(amount: f64) -> u64 {
    amount.round() as u64
}

fn ns(seconds: f64) -> u64 {
    count(seconds * 1e9)
}

/// The share of the time that this is.
fn share(flow: &Flow, busy_seconds: f64) -> f64 {
    match flow.clock_seconds() > 0.0 {
        true => (busy_seconds / flow.clock_seconds()).min(1.0),
        false => 0.0,
    }
}

fn front_end(flow: &Flow) -> Option<FrontEndUse> {
    let requests = |requests, bytes, seconds| {
        let n = flow.amount(requests)?;
        Some(Requests {
            count: count(n),
            bytes: count(flow.amount(bytes)?),
            mean_ns: flow
                .amount(seconds)
                .filter(|_| n > 0.0)
                .map(|s| s / n * 1e9),
        })
    };
    Some(FrontEndUse {
        reads: requests(
            MetricPlace::Reads,
            MetricPlace::ReadBytes,
            MetricPlace::ReadSeconds,
        )?,
        writes: requests(
            MetricPlace::Writes,
            MetricPlace::WriteBytes,
            MetricPlace::WriteSeconds,
        )?,
        failed: flow.amount(MetricPlace::Failed).map_or(0, count),
    })
}

fn back_end(flow: &Flow) -> Option<BackEndUse> {
    Some(BackEndUse {
        reads: count(flow.amount(MetricPlace::BackEndReads)?),
        writes: count(flow.amount(MetricPlace::BackEndWrites)?),
    })
}

fn buckets(flow: &Flow, place: MetricPlace) -> Vec<Bucket> {
    let all = flow.amounts(place).into_iter();
    let all = all.map(|(key, chunks)| Bucket {
        place: key.0.clone(),
        chunks: count(chunks),
    });
    all.filter(|bucket| bucket.chunks > 0).collect()
}

fn cores(flow: &Flow) -> Vec<CoreUse> {
    let home = Homes::of(flow, MetricPlace::CoreBusySeconds);
    let core = |(key, busy): (&Key, f64)| {
        let utilisation = share(flow, busy);
        let bound = |owner: f64| match flow.amount_of(MetricPlace::CoreTakenSeconds, key) {
            // Of what was done it is not known whose it was, only of what was taken; they differ by the queue.
            Some(taken) if taken > 0.0 => utilisation * (owner / taken).min(1.0),
            Some(_) => 0.0,
            None => share(flow, owner).min(utilisation),
        };
        CoreUse {
            controller: home.number(key),
            utilisation,
            owner_bound: flow
                .amount_of(MetricPlace::CoreOwnerSeconds, key)
                .map(bound),
            content_bound: None,
        }
    };
    let all = flow.amounts(MetricPlace::CoreBusySeconds);
    all.into_iter().map(core).collect()
}

fn paths(flow: &Flow) -> Vec<ArrayPath> {
    let home = Homes::of(flow, MetricPlace::PathState);
    let path = |(key, requests): (&Key, f64)| {
        Some(ArrayPath {
            port: home.number(key),
            state: flow.paths.get(key)?.word.clone(),
            requests: count(requests),
            failed: flow
                .amount_of(MetricPlace::PathFailed, key)
                .map_or(0, count),
        })
    };
    let all = flow.amounts(MetricPlace::PathRequests);
    all.into_iter().filter_map(path).collect()
}

fn media(flow: &Flow) -> Vec<MediaUse> {
    let kind = |(key, busy): (&Key, f64)| {
        let units = flow.state_of(MetricPlace::MediaUnits, key)?;
        Some(MediaUse {
            kind: key.0.clone(),
            count: count(units),
            utilisation: share(flow, busy / units.max(1.0)),
            busiest: None,
            drives: None,
        })
    };
    let all = flow.amounts(MetricPlace::MediaBusySeconds);
    all.into_iter().filter_map(kind).collect()
}

fn journal(flow: &Flow) -> Option<JournalUse> {
    Some(JournalUse {
        fill_bytes: count(flow.state(MetricPlace::JournalFillBytes)?),
        capacity_bytes: count(flow.state(MetricPlace::JournalCapacityBytes)?),
        waited_ns: ns(flow.amount(MetricPlace::JournalWaitSeconds)?),
    })
}

fn write_amplification(flow: &Flow) -> Option<f64> {
    let written = flow.amount(MetricPlace::PagesWritten)?;
    let moved = flow.amount(MetricPlace::PagesMoved)?;
    (written > 0.0).then(|| (written + moved) / written)
}

fn reduction(flow: &Flow) -> Option<Reduction> {
    let new_bytes = count(flow.amount(MetricPlace::NewBytes)?);
    let distinct = flow.state(MetricPlace::DistinctBytes).filter(|b| *b > 0.0);
    (new_bytes > 0).then_some(Reduction {
        new_bytes,
        stored_bytes: count(flow.amount(MetricPlace::StoredBytes)?),
        distinct_bytes: distinct.map(count),
    })
}

/// The numbers of what cores and paths belong to: their own, where they are numbers, else by their order.
struct Homes<'f> {
    flow: &'f Flow,
    place: MetricPlace,
    names: Vec<&'f str>,
}

impl<'f> Homes<'f> {
    fn of(flow: &'f Flow, place: MetricPlace) -> Homes<'f> {
        let of = flow.homes.iter().filter(|((p, _), _)| *p == place);
        let names: BTreeSet<&str> = of.map(|(_, name)| name.as_str()).collect();
        Homes {
            flow,
            place,
            names: names.into_iter().collect(),
        }
    }

    fn number(&self, key: &Key) -> Option<u32> {
        let name = self.flow.homes.get(&(self.place, key.clone()))?;
        match self.names.iter().all(|n| n.parse::<u32>().is_ok()) {
            true => name.parse().ok(),
            false => self
                .names
                .binary_search(&name.as_str())
                .ok()
                .map(|n| n as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mapping;
    use crate::look::Look;
    use std::path::Path;
    use std::time::{Duration, Instant};

    fn flow(mapping: &Mapping, a: &str, b: &str) -> Flow {
        let start = Instant::now();
        let look = |text, s| Look::read(mapping, text, start + Duration::from_secs(s)).unwrap();
        Flow::between(&look(a, 0), &look(b, 10))
    }

    #[test]
    fn means_and_percentages_of_an_array_without_counters_are_evidence_too() {
        let mapping = "[reads]\nmetric = \"iops\"\nlabels = { op = \"r\" }\nper_second = true\n\
            [writes]\nmetric = \"iops\"\nlabels = { op = \"w\" }\nper_second = true\n\
            [read_bytes]\nmetric = \"mbps\"\nlabels = { op = \"r\" }\nper_second = true\nscale = 1e6\n\
            [write_bytes]\nmetric = \"mbps\"\nlabels = { op = \"w\" }\nper_second = true\nscale = 1e6\n\
            [read_mean_seconds]\nmetric = \"lat\"\nscale = 1e-6\n\
            [core_busy_seconds]\nmetric = \"cpu\"\nby = \"c\"\nof = \"ct\"\nscale = 0.01\nper_second = true\n\
            [core_owner_seconds]\nmetric = \"own\"\nby = \"c\"\nscale = 0.01\nper_second = true\n\
            [core_taken_seconds]\nmetric = \"nothing\"\nby = \"c\"\n";
        let mapping = Mapping::read(Path::new("x"), mapping).unwrap();
        let text = "iops{op=\"r\"} 1000\niops{op=\"w\"} 0\nmbps{op=\"r\"} 4\nmbps{op=\"w\"} 0\nlat 250\n\
            cpu{c=\"0\",ct=\"B\"} 75\ncpu{c=\"1\",ct=\"A\"} 130\nown{c=\"0\"} 80\nown{c=\"1\"} 10\n";
        let array = evidence(&flow(&mapping, text, text), ArrayEvidence::default());
        let front = array.front_end.unwrap();
        assert_eq!((front.reads.count, front.reads.bytes), (10_000, 40_000_000));
        assert!((front.reads.mean_ns.unwrap() - 250_000.0).abs() < 1e-6);
        assert_eq!(front.writes.mean_ns, None);
        let cores: Vec<_> = (array.cores.iter())
            .map(|c| (c.controller, c.utilisation, c.owner_bound))
            .collect();
        assert_eq!(
            cores,
            [(Some(1), 0.75, Some(0.75)), (Some(0), 1.0, Some(0.1))]
        );
        let course = over_time(&flow(&mapping, text, text));
        assert_eq!(course.front_end_iops, Some(1000.0));
        assert_eq!((course.core_max, course.back_end_iops), (Some(1.0), None));
    }

    #[test]
    fn what_an_endpoint_does_not_tell_is_not_there() {
        let text =
            "plimsoll_lab_requests_total{op=\"read\"} 5\nplimsoll_lab_journal_fill_bytes 7\n";
        let flow = flow(&Mapping::lab(), text, text);
        let array = evidence(&flow, ArrayEvidence::default());
        let nothing = ArrayEvidence {
            observed_s: 10.0,
            ..ArrayEvidence::default()
        };
        assert_eq!(array, nothing);
        assert_eq!(over_time(&flow), ArrayInterval::default());
    }
}
