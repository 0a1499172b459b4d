//! A record that grows, and what is known of it at each look.

use plimsoll_evidence::{
    CpuInterval, Environment, EnvironmentTarget, Finding, HostFacts, Interval, Phase, Severity,
    StepEvidence,
};
use plimsoll_live::{Source, State, newest_running};
use plimsoll_measure::{Histogram, IntervalStats, Op, OpStats, StreamStats};
use plimsoll_permit::output::Rules;
use plimsoll_plan::{
    AddressSpec, Arrival, Bytes, CurveSpec, Depth, Item, Load, Location, Mix, Nanos, Pattern, Plan,
    SizeSpec, Slo, Step, Stream, Target, TargetId,
};
use plimsoll_record::{RESUMED, Record, RecordPermit, Recorder, RunStatus};
use std::path::Path;

const SECOND: u64 = 1_000_000_000;

fn targets() -> Vec<Target> {
    ["left", "right"]
        .into_iter()
        .map(|name| Target::new(name, Location::Null(Bytes(1 << 30))))
        .collect()
}

/// Two workloads on the first target, one on the second; 2 s of warm-up, 8 s counted.
fn base() -> Step {
    let stream = |workload: &str, target| {
        Stream::new(
            workload,
            TargetId(target),
            Mix::of_reads(100.0),
            SizeSpec::Fixed(Bytes(4096)),
            AddressSpec::whole(Pattern::Sequential {
                once: false,
                random_start: false,
                whole: false,
            }),
        )
    };
    let streams = vec![stream("log", 0), stream("data", 0), stream("data", 1)];
    Step {
        warmup: Nanos(2 * SECOND),
        ..Step::new(
            "c",
            streams,
            Depth::each([TargetId(0), TargetId(1)], 4),
            Load::Max,
            Nanos(8 * SECOND),
        )
    }
}

/// A curve of a maximum and two points, with a limit: 30 s of load in 3 steps.
fn curve() -> Plan {
    let slo: Slo = "p99=2ms".parse().expect("a limit");
    Plan {
        title: Some("nightly".into()),
        ..Plan::new(
            targets(),
            vec![Item::Curve(CurveSpec {
                base: base(),
                percents: vec![50, 100],
                arrival: Arrival::Exponential,
                stop_service: None,
                slos: vec![slo],
                search: None,
            })],
        )
    }
}

fn environment(hosts: u32) -> Environment {
    let host = |n: u32| HostFacts {
        hostname: format!("host{n}"),
        ..HostFacts::default()
    };
    Environment {
        started: "2026-01-02T03:04:05Z".into(),
        host: host(1),
        more_hosts: (2..=hosts).map(host).collect(),
        targets: vec![EnvironmentTarget {
            name: "left".into(),
            location: "/dev/sdx".into(),
            ..EnvironmentTarget::default()
        }],
        simulated: true,
        ..Environment::default()
    }
}

fn begin(path: &Path, plan: &Plan, hosts: u32) -> Recorder {
    let json = serde_json::to_string(plan).expect("JSON");
    Recorder::create(path, &environment(hosts), &json).expect("a record")
}

fn begin_step(recorder: &mut Recorder, number: u32, step: &Step) {
    let json = serde_json::to_string(step).expect("JSON");
    recorder
        .begin_step(number, &step.name, &step.run, &json)
        .expect("begins");
}

fn ops(ios: u64, ns: u64) -> OpStats {
    let mut response = Histogram::new();
    (0..ios).for_each(|_| response.record(ns));
    OpStats {
        ios,
        bytes: ios * 4096,
        errors: 0,
        service: response.clone(),
        response,
    }
}

