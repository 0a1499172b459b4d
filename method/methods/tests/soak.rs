//! What a soak makes of courses whose truth is known.

mod synthetic;

use plimsoll_evidence::{Interval, MethodVerdict, Phase, Quantity, StepEvidence, Verdict};
use plimsoll_measure::{IntervalStats, Op, Sample};
use plimsoll_methods::{Method, Next, Soak, StepFacts, judge};
use plimsoll_plan::{Load, Mix, Nanos, Precondition, Rate, SOAK_PART, SoakSpec, Step};
use synthetic::noise::{Noise, SAMPLE_S, noises};
use synthetic::step;

const BLOCK: u64 = 4096;
/// What the soaks here write once.
const TARGETS: u64 = 64 << 30;

/// What the storage does at a time, I/Os per second, with I/Os in flight that its response time follows from.
type Truth<'t> = &'t dyn Fn(f64) -> f64;

fn soaked(seconds: u64, load: Load) -> Step {
    let mut step = step(load);
    step.warmup = Nanos(0);
    step.elapsed = Nanos::secs(seconds);
    step.streams[0].mix = Mix::WRITES;
    step
}

/// One second of a closed loop of 32 in flight, or of an open one.
fn interval(number: u32, rates: &[f64], due: Option<f64>, waiting: &mut f64) -> Interval {
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

fn spec() -> SoakSpec {
    SoakSpec {
        overwrites: None,
        precondition: Precondition::None,
        part: SOAK_PART,
    }
}

/// Carries a soak out, part by part, and gives all its steps and its verdict.
fn carried_out(
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

fn verdict(seconds: u64, truth: Truth<'_>, kind: Noise, seed: u64) -> MethodVerdict {
    carried_out(&soaked(seconds, Load::Max), &spec(), truth, kind, seed).1
}

fn figure(verdict: &MethodVerdict, name: &str) -> f64 {
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

/// How often each class came of these seeds.
fn classes(
    seeds: std::ops::Range<u64>,
    seconds: u64,
    truth: Truth<'_>,
    kind: Noise,
) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for seed in seeds {
        let class = verdict(seconds, truth, kind, seed).class;
        match counts.iter_mut().find(|(c, _)| *c == class) {
            Some((_, n)) => *n += 1,
            None => counts.push((class, 1)),
        }
    }
    counts.sort();
    counts
}

fn count(counts: &[(String, usize)], class: &str) -> usize {
    counts
        .iter()
        .find(|(c, _)| c == class)
        .map_or(0, |(_, n)| *n)
}

const HIGH: f64 = 20_000.0;

fn level(_: f64) -> f64 {
    HIGH
}

fn falls(at_s: f64, to: f64) -> impl Fn(f64) -> f64 {
    move |t| if t < at_s { HIGH } else { HIGH * to }
}

const NOISES: [Noise; 6] = [
    Noise::White(0.05),
    Noise::White(0.3),
    Noise::Wandering(0.1, 0.9),
    Noise::Wandering(0.05, 0.99),
    Noise::Pink(0.08),
    Noise::Stalls(0.05, 5),
];

type Course = (&'static str, &'static str, Box<dyn Fn(f64) -> f64>);

/// Courses of ten minutes, and what is to be said of each.
fn courses() -> Vec<Course> {
    let wave = |t: f64| (t / 40.0 * std::f64::consts::TAU).sin();
    let dip = |t: f64| {
        if (250.0..350.0).contains(&t) {
            0.4
        } else {
            1.0
        }
    };
    vec![
        ("no-cliff", "level", Box::new(level)),
        (
            "cliff",
            "falls by 15% in the middle",
            Box::new(falls(300.0, 0.85)),
        ),
        (
            "cliff",
            "falls by 50% in the middle",
            Box::new(falls(300.0, 0.5)),
        ),
        (
            "cliff",
            "falls by 50% in the last 5%",
            Box::new(falls(571.0, 0.5)),
        ),
        (
            "never-steady",
            "drifts down by 30%",
            Box::new(|t| HIGH * (1.15 - t / 2000.0)),
        ),
        (
            "no-cliff",
            "drifts down by 5%",
            Box::new(|t| HIGH * (1.025 - t / 12_000.0)),
        ),
        (
            "no-cliff",
            "oscillates by 20% in 40 s",
            Box::new(move |t| HIGH * (1.0 + 0.2 * wave(t))),
        ),
        (
            "no cliff",
            "falls by 60% for 100 s, and comes back",
            Box::new(move |t| HIGH * dip(t)),
        ),
    ]
}

#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_verdicts() {
    for (class, name, truth) in &courses() {
        for kind in NOISES {
            // The promise about false cliffs is one of 200.
            let seeds = if *class == "cliff" { 50 } else { 200 };
            let found = classes(0..seeds, 600, truth, kind);
            println!("| {name} ({class}) | {kind:?} | {found:?} |");
        }
    }
}

#[test]
fn a_level_with_noise_of_any_kind_is_no_cliff() {
    for kind in NOISES {
        let found = classes(1000..1006, 600, &level, kind);
        assert_eq!(count(&found, "cliff"), 0, "{kind:?}: {found:?}");
    }
    let found = classes(0..10, 600, &level, Noise::White(0.05));
    assert_eq!(count(&found, "no-cliff"), 10, "{found:?}");
}

#[test]
fn a_cliff_is_found_where_it_is_even_in_the_last_twentieth() {
    for (at_s, to) in [(60.0, 0.5), (300.0, 0.85), (300.0, 0.5), (571.0, 0.5)] {
        for seed in 0..4 {
            let found = verdict(600, &falls(at_s, to), Noise::White(0.05), seed);
            assert_eq!(found.class, "cliff", "{at_s} {to}: {found:#?}");
            assert!(found.decided);
            assert!(
                (figure(&found, "cliff_time") - at_s).abs() <= 2.0,
                "{found:#?}"
            );
            assert!(
                (figure(&found, "cliff_drop") - (1.0 - to)).abs() < 0.03,
                "{found:#?}"
            );
            let written = at_s * HIGH * BLOCK as f64 / TARGETS as f64;
            assert!((figure(&found, "cliff_overwrites") - written).abs() < 0.01);
        }
    }
}

#[test]
fn a_stall_of_seconds_is_no_cliff() {
    for seed in 0..6 {
        let found = verdict(600, &level, Noise::Stalls(0.05, 5), seed);
        assert_eq!(found.class, "no-cliff", "{found:#?}");
    }
    // One that is still going on at the end may be anything.
    let found = verdict(600, &falls(588.0, 0.0), Noise::White(0.05), 1);
    assert_eq!(
        (found.class.as_str(), found.decided),
        ("undecided", false),
        "{found:#?}"
    );
    assert!(found.sentence.contains("standstill"), "{found:#?}");
}

#[test]
fn a_drift_a_dip_and_an_oscillation_are_no_cliffs() {
    for (class, name, truth) in courses().iter().skip(4) {
        for seed in 0..4 {
            let mut found = verdict(600, truth, Noise::White(0.05), seed);
            found.charts.clear();
            assert_ne!(found.class, "cliff", "{name}: {found:#?}");
            if *class != "no cliff" {
                assert_eq!(found.class, *class, "{name}: {found:#?}");
            }
        }
    }
}

#[test]
fn a_cliff_in_an_oscillation_is_found() {
    let truth = |t: f64| {
        let swing = 1.0 + 0.2 * (t / 40.0 * std::f64::consts::TAU).sin();
        HIGH * swing * if t < 400.0 { 1.0 } else { 0.5 }
    };
    for seed in 0..3 {
        let found = verdict(600, &truth, Noise::White(0.05), seed);
        assert_eq!(found.class, "cliff", "{found:#?}");
        // Within a period.
        assert!(
            (figure(&found, "cliff_time") - 400.0).abs() < 40.0,
            "{found:#?}"
        );
    }
}

#[test]
fn an_oscillation_is_told_with_its_period_and_its_amplitude() {
    let (_, _, truth) = &courses()[6];
    let found = verdict(600, truth, Noise::White(0.05), 3);
    assert!(
        (figure(&found, "oscillation_period") - 40.0).abs() < 2.0,
        "{found:#?}"
    );
    assert!(
        (figure(&found, "oscillation_amplitude") - 0.2).abs() < 0.03,
        "{found:#?}"
    );
    let still = verdict(600, &level, Noise::Wandering(0.1, 0.9), 3);
    let wave = still
        .figures
        .iter()
        .find(|f| f.name == "oscillation_period");
    assert!(wave.is_some_and(|f| f.quantity.is_none()), "{still:#?}");
}

/// The drop that a level course says it would have shown, and when that would have begun, s.
fn visible(kind: Noise, seed: u64) -> Option<(f64, f64)> {
    let verdict = verdict(600, &level, kind, seed);
    let figure = verdict.figures.iter().find(|f| f.name == "visible_drop")?;
    let said = figure.remark.as_deref().unwrap_or_default();
    let parts = [("tenth", 540.0), ("fifth", 480.0), ("third", 400.0)];
    let from = parts.iter().find(|(part, _)| said.contains(part));
    match figure.quantity {
        Some(Quantity::Share(share)) => Some((share, from.expect("it says when").1)),
        _ => None,
    }
}

/// Of so many courses how many say what drop they would have shown; and in how many others, with other noise of the same kind,
/// that drop is found where it lasts for so long.
fn power(kind: Noise, seeds: std::ops::Range<u64>) -> (usize, usize, Vec<f64>) {
    let (mut found, mut drops) = (0, Vec::new());
    for seed in seeds {
        let Some((drop, from)) = visible(kind, seed) else {
            continue;
        };
        drops.push(drop);
        let other = verdict(600, &falls(from, 1.0 - drop), kind, seed + 5_000);
        found += usize::from(other.class == "cliff");
    }
    drops.sort_by(f64::total_cmp);
    (drops.len(), found, drops)
}

#[test]
#[ignore = "the table in docs/soak.md: minutes"]
fn table_of_power() {
    for kind in NOISES {
        let (said, found, drops) = power(kind, 0..200);
        let middle = drops.get(said / 2);
        println!("| {kind:?} | {said} of 200 | {middle:?} | {found} |");
    }
}

#[test]
fn the_drop_that_would_be_seen_is_seen() {
    let (mut said, mut found) = (0, 0);
    for kind in [
        Noise::White(0.05),
        Noise::White(0.3),
        Noise::Wandering(0.1, 0.9),
        Noise::Wandering(0.05, 0.99),
    ] {
        let (of_kind, of_them, _) = power(kind, 100..106);
        said += of_kind;
        found += of_them;
    }
    assert!(said >= 15 && found * 10 >= said * 9, "{found} of {said}");
    let noisy = visible(Noise::Wandering(0.15, 0.9), 50).expect("it can be told");
    assert!(noisy.0 > 0.12, "noise makes it larger: {noisy:?}");
}

#[test]
fn what_is_too_short_or_too_noisy_is_left_open() {
    let short = verdict(4, &level, Noise::White(0.05), 1);
    assert_eq!((short.class.as_str(), short.decided), ("undecided", false));
    assert!(short.sentence.contains("Too short"), "{short:#?}");
}

#[test]
fn at_a_rate_the_cliff_shows_in_what_is_done_or_in_the_response_time() {
    let at_rate = |rate: f64, to: f64| {
        let load = Load::Rate {
            rate: Rate(rate),
            arrival: plimsoll_plan::Arrival::Even,
        };
        let soak = soaked(600, load);
        carried_out(&soak, &spec(), &falls(300.0, to), Noise::White(0.02), 7).1
    };
    // Below the new capacity only the answers are slower.
    let slower = at_rate(8_000.0, 0.5);
    assert_eq!(slower.class, "cliff", "{slower:#?}");
    assert!(
        slower.sentence.contains("response time rises"),
        "{slower:#?}"
    );
    assert!((figure(&slower, "cliff_time") - 300.0).abs() <= 2.0);
    // Above it less is done.
    let less = at_rate(15_000.0, 0.5);
    assert_eq!(less.class, "cliff", "{less:#?}");
    assert!(
        (figure(&less, "rate_after") / 10_000.0 - 1.0).abs() < 0.02,
        "{less:#?}"
    );
    // Nothing changes where nothing changes.
    let same = at_rate(8_000.0, 1.0);
    assert_eq!(same.class, "no-cliff", "{same:#?}");
    // Too much from the start is no cliff.
    let overloaded = at_rate(30_000.0, 1.0);
    assert_eq!(overloaded.class, "no-cliff", "{overloaded:#?}");
    let rules: Vec<&str> = overloaded
        .findings
        .iter()
        .map(|f| f.rule.as_str())
        .collect();
    assert!(rules.contains(&"soak-overloaded"), "{overloaded:#?}");
}

#[test]
fn a_soak_in_parts_says_what_the_same_soak_says_in_one_piece() {
    let soak = soaked(600, Load::Max);
    let truth = falls(333.0, 0.6);
    let parts = SoakSpec {
        part: Nanos::secs(70),
        ..spec()
    };
    let (whole, one) = carried_out(&soak, &spec(), &truth, Noise::White(0.05), 5);
    let (several, other) = carried_out(&soak, &parts, &truth, Noise::White(0.05), 5);
    assert_eq!((whole.len(), several.len()), (1, 9));
    let counted: f64 = several.iter().map(|p| p.counted_s).sum();
    assert!((counted - 600.0).abs() < 1e-6, "{counted}");
    assert_eq!(one.class, other.class);
    for name in ["cliff_time", "cliff_drop", "sustained_rate", "overwrites"] {
        let (a, b) = (figure(&one, name), figure(&other, name));
        assert!((a / b - 1.0).abs() < 0.01, "{name}: {a} {b}");
    }
    // From any part on it goes on with the next.
    let method = Soak::new(&parts.steps(&soak), &parts);
    for done in 0..several.len() {
        let completed: Vec<&StepEvidence> = several[..done].iter().collect();
        let Next::Step(next) = method.next(&completed) else {
            panic!("it is not through after {done}");
        };
        assert_eq!(next.name, format!("rd1_part{}", done + 1));
        assert!(!method.rests_before(&completed, &next));
    }
}

#[test]
fn a_soak_by_overwrites_ends_when_they_are_done_and_each_part_is_asked_for_what_is_left() {
    let soak = soaked(3600, Load::Max);
    let spec = SoakSpec {
        overwrites: Some(3.0),
        part: Nanos::secs(1200),
        ..spec()
    };
    let method = Soak::new(&spec.steps(&soak), &spec);
    let part = |done: &[&StepEvidence]| match method.next(done) {
        Next::Step(step) => Some(*step),
        _ => None,
    };
    let first = part(&[]).expect("a part");
    assert_eq!(first.limits.overwrites, Some(3.0));
    assert_eq!(
        first.limits.resolved(TARGETS).written_bytes,
        Some(plimsoll_plan::Bytes(3 * TARGETS))
    );
    let (done, _) = carried_out(
        &soaked(1200, Load::Max),
        &self::spec(),
        &level,
        Noise::White(0.01),
        1,
    );
    let mut one = done[0].clone();
    let second = part(&[&one]).expect("another");
    let written = 1200.0 * HIGH * BLOCK as f64 / TARGETS as f64;
    let left = second.limits.overwrites.expect("what is left");
    assert!((left - (3.0 - written)).abs() < 0.01, "{left} {written}");
    one.end = plimsoll_evidence::End::Limit;
    assert_eq!(part(&[&one]), None, "the limit is the end");
}

#[test]
fn preconditioning_goes_first_and_is_in_no_result() {
    let soak = soaked(600, Load::Max);
    let spec = SoakSpec {
        precondition: Precondition::Both,
        ..spec()
    };
    let method = Soak::new(&spec.steps(&soak), &spec);
    let (mut done, mut names) = (Vec::<StepEvidence>::new(), Vec::new());
    // Each round is a tenth slower than the one before until the seventh; then all are alike.
    while let Next::Step(step) = method.next(&done.iter().collect::<Vec<_>>()) {
        let round = names
            .iter()
            .filter(|n: &&String| n.contains("wdpc"))
            .count();
        let rate = HIGH * 0.9f64.powi(round.min(7) as i32);
        names.push(step.name.clone());
        let intervals: Vec<Interval> = (1..=20)
            .map(|n| interval(n, &[rate; 10], None, &mut 0.0))
            .collect();
        let number = done.len() as u32 + 1;
        done.push(judge(&step, number, &intervals, &StepFacts::clean(1)));
        assert!(number < 40, "{names:?}");
    }
    let expected: Vec<String> = ["wipc1", "wipc2"]
        .iter()
        .map(ToString::to_string)
        .chain((1..=11).map(|n| format!("wdpc{n}")))
        .map(|n| format!("rd1_{n}"))
        .chain(["rd1".to_string()])
        .collect();
    assert_eq!(names, expected);
    assert!(done[0].fill && !done[2].fill);
    assert!(
        method.observer(&[], &soak).is_none(),
        "only the soak is looked at"
    );
}
