//! From a plan back to a text: in the native dialect always, in Vdbench's and fio's where they have words for it.
//!
//! The text reads back as the same plan ([`Plan::normalized`]); where a dialect has no word for a part of it, that is an
//! error with the place where the part was written.

mod fio;
mod native;
mod origin;
mod toml;
mod vdbench;

pub use fio::{Engine, to_fio};
pub use native::to_native;
pub use vdbench::to_vdbench;

use plimsoll_diagnostic::{Diagnostic, Sources, Span};
use plimsoll_plan::{Item, Pattern, Plan, Step};

/// The code of what a dialect has no word for.
pub const NO_WORD: &str = "no-word";

/// What is to be written in another dialect.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// What it asks for.
    pub plan: &'a Plan,
    /// The texts that it was read from.
    pub sources: &'a Sources,
    /// What it says beside the plan, a sentence each, for comments.
    pub beside: &'a [String],
}

/// A part that the other dialect cannot say.
fn no_word(message: impl Into<String>, at: Option<Span>, remedy: impl Into<String>) -> Diagnostic {
    let said = Diagnostic::error(NO_WORD, message).help(remedy);
    match at {
        Some(span) => said.at(span, "written here"),
        None => said,
    }
}

/// Orders of fio's that no other dialect has.
fn leaps(pattern: &Pattern) -> bool {
    matches!(
        pattern,
        Pattern::SequentialEach
            | Pattern::Backward { .. }
            | Pattern::Zones { .. }
            | Pattern::Runs { .. }
    )
}

/// What no dialect but the one that it came from has words for: verified data, traces, orders that leap, and workloads that begin or
/// end with others. `has_leaps` where the other dialect has words for the third.
fn own_words(plan: &Plan, has_leaps: bool) -> Vec<Diagnostic> {
    let of_step = |step: &Step| {
        let said = step.streams.iter().filter_map(|stream| {
            let what = match stream {
                s if s.verify.is_some() => "data that is verified",
                s if s.source.is_some() => "I/Os out of a trace",
                s if !has_leaps && leaps(&s.address.pattern) => {
                    "an order that goes back, from zone to zone, in runs, or of reads and of writes each"
                }
                s if !s.dependency.is_none() => "a beginning or an end with other workloads",
                _ => return None,
            };
            let name = &stream.workload;
            let at = origin::of_part(&step.origins, name, "order");
            let message = format!("workload `{name}` has {what}, which is not converted");
            Some(no_word(
                message,
                at,
                "run the definition as it is, by plimsoll alone",
            ))
        });
        said.collect::<Vec<_>>()
    };
    let mut found: Vec<Diagnostic> = Vec::new();
    let some = plan.targets.iter().find(|t| t.split || !t.hosts.is_empty());
    if !plan.hosts.is_empty() || some.is_some() {
        let first = plan.hosts.list.first();
        found.push(no_word(
            "several hosts are to carry it out, which is not converted",
            first.and_then(|h| h.origins.iter().next()).map(|(_, span)| *span),
            "leave them out and name them with --hosts, or write them into the converted definition by hand",
        ));
    }
    for item in &plan.items {
        found.extend(match item {
            Item::Step(step) => of_step(step),
            Item::Curve(curve) => of_step(&curve.base),
            Item::Method(method) => method.steps.iter().flat_map(of_step).collect(),
        });
    }
    found.dedup();
    found
}
