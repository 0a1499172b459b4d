//! The saturation campaign on targets of which the rate at each depth is known.

use crate::synthetic::{Queue, measured, step};
use plimsoll_evidence::{End, MethodVerdict, Quantity, StepEvidence, Verdict};
use plimsoll_methods::{Method, Next, Saturate};
use plimsoll_plan::{Bytes, Load, MethodSpec, Mix, Question, SaturateSpec, SizeSpec, Step};

const KIB: u64 = 1 << 10;

/// A closed system that needs `think_s` for an I/O alone and carries `most` at best: `min(most, depth / think_s)`, by the
/// asymptotic bounds of a closed network (Denning and Buzen 1978).
#[derive(Clone, Copy)]
struct Bounded {
    most: f64,
    alone_s: f64,
}

impl Bounded {
    fn rate(self, depth: u32) -> f64 {
        self.most.min(f64::from(depth) / self.alone_s)
    }

    /// The least depth that carries 97 % of the most.
    fn least(self) -> f64 {
        0.97 * self.most * self.alone_s
    }
}

/// Carries out what a campaign asks for until its verdict.
fn campaign(
    method: &Saturate,
    target: impl Fn(&Step) -> Bounded,
) -> (Vec<StepEvidence>, MethodVerdict) {
    let mut done: Vec<StepEvidence> = Vec::new();
    loop {
        let completed: Vec<&StepEvidence> = done.iter().collect();
        match method.next(&completed) {
            Next::Step(step) => {
                assert!(done.len() < 200, "it does not end");
                let evidence = on(target(&step), &step, done.len() as u32 + 1);
                done.push(evidence);
            }
            Next::Done(Some(Verdict::Method(verdict))) => return (done, verdict),
            other => panic!("{other:?}"),
        }
    }
}

fn on(target: Bounded, step: &Step, number: u32) -> StepEvidence {
    let depth = step.depths[0].slots;
    let rate = match &step.load {
        Load::Rate { rate, .. } => rate.0.min(target.rate(depth)),
        _ => target.rate(depth),
    };
    let queue = Queue::new(rate, f64::from(depth) / rate * 1e9, 0.0);
    let mut evidence = measured(step, number, queue);
    evidence.workers = step.workers.count.unwrap_or(2);
    evidence
}

fn saturate(reads: &[f64], blocks: &[u64]) -> Saturate {
    let blocks = blocks.iter().map(|kib| Bytes(kib * KIB)).collect();
    let (spec, cells) = SaturateSpec::new(&step(Load::Max), reads.to_vec(), blocks, false);
    Saturate::new(&cells, &spec)
}

/// The cell of a table by its row's point and its column's key.
fn cell(verdict: &MethodVerdict, table: usize, point: &str, column: &str) -> Option<f64> {
    let table = &verdict.tables[table];
    let column = table.columns.iter().position(|c| c.name == column)?;
    let is = |row: &&Vec<plimsoll_evidence::TableCell>| {
        row[1].quantity == Some(Quantity::Text(point.into()))
    };
    match table.rows.iter().find(is)?[column].quantity.as_ref()? {
        Quantity::Count(n) | Quantity::Bytes(n) => Some(*n as f64),
        Quantity::PerSecond(n) | Quantity::Ns(n) | Quantity::Number(n) => Some(*n),
        _ => None,
    }
}

#[test]
fn the_least_concurrency_of_the_most_is_found_and_the_points_below_it() {
    for (most, alone_s) in [(9_000.0, 0.01), (3_000.0, 0.0043), (15_000.0, 0.009)] {
        let truth = Bounded { most, alone_s };
        let (_, verdict) = campaign(&saturate(&[100.0], &[8]), |_| truth);
        assert_eq!(verdict.class.as_str(), "complete");
        assert!(verdict.decided);
        let depth = cell(&verdict, 0, "full", "depth").expect("it was measured");
        let least = truth.least();
        assert!(
            depth >= 0.98 * least && depth <= (least / 0.85).ceil() + 1.0,
            "{depth} is not {least}, of {most} at {alone_s}"
        );
        for (point, share) in [("half", 0.5), ("quarter", 0.25)] {
            let rate = cell(&verdict, 0, point, "iops").expect("it was measured");
            assert!(
                (rate / (share * most) - 1.0).abs() < 0.2,
                "{point}: {rate} of {most}"
            );
        }
        let alone = cell(&verdict, 0, "synchronous", "iops").expect("it was measured");
        assert!((alone * alone_s - 1.0).abs() < 0.02, "{alone}");
        assert_eq!(cell(&verdict, 0, "synchronous", "jobs"), Some(1.0));
    }
}

