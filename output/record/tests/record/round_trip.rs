//! What was written comes back, bit for bit.

use crate::sample;
use plimsoll_evidence::{
    ArrayInterval, CpuInterval, ErrorSample, Interval, OpSummary, Phase, gathered,
};
use plimsoll_measure::{Demand, Histogram, IntervalStats, Op, OpStats, Sample, StreamStats};
use plimsoll_record::{Record, RecordError, Recorder, RunStatus, canonical_dump};
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn a_whole_run_comes_back_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    sample::write(&path);
    let record = Record::open(&path).unwrap();
    assert_eq!(record.environment(), &sample::environment());
    assert_eq!(record.plan_json(), sample::PLAN);
    assert_eq!(record.status(), &RunStatus::Completed);
    assert_eq!(record.started_steps().unwrap(), vec![]);
    assert_eq!(record.step_json(1).unwrap().as_deref(), Some(sample::STEP));
    let steps = vec![
        sample::step(1, "rd1_(10%)", 1.0),
        sample::step(2, "rd1_(20%)", 1.0),
    ];
    assert_eq!(record.steps().unwrap(), steps);
    assert_eq!(record.interval_count(2).unwrap(), 3);
    let intervals: Vec<_> = (1..=3).map(|i| sample::interval(2, i)).collect();
    assert_eq!(record.intervals(2).unwrap(), intervals);
    let verdicts = vec![sample::verdict(), sample::answer()];
    assert_eq!(record.verdicts().unwrap(), verdicts);
    // Those of the steps and of the verdicts are among them, once each.
    assert_eq!(record.findings().unwrap(), sample::rows_of_findings());
    let all = gathered(&steps, &verdicts, &record.findings().unwrap());
    assert_eq!(all.len(), sample::rows_of_findings().len());
    assert!(all.iter().all(|f| !f.values.is_empty()));
    let mut files: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    files.retain(|f| f != "run.plim");
    assert!(
        files.is_empty(),
        "a finished record is one file, not also {files:?}"
    );
}

#[test]
fn the_environment_can_be_replaced_while_the_run_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    let mut changed = sample::environment();
    changed.backend = "psync".into();
    changed
        .notes
        .push("the record lies on the tested device".into());
    recorder.update_environment(&changed).unwrap();
    assert_eq!(Record::open(&path).unwrap().environment(), &changed);
}

#[test]
fn a_record_can_be_read_while_it_is_written_and_shows_the_begun_step() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", sample::STEP).unwrap();
    recorder.append_interval(&sample::interval(1, 1)).unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(record.status(), &RunStatus::Running);
    assert_eq!(record.status().to_string(), "unfinished");
    assert_eq!(record.started_steps().unwrap()[0].name, "rd1");
    assert_eq!(record.intervals(1).unwrap(), vec![sample::interval(1, 1)]);
    recorder.append_interval(&sample::interval(1, 2)).unwrap();
    assert_eq!(record.interval_count(1).unwrap(), 2);
    recorder
        .finish(RunStatus::Failed("the device went away".into()))
        .unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(
        record.status(),
        &RunStatus::Failed("the device went away".into())
    );
}

#[test]
fn failed_fsyncs_come_back_as_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    let mut interval = sample::interval(1, 1);
    let mut service = Histogram::new();
    (1..=9).for_each(|n| service.record(n * 70_000));
    let syncs = interval.stats.streams[0].syncs.get_or_insert_default();
    (syncs.ios, syncs.errors, syncs.service) = (9, 430, service.clone());
    recorder.append_interval(&interval).unwrap();
    let mut step = sample::step(1, "rd1", 1.0);
    let syncs = Box::new(OpSummary {
        op: Op::Sync,
        ios: 9,
        bytes: 0,
        errors: 431,
        response: Histogram::new(),
        service,
    });
    step.streams[0].syncs = Some(syncs.clone());
    step.syncs = Some(syncs);
    step.errors += 431;
    step.error_samples.push(ErrorSample {
        target: "sd1".into(),
        op: Op::Sync,
        offset: 0,
        length: 0,
        at_ns: 78,
        what: "EIO (Input/output error)".into(),
    });
    recorder.finish_step(&step).unwrap();
    recorder.finish(RunStatus::Completed).unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(record.intervals(1).unwrap(), [interval]);
    assert_eq!(record.steps().unwrap(), [step]);
    let dump = canonical_dump(&record).unwrap();
    assert!(dump.contains("fsync"), "{dump}");
}

