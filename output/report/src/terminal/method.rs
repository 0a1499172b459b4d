//! The verdict of a method: its sentence, then its figures.

use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::{Figure, MethodVerdict, Quantity};
use plimsoll_printable::{Printable, printable};

/// The sentence, the figures with their intervals, and the doubts.
pub(super) fn method(verdict: &MethodVerdict, style: &Style) -> String {
    let heading = format!("{}: {}", Printable(&verdict.run), Printable(&verdict.class));
    let mut out = style.paint(Paint::Heading, &heading);
    out.push('\n');
    out.push_str(&style.sentence(0, &printable(&verdict.sentence)));
    out.push('\n');
    let mut table = Table::new(vec![
        Column::text("figure"),
        Column::number("value"),
        Column::text("95 %"),
        Column::text("").droppable(1),
    ]);
    for figure in &verdict.figures {
        table.row(row(figure), None);
    }
    if !verdict.figures.is_empty() {
        out.push_str(&table.render(style));
    }
    for finding in &verdict.findings {
        out.push_str(&style.paint(Paint::Warn, "Note"));
        out.push_str("       ");
        out.push_str(&style.sentence(11, &printable(&finding.message)));
        out.push('\n');
    }
    style.characters(out)
}

fn row(figure: &Figure) -> Vec<String> {
    let value = figure
        .quantity
        .as_ref()
        .map_or_else(|| "—".to_owned(), quantity);
    let interval = match (&figure.quantity, figure.interval) {
        (Some(of), Some((low, high))) => {
            format!("{} to {}", number(of, low), number(of, high))
        }
        _ => String::new(),
    };
    let remark = figure.remark.as_deref().unwrap_or_default();
    vec![
        Printable(&figure.label).to_string(),
        value,
        interval,
        Printable(remark).to_string(),
    ]
}

/// A quantity as people read it.
pub(super) fn quantity(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Count(n) => human::count(*n),
        Quantity::Bytes(n) => human::bytes(*n),
        Quantity::Text(text) => Printable(text).to_string(),
        Quantity::Seconds(n)
        | Quantity::Ns(n)
        | Quantity::Share(n)
        | Quantity::PerSecond(n)
        | Quantity::BytesPerSecond(n)
        | Quantity::Number(n) => number(quantity, *n),
    }
}

/// A number in the unit of a quantity.
fn number(of: &Quantity, n: f64) -> String {
    match of {
        Quantity::Seconds(_) => human::time(n * 1e9),
        Quantity::Ns(_) => human::time(n),
        Quantity::Share(_) => human::percent(n),
        Quantity::PerSecond(_) => format!("{}/s", human::rate(n)),
        Quantity::BytesPerSecond(_) => format!("{}/s", human::bytes(n.max(0.0) as u64)),
        Quantity::Bytes(_) => human::bytes(n.max(0.0) as u64),
        Quantity::Count(_) | Quantity::Number(_) | Quantity::Text(_) => human::rate(n),
    }
}
