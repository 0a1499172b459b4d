use crate::{RuleAnswer, RuleFinding, RunView, applies, others};
use plimsoll_evidence::witnessed::LinkUse;
use plimsoll_evidence::{Quantity, Witnessed};
use plimsoll_printable::human;

rule! {
    147 "packets-lost" Run(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [59] {
        summary: "A network link dropped packets.",
        why: "A packet that the interface drops, or finds broken, has to be sent again. Dropped ones say that the host or its \
            ring of buffers was too slow, broken ones that a cable is.",
        threshold: "More than one packet in a thousand of a link to a target was dropped or broken, by its bytes over its largest \
            packet.",
        source: "Counters of the interface; the share by proposal. There are at least as many packets as bytes over the largest \
            one, so the share is at most this.",
        example: "eth0 dropped 41,000 of 9 million: its ring had 256 entries.",
        remedy: "Raise the ring (`ethtool -G`), spread the interrupts, or replace the cable.",
    }
    fires: |o| lost(o, 41_000),
    clean: |o| lost(o, 9_000),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(others::has_network(view))?;
    let links = |seen: &Witnessed| others::some(&seen.links).map(<[LinkUse]>::to_vec);
    others::ask(view, "the links to the targets", links, |_, _, links| {
        links.iter().filter_map(lossy).collect()
    })
}

fn lossy(link: &LinkUse) -> Option<RuleFinding> {
    let packets = (link.in_bytes as f64 + link.out_bytes as f64) / f64::from(link.mtu.max(1));
    let share = others::share(link.lost_packets as f64, packets);
    (share > SOME && link.lost_packets >= FEWEST).then(|| {
        let message = format!(
            "{} dropped or broke {} packets, about {} of them.",
            link.name,
            human::count(link.lost_packets),
            human::percent(share.min(1.0))
        );
        RuleFinding::new(message)
            .judged("lost", Quantity::Count(link.lost_packets), FEWEST as f64)
            .judged("share", Quantity::Share(share), SOME)
    })
}

const SOME: f64 = 0.001;
const FEWEST: u64 = 10;

#[cfg(test)]
fn lost(o: &mut crate::known::Observed, packets: u64) {
    o.link("eth0", 1_250_000_000, 15_000_000_000);
    o.witnessed().links[0].lost_packets = packets;
}