/// A second in which the first stream reads 1000 and writes 500, the second does nothing, and the third reads 2000.
fn second(step: u32, number: u32, ns: u64) -> Interval {
    let mut streams = vec![
        StreamStats::default(),
        StreamStats::default(),
        StreamStats::default(),
    ];
    streams[0].ops[Op::Read as usize] = ops(1000, ns);
    streams[0].ops[Op::Write as usize] = ops(500, 4 * ns);
    streams[0].syncs = Some(Box::new(ops(50, 100 * ns)));
    streams[2].ops[Op::Read as usize] = ops(2000, ns);
    let mut stats = IntervalStats::new(8);
    stats.streams = streams;
    stats.depth_integral_ns = 6 * SECOND;
    let start = u64::from(number - 1) * SECOND;
    let phase = if number <= 2 {
        Phase::WarmUp
    } else {
        Phase::Counted
    };
    Interval {
        cpu: Some(CpuInterval {
            user: 0.25,
            system: 0.5,
            process_ns: SECOND / 2,
            ..CpuInterval::default()
        }),
        ..Interval::new(step, number, start..start + SECOND, phase, stats)
    }
}

fn evidence(number: u32, step: &Step) -> StepEvidence {
    StepEvidence {
        run: step.run.clone(),
        load: "maximum".into(),
        response: ops(3500, 100_000).response,
        ..StepEvidence::new(number, &step.name)
    }
}

#[test]
fn each_look_reads_what_is_new_and_nothing_twice() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 1);
    let mut source = Source::open(&path).expect("opens");
    assert_eq!(source.live().state, State::Running);
    assert_eq!(
        (
            source.live().method.as_str(),
            source.live().title.as_deref()
        ),
        ("curve", Some("nightly"))
    );
    assert!(!source.look().expect("a look"), "nothing has happened");

    begin_step(&mut recorder, 1, &base());
    recorder
        .append_interval(&second(1, 1, 100_000))
        .expect("appends");
    assert!(source.look().expect("a look"));
    let live = source.live();
    assert_eq!(
        (live.history.points.len(), live.progress.steps),
        (1, Some(3))
    );
    let current = live.current.as_ref().expect("a step");
    assert_eq!(
        (current.number, current.into_s, current.length_s),
        (1, 1.0, 10.0)
    );
    assert_eq!(current.phase, Some(Phase::WarmUp));
    assert_eq!(current.limits.len(), 1);
    assert_eq!(
        (current.limits[0].statistic.as_str(), current.limits[0].us),
        ("p99", 2000.0)
    );
    // 1 s of 30.
    assert_eq!(
        (live.progress.done, live.progress.left_s),
        (Some(1.0 / 30.0), Some(29.0))
    );

    for number in 2..=10 {
        recorder
            .append_interval(&second(1, number, 100_000))
            .expect("appends");
    }
    assert!(source.look().expect("a look"));
    assert!(!source.look().expect("a look"), "all of it is known");
    let live = source.live();
    assert_eq!(live.history.points.len(), 10);
    let now = live.now.as_ref().expect("an interval");
    assert_eq!(
        (now.rate, now.depth, now.cpu_busy, now.own_cpus),
        (3500.0, Some(6.0), Some(0.75), Some(0.5))
    );
    assert!(live.steps.is_empty());

    recorder
        .finish_step(&evidence(1, &base()))
        .expect("finishes");
    assert!(source.look().expect("a look"));
    assert_eq!(source.live().steps.len(), 1);
    assert_eq!(source.live().progress.done, Some(10.0 / 30.0));
    // Virtual time goes on where it stood: the next step's first second is the eleventh.
    begin_step(&mut recorder, 2, &base());
    recorder
        .append_interval(&second(2, 1, 100_000))
        .expect("appends");
    source.look().expect("a look");
    let live = source.live();
    assert_eq!(
        live.history.points.last().map(|p| (p.start_s, p.end_s)),
        Some((10.0, 11.0))
    );
    assert_eq!(live.progress.left_s, Some(19.0));
    recorder.finish(RunStatus::Interrupted).expect("finishes");
    assert!(source.look().expect("a look"));
    assert_eq!(source.live().state, State::Interrupted);
    assert!(source.live().answer.is_some());
    // What it was when it ended: 11 of 30 s.
    assert_eq!(source.live().progress.done, Some(11.0 / 30.0));
}

