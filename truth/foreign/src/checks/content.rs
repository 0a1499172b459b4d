//! What was written, and what a target that looks at data makes of it.

use super::{About, Answer, Check, Hit, answer, doubt};
use crate::model::{Content, ForeignResult, Run, Tool};
use plimsoll_evidence::{Quantity, Severity};

const ZEROS: About = About {
    id: "wrote-zeros",
    threshold: "zeros were asked for",
    source: "a published test: 30,000/s at the host, 12,000/s at the disks",
    remedy: "Write data that is new and does not compress: refill_buffers=1, DiskSPD's -Zr.",
};

const SAME: About = About {
    id: "wrote-the-same",
    threshold: "one pattern in all writes",
    source: "DiskSPD writes bytes from 0 to 255 over and over unless -Z says otherwise",
    remedy: "Write data that is new and does not compress: refill_buffers=1, DiskSPD's -Zr.",
};

const REUSED: About = About {
    id: "wrote-reused",
    threshold: "buffers that are filled once",
    source: "measured on zram: the same writes took 10.8 us with fio's buffers, 4.6 us with new data",
    remedy: "Use refill_buffers=1, or -Zr.",
};

const REDUCIBLE: About = About {
    id: "content-reducible",
    threshold: "a ratio above 1 was asked for",
    source: "as asked",
    remedy: "Name the ratios beside the result.",
};

const MADE: About = About {
    id: "read-what-was-made",
    threshold: "reads of a file that the tool made for the run (DiskSPD's -c)",
    source: "DiskSPD's creation writes zeros, bytes from 0 to 255, or nothing",
    remedy: "Write the whole file once with -w100 -Zr before it is read, and leave -c out.",
};

/// Content.
pub const CHECK: Check = Check {
    name: "content",
    rules: &[ZEROS, SAME, REUSED, REDUCIBLE, MADE],
    look,
};

fn look(result: &ForeignResult) -> Answer {
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
    let known = |r: &&Run| {
        r.whole()
            .is_some_and(|w| w.reads.iops.is_some() || w.writes.iops.is_some())
    };
    answer(
        seen.filter(known).count(),
        match result.tool {
            // Its result does not repeat options that were given without a value.
            Tool::Fio => "an option with its value that says what was written, as refill_buffers=1",
            _ => "what was written",
        },
        [
            doubt(&ZEROS, Severity::Invalid, wrote(|c| *c == Content::Zeros)),
            doubt(
                &SAME,
                Severity::Suspect,
                wrote(|c| *c == Content::Repeating),
            ),
            doubt(&MADE, Severity::Suspect, made),
            doubt(&REUSED, Severity::Note, wrote(|c| *c == Content::Reused)),
            doubt(
                &REDUCIBLE,
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
