//! The cases of the rules: a plan and a run without fault, and what each rule's own case changes in them.

mod hosts;
mod pairs;
mod witnessed;

pub(crate) use hosts::host;
pub(crate) use witnessed::on_two_disks;

use crate::{Check, Maker, PlanView, RULES, RuleAnswer, RunView, StepCourse, judge, lint, rules};
use plimsoll_evidence::{
    Environment, EnvironmentTarget, Estimate, Finding, HostFacts, HostState, StepEvidence, Verdict,
};
use plimsoll_plan::*;

/// A rule's cases.
pub(crate) enum Known {
    /// Changes of a sound plan, with which it fires and does not.
    Plan {
        fires: fn(&mut Plan),
        clean: fn(&mut Plan),
    },
    /// The same of a sound run.
    Run {
        fires: fn(&mut Observed),
        clean: fn(&mut Observed),
    },
    /// The same of a sound host.
    Host {
        fires: fn(&mut HostState),
        clean: fn(&mut HostState),
    },
}

/// A run as it was observed.
#[derive(Clone)]
pub(crate) struct Observed {
    pub plan: Plan,
    pub environment: Environment,
    pub steps: Vec<StepEvidence>,
    pub verdicts: Vec<Verdict>,
    pub courses: Vec<StepCourse>,
    pub made: Vec<Finding>,
    pub claim: Claim,
}

impl Observed {
    pub fn view(&self) -> RunView<'_> {
        RunView {
            plan: Some(&self.plan),
            environment: &self.environment,
            steps: &self.steps,
            verdicts: &self.verdicts,
            courses: &self.courses,
            made: &self.made,
            claim: self.claim,
        }
    }

    pub fn step(&mut self) -> &mut StepEvidence {
        &mut self.steps[0]
    }

    /// The first layer below the target.
    pub fn layer(&mut self) -> &mut plimsoll_evidence::BlockLayer {
        &mut self.environment.targets[0].stack[0]
    }

    /// Sets one of its queue's values.
    pub fn queue(&mut self, name: &str, value: &str) {
        let queue = &mut self.layer().queue;
        queue.retain(|(n, _)| n != name);
        queue.push((name.into(), value.into()));
    }
}

/// One workload: random reads of 8 KiB over all of the target.
pub(crate) fn stream() -> Stream {
    Stream {
        workload: "oltp".into(),
        target: TargetId(0),
        hosts: Vec::new(),
        share: 1.0,
        fixed_rate: None,
        priority: None,
        arrival: None,
        quota: Quota::default(),
        dependency: plimsoll_plan::Dependency::default(),
        throttle: Throttle::default(),
        depth: None,
        window: Window::default(),
        mix: Mix::READS,
        size: SizeSpec::Fixed(Bytes(8192)),
        address: AddressSpec {
            range: RangeSpec::Whole,
            pattern: Pattern::Random {
                distribution: Distribution::Uniform,
                coverage: false,
            },
            hits: None,
        },
        content: ContentSpec::Unique,
        verify: None,
        source: None,
    }
}

/// A plan without fault: ten minutes of random reads from a TiB.
pub(crate) fn plan() -> Plan {
    let step = Step {
        name: "r".into(),
        run: "r".into(),
        loops: vec![],
        streams: vec![stream()],
        depths: vec![Depth {
            target: TargetId(0),
            slots: 32,
        }],
        load: Load::Max,
        warmup: Nanos::secs(60),
        elapsed: Nanos::secs(600),
        interval: Nanos::secs(1),
        pause: Nanos(0),
        limits: Limits::default(),
        workers: Workers::default(),
        purpose: Purpose::Measure,
        start_commands: vec![],
        end_commands: vec![],
        actions: vec![],
        origins: Origins::default(),
    };
    Plan {
        dialect: "native".into(),
        title: None,
        tag: None,
        note: None,
        claim: Some(Claim::Sustained),
        targets: vec![Target {
            name: "disk".into(),
            location: Location::Path("disk.dat".into()),
            size: Some(Bytes(1 << 40)),
            offset: Bytes(0),
            align: None,
            caching: Caching::Direct,
            durability: Durability::None,
            shared: false,
            split: false,
            hosts: Vec::new(),
            metrics: Default::default(),
            origins: Origins::default(),
        }],
        hosts: Default::default(),
        items: vec![Item::Step(step)],
        max_errors: 50,
        seed: None,
        start_commands: vec![],
        end_commands: vec![],
    }
}

