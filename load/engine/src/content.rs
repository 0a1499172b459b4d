//! What each stream writes.

use crate::EngineError;
use crate::run::{Options, content_error};
use crate::target::OpenTarget;
use plimsoll_content::{ContentPlan, DedupePlan, Filler, Rewrites};
use plimsoll_plan::{ContentSpec, Step, Stream, TargetId};
use plimsoll_traffic::{content_plan, seed_for};
use std::sync::{Arc, Mutex, PoisonError};

/// Seeds of different uses must differ; those of the others are in [`crate::setup`].
const SEED_CONTENT: u64 = 4;

/// The seed of what is written to a target: of a step's for what is new with each write, of the run's for duplicates.
pub fn content_seed(seed: u64, target: TargetId) -> u64 {
    seed_for(seed, &[SEED_CONTENT, u64::from(target.0)])
}

/// What is remembered of the blocks of one target that were written, for all steps and workers: one memory for each size
/// of block.
#[derive(Debug, Default)]
pub struct Written(Mutex<Vec<(u64, Arc<Rewrites>)>>);

impl Written {
    /// The memory of `blocks` blocks of `unit` bytes; `None` where they are too many to be remembered.
    fn of(&self, unit: u64, blocks: u64) -> Option<Arc<Rewrites>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rewrites)) = known.iter().find(|(u, _)| *u == unit) {
            return Some(Arc::clone(rewrites));
        }
        let rewrites = Arc::new(Rewrites::new(blocks)?);
        known.push((unit, Arc::clone(&rewrites)));
        Some(rewrites)
    }
}

/// What each of the step's streams writes, made once for all workers; nothing where it doesn't write.
pub fn fillers(
    step: &Step,
    targets: &[Arc<OpenTarget>],
    options: &Options,
) -> Result<Vec<Option<Filler>>, EngineError> {
    let seeds = (options.seed, options.run_seed);
    let filler = |spec: &Stream| {
        let target = &targets[spec.target.0 as usize];
        filler(&spec.content, spec.target, target, seeds)
    };
    let writes = |spec: &Stream| spec.mix.write > 0.0;
    step.streams
        .iter()
        .map(|s| writes(s).then(|| filler(s)).transpose())
        .collect()
}

/// Makes a target's content. `seeds` are those of the step, from which what is new with each write comes, and of the run:
/// what is a duplicate in one step is the same one in all, whichever worker writes it.
pub fn filler(
    spec: &ContentSpec,
    id: TargetId,
    target: &OpenTarget,
    (step_seed, run_seed): (u64, u64),
) -> Result<Filler, EngineError> {
    let bytes = match spec {
        ContentSpec::File(path) => Some(std::fs::read(path).map_err(|e| content_error(path, e))?),
        _ => None,
    };
    let plan = content_plan(spec, target.size, bytes, content_seed(run_seed, id));
    let alternates = match &plan {
        ContentPlan::PartZero { rest, .. } => alternating(rest),
        plan => alternating(plan),
    };
    let filler = Filler::new(plan, content_seed(step_seed, id));
    let Some(dedupe) = alternates else {
        return Ok(filler);
    };
    match target.written.of(dedupe.unit, dedupe.units) {
        Some(rewrites) => Ok(filler.with_rewrites(rewrites)),
        None => Err(EngineError::TooManyBlocks {
            target: target.name.clone(),
            blocks: dedupe.units,
            most: Rewrites::BLOCKS_MAX,
        }),
    }
}

/// The duplicates of which a rewritten one alternates.
fn alternating(plan: &ContentPlan) -> Option<DedupePlan> {
    match plan {
        ContentPlan::Reducible { dedupe, .. } => dedupe.filter(|d| d.flip_flop),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_writes_a_target_shares_a_memory_for_each_size_of_block() {
        let written = Written::default();
        let of = |unit, blocks| written.of(unit, blocks).expect("fits");
        of(4096, 100).count(7..8);
        assert!(of(4096, 100).is_odd(7));
        assert!(!of(8192, 50).is_odd(7));
        assert!(written.of(512, u64::MAX).is_none());
    }
}
