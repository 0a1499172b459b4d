//! What a sweep came to: a table with confidence, a chart, and which cell is best.

use super::Sweep;
use super::alike::with_intervals;
use super::charts::charts;
use super::measured::{Measured, counted};
use crate::over_repeats::{OverRepeats, drift};
use plimsoll_evidence::wording::{estimate, plural, rate};
use plimsoll_evidence::{
    Counted, Figure, Finding, MethodTable, MethodVerdict, Quantity, Severity, StepEvidence,
    TableCell, TableColumn,
};
use plimsoll_plan::LoopValue;
use plimsoll_printable::human;

impl Sweep {
    /// The verdict on these repeats of each cell; `None` where nothing was measured.
    pub(super) fn verdict(
        &self,
        repeats: &[Vec<&StepEvidence>],
        complete: bool,
    ) -> Option<MethodVerdict> {
        let measured: Vec<Measured> = repeats
            .iter()
            .enumerate()
            .filter_map(|(index, repeats)| {
                let rates: Vec<f64> = repeats.iter().map(|s| s.rate.mean).collect();
                Some(Measured {
                    index,
                    loops: &self.cells[index].loops,
                    repeats,
                    rate: OverRepeats::of(&rates)?,
                })
            })
            .collect();
        let mut ranked: Vec<&Measured> = measured.iter().collect();
        ranked.sort_by(|a, b| b.rate.mean.total_cmp(&a.rate.mean));
        let best = *ranked.first()?;
        let (tie, sentence) = ranking(&ranked);
        Some(MethodVerdict {
            method: "sweep".into(),
            run: self.cells[0].run.clone(),
            class: match (complete, tie) {
                (false, _) => "cut-short",
                (true, true) => "no-single-best",
                (true, false) => "best-found",
            }
            .into(),
            // One of each tells nothing from chance.
            decided: complete && self.spec.repeats > 1,
            sentence,
            figures: figures(best, &ranked),
            tables: vec![table(&measured)],
            charts: with_intervals(charts(&measured), &alike(&ranked)),
            findings: self.doubts(&measured, complete),
        })
    }

    fn doubts(&self, measured: &[Measured], complete: bool) -> Vec<Finding> {
        let mut found = Vec::new();
        let done: usize = measured.iter().map(|m| m.repeats.len()).sum();
        let planned = self.cells.len() * self.spec.repeats as usize;
        if !complete {
            found.push(Finding::of_method(
                "sweep-cut-short",
                Severity::Suspect,
                [
                    ("done", Quantity::Count(done as u64)),
                    ("planned", Quantity::Count(planned as u64)),
                ],
            ));
        }
        if self.spec.repeats < 2 {
            found.push(Finding::of_method("single-repeats", Severity::Suspect, []));
        }
        found.extend(drift(measured.iter().map(|m| m.repeats)));
        let saturated = |s: &&&StepEvidence| s.saturation.is_some_and(|s| s.saturated);
        let cells = measured
            .iter()
            .filter(|m| m.repeats.iter().filter(saturated).count() > 0)
            .count();
        if cells > 0 {
            found.push(Finding::of_method(
                "saturated-cells",
                Severity::Suspect,
                [("cells", Quantity::Count(cells as u64))],
            ));
        }
        found
    }
}

/// The cells that cannot be told from the best of these.
fn alike<'m, 'a>(ranked: &[&'m Measured<'a>]) -> Vec<&'m Measured<'a>> {
    let Some((best, others)) = ranked.split_first() else {
        return Vec::new();
    };
    // Each of the others is compared with the best: as many tests as there are others (Bonferroni).
    let confidence = 1.0 - 0.05 / others.len().max(1) as f64;
    let others = others.iter().copied();
    others
        .filter(|m| !best.rate.is_above(&m.rate, confidence))
        .collect()
}

/// The cell that moved the most bytes, where the cells' transfer sizes differ: I/Os of 4 KiB and of 64 KiB are no measure of each other.
fn most_bytes<'m, 'a>(ranked: &[&'m Measured<'a>]) -> Option<&'m Measured<'a>> {
    let sizes = || ranked.iter().filter_map(|m| mean_size(m));
    let (least, most) = (
        sizes().fold(f64::INFINITY, f64::min),
        sizes().fold(0.0, f64::max),
    );
    let all = ranked.iter().copied();
    all.filter(|_| most > least * SAME_SIZE)
        .max_by(|a, b| bytes_per_s(a).total_cmp(&bytes_per_s(b)))
}

/// Sizes of random lengths scatter; those that were asked for differ by more.
const SAME_SIZE: f64 = 1.1;

fn mean_size(of: &Measured) -> Option<f64> {
    let ios: u64 = of.repeats.iter().map(|s| s.ios).sum();
    let bytes: u64 = of.repeats.iter().map(|s| s.bytes).sum();
    (ios > 0).then(|| bytes as f64 / ios as f64)
}

fn bytes_per_s(of: &Measured) -> f64 {
    of.rate.mean * mean_size(of).unwrap_or(0.0)
}

/// Sentence on cells of several sizes: the one that moves the most bytes, and the best of the smallest size. Neither is the best by itself.
fn of_sizes(ranked: &[&Measured], bytes: &Measured) -> String {
    let moved = human::bytes(bytes_per_s(bytes) as u64);
    let most = format!(
        "The most bytes, {moved}/s, come with {}, as {}",
        words(bytes.loops),
        in_words(&bytes.rate)
    );
    let sizes = ranked.iter().filter_map(|m| mean_size(m));
    let least = sizes.fold(f64::INFINITY, f64::min) * SAME_SIZE;
    let is_small = |m: &&&Measured| mean_size(m).is_some_and(|size| size <= least);
    let Some(small) = ranked
        .iter()
        .find(is_small)
        .filter(|m| m.index != bytes.index)
    else {
        return format!("{most}; sizes differ, so I/Os alone rank nothing.");
    };
    let told = |a: &OverRepeats, b: &OverRepeats| a.is_above(b, 0.95) || b.is_above(a, 0.95);
    let tie = match told(&small.rate, &bytes.rate) {
        true => "",
        false => ": a tie in I/Os",
    };
    format!(
        "{most}; with the smallest size the most is {}, with {}{tie}. Sizes differ, so I/Os alone rank nothing.",
        in_words(&small.rate),
        words(small.loops)
    )
}

