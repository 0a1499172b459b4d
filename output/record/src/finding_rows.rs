//! Findings and verdicts as rows, read back.

use plimsoll_evidence::{Finding, Severity, Verdict};
use rusqlite::{Connection, types::Type};

const SEVERITIES: [(Severity, &str); 3] = [
    (Severity::Note, "note"),
    (Severity::Suspect, "suspect"),
    (Severity::Invalid, "invalid"),
];

/// The word of the `severity` column.
pub(crate) fn severity_word(severity: Severity) -> &'static str {
    SEVERITIES
        .into_iter()
        .find(|(s, _)| *s == severity)
        .map_or("note", |(_, word)| word)
}

/// All findings, in the order in which they were added.
pub(crate) fn findings(db: &Connection) -> rusqlite::Result<Vec<Finding>> {
    db.prepare("SELECT rule, severity, step, message FROM findings ORDER BY finding")?
        .query_map([], |row| {
            let word: String = row.get(1)?;
            let severity = SEVERITIES.into_iter().find(|(_, w)| *w == word);
            Ok(Finding {
                rule: row.get(0)?,
                severity: severity.map_or(Severity::Note, |(s, _)| s),
                step: row.get(2)?,
                message: row.get(3)?,
            })
        })?
        .collect()
}

/// All verdicts, in the order in which they were added.
pub(crate) fn verdicts(db: &Connection) -> rusqlite::Result<Vec<Verdict>> {
    db.prepare("SELECT body FROM verdicts ORDER BY verdict")?
        .query_map([], |row| {
            let body = row.get_ref(0)?.as_str()?;
            serde_json::from_str(body)
                .map_err(|e| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(e)))
        })?
        .collect()
}
