//! A method's figures and tables.

use super::Detail;
use super::style::{Paint, Style};
use super::table::{Column, Table};
use crate::quantity::{interval, quantity, word};
use plimsoll_evidence::{Figure, MethodChart, MethodTable, MethodVerdict, Quantity, TableCell};

/// Rows of a table that are shown; the others are counted.
const ROWS: usize = 200;

/// The figures with their intervals and remarks; empty where there are none. In brief, those that could not be found out are one line.
pub(super) fn figures(figures: &[Figure], detail: Detail, style: &Style) -> String {
    let unknown = |f: &&Figure| f.quantity.is_none();
    let folded: Vec<&Figure> = match detail {
        Detail::Brief => figures.iter().filter(unknown).collect(),
        Detail::Full => Vec::new(),
    };
    if folded.len() < 2 {
        return all_figures(figures, style);
    }
    let seen: Vec<Figure> = figures.iter().filter(|f| !unknown(f)).cloned().collect();
    let named: Vec<String> = folded.iter().map(|f| word(&f.label)).collect();
    let line = format!(
        "not seen, {} of {} (why: plimsoll show): {}",
        folded.len(),
        figures.len(),
        named.join("; ")
    );
    all_figures(&seen, style) + &style.sentence(0, &line) + "\n"
}

fn all_figures(figures: &[Figure], style: &Style) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let long = |figure: &&Figure| remark(figure).len() > REMARK;
    let all = figure_rows(figures, true);
    // A sentence beside a number makes no column: it goes below.
    if all.width() <= style.width && !figures.iter().any(|f| long(&f)) {
        return all.render(style);
    }
    let mut out = figure_rows(figures, false).render(style);
    for figure in figures.iter().filter(|f| f.remark.is_some()) {
        let line = format!("{}: {}", word(&figure.label), remark(figure));
        out.push_str(&style.sentence(0, &line));
        out.push('\n');
    }
    out
}

/// A longer remark does not stand in the table.
const REMARK: usize = 40;

fn remark(figure: &Figure) -> String {
    word(figure.remark.as_deref().unwrap_or_default())
}

fn figure_rows(figures: &[Figure], remarks: bool) -> Table {
    let mut table = Table::new(vec![
        Column::text("figure"),
        Column::number("value"),
        Column::text("95 %").droppable(1),
        Column::text(""),
    ]);
    for figure in figures {
        let remark = if remarks {
            remark(figure)
        } else {
            String::new()
        };
        let row = vec![
            word(&figure.label),
            value(figure.quantity.as_ref()),
            ends(figure.quantity.as_ref(), figure.interval),
            remark,
        ];
        table.row(row, None);
    }
    table
}

/// Figures, tables and charts that are read with an answer.
pub(super) struct ReadWith<'v> {
    pub figures: &'v [Figure],
    pub tables: Vec<&'v MethodTable>,
    pub charts: &'v [MethodChart],
}

/// Figures, rows of tables and charts that a person reads. So many figures sum up tables that are longer.
const FIGURES_READ: usize = 40;
const ROWS_READ: usize = 30;
const SUM_UP: usize = 12;
const CHARTS_READ: usize = 2;

/// Parts that are read with the answer: in brief not the tables of words alone, nor those that a chart draws, nor all of many.
pub(super) fn read_with(verdict: &MethodVerdict, detail: Detail) -> ReadWith<'_> {
    let number = |c: &TableCell| c.quantity.as_ref().and_then(Quantity::number).is_some();
    let drawn = |t: &MethodTable| verdict.charts.iter().any(|c| c.title == t.title);
    let is_read = |t: &&MethodTable| {
        detail == Detail::Full || (t.rows.iter().flatten().any(number) && !drawn(t))
    };
    let mut tables: Vec<&MethodTable> = verdict.tables.iter().filter(is_read).collect();
    let (mut figures, mut charts) = (verdict.figures.len(), verdict.charts.len());
    if detail == Detail::Brief {
        let mut rows = 0;
        tables.retain(|table| {
            rows += table.rows.len();
            rows <= ROWS_READ.max(table.rows.len())
        });
        if rows > ROWS_READ && figures > SUM_UP {
            tables.clear();
        }
        figures = figures.min(FIGURES_READ);
        charts = charts.min(CHARTS_READ);
    }
    ReadWith {
        figures: &verdict.figures[..figures],
        tables,
        charts: &verdict.charts[..charts],
    }
}

/// A table below its title. One of words that is too wide is a list.
pub(super) fn table(of: &MethodTable, style: &Style) -> String {
    let title = style.paint(Paint::Heading, &word(&of.title));
    let shown = &of.rows[..of.rows.len().min(ROWS)];
    let cell = |row: &[TableCell], at: usize| row.get(at).cloned().unwrap_or_default();
    let is_word = |at: usize| {
        let word = |c: TableCell| matches!(c.quantity, Some(Quantity::Text(_)) | None);
        shown.iter().all(|row| word(cell(row, at)))
    };
    let words: Vec<bool> = (0..of.columns.len()).map(is_word).collect();
    let mut columns = Vec::new();
    for (at, column) in of.columns.iter().enumerate() {
        let label = word(&column.label);
        let named = match words[at] {
            true => Column::text(label.clone()),
            false => Column::number(label.clone()),
        };
        // The last go first, and intervals before all; the first column says what a row is of.
        let order = u8::try_from(at).unwrap_or(100).min(100);
        columns.push(match at {
            0 => named,
            _ => named.droppable(order),
        });
        columns.push(Column::text(format!("{label} 95 %")).droppable(order + 100));
    }
    let mut table = Table::new(columns);
    for row in shown {
        let cells = (0..of.columns.len()).flat_map(|at| {
            let cell = cell(row, at);
            let known = cell.quantity.as_ref();
            [value(known), ends(known, cell.interval)]
        });
        table.row(cells.collect(), None);
    }
    let body = match words.iter().all(|w| *w) && table.width() > style.width {
        true => list(of, shown, style),
        false => table.render(style),
    };
    let more = match of.rows.len() - shown.len() {
        0 => String::new(),
        n => format!("({n} more rows: plimsoll export --csv --rows cells)\n"),
    };
    format!("{title}\n{body}{more}")
}

/// Each row as a sentence.
fn list(of: &MethodTable, rows: &[Vec<TableCell>], style: &Style) -> String {
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, (column, cell)) in of.columns.iter().zip(row).enumerate() {
            let value = value(cell.quantity.as_ref());
            let label = word(&column.label);
            line.push_str(&match (at, label.is_empty()) {
                (0, _) => format!("{value}: "),
                (_, true) => format!("{value}; "),
                (_, false) => format!("{label}: {value}; "),
            });
        }
        let line = line.trim_end_matches([' ', ';', ':']);
        out.push_str(&style.sentence(0, line));
        out.push('\n');
    }
    out
}

fn value(of: Option<&Quantity>) -> String {
    of.map_or_else(|| "—".to_owned(), quantity)
}

fn ends(of: Option<&Quantity>, known: Option<(f64, f64)>) -> String {
    match (of, known) {
        (Some(of), Some(ends)) => interval(of, ends),
        _ => String::new(),
    }
}
