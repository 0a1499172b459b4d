//! A comparison as text.

use super::{Basis, Comparison, MetricComparison, Outcome, StepComparison};
use plimsoll_printable::Printable;
use std::fmt;

const HEADER: [&str; 6] = ["", "A", "B", "change", "95 %", "verdict"];

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, runs) in [("A", &self.a), ("B", &self.b)] {
            writeln!(
                f,
                "{letter}: {} ({})",
                Printable(&runs.join(", ")),
                plural(runs.len(), "run")
            )?;
        }
        writeln!(f, "Order by start: {}", self.order)?;
        for step in &self.steps {
            writeln!(f)?;
            write_step(f, step)?;
        }
        for (side, names) in [("A", &self.only_in_a), ("B", &self.only_in_b)] {
            if !names.is_empty() {
                writeln!(f, "\nOnly in {side}: {}", Printable(&names.join(", ")))?;
            }
        }
        if !self.environment.is_empty() {
            writeln!(f, "\nNot the same in all runs:")?;
            for fact in &self.environment {
                writeln!(
                    f,
                    "  {}: A {}; B {}",
                    fact.name,
                    Printable(&listed(&fact.a)),
                    Printable(&listed(&fact.b))
                )?;
            }
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "{}", Printable(note)))
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &StepComparison) -> fmt::Result {
    writeln!(f, "{}", Printable(&step.name.to_string()))?;
    let mut rows: Vec<[String; 6]> = vec![HEADER.map(String::from)];
    rows.extend(step.metrics.iter().map(row));
    let widths: [usize; 6] = std::array::from_fn(|column| {
        rows.iter()
            .map(|r| r[column].chars().count())
            .max()
            .unwrap_or(0)
    });
    for row in &rows {
        let [metric, a, b, change, interval, verdict] = row;
        let line = format!(
            "  {metric:<w0$}  {a:>w1$}  {b:>w2$}  {change:>w3$}  {interval:>w4$}  {verdict}",
            w0 = widths[0],
            w1 = widths[1],
            w2 = widths[2],
            w3 = widths[3],
            w4 = widths[4],
        );
        writeln!(f, "{}", line.trim_end())?;
    }
    step.notes
        .iter()
        .try_for_each(|note| writeln!(f, "  {}", Printable(note)))
}

fn row(m: &MetricComparison) -> [String; 6] {
    let percent = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:+.2} %"));
    let interval = m
        .half_width_percent()
        .map_or("-".into(), |v| format!("± {v:.2} %"));
    let verdict = match (m.outcome, m.p, m.basis) {
        (Outcome::NoVerdict, _, Basis::WithinRuns) => "no verdict (within run)".into(),
        (Outcome::NoVerdict, ..) => format!("no verdict ({} and {} runs)", m.runs_a, m.runs_b),
        (outcome, Some(p), _) if p < 0.0001 => format!("{outcome} (p < 0.0001)"),
        (outcome, Some(p), _) => format!("{outcome} (p = {p:.4})"),
        (outcome, None, _) => outcome.to_string(),
    };
    [
        m.metric.to_string(),
        m.metric.show(m.mean_a),
        m.metric.show(m.mean_b),
        percent(m.change_percent()),
        interval,
        verdict,
    ]
}

fn listed(values: &[String]) -> String {
    let shown: Vec<&str> = values
        .iter()
        .map(|v| if v.is_empty() { "not known" } else { v })
        .collect();
    shown.join(" / ")
}

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
