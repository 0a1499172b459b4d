//! The last lines of a run: its answer, with a label before each line.

use super::style::{Paint, Style};
use crate::AnswerLines;
use plimsoll_printable::printable;

/// Column at which the words behind a label begin.
const INDENT: usize = 9;

/// The answer's lines; nothing follows them.
pub fn answer(of: &AnswerLines, style: &Style) -> String {
    let lines = [
        ("Answer", Some(&of.answer)),
        ("Limit", of.limit.as_ref()),
        ("Trust", Some(&of.trust)),
        ("Record", of.record.as_ref()),
        ("Next", of.next.as_ref()),
    ];
    let mut out = String::new();
    for (label, text) in lines {
        let Some(text) = text else { continue };
        out.push_str(&style.paint(Paint::Heading, label));
        out.push_str(&" ".repeat(INDENT - label.len()));
        out.push_str(&style.sentence(INDENT, &printable(text)));
        out.push('\n');
    }
    style.characters(out)
}
