//! What is written is made to be reduced.

use crate::{Answer, Check, NOTE, Page, PlanView, Rule, Seen, Severities};
use plimsoll_evidence::Quantity;
use plimsoll_plan::ContentSpec;

pub const RULE: Rule = Rule {
    number: 14,
    name: "reducible-content",
    summary: "What is written is made to be reduced.",
    severity: Severities::of([NOTE, NOTE, NOTE, NOTE, NOTE]),
    pitfalls: &[5],
    page: Page {
        why: "Data that compresses or deduplicates costs a reducing array less than data that does not. That is as it should \
            be where the ratio is that of the real data; with any other ratio the result is of another product.",
        threshold: "A compression or deduplication ratio above 1.1.",
        source: "The ratio from which on a reducing stack shows, 1.1:1, is our proposal.",
        example: "compratio=2 halves what the media has to take, so 20,000 writes/s at the host are 10,000 at the flash.",
        remedy: "State the ratios with the result, and measure once with unique data to know what reduction is worth.",
    },
    check: Check::Plan(check),
};

fn check(view: &PlanView<'_>) -> Answer {
    let mut writers = view.writers().peekable();
    if writers.peek().is_none() {
        return Answer::NotApplicable;
    }
    Answer::of(writers.filter_map(|s| {
        let ContentSpec::Reducible { compress, dedupe } = &s.stream.content else {
            return None;
        };
        let dedupe = dedupe.map_or(1.0, |d| d.ratio);
        (compress * dedupe > REDUCES).then(|| {
            let message = format!(
                "{} writes data that reduces {:.1} to 1: a reducing array does that much less work.",
                s.who(),
                compress * dedupe
            );
            Seen::new(message)
                .at(s.written("content"))
                .value("ratio", Quantity::Number(compress * dedupe))
        })
    }))
}

/// Original over stored bytes from which on it shows.
const REDUCES: f64 = 1.1;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Plan {
    fires: |p| {
        crate::known::writing(p).content = ContentSpec::Reducible {
            compress: 2.0,
            dedupe: None,
        };
    },
    clean: |p| {
        crate::known::writing(p);
    },
};
