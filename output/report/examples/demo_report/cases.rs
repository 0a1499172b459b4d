//! The cases that the page must show well.

use crate::answers;
use crate::arrays::{on_an_array, on_two_arrays, over_two_paths};
use crate::fleet;
use crate::parts;
use crate::synthetic::{Ask, measure};
use plimsoll_draw::Draw;
use plimsoll_evidence::{
    BlockLayer, Capacity, CurvePoint, CurveVerdict, Environment, EnvironmentTarget, ErrorSample,
    Estimate, Finding, HostFacts, Interval, Severity, SloStatistic, StepEvidence, Verdict,
};
use plimsoll_measure::Op;

/// Evidence of one made-up run.
pub struct Case {
    pub environment: Environment,
    pub steps: Vec<StepEvidence>,
    pub intervals: Vec<Vec<Interval>>,
    /// By step; empty where one host did all.
    pub of_hosts: Vec<Vec<Interval>>,
    pub verdicts: Vec<Verdict>,
    pub findings: Vec<Finding>,
    pub incomplete: Option<&'static str>,
}

impl Case {
    /// Steps with their intervals, and nothing else.
    pub fn of(
        environment: Environment,
        (steps, intervals): (Vec<StepEvidence>, Vec<Vec<Interval>>),
    ) -> Case {
        Case {
            environment,
            steps,
            intervals,
            of_hosts: Vec::new(),
            verdicts: Vec::new(),
            findings: Vec::new(),
            incomplete: None,
        }
    }

    /// Names that `named` knows.
    pub const NAMES: [&str; 12] = [
        "curve", "single", "many", "empty", "long", "array", "arrays", "paths", "parts", "fleet",
        "method", "hostile",
    ];

    /// The case of a name.
    pub fn named(name: &str) -> Option<Case> {
        match name {
            "curve" => Some(curve("rd1", 24_000.0, environment())),
            "single" => Some(single()),
            "many" => Some(many()),
            "empty" => Some(empty()),
            "long" => Some(long()),
            "array" => Some(simulated(on_an_array())),
            "arrays" => Some(simulated(on_two_arrays())),
            "paths" => Some(paths()),
            "parts" => Some(of_parts()),
            "fleet" => Some(fleet::case(environment())),
            "method" => Some(method()),
            "hostile" => Some(hostile()),
            _ => None,
        }
    }
}

