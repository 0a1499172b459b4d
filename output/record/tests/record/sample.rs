//! A small run with every kind of data, the same each time.

use crate::witnessed::witnessed;
use plimsoll_evidence::*;
use plimsoll_measure::{
    Demand, HEAT_COLUMNS, Histogram, IntervalStats, Op, OpStats, Sample, StreamStats,
};
use plimsoll_record::{DefinitionText, Recorder, RunStatus};
use std::path::Path;

pub const PLAN: &str = r#"{"dialect":"native","title":"sample"}"#;
pub const STEP: &str = r#"{"name":"rd1","streams":[{"workload":"wd1"}]}"#;

/// An environment with most fields set.
pub fn environment() -> Environment {
    Environment {
        tool_version: "0.1.0".into(),
        started: "2026-01-02T03:04:05Z".into(),
        command: vec!["plimsoll".into(), "run".into(), "a file.toml".into()],
        seed: u64::MAX - 1,
        host: HostFacts {
            key: "host-0123456789abcdef".into(),
            hostname: "host".into(),
            kernel: "6.12.0".into(),
            cpus_available: 2,
            cpus_online: 4,
            numa_nodes: 1,
            memory_bytes: 1 << 34,
            ..HostFacts::default()
        },
        more_hosts: vec![HostFacts {
            key: "other-fedcba9876543210".into(),
            hostname: "other".into(),
            cpu_model: Some("Example".into()),
            ..HostFacts::default()
        }],
        backend: "io_uring".into(),
        submit_batch: 4,
        reap_batch: 1,
        clock: "tsc".into(),
        targets: vec![EnvironmentTarget {
            name: "sd1".into(),
            location: "/dev/vdb".into(),
            kind: "block device".into(),
            size_bytes: 1 << 40,
            logical_block_bytes: 512,
            stack: vec![BlockLayer {
                name: "vdb".into(),
                kind: "disk".into(),
                size_bytes: 1 << 40,
                model: Some("Example".into()),
                scheduler: Some("none".into()),
                queue: vec![("nr_requests".into(), "256".into())],
                ..BlockLayer::default()
            }],
            ..EnvironmentTarget::default()
        }],
        ..Environment::default()
    }
}

/// `count` response times that spread around `center_ns`, always the same for the same arguments.
pub fn histogram(seed: u64, count: u64, center_ns: u64) -> Histogram {
    part_of_histogram(seed, count, center_ns, |_| true)
}

/// Histogram of the values whose place is one of `which`.
fn part_of_histogram(
    seed: u64,
    count: u64,
    center_ns: u64,
    which: impl Fn(u64) -> bool,
) -> Histogram {
    let mut h = Histogram::new();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for place in 0..count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        if which(place) {
            h.record(center_ns * 3 / 4 + (state >> 33) % (center_ns / 2).max(1));
        }
    }
    h
}

fn op_stats(seed: u64, ios: u64) -> OpStats {
    OpStats {
        ios,
        bytes: ios * 8192,
        errors: seed % 3,
        response: histogram(seed, ios, 400_000),
        service: histogram(seed + 1, ios, 300_000),
    }
}

/// An interval of two streams, one that reads and one that reads and writes.
pub fn interval(step: u32, number: u32) -> Interval {
    let seed = u64::from(step) * 1000 + u64::from(number);
    let mut streams = vec![StreamStats::default(), StreamStats::default()];
    streams[0].ops[Op::Read as usize] = op_stats(seed, 1200);
    streams[0].heat = (0..HEAT_COLUMNS as u32).map(|c| c % 7).collect();
    streams[1].ops[Op::Read as usize] = op_stats(seed + 2, 300);
    streams[1].ops[Op::Write as usize] = op_stats(seed + 4, 200);
    streams[1].due = 510;
    streams[1].late_for_slot = 9;
    streams[1].late_by_host = 7;
    streams[1].demand = vec![
        Demand {
            due: 51,
            done: 50,
            late_for_slot: 1,
            late_by_host: 2,
            backlog_end: 3,
        };
        10
    ];
    let start_ns = u64::from(number - 1) * 1_000_000_000;
    Interval {
        arrays: vec![ArrayInterval {
            core_max: Some(0.34),
            core_mean: Some(0.12),
            front_end_iops: Some(1700.0),
            back_end_iops: Some(0.1 + 0.2),
            journal_fill: None,
            write_amplification: Some(1.5),
        }],
        witnessed: Some(Box::new(witnessed(seed))),
        cpu: Some(CpuInterval {
            user: 0.25,
            system: 0.125,
            iowait: 0.1,
            steal: 0.0,
            process_ns: 750_000_000,
            io_wq_ns: 1_000,
            workers: vec![0.7, 0.3],
        }),
        ..Interval::new(
            step,
            number,
            start_ns..start_ns + 1_000_000_000,
            match number {
                1 => Phase::WarmUp,
                2 => Phase::Counted,
                _ => Phase::Drain,
            },
            IntervalStats {
                streams,
                depth_integral_ns: 8_000_000_000,
                depth_max: 16,
                backlog_integral_ns: 5,
                backlog_end: 3,
                lateness: histogram(seed + 6, 100, 2_000),
                worker_cpu_ns: 700_000_000,
                samples: (0..10)
                    .map(|i| Sample {
                        ios: 170 + i,
                        bytes: (170 + i) * 8192,
                        timed: 169 + i,
                        response_sum_ns: 1_000_000 * i,
                        service_sum_ns: 900_000 * i,
                    })
                    .collect(),
            },
        )
    }
}

