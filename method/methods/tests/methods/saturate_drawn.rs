//! How often the saturation campaign is right, on drawn targets of three kinds with noise: the table of `docs/saturate.md`.
//!
//! The truth is the target's own rate at each depth, without noise, and it goes on past the greatest depth that a campaign may
//! try.

use crate::synthetic::{self, Queue, measured, step};
use plimsoll_evidence::{MethodVerdict, Quantity, StepEvidence, Verdict};
use plimsoll_methods::{Method, Next, Saturate};
use plimsoll_plan::{Bytes, Load, MethodSpec, Question, SaturateSpec, Step};

/// The truth is known up to this depth.
const DEEPEST: u32 = 1 << 20;
/// Each rate is off by up to this share.
const NOISE: f64 = 0.02;

/// A number in 0..1 that the seed and its index decide.
fn drawn(seed: u64, index: u64) -> f64 {
    (synthetic::noise(seed * 7919 + index) + 1.0) / 2.0
}

/// A target of which the rate at each depth is known.
enum Target {
    /// By the universal scalability law (Gunther 2007), `N / (1 + s (N - 1) + k N (N - 1))` times the rate of one: some of them
    /// carry less again past their peak.
    Scaling { one: f64, s: f64, k: f64 },
    /// `min(most, N / alone)`, the asymptotic bounds of a closed network (Denning and Buzen 1978).
    Bounded { most: f64, alone_s: f64 },
    /// A closed network of equal stations and a time for which nobody waits, by mean value analysis (Reiser and Lavenberg
    /// 1980): its rate at each depth.
    Network { rates: Vec<f64> },
}

impl Target {
    fn scaling(seed: u64) -> Self {
        Target::Scaling {
            one: 100.0 * 100_f64.powf(drawn(seed, 1)),
            s: 0.2 * drawn(seed, 2).powi(2) + 0.002,
            k: match drawn(seed, 3) {
                c if c < 0.5 => 0.0,
                c => 1e-4 * c,
            },
        }
    }

    fn bounded(seed: u64) -> Self {
        Target::Bounded {
            most: 1000.0 * 100_f64.powf(drawn(seed, 1)),
            alone_s: 0.03 * 30_f64.powf(-drawn(seed, 2)),
        }
    }

    fn network(seed: u64) -> Self {
        let stations = 2.0 + (30.0 * drawn(seed, 1)).floor();
        let service_s = 1e-4 * 10_f64.powf(drawn(seed, 2));
        let think_s = service_s * stations * 20.0 * drawn(seed, 3);
        let mut queue = 0.0;
        let rate = |n: u32| {
            let response_s = service_s * (1.0 + queue);
            let rate = f64::from(n) / (stations * response_s + think_s);
            queue = rate * response_s;
            rate
        };
        Target::Network {
            rates: (1..=1 << 14).map(rate).collect(),
        }
    }

    fn rate(&self, depth: u32) -> f64 {
        let n = f64::from(depth);
        match self {
            Target::Scaling { one, s, k } => one * n / (1.0 + s * (n - 1.0) + k * n * (n - 1.0)),
            Target::Bounded { most, alone_s } => most.min(n / alone_s),
            Target::Network { rates } => rates[(depth as usize).min(rates.len()) - 1],
        }
    }

    /// The most at any depth.
    fn most(&self, greatest: u32) -> f64 {
        let further = (0..).map(|n| f64::from(greatest) * 1.02f64.powi(n));
        let further = further.take_while(|d| *d < f64::from(DEEPEST));
        (1..=greatest)
            .chain(further.map(|d| d as u32))
            .map(|depth| self.rate(depth))
            .fold(0.0, f64::max)
    }
}

/// Outcome of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// The depth carries nearly the most, and a third less does not carry all that it has to.
    Right,
    /// Verdict that the greatest depth ended the search, where that depth does not carry 97 % of the most.
    Beyond,
    /// Verdict of a rate that still grows there: half of that depth carries less than 98 % of it.
    Grows,
    /// Verdict of a rate that grows no more: half of the greatest depth carries next to all.
    OpenForNothing,
    TooFew,
    TooMany,
}