#[test]
fn evidence_that_could_not_be_read_again_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder =
        Recorder::create(&dir.path().join("run.plim"), &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    let mut step = sample::step(1, "rd1", 1.0);
    step.depth_mean = f64::NAN;
    let error = recorder.finish_step(&step).unwrap_err();
    assert!(matches!(error, RecordError::Unstorable { .. }), "{error}");
    let unknown = recorder
        .finish_step(&sample::step(2, "rd2", 1.0))
        .unwrap_err();
    assert!(
        unknown.to_string().contains("step 2 was not begun"),
        "{unknown}"
    );
    recorder.finish_step(&sample::step(1, "rd1", 1.0)).unwrap();
}

#[test]
fn two_runs_of_the_same_have_the_same_canonical_dump() {
    let dir = tempfile::tempdir().unwrap();
    let dump = |name: &str| {
        let path = dir.path().join(name);
        sample::write(&path);
        canonical_dump(&Record::open(&path).unwrap()).unwrap()
    };
    let first = dump("a.plim");
    assert_eq!(first, dump("b.plim"));
    assert!(first.contains("rd1_(20%)") && first.contains("PL012"));
    assert!(!first.contains("6.12.0"), "the environment stays out");
}

fn any_histogram() -> impl Strategy<Value = Histogram> {
    vec((0..64u32, any::<u64>()), 0..40).prop_map(|values| {
        let mut h = Histogram::new();
        for (shift, value) in values {
            let value = value >> shift;
            // A sum is exact up to what SQLite holds.
            if h.exact_sum_ns() + u128::from(value) <= i64::MAX as u128 {
                h.record(value);
            }
        }
        h
    })
}

fn any_op() -> impl Strategy<Value = OpStats> {
    (
        any::<u64>(),
        any::<u64>(),
        any::<u32>(),
        any_histogram(),
        any_histogram(),
    )
        .prop_map(|(ios, bytes, errors, response, service)| OpStats {
            ios: ios >> 3,
            bytes: bytes >> 4,
            errors: errors.into(),
            response,
            service,
        })
}

fn any_stream() -> impl Strategy<Value = StreamStats> {
    let op = || prop::option::of(any_op());
    (
        [op(), op(), op()],
        op(),
        vec(any::<u32>(), 0..300),
        any::<[u64; 3]>(),
        vec(any_demand(), 0..11),
    )
        .prop_map(
            |([read, write, trim], syncs, heat, [late_for_slot, late_by_host, due], demand)| {
                let mut stream = StreamStats {
                    heat,
                    late_for_slot,
                    late_by_host,
                    due,
                    demand,
                    // Nothing counted comes back as nothing.
                    syncs: syncs.filter(|s| *s != OpStats::default()).map(Box::new),
                    ..StreamStats::default()
                };
                stream.ops[Op::Read as usize] = read.unwrap_or_default();
                stream.ops[Op::Write as usize] = write.unwrap_or_default();
                stream.ops[Op::Trim as usize] = trim.unwrap_or_default();
                stream
            },
        )
}

fn any_demand() -> impl Strategy<Value = Demand> {
    any::<[u64; 5]>().prop_map(
        |[due, done, late_for_slot, late_by_host, backlog_end]| Demand {
            due,
            done,
            late_for_slot,
            late_by_host,
            backlog_end,
        },
    )
}

fn any_sample() -> impl Strategy<Value = Sample> {
    any::<[u64; 5]>().prop_map(
        |[ios, bytes, timed, response_sum_ns, service_sum_ns]| Sample {
            ios,
            bytes,
            timed,
            response_sum_ns,
            service_sum_ns,
        },
    )
}

fn any_cpu() -> impl Strategy<Value = CpuInterval> {
    (
        any::<[u64; 2]>(),
        prop::array::uniform4(0.0..=1.0f64),
        vec(0.0..=1.0f64, 0..5),
    )
        .prop_map(
            |([process_ns, io_wq_ns], [user, system, iowait, steal], workers)| CpuInterval {
                user,
                system,
                iowait,
                steal,
                process_ns,
                io_wq_ns,
                workers,
            },
        )
}

