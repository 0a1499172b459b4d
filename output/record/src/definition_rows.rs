//! The definition as it was written: its files, those that they include, and what the command line changed.

use crate::error::damaged;
use crate::numbers::{count, int};
use crate::row::{check_name, insert};
use rusqlite::Connection;

/// Bytes that are kept of all names and texts together; what is cut says how long it was.
const KEPT: usize = 1 << 20;

/// A text that the plan was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionText {
    /// A path as it was given, or what else it is known by.
    pub name: String,
    /// Length of the text when it was read, bytes.
    pub bytes: u64,
    /// The text; its beginning where it was too long to be kept.
    pub text: String,
}

impl DefinitionText {
    /// A whole text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        DefinitionText {
            name: name.into(),
            bytes: text.len() as u64,
            text,
        }
    }

    /// True where its end is missing.
    pub fn is_cut(&self) -> bool {
        (self.text.len() as u64) < self.bytes
    }
}

/// Adds texts in their order, as much of them as is kept.
pub(crate) fn write(db: &Connection, texts: &[DefinitionText]) -> rusqlite::Result<()> {
    let mut room = KEPT;
    for (index, text) in texts.iter().enumerate() {
        check_name(&text.name)?;
        // A row takes room even where it says nothing, as [`read`] counts it.
        let Some(left) = room.checked_sub(text.name.len() + 1) else {
            break;
        };
        let most = left.min(text.text.len());
        let fits = |at: &usize| text.text.is_char_boundary(*at);
        let end = (0..=most).rev().find(fits).unwrap_or(0);
        room = left + 1 - end.max(1);
        insert(
            db,
            "definition_texts",
            &[
                ("number", &(index as i64 + 1)),
                ("name", &text.name),
                ("bytes", &int(text.bytes)),
                ("text", &&text.text[..end]),
            ],
        )?;
    }
    Ok(())
}

/// All texts, in their order.
pub(crate) fn read(db: &Connection) -> rusqlite::Result<Vec<DefinitionText>> {
    let mut statement =
        db.prepare_cached("SELECT name, bytes, text FROM definition_texts ORDER BY number")?;
    let mut rows = statement.query([])?;
    let (mut texts, mut room) = (Vec::new(), KEPT);
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str()?;
        check_name(name)?;
        let text = row.get_ref(2)?.as_str()?;
        // A row takes memory even where it says nothing.
        let needed = name.len() + text.len().max(1);
        room = room.checked_sub(needed).ok_or_else(|| {
            damaged(format!(
                "the texts of its definition are longer than {KEPT} bytes"
            ))
        })?;
        texts.push(DefinitionText {
            name: name.to_owned(),
            bytes: count(row.get(1)?),
            text: text.to_owned(),
        });
    }
    Ok(texts)
}
