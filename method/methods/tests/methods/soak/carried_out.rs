//! Soaks, carried out part by part on storage whose rate at each time is known.

use crate::synthetic::noise::{Noise, SAMPLE_S, noises};
use crate::synthetic::step;
use plimsoll_evidence::{Interval, MethodVerdict, Phase, Quantity, StepEvidence, Verdict};
use plimsoll_measure::{IntervalStats, Op, Sample};
use plimsoll_methods::{Method, Next, Soak, StepFacts, judge};
use plimsoll_plan::{Load, Mix, Nanos, Precondition, SOAK_PART, SoakSpec, Step};

pub const BLOCK: u64 = 4096;
/// Bytes that the soaks here write once.
pub const TARGETS: u64 = 64 << 30;

/// Rate of the storage at a time, I/Os per second, with I/Os in flight that its response time follows from.
pub type Truth<'t> = &'t dyn Fn(f64) -> f64;

pub fn soaked(seconds: u64, load: Load) -> Step {
    let mut step = step(load);
    step.warmup = Nanos(0);
    step.elapsed = Nanos::secs(seconds);
    step.streams[0].mix = Mix::WRITES;
    step
}

/// One second of a closed loop of 32 in flight, or of an open one.
pub fn interval(number: u32, rates: &[f64], due: Option<f64>, waiting: &mut f64) -> Interval {
    let mut stats = IntervalStats::new(1);
    let mut demand = Vec::new();
    for rate in rates {
        let mut ios = rate * SAMPLE_S;
        let mut response_ns = 32.0 / rate.max(1.0) * 1e9;
        if let Some(due) = due {
            let wanted = due * SAMPLE_S + *waiting;
            // A queue of one server, and what waits behind it.
            response_ns = 1e9 / (rate - due).max(rate * 0.01) + *waiting / rate.max(1.0) * 1e9;
            ios = ios.min(wanted);
            *waiting = wanted - ios;
            demand.push(plimsoll_measure::Demand {
                due: (due * SAMPLE_S) as u64,
                done: ios.round() as u64,
                backlog_end: *waiting as u64,
                ..Default::default()
            });
        }
        let ios = ios.round() as u64;
        stats.samples.push(Sample {
            ios,
            bytes: ios * BLOCK,
            timed: ios,
            response_sum_ns: (ios as f64 * response_ns) as u64,
            service_sum_ns: (ios as f64 * response_ns) as u64,
        });
        let write = &mut stats.streams[0].ops[Op::Write as usize];
        write.ios += ios;
        write.bytes += ios * BLOCK;
        write.response.record_many(response_ns as u64, ios);
        write.service.record_many(response_ns as u64, ios);
    }
    if due.is_some() {
        stats.streams[0].due = demand.iter().map(|d| d.due).sum();
        stats.streams[0].demand = demand;
    }
    let start_ns = u64::from(number - 1) * 1_000_000_000;
    Interval::new(
        1,
        number,
        start_ns..start_ns + 1_000_000_000,
        Phase::Counted,
        stats,
    )
}

pub fn spec() -> SoakSpec {
    SoakSpec {
        overwrites: None,
        precondition: Precondition::None,
        part: SOAK_PART,
    }
}

/// Carries a soak out, part by part, and gives all its steps and its verdict.
pub fn carried_out(
    soak: &Step,
    spec: &SoakSpec,
    truth: Truth<'_>,
    kind: Noise,
    seed: u64,
) -> (Vec<StepEvidence>, MethodVerdict) {
    let samples = soak.elapsed.0 / 100_000_000;
    let noises = noises(kind, samples as usize, seed);
    let method = Soak::new(&spec.steps(soak), spec);
    let (mut done, mut at, mut waiting) = (Vec::<StepEvidence>::new(), 0, 0.0);
    loop {
        let completed: Vec<&StepEvidence> = done.iter().collect();
        let part = match method.next(&completed) {
            Next::Step(part) => *part,
            Next::Done(Some(Verdict::Method(verdict))) => return (done, verdict),
            other => panic!("{other:?}"),
        };
        let mut observer = method.observer(&completed, &part).expect("it looks");
        let due = match part.load {
            Load::Rate { rate, .. } => Some(rate.0),
            _ => None,
        };
        let mut intervals = Vec::new();
        for number in 1..=(part.elapsed.0 / 1_000_000_000) as u32 {
            let rates: Vec<f64> = (0..10)
                .map(|i| truth((at + i) as f64 * SAMPLE_S) * noises[at + i])
                .collect();
            at += 10;
            intervals.push(interval(number, &rates, due, &mut waiting));
            observer.observe(&intervals[intervals.len() - 1]);
        }
        let number = done.len() as u32 + 1;
        let evidence = judge(&part, number, &intervals, &StepFacts::clean(1));
        done.push(StepEvidence {
            targets_bytes: TARGETS,
            timeline: observer.timeline(),
            ..evidence
        });
    }
}

pub fn verdict(seconds: u64, truth: Truth<'_>, kind: Noise, seed: u64) -> MethodVerdict {
    carried_out(&soaked(seconds, Load::Max), &spec(), truth, kind, seed).1
}

pub fn figure(verdict: &MethodVerdict, name: &str) -> f64 {
    let found = verdict.figures.iter().find(|f| f.name == name);
    match found
        .unwrap_or_else(|| panic!("{name}: {verdict:#?}"))
        .quantity
    {
        Some(
            Quantity::Seconds(n)
            | Quantity::PerSecond(n)
            | Quantity::Share(n)
            | Quantity::Ns(n)
            | Quantity::Number(n),
        ) => n,
        ref other => panic!("{name}: {other:?}"),
    }
}

pub const HIGH: f64 = 20_000.0;

pub fn level(_: f64) -> f64 {
    HIGH
}

pub fn falls(at_s: f64, to: f64) -> impl Fn(f64) -> f64 {
    move |t| if t < at_s { HIGH } else { HIGH * to }
}

pub const NOISES: [Noise; 6] = [
    Noise::White(0.05),
    Noise::White(0.3),
    Noise::Wandering(0.1, 0.9),
    Noise::Wandering(0.05, 0.99),
    Noise::Pink(0.08),
    Noise::Stalls(0.05, 5),
];
