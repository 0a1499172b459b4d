//! From a profile to the plan: a time span is a step, and what one of its targets is asked to do is a stream there.
//!
//! Threads that walk through a target in order, each by itself, are a stream each. All others of a target are one: what
//! they draw does not depend on who draws it. What a plan cannot say is refused by name.

mod asked;
mod content;
mod place;
mod stream;
mod support;
mod target;

use super::model::{Profile, Seed, TimeSpan};
use super::{Parsed, codes};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::validate::validate;
use plimsoll_plan::{Depth, Item, Load, Nanos, Origins, Plan, Step, Workers, bounds};
use stream::outstanding;
use target::Targets;

/// A plan, and what of its text has no effect, or another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// What is to be measured.
    pub plan: Plan,
    /// What was given and has no effect, or not the one that DiskSPD gives it.
    pub warnings: Vec<Diagnostic>,
    /// Which of the plan's targets are mapped (`-Sm`), in their order.
    pub mapped: Vec<bool>,
}

impl Parsed {
    /// The plan: what is to be measured.
    ///
    /// # Errors
    /// What this version cannot run, each by name, and what makes no sense on its targets.
    pub fn plan(&self) -> Result<Lowered, Vec<Diagnostic>> {
        lower(self)
    }
}

fn lower(parsed: &Parsed) -> Result<Lowered, Vec<Diagnostic>> {
    let profile = &parsed.profile;
    if let Some(error) = too_many(profile) {
        return Err(vec![error]);
    }
    let (mut errors, warnings) = support::judge(parsed);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut targets = Targets::default();
    let mut items = Vec::new();
    for (number, span) in profile.spans.iter().enumerate() {
        match step(number, span, &mut targets) {
            Ok(step) => items.push(Item::Step(step)),
            Err(mut found) => errors.append(&mut found),
        }
    }
    if !errors.is_empty() {
        errors.dedup();
        return Err(errors);
    }
    let (targets, mapped) = targets.into_parts();
    let plan = Plan {
        dialect: "diskspd".to_string(),
        title: None,
        tag: None,
        note: None,
        claim: None,
        targets,
        hosts: Default::default(),
        items,
        max_errors: MAX_ERRORS,
        seed: seed(profile),
        start_commands: Vec::new(),
        end_commands: Vec::new(),
    };
    let problems = validate(&plan).into_iter();
    let problems: Vec<Diagnostic> = problems.map(|p| p.complaint(codes::INVALID)).collect();
    match problems.is_empty() {
        true => Ok(Lowered {
            plan,
            warnings,
            mapped,
        }),
        false => Err(problems),
    }
}

/// One seed is all runs'; that of several time spans is the first one's.
fn seed(profile: &Profile) -> Option<u64> {
    match profile.spans.first()?.seed {
        Seed::Number(seed) => Some(u64::from(seed)),
        Seed::Clock => None,
    }
}

/// A part of DiskSPD that a plan cannot say.
fn cannot(message: impl Into<String>, at: Option<Span>) -> Diagnostic {
    Diagnostic::error(codes::CANNOT_RUN, message).at_known(at)
}

/// DiskSPD ends with the first I/O that fails.
const MAX_ERRORS: u64 = 1;
/// More targets in a time span than any host has.
const MOST_TARGETS: usize = 1000;
/// Streams of all time spans together.
const MOST_STREAMS: u64 = 20_000;

/// A plan that would not fit into memory, or into a life.
fn too_many(profile: &Profile) -> Option<Diagnostic> {
    let spans = &profile.spans;
    let targets = spans.iter().map(|s| s.targets.len()).max().unwrap_or(0);
    let streams = spans.iter().flat_map(|span| {
        let of = |t| span.streams_of(t);
        span.targets.iter().map(of)
    });
    let counts = [
        (
            targets as u64,
            MOST_TARGETS as u64,
            "targets of a time span",
        ),
        (
            streams.fold(0, u64::saturating_add),
            MOST_STREAMS,
            "sequences of I/Os",
        ),
        (
            spans.iter().map(TimeSpan::threads).max().unwrap_or(0),
            u64::from(bounds::WORKERS_MAX),
            "threads",
        ),
    ];
    let (count, most, what) = counts.into_iter().find(|(count, most, _)| count > most)?;
    let message = format!("{count} {what} are too many: {most} is the limit");
    Some(
        Diagnostic::error(codes::TOO_LARGE, message)
            .help("name fewer targets, or fewer threads (-t, -F)"),
    )
}

/// One time span.
fn step(number: usize, span: &TimeSpan, targets: &mut Targets) -> Result<Step, Vec<Diagnostic>> {
    let mut streams = Vec::new();
    let mut errors = Vec::new();
    let mut origins = span.origins.clone();
    for (index, target) in span.targets.iter().enumerate() {
        let name = name(span, index);
        let id = match targets.of(target) {
            Ok(id) => id,
            Err(error) => {
                errors.push(*error);
                continue;
            }
        };
        match stream::streams(span, target, id, &name) {
            Ok(mut made) => streams.append(&mut made),
            Err(mut found) => errors.append(&mut found),
        }
        note(&mut origins, &name, &target.origins);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut used: Vec<_> = streams.iter().map(|s| s.target).collect();
    used.sort_unstable();
    used.dedup();
    let slots: u64 = streams.iter().filter_map(|s| s.depth).map(u64::from).sum();
    // Synchronous threads are workers too; none may be without an I/O.
    let workers = span.threads().min(slots).max(1);
    let name = format!("span{}", number + 1);
    Ok(Step {
        warmup: Nanos::secs(u64::from(span.warmup_s)),
        interval: interval(span),
        workers: Workers {
            count: u32::try_from(workers).ok(),
            pin: pin(span),
            punctual: false,
        },
        origins,
        // Each stream has slots of its own.
        ..Step::new(
            name,
            streams,
            Depth::each(used, 0),
            Load::Max,
            Nanos::secs(u64::from(span.duration_s)),
        )
    })
}

/// What a target's workload is called: by its number where there are several.
fn name(span: &TimeSpan, index: usize) -> String {
    match span.targets.len() {
        1 => "target".to_string(),
        _ => format!("target{}", index + 1),
    }
}

fn note(origins: &mut Origins, name: &str, of: &Origins) {
    for (field, at) in of.iter() {
        origins.note(format!("{name}.{field}"), *at);
    }
    // DiskSPD's own content, where nothing is said of it, is worth a finding too.
    if let (None, Some(at)) = (of.of("content"), of.of("path")) {
        origins.note(format!("{name}.content"), at);
    }
}

/// As long as `-D` asks for, but no longer than the measurement.
fn interval(span: &TimeSpan) -> Nanos {
    let asked = match span.iops_std_dev {
        true => u64::from(span.bucket_ms),
        false => 1000,
    };
    let most = u64::from(span.duration_s.max(1)) * 1000;
    Nanos(asked.min(most) * 1_000_000)
}

fn pin(span: &TimeSpan) -> Option<Vec<u32>> {
    let cpus: Vec<u32> = span.affinity.iter().map(|(_, cpu)| *cpu).collect();
    (!cpus.is_empty()).then_some(cpus)
}
