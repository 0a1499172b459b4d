//! A whole parameter file as typed definitions, and the checks that hold before any run is known.

use super::codes;
use super::file_checks;
use super::model::{
    self, FileSystem, FileWorkload, General, Host, Reference, RunDefinition, Storage, Workload,
};
use super::names::Names;
use super::object::{Objects, ObjectsOfKind};
use super::report::{Report, Stop};
use super::section::Section;
use plimsoll_diagnostic::{Diagnostic, Span, nearest};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// All definitions, references resolved.
#[derive(Debug)]
pub struct Definition {
    /// General parameters.
    pub general: General,
    /// Hosts.
    pub hosts: Vec<Host>,
    /// The last `hd=default`, which this host has, too, where no host is named.
    pub default_host: Option<Host>,
    /// Storage.
    pub storages: Vec<Storage>,
    /// File systems.
    pub file_systems: Vec<FileSystem>,
    /// Workloads.
    pub workloads: Vec<Workload>,
    /// File-system workloads, `fwd=format` among them.
    pub file_workloads: Vec<FileWorkload>,
    /// The last `wd=default`, for runs that name storage but no workload.
    pub default_workload: Workload,
    /// The last `fwd=default`, for runs that name file systems but no workload.
    pub default_file_workload: FileWorkload,
    /// Runs.
    pub runs: Vec<RunDefinition>,
    /// The first replay group.
    pub replay_group: Option<Span>,
}

/// Reads all definitions.
pub(crate) fn read(mut objects: Objects, report: &mut Report) -> Result<Definition, Stop> {
    let general = model::general(&objects.general, report);
    let hosts: ObjectsOfKind = objects.of(Section::Host);
    let default_host = hosts.default.map(|o| model::host(&o, report));
    let hosts = hosts
        .objects
        .iter()
        .map(|o| model::host(o, report))
        .collect();
    let mut storages = Vec::new();
    for object in &objects.of(Section::Storage).objects {
        storages.extend(model::storage(object, report)?);
        report.bounded()?;
    }
    let mut file_systems = Vec::new();
    for object in &objects.of(Section::FileSystem).objects {
        file_systems.extend(model::file_system(object, report)?);
        report.bounded()?;
    }
    let workloads: ObjectsOfKind = objects.of(Section::Workload);
    let default_workload = model::workload(&workloads.default_or_empty(), report);
    let file_workloads: ObjectsOfKind = objects.of(Section::FileWorkload);
    let default_file_workload = model::file_workload(&file_workloads.default_or_empty(), report);
    let mut definition = Definition {
        general,
        hosts,
        default_host,
        storages,
        file_systems,
        workloads: Vec::new(),
        file_workloads: Vec::new(),
        default_workload,
        default_file_workload,
        runs: Vec::new(),
        replay_group: objects
            .of(Section::ReplayGroup)
            .objects
            .first()
            .map(|o| o.span),
    };
    for object in &workloads.objects {
        definition.workloads.push(model::workload(object, report));
        report.bounded()?;
    }
    for object in &file_workloads.objects {
        definition
            .file_workloads
            .push(model::file_workload(object, report));
        report.bounded()?;
    }
    for object in &objects.of(Section::Run).objects {
        definition.runs.push(model::run(object, report));
        report.bounded()?;
    }
    definition.check(report)?;
    Ok(definition)
}

impl Definition {
    fn check(&self, report: &mut Report) -> Result<(), Stop> {
        if self.runs.is_empty() && !report.failed() {
            report.add(
                Diagnostic::error(codes::EMPTY, "there is no run definition")
                    .help("add rd=rd1,wd=wd1,iorate=max,elapsed=60,interval=1"),
            );
        }
        unique(
            "sd",
            self.storages.iter().map(|s| (s.name.as_str(), s.span)),
            report,
        );
        unique(
            "fsd",
            self.file_systems.iter().map(|s| (s.name.as_str(), s.span)),
            report,
        );
        self.check_reduction(report);
        self.check_references(report)?;
        for workload in &self.workloads {
            self.check_workload(workload, report);
        }
        if self.general.concatenate {
            self.check_joined(report);
        }
        for workload in self.file_workloads.iter().filter(|w| w.name != "format") {
            file_checks::workload(workload, report);
        }
        check_anchors(&self.file_systems, report);
        for run in &self.runs {
            check_replay(run, report);
        }
        Ok(())
    }

