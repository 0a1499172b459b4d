//! From service times to what was seen, by the rank-sum test and by pairs of groups, in each of two passes.

use super::areas::{Areas, Held};
use plimsoll_measure::{Histogram, rank_sum};
use serde::Serialize;
use std::collections::BTreeMap;

/// A chance below this is none, in each pass.
const CHANCE: f64 = 0.001;
/// A faster read has to save this part of the time in each pass, too: a difference that is sure may still be nothing.
const SEEN: f64 = 0.15;
/// Medians of both passes together that are no further apart than this are one. What lies between is left open.
const SAME: f64 = 0.10;
/// And those of each pass no further than this.
const APART: f64 = 0.25;

/// Each question is asked twice, of other addresses at another time: a busy host makes one of them faster, seldom both alike.
pub(super) const PASSES: usize = 2;
/// Groups of each kind in a pass. The groups of one number were read right after each other, by turns the one or the other first, so
/// that what slows a host down, or what comes first, does not speak for one of them alone.
pub(super) const GROUPS: usize = 8;
/// First reads of addresses as they are.
pub(super) const FIRST: &str = "first";
/// Reads of the same addresses after they were brought in.
pub(super) const AGAIN: &str = "again";
/// Reads of what was never written.
pub(super) const EMPTY: &str = "never written";
/// Reads of what was trimmed.
pub(super) const TRIMMED: &str = "trimmed";
/// Reads of zeros that were just written.
pub(super) const ZEROS: &str = "zeros";
/// Reads of data that was just written.
pub(super) const DATA: &str = "data";

/// A slow target is not asked all, in less than three seconds.
const FEW: &str = "too few reads came back in the time for them";

/// Result of the probe of a target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probed {
    /// The target, as it was given.
    pub target: String,
    /// True where the target is a model of an array.
    pub simulated: bool,
    /// Failed I/Os.
    pub errors: u64,
    /// Knowledge about the addresses that were read as they are.
    pub addresses: Held,
    /// The fastest of these reads, ns.
    pub floor_ns: Option<u64>,
    /// Their median, ns.
    pub median_ns: Option<u64>,
    /// True where what was trimmed and zeroed could not be written again.
    pub not_put_back: bool,
    /// Questions with their answers, in order.
    pub answers: Vec<Answered>,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answered {
    /// Subject of the question: `cache`, `thin provisioning`, `zero service`.
    pub about: &'static str,
    /// Finding.
    pub fact: Fact,
    /// Reads that were compared with which others, in words.
    pub compared: &'static str,
    /// Median of the reads that would be faster, ns.
    pub median_ns: Option<u64>,
    /// Median of those beside them, ns.
    pub beside_ns: Option<u64>,
    /// Probability of such a difference by chance, in the pass that is less sure; of what was seen alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Reason why it could not be told; empty where it could.
    pub why: &'static str,
}

/// Finding on one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Effect that is there, by more than chance, in both passes.
    Seen,
    /// No sign of the effect, which was looked for.
    NotSeen,
    /// No decision: two passes do not agree, or the difference is neither large nor small.
    NotToldApart,
    /// No way to look for the effect, or something else may have answered in its place.
    NotObservable,
}

/// Service times by kind: a histogram for each group, all passes after each other; an empty one where there was none.
pub(super) type Times = BTreeMap<&'static str, Vec<Histogram>>;

pub(super) fn answers(target: String, simulated: bool, service: &Times, areas: &Areas) -> Probed {
    let as_they_are = merged(of(service, FIRST));
    let cache = cache(service, areas.held);
    let thin = thin(service, areas);
    let zeros = zeros(service, areas, cache.fact);
    Probed {
        target,
        simulated,
        errors: 0,
        not_put_back: false,
        addresses: areas.held,
        floor_ns: as_they_are.min_ns(),
        median_ns: as_they_are.quantile_ns(0.5),
        answers: vec![cache, thin, zeros],
    }
}

fn of<'a>(service: &'a Times, kind: &str) -> &'a [Histogram] {
    service.get(kind).map_or(&[], |groups| groups)
}

fn merged(groups: &[Histogram]) -> Histogram {
    let mut all = Histogram::new();
    groups.iter().for_each(|times| all.merge(times));
    all
}

