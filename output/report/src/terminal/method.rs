//! The verdict of a method: its sentence, its figures, its tables and charts, and what is doubtful of it.

use super::Detail;
use super::amounts::plural;
use super::answer_tables::{figures, read_with, table};
use super::bars::bars;
use super::cells::cells;
use super::plot::plot;
use super::style::{Paint, Style};
use plimsoll_evidence::{ChartKind, Finding, MethodChart, MethodVerdict, Severity};
use plimsoll_printable::{Printable, printable};

/// All of a verdict, whatever the method.
pub(super) fn method(verdict: &MethodVerdict, detail: Detail, style: &Style) -> String {
    let mut out = heading(verdict, style);
    out.push('\n');
    out.push_str(&style.sentence(0, &printable(&verdict.sentence)));
    out.push('\n');
    let mut part = |text: String| {
        if !text.is_empty() {
            out.push('\n');
            out.push_str(&text);
        }
    };
    let read = read_with(verdict, detail);
    part(figures(read.figures, detail, style));
    for one in &read.tables {
        part(table(one, style));
    }
    for chart in read.charts {
        part(drawn(chart, style));
    }
    let more = [
        (verdict.figures.len() - read.figures.len(), "figure"),
        (verdict.tables.len() - read.tables.len(), "table"),
        (verdict.charts.len() - read.charts.len(), "chart"),
    ];
    let more = more.into_iter().filter(|(count, _)| *count > 0);
    let more: Vec<String> = more.map(|(n, what)| plural(n as u64, what)).collect();
    if !more.is_empty() {
        let line = format!("more: {} (plimsoll show)", more.join(", "));
        part(style.sentence(0, &line) + "\n");
    }
    // What is doubtful the audit says, in brief nobody else.
    let said = |f: &&Finding| detail == Detail::Full || f.severity == Severity::Note;
    let all: Vec<Finding> = verdict.findings.iter().filter(said).cloned().collect();
    part(findings(&all, style));
    style.characters(out)
}

/// Method, run and class: `Soak of night: cliff`.
fn heading(verdict: &MethodVerdict, style: &Style) -> String {
    let mut letters = verdict.method.chars();
    let capital = letters.next().map(|c| c.to_ascii_uppercase());
    let method: String = capital.into_iter().chain(letters).collect();
    let of = match verdict.run == verdict.method {
        // The name of a run that nobody named.
        true => String::new(),
        false => format!(" of {}", Printable(&verdict.run)),
    };
    let named = format!("{}{of}: {}", Printable(&method), Printable(&verdict.class));
    let heading = style.paint(Paint::Heading, &named);
    match verdict.decided {
        true => heading,
        false => format!("{heading} {}", style.paint(Paint::Warn, "(not decided)")),
    }
}

/// A chart below its title; a sentence where it has no room.
fn drawn(chart: &MethodChart, style: &Style) -> String {
    let picture = match chart.kind {
        ChartKind::Lines => plot(chart, style),
        ChartKind::Bars => bars(chart, style),
        ChartKind::Heat => cells(chart, style),
    };
    let title = style.paint(Paint::Heading, &Printable(&chart.title).to_string());
    if picture.is_empty() {
        let why = match chart.series.iter().all(|s| s.points.is_empty()) {
            true => "(nothing to draw)",
            false => {
                "(not drawn for want of width or of numbers; it is in the page of plimsoll report)"
            }
        };
        let why = style.paint(Paint::Dim, &style.sentence(0, why));
        return format!("{title}\n{why}\n");
    }
    format!("{title}\n{picture}")
}

/// A line for each, as a curve has its notes.
pub(super) fn findings(all: &[Finding], style: &Style) -> String {
    let mut out = String::new();
    for finding in all {
        let (label, paint) = match finding.severity {
            Severity::Note => ("Note", Paint::Warn),
            Severity::Suspect => ("Suspect", Paint::Warn),
            Severity::Invalid => ("Invalid", Paint::Bad),
        };
        out.push_str(&style.paint(paint, label));
        out.push_str(&" ".repeat(11 - label.len()));
        out.push_str(&style.sentence(11, &printable(&finding.message)));
        out.push('\n');
    }
    out
}
