//! A record as a page.

use super::{Budget, HostSeries, HtmlError, Measured, Run, StepSeries, data, page};
use plimsoll_evidence::StepEvidence;
use plimsoll_plan::{Claim, Plan};
use plimsoll_record::{Record, RecordError, RunStatus};
use serde::Deserialize;
use serde_json::Value;

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
    page(&record_data(record)?)
}

fn record_data(record: &Record) -> Result<Value, HtmlError> {
    let steps = record.steps()?;
    let environment = record.environment();
    let mut series = Vec::with_capacity(steps.len());
    for step in &steps {
        let targets = stream_targets(record, step.number)?;
        // Where nobody says what a stream's target is, each stream has a map of its own.
        let maps = match targets {
            Some(_) => environment.targets.len(),
            None => environment.targets.len().max(STREAMS_ALONE),
        };
        let budget = Budget::new(steps.len(), maps);
        let known = match &targets {
            Some(list) => Some(list.as_slice()),
            None if environment.targets.len() <= 1 => Some(&[][..]),
            None => None,
        };
        let intervals = record.interval_count(step.number)?;
        let mut one = StepSeries::new(step, intervals, known, budget);
        record.each_interval(step.number, |interval| one.push(&interval))?;
        series.push(one.finish());
    }
    let hosts = host_series(record, &steps)?;
    let incomplete = incomplete(record)?;
    Ok(data(&Run {
        environment,
        steps: &steps,
        series: &series,
        hosts: &hosts,
        verdicts: &record.verdicts()?,
        findings: &record.findings()?,
        claim: claim(record),
        status: record.status(),
        incomplete: incomplete.as_deref(),
        measured: &measured(record, &steps)?,
    }))
}

/// Claim that the record's plan stands for; of a plan that another version wrote, what everyone takes a result for.
fn claim(record: &Record) -> Claim {
    let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
    plan.map_or(Claim::default(), |plan| plan.judged_for())
}

/// Courses of the hosts beside each other; nothing of a run on one.
fn host_series(record: &Record, steps: &[StepEvidence]) -> Result<Vec<HostSeries>, RecordError> {
    let hosts = record.environment().hosts().count();
    let mut all = Vec::new();
    if hosts < 2 {
        return Ok(all);
    }
    for step in steps {
        let intervals = record.interval_count(step.number)?;
        let mut one = HostSeries::new(step, intervals, hosts, steps.len());
        record.each_host_interval(step.number, |interval| one.push(&interval))?;
        all.extend(one.finish());
    }
    Ok(all)
}

/// The measurement in words, by the plan and the definition of each step.
fn measured(record: &Record, steps: &[StepEvidence]) -> Result<Measured, RecordError> {
    let mut definitions = Vec::with_capacity(steps.len());
    for step in steps {
        definitions.extend(record.step_json(step.number)?);
    }
    let texts = record.definition_texts()?;
    Ok(Measured::of(&texts, record.plan_json(), &definitions))
}

/// The workload of a record in a line: `8.00 KiB, 70% read, 30% write, random, 32`.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn workload(record: &Record, steps: &[StepEvidence]) -> Result<String, RecordError> {
    let facts = measured(record, steps)?.facts;
    let line = |(name, value): &(&str, String)| match *name {
        "Depth" => format!("depth {value}"),
        _ => value.clone(),
    };
    Ok(facts.iter().map(line).collect::<Vec<_>>().join(", "))
}

/// Maps that a step whose streams' targets aren't known is taken to have.
const STREAMS_ALONE: usize = 16;

/// The target of each stream; `None` where the definition doesn't say, or names one that the environment does not have.
fn stream_targets(record: &Record, step: u32) -> Result<Option<Vec<usize>>, RecordError> {
    let definition = record.step_json(step)?;
    let parsed = definition.and_then(|json| serde_json::from_str::<Definition>(&json).ok());
    let targets: Option<Vec<usize>> = parsed.map(|d| d.streams.iter().map(|s| s.target).collect());
    let known = record.environment().targets.len();
    Ok(targets.filter(|targets| targets.iter().all(|target| *target < known)))
}