/// Its step.
pub(crate) fn step_of(plan: &mut Plan) -> &mut Step {
    match &mut plan.items[0] {
        Item::Step(step) => step,
        Item::Curve(curve) => &mut curve.base,
        Item::Method(method) => &mut method.steps[0],
    }
}

/// Its workload.
pub(crate) fn stream_of(plan: &mut Plan) -> &mut Stream {
    &mut step_of(plan).streams[0]
}

/// It writes only, of an area small enough to be written often in its time.
pub(crate) fn writing(plan: &mut Plan) -> &mut Stream {
    let stream = stream_of(plan);
    stream.mix = Mix::WRITES;
    stream
}

/// It becomes a curve.
pub(crate) fn curve(plan: &mut Plan, search: bool) {
    let base = step_of(plan).clone();
    plan.items = vec![Item::Curve(CurveSpec {
        search: search.then(|| DepthSearch::of(&base)),
        base,
        percents: vec![10, 50, 70, 80, 90],
        arrival: Arrival::Exponential,
        stop_service: None,
        slos: vec![],
    })];
}

/// A run of it without fault: 10,000 I/Os a second with 32 in flight.
pub(crate) fn observed() -> Observed {
    Observed {
        plan: plan(),
        environment: environment(),
        steps: vec![witnessed::reading(evidence())],
        verdicts: vec![],
        courses: vec![course(|n| 9_800 + n * 7919 % 401)],
        made: vec![],
        claim: Claim::Sustained,
    }
}

/// A course of ten minutes with so many I/Os in each second.
pub(crate) fn course(ios: impl Fn(u64) -> u64) -> StepCourse {
    let part = |n: u64| crate::Part {
        start_ns: (60 + n) * 1_000_000_000,
        length_ns: 1_000_000_000,
        ios: ios(n),
        steal: Some(0.0),
        arrays: vec![],
        witnessed: None,
    };
    let mut course = StepCourse::new(1);
    course.parts = (0..600).map(part).collect();
    course.heat = vec![vec![23_437; plimsoll_measure::HEAT_COLUMNS]];
    course
}

fn environment() -> Environment {
    let queue = [
        ("rotational", "0"),
        ("scheduler", "none"),
        ("read_ahead_kb", "128"),
        ("nr_requests", "1023"),
        ("max_sectors_kb", "1280"),
        ("max_hw_sectors_kb", "1280"),
        ("nomerges", "2"),
        ("write_cache", "write through"),
        ("physical_block_size", "4096"),
        ("wbt_lat_usec", "0"),
        ("add_random", "0"),
        ("iostats", "1"),
    ];
    let disk = plimsoll_evidence::BlockLayer {
        name: "sdx".into(),
        kind: "disk".into(),
        size_bytes: 1 << 40,
        scheduler: Some("none".into()),
        queue: queue.map(|(n, v)| (n.to_string(), v.to_string())).into(),
        ..plimsoll_evidence::BlockLayer::default()
    };
    Environment {
        host: HostFacts {
            kernel: "6.12.0".into(),
            cpus_available: 16,
            cpus_online: 16,
            numa_nodes: 1,
            memory_bytes: 64 << 30,
            clocksource: Some("tsc".into()),
            governor: Some("performance".into()),
            ..HostFacts::default()
        },
        backend: "io_uring".into(),
        clock: "tsc".into(),
        targets: vec![EnvironmentTarget {
            name: "disk".into(),
            location: "/dev/sdx".into(),
            kind: "block device".into(),
            size_bytes: 1 << 40,
            logical_block_bytes: 512,
            stack: vec![disk],
            ..EnvironmentTarget::default()
        }],
        ..Environment::default()
    }
}

fn evidence() -> StepEvidence {
    let estimate = |mean: f64| Estimate {
        mean,
        half_width: Some(mean * 0.005),
        batches: 100,
    };
    let mut times = plimsoll_measure::Histogram::default();
    for i in 0..100_000u64 {
        times.record(3_000_000 + (i % 1000) * 400);
    }
    StepEvidence {
        slots: 32,
        workers: 2,
        warmup_s: 60.0,
        counted_s: 600.0,
        counted_intervals: (61, 660),
        ios: 6_000_000,
        bytes: 49_152_000_000,
        rate: estimate(10_000.0),
        response_mean_ns: estimate(3_200_000.0),
        service_mean_ns: estimate(3_199_000.0),
        response: times.clone(),
        service: times,
        depth_mean: 31.99,
        cpu_ns_per_io: Some(9000.0),
        ..StepEvidence::new(1, "r")
    }
}

