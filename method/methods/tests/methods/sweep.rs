//! The sweep on targets of which every cell's rate is known.

use crate::synthetic::{Queue, measured, noise, step};
use plimsoll_evidence::{ChartKind, End, MethodVerdict, Quantity, StepEvidence, Verdict};
use plimsoll_methods::{Method, Next, Sweep};
use plimsoll_plan::{Load, LoopValue, Step, SweepOrder, SweepSpec};

/// Steps with loop values, one for each combination.
fn cells(keys: &[(&str, &[&str])]) -> Vec<Step> {
    let mut cells = vec![step(Load::Max)];
    for (key, values) in keys {
        let with = |cell: &Step, value: &str| {
            let mut cell = cell.clone();
            cell.loops.push(LoopValue::new((*key).to_string(), value));
            cell
        };
        cells = cells
            .iter()
            .flat_map(|cell| values.iter().map(|v| with(cell, v)))
            .collect();
    }
    cells
}

fn sweep(cells: &[Step], repeats: u32, order: SweepOrder) -> Sweep {
    Sweep::new(cells, &SweepSpec { repeats, order })
}

/// Carries out a sweep; `rate` is told the loop values and which step of all it is.
fn carried_out(
    method: &Sweep,
    rate: impl Fn(&[LoopValue], u64) -> f64,
) -> (Vec<StepEvidence>, MethodVerdict) {
    let mut done: Vec<StepEvidence> = Vec::new();
    loop {
        let completed: Vec<&StepEvidence> = done.iter().collect();
        match method.next(&completed) {
            Next::Step(step) => {
                let number = done.len() as u64;
                let queue = Queue::new(rate(&step.loops, number), 1e6, 0.0);
                let mut evidence = measured(&step, number as u32 + 1, queue);
                // The repeats are what counts, not what happens inside one.
                evidence.rate.mean = queue.rate;
                done.push(evidence);
            }
            Next::Done(Some(Verdict::Method(verdict))) => return (done, verdict),
            other => panic!("{other:?}"),
        }
    }
}

fn value(loops: &[LoopValue], key: &str) -> f64 {
    let found = loops.iter().find(|l| l.key == key).unwrap();
    found.value.parse().unwrap()
}

#[test]
fn the_best_cell_is_found_and_every_mean_is_in_the_table() {
    let cells = cells(&[("block", &["4", "8"]), ("depth", &["1", "2", "4"])]);
    let truth = |loops: &[LoopValue]| 400.0 * value(loops, "depth") / value(loops, "block");
    let noisy = |loops: &[LoopValue], n: u64| truth(loops) * (1.0 + 0.01 * noise(n));
    let (done, verdict) = carried_out(&sweep(&cells, 4, SweepOrder::Random), noisy);
    assert_eq!(done.len(), 24);
    assert_eq!(verdict.class.as_str(), "best-found");
    assert!(verdict.decided);
    assert!(
        verdict.sentence.contains("block=4, depth=4"),
        "{}",
        verdict.sentence
    );
    assert!(verdict.sentence.contains("no other carries as much"));
    let [table] = &verdict.tables[..] else {
        panic!("one table");
    };
    for (cell, row) in cells.iter().zip(&table.rows) {
        let Some(Quantity::PerSecond(mean)) = row[2].quantity else {
            panic!("{row:?}");
        };
        let (low, high) = row[2].interval.expect("it was repeated");
        let truth = truth(&cell.loops);
        assert!((mean / truth - 1.0).abs() < 0.01, "{mean} of {truth}");
        assert!(low < mean && mean < high && high - low < 0.1 * truth);
    }
    let [chart] = &verdict.charts[..] else {
        panic!("one chart");
    };
    assert_eq!(chart.kind, ChartKind::Heat);
    assert_eq!(chart.x.categories, ["4", "8"]);
    assert_eq!(chart.y.categories, ["1", "2", "4"]);
    let best = chart.series[0]
        .points
        .iter()
        .max_by(|a, b| a.z.unwrap().total_cmp(&b.z.unwrap()));
    assert_eq!(best.map(|p| (p.x, p.y)), Some((0.0, 2.0)));
}

#[test]
fn three_parameters_are_a_heat_chart_with_a_row_for_each_combination_of_two() {
    let cells = cells(&[
        ("a", &["1", "2"]),
        ("b", &["1", "2", "4"]),
        ("c", &["0", "5"]),
    ]);
    let truth = |loops: &[LoopValue]| {
        100.0 * value(loops, "a") + 10.0 * value(loops, "b") + value(loops, "c")
    };
    let (_, verdict) = carried_out(&sweep(&cells, 2, SweepOrder::Random), |l, _| truth(l));
    let [chart] = &verdict.charts[..] else {
        panic!("one chart");
    };
    assert_eq!(chart.kind, ChartKind::Heat);
    assert_eq!(chart.x.categories, ["1", "2"]);
    assert_eq!(chart.y.label, "b, c");
    assert_eq!(
        chart.y.categories,
        ["1, 0", "1, 5", "2, 0", "2, 5", "4, 0", "4, 5"]
    );
    let points = &chart.series[0].points;
    assert_eq!(points.len(), 12);
    for cell in &cells {
        let rate = truth(&cell.loops);
        let is = |p: &&plimsoll_evidence::ChartPoint| p.z == Some(rate);
        let found = points.iter().find(is).expect("each cell is in it");
        let row = &chart.y.categories[found.y as usize];
        assert_eq!(chart.x.categories[found.x as usize], cell.loops[0].value);
        assert_eq!(
            *row,
            format!("{}, {}", cell.loops[1].value, cell.loops[2].value)
        );
    }
}

