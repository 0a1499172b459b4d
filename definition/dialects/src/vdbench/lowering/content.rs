//! What is written.

use super::stream::loop_value;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use crate::vdbench::model::{LoopKey, Storage, Toggle};
use crate::vdbench::run::Run;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, ContentSpec, DedupePlacement, DedupeSpec};

/// The share of blocks that are duplicates' sets where nothing is said: 5 %.
const SETS_PERCENT: f64 = 5.0;

/// The content of a storage's blocks in a run. Without any word about it every block is unique, as Vdbench's are at 4 KiB
/// and above; at 512 bytes it repeats itself.
pub(super) fn content(
    definition: &Definition,
    run: &Run,
    storage: &Storage,
) -> Result<ContentSpec, Box<Diagnostic>> {
    let reduction = storage.reduction.over(&definition.general.reduction);
    let compress = loop_value(run, LoopKey::Compression)
        .or(reduction.compression)
        .unwrap_or(1.0);
    let ratio = reduction.dedup.unwrap_or(1.0);
    if let Some(file) = &definition.general.pattern {
        if compress > 1.0 || ratio > 1.0 {
            return Err(Box::new(
                Diagnostic::error(
                    codes::CONFLICT,
                    "`pattern=` excludes compression and deduplication",
                )
                .at(
                    definition
                        .general
                        .origins
                        .of("pattern")
                        .unwrap_or(storage.span),
                    "the data is this file's",
                )
                .help("leave out pattern=, or compratio= and dedupratio="),
            ));
        }
        return Ok(ContentSpec::File(file.clone()));
    }
    let dedupe = match reduction.unit.filter(|_| ratio > 1.0) {
        Some(unit) => Some(DedupeSpec {
            ratio,
            unit: Bytes(unit),
            sets: sets(reduction.sets, storage, unit)?,
            flip_flop: reduction.flip_flop == Some(Toggle::On),
            placement: DedupePlacement::Runs,
        }),
        None => None,
    };
    Ok(match compress > 1.0 || dedupe.is_some() {
        true => ContentSpec::Reducible { compress, dedupe },
        false => ContentSpec::Unique,
    })
}

/// A number of sets; a percentage is of the storage's blocks.
fn sets(given: Option<f64>, storage: &Storage, unit: u64) -> Result<Option<u64>, Box<Diagnostic>> {
    match given {
        None => Ok(None),
        Some(count) if count >= 0.0 => Ok(Some((count as u64).max(1))),
        Some(percent) if percent == -SETS_PERCENT => Ok(None),
        Some(percent) => {
            let size = storage
                .size
                .or_else(|| super::target::stated_size(storage))
                .ok_or_else(|| {
                    Box::new(
                        Diagnostic::error(
                            codes::SIZE_UNKNOWN,
                            "a percentage of dedup sets counts the blocks of the storage",
                        )
                        .at(storage.span, "its size is not given")
                        .help("add size=, or give dedupsets= as a number"),
                    )
                })?;
            Ok(Some(
                ((size / unit) as f64 * -percent / 100.0).max(1.0) as u64
            ))
        }
    }
}
