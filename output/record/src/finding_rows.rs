//! Findings and verdicts as rows, read back.

use crate::error::damaged;
use crate::reading::Ascending;
use crate::row::insert;
use plimsoll_evidence::{Finding, Severity, Value, Verdict};
use rusqlite::Connection;

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

/// Adds a finding.
pub(crate) fn write(db: &Connection, finding: &Finding) -> rusqlite::Result<()> {
    insert(
        db,
        "findings",
        &[
            ("rule", &finding.rule),
            ("severity", &severity_word(finding.severity)),
            ("step", &finding.step),
            ("message", &lines(finding)),
            ("seen", &seen(&finding.values)?),
        ],
    )
}

/// The message, and on a line of its own what to do.
fn lines(finding: &Finding) -> String {
    match finding.remedy.is_empty() {
        true => finding.message.clone(),
        false => format!("{}\n{}", finding.message, finding.remedy),
    }
}

/// The values as JSON; `NULL` where there are none. What has no form in JSON is left out: else nobody could read the others.
fn seen(values: &[Value]) -> rusqlite::Result<Option<String>> {
    let finite: Vec<&Value> = values.iter().filter(|v| v.is_finite()).collect();
    match finite.is_empty() {
        true => Ok(None),
        false => serde_json::to_string(&finite)
            .map(Some)
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into())),
    }
}

/// A number that grows with each finding; 0 where there is none.
pub(crate) fn last(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(finding), 0) FROM findings")?
        .query_row([], |row| row.get(0))
}

/// All findings, in the order in which they were added.
pub(crate) fn findings(db: &Connection) -> rusqlite::Result<Vec<Finding>> {
    let mut order = Ascending::of("findings");
    db.prepare("SELECT * FROM findings ORDER BY finding")?
        .query_map([], |row| {
            order.next(row.get::<_, i64>("finding")?)?;
            let word: String = row.get("severity")?;
            let severity = SEVERITIES.into_iter().find(|(_, w)| *w == word);
            let seen: Option<String> = row.get("seen")?;
            let values = seen.map_or(Ok(Vec::new()), |seen| {
                serde_json::from_str(&seen)
                    .map_err(|e| damaged(format!("the values of a finding in it: {e}")))
            });
            let lines: String = row.get("message")?;
            let (message, remedy) = lines.split_once('\n').unwrap_or((&lines, ""));
            Ok(Finding {
                rule: row.get("rule")?,
                severity: severity.map_or(Severity::Note, |(s, _)| s),
                step: row.get("step")?,
                values: values?,
                message: message.to_string(),
                remedy: remedy.to_string(),
            })
        })?
        .collect()
}

/// All verdicts, in the order in which they were added.
pub(crate) fn verdicts(db: &Connection) -> rusqlite::Result<Vec<Verdict>> {
    let mut order = Ascending::of("verdicts");
    db.prepare("SELECT body, verdict FROM verdicts ORDER BY verdict")?
        .query_map([], |row| {
            order.next(row.get::<_, i64>(1)?)?;
            let body = row.get_ref(0)?.as_str()?;
            serde_json::from_str(body).map_err(|e| damaged(format!("a verdict in it: {e}")))
        })?
        .collect()
}
