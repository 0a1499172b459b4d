//! What each stream writes.

use crate::EngineError;
use crate::options::Options;
use crate::target::OpenTarget;
use plimsoll_content::{ContentPlan, DedupePlan, Filler, Rewrites};
use plimsoll_plan::{ContentSpec, Step, Stream, TargetId};
use plimsoll_traffic::{content_plan, seed_for};
use std::path::Path;
use std::sync::Arc;

/// Seeds of different uses must differ; those of the others are in [`crate::setup`].
const SEED_CONTENT: u64 = 4;

/// The seed of what is written to a target: of a step's for what is new with each write, of the run's for duplicates.
pub fn content_seed(seed: u64, target: TargetId) -> u64 {
    seed_for(seed, &[SEED_CONTENT, u64::from(target.0)])
}

/// Fillers of the step's streams, made once for all workers; `None` for a stream that doesn't write.
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
        ContentSpec::File(path) => Some(read_whole(path)?),
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

/// The bytes of a content file.
fn read_whole(path: &Path) -> Result<Vec<u8>, EngineError> {
    std::fs::read(path).map_err(|source| EngineError::Content {
        path: path.display().to_string(),
        source,
    })
}

/// The duplicates of which a rewritten one alternates.
fn alternating(plan: &ContentPlan) -> Option<DedupePlan> {
    match plan {
        ContentPlan::Reducible { dedupe, .. } | ContentPlan::ReduciblePattern { dedupe, .. } => {
            dedupe.filter(|d| d.flip_flop)
        }
        _ => None,
    }
}
