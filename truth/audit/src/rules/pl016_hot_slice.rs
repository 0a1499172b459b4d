use crate::Dialect;
use crate::heat::Places;
use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_printable::human;

rule! {
    16 "hot-slice" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [62] {
        summary: "Most of the load goes to a few slices of the target, which one core of an array may own.",
        why: "Arrays deal slices of a LUN to their cores, nodes or disks: slice s belongs to owner s mod n. A small area in \
            one piece lies in one slice or a few, so one owner does most of the work while the others wait. The array is \
            then as fast as one of its cores.",
        threshold: "An owner that has at least 1.5 times its part of the accesses, on some array with slices of 64 KiB to 4 MiB \
            and 2 to 64 owners; said for 8 owners of slices of 1 MiB where that is among them, else for the worst, and \
            then as a note; of a simulated array that is run for its own.",
        source: "A published test of a scale-out array: 75 % of the load on 1 MiB made one core of eight do 78.1 % of the work \
            and each other 3.1 %, and hitarea=8MB made it even.",
        example: "hits = \"read=75,area=1m,placement=contiguous\" on 8 owners of 1 MiB slices: one core gets 75 % and an eighth \
            of the rest, 78.1 %. Where a quarter of an I/O is bound to that core, the array carries 0.43 of what it could.",
        remedy: "Leave `placement` out: hits are then scattered, so that no owner has more than its part, and are as likely to \
            be found in a cache.",
    }
    fires: |p| {
        crate::known::hits(p, 75.0, MIB, plimsoll_plan::HitPlacement::Contiguous);
    },
    clean: |p| {
        crate::known::hits(p, 75.0, 8 * MIB, plimsoll_plan::HitPlacement::Scattered);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let streams = some_of(view.streams())?;
    findings(streams.filter_map(|s| hot(view, &s)))
}

/// What the most loaded owner gets of a workload's accesses.
fn hot(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<RuleFinding> {
    let places = Places::of(view, s)?;
    let known = view.slices(s);
    let usual = places.share(MIB, USUAL_OWNERS);
    let hot = usual.filter(|share| share * USUAL_OWNERS as f64 >= UNEVEN);
    let (slice, owners, share) = match (known, hot) {
        (Some(own), _) => (own.bytes, own.owners, places.share(own.bytes, own.owners)?),
        (None, Some(share)) => (MIB, USUAL_OWNERS, share),
        (None, None) => worst(&places)?,
    };
    let factor = share * owners as f64;
    // One block is soon in a cache, and an area may have been fitted to the array that is tested.
    let at_most = match known.is_none() && hot.is_none() || places.is_of_a_block() {
        true => Severity::Note,
        false => Severity::Invalid,
    };
    (factor >= UNEVEN).then(|| {
        let bound = known.map_or(BOUND, |own| own.owner_share);
        let carried = human::percent(1.0 / (bound * factor + (1.0 - bound)));
        let (who, share_said) = (s.who(), human::percent(share));
        let slices = human::bytes(slice);
        let message = match known {
            Some(_) => format!(
                "{who} sends {share_said} of its accesses to one of the array's {owners} owners of slices of {slices}, {factor:.1} times its part: \
                 {} of each I/O is that owner's work, so the array carries {carried} of what it could.",
                human::percent(bound)
            ),
            None => format!(
                "{who} sends {share_said} of its accesses to one owner of {owners} on an array with slices of {slices}, {factor:.1} times its part: \
                 where a quarter of each I/O is that owner's work, the array carries {carried} of what it could."
            ),
        };
        RuleFinding::new(message)
            .remedy(remedy(view, s))
            .at(s.written("hits").or_else(|| s.written("distribution")).or_else(|| s.written("range")))
            .at_most(at_most)
            .value("share", Quantity::Share(share))
            .judged("factor", Quantity::Number(factor), UNEVEN)
            .value("owners", Quantity::Count(owners))
            .value("slice", Quantity::Bytes(slice))
    })
}

/// What helps where no hits are asked for, so that no key of theirs does.
fn remedy(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<&'static str> {
    let is_banded = s.stream.address.hits.is_none() && s.written("range").is_none();
    match Dialect::of(view.plan) {
        Dialect::Vdbench if is_banded => {
            Some("Leave hotband= out: its bands lie in one piece, and no hitarea= spreads them.")
        }
        Dialect::Native if is_banded => {
            Some("Use a distribution whose busy places don't lie in one piece, or a larger range.")
        }
        _ => None,
    }
}

fn worst(places: &Places) -> Option<(u64, u64, f64)> {
    let mut worst: Option<(u64, u64, f64)> = None;
    for bits in SLICE_BITS.0..=SLICE_BITS.1 {
        for owners in OWNERS {
            let Some(share) = places.share(1 << bits, owners) else {
                continue;
            };
            let factor = |(_, owners, share): (u64, u64, f64)| share * owners as f64;
            let this = (1 << bits, owners, share);
            if worst.is_none_or(|w| factor(this) > factor(w)) {
                worst = Some(this);
            }
        }
    }
    worst
}

/// Slices that are looked for, as powers of two: 64 KiB to 4 MiB.
const SLICE_BITS: (u32, u32) = (16, 22);
/// Owners that are looked for.
const OWNERS: [u64; 6] = [2, 4, 8, 16, 32, 64];
const USUAL_OWNERS: u64 = 8;
const MIB: u64 = 1 << 20;
/// An owner with so many times its part is said.
const UNEVEN: f64 = 1.5;
/// The part of an I/O's work that only the owner of its address can do, as it is known of one array.
const BOUND: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{plan, stream_of};
    use plimsoll_plan::{Bytes, HitPlacement, HitSpec};

    fn share_of(area: u64) -> Option<f64> {
        let mut plan = plan();
        stream_of(&mut plan).address.hits =
            Some(HitSpec::reads(75.0, Bytes(area), HitPlacement::Contiguous));
        let view = PlanView::new(&plan, None);
        let at = view.streams().next()?;
        Places::of(&view, &at)?.share(MIB, 8)
    }

    #[test]
    fn the_published_imbalance_and_its_published_mending_come_out() {
        // 75 % and an eighth of the other 25 %: 78.1 % on the hot core of eight.
        assert!(
            (share_of(MIB).unwrap() - 0.781).abs() < 0.001,
            "{:?}",
            share_of(MIB)
        );
        assert!((share_of(8 * MIB).unwrap() - 0.125).abs() < 0.001);
    }
}
