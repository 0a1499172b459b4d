//! The cases of the rules: a plan and a run without fault, and what each rule's own case changes in them.

mod coverage;
mod every_rule;
mod hosts;
mod pairs;
mod witnessed;

pub(crate) use hosts::{host, host_with, sound_multipath};
pub(crate) use witnessed::on_two_disks;

use crate::{Check, Maker, PlanView, RULES, RuleAnswer, RunView, StepCourse, judge, lint, rules};
use plimsoll_evidence::{
    Environment, EnvironmentTarget, Estimate, Finding, HostFacts, HostState, Limit, LimitCause,
    StepEvidence, Verdict,
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
            pattern: Pattern::RANDOM,
            hits: None,
        },
        files: Default::default(),
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
        depths: vec![Depth::new(TargetId(0), 32)],
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
            size: Some(Bytes(1 << 40)),
            ..Target::new("disk", Location::Path("disk.dat".into()))
        }],
        hosts: Default::default(),
        items: vec![Item::Step(step)],
        max_errors: 50,
        seed: None,
        start_commands: vec![],
        end_commands: vec![],
    }
}

/// Step of the plan.
pub(crate) fn step_of(plan: &mut Plan) -> &mut Step {
    match &mut plan.items[0] {
        Item::Step(step) => step,
        Item::Curve(curve) => &mut curve.base,
        Item::Method(method) => &mut method.steps[0],
    }
}

/// Sends a share of a plan's reads to an area, in percent and bytes.
pub(crate) fn hits(plan: &mut Plan, percent: f64, area: u64, placement: HitPlacement) {
    stream_of(plan).address.hits = Some(HitSpec::reads(percent, Bytes(area), placement));
}

/// Workload of the plan.
pub(crate) fn stream_of(plan: &mut Plan) -> &mut Stream {
    &mut step_of(plan).streams[0]
}

/// Workload of the plan, made to write only, in an area small enough to be written often in its time.
pub(crate) fn writing(plan: &mut Plan) -> &mut Stream {
    let stream = stream_of(plan);
    stream.mix = Mix::WRITES;
    stream
}

/// Makes the plan's step a curve.
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

/// Limit by this cause, with no more said of it.
pub(crate) fn limited_by(cause: LimitCause) -> Limit {
    Limit {
        cause,
        sentence: String::new(),
        for_it: Vec::new(),
        runner_up: None,
        against: None,
        explains: 0.0,
        not_observable: Vec::new(),
    }
}

/// Answer of a method of a run, with nothing in it.
pub(crate) fn verdict_of(method: &str, run: &str) -> Verdict {
    Verdict::Method(plimsoll_evidence::MethodVerdict {
        method: method.into(),
        run: run.into(),
        class: "dealt".into(),
        decided: true,
        sentence: String::new(),
        figures: vec![],
        tables: vec![],
        charts: vec![],
        findings: vec![],
    })
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
    let estimate = |mean: f64| Estimate::new(mean, Some(mean * 0.005), 100);
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
        Check::Made(_) | Check::Host(_) => Ok(vec![]),
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
    answer.unwrap_or_default()
}

/// Whether a check found something.
pub(crate) fn fires(answer: RuleAnswer) -> bool {
    !found(answer).is_empty()
}
