//! Rows come in the order of their key, each once.

/// Checks that keys rise. The pages of a damaged table may lead to each other in circles, and its rows then come again
/// and again without an end.
#[derive(Debug)]
pub(crate) struct Ascending<K> {
    table: &'static str,
    last: Option<K>,
}

impl<K: PartialOrd> Ascending<K> {
    /// Before the first row of a table.
    pub(crate) fn of(table: &'static str) -> Self {
        Ascending { table, last: None }
    }

    /// The key of the next row.
    pub(crate) fn next(&mut self, key: K) -> rusqlite::Result<()> {
        if self.last.as_ref().is_some_and(|last| *last >= key) {
            let what = format!("the rows of its table {} are not in order", self.table);
            return Err(crate::error::damaged(what));
        }
        self.last = Some(key);
        Ok(())
    }
}
