//! What of a definition cannot be run, and what has no effect: by the table of flags, whether a flag or an element said it.

use super::cannot;
use crate::diskspd::flag::{self, Effect};
use crate::diskspd::model::{Cache, Seed, Target, TimeSpan};
use crate::diskspd::{Parsed, codes};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::Origins;

/// Errors, and warnings; each setting once.
pub(super) fn judge(parsed: &Parsed) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let mut judge = Judge {
        parsed,
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    judge.all(&parsed.profile.origins);
    for span in &parsed.profile.spans {
        judge.all(&span.origins);
        judge.span(span);
        for target in &span.targets {
            judge.all(&target.origins);
            judge.target(target);
            judge.mapped(span, target);
        }
    }
    judge.several();
    judge.errors.dedup();
    (judge.errors, judge.warnings)
}

/// Complaints of a kind past this number are dropped; they repeat themselves.
const MOST: usize = 200;

struct Judge<'p> {
    parsed: &'p Parsed,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Judge<'_> {
    /// What was said under the names of flags.
    fn all(&mut self, origins: &Origins) {
        for (name, at) in origins.iter() {
            if let Some(name) = name.strip_prefix('-') {
                self.one(name, Some(*at));
            }
        }
    }

    fn one(&mut self, name: &str, at: Option<Span>) {
        let Some(flag) = flag::named(name) else {
            return;
        };
        let what = match at.and_then(|at| self.written(at)) {
            Some(text) => text,
            None => format!("-{name}"),
        };
        let complaint = match flag.effect {
            Effect::Works => return,
            Effect::Nothing(why) => {
                Diagnostic::warning(codes::NO_EFFECT, format!("`{what}` has no effect: {why}"))
            }
            Effect::Differs(how) => {
                let message = format!("`{what}` is carried out otherwise: {how}");
                Diagnostic::warning(codes::DIFFERS, message)
            }
            Effect::Refused(why) => {
                Diagnostic::error(codes::CANNOT_RUN, format!("`{what}` cannot be used: {why}"))
            }
        };
        self.add(complaint.at_known(at));
    }

    fn add(&mut self, complaint: Diagnostic) {
        let list = match complaint.is_error() {
            true => &mut self.errors,
            false => &mut self.warnings,
        };
        // Targets of a command line have the same settings.
        let same = |d: &Diagnostic| d.message == complaint.message && d.labels == complaint.labels;
        if list.len() < MOST && !list.iter().any(same) {
            list.push(complaint);
        }
    }

    /// A setting as it was written, in one line.
    fn written(&self, at: Span) -> Option<String> {
        let source = self.parsed.sources.find(at.file)?;
        let text = source.text.get(at.start as usize..at.end as usize)?;
        let first = text.lines().next()?.trim();
        (!first.is_empty() && first.len() <= 80).then(|| first.to_string())
    }

    fn span(&mut self, span: &TimeSpan) {
        if let Some((group, cpu)) = span.affinity.iter().find(|(group, _)| *group > 0) {
            let message = format!("CPU {cpu} of processor group {group}: Linux has no groups");
            let complaint = cannot(message, span.origins.of("pin"));
            self.add(complaint.help("name CPUs by their numbers alone, as in -a64,65"));
        }
        if span.is_pool() && span.targets.len() > 1 {
            let message = "outstanding I/Os of each thread (-O) that go to several targets by their weights cannot be kept";
            let complaint = cannot(message, span.origins.of("depth"));
            self.add(complaint.help("give each target its own depth (-o)"));
        }
        if span.request_count > 0 && span.thread_count == 0 {
            let message =
                "outstanding I/Os of each thread on all targets (-O) have no effect without -F";
            let complaint = Diagnostic::warning(codes::NO_EFFECT, message);
            self.add(complaint.at_known(span.origins.of("depth")));
        }
    }

    fn target(&mut self, target: &Target) {
        let at = target.at("content");
        if target.write_percent > 0 {
            if let Some(source) = &target.source {
                let name = if source.file.is_some() {
                    "ZFILE"
                } else {
                    "ZSIZE"
                };
                self.one(name, at);
            } else if target.random_unsized {
                let message =
                    "random content without the size of its source: each block is new random bytes";
                self.add(Diagnostic::warning(codes::DIFFERS, message).at_known(at));
            }
        }
        if target.cache == Cache::DisableLocal && target.origins.of("-Sr").is_none() {
            self.one("Sr", target.at("caching"));
        }
        if !target.thread_targets.is_empty() {
            let message =
                "threads that have some of the targets only (ThreadTargets) cannot be kept";
            self.add(cannot(message, target.at("path")));
        }
        if target.throughput.is_some() && target.burst > 0 {
            let message = "bursts (-i, -j) have no effect beside a limit (-g), as in DiskSPD";
            let complaint = Diagnostic::warning(codes::NO_EFFECT, message);
            self.add(complaint.at_known(target.at("think")));
        }
    }

    /// A map is copied from and to by the thread itself, so that none has a second I/O out.
    fn mapped(&mut self, span: &TimeSpan, target: &Target) {
        if !target.mapped {
            return;
        }
        let at = target.at("-Sm");
        if target.write_through || target.sync {
            let message = "mapped I/O (-Sm) with write-through (-Sw) cannot be kept: what is copied into a map of a file is not written when \
                           the copy is done";
            self.add(cannot(message, at).help("leave one of them out"));
        }
        if super::outstanding(span, target) > 1 {
            let message =
                "mapped I/O (-Sm) has one I/O of each thread out, whatever -o says, as in DiskSPD";
            self.add(Diagnostic::warning(codes::NO_EFFECT, message).at_known(at));
        }
    }

    /// One seed is for all that a plan does.
    fn several(&mut self) {
        let seeds: Vec<Seed> = self.parsed.profile.spans.iter().map(|s| s.seed).collect();
        if seeds.windows(2).any(|w| w[0] != w[1]) {
            let message = "time spans have different seeds: the first one's is that of all";
            self.add(Diagnostic::warning(codes::DIFFERS, message));
        }
    }
}