    fn check_reduction(&self, report: &mut Report) {
        let general = &self.general.reduction;
        if let Some(span) = self.general.origins.of("pattern")
            && self.general.pattern.is_some()
            && general.compression.is_some()
        {
            report.add(
                Diagnostic::error(codes::CONFLICT, "`pattern=` excludes `compratio=`")
                    .at(span, "the data is this file's")
                    .help("leave one of them out"),
            );
        }
        let own = self
            .storages
            .iter()
            .find_map(|s| s.reduction.over(general).check());
        if let Some(diagnostic) = general.check().or(own) {
            report.add(diagnostic);
        }
    }

    /// Names that are given must exist, used or not; the storage of a workload only where a run uses it, as in Vdbench.
    fn check_references(&self, report: &mut Report) -> Result<(), Stop> {
        let mut labels: Vec<String> = vec!["localhost".to_string()];
        for host in &self.hosts {
            let clients = host.clients.unwrap_or(0);
            report.charge(1 + clients, host.span)?;
            labels.push(host.label.clone());
            labels.extend((0..clients).map(|n| format!("{}_cl{n}", host.label)));
        }
        let hosts = Names::new(labels.iter().map(String::as_str));
        let file_systems = Names::new(self.file_systems.iter().map(|s| s.name.as_str()));
        for storage in &self.storages {
            hosts.find(&storage.hosts, "hd", "host", report)?;
        }
        for workload in &self.workloads {
            hosts.find(&workload.hosts, "hd", "host", report)?;
        }
        for workload in &self.file_workloads {
            no_wildcards(&workload.hosts, report);
            hosts.find(&workload.hosts, "hd", "host", report)?;
            file_systems.find(&workload.file_systems, "fsd", "file system", report)?;
        }
        Ok(())
    }

    fn check_workload(&self, workload: &Workload, report: &mut Report) {
        if workload.threads.is_some() && !self.general.concatenate {
            let span = workload.origins.of("threads").unwrap_or(workload.span);
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!("wd={} has threads=", workload.name),
                )
                .at(span, "threads belong to the sd, or to the rd")
                .note("a wd has threads of its own only with concatenatesds=yes")
                .help("move threads= to the sd, or to the rd as forthreads="),
            );
        }
        if workload.skew.is_some() && workload.rate.is_some() {
            let span = workload.origins.of("skew").unwrap_or(workload.span);
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!("wd={} has both iorate= and skew=", workload.name),
                )
                .at(span, "a rate of its own, or a share of the run's, not both"),
            );
        }
    }

    /// What has no meaning where storage is joined end to end.
    fn check_joined(&self, report: &mut Report) {
        let of_storage = ["hitarea", "offset", "align", "range"];
        let storages = self.storages.iter().map(|s| (&s.origins, &of_storage[..]));
        let workloads = self
            .workloads
            .iter()
            .map(|w| (&w.origins, &["rhpct", "whpct"][..]));
        for (origins, names) in storages.chain(workloads) {
            for (name, span) in names.iter().filter_map(|n| Some((n, origins.of(n)?))) {
                report.add(
                    Diagnostic::error(
                        codes::CONFLICT,
                        format!("`{name}=` cannot be used with concatenatesds=yes"),
                    )
                    .at(span, "the storage is joined end to end"),
                );
            }
        }
    }
}

/// The hosts of a file-system workload are named one by one.
fn no_wildcards(hosts: &[Reference], report: &mut Report) {
    for host in hosts.iter().filter(|h| h.pattern.ends_with('*')) {
        report.add(
            Diagnostic::error(
                codes::UNKNOWN_NAME,
                format!("no host is called `{}`", host.pattern),
            )
            .at(host.span, "a fwd takes no wildcards for its hosts")
            .help("name each host"),
        );
    }
}

