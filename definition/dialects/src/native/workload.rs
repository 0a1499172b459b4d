//! `[workload.NAME]`.

use super::keys::{SHAPE, WORKLOAD};
use super::report::Report;
use super::shape::{Setting, word};
use super::words::{count, positive, rate, time, unit};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Rate, TargetId, Window};
use toml::de::DeTable;

/// A workload as it was written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub targets: Vec<TargetId>,
    /// What it looks like, where it says so.
    pub settings: Vec<Setting>,
    /// Its part of the load.
    pub share: Option<f64>,
    /// A rate of its own.
    pub rate: Option<Rate>,
    /// Order among rates of their own.
    pub priority: Option<u32>,
    /// A depth of its own, on each target.
    pub depth: Option<u32>,
    /// When it works.
    pub window: Window,
    /// Where its keys were written: (key, place).
    pub places: Vec<(&'static str, Span)>,
}

/// Reads one workload.
pub fn read(
    report: &mut Report<'_>,
    name: &str,
    table: &DeTable<'_>,
    targets: &[String],
) -> Workload {
    let mut workload = Workload {
        name: name.to_string(),
        targets: (0..targets.len()).map(|i| TargetId(i as u32)).collect(),
        ..Workload::default()
    };
    for entry in report.entries("a workload", table, &[&WORKLOAD, &SHAPE]) {
        let place = report.span(entry.value.span());
        workload.places.push((entry.key.name, place));
        if entry.key.name == "targets" {
            let parts = report.texts(entry).unwrap_or_default();
            workload.targets.clear();
            for part in parts {
                let Some(index) = report.lookup("target", &part, targets) else {
                    continue;
                };
                let id = TargetId(index as u32);
                if workload.targets.contains(&id) {
                    let span = report.span(part.span.unwrap_or(0..0));
                    report.push(
                        Diagnostic::error(
                            "twice",
                            format!("target `{}` is named twice", part.text),
                        )
                        .at(span, ""),
                    );
                } else {
                    workload.targets.push(id);
                }
            }
            if workload.targets.is_empty() && !report.failed() {
                report.push(
                    Diagnostic::error("bad-value", format!("workload `{name}` runs on no target"))
                        .at(place, "an empty list")
                        .help("name a target, or leave the key out for all of them"),
                );
            }
            continue;
        }
        let Some(given) = report.one(entry) else {
            continue;
        };
        match entry.key.name {
            "share" => workload.share = report.accept(entry, word(&given).and_then(positive)),
            "rate" => workload.rate = report.accept(entry, word(&given).and_then(rate)),
            "priority" => {
                workload.priority = report.accept(entry, word(&given).and_then(|p| count(p, 1)))
            }
            "depth" => {
                workload.depth = report.accept(entry, word(&given).and_then(|d| count(d, 1)))
            }
            "start" => {
                let start = report.accept(entry, word(&given).and_then(unit));
                workload.window.from = start.unwrap_or_default();
            }
            "stop" => workload.window.until = report.accept(entry, word(&given).and_then(time)),
            _ => workload
                .settings
                .extend(report.accept(entry, Setting::read(entry.key, &given))),
        }
    }
    if let (Some(_), None) = (workload.priority, workload.rate)
        && let Some((_, place)) = workload.places.iter().find(|(k, _)| *k == "priority")
    {
        report.push(
            Diagnostic::error(
                "bad-value",
                format!("workload `{name}` has a priority but no rate"),
            )
            .at(*place, "goes with `rate`")
            .note("a priority orders the workloads that have a rate of their own")
            .help("add rate = RATE, or leave the priority out"),
        );
    }
    workload
}