/// Evidence of an array, as it told it.
fn array() -> ArrayEvidence {
    let bucket = |place: &str, chunks| Bucket {
        place: place.into(),
        chunks,
    };
    let core = |utilisation, owner_bound| CoreUse {
        controller: Some(0),
        utilisation,
        owner_bound: Some(owner_bound),
        content_bound: None,
    };
    ArrayEvidence {
        name: "lab:scale-out-flash-8".into(),
        scale: Some(16.0),
        targets: vec!["sd1".into()],
        observed_s: 4.0,
        front_end: Some(FrontEndUse {
            reads: Requests {
                count: 4000,
                bytes: 4000 * 8192,
                mean_ns: Some(400_000.5),
            },
            writes: Requests::default(),
            failed: 1,
        }),
        back_end: Some(BackEndUse {
            reads: 3000,
            writes: 0,
        }),
        read_source: vec![bucket("cache", 5000), bucket("local flash", 3000)],
        write_destination: vec![bucket("zero", 1)],
        cores: vec![core(0.75, 0.5), core(0.25, 0.125)],
        ports: vec![PortUse { utilisation: 0.1 }],
        paths: vec![ArrayPath {
            port: Some(0),
            state: "up".into(),
            requests: 4000,
            failed: 1,
        }],
        media: vec![MediaUse {
            kind: "flash dies".into(),
            count: 8,
            utilisation: 0.2,
            busiest: Some(0.4),
            drives: Some(DriveUse {
                count: 2,
                busiest: 0.3,
            }),
        }],
        journal: Some(JournalUse {
            fill_bytes: 4096,
            capacity_bytes: 1 << 20,
            waited_ns: 7,
        }),
        write_amplification: Some(1.5),
        reduction: Some(Reduction {
            new_bytes: 8192,
            stored_bytes: 4096,
            distinct_bytes: None,
        }),
        filer: None,
        longest_ns: Some(250_000.5),
        enough: Some(plimsoll_evidence::Enough {
            of: 64,
            in_flight: 8,
            rate: 1000.5,
        }),
    }
}

