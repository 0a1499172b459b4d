//! A comparison as text.

use super::{
    Basis, Comparison, FactDifference, GateOutcome, MeasuredDifference, MetricComparison, Outcome,
    StepComparison, gate_words, remarks,
};
use plimsoll_printable::Printable;
use std::fmt;

const HEADER: [&str; 6] = ["", "A", "B", "change", "95 %", "verdict"];

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.sides() {
            writeln!(f, "{}", Printable(&line))?;
        }
        writeln!(f, "Order by start: {}", self.order)?;
        write_differences(f, self)?;
        for step in &self.steps {
            writeln!(f)?;
            write_step(f, step)?;
        }
        for (side, names) in [("A", &self.only_in_a), ("B", &self.only_in_b)] {
            if !names.is_empty() {
                writeln!(f, "\nOnly in {side}: {}", Printable(&names.join(", ")))?;
            }
        }
        write_gates(f, self)?;
        let remarks = remarks::lines(&self.remarks);
        if !(self.notes.is_empty() && remarks.is_empty()) {
            writeln!(f)?;
        }
        self.notes
            .iter()
            .chain(&remarks)
            .try_for_each(|note| writeln!(f, "{}", Printable(note)))?;
        writeln!(f, "\nAnswer   {}", Printable(&self.answer()))?;
        match self.unequal_findings() {
            Some(rules) => writeln!(f, "Trust    not alike on both sides: {}", Printable(&rules)),
            None => Ok(()),
        }
    }
}

/// Differences, which stand before what was measured: without them no number means anything.
fn write_differences(f: &mut fmt::Formatter<'_>, comparison: &Comparison) -> fmt::Result {
    if !comparison.measured.is_empty() {
        writeln!(f, "\nNot the same measurement:")?;
        for difference in &comparison.measured {
            write_fact(f, &difference.fact, &steps_of(comparison, difference))?;
        }
        writeln!(f, "{}", comparison.on_differences())?;
    }
    if !comparison.environment.is_empty() {
        writeln!(f, "\nNot the same build, host or target:")?;
        for fact in &comparison.environment {
            write_fact(f, fact, "")?;
        }
    }
    Ok(())
}

impl Comparison {
    /// The records of each side, a line each: `A: a.plim, b.plim (2 runs)`.
    pub fn sides(&self) -> [String; 2] {
        let sides = [("A", &self.a, self.runs_a), ("B", &self.b, self.runs_b)];
        sides.map(|(side, records, runs)| {
            format!("{side}: {} ({})", records.join(", "), plural(runs, "run"))
        })
    }

    /// Consequence of differences in what was measured.
    pub fn on_differences(&self) -> &'static str {
        match self.different {
            true => "Verdicts are given all the same (--different).",
            false => "There is no verdict on it; --different compares all the same.",
        }
    }
}

/// ` (in rd1, rd2)`, ` (in every step)`; nothing where a difference is of the runs as a whole.
pub fn steps_of(comparison: &Comparison, difference: &MeasuredDifference) -> String {
    match difference.steps.len() {
        0 => String::new(),
        n if n > 1 && n == comparison.steps.len() => " (in every step)".to_string(),
        _ => format!(" (in {})", super::listed(&difference.steps)),
    }
}

fn write_fact(f: &mut fmt::Formatter<'_>, fact: &FactDifference, of: &str) -> fmt::Result {
    writeln!(
        f,
        "  {}{}: A {}; B {}",
        Printable(&fact.name),
        Printable(of),
        Printable(&fact.a_words()),
        Printable(&fact.b_words())
    )
}

impl FactDifference {
    /// A's values for people.
    pub fn a_words(&self) -> String {
        listed(&self.a)
    }

    /// B's values for people.
    pub fn b_words(&self) -> String {
        listed(&self.b)
    }
}

fn write_gates(f: &mut fmt::Formatter<'_>, comparison: &Comparison) -> fmt::Result {
    let Some(basis) = comparison.gates_basis() else {
        return Ok(());
    };
    writeln!(f, "\n{basis}")?;
    for gate in &comparison.gates {
        writeln!(f, "  {}: {}", gate.gate, gate.outcome)?;
        for step in &gate.steps {
            writeln!(
                f,
                "    {}: {}: {}",
                Printable(&step.step),
                step.outcome,
                Printable(&step.text)
            )?;
        }
    }
    Ok(())
}

impl Comparison {
    /// Basis of the gates, in a sentence or two; `None` where there is none.
    pub fn gates_basis(&self) -> Option<String> {
        if self.gates.is_empty() {
            return None;
        }
        let tests = match self.gate_tests {
            0 => "no test could be made".to_string(),
            1 => "1 test".to_string(),
            n => format!(
                "{n} tests over all steps and rules, adjusted by Holm's method, so that it holds for all of them together"
            ),
        };
        let seen = match self
            .gates
            .iter()
            .flat_map(|g| &g.steps)
            .any(|s| s.outcome == GateOutcome::Undecided && s.detectable.is_some())
        {
            true => " What runs would have seen they show 4 times in 5.",
            false => "",
        };
        Some(format!(
            "Gates, at {} confidence: {tests}.{seen}",
            self.confidence_percent
        ))
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
        .chain(&remarks::lines(&step.remarks))
        .try_for_each(|note| writeln!(f, "  {}", Printable(note)))
}

fn row(m: &MetricComparison) -> [String; 6] {
    [
        m.metric.to_string(),
        m.a_words(),
        m.b_words(),
        m.change_words(),
        m.interval_words(),
        m.verdict_words(),
    ]
}

impl MetricComparison {
    /// A's mean for people.
    pub fn a_words(&self) -> String {
        self.metric.show(self.mean_a)
    }

    /// B's mean for people.
    pub fn b_words(&self) -> String {
        self.metric.show(self.mean_b)
    }

    /// The change for people: `-1.25 %`.
    pub fn change_words(&self) -> String {
        let change = self.change_percent();
        change.map_or("-".into(), |v| format!("{v:+.2} %"))
    }

    /// Half of the change's 95 % interval for people.
    pub fn interval_words(&self) -> String {
        let half = self.half_width_percent();
        half.map_or("-".into(), |v| format!("± {v:.2} %"))
    }

    /// The verdict for people, with the chance that it rests on.
    pub fn verdict_words(&self) -> String {
        match (self.outcome, self.p_holm, self.basis) {
            (Outcome::NoVerdict, _, Basis::WithinRuns) => "no verdict (within run)".into(),
            (Outcome::NoVerdict, ..) => {
                format!("no verdict ({} and {} runs)", self.runs_a, self.runs_b)
            }
            (outcome, None, _) => outcome.to_string(),
            (outcome, Some(p), basis) => {
                let chance = gate_words::chance(p);
                match basis {
                    Basis::BetweenRepeats => format!("{outcome} within these sittings ({chance})"),
                    _ => format!("{outcome} ({chance})"),
                }
            }
        }
    }
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
