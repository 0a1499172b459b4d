use crate::{PlanView, RuleAnswer, RuleFinding, findings, some_of};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_plan::ContentSpec;

rule! {
    14 "reducible-content" Plan(check) [NOTE, SUSPECT, SUSPECT, SUSPECT, NOTE] pitfalls [5] {
        summary: "What is written is made to be reduced.",
        why: "Data that compresses or deduplicates costs a reducing array less than data that does not. That is as it should \
            be where the ratio is that of the real data; with any other ratio the result is of another product.",
        threshold: "A compression or deduplication ratio above 1.1, both together; a note up to 100, from which on it is as good \
            as zeros.",
        source: "The ratio from which on a reducing stack shows, 1.1:1, is our proposal.",
        example: "compratio=2 halves what the media has to take, so 20,000 writes/s at the host are 10,000 at the flash.",
        remedy: "State the ratios with the result, and measure once with unique data to know what reduction is worth.",
    }
    fires: |p| {
        crate::known::writing(p).content = ContentSpec::Reducible {
            compress: 2.0,
            dedupe: None,
        };
    },
    clean: |p| {
        crate::known::writing(p);
    },
}

fn check(view: &PlanView<'_>) -> RuleAnswer {
    let writers = some_of(view.writers())?;
    findings(writers.filter_map(|s| {
        let (kept, compress, dedupe) = match &s.stream.content {
            ContentSpec::Reducible { compress, dedupe } => (1.0, *compress, dedupe),
            ContentSpec::PartZero {
                zeros,
                compress,
                dedupe,
            } => (1.0 - zeros / 100.0, *compress, dedupe),
            _ => return None,
        };
        let ratio = compress * dedupe.map_or(1.0, |d| d.ratio) / kept;
        (ratio > REDUCES).then(|| {
            let message = format!(
                "{} writes data that reduces {:.1} to 1: a reducing array does that much less work.",
                s.who(),
                ratio
            );
            let at_most = match ratio > AS_GOOD_AS_ZEROS {
                true => Severity::Suspect,
                false => Severity::Note,
            };
            RuleFinding::new(message)
                .at_most(at_most)
                .at(s.written("content"))
                .judged("ratio", Quantity::Number(ratio), REDUCES)
        })
    }))
}

/// Original over stored bytes from which on it shows.
const REDUCES: f64 = 1.1;
/// And from which on hardly anything is left to be stored: no data that is known reduces so.
const AS_GOOD_AS_ZEROS: f64 = 100.0;

#[test]
fn what_is_as_good_as_zeros_is_suspect() {
    let worst = |compress: f64, ratio: Option<f64>| {
        let mut plan = crate::known::plan();
        let dedupe = ratio.map(|ratio| {
            plimsoll_plan::DedupeSpec::new(ratio, plimsoll_plan::Bytes(4096), Default::default())
        });
        crate::known::writing(&mut plan).content = ContentSpec::Reducible { compress, dedupe };
        let seen = crate::known::found(check(&PlanView::new(&plan, None)));
        let finding = RULE.finding(seen.first()?, Default::default(), Default::default());
        finding.map(|f| f.severity)
    };
    assert_eq!(worst(4.0, None), Some(Severity::Note));
    assert_eq!(worst(1e6, None), Some(Severity::Suspect));
    assert_eq!(worst(1.0, Some(1000.0)), Some(Severity::Suspect));
    // 90 % zeros leave a tenth, which halves: 20 to 1.
    let mut plan = crate::known::plan();
    crate::known::writing(&mut plan).content = ContentSpec::PartZero {
        zeros: 90.0,
        compress: 2.0,
        dedupe: None,
    };
    let Ok(seen) = check(&PlanView::new(&plan, None)) else {
        panic!("it reduces");
    };
    assert!(seen[0].message.contains("20.0 to 1"), "{}", seen[0].message);
}
