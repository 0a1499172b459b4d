//! `[workload.NAME]`.

use super::forms::QUOTA;
use super::given::{Given, Wrong};
use super::holding::arrival;
use super::host;
use super::keys::{SHAPE, WORKLOAD};
use super::operations;
use super::replay::asked::{AskedReplay, replay};
use super::report::Report;
use super::shape::Setting;
use super::target;
use super::verify::verify;
use super::words::{count, positive, rate, size, time, unit, word};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{
    Arrival, Caching, Durability, Ends, FileWork, HostId, LogSizes, Quota, Rate, Replay, TargetId,
    VerifySpec, Window,
};
use toml::de::DeTable;

/// A workload as it was written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What results call it, where that is another one.
    pub called: Option<String>,
    /// Where it runs.
    pub targets: Vec<TargetId>,
    /// What it looks like, where it says so.
    pub settings: Vec<Setting>,
    /// Choice of a tree's files, and whether it makes the tree.
    pub files: FileWork,
    /// Caching of the files of a tree that it opens, where it says so.
    pub caching: Option<Caching>,
    /// Durability of its writes to the files of a tree, where it says so.
    pub durability: Option<Durability>,
    /// Number of its opening on each of its targets; the first where there are none.
    pub openings: Vec<u32>,
    /// Its part of the load.
    pub share: Option<f64>,
    /// A rate of its own.
    pub rate: Option<Rate>,
    /// The gaps of that rate.
    pub arrival: Option<Arrival>,
    /// Order among rates of their own.
    pub priority: Option<u32>,
    /// A depth of its own, on each target.
    pub depth: Option<u32>,
    /// Who carries it out; empty: whoever has its targets.
    pub hosts: Vec<HostId>,
    /// When it works.
    pub window: Window,
    /// What ends it, on each target.
    pub quota: Quota,
    /// The workloads behind whose ends it begins, by name.
    pub after: Vec<String>,
    /// Its group.
    pub group: u32,
    /// What ends with it.
    pub ends: Ends,
    /// How its data is verified.
    pub verify: Option<VerifySpec>,
    /// Whose writes it reads back.
    pub read_back: Option<String>,
    /// The log that it replays.
    pub replay: Option<AskedReplay>,
    /// That log for each of its targets.
    pub recorded: Vec<(Replay, LogSizes)>,
    /// Where its keys were written: (key, place).
    pub places: Vec<(&'static str, Span)>,
}

/// Reads one workload.
pub fn read(
    report: &mut Report<'_>,
    name: &str,
    table: &DeTable<'_>,
    targets: &[String],
    hosts: &[String],
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
        if entry.key.name == "to" {
            let part = report.text(entry);
            let index = part.and_then(|part| report.lookup("target", &part, targets));
            workload.files.to = index.map(|index| TargetId(index as u32));
            continue;
        }
        if entry.key.name == "called" {
            workload.called = report.text(entry).map(|part| part.text);
            continue;
        }
        if entry.key.name == "after" {
            let parts = report.texts(entry).unwrap_or_default();
            workload.after = parts.into_iter().map(|part| part.text).collect();
            continue;
        }
        if entry.key.name == "read_back" {
            workload.read_back = report.text(entry).map(|part| part.text);
            continue;
        }
        if entry.key.name == "hosts" {
            workload.hosts = host::named(report, entry, hosts);
            continue;
        }
        let Some(given) = report.one(entry) else {
            continue;
        };
        match entry.key.name {
            "share" => workload.share = report.accept(entry, word(&given).and_then(positive)),
            "rate" => workload.rate = report.accept(entry, word(&given).and_then(rate)),
            "arrival" => {
                let read = given.check(entry.key.form).and_then(|()| arrival(&given));
                workload.arrival = report.accept(entry, read);
            }
            "group" => {
                let group = report.accept(entry, word(&given).and_then(|g| count(g, 0)));
                workload.group = group.unwrap_or_default();
            }
            "ends" => {
                let read = given.check(entry.key.form).and_then(|()| word(&given));
                workload.ends = match report.accept(entry, read).map(|part| part.text.as_str()) {
                    Some("group") => Ends::Group,
                    Some("run") => Ends::Step,
                    _ => Ends::Itself,
                };
            }
            "rounds" => {
                workload.files.rounds =
                    report.accept(entry, word(&given).and_then(|part| count(part, 1)));
            }
            "select" | "share_files" | "per_file" | "leave_one_out" | "make" => {
                let read = operations::set(&mut workload.files, entry.key, &given);
                report.accept(entry, read);
            }
            "caching" => {
                let read = given
                    .check(entry.key.form)
                    .and_then(|()| target::caching(&given));
                workload.caching = report.accept(entry, read);
            }
            "durability" => {
                let read = given
                    .check(entry.key.form)
                    .and_then(|()| target::durability(&given));
                workload.durability = report.accept(entry, read);
            }
            "replay" => workload.replay = report.accept(entry, replay(&given)),
            "verify" => workload.verify = report.accept(entry, verify(&given)),
            "quota" => workload.quota = report.accept(entry, quota(&given)).unwrap_or_default(),
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
            "ramp" => {
                let ramp = report.accept(entry, word(&given).and_then(time));
                workload.window.ramp = ramp.unwrap_or_default();
            }
            "stop" => workload.window.until = report.accept(entry, word(&given).and_then(time)),
            _ => workload
                .settings
                .extend(report.accept(entry, Setting::read(entry.key, &given))),
        }
    }
    without_rate(report, &workload);
    if !workload.places.iter().any(|(key, _)| *key == "targets") {
        // It works on all the others.
        let to = workload.files.to;
        workload.targets.retain(|target| Some(*target) != to);
    }
    workload
}

/// What orders or spaces the I/Os of a rate is for workloads that have one.
fn without_rate(report: &mut Report<'_>, workload: &Workload) {
    if workload.rate.is_some() {
        return;
    }
    let name = &workload.name;
    let idle = [
        (
            workload.priority.is_some(),
            "priority",
            format!("workload `{name}` has a priority but no rate"),
            "a priority orders the workloads that have a rate of their own",
        ),
        (
            workload.arrival.is_some(),
            "arrival",
            format!("workload `{name}` has arrivals but no rate"),
            "they are those of a rate of its own; the run's `arrival` is that of its load",
        ),
    ];
    for (is_idle, key, message, note) in idle {
        let place = workload.places.iter().find(|(k, _)| *k == key);
        let (true, Some((_, place))) = (is_idle, place) else {
            continue;
        };
        report.push(
            Diagnostic::error("bad-value", message)
                .at(*place, "goes with `rate`")
                .note(note)
                .help(format!("add rate = RATE, or leave the {key} out")),
        );
    }
}

/// `{ bytes = "1g", ios = 1000, passes = 2 }`
fn quota(given: &Given) -> Result<Quota, Wrong> {
    given.check(&QUOTA)?;
    let number = |name| given.get(name).map(|p| count(p, 1)).transpose();
    let quota = Quota {
        bytes: given.get("bytes").map(size).transpose()?,
        ios: number("ios")?,
        passes: number("passes")?,
    };
    match quota.is_none() {
        true => {
            Err(Wrong::new(&given.whole, "there is no end in it")
                .remedy("write bytes, ios or passes"))
        }
        false => Ok(quota),
    }
}