/// Evidence of a step of that name; `scale` stretches its rate and times.
pub fn step(number: u32, name: &str, scale: f64) -> StepEvidence {
    let center = (400_000.0 / scale) as u64;
    let response = histogram(u64::from(number), 5000, center);
    let service = histogram(u64::from(number) + 1, 5000, center * 3 / 4);
    // Two workloads share the step's I/Os: every fifth is the second one's.
    let stream = |workload: &str, second: bool| {
        let mine = |place: u64| place.is_multiple_of(5) == second;
        let seed = u64::from(number);
        let response = part_of_histogram(seed, 5000, center, mine);
        let service = part_of_histogram(seed + 1, 5000, center * 3 / 4, mine);
        let (ios, errors) = (response.count(), u64::from(second));
        StreamSummary {
            syncs: None,
            host: 0,
            counted_s: None,
            workload: workload.into(),
            target: 0,
            offered: second.then_some(500.0),
            ios,
            bytes: ios * 8192,
            errors,
            rate: Estimate {
                mean: ios as f64 / 4.0 * scale,
                half_width: Some(3.0),
                batches: 20,
            },
            response_mean_ns: Estimate::bare(response.mean_ns().unwrap()),
            service_mean_ns: Estimate::bare(service.mean_ns().unwrap()),
            ops: vec![OpSummary {
                op: Op::Read,
                ios,
                bytes: ios * 8192,
                errors,
                response,
                service,
            }],
            saturation: second.then_some(Saturation {
                saturated: true,
                no_slot_share: 0.25,
                shortfall: 0.5,
                backlog_growth: 250.0,
                backlog_end: 1000,
                short_samples: 0.75,
                ..Saturation::default()
            }),
        }
    };
    let estimate = |mean: f64| Estimate {
        mean,
        half_width: Some(mean * 0.01),
        batches: 20,
    };
    StepEvidence {
        run: "rd1".into(),
        loops: vec![("threads".into(), "8".into())],
        offered: Some(2000.0),
        load: "2000/s exponential".into(),
        slots: 16,
        workers: 2,
        warmup_s: 1.0,
        counted_s: 4.0,
        counted_intervals: (2, 5),
        ios: 5000,
        bytes: 5000 * 8192,
        errors: 1,
        rate: estimate(1250.0 * scale),
        response_mean_ns: estimate(response.mean_ns().unwrap()),
        service_mean_ns: estimate(service.mean_ns().unwrap()),
        ops: vec![OpSummary {
            op: Op::Read,
            ios: 5000,
            bytes: 5000 * 8192,
            errors: 1,
            response: response.clone(),
            service: service.clone(),
        }],
        streams: vec![stream("wd1", false), stream("wd2", true)],
        stalls: vec![Stretch {
            start_ns: 5,
            length_ns: 7,
            ios: 9,
        }],
        late_by_host: vec![Stretch {
            start_ns: 100,
            length_ns: 200,
            ios: 3,
        }],
        unfinished: 4,
        actions: vec![ActionEvidence {
            what: "fail disk 3".into(),
            planned_ns: Some(1_000_000_000),
            began_ns: Some(1_000_000_001),
            ended_ns: None,
            failed: Some("exit status: 1".into()),
            output: "no disk 3\n".into(),
        }],
        response,
        service,
        depth_mean: 8.125,
        lateness: histogram(3, 200, 1000),
        saturation: Some(Saturation {
            saturated: false,
            no_slot_share: 0.001,
            shortfall: 0.0,
            backlog_growth: 0.0,
            backlog_end: 1,
            short_samples: 0.25,
            ..Saturation::default()
        }),
        cpu_ns_per_io: Some(2100.5),
        error_samples: vec![ErrorSample {
            target: "sd1".into(),
            op: Op::Read,
            offset: 1 << 39,
            length: 8192,
            at_ns: 77,
            what: "EIO (Input/output error)".into(),
        }],
        arrays: vec![array()],
        witnessed: Some(witnessed(number.into())),
        paths: vec![TargetPaths {
            target: "sd1".into(),
            paths: vec![PathUse {
                uri: "nbd://array:10809/lun0".into(),
                state: PathState::Up,
                ios: 2500,
                errors: 1,
                reissued: 3,
                read_bytes: 8192,
                hole_bytes: 4096,
                service_mean_ns: Some(125.5),
            }],
            events: vec![PathEvent {
                at_ns: 5,
                path: 0,
                state: PathState::Down,
                why: "the server hung up".into(),
            }],
            unconfirmed_writes: 1,
        }],
        notes: vec!["a note".into()],
        findings: vec![stalled(number)],
        ..StepEvidence::new(number, name)
    }
}

/// A curve's verdict of one point.
pub fn verdict() -> Verdict {
    Verdict::Curve(CurveVerdict {
        run: "rd1".into(),
        decided: true,
        maximum: Estimate::bare(2500.0),
        limit: None,
        points: vec![],
        knee: None,
        capacities: vec![Capacity {
            statistic: SloStatistic::Quantile(0.99),
            limit_ns: 2_000_000,
            rate: Some(Estimate::bare(2000.0)),
            response_mean_ns: Some(0.1 + 0.2),
            at_least: true,
        }],
        findings: vec![doubt()],
    })
}

/// Finding of the judge in a step.
pub fn stalled(step: u32) -> Finding {
    Finding::of_step(
        step,
        "target-stalled",
        Severity::Note,
        [
            ("times", Quantity::Count(1)),
            ("at", Quantity::Seconds(0.1 + 0.2)),
            ("longest", Quantity::Seconds(1.5)),
            ("ios", Quantity::Count(77)),
        ],
    )
}

