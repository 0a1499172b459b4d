//! What can be asked of a result's numbers alone: a file for each question. A check is a pure function; what it needs and does not
//! find in the result is said, so that silence is never a clean bill.

mod agree;
mod arithmetic;
mod believed;
mod cache;
mod claimed;
mod claims;
mod collapse;
mod content;
mod coordinated;
mod counts;
mod cpu;
mod defects;
mod depth;
mod duration;
mod errors;
mod fields;
mod first_interval;
mod flat;
mod floor;
mod little;
mod offered;
mod percentiles;
mod saturated;
mod sequence;
mod steady;

use crate::model::{ForeignResult, InputPlace, Run, Tool};
use plimsoll_audit::RuleFinding;
use plimsoll_evidence::{Finding, Quantity, Severity};
use plimsoll_plan::Claim;

/// One question.
pub struct Check {
    /// The rules that it can find broken, by their numbers.
    pub rules: &'static [u16],
    /// Asks it.
    pub look: fn(&ForeignResult) -> CheckAnswer,
}

/// Answer of a check.
#[derive(Debug)]
pub enum CheckAnswer {
    /// Look at the result.
    Looked {
        /// Doubts that were found.
        doubts: Vec<Doubt>,
        /// Rules for which it could not look, and what they need.
        unseen: Vec<(u16, &'static str)>,
    },
    /// Missing part of the result, which the check needs.
    Blind(&'static str),
}

impl CheckAnswer {
    /// A rule that needs something of its own.
    fn needing(mut self, rule: u16, is_there: bool, needs: &'static str) -> Self {
        if let CheckAnswer::Looked { unseen, .. } = &mut self
            && !is_there
        {
            unseen.push((rule, needs));
        }
        self
    }

    /// Of a claim with numbers of which nothing was made nothing is more than noted: one of them may be what is missing.
    fn noted_beside_open(&mut self, result: &ForeignResult) {
        let is_open = |run: &Run| run.claimed.as_ref().is_some_and(|c| c.open.numbers);
        if let CheckAnswer::Looked { doubts, .. } = self
            && result.runs.iter().any(is_open)
        {
            for doubt in doubts {
                doubt.seen.at_most = doubt.seen.at_most.min(Severity::Note);
            }
        }
    }
}

/// Doubt about a result, with its place in the input.
#[derive(Debug)]
pub struct Doubt {
    /// The rule's number.
    pub rule: u16,
    /// Finding of the rule.
    pub seen: RuleFinding,
    /// Places in the input, worst first.
    pub places: Vec<InputPlace>,
}

/// All questions, in the order in which they should be asked: of averages and counts as they are printed; of all figures that are then left; and of those
/// that nothing shows to be false, what cannot be, what was not measured, what does not last.
pub const CHECKS: [&[Check]; 3] = [OF_AVERAGES, OF_PRINTED, OF_BELIEVED];

const OF_AVERAGES: &[Check] = &[first_interval::CHECK, errors::CHECK, counts::CHECK];

const OF_PRINTED: &[Check] = &[percentiles::CHECK, agree::CHECK, steady::CHECK];

const OF_BELIEVED: &[Check] = &[
    little::CHECK,
    depth::CHECK,
    floor::CHECK,
    arithmetic::CHECK,
    collapse::CHECK,
    offered::CHECK,
    saturated::CHECK,
    flat::CHECK,
    coordinated::CHECK,
    cache::CHECK,
    content::CHECK,
    sequence::CHECK,
    cpu::CHECK,
    defects::CHECK,
];

/// Checks of a claim, which has no log.
pub const OF_CLAIMS: &[Check] = &[
    claimed::CONCURRENCY,
    claimed::PORTS,
    claims::CHECK,
    percentiles::CHECK,
    agree::CHECK,
    arithmetic::CHECK,
    floor::CHECK,
];

/// Asks a result what is claimed of it, each question with the rules that it can find broken.
pub fn asked(result: &ForeignResult, claim: Claim) -> Vec<(&'static [u16], CheckAnswer)> {
    let ask = |checks: &'static [Check], result: &ForeignResult| -> Vec<_> {
        let asked = checks.iter().map(|of| (of.rules, (of.look)(result)));
        asked.collect()
    };
    let long_enough = |of| (duration::RULES, duration::look(of, claim));
    if result.tool == Tool::Claim {
        let mut all = ask(OF_CLAIMS, result);
        all.push(long_enough(result));
        all.iter_mut()
            .for_each(|(_, answer)| answer.noted_beside_open(result));
        return all;
    }
    let corrected = believed::by_intervals(result);
    let believed = believed::without_false(&corrected);
    let seen = [result, &corrected, &believed];
    let each = CHECKS.into_iter().zip(seen);
    let all = each.flat_map(|(checks, result)| ask(checks, result));
    all.chain([long_enough(&believed)]).collect()
}

/// Least length of a run of which starting and draining are a small part, s.
const LEAST_S: f64 = 1.0;

/// Places that are shown of one finding.
const MOST_PLACES: usize = 20;
/// Runs that are named in one finding.
const MOST_RUNS: usize = 100;

/// A rule that is broken in a run.
pub(crate) struct Hit<'r> {
    run: &'r Run,
    place: InputPlace,
    /// Weight of the hit: the numbers of the worst are those of the finding.
    weight: f64,
    values: Vec<(&'static str, Quantity)>,
}

impl<'r> Hit<'r> {
    pub(crate) fn new(
        run: &'r Run,
        place: InputPlace,
        weight: f64,
        values: impl IntoIterator<Item = (&'static str, Quantity)>,
    ) -> Self {
        Hit {
            run,
            place,
            weight,
            values: values.into_iter().collect(),
        }
    }

    /// The same with more values.
    pub(crate) fn with(
        mut self,
        values: impl IntoIterator<Item = (&'static str, Quantity)>,
    ) -> Self {
        self.values.extend(values);
        self
    }
}

/// One finding of all runs that break a rule; the worst is first. Its sentence goes by a name of its own.
pub(crate) fn doubt(
    rule: u16,
    sentence: &str,
    at_most: Severity,
    mut hits: Vec<Hit>,
) -> Option<Doubt> {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    // Reads and writes of one run are one.
    let mut runs: Vec<&Run> = Vec::new();
    for hit in &hits {
        if runs.len() < MOST_RUNS && !runs.iter().any(|run| std::ptr::eq(*run, hit.run)) {
            runs.push(hit.run);
        }
    }
    let runs = runs
        .into_iter()
        .map(|run| ("run", Quantity::Text(run.name.clone())));
    let values = runs.chain(hits.first()?.values.iter().cloned());
    let finding = Finding::of_method(sentence, at_most, values);
    let mut places: Vec<InputPlace> = hits.iter().map(|h| h.place).collect();
    places.dedup();
    places.truncate(MOST_PLACES);
    Some(Doubt {
        rule,
        seen: RuleFinding {
            values: finding.values,
            ..RuleFinding::new(finding.message).at_most(at_most)
        },
        places,
    })
}

/// The answer of a check that looked at all runs which `sees` lets it see.
pub(crate) fn answer(
    seen: usize,
    needs: &'static str,
    doubts: impl IntoIterator<Item = Option<Doubt>>,
) -> CheckAnswer {
    match seen {
        0 => CheckAnswer::Blind(needs),
        _ => CheckAnswer::Looked {
            doubts: doubts.into_iter().flatten().collect(),
            unseen: Vec::new(),
        },
    }
}

/// A time in ns.
pub(crate) fn ns(value: f64) -> Quantity {
    Quantity::Ns(value)
}
