//! Gates of a comparison for those who show results of tests: JUnit's XML for CI, Markdown for a summary or a comment.

use plimsoll_printable::{Printable, xml};
use plimsoll_record::compare::{
    Comparison, FactDifference, GateOutcome, MetricComparison, remark_lines, steps_of,
};
use std::fmt::Write;

/// Gates as JUnit's XML: a suite for each gate, a case for each step. What is undecided counts as skipped: it passed nothing, and
/// failed nothing.
pub fn junit(comparison: &Comparison) -> String {
    let all = comparison.gates.iter().flat_map(|gate| &gate.steps);
    let count = |of| all.clone().filter(|step| step.outcome == of).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plimsoll compare\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        all.clone().count(),
        count(GateOutcome::Fails),
        count(GateOutcome::Undecided)
    );
    for gate in &comparison.gates {
        let of_gate = |of| gate.steps.iter().filter(|s| s.outcome == of).count();
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
            xml::escaped(&gate.gate),
            gate.steps.len(),
            of_gate(GateOutcome::Fails),
            of_gate(GateOutcome::Undecided)
        );
        for step in &gate.steps {
            let case = format!(
                "    <testcase classname=\"{}\" name=\"{}\"",
                xml::escaped(&gate.gate),
                xml::escaped(&step.step)
            );
            let text = xml::escaped(&step.text);
            let _ = match step.outcome {
                GateOutcome::Passes => {
                    writeln!(
                        out,
                        "{case}>\n      <system-out>{text}</system-out>\n    </testcase>"
                    )
                }
                GateOutcome::Fails => {
                    writeln!(
                        out,
                        "{case}>\n      <failure message=\"{text}\"/>\n    </testcase>"
                    )
                }
                GateOutcome::Undecided => {
                    writeln!(
                        out,
                        "{case}>\n      <skipped message=\"undecided: {text}\"/>\n    </testcase>"
                    )
                }
            };
        }
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

/// The comparison as Markdown: its sides, what is not the same, the gates, the figures of each step, and what is to be borne in mind.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::from("## plimsoll compare\n\n");
    let order = format!("Order by start: {}", comparison.order);
    out.extend(comparison.sides().iter().chain([&order]).map(|l| item(l)));
    out += &differences(comparison);
    if !comparison.gates.is_empty() {
        out += "\n| gate | step | outcome | |\n|---|---|---|---|\n";
    }
    for gate in &comparison.gates {
        for step in &gate.steps {
            let outcome = match step.outcome {
                GateOutcome::Passes => "passes",
                GateOutcome::Fails => "**fails**",
                GateOutcome::Undecided => "*undecided*",
            };
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "| `{}` | {} | {outcome} | {} |",
                gate.gate,
                cell(&step.step),
                cell(&step.text)
            );
        }
    }
    out + &figures(comparison) + &remarks(comparison)
}

/// Differences, which stand before what was measured: without them no number means anything.
fn differences(comparison: &Comparison) -> String {
    let fact = |fact: &FactDifference, of: &str| {
        let (a, b) = (fact.a_words(), fact.b_words());
        item(&format!("{}{of}: A {a}; B {b}", fact.name))
    };
    let mut out = String::new();
    if !comparison.measured.is_empty() {
        out += "\n**Not the same measurement:**\n\n";
        let all = comparison.measured.iter();
        out.extend(all.map(|d| fact(&d.fact, &steps_of(comparison, d))));
        let _ = writeln!(out, "\n{}", cell(comparison.on_differences()));
    }
    if !comparison.environment.is_empty() {
        out += "\nNot the same build, host or target:\n\n";
        out.extend(comparison.environment.iter().map(|d| fact(d, "")));
    }
    out
}

fn figures(comparison: &Comparison) -> String {
    let mut out = String::new();
    if !comparison.steps.is_empty() {
        out += "\n| step | | A | B | change | 95 % | verdict |\n|---|---|--:|--:|--:|--:|---|\n";
    }
    for step in &comparison.steps {
        let row = |m: &MetricComparison| {
            let words = [
                m.a_words(),
                m.b_words(),
                m.change_words(),
                m.interval_words(),
                m.verdict_words(),
            ];
            format!(
                "| {} | {} | {} |\n",
                cell(&step.name),
                m.metric,
                words.map(|w| cell(&w)).join(" | ")
            )
        };
        out.extend(step.metrics.iter().map(row));
    }
    out
}

/// Remarks to bear in mind, of the steps and of all.
fn remarks(comparison: &Comparison) -> String {
    let mut all = Vec::new();
    for step in &comparison.steps {
        let said = step
            .notes
            .iter()
            .cloned()
            .chain(remark_lines(&step.remarks));
        all.extend(said.map(|text| format!("{}: {text}", step.name)));
    }
    for (side, names) in [("A", &comparison.only_in_a), ("B", &comparison.only_in_b)] {
        if !names.is_empty() {
            all.push(format!("Only in {side}: {}", names.join(", ")));
        }
    }
    all.extend(comparison.notes.iter().cloned());
    all.extend(remark_lines(&comparison.remarks));
    if all.is_empty() {
        return String::new();
    }
    let lines: String = all.iter().map(|text| item(text)).collect();
    format!("\n{lines}")
}

fn item(text: &str) -> String {
    format!("- {}\n", cell(text))
}

/// Text in a cell or a line: nothing in it is markup, and no `@team` calls anybody.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in Printable(text).to_string().chars() {
        if "\\`*_{}[]<>#|~".contains(c) {
            out.push('\\');
        }
        out.push(c);
        if c == '@' {
            // Of no width, it parts the sign from the name.
            out.push('\u{200b}');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_no_markup() {
        assert_eq!(
            cell("a|b<img>\n[x](y) @team"),
            "a\\|b\\<img\\>\\\\n\\[x\\](y) @\u{200b}team"
        );
    }
}