#[test]
fn cells_that_are_alike_are_called_so_and_chance_seldom_makes_a_best_one() {
    let cells = cells(&[("k", &["1", "2", "3", "4"])]);
    let mut found = 0;
    for seed in 0..200 {
        let alike = |_: &[LoopValue], n: u64| 200.0 * (1.0 + 0.05 * noise(seed * 1000 + n));
        let (_, verdict) = carried_out(&sweep(&cells, 3, SweepOrder::Random), alike);
        found += u32::from(verdict.class == "best-found");
    }
    assert!(found <= 10, "{found} of 200");
}

#[test]
fn a_heat_chart_marks_the_cells_that_cannot_be_told_from_the_best() {
    let cells = cells(&[("block", &["4", "8"]), ("depth", &["1", "40", "80"])]);
    // Past a depth of 40 nothing is gained; the block is of no matter.
    let truth = |loops: &[LoopValue]| 100.0 * value(loops, "depth").min(40.0);
    let noisy = |loops: &[LoopValue], n: u64| truth(loops) * (1.0 + 0.01 * noise(n));
    let (_, verdict) = carried_out(&sweep(&cells, 4, SweepOrder::Random), noisy);
    let chart = &verdict.charts[0];
    let names: Vec<&str> = chart.series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["", "cannot be told from the most"]);
    let (others, alike) = (&chart.series[0].points, &chart.series[1].points);
    assert_eq!((others.len(), alike.len()), (3, 3));
    assert!(alike.iter().all(|p| p.y > 0.0), "{alike:?}");
    let all = || others.iter().chain(alike);
    assert!(all().all(|p| p.interval.is_some()));
    assert!(others.iter().any(|p| p.y > 0.0), "the best is the other");
    // One of each can be compared with nothing, and says so.
    let (_, once) = carried_out(&sweep(&cells, 1, SweepOrder::Random), noisy);
    let chart = &once.charts[0];
    assert_eq!(chart.series.len(), 1);
    assert_eq!(
        chart.z.as_ref().unwrap().intervals.as_deref(),
        Some("No intervals: each cell was measured once")
    );
}

#[test]
fn what_changes_with_time_is_said_and_favours_no_cell() {
    let cells = cells(&[("k", &["1", "2"])]);
    let falling = |_: &[LoopValue], n: u64| 400.0 - 20.0 * n as f64;
    let (_, verdict) = carried_out(&sweep(&cells, 4, SweepOrder::Abba), falling);
    assert_eq!(verdict.class, "no-single-best");
    let rates: Vec<f64> = verdict.tables[0]
        .rows
        .iter()
        .filter_map(|row| match row[1].quantity {
            Some(Quantity::PerSecond(n)) => Some(n),
            _ => None,
        })
        .collect();
    assert_eq!(rates[0], rates[1]);
    assert!(verdict.findings.iter().any(|f| f.rule == "target-changed"));
}

#[test]
fn one_repeat_is_a_table_without_confidence() {
    let cells = cells(&[("k", &["1", "2"])]);
    let rate = |loops: &[LoopValue], _: u64| 100.0 * value(loops, "k");
    let (_, verdict) = carried_out(&sweep(&cells, 1, SweepOrder::Random), rate);
    assert_eq!(verdict.class, "no-single-best");
    assert!(!verdict.decided);
    assert_eq!(verdict.tables[0].rows[0][1].interval, None);
    assert!(verdict.findings.iter().any(|f| f.rule == "single-repeats"));
}

#[test]
fn a_sweep_that_is_cut_off_goes_on_where_it_stood() {
    let cells = cells(&[("k", &["1", "2", "3"])]);
    let method = sweep(&cells, 3, SweepOrder::Random);
    let rate = |loops: &[LoopValue], _: u64| 100.0 * value(loops, "k");
    let (done, _) = carried_out(&method, rate);
    for cut in 0..done.len() {
        let completed: Vec<&StepEvidence> = done[..cut].iter().collect();
        let Next::Step(step) = method.next(&completed) else {
            panic!("it has ended");
        };
        let loops: Vec<(String, String)> =
            step.loops.into_iter().map(|l| (l.key, l.value)).collect();
        assert_eq!(loops, done[cut].loops);
    }
    let mut cut = done[..5].to_vec();
    cut[4].end = End::Interrupted;
    let completed: Vec<&StepEvidence> = cut.iter().collect();
    let Next::Done(Some(Verdict::Method(verdict))) = method.next(&completed) else {
        panic!("it goes on");
    };
    assert_eq!(verdict.class.as_str(), "cut-short");
    assert!(!verdict.decided);
    assert!(verdict.findings[0].message.starts_with("Only 4 of 9 "));
}
