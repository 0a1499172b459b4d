//! `[host.NAME]`, and the names of hosts elsewhere.

use super::given::{Given, Wrong};
use super::keys::HOST;
use super::report::{Entry, Report};
use super::words::{positive, word};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::hosts::names_somebody;
use plimsoll_plan::{Host, HostId, Location, Shell, TargetId};
use toml::de::DeTable;

/// Reads one host.
pub fn read(report: &mut Report<'_>, name: &str, table: &DeTable<'_>, targets: &[String]) -> Host {
    let mut host = Host::new(name);
    for entry in report.entries("a host", table, &[&HOST]) {
        let span = report.span(entry.value.span());
        host.origins.note(entry.key.name, span);
        match entry.key.name {
            "address" => {
                if let Some(address) = reachable(report, entry) {
                    host.address = address;
                }
            }
            "user" => host.user = reachable(report, entry),
            "paths" => host.paths = paths(report, entry, targets),
            key => {
                let Some(given) = report.one(entry) else {
                    continue;
                };
                let read = given.check(entry.key.form).and_then(|()| word(&given));
                match (key, report.accept(entry, read)) {
                    ("shell", Some(part)) => {
                        host.shell = match part.text.as_str() {
                            "agent" => Shell::Agent,
                            "rsh" => Shell::Rsh,
                            _ => Shell::Ssh,
                        };
                    }
                    ("share", Some(part)) => {
                        host.share = report.accept(entry, positive(part)).unwrap_or(1.0);
                    }
                    _ => {}
                }
            }
        }
    }
    host
}

/// A text that ssh takes for a host or a user, and for no option and no command.
fn reachable(report: &mut Report<'_>, entry: Entry<'_>) -> Option<String> {
    let part = report.text(entry)?;
    let checked = match names_somebody(&part.text) {
        false => Err(Wrong::new(&part, format!("`{}` names nobody", part.text))
            .remedy("write a host name or an address, as \"db1.example.com\" or \"10.0.0.7\"; the user goes into `user`")),
        true => Ok(part.text),
    };
    report.accept(entry, checked)
}

fn paths(
    report: &mut Report<'_>,
    entry: Entry<'_>,
    targets: &[String],
) -> Vec<(TargetId, Location)> {
    let given: Option<Given> = report.one(entry);
    let mut paths = Vec::new();
    for (name, path) in given.map(|g| g.pairs).unwrap_or_default() {
        let Some(target) = report.lookup("target", &name, targets) else {
            continue;
        };
        let location = Location::parse(&path.text).map_err(|e| Wrong::new(&path, e.to_string()));
        let location = report.accept(entry, location);
        paths.extend(location.map(|l| (TargetId(target as u32), l)));
    }
    paths
}

/// The hosts that an entry names.
pub fn named(report: &mut Report<'_>, entry: Entry<'_>, hosts: &[String]) -> Vec<HostId> {
    let mut found: Vec<HostId> = Vec::new();
    for part in report.texts(entry).unwrap_or_default() {
        let Some(index) = report.lookup("host", &part, hosts) else {
            continue;
        };
        let id = HostId(index as u32);
        if found.contains(&id) {
            let span = report.span(part.span.unwrap_or(0..0));
            let message = format!("host `{}` is named twice", part.text);
            report.push(Diagnostic::error("twice", message).at(span, ""));
        }
        found.push(id);
    }
    if found.is_empty() && !report.failed() {
        let span = report.span(entry.value.span());
        report.push(
            Diagnostic::error("bad-value", "no host would carry it out")
                .at(span, "an empty list")
                .help("name a host, or leave the key out for all of them"),
        );
    }
    found.sort_unstable();
    found
}

/// Hosts that both lists name; an empty list names all. `None` where there are none.
pub fn of_both(some: &[HostId], others: &[HostId]) -> Option<Vec<HostId>> {
    match (some.is_empty(), others.is_empty()) {
        (true, _) => Some(others.to_vec()),
        (_, true) => Some(some.to_vec()),
        _ => {
            let both = some.iter().filter(|h| others.contains(h)).copied();
            let both: Vec<HostId> = both.collect();
            (!both.is_empty()).then_some(both)
        }
    }
}