/// Finding of a method on its own answer.
pub fn doubt() -> Finding {
    Finding::of_method(
        "curve-depth-given",
        Severity::Note,
        [("slots", Quantity::Count(32))],
    )
}

/// A method's verdict, with something of everything.
pub fn answer() -> Verdict {
    let axis = |label: &str, unit| ChartAxis::of(label, unit);
    let point = |x: f64, y: f64| ChartPoint {
        x,
        y,
        interval: Some((y - 0.5, y + 0.5)),
        z: Some(x * y),
    };
    let title = |name: &str, label: &str| TableColumn {
        name: name.into(),
        label: label.into(),
    };
    Verdict::Method(MethodVerdict {
        method: "soak".into(),
        run: "night".into(),
        class: "cliff".into(),
        decided: true,
        sentence: "It fell to 1,234/s.".into(),
        figures: vec![
            Figure::new(
                "sustained_rate",
                "sustained rate",
                Quantity::PerSecond(1234.5),
            )
            .within(1200.25, 1260.0),
            Figure::new("fsync", "fsync", Quantity::Text("honoured, \"all\"".into())),
            Figure::unknown("age", "age", "=no write was made"),
        ],
        tables: vec![MethodTable {
            title: "phases".into(),
            columns: vec![title("phase", "phase"), title("rate", "rate")],
            rows: vec![
                vec![
                    TableCell::of(Quantity::Text("fresh".into())),
                    TableCell::of(Quantity::PerSecond(5000.0)).within(4900.0, 5100.0),
                ],
                vec![
                    TableCell::of(Quantity::Text("after".into())),
                    TableCell::default(),
                ],
            ],
        }],
        charts: vec![MethodChart {
            title: "rate over time".into(),
            kind: ChartKind::Lines,
            x: axis("time", AxisUnit::Seconds),
            y: axis("rate", AxisUnit::PerSecond),
            z: Some(axis("depth", AxisUnit::Number)),
            series: vec![ChartSeries {
                name: "writes".into(),
                points: vec![point(0.1, 5000.0), point(0.2, 1234.5)],
            }],
            marks: Vec::new(),
        }],
        findings: vec![Finding::of_method(
            "curve-depth-given",
            Severity::Suspect,
            [("slots", Quantity::Count(64))],
        )],
    })
}

/// All that [`write`] leaves in the table of findings.
pub fn rows_of_findings() -> Vec<Finding> {
    let all = [stalled(1), stalled(2), doubt()].into_iter();
    all.chain(answer().findings().to_vec())
        .chain([finding()])
        .collect()
}

/// A finding of one step that is in no evidence.
pub fn finding() -> Finding {
    Finding {
        rule: "PL012".into(),
        severity: Severity::Suspect,
        step: Some(1),
        values: vec![Value {
            threshold: Some(Quantity::Share(0.01)),
            ..Value::new("zeros", Quantity::Share(0.6))
        }],
        message: "seen, \"why\"".into(),
        remedy: "what to do".into(),
    }
}

pub fn definition_text() -> DefinitionText {
    DefinitionText::new("job.parm", "rd=rd1\n")
}

/// The same of one host; each has other numbers.
pub fn of_host(step: u32, host: u32, number: u32) -> Interval {
    let mut interval = Interval {
        host,
        ..interval(step, number)
    };
    interval.stats.worker_cpu_ns += u64::from(host);
    interval.stats.streams[0].due += u64::from(host);
    if let Some(sample) = interval.stats.samples.first_mut() {
        sample.bytes += u64::from(host);
    }
    interval
}

/// Writes a whole run: two finished steps of three intervals, two verdicts and a finding.
pub fn write(path: &Path) {
    let mut recorder = Recorder::create(path, &environment(), PLAN).unwrap();
    recorder.keep_definition(&[definition_text()]).unwrap();
    for number in 1..=2 {
        let name = format!("rd1_({number}0%)");
        recorder.begin_step(number, &name, "rd1", STEP).unwrap();
        for i in 1..=3 {
            recorder.append_interval(&interval(number, i)).unwrap();
            for host in 1..=2 {
                recorder.append_interval(&of_host(number, host, i)).unwrap();
            }
        }
        recorder.finish_step(&step(number, &name, 1.0)).unwrap();
        recorder.between_steps().unwrap();
    }
    recorder.add_verdict(&verdict()).unwrap();
    recorder.add_verdict(&answer()).unwrap();
    recorder.add_finding(&finding()).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
}
