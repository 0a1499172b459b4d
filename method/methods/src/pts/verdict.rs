//! What a test of the specification came to.

use super::judged::{Judged, Level};
use super::{Pts, State, WINDOW, all_steady, overwrites};
use crate::method::ran_its_time;
use crate::pts::pictures;
use plimsoll_evidence::{Figure, Finding, MethodVerdict, Quantity, Severity, StepEvidence};
use plimsoll_measure::{SteadyWindow, snia_window, student_t};
use plimsoll_plan::PtsTest;
use plimsoll_plan::method::pts::Cell;
use plimsoll_printable::human;

pub(super) fn verdict(pts: &Pts, state: &State<'_>, run: String) -> MethodVerdict {
    let judged = judge(pts, state);
    let (class, decided) = match (judged.steady, state.is_over) {
        (true, _) => ("steady", true),
        (false, true) => ("not-steady", true),
        (false, false) => ("undecided", false),
    };
    MethodVerdict {
        method: "pts".into(),
        run,
        class: class.into(),
        decided,
        sentence: sentence(&judged),
        figures: figures(&judged),
        tables: pictures::tables(&judged),
        charts: pictures::charts(&judged),
        findings: findings(&judged),
    }
}

fn judge<'t, 'e>(pts: &'t Pts, state: &'t State<'e>) -> Judged<'t, 'e> {
    let count = state.rounds.len();
    let mut judged = Judged {
        pts,
        state,
        window: (count.saturating_sub(WINDOW)..count).collect(),
        windows: pts.windows(&state.rounds).unwrap_or_default(),
        steady: false,
    };
    if pts.spec.test == PtsTest::Wsat {
        // It ends by what was written, too: then five equal parts of its last third are the window.
        judged.window = (count - count / 3..count).collect();
        let values: Vec<f64> = judged.window.iter().map(|r| judged.value(*r, 0)).collect();
        judged.windows = slices(&values)
            .and_then(|s| snia_window(&s))
            .into_iter()
            .collect();
    }
    judged.steady = state.is_over && all_steady(&judged.windows);
    judged
}

fn slices(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len();
    let mean = |i: usize| {
        let part = &values[i * n / WINDOW..(i + 1) * n / WINDOW];
        part.iter().sum::<f64>() / part.len() as f64
    };
    (n >= WINDOW).then(|| (0..WINDOW).map(mean).collect())
}

impl Judged<'_, '_> {
    pub fn value(&self, round: usize, cell: usize) -> f64 {
        self.pts.value(self.state.rounds[round][cell])
    }

    /// A cell's value over the window.
    pub fn level(&self, cell: usize) -> Level {
        self.level_of(cell, |step| self.pts.value(step))
    }

