use crate::{RuleAnswer, RuleFinding, RunView, applies, observable, others};
use plimsoll_evidence::witnessed::LinkUse;
use plimsoll_evidence::{Quantity, Severity, Witnessed};
use plimsoll_printable::human;

rule! {
    145 "link-unused" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [59, 58] {
        summary: "Of several links to a target not all carried.",
        why: "Routes, sessions and address lists decide which link an I/O takes, and seldom ask which is the faster. A host \
            with a fast link that is idle and a slow one that is busy measures the slow one.",
        threshold: "Of several links to the same target one moved less than 5 % of an even part. A note where the idle one is slower \
            than all that carried.",
        source: "Counters of the interfaces by which the target is reached; the share is ours.",
        example: "eth1 with 25 Gbit/s carried 3 MB in ten minutes, eth0 with 1 Gbit/s all the rest.",
        remedy: "See the routes and the addresses of the portals (`ip route get ADDRESS`), and repeat; or say which link carried.",
    }
    fires: |o| {
        o.link("eth0", 125_000_000, 60_000_000_000);
        o.link("eth1", 3_125_000_000, 3_000_000);
    },
    clean: |o| {
        o.link("eth0", 1_250_000_000, 60_000_000_000);
        o.link("eth1", 1_250_000_000, 55_000_000_000);
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(others::has_network(view))?;
    let seen = others::of(view)?;
    observable(
        seen.iter().any(|(_, w)| !w.links.is_empty()),
        "the links to the targets",
    )?;
    applies(seen.iter().any(|(_, w)| w.links.len() > 1))?;
    let links = |seen: &Witnessed| (seen.links.len() > 1).then(|| seen.links.clone());
    others::ask(view, "the links to the targets", links, |_, _, links| {
        links.iter().filter_map(|link| idle(link, &links)).collect()
    })
}

fn moved(link: &LinkUse) -> f64 {
    link.in_bytes as f64 + link.out_bytes as f64
}

/// A link that carried next to nothing of what others carried for the same targets.
fn idle(link: &LinkUse, links: &[LinkUse]) -> Option<RuleFinding> {
    let shares = |other: &&LinkUse| other.targets.iter().any(|t| link.targets.contains(t));
    let beside: Vec<&LinkUse> = links.iter().filter(shares).collect();
    let even = beside.iter().map(|l| moved(l)).sum::<f64>() / beside.len() as f64;
    if beside.len() < 2 || moved(link) >= LEAST * even {
        return None;
    }
    let carried = beside.iter().filter(|l| moved(l) >= LEAST * even);
    let carried: Vec<String> = carried.map(|l| named(l)).collect();
    let quick = beside
        .iter()
        .filter(|l| moved(l) >= LEAST * even)
        .filter_map(|l| l.speed)
        .min();
    let slower = link
        .speed
        .zip(quick)
        .is_some_and(|(mine, theirs)| mine < theirs);
    let message = format!(
        "{} ({}) carried {}, and {} the rest.",
        named(link),
        link.state,
        human::bytes(moved(link) as u64),
        carried.join(", ")
    );
    let at_most = match slower {
        true => Severity::Note,
        false => Severity::Suspect,
    };
    Some(RuleFinding::new(message).at_most(at_most).judged(
        "carried",
        Quantity::Bytes(moved(link) as u64),
        LEAST * even,
    ))
}

fn named(link: &LinkUse) -> String {
    match link.speed {
        Some(speed) => format!(
            "{} with {} Gbit/s",
            link.name,
            human::number(speed as f64 * 8.0 / 1e9)
        ),
        None => link.name.clone(),
    }
}

const LEAST: f64 = 0.05;

#[test]
fn the_faster_link_that_was_idle_is_worse_than_the_slower_one() {
    let of = |busy: u64, idle: u64| {
        let case = crate::known::changed(|o| {
            o.link("eth0", busy, 60_000_000_000);
            o.link("eth1", idle, 3_000_000);
        });
        crate::known::found(check(&case.view()))[0].clone()
    };
    assert_eq!(of(125_000_000, 3_125_000_000).at_most, Severity::Suspect);
    assert_eq!(of(3_125_000_000, 125_000_000).at_most, Severity::Note);
    let message = of(125_000_000, 3_125_000_000).message;
    assert_eq!(
        message,
        "eth1 with 25.0 Gbit/s (up) carried 2.86 MiB, and eth0 with 1.00 Gbit/s the rest."
    );
}
