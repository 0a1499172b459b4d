//! What a sweep came to: a table with confidence, a chart, and which cell is best.

use super::Sweep;
use super::alike::with_intervals;
use super::charts::charts;
use super::measured::{Measured, OverRepeats};
use plimsoll_evidence::wording::{plural, rate};
use plimsoll_evidence::{
    Figure, Finding, MethodTable, MethodVerdict, Quantity, Severity, StepEvidence, TableCell,
    TableColumn,
};
use plimsoll_measure::student_t;
use plimsoll_plan::LoopValue;
use plimsoll_printable::human;

/// A change by more than this share from the first step to the last is worth a word.
const DRIFT: f64 = 0.05;

impl OverRepeats {
    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = match n {
            1 => 0.0,
            _ => values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64,
        };
        Some(OverRepeats {
            mean,
            half_width: (n > 1).then(|| student_t(0.975, n - 1) * (variance / n as f64).sqrt()),
            variance,
            count: n,
        })
    }

    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        // What is measured is never below 0.
        let about = |h: f64| ((self.mean - h).max(0.0), self.mean + h);
        self.half_width.map(about)
    }

    /// Whether chance explains that this lies above `other`: Welch's test, one-sided, at `confidence`. Two of each at least.
    fn is_above(&self, other: &OverRepeats, confidence: f64) -> bool {
        let (a, b) = (
            self.variance / self.count as f64,
            other.variance / other.count as f64,
        );
        let difference = self.mean - other.mean;
        if self.count < 2 || other.count < 2 || difference <= 0.0 {
            return false;
        }
        if a + b == 0.0 {
            return true;
        }
        // Welch and Satterthwaite, rounded down.
        let degrees =
            (a + b).powi(2) / (a * a / (self.count - 1) as f64 + b * b / (other.count - 1) as f64);
        difference > student_t(confidence, (degrees as usize).max(1)) * (a + b).sqrt()
    }
}

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
        found.extend(drift(measured));
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

/// Sentence on cells of several sizes: the most I/Os and the most bytes, of which neither is the best by itself.
fn of_sizes(ios: &Measured, bytes: &Measured) -> (bool, String) {
    let moved = human::bytes(bytes_per_s(bytes) as u64);
    let sentence = format!(
        "The most I/Os, {}, come with {}, and the most bytes, {moved}/s, with {}",
        rate(ios.rate.mean),
        words(ios.loops),
        words(bytes.loops)
    );
    (
        true,
        format!("{sentence}; sizes differ, so I/Os alone rank nothing."),
    )
}

/// Whether the best cannot be told from the next, and what is to be said of both.
fn ranking(ranked: &[&Measured]) -> (bool, String) {
    let best = ranked[0];
    let sentence = format!(
        "The most, {}, comes with {}",
        rate(best.rate.mean),
        words(best.loops)
    );
    if let Some(bytes) = most_bytes(ranked) {
        return of_sizes(best, bytes);
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
    let column = |name: &str, label: &str| TableColumn {
        name: name.into(),
        label: label.into(),
    };
    let keys = measured.first().map(|m| m.loops).unwrap_or_default();
    let mut columns: Vec<TableColumn> = keys.iter().map(|l| column(&l.key, &l.key)).collect();
    columns.extend([
        column("iops", "io/s"),
        column("bandwidth", "bandwidth"),
        column("response_mean", "response"),
        column("response_p99", "p99"),
        column("repeats", "repeats"),
        column("errors", "errors"),
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

/// Whether the target changed while it was measured: a straight line through all steps, each against its own cell's mean, so
/// that large cells do not count for more. Least squares, with the usual test of the slope.
fn drift(measured: &[Measured]) -> Option<Finding> {
    let points: Vec<(f64, f64)> = measured
        .iter()
        .filter(|m| m.repeats.len() > 1 && m.rate.mean > 0.0)
        .flat_map(|m| {
            let relative =
                |s: &StepEvidence| (f64::from(s.number), s.rate.mean / m.rate.mean - 1.0);
            m.repeats.iter().map(move |s| relative(s))
        })
        .collect();
    // Each cell's mean was taken out, and a slope is asked for.
    let free = points
        .len()
        .checked_sub(measured.len() + 1)
        .filter(|n| *n > 0)?;
    let mean = points.iter().map(|p| p.0).sum::<f64>() / points.len() as f64;
    let spread: f64 = points.iter().map(|p| (p.0 - mean).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - mean) * p.1).sum::<f64>() / spread;
    let left: f64 = points
        .iter()
        .map(|p| (p.1 - slope * (p.0 - mean)).powi(2))
        .sum();
    let error = (left / free as f64 / spread).sqrt();
    let times = || points.iter().map(|p| p.0);
    let length = times().fold(0.0, f64::max) - times().fold(f64::INFINITY, f64::min);
    let change = slope * length;
    (change.abs() > DRIFT && slope.abs() > student_t(0.975, free) * error).then(|| {
        Finding::of_method(
            "target-changed",
            Severity::Suspect,
            [("change", Quantity::Share(change))],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_students_of_the_repeats() {
        // 4 values with a mean of 10 and a standard deviation of 2: 3.182 * 2 / 2.
        let over = OverRepeats::of(&[8.0, 8.0, 12.0, 12.0]).unwrap();
        let deviation = (16.0f64 / 3.0).sqrt();
        let half = over.half_width.unwrap();
        assert!((half - 3.182_446 * deviation / 2.0).abs() < 1e-3, "{half}");
        assert_eq!(OverRepeats::of(&[5.0]).unwrap().half_width, None);
        assert_eq!(OverRepeats::of(&[]), None);
    }

    #[test]
    fn one_is_above_another_only_beyond_chance() {
        let of = |values: &[f64]| OverRepeats::of(values).unwrap();
        let (a, b) = (of(&[100.0, 101.0, 99.0]), of(&[90.0, 91.0, 89.0]));
        assert!(a.is_above(&b, 0.95) && !b.is_above(&a, 0.95));
        assert!(!of(&[100.0, 60.0, 95.0]).is_above(&b, 0.95));
        // One of each says nothing.
        assert!(!of(&[100.0]).is_above(&of(&[1.0]), 0.95));
    }
}
