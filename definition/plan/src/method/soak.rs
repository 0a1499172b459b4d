//! The soak: one load for a long time.

use super::Outlined;
use crate::Step;
use crate::describe::load_words;
use serde::{Deserialize, Serialize};

/// A constant load until its time is up, or until the targets were overwritten so many times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SoakSpec {
    /// How many times all of the targets is written; `None`: the step's time alone ends it.
    pub overwrites: Option<f64>,
}

impl SoakSpec {
    pub(super) fn outline(&self, steps: &[Step]) -> Vec<Outlined> {
        let once = |step: &Step| Outlined::once(step, load_words(&step.load));
        steps.iter().map(once).collect()
    }
}
