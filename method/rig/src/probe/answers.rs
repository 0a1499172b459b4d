//! From service times to what was seen, by the rank-sum test.

use super::areas::{Areas, Held};
use plimsoll_measure::{Histogram, rank_sum};
use serde::Serialize;
use std::collections::BTreeMap;

/// A chance below this is none. Four questions are asked, so that one in 250 probes of a target without any of it says something.
const CHANCE: f64 = 0.001;
/// A faster read has to save this part of the median, too: a difference that is sure may still be nothing.
const WORTH: f64 = 0.15;

/// What the probe says of a target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probed {
    /// The target, as it was given.
    pub target: String,
    /// Whether it is a model of an array.
    pub simulated: bool,
    /// Failed I/Os.
    pub errors: u64,
    /// What is known of the addresses that were read as they are.
    pub addresses: Held,
    /// The fastest of these reads, ns.
    pub floor_ns: Option<u64>,
    /// Their median, ns.
    pub median_ns: Option<u64>,
    /// What was asked, in order.
    pub answers: Vec<Answered>,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answered {
    /// What it is about: `cache`, `thin provisioning`, `zero service`.
    pub about: &'static str,
    /// What was found.
    pub fact: Fact,
    /// Which reads were compared with which, in words.
    pub compared: &'static str,
    /// Median of the reads that would be faster, ns.
    pub median_ns: Option<u64>,
    /// Median of those beside them, ns.
    pub beside_ns: Option<u64>,
    /// How likely such a difference is by chance.
    pub p: Option<f64>,
    /// Why it could not be told; empty where it could.
    pub why: &'static str,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// It is there, by more than chance.
    Seen,
    /// It was looked for, and there is no sign of it.
    NotSeen,
    /// Two passes do not agree.
    NotToldApart,
    /// It could not be looked for.
    NotObservable,
}

type Times = BTreeMap<String, Histogram>;

pub(super) fn answers(
    target: String,
    simulated: bool,
    errors: u64,
    service: &Times,
    areas: &Areas,
) -> Probed {
    let written = service.get("written");
    Probed {
        target,
        simulated,
        errors,
        addresses: areas.held,
        floor_ns: written.and_then(Histogram::min_ns),
        median_ns: written.and_then(|h| h.quantile_ns(0.5)),
        answers: vec![
            cache(service, areas.held),
            thin(service, areas),
            zeros(service, areas.held),
        ],
    }
}

/// Two passes over addresses of their own have to agree: on a busy host one differs from the other by chance of the host, of which
/// a test of the reads knows nothing.
fn cache(service: &Times, held: Held) -> Answered {
    let about = ("cache", "addresses read again, beside their first reads");
    let pass = |again, first| compare(service, about, again, first, "too few reads came back");
    let (one, other) = (
        pass("again", "first"),
        pass("again, others", "first, others"),
    );
    let worse = match one.p >= other.p {
        true => one.clone(),
        false => other.clone(),
    };
    match (one.fact, other.fact) {
        (Fact::NotObservable, _) => one,
        (_, Fact::NotObservable) => other,
        _ if held == Held::Nothing => Answered {
            fact: Fact::NotObservable,
            why: "the file holds no data, and a map answers",
            ..worse
        },
        // Where a map answers both, a cache is not seen.
        (Fact::NotSeen, Fact::NotSeen) if held == Held::Unknown => Answered {
            fact: Fact::NotObservable,
            why: "whether these addresses were ever written is not known, and a map may have answered",
            ..worse
        },
        (Fact::NotSeen, Fact::NotSeen) => worse,
        (Fact::Seen, Fact::Seen) => worse,
        _ => Answered {
            fact: Fact::NotToldApart,
            why: "one pass of two was faster and the other was not",
            ..worse
        },
    }
}

fn thin(service: &Times, areas: &Areas) -> Answered {
    let about = (
        "thin provisioning",
        "addresses that hold nothing, beside written ones",
    );
    if service.contains_key("never written") {
        return compare(
            service,
            about,
            "never written",
            "written",
            "too few reads came back",
        );
    }
    let why = match service.contains_key("data") {
        true => "the target does not trim, or not in time",
        false => areas.unknown,
    };
    compare(service, about, "trimmed", "data", why)
}

