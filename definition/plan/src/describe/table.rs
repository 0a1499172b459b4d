//! Columns that line up.

use plimsoll_printable::printable;

/// Text in columns.
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
    right: [bool; N],
}

impl<const N: usize> Table<N> {
    /// A table with these headings.
    pub(super) fn new(headings: [&str; N]) -> Self {
        Table {
            rows: vec![headings.map(str::to_string)],
            right: [false; N],
        }
    }

    /// Aligns these columns to the right.
    pub(super) fn right(&mut self, columns: &[usize]) {
        for column in columns {
            self.right[*column] = true;
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(|c| printable(c).into_owned()));
    }

    /// The lines, two spaces between columns.
    pub(super) fn text(&self) -> String {
        let width = |c: usize| {
            self.rows
                .iter()
                .map(|r| r[c].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: [usize; N] = std::array::from_fn(width);
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(widths)
                .zip(self.right)
                .map(|((cell, width), right)| match right {
                    true => format!("{cell:>width$}"),
                    false => format!("{cell:<width$}"),
                })
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}
