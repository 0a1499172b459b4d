//! The frame around a chart of characters: a scale at the left, one below.

/// Columns that a chart must have to be worth drawing.
pub(super) const LEAST_COLUMNS: usize = 20;
/// The widest line of a chart.
const WIDEST: usize = 100;
/// Width of the edge between the labels and the cells.
const EDGE: usize = 2;

/// Cells of a chart beside labels of `label` columns, in a terminal of `width`.
pub(super) fn columns(width: usize, label: usize) -> usize {
    width.min(WIDEST).saturating_sub(label + EDGE + 1)
}

/// The cells, row 0 at the bottom, with a label before each row, and the axis below with `foot` before it.
pub(super) fn framed(
    grid: &[Vec<char>],
    label: usize,
    of_row: impl Fn(usize) -> String,
    foot: &str,
) -> String {
    let mut out = String::new();
    for (row, cells) in grid.iter().enumerate().rev() {
        let line: String = cells.iter().collect();
        out.push_str(format!("{:>label$} │{line}", of_row(row)).trim_end());
        out.push('\n');
    }
    let columns = grid.first().map_or(0, Vec::len);
    out.push_str(&format!("{foot:>label$} └{}\n", "─".repeat(columns)));
    out
}

/// The scale below: what stands at the left end, in the middle and at the right end.
pub(super) fn scale(columns: usize, label: usize, [left, middle, right]: [&str; 3]) -> String {
    let letters = |text: &str| text.chars().count();
    let mut line = left.to_owned();
    let middle_at = (columns / 2).saturating_sub(letters(middle) / 2);
    let gap = middle_at.saturating_sub(letters(left)).max(1);
    line.push_str(&" ".repeat(gap));
    line.push_str(middle);
    let right_at = columns.saturating_sub(letters(right));
    line.push_str(&" ".repeat(right_at.saturating_sub(letters(&line)).max(1)));
    line.push_str(right);
    let indent = label + EDGE;
    format!("{:indent$}{line}\n", "")
}

/// A pointer at a column from below, with what is there.
pub(super) fn pointer(column: usize, label: usize, what: &str) -> String {
    let indent = label + EDGE + column;
    format!("{:indent$}▲ {what}\n", "")
}