#[test]
fn a_step_that_is_measured_again_takes_the_place_of_the_one_that_was_cut_off() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 1);
    begin_step(&mut recorder, 1, &base());
    for number in 1..=5 {
        recorder
            .append_interval(&second(1, number, 100_000))
            .expect("appends");
    }
    let mut source = Source::open(&path).expect("opens");
    recorder.finish(RunStatus::Interrupted).expect("finishes");
    source.look().expect("a look");
    assert_eq!(
        (source.live().history.points.len(), &source.live().state),
        (5, &State::Interrupted)
    );
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    let permit = RecordPermit::ask(&path, &rules).expect("a permit");
    let record = Record::open(&path).expect("opens");
    let mut recorder = Recorder::resume(permit, record, 0, &environment(1)).expect("goes on");
    begin_step(&mut recorder, 1, &base());
    recorder
        .append_interval(&second(1, 1, 100_000))
        .expect("appends");
    source.look().expect("a look");
    assert_eq!(
        (source.live().history.points.len(), &source.live().state),
        (1, &State::Running)
    );
    assert_eq!(source.live().answer, None);
}

#[test]
fn the_time_until_a_run_was_resumed_is_none_of_its_own() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut real = Environment {
        simulated: false,
        ..environment(1)
    };
    let json = serde_json::to_string(&curve()).expect("JSON");
    let recorder = Recorder::create(&path, &real, &json).expect("a record");
    recorder.finish(RunStatus::Interrupted).expect("finishes");
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    let permit = RecordPermit::ask(&path, &rules).expect("a permit");
    let record = Record::open(&path).expect("opens");
    real.notes
        .push(format!("{RESUMED} 0 at 2026-01-02T04:04:05Z"));
    let mut recorder = Recorder::resume(permit, record, 0, &real).expect("goes on");
    begin_step(&mut recorder, 1, &base());
    recorder
        .append_interval(&second(1, 1, 100_000))
        .expect("appends");
    // As if an hour had gone by.
    let database = rusqlite::Connection::open(&path).expect("opens");
    let later = "UPDATE steps SET begun_unix_ns = begun_unix_ns + 3600000000000";
    database.execute(later, []).expect("changed");
    let source = Source::open(&path).expect("opens");
    let elapsed = source.live().progress.elapsed_s;
    assert!((elapsed - 1.0).abs() < 1e-6, "{elapsed}");
    assert_eq!(source.live().history.ios, 3500);
}

#[test]
fn parts_add_up_to_the_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 1);
    begin_step(&mut recorder, 1, &base());
    for number in 1..=3 {
        recorder
            .append_interval(&second(1, number, 100_000))
            .expect("appends");
    }
    let source = Source::open(&path).expect("opens");
    let live = source.live();
    let rates = |parts: &[plimsoll_live::Part]| -> Vec<(String, Option<f64>)> {
        parts.iter().map(|p| (p.name.clone(), p.rate)).collect()
    };
    // A sync is no I/O, as in the rate of the whole.
    assert_eq!(
        rates(&live.streams),
        [
            ("log on left".into(), Some(1500.0)),
            ("data on left".into(), Some(0.0)),
            ("data on right".into(), Some(2000.0))
        ]
    );
    assert_eq!(
        rates(&live.targets),
        [
            ("left".into(), Some(1500.0)),
            ("right".into(), Some(2000.0))
        ]
    );
    assert_eq!(live.targets[0].recent, [Some(1500.0); 3]);
    // 1000 of 0.1 ms and 500 of 0.4 ms.
    let mean = live.targets[0].mean_us.expect("a mean");
    assert!((mean - 200.0).abs() < 2.0, "{mean}");
    assert_eq!(
        live.streams[1].mean_us, None,
        "it did nothing, so it has no time"
    );
    assert!(live.parts_of_hosts.is_empty());
}

