//! A share of the accesses is made to be found in a cache.

use crate::{Answer, Check, NOTE, NOTHING, Page, PlanView, Rule, Seen, Severities};

pub const RULE: Rule = Rule {
    number: 18,
    name: "hit-share",
    summary: "A share of the accesses is made to be found in a cache.",
    severity: Severities::of([NOTHING, NOTE, NOTE, NOTE, NOTHING]),
    pitfalls: &[6],
    page: Page {
        why: "Accesses to a small area are hits on purpose. The mean over hits and misses says little of either: two \
            populations of response times have no common middle.",
        threshold: "Any hit set whose area is smaller than 2 GiB.",
        source: "Our proposal; the share is part of the definition and so of the result.",
        example: "rhpct=75: three quarters of the reads take 0.2 ms from memory, a quarter takes 1 ms from flash, and the mean \
            of 0.4 ms is a time that no read took.",
        remedy: "State the hit share with the result, and look at the percentiles of reads beyond it.",
    },
    check: Check::Plan(check),
};

fn check(view: &PlanView<'_>) -> Answer {
    let mut streams = view
        .streams()
        .filter(|s| s.stream.address.hits.is_some())
        .peekable();
    if streams.peek().is_none() {
        return Answer::NotApplicable;
    }
    Answer::of(streams.filter_map(|s| {
        let hits = s.stream.address.hits?;
        let share = hits.read_percent.max(hits.write_percent);
        (hits.area.0 < SMALL && share > 0.0).then(|| {
            let message = format!(
                "{} sends {share}% of its accesses to {}: they are answered by a cache.",
                s.who(),
                hits.area
            );
            Seen::new(message).at(s.written("hits"))
        })
    }))
}

const SMALL: u64 = 2 << 30;

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Plan {
    fires: |p| {
        crate::known::stream_of(p).address.hits = Some(plimsoll_plan::HitSpec {
            read_percent: 75.0,
            write_percent: 0.0,
            area: plimsoll_plan::Bytes(1 << 20),
            placement: plimsoll_plan::HitPlacement::Scattered,
        });
    },
    clean: |p| {
        crate::known::stream_of(p).address.hits = Some(plimsoll_plan::HitSpec {
            read_percent: 75.0,
            write_percent: 0.0,
            area: plimsoll_plan::Bytes(64 << 30),
            placement: plimsoll_plan::HitPlacement::Scattered,
        });
    },
};
