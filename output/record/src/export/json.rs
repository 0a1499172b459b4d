//! A record as one JSON document.

use super::ExportError;
use crate::{Record, RecordError, schema};
use plimsoll_evidence::{StepEvidence, gathered};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;

/// Writes one document: `format`, `schema_version`, `status`, `started_unix_ns`, `environment`, `plan`, `steps` (each with `number`, `name`, `definition`,
/// `evidence` or null, `intervals`), `verdicts`, `findings`. Histograms are sparse: `buckets` of
/// (smallest value in ns, count). It is written interval by interval, so that a long run needs little memory.
pub fn json(record: &Record, out: &mut dyn Write) -> Result<(), ExportError> {
    write!(
        out,
        r#"{{"format":"plimsoll record","schema_version":{},"started_unix_ns":{},"status":"#,
        schema::SCHEMA_VERSION,
        record.started_unix_ns()
    )?;
    value(out, record.status())?;
    out.write_all(br#","environment":"#)?;
    value(out, record.environment())?;
    out.write_all(br#","plan":"#)?;
    stored(record, out, record.plan_json())?;
    out.write_all(br#","steps":["#)?;
    let finished = record.steps()?;
    steps(record, &record.all_steps()?, out)?;
    out.write_all(br#"],"verdicts":"#)?;
    let verdicts = record.verdicts()?;
    value(out, &verdicts)?;
    out.write_all(br#","findings":"#)?;
    value(out, &gathered(&finished, &verdicts, &record.findings()?))?;
    out.write_all(b"}\n")?;
    Ok(())
}

fn steps(
    record: &Record,
    finished: &[StepEvidence],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    for (index, (number, name)) in record.step_names()?.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write!(out, r#"{{"number":{number},"name":"#)?;
        value(out, &name)?;
        out.write_all(br#","definition":"#)?;
        stored(record, out, &record.step_json(number)?.unwrap_or_default())?;
        out.write_all(br#","evidence":"#)?;
        value(out, &finished.iter().find(|s| s.number == number))?;
        out.write_all(br#","intervals":["#)?;
        let mut first = true;
        let mut written = Ok(());
        record.each_interval(number, |interval| {
            if written.is_ok() {
                written = separated(out, &mut first).and_then(|()| value(out, &interval));
            }
        })?;
        written?;
        out.write_all(b"]}")?;
    }
    Ok(())
}

fn separated(out: &mut dyn Write, first: &mut bool) -> std::io::Result<()> {
    if !std::mem::take(first) {
        out.write_all(b",")?;
    }
    Ok(())
}

fn value(out: &mut dyn Write, value: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(out, value).map_err(std::io::Error::from)
}

/// JSON that the record holds as text; checked, because the document must be one.
fn stored(record: &Record, out: &mut dyn Write, text: &str) -> Result<(), ExportError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| RecordError::Damaged {
        path: record.path().into(),
        what: format!("it holds a definition that is no JSON: {e}"),
    })?;
    Ok(value(out, &raw)?)
}
