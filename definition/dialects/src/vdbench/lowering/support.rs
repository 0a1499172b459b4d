//! What of a definition can be run, by the table of keywords.

use crate::vdbench::Parsed;
use crate::vdbench::codes;
use crate::vdbench::keyword::{self, Effect};
use crate::vdbench::model::{Host, Reference, Unsupported};
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
        match run.file_workloads {
            // Naming each parameter of a file-system run would say nothing more.
            Some(_) => {
                judgement.one(
                    Section::Run,
                    "fwd",
                    run.origins.of("fwd").unwrap_or(run.span),
                );
            }
            None => judgement.all(Section::Run, &run.origins),
        }
        judgement.unsupported(&run.unsupported);
    }
    if let Some(span) = definition.replay_group {
        judgement.one(Section::ReplayGroup, "rg", span);
    }
    for host in used.hosts {
        judgement.host(host);
    }
    (judgement.errors, judgement.warnings)
}

struct Judgement<'a> {
    sources: &'a Sources,
    seen: HashSet<(Section, String)>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Judgement<'_> {
    fn all(&mut self, section: Section, origins: &Origins) {
        for (name, span) in &origins.0 {
            self.one(section, name, *span);
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
    hosts: Vec<&'a Host>,
}

impl<'a> Used<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        let definition = &parsed.definition;
        let mut storages: BTreeSet<usize> = BTreeSet::new();
        let mut workloads: BTreeSet<Option<usize>> = BTreeSet::new();
        let mut seen = HashSet::new();
        for run in &parsed.runs {
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
        for workload in workloads
            .iter()
            .filter_map(|at| simulation::workload(definition, *at))
        {
            patterns.extend(workload.hosts.iter().map(|r| r.pattern.as_str()));
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
        }
    }
}
