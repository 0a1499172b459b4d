use crate::{RuleAnswer, RuleFinding, RunView, arrays, repair};
use plimsoll_evidence::{Quantity, Severity};
use plimsoll_measure::Op;
use plimsoll_plan::Claim;
use plimsoll_printable::human;

rule! {
    202 "cache-answered" Run(check) SUSPECT pitfalls [6] {
        summary: "A cache of the array answered the reads.",
        why: "What a cache holds is read at the speed of memory. The result is that of the cache as long as the working set \
            fits, and another one as soon as it does not.",
        threshold: "More than half of the chunks read came from a cache, or from the journal in which what was just written still lay; \
            between 10 % and half, and for another claim than sustained, it is a note. Where so many were asked to hit, a share that is \
            a third of it off is suspect, whatever is claimed.",
        source: "Proposal; two modes that share the reads 5:95 to 95:5 are the catalogue's sign.",
        example: "97 % from the cache: the LUN of 1 GiB fits into 3 GiB of it.",
        remedy: "Use a working set of at least twice the cache, or claim cached. Where hits were asked for, give the share that came, or hit what is not written.",
    }
    fires: |o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("cache", 90), ("flash", 10)])
        })
    },
    clean: |o| {
        arrays::with(o, |a| {
            a.read_source = arrays::buckets(&[("cache", 3), ("flash", 97)])
        })
    },
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    let arrays = arrays::of(view)?;
    let asked = asked_share(view);
    let mut shares: Vec<_> = arrays
        .into_iter()
        .map(|(step, array)| (step, array, arrays::share(&array.read_source, CACHES)))
        .filter(|(_, array, _)| !array.read_source.is_empty())
        .collect();
    // Of several the one that is furthest from what was asked is shown.
    let gap = |share: f64| asked.map_or(0.0, |asked| (share - asked).abs() / asked);
    shares.sort_by(|a, b| gap(b.2).total_cmp(&gap(a.2)));
    let seen = shares.into_iter().filter_map(|(step, array, share)| {
        let meant = asked.map_or(String::new(), |asked| {
            format!(", where {} were meant to hit", human::percent(asked))
        });
        let journal = arrays::share(&array.read_source, JOURNAL);
        // What is cold has not been read yet.
        let too_few = asked.is_some_and(|asked| share < asked);
        let writes = too_few && step.ops.iter().any(|o| o.op == Op::Write && o.ios > 0);
        let warm = match writes {
            true => Some("Hit what is not written, or give the share that came. Without writes: warm up until all that is to hit has been read once."),
            false => too_few.then_some("Warm up until all that is to hit has been read once, or make it smaller than the cache."),
        };
        let cold = if writes { ": the run writes, too, and a write may throw its block out of the cache" } else { "" };
        let (who, why, remedy) = match journal {
            0.0 => ("A cache", cold, warm),
            all if all == share => (
                "The journal",
                ": they are of what was just written",
                Some("Read what was not just written, or claim cached."),
            ),
            _ => ("Cache and journal", cold, warm),
        };
        let message = format!(
            "{who} of {} answered {} of its reads{meant}{why}.",
            array.name,
            human::percent(share)
        );
        let finding = RuleFinding::new(message)
            .remedy(remedy)
            .step(step.number)
            .at_most(severity(view.claim, share, gap(share))?)
            .judged("cached", Quantity::Share(share), SOME)
            .repaired(&repair::misses(step, array, Op::Read, share));
        Some(match asked {
            Some(asked) => finding.value("asked", Quantity::Share(asked)),
            None => finding,
        })
    });
    arrays::of_places(view, &[Op::Read], seen)
}

/// How bad such a share is, that is so far from what was asked, of this. Another share than was asked is another load, whatever is claimed.
fn severity(claim: Claim, share: f64, gap: f64) -> Option<Severity> {
    match claim {
        // An array without a cache has no hits that could be too few.
        _ if share > 0.0 && gap >= FAR => Some(Severity::Suspect),
        Claim::Cached | Claim::Host => None,
        Claim::Sustained if share > MOST => Some(Severity::Suspect),
        _ => (share > SOME).then_some(Severity::Note),
    }
}

/// The share of reads that were to go to a hit set, where all workloads that read ask for the same.
fn asked_share(view: &RunView<'_>) -> Option<f64> {
    let plan = view.plan_view()?;
    let mut shares = plan.streams().filter(|s| s.stream.mix.read > 0.0).map(|s| {
        let hits = s.stream.address.hits;
        hits.map_or(0.0, |hits| hits.read_percent / 100.0)
    });
    let first = shares.next().filter(|share| *share > 0.0)?;
    shares.all(|share| share == first).then_some(first)
}

const CACHES: &[&str] = &["cache", JOURNAL[0]];
const JOURNAL: &[&str] = &["journal"];
/// Of what was asked, the part by which a share is far from it.
const FAR: f64 = 1.0 / 3.0;
const MOST: f64 = 0.5;
const SOME: f64 = 0.1;

#[test]
fn a_journal_that_still_has_what_was_written_is_no_medium() {
    let said = |cache: u64, journal: u64| {
        let case = crate::known::changed(|o| {
            arrays::with(o, |a| {
                a.read_source =
                    arrays::buckets(&[("cache", cache), ("journal", journal), ("flash", 3)]);
            })
        });
        crate::known::found(check(&case.view()))[0].message.clone()
    };
    let journal = said(0, 97);
    assert!(
        journal.starts_with("The journal of array answered 97% of its reads: they are of what"),
        "{journal}"
    );
    let both = said(40, 57);
    assert!(
        both.starts_with("Cache and journal of array answered 97% of its reads."),
        "{both}"
    );
}

#[test]
fn the_largest_gap_is_first_and_suspect_whatever_is_claimed() {
    let mut case = crate::known::observed();
    arrays::with(&mut case, |a| {
        a.read_source = arrays::buckets(&[("cache", 75), ("flash", 25)])
    });
    let area = plimsoll_plan::Bytes(8 << 20);
    let hits =
        plimsoll_plan::HitSpec::new(75.0, 75.0, area, plimsoll_plan::HitPlacement::Contiguous);
    crate::known::stream_of(&mut case.plan).address.hits = Some(hits);
    let mut second = case.steps[0].clone();
    second.number = 2;
    second.arrays[0].read_source = arrays::buckets(&[("cache", 38), ("flash", 62)]);
    case.steps.push(second);
    for (claim, count) in [(Claim::Burst, 2), (Claim::Cached, 1)] {
        case.claim = claim;
        let found = crate::known::found(check(&case.view()));
        let first = (found[0].step, found[0].at_most);
        assert_eq!(
            (first, found.len()),
            ((Some(2), Severity::Suspect), count),
            "{found:#?}"
        );
    }
}
