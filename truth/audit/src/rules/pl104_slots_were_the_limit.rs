//! I/Os waited for slots of the generator, not for the target alone.

use crate::{Answer, Check, NOTE, Page, Rule, RunView, SUSPECT, Seen, Severities};
use plimsoll_evidence::{Quantity, SaturationCause};
use plimsoll_printable::human;

pub const RULE: Rule = Rule {
    number: 104,
    name: "slots-were-the-limit",
    summary: "I/Os waited for slots of the generator, not for the target alone.",
    severity: Severities::of([NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE]),
    pitfalls: &[32, 34],
    page: Page {
        why: "By Little's law a rate needs as many slots as its service time takes. Where they are all busy, an I/O that is \
            due waits in the generator: the response time has that wait in it, and the target never saw the load.",
        threshold: "More than 1 % of the I/Os on schedule found no free slot.",
        source: "Little's law; the 1 % are those of the saturation criterion.",
        example: "64 slots at 0.8 ms carry 80,000/s. Of 100,000/s every fifth I/O waits, though the target has half of its queue \
            free.",
        remedy: "Leave the depth out, so that there are as many slots as the rate needs, or give more.",
    },
    check: Check::Run(check),
};

fn check(view: &RunView<'_>) -> Answer {
    let mut steps = view
        .measured()
        .filter_map(|s| Some((s, s.saturation?)))
        .peekable();
    if steps.peek().is_none() {
        return Answer::NotApplicable;
    }
    Answer::of(steps.filter_map(|(step, s)| {
        let limit = s.cause == Some(SaturationCause::SlotsShort) || s.no_slot_share > SHORT;
        limit.then(|| {
            let message = format!(
                "{} of the I/Os found none of the {} slots free when they were due.",
                human::percent(s.no_slot_share),
                step.slots
            );
            let seen = Seen::new(message).step(step.number);
            seen.value("no_slot", Quantity::Share(s.no_slot_share))
        })
    }))
}

const SHORT: f64 = 0.01;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Run {
    fires: |o| {
        o.step().saturation = Some(plimsoll_evidence::Saturation {
            no_slot_share: 0.3,
            ..Default::default()
        });
    },
    clean: |o| o.step().saturation = Some(Default::default()),
};
