//! Marks on what Plimsoll alone has written, so that it may be written again unasked.

use crate::{Event, RigError};
use plimsoll_content::Recogniser;
use plimsoll_engine::OpenTarget;
use plimsoll_evidence::{End, StepEvidence};
use plimsoll_permit::target::{Created, Ending, Ground};
use plimsoll_plan::{Plan, Purpose, Step};
use plimsoll_traffic::content_plan;
use std::ops::Range;
use std::sync::Arc;

/// Marks what Plimsoll alone writes, before the first write, with what is needed to know its blocks again.
pub(crate) fn begin(plan: &Plan, targets: &[Arc<OpenTarget>]) -> Result<(), RigError> {
    let hint = hint(plan);
    for member in targets.iter().flat_map(|t| t.opened.members()) {
        let Some(hold) = &member.hold else { continue };
        hold.begin(&hint).map_err(|source| RigError::Prepare {
            path: member.path.display().to_string(),
            source,
        })?;
    }
    Ok(())
}

/// Reports, at the end of the hold on each file and device, of others who wrote to it.
pub(crate) fn endings(targets: &[Arc<OpenTarget>]) -> Vec<(String, Ending)> {
    let mut endings: Vec<(String, Ending)> = Vec::new();
    for member in targets.iter().flat_map(|t| t.opened.members()) {
        let Some(hold) = &member.hold else { continue };
        let ending = hold.ending();
        // Several targets may be parts of one file.
        if !endings.iter().any(|(_, other)| other.is_same(&ending)) {
            endings.push((member.path.display().to_string(), ending));
        }
    }
    endings
}

/// Removes the files that do not outlive the run, and tells where somebody else wrote to what the run wrote.
pub(crate) fn end(
    leaving: Vec<Created>,
    endings: &[(String, Ending)],
    watch: &mut dyn FnMut(Event),
) {
    // Of those that leave nothing is known yet.
    for (path, ending) in endings {
        if let Some(why) = ending.doubt() {
            watch(Event::Note(format!(
                "{path}: {why}; so the next run checks its content before it writes there"
            )));
        }
    }
    for created in leaving {
        let path = created.path().display().to_string();
        if let Some(why) = created.remove() {
            watch(Event::Note(format!("{path} was not removed: {why}")));
        }
    }
}

/// True where Plimsoll has written that part of the bytes, in a run that gave this hint.
pub(crate) fn is_ours(hint: &str, bytes: &[u8], part: Range<usize>) -> bool {
    Recogniser::from_hint(hint).is_ours(bytes, part)
}

/// Hint by which all that the plan writes is recognised.
pub(crate) fn hint(plan: &Plan) -> String {
    let streams = plan.steps().flat_map(|step| &step.streams);
    // A file's bytes are too many for a hint, and neither sizes nor seeds matter.
    let contents: Vec<_> = streams
        .map(|stream| content_plan(&stream.content, 0, None, 0))
        .collect();
    Recogniser::of(&contents).hint()
}

/// Marks what a fill has written from its start to its end: nothing of what was there before is left, whatever it was.
pub(crate) fn filled(
    step: &Step,
    evidence: &StepEvidence,
    targets: &[Arc<OpenTarget>],
) -> Result<(), RigError> {
    let is_through = evidence.end == End::Limit && evidence.errors == 0;
    if step.purpose != Purpose::Fill || !is_through {
        return Ok(());
    }
    for stream in &step.streams {
        let target = &targets[stream.target.0 as usize];
        let members = target.opened.members();
        let all: u64 = members.iter().map(|member| member.size).sum();
        // Of a stripe's members the ends that make no whole row stay what they were.
        if target.offset != 0 || target.size < all || target.opened.stripe().is_some() {
            continue;
        }
        for (at, member) in members.iter().enumerate() {
            let Some(hold) = &member.hold else { continue };
            if !matches!(hold.ground(), Ground::Named | Ground::Blank) {
                continue;
            }
            // The first block of joined files stays what it was, so not all of them is tests' data.
            if at == 0 && members.len() > 1 && !hold.is_device() {
                continue;
            }
            // The first place of a target is never written by a test.
            let spare = match at {
                0 => stream.largest().0,
                _ => member.start,
            };
            hold.filled(spare).map_err(|source| RigError::Prepare {
                path: member.path.display().to_string(),
                source,
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use plimsoll_content::{ContentPlan, Filler};
    use plimsoll_witness::signature::{Windows, find};

    /// So many that any two bytes at one place turn up three times, and any three with a chance of 1 %.
    const TRIES: u64 = 200_000;

    #[test]
    fn no_random_content_looks_like_something_else() {
        let reducible = ContentPlan::Reducible {
            compress: 2.0,
            dedupe: None,
        };
        let fillers = [ContentPlan::Unique, reducible].map(|plan| Filler::new(plan, 5));
        let (mut head, mut tail) = (vec![0; 4096], vec![0; 1024]);
        for generation in 0..TRIES {
            let filler = &fillers[generation as usize % 2];
            filler.fill(&mut head, 0, generation);
            filler.fill(&mut tail, (1 << 30) - 1024, generation);
            let found = find(&Windows::new(&head, &tail, 1 << 30));
            let sure = found.iter().find(|found| !found.may_be_chance());
            assert_eq!(sure, None, "of write {generation}");
        }
    }
}
