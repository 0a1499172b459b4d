//! Findings as GitHub's workflow commands: each becomes an annotation of the file.

use super::FilePlace;
use crate::Audit;
use plimsoll_diagnostic::Sources;
use plimsoll_evidence::Severity;

/// One command a line.
pub fn github(audit: &Audit, sources: &Sources) -> String {
    let mut lines = Vec::new();
    for found in &audit.findings {
        let level = match found.finding.severity {
            Severity::Invalid => "error",
            Severity::Suspect => "warning",
            Severity::Note => "notice",
        };
        lines.push(annotation(
            level,
            super::places(found, sources).first(),
            &found.title(),
            &found.finding.with_remedy(),
        ));
    }
    lines.join("\n")
}

/// One command.
pub(super) fn annotation(
    level: &str,
    place: Option<&FilePlace>,
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some(place) = place {
        properties.push(format!("file={}", property(&place.file)));
        properties.push(format!("line={}", place.line));
        properties.push(format!("endLine={}", place.end_line));
        // Columns are taken of one line only.
        if place.line == place.end_line {
            properties.push(format!("col={}", place.column));
            properties.push(format!("endColumn={}", place.end_column));
        }
    }
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}", properties.join(","), data(message))
}

/// What may stand behind the second `::`, as the runner's toolkit escapes it.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// What may stand in a property: commas and colons end one.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_a_command_or_begins_one() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
    }
}
