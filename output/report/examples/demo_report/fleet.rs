//! A run of six hosts: at the maximum one is slower than the others, and at a rate past what another carries one is lost.

use crate::cases::Case;
use crate::synthetic::{Ask, judged, measure};
use plimsoll_draw::Draw;
use plimsoll_evidence::{
    Environment, HostFacts, HostPart, Interval, LostHost, StartTogether, StepEvidence, balance,
};
use plimsoll_measure::{IntervalStats, Sample};
use std::collections::BTreeMap;

/// Names of the hosts: one by more than a line has room for.
const NAMES: [&str; 6] = [
    "db-01",
    "db-02",
    "db-03",
    "db-04.rack7.fra1.storage.example",
    "db-05",
    "db-06",
];

/// Rate that each host is able to do, as a ratio to the mean.
const ABLE: [f64; 6] = [1.05, 1.03, 1.04, 1.02, 0.62, 1.04];

/// After how many seconds of the last step the sixth host is not heard any more.
const LOST_AFTER: u32 = 21;

/// The case: the hosts are like that of the environment.
pub fn case(environment: Environment) -> Case {
    let called = |name: &str| HostFacts {
        hostname: name.to_owned(),
        ..environment.host.clone()
    };
    let [host, more_hosts @ ..] = NAMES.map(called);
    let mut random = Draw(23);
    let environment = Environment {
        host,
        more_hosts: more_hosts.into(),
        ..environment
    };
    let mut case = Case::of(environment, (Vec::new(), Vec::new()));
    for (number, name, offered) in [
        (1, "rd1_(max)", None),
        (2, "rd1_(50%)", Some(6_000.0)),
        (3, "rd1_(90%)", Some(10_800.0)),
    ] {
        let ask = Ask {
            run: "rd1".to_owned(),
            offered,
            warmup: 3,
            intervals: 30,
            write_share: 0.3,
            hot_share: 0.05,
            ..Ask::new(number, name.to_owned(), 12_000.0)
        };
        one(&mut case, &ask, &mut random);
    }
    case
}

fn one(case: &mut Case, ask: &Ask, random: &mut Draw) {
    let count = NAMES.len() as f64;
    let mut together: BTreeMap<u32, IntervalStats> = BTreeMap::new();
    let (mut parts, mut of_hosts) = (Vec::new(), Vec::new());
    for (host, (name, able)) in (1..).zip(NAMES.into_iter().zip(ABLE)) {
        let own = Ask {
            offered: ask.offered.map(|o| o / count),
            maximum: ask.maximum / count * able,
            ..ask.clone()
        };
        let (step, mut intervals) = measure(&own, random);
        if host == 6 && ask.number == 3 {
            intervals.truncate(LOST_AFTER as usize);
        } else {
            parts.push(part(host, name, &step));
        }
        for interval in &mut intervals {
            interval.host = host;
            interval.stats.samples = vec![sample(&interval.stats)];
            let all = together.entry(interval.number);
            all.or_insert_with(|| IntervalStats::new(1))
                .merge(&interval.stats);
        }
        of_hosts.extend(intervals);
    }
    let all: Vec<Interval> = of_hosts
        .iter()
        .filter(|i| i.host == 1)
        .filter_map(|i| {
            Some(Interval {
                host: 0,
                stats: together.remove(&i.number)?,
                ..i.clone()
            })
        })
        .collect();
    let mut step = judged(ask, &all);
    step.notes = balance::uneven(&parts);
    step.hosts = parts;
    if ask.number == 3 {
        step.lost_hosts = vec![LostHost {
            host: 6,
            name: NAMES[5].to_owned(),
            why: "nothing was heard of it for 20 s".to_owned(),
        }];
    }
    case.steps.push(step);
    case.intervals.push(all);
    case.of_hosts.push(of_hosts);
}

/// All times of an interval as one sample.
fn sample(stats: &IntervalStats) -> Sample {
    let timed = stats.ops().map(|op| op.response.count()).sum();
    Sample {
        ios: stats.ios(),
        timed,
        response_sum_ns: stats.ops().map(|op| op.response.sum_ns()).sum(),
        ..Sample::default()
    }
}

fn part(host: u32, name: &str, step: &StepEvidence) -> HostPart {
    HostPart {
        workers: 4,
        offered: step.offered,
        ios: step.ios,
        bytes: step.bytes,
        rate: step.rate,
        response_mean_ns: step.response_mean_ns,
        response_p99_ns: step.response.supported_quantile_ns(0.99),
        response_max_ns: step.response.max_ns(),
        service_mean_ns: step.service_mean_ns,
        depth_mean: step.depth_mean,
        saturation: step.saturation,
        late_by_host: u64::from(host == 3) * 41,
        start: StartTogether {
            at_ns: 81_000_000_000,
            bound_ns: 21_000 + u64::from(host) * 9_700,
            late_ns: u64::from(host == 2) * 1_350_000,
            drift_ppm: Some(f64::from(host) - 3.4),
        },
        ..HostPart::new(host, name)
    }
}

/// Gives a step hosts of a name, one of which was lost for a reason that reads the same.
pub fn name_hosts(step: &mut StepEvidence, name: &str) {
    let of = part(1, name, step);
    step.hosts = vec![of];
    step.lost_hosts = vec![LostHost {
        host: 2,
        name: name.to_owned(),
        why: name.to_owned(),
    }];
}
