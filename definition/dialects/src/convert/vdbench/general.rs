//! What stands before all storage: content, errors, commands, and the fill of all storage.

use super::Missing;
use crate::vdbench::{is_plain, quoted};
use plimsoll_plan::{
    Command, ContentSpec, DEFAULT_MAX_ERRORS, DedupePlacement, DedupeSpec, Item, Plan, Purpose,
    Step, Stream,
};
use std::fmt::Write;

/// The fill at the beginning, where there is one that `formatsds=yes` does, and the items behind it.
pub(super) fn fill(plan: &Plan) -> (Option<&Step>, &[Item]) {
    match &plan.items[..] {
        [Item::Step(first), rest @ ..] if is_format(first, plan) => (Some(first), rest),
        all => (None, all),
    }
}

/// Vdbench fills all storage, two I/Os in flight.
fn is_format(step: &Step, plan: &Plan) -> bool {
    let Some(first) = step.streams.first() else {
        return false;
    };
    let streams = step.streams.iter().map(|s| s.target);
    let usual =
        streams.zip(0..).all(|(id, at)| id.0 == at) && step.streams.len() == plan.targets.len();
    let made = step
        .streams
        .iter()
        .map(|s| Stream::fill(&s.workload, s.target, first.size.max(), s.content.clone()));
    let made: Vec<Stream> = made.collect();
    usual && step.purpose == Purpose::Fill && made == step.streams && step.warmup.0 == 0
}

/// The general parameters.
pub(super) fn lines(
    plan: &Plan,
    format: Option<&Step>,
    items: &[Item],
    out: &mut String,
    missing: &mut Missing,
) {
    if plan.max_errors != DEFAULT_MAX_ERRORS {
        let _ = writeln!(out, "data_errors={}", plan.max_errors);
    }
    for (word, key, all) in [
        ("startcmd", "start_commands", &plan.start_commands),
        ("endcmd", "end_commands", &plan.end_commands),
    ] {
        match command(word, all) {
            Ok(Some(line)) => {
                let _ = writeln!(out, "{line}");
            }
            Ok(None) => {}
            Err(what) => missing.add(&format!("`{key}`"), what, None, "write a script"),
        }
    }
    if let Some(step) = format {
        let transfer = step.streams.first().map_or(0, |s| s.size.max().0);
        let _ = writeln!(out, "formatsds=yes,formatxfersize={transfer}");
    }
    content(items, out, missing);
}

/// `startcmd="…"` with where its output goes.
pub(super) fn command(word: &str, all: &[Command]) -> Result<Option<String>, &'static str> {
    match all {
        [] => Ok(None),
        [one] => match quoted(&one.line).filter(|_| is_plain(&one.output)) {
            Some(line) => Ok(Some(format!("{word}=({line},{})", one.output))),
            None => Err(
                "a command with quotation marks, line breaks, $, ! or letters beyond ASCII, or with such a name for its output",
            ),
        },
        _ => Err("several commands"),
    }
}

/// The content of all that is written; reads have a word only where a fill takes theirs.
fn content(items: &[Item], out: &mut String, missing: &mut Missing) {
    let steps = || items.iter().flat_map(Item::steps);
    let mut common: Option<&ContentSpec> = None;
    for step in steps() {
        for stream in &step.streams {
            let matters = stream.mix.write > 0.0 || stream.content != ContentSpec::Unique;
            match common {
                _ if !matters => {}
                None => common = Some(&stream.content),
                Some(other) if *other == stream.content => {}
                Some(_) => missing.of_workload(
                    step,
                    &stream.workload,
                    "content",
                    "content that differs from other workloads'",
                    "write definitions of one content each",
                ),
            }
        }
    }
    let Some(content) = common else {
        return;
    };
    let mut no = |what: &str, remedy: &str| {
        let of = steps().find_map(|step| {
            let stream = step.streams.iter().find(|s| s.content == *content)?;
            Some((step, stream))
        });
        if let Some((step, stream)) = of {
            missing.of_workload(step, &stream.workload, "content", what, remedy);
        }
    };
    match content {
        ContentSpec::Unique => {}
        ContentSpec::Zeros | ContentSpec::Pattern(_) | ContentSpec::ReduciblePattern { .. } => {
            no(
                "zeros, or a pattern without a file",
                "write the bytes to a file: content = { file = … }",
            );
        }
        ContentSpec::File(path) => match path.to_str().filter(|text| is_plain(text)) {
            Some(text) => {
                let _ = writeln!(out, "pattern={text}");
            }
            None => no("a file of such a name", "link to it by a plain name"),
        },
        ContentSpec::PartZero { .. } => {
            no(
                "zeros in a part of the blocks",
                "leave zeros out, or write the bytes to a file: content = { file = … }",
            );
        }
        ContentSpec::Reducible { compress, dedupe } => {
            if *compress != 1.0 {
                let _ = writeln!(out, "compratio={compress}");
            }
            match dedupe {
                Some(spec) if spec.placement == DedupePlacement::Runs => duplicates(spec, out),
                Some(_) => no(
                    "duplicates that lie scattered",
                    "say that they lie in runs, as Vdbench's do: content = { …, placement = \"runs\" }",
                ),
                None => {}
            }
        }
    }
}

fn duplicates(spec: &DedupeSpec, out: &mut String) {
    let _ = writeln!(out, "dedupratio={},dedupunit={}", spec.ratio, spec.unit.0);
    if let Some(sets) = spec.sets {
        let _ = writeln!(out, "dedupsets={sets}");
    }
    if spec.flip_flop {
        out.push_str("dedupflipflop=on\n");
    }
}
