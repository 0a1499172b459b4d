//! The tests of SNIA's performance test specification: the same loads round by round, until five rounds are steady.

mod judged;
mod pictures;
mod verdict;

use crate::method::{Method, ran_its_time};
use crate::next::Next;
use plimsoll_evidence::{StepEvidence, Verdict};
use plimsoll_measure::{SteadyWindow, snia_window};
use plimsoll_plan::method::{precondition, pts as plan};
use plimsoll_plan::{PtsSpec, PtsTest, Step};

/// Rounds in the window (SNIA PTS 2.0).
pub(super) const WINDOW: usize = 5;
/// The write saturation is not called steady before all was written so often: an empty device is steady, too, until its spare
/// is used up.
const WSAT_LEAST: f64 = 2.0;

/// The state machine of one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Pts {
    steps: Vec<Step>,
    spec: PtsSpec,
}

/// Progress of a test.
struct State<'e> {
    /// Steps that filled.
    fills: &'e [&'e StepEvidence],
    /// Complete rounds.
    rounds: Vec<&'e [&'e StepEvidence]>,
    /// Steps after the complete rounds.
    rest: &'e [&'e StepEvidence],
    /// No round comes any more.
    is_over: bool,
}

impl Pts {
    /// A test with these steps: one that fills, where there is one, and those of a round.
    pub fn new(steps: &[Step], spec: &PtsSpec) -> Self {
        Pts {
            steps: steps.to_vec(),
            spec: spec.clone(),
        }
    }

    fn cells(&self) -> &[Step] {
        self.spec.round(&self.steps)
    }

    fn passes(&self) -> usize {
        match self.spec.fills {
            0 => 0,
            _ => precondition::PASSES as usize,
        }
    }

    /// The cells that have to be steady, by their places in a round.
    fn tracked(&self) -> Vec<usize> {
        self.spec.tracked(self.cells())
    }

    /// Value of a step that has to be steady.
    fn value(&self, step: &StepEvidence) -> f64 {
        match self.spec.test {
            PtsTest::Latency => step.response_mean_ns.mean,
            _ => step.rate.mean,
        }
    }

    fn state<'e>(&self, completed: &'e [&'e StepEvidence]) -> State<'e> {
        let (fills, rest) = completed.split_at(self.passes().min(completed.len()));
        let size = self.cells().len().max(1);
        let all: Vec<&[&StepEvidence]> = rest.chunks_exact(size).collect();
        // The write saturation is asked after each round and has no step behind its last.
        let first = match self.spec.test {
            PtsTest::Wsat => all.len().max(1),
            _ => 1,
        };
        let over = (first..=all.len()).find(|n| self.is_over(&all[..*n]));
        let count = over.unwrap_or(all.len());
        State {
            fills,
            rounds: all[..count].to_vec(),
            rest: &rest[count * size..],
            is_over: over.is_some(),
        }
    }

    fn is_over(&self, rounds: &[&[&StepEvidence]]) -> bool {
        if rounds.len() >= self.spec.test.rounds() as usize {
            return true;
        }
        if self.spec.test != PtsTest::Wsat {
            return self.windows(rounds).is_some_and(|w| all_steady(&w));
        }
        let written = overwrites(rounds);
        let spacing = plan::WSAT_SPACING as usize;
        let looked_at = rounds.len().is_multiple_of(spacing);
        written >= plan::WSAT_OVERWRITES
            || (looked_at
                && written >= WSAT_LEAST
                && self.windows(rounds).is_some_and(|w| all_steady(&w)))
    }

    /// The windows of the tracked values over the last rounds; `None` where there are too few rounds.
    fn windows(&self, rounds: &[&[&StepEvidence]]) -> Option<Vec<SteadyWindow>> {
        let last = self.window_rounds(rounds.len())?;
        let of = |cell: &usize| {
            let values: Vec<f64> = last.iter().map(|r| self.value(rounds[*r][*cell])).collect();
            snia_window(&values)
        };
        self.tracked().iter().map(of).collect()
    }

    /// The rounds of the window: the last five, or of the write saturation five with the specification's spacing.
    fn window_rounds(&self, count: usize) -> Option<Vec<usize>> {
        let spacing = match self.spec.test {
            PtsTest::Wsat => plan::WSAT_SPACING as usize,
            _ => 1,
        };
        let first = count.checked_sub(1 + (WINDOW - 1) * spacing)?;
        Some((0..WINDOW).map(|i| first + i * spacing).collect())
    }
}

impl Method for Pts {
    fn next(&self, completed: &[&StepEvidence]) -> Next {
        let state = self.state(completed);
        let cells = self.cells();
        let Some(filling) = self.steps.first().filter(|_| !cells.is_empty()) else {
            return Next::Done(None);
        };
        let cut = completed.last().is_some_and(|s| !ran_its_time(s));
        let done = || Next::Done(self.verdict(&state));
        if cut {
            return done();
        }
        if state.fills.len() < self.passes() {
            let pass = precondition::numbered(filling, state.fills.len() as u32 + 1);
            return Next::Step(Box::new(pass));
        }
        if !state.is_over {
            let round = state.rounds.len() as u32 + 1;
            return Next::Step(Box::new(PtsSpec::step(&cells[state.rest.len()], round)));
        }
        let is_wanted = self.spec.test == PtsTest::Latency && state.rest.is_empty();
        match self.spec.histogram(cells).filter(|_| is_wanted) {
            Some(histogram) => Next::Step(Box::new(histogram)),
            None => done(),
        }
    }

    /// A round follows the last at once: in a pause an array collects its garbage.
    fn rests_before(&self, _: &[&StepEvidence], _: &Step) -> bool {
        false
    }
}

impl Pts {
    fn verdict(&self, state: &State<'_>) -> Option<Verdict> {
        let ran = state
            .fills
            .iter()
            .chain(state.rounds.iter().copied().flatten());
        let run = ran.chain(state.rest).next()?.run.clone();
        Some(Verdict::Method(verdict::verdict(self, state, run)))
    }
}

fn all_steady(windows: &[SteadyWindow]) -> bool {
    !windows.is_empty() && windows.iter().all(|w| w.steady)
}

/// Number of times that rounds wrote all of the targets.
fn overwrites(rounds: &[&[&StepEvidence]]) -> f64 {
    let each = |s: &&StepEvidence| match s.targets_bytes {
        0 => 0.0,
        size => s.written_bytes() as f64 / size as f64,
    };
    rounds.iter().copied().flatten().map(each).sum()
}
