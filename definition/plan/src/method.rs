//! Methods apart from the curve: a question, and the steps that may be run to answer it.

mod adaptive;
mod disturb;
mod fingerprint;
pub mod precondition;
pub mod pts;
mod saturate;
mod soak;
mod sweep;

pub use adaptive::{AdaptiveSpec, DEFAULT_BUDGET, LEAST_BUDGET, SHORTEST_POINT};
pub use disturb::DisturbSpec;
pub use fingerprint::{
    FINGERPRINT_BLOCK, FINGERPRINT_BUDGET, FINGERPRINT_DEPTH, FINGERPRINT_LARGE,
    FINGERPRINT_MIDDLE, FingerprintSpec, PathDown,
};
pub use precondition::Precondition;
pub use pts::{PtsSpec, PtsTest};
pub use saturate::{DEFAULT_BLOCKS, DEFAULT_READS, MORE_WORKERS, SaturateSpec};
pub use soak::{OVERWRITES_TIME, ROUNDS_MAX, SOAK_PART, SOAK_TIME, SoakSpec};
pub use sweep::{DEFAULT_REPEATS, SweepOrder, SweepSpec};

use crate::step::step_duration;
use crate::{Bytes, Nanos, Step, TargetId};
use serde::{Deserialize, Serialize};

/// A question that takes more than one plain measurement to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodSpec {
    /// What it may do to the targets is all in these: each mix, size and content, with the greatest depth. Which of them are
    /// run, how often and at what load, the method decides as it goes. The first gives it its name. There is at least one.
    pub steps: Vec<Step>,
    /// What is asked.
    pub question: Question,
}

/// What a method is to find out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What the target is, from load alone.
    Fingerprint(FingerprintSpec),
    /// How the response grows with the load, looked for where it bends.
    Adaptive(AdaptiveSpec),
    /// For each mix and size, the least concurrency that carries nearly the most.
    Saturate(SaturateSpec),
    /// Whether the storage carries a load for as long as it takes to write all of it several times.
    Soak(SoakSpec),
    /// How the result depends on parameters.
    Sweep(SweepSpec),
    /// What a disturbance does to a load, and for how long.
    Disturb(DisturbSpec),
    /// What a test of SNIA's performance test specification says of the storage.
    Pts(PtsSpec),
}

/// One line of what a method will do: steps that look alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlined {
    /// The steps' name.
    pub name: String,
    /// How much is asked for, in words.
    pub load: String,
    /// One of them, with the greatest depth.
    pub step: Step,
    /// How many there are, at most.
    pub at_most: u32,
    /// True where there may be fewer.
    pub may_be_fewer: bool,
}

impl Outlined {
    /// A step that is run once, as it is.
    pub fn once(step: &Step, load: impl Into<String>) -> Self {
        Outlined {
            name: step.name.clone(),
            load: load.into(),
            step: step.clone(),
            at_most: 1,
            may_be_fewer: false,
        }
    }

    /// The longest that all of them take.
    pub fn duration(&self) -> Nanos {
        let each = step_duration(&self.step).0;
        Nanos(each.saturating_mul(u64::from(self.at_most)))
    }
}

impl Question {
    /// The method's name, as in `plimsoll soak`.
    pub fn method(&self) -> &'static str {
        match self {
            Question::Fingerprint(_) => "fingerprint",
            Question::Adaptive(_) => "adaptive",
            Question::Saturate(_) => "saturate",
            Question::Soak(_) => "soak",
            Question::Sweep(_) => "sweep",
            Question::Disturb(_) => "disturb",
            Question::Pts(_) => "pts",
        }
    }
}

impl MethodSpec {
    /// The run that it is.
    pub fn run(&self) -> &str {
        self.steps.first().map_or("", |s| &s.run)
    }

    /// What it will do, in order, as far as that is known before it runs.
    pub fn outline(&self) -> Vec<Outlined> {
        match &self.question {
            Question::Fingerprint(fingerprint) => fingerprint.outline(&self.steps),
            Question::Adaptive(adaptive) => self
                .steps
                .first()
                .map_or(Vec::new(), |base| adaptive.outline(base)),
            Question::Saturate(saturate) => saturate.outline(&self.steps),
            Question::Soak(soak) => soak.outline(&self.steps),
            Question::Sweep(sweep) => sweep.outline(&self.steps),
            Question::Disturb(disturb) => disturb.outline(&self.steps),
            Question::Pts(pts) => pts.outline(&self.steps),
        }
    }

    /// Tells it what only an opened target knows: its bytes, and its smallest transfer.
    pub fn measured(&mut self, of: impl Fn(TargetId) -> (Bytes, Bytes)) {
        let target = self.steps.first().and_then(|s| s.streams.first());
        if let (Question::Fingerprint(spec), Some(stream)) = (&mut self.question, target) {
            let (size, sector) = of(stream.target);
            spec.size = Some(size);
            spec.sector = sector;
        }
    }

    /// The target whose paths it compares, where it does and does not know them yet.
    pub fn wants_paths(&self) -> Option<TargetId> {
        let first = self.steps.first().and_then(|s| s.streams.first())?;
        match &self.question {
            Question::Fingerprint(spec) if spec.paths.is_empty() => Some(first.target),
            _ => None,
        }
    }

    /// These targets are the one whose paths it compares, by one path each.
    pub fn take_paths(&mut self, paths: Vec<TargetId>) {
        if let Question::Fingerprint(spec) = &mut self.question {
            spec.take_paths(paths, &mut self.steps);
        }
    }

    /// The paths that it compares, by number and target.
    pub fn paths(&self) -> &[TargetId] {
        match &self.question {
            Question::Fingerprint(spec) => &spec.paths,
            _ => &[],
        }
    }

    /// Leaves out a path that is down.
    pub fn leave_out(&mut self, down: PathDown) {
        if let Question::Fingerprint(spec) = &mut self.question {
            spec.leave_out(down, &mut self.steps);
        }
    }

    /// Whether its steps are such that the target has to come to rest before each.
    pub fn wants_rest(&self) -> bool {
        !matches!(self.question, Question::Fingerprint(_))
    }
}