fn cache(service: &Times, held: Held) -> Answered {
    let about = ("cache", "addresses read again, beside their first reads");
    let answer = compare(service, about, AGAIN, FIRST, FEW);
    match (answer.fact, held) {
        (Fact::NotObservable, _) => answer,
        (_, Held::Nothing) => Answered {
            fact: Fact::NotObservable,
            p: None,
            why: "the file holds no data, and a map answers",
            ..answer
        },
        (_, Held::Zeros) => Answered {
            fact: Fact::NotObservable,
            p: None,
            why: "an array that keeps no zeros answers them by its map",
            ..answer
        },
        // Where a map answers both, a cache is not seen.
        (Fact::NotSeen, Held::Unknown) => Answered {
            fact: Fact::NotObservable,
            why: "whether these addresses were ever written is not known, and a map may have answered",
            ..answer
        },
        _ => answer,
    }
}

fn thin(service: &Times, areas: &Areas) -> Answered {
    let about = (
        "thin provisioning",
        "addresses that hold nothing, beside written ones",
    );
    if areas.empty.is_some() {
        return compare(service, about, EMPTY, FIRST, FEW);
    }
    let why = match merged(of(service, DATA)).count() > 0 {
        true => "the target does not trim, or not in time",
        false if areas.may_write => FEW,
        false => areas.unknown,
    };
    compare(service, about, TRIMMED, DATA, why)
}

/// Reads of zeros beside reads of data of the same age: what was just written may be in a cache, and then both are fast.
fn zeros(service: &Times, areas: &Areas, cache: Fact) -> Answered {
    let not_asked = match areas.may_write {
        true => FEW,
        false => "zeros would have to be written, and --destroy was not given",
    };
    let answer = compare(
        service,
        (
            "zero service",
            "zeros that were just written, beside data that was",
        ),
        ZEROS,
        DATA,
        not_asked,
    );
    let median = |kind| merged(of(service, kind)).quantile_ns(0.5);
    let fast = match (median(DATA), median(FIRST)) {
        (Some(data), Some(first)) => saved(data, first) >= SEEN,
        _ => false,
    };
    let why = match (areas.held, cache) {
        (Held::Nothing, _) => {
            "a cache may answer what was just written, and there is no older data beside it"
        }
        // A cache that was seen, and that keeps what is written.
        (_, Fact::Seen) if fast => "what was just written is answered by a cache, zeros or not",
        _ => return answer,
    };
    match answer.fact {
        Fact::NotSeen => Answered {
            fact: Fact::NotObservable,
            why,
            ..answer
        },
        _ => answer,
    }
}

/// The part of the second that the first saves; negative where it is slower.
fn saved(first_ns: u64, second_ns: u64) -> f64 {
    1.0 - first_ns as f64 / second_ns.max(1) as f64
}

/// Result of one pass.
struct Pass {
    /// The part of the median that is saved.
    saved: f64,
    /// Probability of such a difference by chance.
    p: f64,
    /// Pairs of groups of which the first is not clearly faster.
    against: usize,
}

impl Pass {
    /// `None`: more than one pair has too few reads, or all of them together have.
    fn of(first: &[Histogram], second: &[Histogram]) -> Option<Pass> {
        let (all_first, all_second) = (merged(first), merged(second));
        let median = |times: &Histogram| times.quantile_ns(0.5);
        let pairs = first.iter().zip(second);
        let pairs: Vec<f64> = pairs
            .filter_map(|(a, b)| Some(saved(median(a)?, median(b)?)))
            .collect();
        if pairs.len() + 1 < GROUPS {
            return None;
        }
        Some(Pass {
            saved: saved(median(&all_first)?, median(&all_second)?),
            p: rank_sum(&all_first, &all_second)?.p,
            against: pairs.iter().filter(|saved| **saved < SAME).count(),
        })
    }

    fn faster(&self) -> bool {
        self.p < CHANCE && self.saved >= SEEN && self.against <= 1
    }
}

