//! A comparison as one offline HTML page.
//!
//! It is written whole, here, in the look of the report (`viewer/src/page.css` gives both their colours and type), and has
//! no script: its content security policy allows its one style, by its hash, and nothing else.

mod chart;
pub mod element;
pub mod style;

use element::{heading, list, prose, row, table, text};
use plimsoll_record::compare::{
    Comparison, FactDifference, GateResult, MetricComparison, StepComparison, remark_lines,
    steps_of,
};
use std::fmt::Write;

/// The page as one text, which any browser shows without a network.
pub fn page(comparison: &Comparison) -> String {
    let style = style::sheet();
    let policy = [
        "default-src 'none'".to_string(),
        format!("style-src-elem '{}'", style::hash(&style)),
        "img-src data:".to_string(),
        "base-uri 'none'".to_string(),
        "form-action 'none'".to_string(),
    ]
    .join("; ");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Comparison – Plimsoll</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{style}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        body(comparison)
    )
}

fn body(comparison: &Comparison) -> String {
    let mut page = header(comparison);
    page += &differences(comparison);
    page += &gates(comparison);
    for step in &comparison.steps {
        page += &section(step);
    }
    let lone = [("A", &comparison.only_in_a), ("B", &comparison.only_in_b)];
    let lone = lone.iter().filter(|(_, names)| !names.is_empty());
    let lone = lone.map(|(side, names)| format!("Only in {side}: {}", names.join(", ")));
    let notes: Vec<String> = lone
        .chain(comparison.notes.iter().cloned())
        .chain(remark_lines(&comparison.remarks))
        .collect();
    if !notes.is_empty() {
        let _ = writeln!(
            page,
            "<section>{}{}</section>",
            heading("Notes"),
            list(&notes)
        );
    }
    page
}

/// Header: the answer, and the runs that it is of.
fn header(comparison: &Comparison) -> String {
    let mut header = String::from(
        "<header><div class=\"masthead\"><span class=\"brand\"><svg viewBox=\"0 0 24 16\" aria-hidden=\"true\">\
         <path d=\"M1 8H23M12 2a6 6 0 1 0 .01 0Z\"/></svg>Plimsoll</span><span>comparison</span></div>\n",
    );
    let _ = writeln!(header, "<h1>{}</h1>", prose(&comparison.answer()));
    let sides = [
        ("A", &comparison.a, comparison.runs_a),
        ("B", &comparison.b, comparison.runs_b),
    ];
    let rows: String = sides
        .iter()
        .map(|(side, records, runs)| {
            row(
                &[
                    (side, ""),
                    (&runs.to_string(), ""),
                    (&records.join(", "), "words"),
                ],
                "",
            )
        })
        .collect();
    header += &table(&["side", "runs", "records"], &rows);
    let _ = writeln!(
        header,
        "<p class=\"basis\">{} confidence; order by start: {}</p></header>",
        comparison.confidence_percent,
        text(&comparison.order)
    );
    header
}

/// Differences, which stand first: without them no number means anything.
fn differences(comparison: &Comparison) -> String {
    let fact = |fact: &FactDifference, of: &str| {
        let name = format!("{}{of}", fact.name);
        row(
            &[
                (&name, ""),
                (&fact.a_words(), "words"),
                (&fact.b_words(), "words"),
            ],
            "",
        )
    };
    let mut page = String::new();
    if !comparison.measured.is_empty() {
        let of = |d| steps_of(comparison, d);
        let rows: String = comparison
            .measured
            .iter()
            .map(|d| fact(&d.fact, &of(d)))
            .collect();
        let _ = writeln!(
            page,
            "<section>{}<p class=\"flag\">{}</p>{}</section>",
            heading("Not the same measurement"),
            text(comparison.on_differences()),
            table(&["", "A", "B"], &rows)
        );
    }
    if !comparison.environment.is_empty() {
        let rows: String = comparison.environment.iter().map(|d| fact(d, "")).collect();
        let _ = writeln!(
            page,
            "<section>{}{}</section>",
            heading("Not the same build, host or target"),
            table(&["", "A", "B"], &rows)
        );
    }
    page
}

fn gates(comparison: &Comparison) -> String {
    let Some(basis) = comparison.gates_basis() else {
        return String::new();
    };
    let rows: String = comparison.gates.iter().map(gate).collect();
    format!(
        "<section>{}<p class=\"basis\">{}</p>{}</section>\n",
        heading("Gates"),
        text(&basis),
        table(&["gate", "step", "", ""], &rows)
    )
}

fn gate(gate: &GateResult) -> String {
    let steps = gate.steps.iter().map(|step| {
        let outcome = step.outcome.to_string();
        row(
            &[
                (&gate.gate, ""),
                (&step.step, "words"),
                (&outcome, "outcome"),
                (&step.text, "words"),
            ],
            &outcome,
        )
    });
    steps.collect()
}

fn section(step: &StepComparison) -> String {
    let notes: Vec<String> = step
        .notes
        .iter()
        .cloned()
        .chain(remark_lines(&step.remarks))
        .collect();
    let rows: String = step.metrics.iter().map(metric).collect();
    format!(
        "<section>{}{}{}{}</section>\n",
        heading(&step.name),
        chart::of(&step.metrics),
        table(&["", "A", "B", "change", "95 %", "verdict"], &rows),
        list(&notes)
    )
}

fn metric(metric: &MetricComparison) -> String {
    row(
        &[
            (metric.metric.name(), ""),
            (&metric.a_words(), ""),
            (&metric.b_words(), ""),
            (&metric.change_words(), ""),
            (&metric.interval_words(), ""),
            (&metric.verdict_words(), "words"),
        ],
        "",
    )
}
