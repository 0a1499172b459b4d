//! A record as a page.

use super::{Budget, HtmlError, Run, StepSeries, data, page};
use plimsoll_record::{Record, RecordError, RunStatus};
use serde::Deserialize;

/// The part of a step's definition that the page needs.
#[derive(Deserialize)]
struct Definition {
    streams: Vec<StreamTarget>,
}

#[derive(Deserialize)]
struct StreamTarget {
    target: usize,
}

/// The HTML report of a record: one file, which any browser shows without a network.
///
/// # Errors
/// [`HtmlError::NoViewer`] where the program was built without Node; [`HtmlError::Record`] where the record can't be
/// read.
pub fn render(record: &Record) -> Result<String, HtmlError> {
    let steps = record.steps()?;
    let environment = record.environment();
    let budget = Budget::new(steps.len(), environment.targets.len());
    let mut series = Vec::with_capacity(steps.len());
    for step in &steps {
        let targets = stream_targets(record, step.number)?;
        let known = match &targets {
            Some(list) => Some(list.as_slice()),
            None if environment.targets.len() <= 1 => Some(&[][..]),
            None => None,
        };
        let mut one = StepSeries::new(step, known, budget);
        record.each_interval(step.number, |interval| one.push(&interval))?;
        series.push(one.finish());
    }
    let incomplete = incomplete(record)?;
    page(&data(&Run {
        environment,
        steps: &steps,
        series: &series,
        verdicts: &record.verdicts()?,
        findings: &record.findings()?,
        incomplete: incomplete.as_deref(),
    })?)
}

/// The target of each stream; `None` where the definition doesn't say.
fn stream_targets(record: &Record, step: u32) -> Result<Option<Vec<usize>>, RecordError> {
    let definition = record.step_json(step)?;
    let parsed = definition.and_then(|json| serde_json::from_str::<Definition>(&json).ok());
    Ok(parsed.map(|d| d.streams.iter().map(|s| s.target).collect()))
}

/// Why the record isn't whole, and what is missing; `None` where it is.
fn incomplete(record: &Record) -> Result<Option<String>, RecordError> {
    let status = match record.status() {
        RunStatus::Completed => return Ok(None),
        RunStatus::Running => {
            "The run was not finished: it still goes on, or it was killed.".to_owned()
        }
        RunStatus::Interrupted => "The run was interrupted.".to_owned(),
        RunStatus::Failed(why) => format!("The run could not go on: {why}."),
    };
    let mut text = status;
    for step in record.started_steps()? {
        let intervals = record.interval_count(step.number)?;
        text += &format!(
            " Of {}, {intervals} intervals were recorded; it is not in this report.",
            step.name
        );
    }
    Ok(Some(text))
}
