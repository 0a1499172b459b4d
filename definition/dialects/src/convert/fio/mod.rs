//! A plan as a fio job file: a job for each stream, and `stonewall` between the steps.
//!
//! What fio has no word for is refused by name. What it has a word for that does something else is, too: a cap that drains its queue is
//! no schedule, but it is the word that fio has for one, so that a schedule of even or exponential gaps is written as `rate_iops`.

mod content;
mod ends;
mod job;
mod pattern;
mod sizes;
mod target;

use super::toml::comment;
use super::{Original, no_word, origin, own_words};
use job::Written;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Item, Plan, Step};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What carries out the I/O, in fio's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine<'a> {
    /// `ioengine=` of files and devices.
    pub name: &'a str,
    /// That of each target by itself, in the plan's order, where it has one.
    pub of_targets: &'a [Option<&'a str>],
    /// `iodepth_batch=`.
    pub batch: u32,
    /// `iodepth_batch_complete_min=`.
    pub reap: u32,
}

/// After so many parts that fio has no word for, nobody wants to know of more.
const ENOUGH: usize = 20;

/// Characters of a section's name, of which fio reads 254 bytes.
const SECTION: usize = 60;

/// An option and its value, without the end of the line.
type Opt = (&'static str, String);

/// What cannot be said, gathered.
struct Missing<'a> {
    step: &'a Step,
    found: Vec<Diagnostic>,
}

impl Missing<'_> {
    /// A part of a workload that fio has no word for; `field` is its key in the native dialect.
    fn add(&mut self, workload: &str, field: &str, what: impl std::fmt::Display, remedy: &str) {
        let at = origin::of_part(&self.step.origins, workload, field);
        let message = format!("fio has no word for this of workload `{workload}`: {what}");
        self.found.push(no_word(message, at, remedy));
    }

    /// A part of the step.
    fn of_step(&mut self, field: &str, what: impl std::fmt::Display, remedy: &str) {
        let step = &self.step;
        let at = step.origins.of(field);
        let message = format!("fio has no word for this of run `{}`: {what}", step.name);
        self.found.push(no_word(message, at, remedy));
    }
}

/// The plan as a job file.
///
/// # Errors
/// All that fio has no word for, with its place.
pub fn to_fio(original: &Original<'_>, engine: Engine<'_>) -> Result<String, Vec<Diagnostic>> {
    let plan = original.plan;
    let mut out = head(original);
    let mut errors = of_plan(plan);
    errors.append(&mut own_words(plan, true));
    for (number, item) in plan.items.iter().enumerate() {
        let Item::Step(step) = item else {
            errors.push(method(item));
            continue;
        };
        let mut missing = Missing {
            step,
            found: Vec::new(),
        };
        let jobs = job::jobs(plan, step, engine, &mut missing);
        errors.append(&mut missing.found);
        if errors.len() > ENOUGH {
            break;
        }
        let mut names: BTreeSet<String> = BTreeSet::new();
        for (at, job) in jobs.iter().enumerate() {
            out.push('\n');
            if let Some(place) = origin::of(original.sources, job.spans.iter().copied()) {
                let _ = writeln!(out, "{}", comment(&place));
            }
            let _ = writeln!(out, "[{}]", section(job, &mut names));
            if at == 0 && number > 0 {
                out.push_str("stonewall\n");
            }
            for (option, value) in &job.options {
                let _ = writeln!(out, "{option}={value}");
            }
        }
    }
    errors.dedup();
    match errors.is_empty() {
        true => Ok(out),
        false => Err(errors),
    }
}

fn head(original: &Original<'_>) -> String {
    let plan = original.plan;
    let files: Vec<&str> = original.sources.iter().map(|s| s.name.as_str()).collect();
    let mut out = comment(&format!(
        "Written by plimsoll convert from {}",
        if files.is_empty() {
            plan.dialect.clone()
        } else {
            files.join(", ")
        }
    ));
    out.push('\n');
    for remark in plan.title.iter().chain(original.beside) {
        let _ = writeln!(out, "{}", comment(remark));
    }
    out.push_str("\n[global]\n");
    match plan.seed {
        Some(seed) => {
            let _ = writeln!(out, "randseed={}", seed.cast_signed());
        }
        None => out.push_str("randrepeat=0\n"),
    }
    // fio ends with its first error, or never.
    if plan.max_errors > 1 {
        out.push_str("continue_on_error=all\n");
    }
    out
}

fn of_plan(plan: &Plan) -> Vec<Diagnostic> {
    let commands = [
        ("start_commands", &plan.start_commands),
        ("end_commands", &plan.end_commands),
    ];
    let given = commands.into_iter().filter(|(_, all)| !all.is_empty());
    given
        .map(|(name, _)| {
            let message = format!("fio has no word for commands around all runs (`{name}`)");
            no_word(message, None, "run them around fio, or give them to a run")
        })
        .collect()
}

fn method(item: &Item) -> Diagnostic {
    let (name, step) = match item {
        Item::Method(method) => (method.question.method(), method.steps.first()),
        item => ("curve", item.steps().first()),
    };
    let at = step.and_then(|s| {
        ["method", "load", "curve"]
            .iter()
            .find_map(|key| s.origins.of(key))
    });
    no_word(
        format!(
            "fio has no word for a {name}: it runs jobs, and none of them depends on how the one before went"
        ),
        at,
        "convert a definition of single runs, at loads that the curve has shown",
    )
}

/// The name of a section: one line, none that fio takes for another's options, and each once. fio names files by it, and puts it into the
/// command line of a shell where the job has a command.
fn section(job: &Written, taken: &mut BTreeSet<String>) -> String {
    let has_command = job
        .options
        .iter()
        .any(|(option, _)| option.starts_with("exec_"));
    let allowed = |c: char| match c {
        ']' | '[' | ';' | '#' | '/' => '_',
        c if c.is_control() => '_',
        c if has_command && !c.is_alphanumeric() && !"_-.".contains(c) => '_',
        c => c,
    };
    let plain: String = job.name.chars().map(allowed).collect();
    let plain = plain.trim();
    let plain: String = plain.chars().take(SECTION).collect();
    let is_taken_for_global = plain
        .get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("global"));
    let plain = match plain.is_empty() || is_taken_for_global {
        true => format!("job-{plain}"),
        false => plain,
    };
    let numbered = (2..).map(|n| format!("{plain}-{n}"));
    let mut free = std::iter::once(plain.clone()).chain(numbered);
    let name = free.find(|name| !taken.contains(name)).unwrap_or(plain);
    taken.insert(name.clone());
    name
}