#[test]
fn a_host_that_tells_nothing_is_shown_as_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 2);
    begin_step(&mut recorder, 1, &base());
    for number in 1..=2 {
        for host in 0..=2 {
            // The second host falls silent.
            if (number, host) != (2, 2) {
                let interval = Interval {
                    host,
                    ..second(1, number, 100_000)
                };
                recorder.append_interval(&interval).expect("appends");
            }
        }
    }
    let source = Source::open(&path).expect("opens");
    let hosts = &source.live().parts_of_hosts;
    assert_eq!(hosts[0].recent, [Some(3500.0), Some(3500.0)]);
    assert_eq!(
        (hosts[1].name.as_str(), &hosts[1].recent),
        ("host2", &vec![Some(3500.0), None])
    );
    assert_eq!(hosts[1].rate, None);
}

#[test]
fn findings_of_one_rule_are_one_and_come_as_they_are_found() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 1);
    let mut source = Source::open(&path).expect("opens");
    begin_step(&mut recorder, 1, &base());
    let finding = |severity, step| Finding {
        step: Some(step),
        message: format!("seen in {step}"),
        ..Finding::of_method("host-stood-still", severity, [])
    };
    let mut done = evidence(1, &base());
    done.findings = vec![
        finding(Severity::Note, 1),
        finding(Severity::Suspect, 2),
        finding(Severity::Note, 3),
    ];
    recorder.finish_step(&done).expect("finishes");
    source.look().expect("a look");
    let doubts = &source.live().doubts;
    assert_eq!(doubts.len(), 1);
    assert_eq!(
        (
            doubts[0].count,
            doubts[0].severity,
            doubts[0].message.as_str()
        ),
        (3, Severity::Suspect, "seen in 2")
    );
}

#[test]
fn a_run_that_was_killed_says_so_and_is_not_taken_for_one_that_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = begin(&path, &curve(), 1);
    begin_step(&mut recorder, 1, &base());
    recorder
        .append_interval(&second(1, 1, 100_000))
        .expect("appends");
    // First of all: to close a file drops the locks that this process has on it.
    assert_eq!(newest_running(dir.path()).expect("a folder"), Some(path));
    // What a killed run leaves: the file and its log, which nobody has open.
    let left = dir.path().join("left");
    std::fs::create_dir(&left).expect("a folder");
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("run.plim{suffix}");
        std::fs::copy(dir.path().join(&name), left.join(&name)).expect("copies");
    }
    // Somebody who reads it locks other bytes than who writes it.
    let index = std::fs::File::open(left.join("run.plim-shm")).expect("opens");
    plimsoll_witness::locks::keep_qemu_out(&index);
    assert!(plimsoll_witness::locks::is_byte_locked(
        &std::fs::File::open(left.join("run.plim-shm")).expect("opens")
    ));
    let source = Source::open(&left.join("run.plim")).expect("opens");
    assert_eq!(source.live().state, State::Killed);
    assert!(!source.is_gone());
    std::fs::rename(left.join("run.plim"), left.join("moved.plim")).expect("moves");
    assert!(source.is_gone());
    assert_eq!(source.live().history.points.len(), 1);
    assert_eq!(newest_running(&left).expect("a folder"), None);
}

#[test]
fn a_plan_that_cannot_be_read_leaves_the_figures() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("run.plim");
    let mut recorder = Recorder::create(&path, &environment(1), "{}").expect("a record");
    recorder.begin_step(1, "s", "s", "{}").expect("begins");
    recorder
        .append_interval(&second(1, 1, 100_000))
        .expect("appends");
    let source = Source::open(&path).expect("opens");
    let live = source.live();
    assert_eq!(live.now.as_ref().map(|p| p.rate), Some(3500.0));
    assert_eq!((live.progress.done, live.progress.left_s), (None, None));
    assert_eq!(live.streams[2].name, "stream 3");
}
