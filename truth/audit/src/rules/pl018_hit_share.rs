use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, heat, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::HitSpec;
use plimsoll_printable::human;

rule! {
    18 "hit-share" Plan(check) [NOTHING, NOTE, NOTE, NOTE, NOTHING] pitfalls [6] {
        summary: "A share of the accesses is made to be found in a cache.",
        why: "Accesses to a small area are hits on purpose. The mean over hits and misses says little of either: two \
            populations of response times have no common middle.",
        threshold: "Any hit set whose area is smaller than 2 GiB; of a skewed distribution, half of the accesses or more to the busiest \
            2 GiB of a larger range. Where the size is not known, 16 GiB are taken for it.",
        source: "Our proposal; the share is part of the definition and so of the result.",
        example: "rhpct=75: three quarters of the reads take 0.2 ms from memory, a quarter takes 1 ms from flash, and the mean \
            of 0.4 ms is a time that no read took.",
        remedy: "State the hit share with the result, and look at the percentiles of reads beyond it.",
    }
    fires: |p| {
        crate::known::hits(p, 75.0, 1 << 20, plimsoll_plan::HitPlacement::Scattered);
    },
    clean: |p| {
        crate::known::hits(p, 75.0, 64 << 30, plimsoll_plan::HitPlacement::Scattered);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let skewed = |s: &StreamAt<'_>| heat::share_of_thousandth(view, s).is_some();
    let streams = some_of(
        view.streams()
            .filter(|s| s.stream.address.hits.is_some() || skewed(s)),
    )?;
    findings(streams.filter_map(|s| match s.stream.address.hits {
        Some(hits) => of_hits(&s, &hits),
        None => of_skew(view, &s),
    }))
}

fn of_hits(s: &StreamAt<'_>, hits: &HitSpec) -> Option<RuleFinding> {
    let share = hits.read_percent.max(hits.write_percent);
    (hits.area.0 < SMALL && share > 0.0).then(|| {
        let message = format!(
            "{} sends {share}% of its accesses to {}: a cache answers them, where there is one.",
            s.who(),
            hits.area
        );
        RuleFinding::new(message)
            .at(s.written("hits"))
            .judged("area", Quantity::Bytes(hits.area.0), SMALL as f64)
            .value("share", Quantity::Share(share / 100.0))
    })
}

/// Of a range that fits into a cache as a whole another rule speaks.
fn of_skew(view: &PlanView<'_>, s: &StreamAt<'_>) -> Option<RuleFinding> {
    let part = SMALL as f64 / heat::range_bytes(view, s).max(1) as f64;
    let share = heat::share_of_part(view, s, part).filter(|_| part < 1.0)?;
    (share >= HALF && share >= 2.0 * part).then(|| {
        let message = format!(
            "{} sends {} of its accesses to the {} that have most: a cache may answer them.",
            s.who(),
            human::percent(share),
            human::bytes(SMALL)
        );
        RuleFinding::new(message)
            .at(s.written("distribution"))
            .judged("share", Quantity::Share(share), HALF)
    })
}

const HALF: f64 = 0.5;
const SMALL: u64 = 2 << 30;

#[test]
fn a_skew_that_gives_a_cache_half_of_the_accesses_is_told_whatever_makes_it() {
    use plimsoll_plan::{Distribution, Pattern};
    let share = |distribution, gib: u64| {
        let mut plan = crate::known::plan();
        plan.targets[0].size = Some(plimsoll_plan::Bytes(gib << 30));
        crate::known::stream_of(&mut plan).address.pattern = Pattern::random(distribution);
        let seen = crate::known::found(check(&PlanView::new(&plan, None)));
        seen.first().map(|s| s.message.clone())
    };
    let says = |distribution, gib, percent: &str| {
        let message = share(distribution, gib).unwrap_or_default();
        assert!(message.contains(percent), "{message}");
    };
    // A hundredth has 0.01^(ln 0.8 / ln 0.2) of it, and 1 - 2 Q(0.5) lie within half a deviation of the middle on each side.
    says(Distribution::Pareto(0.2), 200, "53%");
    says(Distribution::Normal(0.5), 200, "68%");
    says(Distribution::Zipf(1.1), 200, "%");
    says(
        Distribution::Zoned(vec![(80.0, 1.0), (20.0, 99.0)]),
        200,
        "80%",
    );
    assert_eq!(share(Distribution::Pareto(0.3), 200), None);
    assert_eq!(share(Distribution::Normal(5.0), 200), None);
    assert_eq!(share(Distribution::Uniform, 200), None);
    // All of it fits, or nearly, which is no skew's doing.
    assert_eq!(share(Distribution::Normal(0.5), 1), None);
    assert_eq!(share(Distribution::Zipf(0.2), 3), None);
}
