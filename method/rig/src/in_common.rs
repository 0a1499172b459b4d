//! Steps that several hosts have in common, and what each of them is asked for.

use plimsoll_engine::ranks::{Rank, Ranks};
use plimsoll_plan::{Bytes, Load, Nanos, Rate, Step};

/// Step of several hosts, and one host's place in it.
#[derive(Debug, Clone)]
pub struct InCommon {
    /// The step's number in the record of all hosts: its traffic is drawn of it.
    pub number: u32,
    /// Step of all hosts together.
    pub whole: Step,
    /// Start of all hosts, on this host's CLOCK_MONOTONIC, ns.
    pub start_at: u64,
    /// The place of this host's workers among all.
    pub ranks: Ranks,
    /// Number of this host, where the step is its own part already; its traffic is drawn of the number, too.
    pub own: Option<u32>,
}

/// Workers that a host has for a step, and those of them that share each stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerPlaces {
    /// Worker threads.
    pub workers: u32,
    /// Workers that share each of the step's streams.
    pub sharers: Vec<u32>,
}

/// Leaves a host its part of what each stream does at most: per second, and in all.
pub(crate) fn caps(in_common: &mut InCommon, place: &WorkerPlaces) {
    let ranks = in_common.ranks.streams.iter().zip(&place.sharers);
    for (stream, (all, own)) in in_common.whole.streams.iter_mut().zip(ranks) {
        let of = f64::from(all.of.max(1));
        let part = f64::from(*own) / of;
        let border = |count: u64, sharers: u32| {
            (u128::from(count) * u128::from(sharers) / u128::from(all.of.max(1))) as u64
        };
        let counted = |count: u64| border(count, all.before + own) - border(count, all.before);
        let (throttle, quota) = (&mut stream.throttle, &mut stream.quota);
        throttle.max_rate = throttle.max_rate.map(|r| Rate(r.0 * part));
        throttle.max_bandwidth = throttle
            .max_bandwidth
            .map(|b| Bytes(((b.0 as f64 * part) as u64).max(1)));
        quota.bytes = quota.bytes.map(|b| Bytes(counted(b.0)));
        quota.ios = quota.ios.map(counted);
    }
}

/// Part of one host: its share of the rates. Its depth, its time and its targets are its own.
pub(crate) fn own_part(in_common: &InCommon, place: &WorkerPlaces) -> Step {
    let InCommon { whole, ranks, .. } = in_common;
    let all = ranks.streams.iter().zip(&place.sharers);
    let part = |(all, own): (&Rank, &u32)| f64::from(*own) / f64::from(all.of.max(1));
    let parts: Vec<f64> = all.map(part).collect();
    let weights: f64 = whole.streams.iter().map(|s| s.share).sum();
    let weighted = whole.streams.iter().zip(&parts).map(|(s, p)| s.share * p);
    let mean = match weights > 0.0 {
        true => weighted.sum::<f64>() / weights,
        false => 1.0,
    };
    let mut own = Step {
        // All wait, and then begin together.
        pause: Nanos(0),
        ..whole.clone()
    };
    match &mut own.load {
        Load::Rate { rate, .. } => rate.0 *= mean,
        Load::Schedule { segments, .. } => segments.iter_mut().for_each(|s| s.rate.0 *= mean),
        Load::Max | Load::MaxShared | Load::PercentOfLast { .. } => {}
    }
    for (stream, part) in own.streams.iter_mut().zip(&parts) {
        stream.fixed_rate = stream.fixed_rate.map(|r| Rate(r.0 * part));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{AddressSpec, Arrival, Depth, Mix, Pattern, SizeSpec, Stream, TargetId};

    #[test]
    fn a_host_is_asked_for_its_part_of_the_rate_and_does_not_pause() {
        let mix = Mix::READS;
        let size = SizeSpec::Fixed(Bytes(4096));
        let stream = Stream::new(
            "w",
            TargetId(0),
            mix,
            size,
            AddressSpec::whole(Pattern::ONE_PASS),
        );
        let depths = vec![Depth::new(TargetId(0), 8)];
        let mut whole = Step::new("s", vec![stream], depths, Load::Max, Nanos::secs(1));
        whole.load = Load::rate(Rate(900.0), Arrival::Even);
        whole.pause = Nanos::secs(5);
        let rank = |of| Rank { before: 0, of };
        let in_common = InCommon {
            number: 1,
            whole,
            start_at: 0,
            ranks: Ranks {
                workers: rank(6),
                streams: vec![rank(6)],
                apart: Vec::new(),
            },
            own: None,
        };
        let own = own_part(
            &in_common,
            &WorkerPlaces {
                workers: 2,
                sharers: vec![2],
            },
        );
        assert_eq!(own.load, Load::rate(Rate(300.0), Arrival::Even));
        assert_eq!(own.pause, Nanos(0));
        assert_eq!(own.depths[0].slots, 8);
    }

    #[test]
    fn what_a_stream_does_at_most_is_dealt_out_whole() {
        let mix = Mix::READS;
        let size = SizeSpec::Fixed(Bytes(4096));
        let address = AddressSpec::whole(Pattern::ONE_PASS);
        let mut stream = Stream::new("w", TargetId(0), mix, size, address);
        stream.throttle.max_rate = Some(Rate(90.0));
        stream.quota.ios = Some(100);
        stream.quota.bytes = Some(Bytes(1_000));
        let whole = Step::new("s", vec![stream], Vec::new(), Load::Max, Nanos::secs(1));
        // Hosts with one, two and four workers.
        let parts = [(0, 1), (1, 2), (3, 4)].map(|(before, own)| {
            let ranks = Ranks {
                workers: Rank { before, of: 7 },
                streams: vec![Rank { before, of: 7 }],
                apart: Vec::new(),
            };
            let mut in_common = InCommon {
                number: 1,
                whole: whole.clone(),
                start_at: 0,
                ranks,
                own: None,
            };
            let place = WorkerPlaces {
                workers: own,
                sharers: vec![own],
            };
            caps(&mut in_common, &place);
            in_common.whole.streams.remove(0)
        });
        let ios = parts.each_ref().map(|s| s.quota.ios);
        assert_eq!(ios, [Some(14), Some(28), Some(58)]);
        let bytes = parts.iter().filter_map(|s| s.quota.bytes).map(|b| b.0);
        assert_eq!(bytes.sum::<u64>(), 1_000);
        let rates = parts.iter().filter_map(|s| s.throttle.max_rate);
        let rates: f64 = rates.map(|r| r.0).sum();
        assert!((rates - 90.0).abs() < 1e-9, "{rates}");
    }
}