    /// Something of a cell over the window.
    pub fn level_of(&self, cell: usize, of: impl Fn(&StepEvidence) -> f64) -> Level {
        let rounds = self.window.iter().map(|r| of(self.state.rounds[*r][cell]));
        let values: Vec<f64> = rounds.collect();
        let n = values.len() as f64;
        if values.is_empty() {
            return Level::default();
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let interval = (values.len() > 1).then(|| {
            let reach = (squares / (n - 1.0) / n).sqrt() * student_t(0.975, values.len() - 1);
            (mean - reach, mean + reach)
        });
        Level { mean, interval }
    }

    /// A value in the test's unit.
    pub fn quantity(&self, cell: usize, value: f64) -> (Quantity, f64) {
        let block = Cell::of(&self.pts.cells()[cell]).block.0 as f64;
        match self.pts.spec.test {
            PtsTest::Throughput => (Quantity::BytesPerSecond(value * block), block),
            PtsTest::Latency => (Quantity::Ns(value), 1.0),
            PtsTest::Iops | PtsTest::Wsat => (Quantity::PerSecond(value), 1.0),
        }
    }

    fn words(&self, cell: usize) -> String {
        let of = Cell::of(&self.pts.cells()[cell]);
        let mix = match of.read {
            0 => "writes".to_string(),
            100 => "reads".to_string(),
            read => format!("{read}/{} reads and writes", 100 - read),
        };
        format!("{} {mix}", of.block)
    }

    fn spoken(&self, cell: usize) -> String {
        let value = self.level(cell).mean;
        let what = match self.quantity(cell, value).0 {
            Quantity::BytesPerSecond(n) => format!("{}/s", human::bytes(n as u64)),
            Quantity::Ns(n) => human::time(n),
            _ => format!("{}/s", human::rate(value)),
        };
        format!("{} {what}", self.words(cell))
    }
}

fn sentence(judged: &Judged<'_, '_>) -> String {
    let label = match judged.pts.spec.compliant() {
        true => "",
        false => "PTS-style, not compliant: ",
    };
    let count = judged.state.rounds.len();
    let test = match judged.pts.spec.test {
        PtsTest::Iops => "IOPS",
        PtsTest::Throughput => "throughput",
        PtsTest::Latency => "latency",
        PtsTest::Wsat => "write saturation",
    };
    if count == 0 {
        return format!("{label}{test}: no round was completed.");
    }
    let first = judged.window.first().map_or(1, |r| r + 1);
    let state = match (judged.steady, judged.state.is_over) {
        (true, _) => format!("steady in rounds {first} to {count}"),
        (false, true) => format!("not steady after {count} rounds"),
        (false, false) => format!("cut short after {count} rounds"),
    };
    let mut tracked = judged.pts.tracked();
    tracked.sort_by_key(|c| smallest_first(judged, *c));
    let values: Vec<String> = tracked.iter().map(|c| judged.spoken(*c)).collect();
    format!("{label}{test} {state}; {}.", values.join(", "))
}

fn figures(judged: &Judged<'_, '_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    if judged.window.is_empty() {
        return figures;
    }
    let mut cells: Vec<usize> = (0..judged.pts.cells().len()).collect();
    cells.sort_by_key(|c| smallest_first(judged, *c));
    for cell in cells {
        let of = Cell::of(&judged.pts.cells()[cell]);
        let shown = [0, 65, 100].contains(&of.read);
        if !shown && judged.pts.spec.test == PtsTest::Iops {
            continue;
        }
        let level = judged.level(cell);
        let (quantity, unit) = judged.quantity(cell, level.mean);
        let name = format!("read{}_block{}", of.read, of.block.0);
        let mut figure = Figure::new(&name, &judged.words(cell), quantity);
        figure.interval = level.interval.map(|(a, b)| (a * unit, b * unit));
        figures.push(figure);
    }
    let rounds = judged.state.rounds.len() as u64;
    figures.push(Figure::new("rounds", "rounds", Quantity::Count(rounds)));
    figures.extend(steadiness(judged));
    if judged.pts.spec.test == PtsTest::Wsat {
        let written = Quantity::Number(overwrites(&judged.state.rounds));
        figures.push(Figure::new("overwrites", "overwrites", written));
    }
    if let [histogram, ..] = judged.state.rest
        && judged.pts.spec.test == PtsTest::Latency
        && judged.state.is_over
    {
        figures.extend(percentiles(histogram));
    }
    figures
}

/// 4 KiB leads, for it is what most people ask for, then by size; those below 4 KiB come last.
fn smallest_first(judged: &Judged<'_, '_>, cell: usize) -> (bool, u64) {
    let block = Cell::of(&judged.pts.cells()[cell]).block.0;
    (block < 4096, block)
}

/// The widest range and the steepest line of the tracked values.
fn steadiness(judged: &Judged<'_, '_>) -> Vec<Figure> {
    let most = |of: fn(&SteadyWindow) -> f64| {
        judged
            .windows
            .iter()
            .map(of)
            .fold(None, |most: Option<f64>, v| {
                Some(most.map_or(v, |m| if v.abs() > m.abs() { v } else { m }))
            })
    };
    let figure = |name, label, value: Option<f64>, limit: &str| match value {
        Some(share) => Figure::new(name, label, Quantity::Share(share)).remarked(limit),
        None => Figure::unknown(name, label, "too few rounds"),
    };
    vec![
        figure(
            "window_range",
            "range in the window",
            most(|w| w.range),
            "steady up to 20%",
        ),
        figure(
            "window_rise",
            "rise over the window",
            most(|w| w.rise),
            "steady up to 10% either way",
        ),
    ]
}

fn percentiles(step: &StepEvidence) -> Vec<Figure> {
    [0.5, 0.99, 0.999, 0.9999]
        .iter()
        .filter_map(|q| {
            let value = step.response.supported_quantile_ns(*q)? as f64;
            let name = human::quantile(*q);
            let label = format!("response {name} of the histogram's load");
            Some(Figure::new(
                &name.replace('.', "_"),
                &label,
                Quantity::Ns(value),
            ))
        })
        .collect()
}

fn findings(judged: &Judged<'_, '_>) -> Vec<Finding> {
    let spec = &judged.pts.spec;
    let mut found = Vec::new();
    let mut why = Vec::new();
    if !spec.purged {
        why.push("the targets were not purged just before the test".to_string());
    }
    if spec.scale > 1.0 {
        why.push(format!("its times are divided by {}", spec.scale));
    }
    if spec.blocks_changed {
        why.push("its block sizes are not the specification's".to_string());
    }
    if spec.ranged {
        why.push("only a part of the targets was used".to_string());
    }
    if !why.is_empty() {
        found.push(Finding::of_method(
            "pts-style",
            Severity::Note,
            [("why", Quantity::Text(why.join(", ")))],
        ));
    }
    let state = judged.state;
    let ran = state
        .fills
        .iter()
        .chain(state.rounds.iter().copied().flatten());
    if let Some(cut) = ran.chain(state.rest).find(|s| !ran_its_time(s)) {
        found.push(Finding::of_method(
            "pts-cut-short",
            Severity::Suspect,
            [("step", Quantity::Text(cut.name.clone()))],
        ));
    }
    found
}