fn any_array() -> impl Strategy<Value = ArrayInterval> {
    let known = prop::option::of(prop::num::f64::NORMAL | prop::num::f64::ZERO);
    vec(known, 6).prop_map(|numbers| ArrayInterval {
        core_max: numbers[0],
        core_mean: numbers[1],
        front_end_iops: numbers[2],
        back_end_iops: numbers[3],
        journal_fill: numbers[4],
        write_amplification: numbers[5],
    })
}

fn any_interval() -> impl Strategy<Value = Interval> {
    let stats = (
        vec(any_stream(), 0..3),
        any::<[u64; 5]>(),
        any_histogram(),
        vec(any_sample(), 0..11),
    );
    (
        any::<[u64; 2]>(),
        prop_oneof![
            Just(Phase::WarmUp),
            Just(Phase::Counted),
            Just(Phase::Drain)
        ],
        stats,
        prop::option::of(any_cpu()),
        vec(any_array(), 0..3),
        prop::option::of(1..1000u64),
    )
        .prop_map(
            |(
                [start_ns, length_ns],
                phase,
                (streams, numbers, lateness, samples),
                cpu,
                arrays,
                seen,
            )| {
                Interval {
                    host: 0,
                    step: 1,
                    number: 1,
                    start_ns,
                    length_ns,
                    phase,
                    stats: IntervalStats {
                        streams,
                        depth_integral_ns: numbers[0],
                        depth_max: numbers[1],
                        backlog_integral_ns: numbers[2],
                        backlog_end: numbers[3],
                        worker_cpu_ns: numbers[4],
                        lateness,
                        samples,
                    },
                    cpu,
                    arrays,
                    witnessed: seen.map(|seed| Box::new(crate::witnessed::witnessed(seed))),
                }
            },
        )
}

#[test]
fn times_that_add_up_to_more_than_64_bits_keep_their_mean() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.plim");
    let mut interval = sample::interval(1, 1);
    let day = 86_400_000_000_000;
    let response = &mut interval.stats.streams[0].ops[0].response;
    *response = Histogram::new();
    response.record_many(day, 1_000_000_000);
    let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
    recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
    recorder.append_interval(&interval).unwrap();
    drop(recorder);
    let back = Record::open(&path).unwrap().intervals(1).unwrap();
    let mean = back[0].stats.streams[0].ops[0].response.mean_ns().unwrap();
    assert!((mean / day as f64 - 1.0).abs() < 1e-12, "{mean}");
    let db = rusqlite::Connection::open(&path).unwrap();
    let query = "SELECT sum_ns * 1.0 / count FROM histograms WHERE max_ns = ?";
    let in_sql: f64 = db.query_row(query, [day as i64], |row| row.get(0)).unwrap();
    assert!((in_sql / day as f64 - 1.0).abs() < 1e-12, "{in_sql}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_interval_comes_back_equal(interval in any_interval()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
        recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
        recorder.append_interval(&interval).unwrap();
        let back = Record::open(&path).unwrap().intervals(1).unwrap();
        prop_assert_eq!(back, vec![interval]);
    }

    #[test]
    fn any_step_comes_back_equal(
        response in any_histogram(),
        service in any_histogram(),
        numbers in any::<[u64; 4]>(),
        floats in prop::array::uniform4(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL),
        offered in prop::option::of(prop::num::f64::POSITIVE),
        text in ".*",
    ) {
        prop_assume!(offered.is_none_or(f64::is_finite));
        let mut step = sample::step(1, &text, 1.0);
        step.ops[0].response = response.clone();
        step.ops[0].service = service.clone();
        (step.response, step.service) = (response, service);
        [step.ios, step.bytes, step.errors, step.slots] = numbers;
        [step.depth_mean, step.rate.mean, step.counted_s, step.warmup_s] = floats;
        step.offered = offered;
        step.notes = vec![text];
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.plim");
        let mut recorder = Recorder::create(&path, &sample::environment(), "{}").unwrap();
        recorder.begin_step(1, "rd1", "rd1", "{}").unwrap();
        recorder.finish_step(&step).unwrap();
        prop_assert_eq!(Record::open(&path).unwrap().steps().unwrap(), vec![step]);
    }
}
