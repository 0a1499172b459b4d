//! A table that fits its terminal: columns are left out, the least important first, and named below.

use super::style::{Paint, Style};
use plimsoll_printable::printable;

/// One column.
pub(super) struct Column {
    title: String,
    left: bool,
    /// Larger is left out sooner; `None` never is.
    drop: Option<u8>,
}

impl Column {
    /// Text, aligned to the left, never left out.
    pub(super) fn text(title: impl Into<String>) -> Self {
        Column {
            title: title.into(),
            left: true,
            drop: None,
        }
    }

    /// A number, aligned to the right, never left out.
    pub(super) fn number(title: impl Into<String>) -> Self {
        Column {
            title: title.into(),
            left: false,
            drop: None,
        }
    }

    /// Left out where the table is too wide; larger goes sooner.
    pub(super) fn droppable(mut self, order: u8) -> Self {
        self.drop = Some(order);
        self
    }
}

/// Rows of text under columns.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<(Vec<String>, Option<Paint>)>,
}

impl Table {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        Table {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row: a cell for each column.
    pub(super) fn row(&mut self, cells: Vec<String>, paint: Option<Paint>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        let shown = cells.iter().map(|c| printable(c).into_owned()).collect();
        self.rows.push((shown, paint));
    }

    /// Columns of all that it has, with nothing left out.
    pub(super) fn width(&self) -> usize {
        let widths = (0..self.columns.len()).map(|c| self.width_of(c));
        let shown: Vec<usize> = widths.filter(|w| *w > 0).collect();
        shown.iter().map(|w| w + 2).sum::<usize>().saturating_sub(2)
    }

    /// The table, each line ended; columns that are empty in all rows are not shown.
    pub(super) fn render(&self, style: &Style) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|c| self.width_of(c)).collect();
        let (shown, left_out) = self.fit(&widths, style.width);
        let mut out = String::new();
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.clone()).collect();
        let heading = self.line(&titles, &shown, &widths);
        out.push_str(&style.paint(Paint::Heading, &heading));
        out.push('\n');
        for (cells, paint) in &self.rows {
            let line = self.line(cells, &shown, &widths);
            out.push_str(&paint.map_or(line.clone(), |p| style.paint(p, &line)));
            out.push('\n');
        }
        if !left_out.is_empty() {
            let line = format!("(left out for want of width: {})", left_out.join(", "));
            out.push_str(&style.paint(Paint::Dim, &line));
            out.push('\n');
        }
        out
    }

    /// Width of a column's widest cell; 0 where all are empty.
    fn width_of(&self, column: usize) -> usize {
        let cells = self
            .rows
            .iter()
            .map(|(cells, _)| cells[column].chars().count());
        match cells.max().unwrap_or(0) {
            0 => 0,
            widest => widest.max(self.columns[column].title.chars().count()),
        }
    }

    /// The columns that fit into `available`, and the titles of those that don't.
    fn fit(&self, widths: &[usize], available: usize) -> (Vec<usize>, Vec<String>) {
        let mut shown: Vec<usize> = (0..widths.len()).filter(|c| widths[*c] > 0).collect();
        let mut left_out = Vec::new();
        let total = |shown: &[usize]| shown.iter().map(|c| widths[*c] + 2).sum::<usize>();
        while total(&shown) > available + 2 {
            let last = shown
                .iter()
                .copied()
                .filter(|c| self.columns[*c].drop.is_some())
                .max_by_key(|c| self.columns[*c].drop);
            let Some(last) = last else { break };
            shown.retain(|c| *c != last);
            let title = &self.columns[last].title;
            if !left_out.contains(title) {
                left_out.push(title.clone());
            }
        }
        (shown, left_out)
    }

    fn line(&self, cells: &[String], shown: &[usize], widths: &[usize]) -> String {
        let parts: Vec<String> = shown
            .iter()
            .map(|&c| {
                let (text, width) = (&cells[c], widths[c]);
                if self.columns[c].left {
                    format!("{text:<width$}")
                } else {
                    format!("{text:>width$}")
                }
            })
            .collect();
        parts.join("  ").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut t = Table::new(vec![
            Column::text("step"),
            Column::number("rate"),
            Column::number("p50").droppable(2),
            Column::number("MiB/s").droppable(1),
            Column::text("note"),
        ]);
        t.row(
            vec![
                "rd1".into(),
                "1,400".into(),
                "98.4us".into(),
                "5.47".into(),
                "".into(),
            ],
            None,
        );
        t.row(
            vec![
                "rd1_(10%)".into(),
                "140".into(),
                "—".into(),
                "0.55".into(),
                "".into(),
            ],
            None,
        );
        t
    }

    #[test]
    fn columns_align_and_empty_ones_are_not_shown() {
        let text = table().render(&Style::plain(80));
        assert_eq!(
            text,
            "step        rate     p50  MiB/s\n\
             rd1        1,400  98.4us   5.47\n\
             rd1_(10%)    140       —   0.55\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_named() {
        let text = table().render(&Style::plain(24));
        assert_eq!(
            text,
            "step        rate  MiB/s\n\
             rd1        1,400   5.47\n\
             rd1_(10%)    140   0.55\n\
             (left out for want of width: p50)\n"
        );
    }
}
