use crate::heat::share_of_thousandth;
use crate::{PlanView, RuleAnswer, RuleFinding, StreamAt, findings, some_of};
use plimsoll_evidence::Quantity;
use plimsoll_plan::{Distribution, Pattern};
use plimsoll_printable::human;

rule! {
    24 "tiny-hot-set" Plan(check) [NOTHING, SUSPECT, SUSPECT, SUSPECT, NOTHING] pitfalls [6] {
        summary: "Most accesses go to next to nothing of the target.",
        why: "Where most of the accesses go to a thousandth of the range, the size of the rest means nothing: a cache of that \
            thousandth answers them, and the result is of the cache.",
        threshold: "A thousandth of the range gets more than half of the accesses by a hit set, by zones or by a bell curve, \
            more than three quarters by a Pareto distribution, or more than nine tenths by Zipf's. Where the size is not known, 16 GiB are taken for it.",
        source: "Our proposal: an array's cache is between a hundredth and a thousandth of what it stores. The usual skews of \
            real loads, up to zipf = 1.1 on a TiB and a Pareto distribution of 90 % on 10 %, stay below their limits.",
        example: "`hits = \"read=100,area=4k\"` on a LUN of 1 TiB: all reads are of one block.",
        remedy: "Use a larger area or a flatter distribution, as of the real load, or claim cached.",
    }
    fires: |p| {
        crate::known::hits(p, 100.0, 4096, plimsoll_plan::HitPlacement::Scattered);
    },
    clean: |p| {
        crate::known::hits(p, 75.0, 64 << 30, plimsoll_plan::HitPlacement::Scattered);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let skewed = view
        .streams()
        .filter_map(|s| Some((s, share_of_thousandth(view, &s)?)));
    let skewed = some_of(skewed)?;
    findings(skewed.filter(|(s, share)| *share > most(s)).map(|(s, share)| {
        let message = format!(
            "{} sends {} of its accesses to less than a thousandth of its range: a small cache answers them.",
            s.who(),
            human::percent(share)
        );
        let written = s.written("hits").or_else(|| s.written("distribution"));
        RuleFinding::new(message)
            .at(written)
            .judged("share", Quantity::Share(share), most(&s))
    }))
}

/// The share from which on it is too much: a hit set, a zone or the width of a bell is set by hand, a skew may be that of a real load.
fn most(s: &StreamAt<'_>) -> f64 {
    match &s.stream.address.pattern {
        _ if s.stream.address.hits.is_some() => 0.5,
        Pattern::Random {
            distribution: Distribution::Zoned(_) | Distribution::Normal(_),
            ..
        } => 0.5,
        Pattern::Random {
            distribution: Distribution::Pareto(_),
            ..
        } => 0.75,
        _ => 0.9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::{plan, stream_of};

    fn fires(distribution: Distribution) -> bool {
        let mut plan = plan();
        stream_of(&mut plan).address.pattern = Pattern::random(distribution);
        crate::known::fires(check(&PlanView::new(&plan, None)))
    }

    #[test]
    fn a_distribution_that_is_one_block_is_suspect_and_a_usual_one_is_not() {
        assert!(fires(Distribution::Zipf(5.0)) && fires(Distribution::Pareto(0.001)));
        assert!(fires(Distribution::Normal(1e-9)));
        assert!(fires(Distribution::Zoned(vec![
            (90.0, 0.01),
            (10.0, 99.99)
        ])));
        // 80 % on 20 %, and of them again: 38 % on a thousandth.
        assert!(!fires(Distribution::Pareto(0.2)) && !fires(Distribution::Zipf(1.1)));
        // A thousandth has 0.001^(ln(1-h)/ln(h)): 89 % of 95/5, 73 % of 90/10.
        assert!(fires(Distribution::Pareto(0.05)) && !fires(Distribution::Pareto(0.1)));
        assert!(!fires(Distribution::Normal(10.0)));
        assert!(!fires(Distribution::Zoned(vec![
            (80.0, 20.0),
            (20.0, 80.0)
        ])));
    }

    #[test]
    fn half_of_a_bell_curve_lies_within_0_674_deviations_on_each_side() {
        // Of a thousandth to both sides: a deviation of 0.0741 % of the range.
        assert!(fires(Distribution::Normal(0.0739)) && !fires(Distribution::Normal(0.0743)));
    }
}