/// `13,588 ± 87/s`.
fn in_words(of: &OverRepeats) -> String {
    let half_width = of.interval().map(|(_, high)| high - of.mean);
    format!("{}/s", estimate(of.mean, half_width))
}

/// True where the best cannot be told from the next, and what is to be said of both.
fn ranking(ranked: &[&Measured]) -> (bool, String) {
    let best = ranked[0];
    let sentence = format!(
        "The most, {}, comes with {}",
        in_words(&best.rate),
        words(best.loops)
    );
    if best.loops.iter().any(|l| l.key == "operations") {
        return (
            true,
            format!("{sentence}; the mixes differ, so that the rate alone ranks nothing."),
        );
    }
    let on_trees = counted(ranked.iter().copied()) == Counted::Operations;
    if let Some(bytes) = most_bytes(ranked).filter(|_| !on_trees) {
        return (true, of_sizes(ranked, bytes));
    }
    let Some(worst) = ranked.last().filter(|_| ranked.len() > 1) else {
        return (false, format!("{sentence}."));
    };
    let alike = alike(ranked);
    let least = format!(
        "the least is {} with {}",
        rate(worst.rate.mean),
        words(worst.loops)
    );
    let tie = match alike.len() {
        0 => "no other carries as much".to_owned(),
        n if n + 1 == ranked.len() => {
            "these repeats cannot tell any of the others from it".to_owned()
        }
        n => format!(
            "{} cannot be told from it by these repeats",
            plural(n, "other cell")
        ),
    };
    (!alike.is_empty(), format!("{sentence}; {tie}; {least}."))
}

fn figures(best: &Measured, ranked: &[&Measured]) -> Vec<Figure> {
    let figure = |name: &str, label: String, of: &OverRepeats| {
        let figure = Figure::new(name, &label, Quantity::PerSecond(of.mean));
        match of.interval() {
            Some((low, high)) => figure.within(low, high),
            None => figure,
        }
    };
    let mut all = vec![
        figure(
            "best_rate",
            format!("most, with {}", words(best.loops)),
            &best.rate,
        ),
        Figure::new(
            "best_cell",
            "its cell, from 1",
            Quantity::Count(best.index as u64 + 1),
        ),
    ];
    if let Some(worst) = ranked.last().filter(|_| ranked.len() > 1) {
        let label = format!("least, with {}", words(worst.loops));
        all.push(figure("worst_rate", label, &worst.rate));
    }
    all
}

fn words(loops: &[LoopValue]) -> String {
    let all: Vec<String> = loops
        .iter()
        .map(|l| format!("{}={}", l.key, l.value))
        .collect();
    match all.is_empty() {
        true => "the only cell".into(),
        false => all.join(", "),
    }
}

fn table(measured: &[Measured]) -> MethodTable {
    let keys = measured.first().map(|m| m.loops).unwrap_or_default();
    let mut columns: Vec<TableColumn> = keys
        .iter()
        .map(|l| TableColumn::new(&l.key, &l.key))
        .collect();
    columns.extend([
        TableColumn::new("iops", counted(measured).by_s()),
        TableColumn::new("bandwidth", "bandwidth"),
        TableColumn::new("response_mean", "response"),
        TableColumn::new("response_p99", "p99"),
        TableColumn::new("repeats", "repeats"),
        TableColumn::new("errors", "errors"),
    ]);
    MethodTable {
        title: "Means over the repeats".into(),
        columns,
        rows: measured.iter().map(row).collect(),
    }
}

fn row(cell: &Measured) -> Vec<TableCell> {
    let over = |value: &dyn Fn(&StepEvidence) -> Option<f64>, quantity: fn(f64) -> Quantity| {
        let values: Option<Vec<f64>> = cell.repeats.iter().map(|s| value(s)).collect();
        let over = values.and_then(|v| OverRepeats::of(&v));
        TableCell {
            quantity: over.map(|o| quantity(o.mean)),
            interval: over.and_then(|o| o.interval()),
        }
    };
    // Of a saturated step there is no response time.
    let timed = |s: &StepEvidence| !s.saturation.is_some_and(|s| s.saturated) && s.ios > 0;
    let response = |s: &StepEvidence| timed(s).then_some(s.response_mean_ns.mean);
    let p99 = |s: &StepEvidence| {
        let value = s.response.supported_quantile_ns(0.99);
        value.filter(|_| timed(s)).map(|ns| ns as f64)
    };
    let bandwidth = |s: &StepEvidence| (s.counted_s > 0.0).then(|| s.bytes as f64 / s.counted_s);
    let errors: u64 = cell.repeats.iter().map(|s| s.errors).sum();
    let mut row: Vec<TableCell> = cell
        .loops
        .iter()
        .map(|l| TableCell::of(Quantity::Text(l.value.clone())))
        .collect();
    row.extend([
        over(&|s| Some(s.rate.mean), Quantity::PerSecond),
        over(&bandwidth, Quantity::BytesPerSecond),
        over(&response, Quantity::Ns),
        over(&p99, Quantity::Ns),
        TableCell::of(Quantity::Count(cell.repeats.len() as u64)),
        TableCell::of(Quantity::Count(errors)),
    ]);
    row
}
