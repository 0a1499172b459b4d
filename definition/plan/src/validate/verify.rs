//! Rules for data that is verified: headers that fit, and reads of what was remembered.

use super::{Found, place};
use crate::{IoSource, Item, Plan, Step, Stream, VerifySpec};

/// What a run says of verified data.
pub(super) fn check_item(plan: &Plan, item: &Item, found: &mut Found) {
    for step in item.steps() {
        for stream in &step.streams {
            if let Some(spec) = &stream.verify {
                header(step, stream, spec, found);
                pattern(step, stream, spec, found);
            }
            read_back(plan, item, (step, stream), found);
        }
    }
}

/// A block without room for its header is written without one, and nothing would be verified.
fn header(step: &Step, stream: &Stream, spec: &VerifySpec, found: &mut Found) {
    let Some(sum) = spec.sum else {
        return;
    };
    let (name, at) = (&stream.workload, place(step, &stream.workload, "verify"));
    let (header, smallest) = (sum.header_bytes(), stream.smallest().0);
    let block = spec.interval.map_or(smallest, |bytes| bytes.0);
    // What is left behind the last whole block has a header, too, or is not looked at.
    let rest = smallest.checked_rem(block).unwrap_or(0);
    if block <= header || block > smallest || (rest != 0 && rest <= header) {
        found.add(
            format!(
                "workload `{name}` verifies blocks of {block} bytes in I/Os of {smallest}, and a header takes {header}"
            ),
            "give an interval that holds a header and goes into an I/O",
            at,
        );
        return;
    }
    let to = spec.offset.0;
    if to > 0 && (to < header || to.saturating_add(header) > block) {
        found.add(
            format!(
                "workload `{name}` moves a header of {header} bytes by {to} in a block of {block}"
            ),
            format!("give an offset of {header} to {}, or none", block - header),
            at,
        );
    }
}

/// Offsets that stand behind the pattern's end are nowhere.
fn pattern(step: &Step, stream: &Stream, spec: &VerifySpec, found: &mut Found) {
    let Some(pattern) = &spec.pattern else {
        return;
    };
    let length = pattern.bytes.len() as u64;
    if let Some(at) = pattern.offsets.iter().find(|at| u64::from(**at) >= length) {
        found.add(
            format!(
                "the pattern of workload `{}` has {length} bytes, and an offset is to stand at byte {at}",
                stream.workload
            ),
            "let it stand within the pattern",
            place(step, &stream.workload, "verify"),
        );
    }
}

/// What is read back has been written before, and was remembered.
fn read_back(plan: &Plan, item: &Item, (step, stream): (&Step, &Stream), found: &mut Found) {
    let Some(IoSource::ReadBack(of)) = &stream.source else {
        return;
    };
    let name = &stream.workload;
    let at = place(step, name, "read_back");
    if stream.verify.is_none() {
        found.add(
            format!("workload `{name}` reads back what `{of}` wrote, and does not say how it is verified"),
            "give it the verify of that workload",
            at,
        );
        return;
    }
    let before = plan
        .items
        .iter()
        .take_while(|other| !std::ptr::eq(*other, item));
    let wrote = |s: &Stream| {
        let remembers = s.verify.as_ref().is_some_and(|v| v.remember);
        s.workload == *of && s.target == stream.target && remembers && s.mix.write > 0.0
    };
    if !before
        .flat_map(|i| i.steps())
        .flat_map(|s| &s.streams)
        .any(wrote)
    {
        found.add(
            format!("workload `{name}` reads back what `{of}` wrote to its target, and no run before does and remembers it"),
            "let a run before it write it with remember = true in its verify",
            at,
        );
    }
}
