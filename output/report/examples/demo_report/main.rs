//! Writes an HTML report of made-up evidence, to look at and to test the page with.
//!
//! `cargo run -p plimsoll-report --example demo_report -- out.html [CASE]`, where CASE is `curve` (the default),
//! `single`, `many`, `empty`, `long`, `array`, `arrays`, `paths`, `parts`, `fleet`, `method` or `hostile`.

mod answers;
mod arrays;
mod cases;
mod fleet;
mod parts;
mod synthetic;

use cases::Case;
use plimsoll_evidence::{HostInterval, Interval, StepEvidence};
use plimsoll_permit::output::{OutputPermit, Rules};
use plimsoll_plan::Claim;
use plimsoll_record::RunStatus;
use plimsoll_report::html::{self, Budget, HostSeries, Measured, Run, StepSeries, Written};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let case = arguments.next().unwrap_or_else(|| "curve".to_owned());
    let (Some(path), Some(case)) = (path, Case::named(&case)) else {
        eprintln!("usage: demo_report OUT.html [{}]", Case::NAMES.join("|"));
        return ExitCode::from(2);
    };
    match render(&case).and_then(|page| write(Path::new(&path), &page)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(path: &Path, page: &str) -> Result<(), Box<dyn std::error::Error>> {
    // The page's tests write over their own again and again, on whatever file system they are on.
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    Ok(OutputPermit::ask(path, &rules)?.write(page.as_bytes())?)
}

fn render(case: &Case) -> Result<String, Box<dyn std::error::Error>> {
    let budget = Budget::new(case.steps.len(), case.environment.targets.len());
    // Where nothing else is known, each stream has a target of its own.
    let known = case.steps.first().map_or(0, |s| s.streams.len());
    let streams: Vec<usize> = match known {
        0 => (0..case.environment.targets.len()).collect(),
        _ => case.steps[0]
            .streams
            .iter()
            .map(|s| s.target as usize)
            .collect(),
    };
    let series: Vec<StepSeries> = case
        .steps
        .iter()
        .zip(&case.intervals)
        .map(|(step, intervals)| {
            let mut series =
                StepSeries::new(step, step.counted_intervals.1, Some(&streams), budget);
            intervals.iter().for_each(|interval| series.push(interval));
            series.finish()
        })
        .collect();
    let hosts = hosts(case);
    let data = html::data(&Run {
        environment: &case.environment,
        steps: &case.steps,
        series: &series,
        hosts: &hosts,
        verdicts: &case.verdicts,
        findings: &case.findings,
        claim: Claim::Sustained,
        status: &RunStatus::Completed,
        incomplete: case.incomplete,
        measured: &Measured {
            title: Some("A demonstration".to_owned()),
            facts: vec![
                ("Block", "8.00 KiB".to_owned()),
                ("Mix", "70% read, 30% write".to_owned()),
                ("Addresses", "random, 75% of reads in 1.00 MiB".to_owned()),
                ("Content", "unique".to_owned()),
                ("Depth", "64".to_owned()),
            ],
            written: [
                ("job.toml", "title = \"A demonstration\"\n", false),
                ("command line", "# long\n", true),
            ]
            .map(|(name, text, cut)| Written {
                name: name.to_owned(),
                text: text.to_owned(),
                cut,
            })
            .into(),
            plan: Some("{\n  \"title\": \"A demonstration\"\n}".to_owned()),
        },
    });
    Ok(html::page(&data)?)
}

fn hosts(case: &Case) -> Vec<HostSeries> {
    let hosts = case.environment.hosts().count();
    let of_step = |(step, intervals): (&StepEvidence, &Vec<Interval>)| {
        let count = step.counted_intervals.1;
        let mut series = HostSeries::new(step, count, hosts, case.steps.len());
        let told = intervals.iter().map(HostInterval::of);
        told.for_each(|interval| series.push(&interval));
        series.finish()
    };
    let steps = case.steps.iter().zip(&case.of_hosts);
    steps.filter_map(of_step).collect()
}
