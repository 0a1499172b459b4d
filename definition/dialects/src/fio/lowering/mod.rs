//! From jobs to the plan.
//!
//! Jobs that start together are one step; `stonewall`, and the next file, begin another. Each clone of a job is a stream with
//! slots of its own. What the plan cannot express is refused by the option's name and line.

mod asked;
mod content;
mod delays;
mod durability;
mod ends;
mod files;
mod latency;
mod metadata;
mod names;
mod order;
mod pattern;
mod rates;
mod replay;
mod sizes;
mod state;
mod step;
mod stream;
mod support;
mod targets;
mod verify;
mod verify_pattern;
mod without_effect;

pub(crate) use pattern::one_pass;

use super::engine::{self, Engine};
use super::{Job, Parsed, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::validate::validate;
use plimsoll_plan::{Item, Plan};
use std::path::PathBuf;
use step::Steps;

pub(super) use asked::asked;
pub(super) use names::split_names;
pub(super) use sizes::{largest_size, sizes};
pub(super) use state::is_saved;
pub(super) use step::names;
pub(super) use stream::clones;
pub(super) use verify::reads_back;

/// A plan, what of the text is done otherwise than by fio, and with what it is carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// What is to be measured.
    pub plan: Plan,
    /// What was given and has no effect, or not the one that fio gives it.
    pub warnings: Vec<Diagnostic>,
    /// What carries out the I/O of each target; `None` where no file or device is touched.
    pub engines: Vec<Option<Engine>>,
    /// Files that go when all is over (`unlink=`).
    pub unlink: Vec<PathBuf>,
    /// I/Os handed to the kernel at once (`iodepth_batch=`), at most.
    pub batch: u32,
    /// I/Os waited for at once (`iodepth_batch_complete_min=`), at most.
    pub reap: u32,
}

/// Complaints while a plan is made.
#[derive(Debug, Default)]
struct Complaints {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Complaints {
    fn error(&mut self, diagnostic: Diagnostic) {
        if !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        }
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        let is_same = |d: &Diagnostic| d.message == diagnostic.message;
        if !self.warnings.iter().any(is_same) {
            self.warnings.push(diagnostic);
        }
    }

    /// The value, or what is wrong with it.
    fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|e| self.error(e)).ok()
    }
}

/// What cannot be carried out, at the option's place.
fn refused(
    job: &Job,
    option: &str,
    why: impl Into<String>,
    remedy: impl Into<String>,
) -> Diagnostic {
    let complaint = Diagnostic::error(codes::CANNOT_RUN, why).help(remedy);
    match job.place(option) {
        Some(span) => complaint.at(span, format!("of job {}", job.name)),
        None => complaint.at(job.span, "in this job"),
    }
}

/// What is done, though otherwise than by fio.
fn warn_differs(job: &Job, option: &str, what: impl Into<String>) -> Diagnostic {
    let complaint = Diagnostic::warning(codes::DIFFERS, what);
    match job.place(option) {
        Some(span) => complaint.at(span, ""),
        None => complaint.at(job.span, "in this job"),
    }
}

pub(super) fn lower(parsed: &Parsed) -> Result<Lowered, Vec<Diagnostic>> {
    let mut found = Complaints::default();
    support::judge(&parsed.jobs, &mut found);
    if !found.errors.is_empty() {
        return Err(found.errors);
    }
    let engines = engines(&parsed.jobs);
    let (batch, reap) = support::batches(&parsed.jobs, &mut found);
    let mut steps = Steps::new(order::exits(&parsed.jobs));
    for group in groups(&parsed.jobs) {
        support::steady_together(&parsed.jobs[group.0..group.1], &mut found);
        latency::judge(&parsed.jobs[group.0..group.1], &mut found);
        let engines = &engines[group.0..group.1];
        steps.add(&parsed.jobs[group.0..group.1], engines, &mut found);
        if found.errors.len() > 20 {
            break;
        }
    }
    if !found.errors.is_empty() {
        return Err(found.errors);
    }
    let unlink = support::unlinked(&parsed.jobs, &engines, &mut found);
    let (targets, engines, steps) = steps.finish();
    let plan = Plan {
        dialect: "fio".to_string(),
        tag: None,
        note: None,
        claim: None,
        title: None,
        targets,
        hosts: Default::default(),
        items: steps.into_iter().map(Item::Step).collect(),
        max_errors: support::max_errors(&parsed.jobs),
        seed: support::seed(&parsed.jobs),
        start_commands: Vec::new(),
        end_commands: Vec::new(),
    };
    let problems = validate(&plan).into_iter();
    let problems: Vec<Diagnostic> = problems.map(|p| p.complaint(codes::INVALID)).collect();
    match problems.is_empty() {
        true => Ok(Lowered {
            plan,
            warnings: found.warnings,
            engines,
            unlink,
            batch,
            reap,
        }),
        false => Err(problems),
    }
}

/// Each job's engine; those that do not exist have been refused.
fn engines(jobs: &[Job]) -> Vec<Engine> {
    let of = |job| engine::of(job).unwrap_or(Engine::Sync);
    jobs.iter().map(of).collect()
}

/// The jobs that start together, from and to, and the step that carries them out, counted from 0: what reads back is a step of
/// its own behind it.
pub(super) fn numbered(jobs: &[Job]) -> Vec<((usize, usize), usize)> {
    let mut next = 0;
    let number = |(from, to): (usize, usize)| {
        let step = next;
        next += 1 + usize::from(jobs[from..to].iter().any(reads_back));
        ((from, to), step)
    };
    groups(jobs).into_iter().map(number).collect()
}

/// The jobs that start together: from, to.
pub(super) fn groups(jobs: &[Job]) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, job) in jobs.iter().enumerate() {
        let other_text = at > 0 && jobs[at - 1].text != job.text && !job.follows_words;
        let waits = at > 0 && (job.is_on("stonewall") || other_text);
        match groups.last_mut() {
            Some(last) if !waits => last.1 = at + 1,
            _ => groups.push((at, at + 1)),
        }
    }
    groups
}
