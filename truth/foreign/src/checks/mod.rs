//! What can be asked of a result's numbers alone: a file for each question. A check is a pure function; what it needs and does not
//! find in the result is said, so that silence is never a clean bill.

mod agree;
mod arithmetic;
mod cache;
mod collapse;
mod content;
mod coordinated;
mod counts;
mod cpu;
mod depth;
mod duration;
mod errors;
mod fields;
mod first_interval;
mod floor;
mod little;
mod offered;
mod percentiles;
mod saturated;
mod sequence;
mod steady;

use crate::model::{ForeignResult, Place, Run};
use plimsoll_evidence::{Finding, Quantity, Severity};
use serde::Serialize;

/// What a rule is about; its sentence is in `plimsoll_evidence::sentence`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its name.
    pub id: &'static str,
    /// When it speaks.
    pub threshold: &'static str,
    /// Where the threshold comes from.
    pub source: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// One question.
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The rules that it can find broken.
    pub rules: &'static [About],
    /// Asks it.
    pub look: fn(&ForeignResult) -> Answer,
}

/// What a check says.
#[derive(Debug)]
pub enum Answer {
    /// It could look, and found these.
    Looked(Vec<Doubt>),
    /// What it needs is not in the result: this.
    Blind(&'static str),
}

/// What was found, and where in the input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Doubt {
    /// What, with its values and its sentence.
    #[serde(flatten)]
    pub finding: Finding,
    /// The rule.
    #[serde(flatten)]
    pub about: About,
    /// Where, worst first.
    pub places: Vec<Place>,
}

/// All questions, in the order in which they should be asked: what cannot be, what was not measured, what does not last.
pub const CHECKS: &[Check] = &[
    errors::CHECK,
    counts::CHECK,
    little::CHECK,
    depth::CHECK,
    percentiles::CHECK,
    agree::CHECK,
    floor::CHECK,
    arithmetic::CHECK,
    collapse::CHECK,
    steady::CHECK,
    first_interval::CHECK,
    duration::CHECK,
    offered::CHECK,
    saturated::CHECK,
    coordinated::CHECK,
    cache::CHECK,
    content::CHECK,
    sequence::CHECK,
    cpu::CHECK,
];

/// Places that are shown of one finding.
const MOST_PLACES: usize = 20;
/// Runs that are named in one finding.
const MOST_RUNS: usize = 100;

/// A rule that is broken in a run.
pub(crate) struct Hit<'r> {
    run: &'r Run,
    place: Place,
    /// How badly: the numbers of the worst are those of the finding.
    weight: f64,
    values: Vec<(&'static str, Quantity)>,
}

impl<'r> Hit<'r> {
    pub(crate) fn new(
        run: &'r Run,
        place: Place,
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
}

/// One finding of all runs that break a rule; the worst is first.
pub(crate) fn doubt(about: &About, severity: Severity, mut hits: Vec<Hit>) -> Option<Doubt> {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let runs = hits
        .iter()
        .take(MOST_RUNS)
        .map(|h| ("run", Quantity::Text(h.run.name.clone())));
    let values = runs.chain(hits.first()?.values.iter().cloned());
    let mut places: Vec<Place> = hits.iter().map(|h| h.place).collect();
    places.dedup();
    places.truncate(MOST_PLACES);
    Some(Doubt {
        finding: Finding::of_method(about.id, severity, values),
        about: *about,
        places,
    })
}

/// The answer of a check that looked at all runs which `sees` lets it see.
pub(crate) fn answer(
    seen: usize,
    needs: &'static str,
    doubts: impl IntoIterator<Item = Option<Doubt>>,
) -> Answer {
    match seen {
        0 => Answer::Blind(needs),
        _ => Answer::Looked(doubts.into_iter().flatten().collect()),
    }
}

/// A time in ns.
pub(crate) fn ns(value: f64) -> Quantity {
    Quantity::Ns(value)
}