#[test]
fn a_target_that_one_outstanding_io_fills_has_its_points_below_on_schedule() {
    let truth = Bounded {
        most: 500.0,
        alone_s: 0.002,
    };
    let (done, verdict) = campaign(&saturate(&[0.0], &[4]), |_| truth);
    assert_eq!(cell(&verdict, 0, "full", "depth"), Some(1.0));
    assert_eq!(cell(&verdict, 0, "half", "depth"), None);
    let half = done.iter().find(|s| s.name.contains("point=half")).unwrap();
    assert!(
        (half.rate.mean / 250.0 - 1.0).abs() < 0.05,
        "{:?}",
        half.rate
    );
}

#[test]
fn each_mix_and_size_is_a_cell_of_its_own() {
    let truth = |step: &Step| {
        let SizeSpec::Fixed(size) = step.streams[0].size else {
            panic!("one size");
        };
        let Mix { read, write, .. } = step.streams[0].mix;
        assert_eq!(read + write, 100.0);
        Bounded {
            most: 800.0 / (size.0 / (4 * KIB)) as f64 * (1.0 + read / 100.0),
            alone_s: 0.005,
        }
    };
    let (_, verdict) = campaign(&saturate(&[0.0, 100.0], &[4, 8]), truth);
    // Two profiles, and what was not tested; two charts by depth and two by size each.
    assert_eq!((verdict.tables.len(), verdict.charts.len()), (3, 8));
    let rate = |key: &str| {
        let figure = verdict.figures.iter().find(|f| f.name == key).unwrap();
        match figure.quantity {
            Some(Quantity::PerSecond(n)) => n,
            _ => panic!("{figure:?}"),
        }
    };
    for (key, most) in [
        ("read0_4kib_iops", 800.0),
        ("read0_8kib_iops", 400.0),
        ("read100_4kib_iops", 1600.0),
        ("read100_8kib_iops", 800.0),
    ] {
        let reached = rate(key);
        assert!((reached / most - 1.0).abs() < 0.05, "{key}: {reached}");
    }
    let by_depth = &verdict.charts[0].series;
    assert_eq!(by_depth.len(), 2);
    assert_eq!(by_depth[0].name, "4KiB");
    assert_eq!(by_depth[0].points[0].x.round(), 1.0);
    let points = &verdict.charts[2].series[0].points;
    assert_eq!((points[0].x, points[1].x), (4096.0, 8192.0));
}

#[test]
fn where_combinations_carry_as_much_none_is_called_the_best() {
    let target = |alone_s| Bounded {
        most: 2000.0,
        alone_s,
    };
    let (_, verdict) = campaign(&saturate(&[0.0, 100.0], &[4, 8]), |_| target(0.002));
    let sentence = &verdict.sentence;
    assert!(
        sentence.contains("which has the most cannot be told"),
        "{sentence}"
    );
    // One that carries half as much is told from the other.
    let (_, verdict) = campaign(&saturate(&[0.0], &[4, 8]), |step| Bounded {
        most: 2000.0 * 4096.0 / step.streams[0].size.max().0 as f64,
        alone_s: 0.002,
    });
    assert!(
        !verdict.sentence.contains("cannot be told"),
        "{}",
        verdict.sentence
    );
}

#[test]
fn a_depth_that_was_not_enough_is_no_decision() {
    let truth = Bounded {
        most: 1e9,
        alone_s: 0.01,
    };
    let base = step(Load::Max);
    let (spec, cells) = SaturateSpec::new(&base, vec![100.0], vec![Bytes(4096)], true);
    let (done, verdict) = campaign(&Saturate::new(&cells, &spec), |_| truth);
    assert_eq!(verdict.class.as_str(), "depth-short");
    assert!(!verdict.decided);
    assert!(verdict.findings[0].message.contains("32 on each target"));
    // No step has more slots than were allowed.
    assert!(done.iter().all(|s| s.slots <= 32));
}