/// Complains about a reference that finds nothing.
pub(crate) fn unknown<'a>(
    opener: &str,
    what: &str,
    reference: &Reference,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Diagnostic {
    let pattern = &reference.pattern;
    let shown = super::reader::shorten(pattern);
    let diagnostic =
        Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no {what} `{shown}`"))
            .at(reference.span, format!("no {opener}= fits this"));
    if pattern.contains('\\') {
        let meant = pattern.replace('\\', "");
        return diagnostic
            .help("`*` needs no backslash")
            .patch(reference.span, meant);
    }
    // Names by the thousand make no suggestion better.
    if let Some(meant) = nearest(pattern.trim_end_matches('*'), names.clone().take(2000)) {
        return diagnostic.help(format!("did you mean `{meant}`?"));
    }
    let known: Vec<&str> = names.take(8).collect();
    match known.is_empty() {
        true => diagnostic.note(format!("the file defines no {opener}=")),
        false => diagnostic.note(format!("defined are {}", known.join(", "))),
    }
}

/// Names that `count=` made may meet others.
fn unique<'a>(kind: &str, names: impl Iterator<Item = (&'a str, Span)>, report: &mut Report) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for (name, span) in names {
        match seen.get(name) {
            Some(first) if *first != span && !report.failed() => report.add(
                Diagnostic::error(
                    codes::DUPLICATE,
                    format!("`{kind}={name}` is defined twice"),
                )
                .at(span, "the second definition")
                .at(*first, "the first definition"),
            ),
            Some(_) => {}
            None => {
                seen.insert(name, span);
            }
        }
    }
}

/// One file system inside another would be deleted with it.
fn check_anchors(file_systems: &[FileSystem], report: &mut Report) {
    let anchors: HashSet<&Path> = file_systems
        .iter()
        .map(|f| Path::new(f.anchor.as_str()))
        .collect();
    for inner in file_systems {
        let path = Path::new(inner.anchor.as_str());
        // A path has few ancestors unless it was made to have many.
        let outer = path
            .ancestors()
            .skip(1)
            .take(256)
            .find(|a| !a.as_os_str().is_empty() && anchors.contains(a));
        if let Some(outer) = outer {
            report.add(
                Diagnostic::error(
                    codes::CONFLICT,
                    format!("the anchor {} is inside {}", inner.anchor, outer.display()),
                )
                .at(
                    inner.origins.of("anchor").unwrap_or(inner.span),
                    "anchors may not be nested",
                ),
            );
        }
    }
}

/// The trace of a replay must be there, as Vdbench wants it before anything else.
fn check_replay(run: &RunDefinition, report: &mut Report) {
    if let Some((file, span)) = &run.replay
        && !Path::new(file).is_file()
    {
        report.add(
            Diagnostic::error(
                codes::REPLAY,
                format!("the trace `{}` is not there", super::reader::shorten(file)),
            )
            .at(*span, "no such file")
            .note("replays cannot be run in this version"),
        );
    }
}

impl Definition {
    /// The file-system workload of a run; `None`: the default one.
    pub(crate) fn file_workload(&self, index: Option<usize>) -> &FileWorkload {
        match index {
            Some(at) => &self.file_workloads[at],
            None => &self.default_file_workload,
        }
    }

    /// How many hosts a workload runs on: those that it names, else all; each client of a host is one.
    pub(crate) fn host_count(&self, named: &[Reference]) -> u64 {
        let used = |label: &str| named.is_empty() || named.iter().any(|r| r.matches(label));
        self.hosts
            .iter()
            .filter(|h| used(&h.label))
            .map(|h| h.clients.unwrap_or(1).max(1))
            .sum()
    }

    /// Puts in the times of the command line.
    pub(crate) fn apply(&mut self, overrides: &super::input::Overrides) {
        for run in &mut self.runs {
            run.elapsed = overrides.elapsed.unwrap_or(run.elapsed);
            run.warmup = overrides.warmup.unwrap_or(run.warmup);
            run.interval = overrides.interval.unwrap_or(run.interval);
        }
    }
}