/// Vdbench's curve: the maximum, then percentages of it; the last one is past what the storage carries.
fn curve(run: &str, maximum: f64, environment: Environment) -> Case {
    let mut random = Draw(7);
    let base = Ask {
        run: run.to_owned(),
        warmup: 4,
        intervals: 20,
        streams: environment.targets.len().max(1),
        write_share: 0.3,
        hot_share: 0.08,
        ..Ask::new(1, format!("{run}_(max)"), maximum)
    };
    let mut asks = vec![base.clone()];
    for (i, percent) in [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
        .into_iter()
        .enumerate()
    {
        asks.push(Ask {
            number: i as u32 + 2,
            name: format!("{run}_({percent}%)"),
            offered: Some(
                maximum * f64::from(percent) / 100.0 * if percent == 100 { 1.03 } else { 1.0 },
            ),
            ..base.clone()
        });
    }
    let (steps, intervals): (Vec<_>, Vec<_>) =
        asks.iter().map(|ask| measure(ask, &mut random)).unzip();
    let points: Vec<CurvePoint> = steps
        .iter()
        .enumerate()
        .map(|(i, s)| point(s, i as u32 * 10))
        .collect();
    let verdict = CurveVerdict {
        run: run.to_owned(),
        decided: true,
        maximum: points[0].achieved,
        limit: None,
        knee: Some(Estimate {
            mean: maximum * 0.72,
            half_width: Some(maximum * 0.05),
            batches: 9,
        }),
        capacities: capacities(&points),
        points: points[1..].iter().chain(&points[..1]).cloned().collect(),
        findings: Vec::new(),
    };
    Case {
        verdicts: vec![Verdict::Curve(verdict)],
        findings: vec![Finding {
            rule: "PL031".to_owned(),
            severity: Severity::Suspect,
            step: None,
            values: Vec::new(),
            message: "The CPU frequency governor is powersave: latencies hold the CPU's ramp-up."
                .to_owned(),
            remedy: "Set it to performance.".to_owned(),
        }],
        ..Case::of(environment, (steps, intervals))
    }
}

/// The rate at which p99 reaches each limit, by a straight line between points.
fn capacities(points: &[CurvePoint]) -> Vec<Capacity> {
    let sound: Vec<(f64, f64, f64)> = points
        .iter()
        .filter(|p| p.percent.is_some() && !p.saturated)
        .filter_map(|p| {
            Some((
                p.achieved.mean,
                p.response_p99_ns? as f64,
                p.response_mean_ns.mean,
            ))
        })
        .collect();
    [150, 300, 500, 1_000, 2_000, 10_000]
        .map(|limit_us| capacity(&sound, limit_us * 1000))
        .to_vec()
}

fn capacity(points: &[(f64, f64, f64)], limit_ns: u64) -> Capacity {
    let limit = limit_ns as f64;
    let at_least = points.iter().all(|p| p.1 <= limit);
    let crossing = points
        .windows(2)
        .find(|w| w[0].1 <= limit && w[1].1 > limit)
        .map(|w| {
            let part = (limit - w[0].1) / (w[1].1 - w[0].1);
            (
                w[0].0 + part * (w[1].0 - w[0].0),
                w[0].2 + part * (w[1].2 - w[0].2),
            )
        })
        .or_else(|| points.last().filter(|_| at_least).map(|p| (p.0, p.2)));
    Capacity {
        statistic: SloStatistic::Quantile(0.99),
        limit_ns,
        rate: crossing.map(|(rate, _)| Estimate {
            mean: rate,
            half_width: (!at_least).then_some(rate * 0.012),
            batches: 20,
        }),
        response_mean_ns: crossing.map(|(_, mean)| mean),
        at_least,
    }
}

fn point(step: &StepEvidence, percent: u32) -> CurvePoint {
    let saturated = step.saturation.is_some_and(|s| s.saturated);
    CurvePoint::of(step, step.offered.map(|_| percent), saturated)
}

/// One closed-loop step with errors, interrupted, simulated.
fn single() -> Case {
    let ask = Ask {
        intervals: 8,
        write_share: 0.5,
        hot_share: 0.75,
        ..Ask::new(1, "mixed", 9_000.0)
    };
    let (mut step, intervals) = measure(&ask, &mut Draw(3));
    step.errors = 2;
    step.error_samples = vec![
        error(8192, "EIO (Input/output error)"),
        error(1 << 33, "short read: 512 of 8192 bytes"),
    ];
    step.notes = vec!["Too short for a confidence interval: 8 intervals.".to_owned()];
    let mut environment = environment();
    environment.simulated = true;
    Case {
        incomplete: Some("The run was interrupted: what was measured until then is here."),
        ..Case::of(environment, (vec![step], vec![intervals]))
    }
}

/// The answers of two methods, and a step in which something was done.
fn method() -> Case {
    let ask = Ask {
        warmup: 3,
        intervals: 40,
        write_share: 1.0,
        ..Ask::new(1, "night", 12_000.0)
    };
    let (mut step, intervals) = measure(&ask, &mut Draw(5));
    step.actions = answers::actions();
    Case {
        verdicts: vec![
            Verdict::Method(answers::answer()),
            Verdict::Method(answers::odd()),
        ],
        ..Case::of(environment(), (vec![step], vec![intervals]))
    }
}

/// Three workloads on two targets.
fn of_parts() -> Case {
    let (steps, intervals) = parts::steps();
    let mut environment = environment();
    environment.targets.truncate(1);
    let mut second = environment.targets[0].clone();
    (second.name, second.location) = ("sd2".to_owned(), "/dev/sdy".to_owned());
    environment.targets.push(second);
    Case::of(environment, (steps, intervals))
}

/// A name that a page must show, and never be.
const MARKUP: &str =
    "</script><script>ran = 1</script><img src=x onerror=\"ran = 1\"><b style='color: red'>rd1</b>";

/// Everything that a definition, a device or a server names is markup.
fn hostile() -> Case {
    let markup = || MARKUP.to_owned();
    let mut case = curve(MARKUP, 24_000.0, environment());
    for step in &mut case.steps {
        step.errors = 1;
        step.error_samples = vec![error(8192, MARKUP)];
        step.error_samples[0].target = markup();
        step.notes = vec![markup()];
        fleet::name_hosts(step, MARKUP);
    }
    let environment = &mut case.environment;
    environment.command.push(markup());
    environment.notes.push(markup());
    environment.backend_reason = markup();
    environment.host.hostname = markup();
    environment.host.cpu_model = Some(markup());
    environment.more_hosts = vec![environment.host.clone()];
    for target in &mut environment.targets {
        target.name = markup();
        target.location = markup();
        target.filesystem = Some(markup());
        for layer in &mut target.stack {
            layer.model = Some(markup());
            layer.serial = Some(markup());
            layer.by_id = vec![markup()];
        }
    }
    case.verdicts
        .push(Verdict::Method(answers::hostile(MARKUP)));
    for step in &mut case.steps {
        step.actions = answers::hostile_actions(MARKUP);
    }
    case.findings[0].message = markup();
    case.incomplete = Some(MARKUP);
    case
}

fn error(offset: u64, what: &str) -> ErrorSample {
    ErrorSample {
        target: "sd1".to_owned(),
        op: Op::Read,
        offset,
        length: 8192,
        at_ns: 1_500_000_000,
        what: what.to_owned(),
    }
}

/// 200 short steps of a sweep.
fn many() -> Case {
    let mut random = Draw(11);
    let (steps, intervals) = (1..=200)
        .map(|number| {
            let threads = 1 << (number % 8);
            let ask = Ask {
                run: "sweep".to_owned(),
                offered: (number % 3 == 0).then_some(300.0 + f64::from(number)),
                warmup: 1,
                intervals: 10,
                ..Ask::new(
                    number,
                    format!("sweep_threads={threads}_pass={}", number / 8),
                    200.0 + 5.0 * f64::from(number),
                )
            };
            let (mut step, intervals) = measure(&ask, &mut random);
            step.loops = vec![("threads".to_owned(), threads.to_string())];
            (step, intervals)
        })
        .unzip();
    Case::of(environment(), (steps, intervals))
}

/// A target that never answered.
fn empty() -> Case {
    let ask = Ask {
        intervals: 5,
        ..Ask::new(1, "dead", 0.0)
    };
    let (step, intervals) = measure(&ask, &mut Draw(1));
    Case::of(environment(), (vec![step], vec![intervals]))
}

/// Long names everywhere, several targets, many notes, and text that looks like HTML.
fn long() -> Case {
    let mut environment = environment();
    let long = "a-very-long-name-that-somebody-chose-for-a-volume-group-in-a-hurry";
    environment.targets = (1..=3)
        .map(|n| EnvironmentTarget {
            files: Vec::new(),
            name: format!("sd{n}-{long}"),
            location: format!("/dev/mapper/{long}-{n}"),
            ..environment.targets[0].clone()
        })
        .collect();
    environment
        .command
        .push("</script><script>alert(1)</script>".to_owned());
    environment.notes = vec![format!(
        "The record lies on {long}, which is tested: <b>its own I/O</b> is subtracted."
    )];
    // More than the page shows unfolded.
    environment.notes.extend((1..=9).map(|n| {
        format!("sd{n}-{long} is one of the volumes of a group, whose disks others use too.")
    }));
    curve(&format!("run-{long}"), 6_000.0, environment)
}

/// A run on simulated arrays, which tell of themselves.
fn simulated((steps, intervals): (Vec<StepEvidence>, Vec<Vec<Interval>>)) -> Case {
    let mut environment = environment();
    environment.simulated = true;
    environment.host = HostFacts::default();
    environment.targets = vec![EnvironmentTarget {
        name: "sd1".to_owned(),
        location: "lab:scale-out-flash-8".to_owned(),
        kind: "simulated LUN".to_owned(),
        size_bytes: 1 << 30,
        logical_block_bytes: 512,
        ..EnvironmentTarget::default()
    }];
    Case::of(environment, (steps, intervals))
}

/// A target that is reached by several paths.
fn paths() -> Case {
    let (steps, intervals) = over_two_paths();
    let mut environment = environment();
    environment.targets[0].kind = "NBD export".to_owned();
    environment.targets[0].stack.clear();
    Case::of(environment, (steps, intervals))
}

fn environment() -> Environment {
    Environment {
        tool_version: "0.1.0".to_owned(),
        started: "2026-03-14T09:26:53Z".to_owned(),
        command: [
            "plimsoll",
            "curve",
            "/dev/nvme0n1",
            "--read",
            "70",
            "--block",
            "8k",
            "--slo",
            "p99=1ms",
        ]
        .map(str::to_owned)
        .to_vec(),
        seed: 0x5eed_cafe_f00d_1234,
        host: HostFacts {
            key: String::new(),
            hostname: "bench-07".to_owned(),
            kernel: "6.12.9-amd64".to_owned(),
            distribution: Some("Debian GNU/Linux 13 (trixie)".to_owned()),
            cpu_model: Some("AMD EPYC 9354P 32-Core Processor".to_owned()),
            cpus_available: 64,
            cpus_online: 64,
            numa_nodes: 1,
            memory_bytes: 256 << 30,
            virtualization: None,
            clocksource: Some("tsc".to_owned()),
            governor: Some("powersave".to_owned()),
            drivers: Vec::new(),
        },
        backend: "io_uring".to_owned(),
        submit_batch: 4,
        reap_batch: 1,
        clock: "tsc".to_owned(),
        targets: vec![target()],
        notes: vec!["The device's write cache is on.".to_owned()],
        ..Environment::default()
    }
}

fn target() -> EnvironmentTarget {
    EnvironmentTarget {
        name: "sd1".to_owned(),
        location: "/dev/nvme0n1".to_owned(),
        kind: "block device".to_owned(),
        size_bytes: 960_197_124_096,
        logical_block_bytes: 512,
        stack: vec![BlockLayer {
            name: "nvme0n1".to_owned(),
            kind: "disk".to_owned(),
            slaves: Vec::new(),
            size_bytes: 960_197_124_096,
            model: Some("Example Datacenter NVMe 960".to_owned()),
            wwn: Some("eui.0025385b71b0a1c2".to_owned()),
            serial: Some("S64DNE0R700123".to_owned()),
            firmware: Some("EDA5402Q".to_owned()),
            by_id: vec!["nvme-Example_Datacenter_NVMe_960_S64DNE0R700123".to_owned()],
            scheduler: Some("none".to_owned()),
            queue: [
                ("nr_requests", "1023"),
                ("max_sectors_kb", "128"),
                ("write_cache", "write back"),
            ]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .to_vec(),
        }],
        ..EnvironmentTarget::default()
    }
}
