//! What of a definition can be run, by the table of keywords.

use crate::vdbench::Parsed;
use crate::vdbench::codes;
use crate::vdbench::keyword::{self, Effect};
use crate::vdbench::model::{Host, Reference, RunDefinition, Unsupported};
use crate::vdbench::run::Work;
use crate::vdbench::section::Section;
use crate::vdbench::simulation;
use plimsoll_diagnostic::{Diagnostic, Sources, Span};
use plimsoll_plan::Origins;
use std::collections::{BTreeSet, HashSet};

/// What is refused, and what has no effect: each keyword once, at its first place.
pub(super) fn judge(parsed: &Parsed) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let definition = &parsed.definition;
    let mut judgement = Judgement {
        sources: &parsed.sources,
        seen: HashSet::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    judgement.all(Section::General, &definition.general.origins);
    judgement.unsupported(&definition.general.unsupported);
    let used = Used::of(parsed);
    for at in &used.storages {
        judgement.all(Section::Storage, &definition.storages[*at].origins);
    }
    for at in &used.workloads {
        if let Some(workload) = simulation::workload(definition, *at) {
            judgement.all(Section::Workload, &workload.origins);
        }
    }
    for run in &definition.runs {
        judgement.run(run);
        judgement.unsupported(&run.unsupported);
    }
    for at in &used.file_workloads {
        let workload = definition.file_workload(*at);
        judgement.all(Section::FileWorkload, &workload.origins);
        judgement.unsupported(&workload.unsupported);
    }
    if !used.file_workloads.is_empty() {
        for file_system in &definition.file_systems {
            judgement.all(Section::FileSystem, &file_system.origins);
        }
    }
    if !used.file_workloads.is_empty() && used.storages.is_empty() {
        let general = &definition.general.origins;
        let given = general
            .iter()
            .filter(|(name, _)| REDUCING.contains(&name.as_str()));
        judgement.warnings.extend(given.map(|(name, span)| {
            let message = format!("`{name}=` has no effect");
            Diagnostic::warning(codes::NO_EFFECT, message).at(*span, UNREDUCED)
        }));
    }
    if let Some(span) = definition.replay_group {
        judgement.one(Section::ReplayGroup, "rg", span);
    }
    for host in used.hosts {
        judgement.host(host);
    }
    (judgement.errors, judgement.warnings)
}

/// Parameters of data that becomes smaller in an array, and why files have none of it.
const REDUCING: [&str; 5] = [
    "compratio",
    "compression",
    "forcompratio",
    "forcompression",
    "dedupratio",
];
const UNREDUCED: &str =
    "the files of a tree are written with data that is all different, and that nothing compresses";

/// Parameters of a run on files alone.
const FOR_FILES: [&str; 20] = [
    "fwd",
    "fsd",
    "fwdrate",
    "format",
    "fordepth",
    "depth",
    "forwidth",
    "width",
    "forfiles",
    "files",
    "forsizes",
    "sizes",
    "fortotalsize",
    "totalsize",
    "forwss",
    "wss",
    "forworkingsetsize",
    "workingsetsize",
    "foroperations",
    "operations",
];

/// Parameters of a run on storage that a run on files has, too.
const FOR_BOTH: [&str; 26] = [
    "rd",
    "maxdata",
    "maxdataread",
    "maxdatawritten",
    "maxdata_read",
    "maxdata_written",
    "curve",
    "stopcurve",
    "elapsed",
    "interval",
    "warmup",
    "pause",
    "distribution",
    "openflags",
    "startcmd",
    "endcmd",
    "forxfersize",
    "xfersize",
    "forthreads",
    "threads",
    "forrdpct",
    "rdpct",
    "readpct",
    "replay",
    "resetlun",
    "resetbus",
];