fn answer(rule: &crate::Rule, of: &Observed) -> RuleAnswer {
    match rule.check {
        Check::Plan(check) => check(&PlanView::new(&of.plan, None)),
        Check::Run(check) => check(&of.view()),
        Check::Made(_) | Check::Host(_) => RuleAnswer::Clean,
    }
}

/// The sound run with a change.
pub(crate) fn changed(change: impl FnOnce(&mut Observed)) -> Observed {
    let mut case = observed();
    change(&mut case);
    case
}

/// What a check found, if it looked and found something.
pub(crate) fn found(answer: RuleAnswer) -> Vec<crate::RuleFinding> {
    match answer {
        RuleAnswer::Found(seen) => seen,
        _ => vec![],
    }
}

/// Rules that judge by what is there, not by how much: there is no number from which on they speak.
const FACTS: &[u16] = &[
    11, 12, 13, 17, 19, 20, 23, 35, 36, 40, 41, 42, 50, 51, 52, 53, 102, 135, 142, 300, 301, 302,
    303, 304, 305, 306, 310, 311, 312, 313,
];

#[test]
fn each_rule_fires_on_its_case_and_is_silent_on_its_clean_one() {
    for (rule, known) in rules::KNOWN {
        let (fires, clean) = match known {
            Known::Plan { fires, clean } => (
                changed(|o| fires(&mut o.plan)),
                changed(|o| clean(&mut o.plan)),
            ),
            Known::Run { fires, clean } => (changed(fires), changed(clean)),
            Known::Host { .. } => continue,
        };
        match answer(rule, &fires) {
            RuleAnswer::Found(seen) => {
                assert!(seen.iter().all(|s| s.message.ends_with('.')), "{seen:?}");
                for one in &seen {
                    assert!(!one.values.is_empty(), "{}: {one:?}", rule.code());
                    let judged = one.values.iter().any(|v| v.threshold.is_some());
                    let is_fact = FACTS.contains(&rule.number);
                    assert_ne!(judged, is_fact, "{}: {one:?}", rule.code());
                }
            }
            other => panic!("{} does not fire on its case: {other:?}", rule.code()),
        }
        assert_eq!(answer(rule, &clean), RuleAnswer::Clean, "{}", rule.code());
    }
}