#[test]
fn a_campaign_that_is_cut_off_says_what_it_has_and_goes_on_where_it_stood() {
    let truth = Bounded {
        most: 900.0,
        alone_s: 0.01,
    };
    let method = saturate(&[0.0, 100.0], &[4]);
    let (done, whole) = campaign(&method, |_| truth);
    // Whatever was done already, the next step is the one that was measured then.
    for cut in 0..done.len() {
        let completed: Vec<&StepEvidence> = done[..cut].iter().collect();
        match method.next(&completed) {
            Next::Step(step) => assert_eq!(step.name, done[cut].name),
            other => panic!("{cut}: {other:?}"),
        }
    }
    let half = done
        .iter()
        .position(|s| s.name.contains("read=100%"))
        .unwrap()
        + 2;
    let mut cut: Vec<StepEvidence> = done[..half].to_vec();
    cut[half - 1].end = End::Interrupted;
    let completed: Vec<&StepEvidence> = cut.iter().collect();
    let Next::Done(Some(Verdict::Method(verdict))) = method.next(&completed) else {
        panic!("it goes on");
    };
    assert_eq!(verdict.class.as_str(), "cut-short");
    assert!(!verdict.decided);
    assert_eq!(verdict.tables[0], whole.tables[0]);
    assert!(verdict.findings[0].message.starts_with("Only 1 of 2 "));
}

/// A target whose every worker has a connection of its own, which takes so many I/Os at a time: in flight are as many as all
/// connections take, and it is full at `most`.
fn by_connections(step: &Step, each: u32, most: f64, alone_s: f64, usual: u32) -> Bounded {
    let slots = step.depths[0].slots;
    let workers = step.workers.count.unwrap_or(usual).min(slots);
    let in_flight = slots.min(workers * each);
    let rate = most.min(f64::from(in_flight) / alone_s);
    Bounded {
        most: rate,
        // What is in flight does not change what `rate` says.
        alone_s: f64::from(slots) / rate,
    }
}

#[test]
fn more_workers_than_usual_are_found_where_they_carry_more() {
    // Two workers, the usual number, take 16 I/Os at a time and carry 1,600/s; 6,000/s take 60 I/Os, and so 8 workers.
    let truth = |step: &Step| by_connections(step, 8, 6_000.0, 0.01, 2);
    let method = saturate(&[100.0], &[8]);
    let (done, verdict) = campaign(&method, truth);
    assert_eq!(verdict.class.as_str(), "complete");
    assert!(verdict.decided);
    let rate = cell(&verdict, 0, "full", "iops").expect("it was measured");
    assert!((rate / 6_000.0 - 1.0).abs() < 0.04, "{rate}");
    assert_eq!(cell(&verdict, 0, "full", "jobs"), Some(8.0));
    let depth = cell(&verdict, 0, "full", "depth").expect("it was measured");
    assert!((58.0..=70.0).contains(&depth), "{depth}");
    let half = cell(&verdict, 0, "half", "iops").expect("it was measured");
    assert!((half / 3_000.0 - 1.0).abs() < 0.15, "{half}");
    // No step has more workers than slots, and there are no more steps than the plan says.
    for step in &done {
        assert!(u64::from(step.workers) <= step.slots.max(2), "{step:?}");
    }
    let (spec, steps) =
        SaturateSpec::new(&step(Load::Max), vec![100.0], vec![Bytes(8 * KIB)], false);
    let question = Question::Saturate(spec);
    let outline = MethodSpec { steps, question }.outline();
    let planned: u32 = outline.iter().map(|o| o.at_most).sum();
    assert!(done.len() as u32 <= planned, "{} of {planned}", done.len());
}

#[test]
fn workers_that_were_never_enough_are_no_decision() {
    let truth = |step: &Step| by_connections(step, 1, 1e9, 0.01, 2);
    let (_, verdict) = campaign(&saturate(&[100.0], &[8]), truth);
    assert_eq!(
        (verdict.class.as_str(), verdict.decided),
        ("workers-short", false),
        "{:?}",
        verdict.findings
    );
    assert!(
        verdict
            .findings
            .iter()
            .any(|f| f.message.contains("the most workers that were tried, 16")),
        "{:?}",
        verdict.findings
    );
}

#[test]
fn a_number_of_workers_that_was_given_is_kept() {
    let mut base = step(Load::Max);
    base.workers.count = Some(2);
    let (spec, cells) = SaturateSpec::new(&base, vec![100.0], vec![Bytes(8192)], false);
    let truth = |step: &Step| by_connections(step, 8, 6_000.0, 0.01, 2);
    let (done, verdict) = campaign(&Saturate::new(&cells, &spec), truth);
    assert!(
        done.iter().all(|s| s.workers <= 2),
        "{:?}",
        verdict.tables[0]
    );
    assert!(verdict.decided);
}
