use crate::{RuleAnswer, RuleFinding, RunView, applies, others};
use plimsoll_evidence::witnessed::LinkUse;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    144 "link-full" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [59] {
        summary: "A network link was full.",
        why: "A link carries so many bytes a second, and not one more: what comes behind it waits. The rate is that of the \
            link, and more disks, cores or slots change nothing.",
        threshold: "A link that carries I/O to a target moved at least 90 % of its speed in a direction.",
        source: "Counters of the interface and its speed; the 90 % are those of the catalogue, since frames and acknowledgements \
            take the rest.",
        example: "10 Gbit/s: 1.19 GB/s of reads at 4, 16 and 64 slots, while the array's cores idle.",
        remedy: "Say that the link was measured, or use faster ones, more of them, or larger frames.",
    }
    fires: |o| o.link("eth0", 1_250_000_000, 700_000_000_000),
    clean: |o| o.link("eth0", 1_250_000_000, 670_000_000_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(others::has_network(view))?;
    let links = |seen: &Witnessed| {
        let reported: Vec<LinkUse> = seen
            .links
            .iter()
            .filter(|l| l.speed.is_some())
            .cloned()
            .collect();
        (!reported.is_empty()).then_some(reported)
    };
    others::ask(view, "the links to the targets", links, |_, seen, links| {
        links
            .iter()
            .filter_map(|link| full(link, seen.observed_s))
            .collect()
    })
}

fn full(link: &LinkUse, over_s: f64) -> Option<RuleFinding> {
    let speed = link.speed.filter(|speed| *speed > 0)? as f64;
    let (bytes, way) = match link.in_bytes >= link.out_bytes {
        true => (link.in_bytes, "received"),
        false => (link.out_bytes, "sent"),
    };
    let each_s = bytes as f64 / over_s;
    // What carries more than it can is not kept to that speed: a virtual one says a number for want of one.
    (each_s >= FULL * speed && each_s <= NOMINAL * speed).then(|| {
        let message = format!(
            "{} {way} {}/s, {} of what it can carry.",
            link.name,
            human::bytes(each_s as u64),
            human::percent(each_s / speed)
        );
        RuleFinding::new(message)
            .judged("used", Quantity::Share(each_s / speed), FULL)
            .value("speed", Quantity::BytesPerSecond(speed))
    })
}

const FULL: f64 = 0.9;
/// More than frames, intervals and rounding explain.
const NOMINAL: f64 = 1.05;

#[test]
fn a_link_that_carries_more_than_its_speed_is_none_that_is_full() {
    let case = crate::known::changed(|o| o.link("veth0", 1_250_000_000, 1_300_000_000_000));
    assert_eq!(check(&case.view()), Ok(vec![]));
}
