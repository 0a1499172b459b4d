//! What was written, and what a target that looks at data makes of it.

use super::{Check, CheckAnswer, Hit, answer, doubt};
use crate::model::{Content, ForeignResult, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

/// Content.
pub const CHECK: Check = Check {
    rules: &[12, 13, 14, 544],
    look,
};

fn look(result: &ForeignResult) -> CheckAnswer {
    let of = |fits: &dyn Fn(&Run) -> bool| -> Vec<Hit> {
        let runs = result.runs.iter().filter(|r| fits(r));
        runs.map(|r| hit(r, result.tool)).collect()
    };
    let wrote = |content: fn(&Content) -> bool| {
        of(&|r| r.writes() && r.asked.content.as_ref().is_some_and(content))
    };
    // What Plimsoll makes holds what it would write.
    let own = result
        .version
        .as_deref()
        .is_some_and(|v| v.starts_with("plimsoll"));
    let made = of(&|r| !own && r.reads() && r.asked.made_target.is_some());
    // Where nothing was written there is nothing to ask for; of what was, it has to be told.
    let nothing = !result.runs.iter().any(Run::writes);
    let seen = result
        .runs
        .iter()
        .filter(|r| nothing || r.writes() && r.asked.content.is_some());
    answer(
        seen.filter(|r| r.mix().is_some()).count(),
        match result.tool {
            // Its result does not repeat options that were given without a value.
            Tool::Fio => "an option with its value that says what was written, as refill_buffers=1",
            _ => "what was written",
        },
        [
            doubt(
                12,
                "wrote-zeros",
                Severity::Invalid,
                wrote(|c| *c == Content::Zeros),
            ),
            doubt(
                13,
                "wrote-the-same",
                Severity::Suspect,
                wrote(|c| *c == Content::Repeating),
            ),
            doubt(544, "read-what-was-made", Severity::Suspect, made),
            doubt(
                13,
                "wrote-reused",
                Severity::Note,
                wrote(|c| *c == Content::Reused),
            ),
            doubt(
                14,
                "content-reducible",
                Severity::Note,
                wrote(|c| matches!(c, Content::Reducible { .. })),
            ),
        ],
    )
}

fn hit(run: &Run, tool: Tool) -> Hit<'_> {
    let whole = run.whole();
    let rate = whole
        .and_then(|w| w.writes.iops.or(w.all.iops))
        .map_or(0.0, |r| r.0);
    let mut values = vec![
        ("rate", Quantity::PerSecond(rate)),
        ("tool", Quantity::Text(tool.name().into())),
    ];
    if let Some(Content::Reducible {
        dedupe,
        compression,
    }) = run.asked.content
    {
        values.push(("dedupe", Quantity::Number(dedupe)));
        values.push(("compression", Quantity::Number(compression)));
    }
    Hit::new(run, whole.map_or(run.at, |w| w.at), rate, values)
}