/// Reads of zeros beside reads of data of the same age: what was just written may be in a cache, and then both are fast.
fn zeros(service: &Times, held: Held) -> Answered {
    let answer = compare(
        service,
        (
            "zero service",
            "zeros that were just written, beside data that was",
        ),
        "zeros",
        "data",
        "zeros would have to be written, and --destroy was not given",
    );
    let cached = |d: &Histogram, w: &Histogram| is_faster(d, w).is_some_and(|(seen, _)| seen);
    let hidden = match (service.get("data"), service.get("written")) {
        (Some(data), Some(written)) => cached(data, written),
        _ => false,
    } || held == Held::Nothing;
    match answer.fact == Fact::NotSeen && hidden {
        true => Answered {
            fact: Fact::NotObservable,
            why: match held {
                Held::Nothing => {
                    "a cache may answer what was just written, and there is no older data beside it"
                }
                _ => "what was just written is answered by a cache, zeros or not",
            },
            ..answer
        },
        false => answer,
    }
}

/// Whether the first are faster by more than chance and by enough, and the chance.
fn is_faster(first: &Histogram, second: &Histogram) -> Option<(bool, f64)> {
    let test = rank_sum(first, second)?;
    let (a, b) = (first.quantile_ns(0.5)?, second.quantile_ns(0.5)?);
    let saved = 1.0 - a as f64 / b.max(1) as f64;
    Some((test.p < CHANCE && saved >= WORTH, test.p))
}

fn compare(
    service: &Times,
    (about, compared): (&'static str, &'static str),
    first: &str,
    second: &str,
    why: &'static str,
) -> Answered {
    let median = |name: &str| service.get(name).and_then(|h| h.quantile_ns(0.5));
    let found = match (service.get(first), service.get(second)) {
        (Some(first), Some(second)) => is_faster(first, second),
        _ => None,
    };
    let told = found.is_some();
    Answered {
        about,
        fact: match found {
            Some((true, _)) => Fact::Seen,
            Some((false, _)) => Fact::NotSeen,
            None => Fact::NotObservable,
        },
        compared,
        median_ns: median(first).filter(|_| told),
        beside_ns: median(second).filter(|_| told),
        p: found.map(|(_, p)| p),
        why: if told { "" } else { why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::RangeSpec;

    fn times(list: &[(&str, u64)]) -> Times {
        let of = |median: u64| {
            let mut histogram = Histogram::new();
            (0..100).for_each(|n| histogram.record(median * (900 + n * 37 % 200) / 1000));
            histogram
        };
        list.iter()
            .map(|(name, m)| (name.to_string(), of(*m)))
            .collect()
    }

    fn facts(list: &[(&str, u64)]) -> Vec<(Fact, &'static str)> {
        held(Held::Written, list)
    }

    fn held(held: Held, list: &[(&str, u64)]) -> Vec<(Fact, &'static str)> {
        let areas = Areas {
            written: RangeSpec::Whole,
            held,
            empty: None,
            unknown: "nobody tells",
        };
        let probed = answers("t".into(), false, 0, &times(list), &areas);
        probed.answers.iter().map(|a| (a.fact, a.why)).collect()
    }

    #[test]
    fn what_is_faster_is_seen_and_what_is_not_is_not() {
        let slow = ("written", 500_000);
        let passes = |known, one, other| {
            let list = [
                ("first", 500_000),
                ("again", one),
                ("first, others", 500_000),
                ("again, others", other),
            ];
            held(known, &list)[0].0
        };
        assert_eq!(passes(Held::Written, 30_000, 40_000), Fact::Seen);
        assert_eq!(passes(Held::Written, 495_000, 500_000), Fact::NotSeen);
        // One of two alone is a busy host.
        assert_eq!(passes(Held::Written, 30_000, 500_000), Fact::NotToldApart);
        assert_eq!(passes(Held::Written, 500_000, 30_000), Fact::NotToldApart);
        // A map may have answered both.
        assert_eq!(passes(Held::Unknown, 500_000, 500_000), Fact::NotObservable);
        assert_eq!(passes(Held::Nothing, 500_000, 500_000), Fact::NotObservable);
        assert_eq!(passes(Held::Unknown, 30_000, 40_000), Fact::Seen);
        let found = facts(&[slow, ("never written", 20_000)]);
        assert_eq!(found[0], (Fact::NotObservable, "too few reads came back"));
        assert_eq!(found[1].0, Fact::Seen);
        assert_eq!(found[2].0, Fact::NotObservable);
        assert_eq!(facts(&[slow])[1], (Fact::NotObservable, "nobody tells"));
    }

    #[test]
    fn a_cache_that_has_what_was_just_written_hides_zero_service() {
        let both = |written, data, zeros| {
            facts(&[("written", written), ("data", data), ("zeros", zeros)])[2].0
        };
        assert_eq!(both(500_000, 500_000, 60_000), Fact::Seen);
        assert_eq!(both(500_000, 500_000, 500_000), Fact::NotSeen);
        assert_eq!(both(500_000, 60_000, 60_000), Fact::NotObservable);
        assert_eq!(both(500_000, 60_000, 20_000), Fact::Seen);
    }
}