/// Reason why the record isn't whole, and what is missing; `None` where it is.
fn incomplete(record: &Record) -> Result<Option<String>, RecordError> {
    let status = match record.status() {
        RunStatus::Completed => return Ok(None),
        RunStatus::Running => {
            "The run was not finished: it still goes on, or it was killed.".to_owned()
        }
        RunStatus::Interrupted => "The run was stopped by hand.".to_owned(),
        RunStatus::Failed(why) => format!("The run could not go on: {why}."),
    };
    let mut text = status;
    for step in record.started_steps()? {
        let intervals = record.interval_count(step.number)?;
        text += &format!(
            " {} was under way and is not in this report (intervals recorded: {intervals}).",
            step.name
        );
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data::fixture;
    use plimsoll_evidence::{Environment, EnvironmentTarget, HostFacts, HostPart, LostHost};
    use plimsoll_measure::Sample;
    use plimsoll_record::Recorder;
    use std::path::Path;

    const DEFINITION: &str = r#"{"streams": [{"target": 1}]}"#;

    /// Two targets, one finished step on the second, and one that was only begun.
    fn write(path: &Path, status: RunStatus) -> Record {
        let environment = Environment {
            targets: vec![EnvironmentTarget::default(); 2],
            ..Default::default()
        };
        let mut recorder =
            Recorder::create(path, &environment, r#"{"title": "Night batch"}"#).unwrap();
        recorder.begin_step(1, "step1", "run", DEFINITION).unwrap();
        for number in 1..=3 {
            let interval = fixture::interval(1, number, 10);
            recorder.append_interval(&interval).unwrap();
        }
        recorder.finish_step(&fixture::step(1, 3)).unwrap();
        if status != RunStatus::Completed {
            recorder.begin_step(2, "step2", "run", DEFINITION).unwrap();
            let interval = fixture::interval(2, 1, 10);
            recorder.append_interval(&interval).unwrap();
        }
        recorder.finish(status).unwrap();
        Record::open(path).unwrap()
    }

    #[test]
    fn a_record_becomes_a_page_with_its_steps_over_time() {
        let folder = tempfile::tempdir().unwrap();
        let record = write(&folder.path().join("a.plim"), RunStatus::Completed);
        let value = record_data(&record).unwrap();
        assert!(value["incomplete"].is_null());
        assert_eq!(
            value["steps"][0]["hosts"],
            serde_json::json!({ "parts": [], "lost": [], "series": null })
        );
        assert_eq!(value["measured"]["title"], "Night batch");
        let series = &value["steps"][0]["series"];
        assert_eq!(series["rate"], serde_json::json!([10.0, 10.0, 10.0]));
        let lanes = series["heat"]["lanes"].as_array().unwrap();
        assert_eq!(lanes.len(), 2, "the stream's target is the second one");
        assert_eq!(series["heat"]["by"], "target");
    }

    /// A step of two seconds that two hosts carried out together, of which the second was lost after the first second.
    fn by_hosts(path: &Path) -> Record {
        let environment = Environment {
            more_hosts: vec![HostFacts::default()],
            targets: vec![EnvironmentTarget::default(); 2],
            ..Default::default()
        };
        let mut recorder = Recorder::create(path, &environment, "{}").unwrap();
        recorder.begin_step(1, "step1", "run", DEFINITION).unwrap();
        for (host, number, ios) in [(1, 1, 30), (2, 1, 12), (1, 2, 28)] {
            let sample = Sample {
                ios,
                timed: ios,
                response_sum_ns: ios * 100_000,
                ..Sample::default()
            };
            let mut interval = fixture::interval(1, number, ios);
            (interval.host, interval.stats.samples) = (host, vec![sample]);
            recorder.append_interval(&interval).unwrap();
        }
        for (number, ios) in [(1, 42), (2, 28)] {
            let together = fixture::interval(1, number, ios);
            recorder.append_interval(&together).unwrap();
        }
        let step = StepEvidence {
            hosts: vec![HostPart {
                ios: 58,
                ..HostPart::new(1, "a")
            }],
            lost_hosts: vec![LostHost {
                host: 2,
                name: "b".into(),
                why: "silent".into(),
            }],
            ..fixture::step(1, 2)
        };
        recorder.finish_step(&step).unwrap();
        recorder.finish(RunStatus::Completed).unwrap();
        Record::open(path).unwrap()
    }

    #[test]
    fn the_hosts_of_a_record_are_beside_each_other_and_the_lost_have_what_they_told() {
        let folder = tempfile::tempdir().unwrap();
        let record = by_hosts(&folder.path().join("a.plim"));
        let value = record_data(&record).unwrap();
        let hosts = &value["steps"][0]["hosts"];
        assert_eq!(hosts["parts"][0]["name"], "a");
        assert_eq!(hosts["parts"][0]["share"], 1.0);
        assert_eq!(hosts["lost"][0]["why"], "silent");
        let lines = serde_json::json!([
            { "host": 1, "rate": [30.0, 28.0], "response_mean_ns": [1e5, 1e5] },
            { "host": 2, "rate": [12.0, null], "response_mean_ns": [1e5, null] },
        ]);
        assert_eq!(hosts["series"]["lines"], lines);
        assert_eq!(hosts["series"]["start_s"], serde_json::json!([0.0, 1.0]));
        // The step over time is that of all together.
        let rate = &value["steps"][0]["series"]["rate"];
        assert_eq!(*rate, serde_json::json!([42.0, 28.0]));
    }

    #[test]
    fn an_interrupted_record_says_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let record = write(&folder.path().join("a.plim"), RunStatus::Interrupted);
        let value = record_data(&record).unwrap();
        assert_eq!(
            value["incomplete"],
            "The run was stopped by hand. step2 was under way and is not in this report (intervals recorded: 1)."
        );
    }

    #[test]
    fn the_page_is_there_exactly_when_the_viewer_was_built() {
        let folder = tempfile::tempdir().unwrap();
        let record = write(&folder.path().join("a.plim"), RunStatus::Completed);
        match render(&record) {
            Ok(page) if cfg!(plimsoll_viewer) => assert!(page.starts_with("<!doctype html>")),
            Err(HtmlError::NoViewer) if !cfg!(plimsoll_viewer) => {}
            other => panic!("{other:?}"),
        }
    }
}