fn came(target: &Target, greatest: u32, verdict: &MethodVerdict) -> Came {
    let most = target.most(greatest);
    if !verdict.decided {
        assert_eq!(verdict.class, "depth-short");
        assert!(in_flight(verdict).is_none(), "no figure: {verdict:?}");
        assert!(verdict.sentence.contains("ended the search"), "{verdict:?}");
        let (half, all) = (target.rate(greatest / 2), target.rate(greatest));
        return match (all < 0.97 * most, half < 0.98 * all) {
            (true, _) => Came::Beyond,
            (false, true) => Came::Grows,
            (false, false) => Came::OpenForNothing,
        };
    }
    let depth = in_flight(verdict).expect("it is decided") as u32;
    if target.rate(depth) < 0.94 * most {
        Came::TooFew
    } else if depth >= 4 && target.rate(depth * 2 / 3) >= 0.98 * most {
        Came::TooMany
    } else {
        Came::Right
    }
}

fn in_flight(verdict: &MethodVerdict) -> Option<f64> {
    let figure = verdict
        .figures
        .iter()
        .find(|f| f.name == "read100_4kib_in_flight");
    match figure.expect("a figure").quantity {
        Some(Quantity::Number(n)) => Some(n),
        _ => None,
    }
}

/// Draws a target of a kind by its seed.
type Kind = fn(u64) -> Target;

/// Outcomes of 200 campaigns on targets of a kind, and the number of their steps.
fn two_hundred(kind: Kind) -> ([usize; 6], usize) {
    let base = step(Load::Max);
    let (spec, cells) = SaturateSpec::new(&base, vec![100.0], vec![Bytes(4096)], false);
    let greatest = cells[0].depths[0].slots;
    let method = Saturate::new(&cells, &spec);
    let question = Question::Saturate(spec);
    let steps = cells.clone();
    let planned: u32 = MethodSpec { steps, question }
        .outline()
        .iter()
        .map(|o| o.at_most)
        .sum();
    let queue = Queue::new(500.0, 1e6, 0.0);
    let template = measured(&base, 1, queue);
    let (mut counts, mut all) = ([0; 6], 0);
    for seed in 0..200 {
        let target = kind(seed);
        let mut done: Vec<StepEvidence> = Vec::new();
        let verdict = loop {
            let completed: Vec<&StepEvidence> = done.iter().collect();
            match method.next(&completed) {
                Next::Step(step) => {
                    done.push(carried_out(&template, &target, &step, seed, done.len()))
                }
                Next::Done(Some(Verdict::Method(verdict))) => break verdict,
                other => panic!("{other:?}"),
            }
        };
        assert!(done.len() as u32 <= planned, "{} of {planned}", done.len());
        all += done.len();
        counts[came(&target, greatest, &verdict) as usize] += 1;
    }
    (counts, all)
}

fn carried_out(
    template: &StepEvidence,
    target: &Target,
    step: &Step,
    seed: u64,
    number: usize,
) -> StepEvidence {
    let mut evidence = template.clone();
    let noise = 1.0 + NOISE * synthetic::noise(seed * 1_000 + number as u64);
    let depth = step.depths[0].slots;
    evidence.name = step.name.clone();
    evidence.workers = 1;
    evidence.depth_mean = f64::from(depth);
    evidence.rate.mean = match &step.load {
        Load::Rate { rate, .. } => rate.0,
        _ => target.rate(depth) * noise,
    };
    evidence
}

#[test]
fn on_two_hundred_drawn_targets_of_each_kind_the_concurrency_is_near_the_least_one_or_left_open() {
    let kinds: [(&str, Kind); 3] = [
        ("scaling", Target::scaling),
        ("bounded", Target::bounded),
        ("network", Target::network),
    ];
    for (name, kind) in kinds {
        let (counts, steps) = two_hundred(kind);
        let [right, beyond, grows, for_nothing, few, many] = counts;
        println!(
            "{name}: right {right}, left open {beyond} that end beyond and {grows} that grow, for nothing {for_nothing}, too few {few}, too many {many}; {} steps each",
            steps / 200
        );
        assert!(right + beyond + grows >= 190, "{name}: {counts:?}");
        assert!(few + many <= 4, "{name}: {counts:?}");
    }
}