/// Both passes have to say the same. `together`: the part of the median of both that is saved.
fn judge(passes: &[Pass], together: f64) -> (Fact, &'static str) {
    let little = together.abs() <= SAME && passes.iter().all(|pass| pass.saved.abs() < APART);
    match passes.iter().filter(|pass| pass.faster()).count() {
        all if all == passes.len() => (Fact::Seen, ""),
        0 if little => (Fact::NotSeen, ""),
        0 => (
            Fact::NotToldApart,
            "the difference is neither small nor clear: the host or the storage may be busy",
        ),
        _ => (
            Fact::NotToldApart,
            "one pass of two was faster and the other was not: the host or the storage may be busy",
        ),
    }
}

fn compare(
    service: &Times,
    (about, compared): (&'static str, &'static str),
    first: &str,
    second: &str,
    why: &'static str,
) -> Answered {
    let groups = |kind| of(service, kind).chunks(GROUPS);
    let pairs = groups(first).zip(groups(second));
    let passes: Option<Vec<Pass>> = pairs.map(|(a, b)| Pass::of(a, b)).collect();
    let passes = passes.filter(|passes| passes.len() == PASSES);
    let median = |kind| merged(of(service, kind)).quantile_ns(0.5);
    let (fact, why) = match (&passes, median(first), median(second)) {
        (Some(passes), Some(first), Some(second)) => judge(passes, saved(first, second)),
        _ => (Fact::NotObservable, why),
    };
    let p = passes.iter().flatten().map(|pass| pass.p).reduce(f64::max);
    Answered {
        about,
        fact,
        compared,
        median_ns: median(first).filter(|_| passes.is_some()),
        beside_ns: median(second).filter(|_| passes.is_some()),
        p: p.filter(|_| fact == Fact::Seen),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::areas::Slice;

    /// One median a pass.
    type Kind = (&'static str, [u64; PASSES]);

    /// A group of a median.
    fn group(median: u64) -> Histogram {
        let mut histogram = Histogram::new();
        (0..20).for_each(|n| histogram.record(median * (950 + n * 37 % 100) / 1000));
        histogram
    }

    fn times(list: &[Kind]) -> Times {
        let groups = |medians: [u64; PASSES]| medians.map(|m| vec![group(m); GROUPS]).concat();
        let kinds = list.iter().map(|(kind, medians)| (*kind, groups(*medians)));
        kinds.collect()
    }

    fn areas(held: Held, empty: Option<Vec<Slice>>) -> Areas {
        Areas {
            written: Vec::new(),
            held,
            empty,
            unknown: "nobody tells",
            may_write: false,
        }
    }

    fn held(held: Held, holes: bool, list: &[Kind]) -> Vec<Answered> {
        let areas = areas(held, holes.then(Vec::new));
        answers("t".into(), false, &times(list), &areas).answers
    }

    fn reported(answer: &Answered) -> (Fact, &'static str) {
        (answer.fact, answer.why)
    }

    const SLOW: Kind = (FIRST, [500_000; 2]);

    #[test]
    fn both_passes_have_to_be_faster_and_by_enough() {
        let cache = |known, again| held(known, false, &[SLOW, (AGAIN, again)])[0].clone();
        let of = |again| cache(Held::Written, again).fact;
        assert_eq!(of([30_000, 40_000]), Fact::Seen);
        assert_eq!(of([420_000, 415_000]), Fact::Seen);
        assert_eq!(of([495_000, 500_000]), Fact::NotSeen);
        assert_eq!(of([460_000, 540_000]), Fact::NotSeen);
        assert_eq!(of([500_000, 440_000]), Fact::NotSeen);
        // One of two alone is a busy host.
        for again in [[30_000, 500_000], [500_000, 30_000]] {
            let answer = cache(Held::Written, again);
            assert_eq!(answer.fact, Fact::NotToldApart);
            assert!(answer.why.contains("one pass of two"), "{answer:?}");
        }
        // Neither much nor little, however sure it is; and slower is not the same.
        for again in [[435_000; 2], [440_000; 2], [600_000; 2], [500_000, 630_000]] {
            let answer = cache(Held::Written, again);
            assert_eq!(answer.fact, Fact::NotToldApart, "{again:?}");
            assert_eq!(answer.p, None);
            assert!(answer.why.contains("neither small"), "{answer:?}");
        }
        assert!(cache(Held::Written, [30_000; 2]).p < Some(CHANCE));
        assert_eq!(cache(Held::Written, [500_000; 2]).p, None);
    }

    #[test]
    fn what_two_of_eight_pairs_do_not_show_is_not_seen() {
        let with = |slow: &[usize]| {
            let mut all = times(&[SLOW, (AGAIN, [300_000; 2])]);
            let again = all.get_mut(AGAIN).unwrap();
            slow.iter().for_each(|n| again[*n] = group(520_000));
            let areas = areas(Held::Written, None);
            answers("t".into(), false, &all, &areas).answers[0].fact
        };
        assert_eq!(with(&[]), Fact::Seen);
        assert_eq!(with(&[3]), Fact::Seen);
        assert_eq!(with(&[3, 12]), Fact::Seen);
        assert_eq!(with(&[3, 4]), Fact::NotToldApart);
        assert_eq!(with(&[13, 14]), Fact::NotToldApart);
    }

    #[test]
    fn a_pair_without_reads_is_borne_and_two_are_too_few() {
        let mut all = times(&[SLOW, (AGAIN, [300_000; 2])]);
        let areas = areas(Held::Written, None);
        for (without, fact) in [(2, Fact::Seen), (9, Fact::Seen), (10, Fact::NotObservable)] {
            all.get_mut(AGAIN).unwrap()[without] = Histogram::new();
            let reported = &answers("t".into(), false, &all, &areas).answers[0];
            assert_eq!(reported.fact, fact, "{without}");
        }
    }

    #[test]
    fn what_nobody_knows_to_be_written_is_never_without_a_cache() {
        let cache = |known, again| held(known, false, &[SLOW, (AGAIN, [again; 2])])[0].fact;
        assert_eq!(cache(Held::Unknown, 500_000), Fact::NotObservable);
        assert_eq!(cache(Held::Unknown, 435_000), Fact::NotToldApart);
        assert_eq!(cache(Held::Unknown, 30_000), Fact::Seen);
        assert_eq!(cache(Held::Nothing, 500_000), Fact::NotObservable);
        assert_eq!(cache(Held::Nothing, 30_000), Fact::NotObservable);
    }

    #[test]
    fn what_was_not_read_is_not_observable() {
        let found = held(Held::Written, true, &[SLOW, (EMPTY, [20_000; 2])]);
        let few = (Fact::NotObservable, FEW);
        assert_eq!(reported(&found[0]), few);
        assert_eq!(found[1].fact, Fact::Seen);
        assert_eq!(found[2].fact, Fact::NotObservable);
        assert_eq!(reported(&held(Held::Written, true, &[SLOW])[1]), few);
        let other = reported(&held(Held::Written, false, &[SLOW])[1]);
        assert_eq!(other, (Fact::NotObservable, "nobody tells"));
        // Leave was given, and the time was over before.
        let areas = Areas {
            may_write: true,
            ..areas(Held::Written, None)
        };
        let late = answers("t".into(), false, &times(&[SLOW]), &areas).answers;
        assert!(
            late.iter()
                .all(|a| reported(a) == (Fact::NotObservable, FEW))
        );
    }

    #[test]
    fn a_cache_hides_zero_service_only_where_it_was_seen() {
        let zeros = |again, data, zeros| {
            let list = [
                SLOW,
                (AGAIN, [again; 2]),
                (DATA, [data; 2]),
                (ZEROS, [zeros; 2]),
            ];
            held(Held::Written, false, &list)[2].fact
        };
        assert_eq!(zeros(500_000, 500_000, 60_000), Fact::Seen);
        assert_eq!(zeros(500_000, 500_000, 500_000), Fact::NotSeen);
        assert_eq!(zeros(60_000, 60_000, 60_000), Fact::NotObservable);
        assert_eq!(zeros(60_000, 60_000, 20_000), Fact::Seen);
        // A cache of reads alone hides nothing, and a host that became faster is none.
        assert_eq!(zeros(60_000, 500_000, 500_000), Fact::NotSeen);
        assert_eq!(zeros(500_000, 300_000, 300_000), Fact::NotSeen);
    }
}
