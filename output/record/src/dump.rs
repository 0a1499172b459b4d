//! A record as text that depends on nothing but the plan, the seed and what was measured.

use crate::{Record, RecordError};
use serde::Serialize;

/// Dump of a record but for wall-clock stamps, the environment and the texts of the definition, as lines of JSON in a
/// stable order. Two runs of the same plan and seed in virtual time give the same text.
pub fn canonical_dump(record: &Record) -> Result<String, RecordError> {
    let mut text = String::new();
    let mut line = |word: &str, body: String| {
        text.push_str(word);
        text.push(' ');
        text.push_str(&body);
        text.push('\n');
    };
    line("status", json(record, record.status())?);
    line("plan", record.plan_json().to_string());
    for (number, name) in record.step_names()? {
        line("step", format!("{number} {name}"));
        line("definition", record.step_json(number)?.unwrap_or_default());
        let mut failed = None;
        record.each_interval(number, |interval| match json(record, &interval) {
            Ok(body) => line("interval", body),
            Err(e) => failed = Some(e),
        })?;
        if let Some(e) = failed {
            return Err(e);
        }
    }
    for step in record.all_steps()? {
        line("evidence", json(record, &step)?);
    }
    for verdict in record.verdicts()? {
        line("verdict", json(record, &verdict)?);
    }
    for finding in record.findings()? {
        line("finding", json(record, &finding)?);
    }
    Ok(text)
}

fn json(record: &Record, value: &impl Serialize) -> Result<String, RecordError> {
    serde_json::to_string(value).map_err(|e| RecordError::Damaged {
        path: record.path().into(),
        what: e.to_string(),
    })
}