#[test]
fn what_is_without_fault_is_clean_for_every_claim() {
    for claim in Claim::ALL {
        let of_plan = lint(&PlanView::new(&plan(), Some(claim)));
        let titles = |a: &crate::Audit| {
            a.findings
                .iter()
                .map(|f| f.finding.message.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(titles(&of_plan), [""; 0], "{claim}");
        let mut sound = observed();
        sound.claim = claim;
        assert_eq!(titles(&judge(&sound.view())), [""; 0], "{claim}");
    }
}

#[test]
fn a_real_array_that_tells_little_is_clean_of_nothing_that_it_does_not_tell() {
    use plimsoll_measure::{Histogram, Op};
    let mut o = observed();
    crate::arrays::with(&mut o, |array| {
        array.front_end = Some(Default::default());
    });
    let of = |o: &Observed, number: u16| -> RuleAnswer {
        let rule = RULES.iter().find(|r| r.number == number);
        match rule.map(|r| &r.check) {
            Some(Check::Run(check)) => check(&o.view()),
            _ => panic!("PL{number} looks at no run"),
        }
    };
    for (op, rules) in [
        (Op::Read, &[200, 202, 203, 204, 205, 206, 207, 209][..]),
        (Op::Write, &[200, 201]),
    ] {
        o.step().ops = vec![plimsoll_evidence::OpSummary {
            op,
            ios: 1,
            bytes: 4096,
            errors: 0,
            response: Histogram::empty(),
            service: Histogram::empty(),
        }];
        for number in rules {
            let answer = of(&o, *number);
            let unseen = matches!(answer, RuleAnswer::NotObservable(_));
            assert!(unseen, "PL{number}: {answer:?}");
        }
    }
    // One that is simulated tells all that it has.
    o.step().arrays[0].scale = Some(1.0);
    for number in [204, 205, 206, 207, 209] {
        assert_eq!(of(&o, number), RuleAnswer::NotApplicable, "PL{number}");
    }
}

#[test]
fn each_rule_has_cases_of_its_own_kind() {
    for (rule, known) in rules::KNOWN {
        let fits = matches!(
            (&rule.check, known),
            (Check::Plan(_), Known::Plan { .. })
                | (Check::Run(_), Known::Run { .. })
                | (Check::Host(_), Known::Host { .. })
        );
        assert!(fits, "{}", rule.code());
    }
    let checked = RULES.iter().filter(|r| !matches!(r.check, Check::Made(_)));
    assert_eq!(rules::KNOWN.len(), checked.count());
}

#[test]
fn numbers_and_names_are_unique_and_in_order_and_every_page_is_complete() {
    for pair in RULES.windows(2) {
        assert!(pair[0].number < pair[1].number, "{}", pair[1].code());
    }
    let mut names: Vec<&str> = RULES.iter().map(|r| r.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
    for rule in RULES.iter() {
        let page = &rule.page;
        for text in [
            page.why,
            page.threshold,
            page.source,
            page.example,
            page.remedy,
            rule.summary,
        ] {
            assert!(
                text.len() > 5 && text.ends_with('.'),
                "{}: {text:?}",
                rule.code()
            );
            assert!(!text.contains("  "), "{}: {text:?}", rule.code());
        }
        assert!(
            Claim::ALL
                .iter()
                .any(|c| rule.severity.for_claim(*c).is_some()),
            "{}",
            rule.code()
        );
        let plain = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
        assert!(rule.name.chars().all(plain), "{}", rule.name);
    }
}

#[test]
fn every_finding_of_the_judge_and_the_methods_has_a_number() {
    for name in plimsoll_evidence::sentence::names() {
        let rule = crate::find(name).unwrap_or_else(|| panic!("no rule for {name}"));
        assert!(matches!(rule.check, Check::Made(_)), "{name}");
    }
    let known: Vec<&str> = plimsoll_evidence::sentence::names().collect();
    let found_here =
        |r: &&&crate::Rule| matches!(r.check, Check::Made(maker) if maker != Maker::Reader);
    for rule in RULES.iter().filter(found_here) {
        assert!(known.contains(&rule.name), "nobody finds {}", rule.name);
    }
}

#[test]
fn a_finding_of_the_judge_keeps_its_words_and_is_no_worse_than_its_rule() {
    let rule = crate::find("ios-failed").expect("a rule");
    let made = Finding::of_step(
        1,
        "ios-failed",
        plimsoll_evidence::Severity::Invalid,
        [("ios", plimsoll_evidence::Quantity::Count(3))],
    );
    let case = changed(|o| o.made = vec![made.clone()]);
    let audit = judge(&case.view());
    assert_eq!(
        audit.findings[0].title(),
        format!("{} ios-failed", rule.code())
    );
    assert_eq!(audit.findings[0].finding.message, made.message);
    assert_eq!(audit.own().count(), 0);
    // What an earlier audit left in the record is judged again, not taken over.
    let before = Finding {
        rule: "PL012".into(),
        ..made
    };
    let again = changed(|o| o.made = vec![before]);
    assert!(judge(&again.view()).findings.is_empty());
}

#[test]
fn a_rule_is_found_by_its_number_and_by_its_name() {
    for text in ["PL012", "pl12", "12", "zero-content", " Zero-Content "] {
        assert_eq!(crate::find(text).map(|r| r.number), Some(12), "{text}");
    }
    assert!(crate::find("PL999").is_none() && crate::find("").is_none());
}

#[test]
fn the_probes_of_a_fingerprint_are_no_results_and_are_not_judged_as_some() {
    for number in [101, 112, 200, 201, 202, 203, 204, 205, 206, 207, 209] {
        let (rule, known) = rules::KNOWN
            .iter()
            .find(|(r, _)| r.number == number)
            .unwrap();
        let (Check::Run(check), Known::Run { fires, .. }) = (&rule.check, known) else {
            panic!("{}: no rule of runs", rule.code());
        };
        let mut case = changed(fires);
        assert!(!found(check(&case.view())).is_empty(), "{}", rule.code());
        let run = case.step().run.clone();
        case.steps.iter_mut().for_each(|s| s.run.clone_from(&run));
        case.verdicts = vec![Verdict::Method(fingerprint_of(&run))];
        let answer = check(&case.view());
        assert_eq!(answer, RuleAnswer::NotApplicable, "{}", rule.code());
    }
}

fn fingerprint_of(run: &str) -> plimsoll_evidence::MethodVerdict {
    plimsoll_evidence::MethodVerdict {
        method: "fingerprint".into(),
        run: run.into(),
        class: "dealt".into(),
        decided: true,
        sentence: String::new(),
        figures: vec![],
        tables: vec![],
        charts: vec![],
        findings: vec![],
    }
}