struct Judgement<'a> {
    sources: &'a Sources,
    seen: HashSet<(Section, String)>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Judgement<'_> {
    fn all(&mut self, section: Section, origins: &Origins) {
        for (name, span) in origins.iter() {
            self.one(section, name, *span);
        }
    }

    /// A run on storage or on files: parameters of the other kind are refused, since they would have no effect. `format=` is one that
    /// Vdbench itself takes on storage, and does nothing for.
    fn run(&mut self, run: &RunDefinition) {
        let on_files = run.file_workloads.is_some() || run.file_systems.is_some();
        for (name, span) in run.origins.iter() {
            let of_files = FOR_FILES.contains(&name.as_str());
            let fits = of_files == on_files || on_files && FOR_BOTH.contains(&name.as_str());
            if fits {
                self.one(Section::Run, name, *span);
            } else if name == "format" {
                let why = "it is for file systems, and this run has none";
                let warning = Diagnostic::warning(codes::NO_EFFECT, "`format=` has no effect");
                self.warnings.push(warning.at(*span, why));
            } else if self.seen.insert((Section::Run, name.clone())) {
                let why = match on_files {
                    true if REDUCING.contains(&name.as_str()) => UNREDUCED,
                    true => "it is not used on files yet",
                    false => "it is for file systems, and this run has none",
                };
                let message = format!("`{name}=` cannot be used: {why}");
                self.errors.push(
                    Diagnostic::error(codes::CANNOT_RUN, message).at(*span, "not in this version"),
                );
            }
        }
        if let (true, Some(span), true) = (run.format.complete, run.format.span, on_files) {
            self.unsupported(&[Unsupported {
                what: "format=complete".to_string(),
                why: "a tree is made anew (yes), completed (restart), deleted (clean), or left as it is (no)"
                    .to_string(),
                span,
            }]);
        }
    }

    fn one(&mut self, section: Section, name: &str, span: Span) {
        let Some(keyword) = keyword::resolve(section.keywords(), name) else {
            return;
        };
        if keyword.effect == Effect::Works || !self.seen.insert((section, name.to_string())) {
            return;
        }
        match keyword.effect {
            Effect::Refused(_) if self.is_off(span) => {}
            Effect::Refused(why) => self.errors.push(
                Diagnostic::error(
                    codes::CANNOT_RUN,
                    format!("`{name}=` cannot be used: {why}"),
                )
                .at(span, "not in this version"),
            ),
            Effect::Nothing(why) => self.warnings.push(
                Diagnostic::warning(codes::NO_EFFECT, format!("`{name}=` has no effect"))
                    .at(span, why),
            ),
            Effect::Works | Effect::Gone => {}
        }
    }

    /// `validate=no` asks for nothing.
    fn is_off(&self, span: Span) -> bool {
        let text = &self.sources.get(span.file).text;
        text.get(span.start as usize..span.end as usize)
            .is_some_and(|t| t.ends_with("=no") || t.ends_with("=off"))
    }

    fn unsupported(&mut self, parts: &[Unsupported]) {
        for part in parts {
            self.errors.push(
                Diagnostic::error(
                    codes::CANNOT_RUN,
                    format!("`{}` cannot be used: {}", part.what, part.why),
                )
                .at(part.span, "not in this version"),
            );
        }
    }

    fn host(&mut self, host: &Host) {
        self.all(Section::Host, &host.origins);
    }
}

/// The hosts that the runs use.
pub(super) fn hosts_used(parsed: &Parsed) -> Vec<&Host> {
    Used::of(parsed).hosts
}

/// What the runs refer to.
struct Used<'a> {
    storages: BTreeSet<usize>,
    workloads: BTreeSet<Option<usize>>,
    file_workloads: BTreeSet<Option<usize>>,
    hosts: Vec<&'a Host>,
}

impl<'a> Used<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        let definition = &parsed.definition;
        let mut storages: BTreeSet<usize> = BTreeSet::new();
        let mut workloads: BTreeSet<Option<usize>> = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut file_workloads: BTreeSet<Option<usize>> = BTreeSet::new();
        for run in &parsed.runs {
            if let Work::Files(used) | Work::Format(used) = &run.work {
                file_workloads.extend(used.iter());
            }
            if let Work::Raw(assignments) = &run.work
                && seen.insert(std::rc::Rc::as_ptr(assignments))
            {
                for assignment in assignments.iter() {
                    workloads.insert(assignment.workload);
                    storages.extend(&assignment.storages);
                }
            }
        }
        let mut patterns: HashSet<&str> = HashSet::new();
        let mut any = false;
        for at in &storages {
            let storage = &definition.storages[*at];
            any |= storage.hosts.is_empty() && storage.luns.iter().all(|l| l.host.is_none());
            patterns.extend(storage.hosts.iter().map(|r| r.pattern.as_str()));
            patterns.extend(storage.luns.iter().filter_map(|l| l.host.as_deref()));
        }
        let raw = workloads
            .iter()
            .filter_map(|at| simulation::workload(definition, *at))
            .map(|w| &w.hosts);
        let on_files = file_workloads
            .iter()
            .map(|at| &definition.file_workload(*at).hosts);
        any |= on_files.clone().any(Vec::is_empty);
        for hosts in raw.chain(on_files) {
            patterns.extend(hosts.iter().map(|r| r.pattern.as_str()));
        }
        let wildcards: Vec<Reference> = patterns
            .iter()
            .filter(|p| p.ends_with('*'))
            .take(64)
            .map(|p| Reference {
                pattern: p.to_string(),
                span: definition.runs[0].span,
            })
            .collect();
        let used = |h: &&Host| {
            any || patterns.contains(h.label.as_str())
                || wildcards.iter().any(|w| w.matches(&h.label))
        };
        Used {
            hosts: definition.hosts.iter().filter(used).collect(),
            storages,
            workloads,
            file_workloads,
        }
    }
}
