//! The plan's content as the content crate wants it.

use plimsoll_content::{ContentPlan, DedupePlan};
use plimsoll_plan::ContentSpec;

/// Sets of duplicates where none were asked: this part of the target's blocks, as in Vdbench.
const DEFAULT_SETS: f64 = 0.05;

/// The content of a target of `target_size` bytes. `file` is what a [`ContentSpec::File`] holds, read by the caller;
/// without it such content is zeros.
pub fn content_plan(spec: &ContentSpec, target_size: u64, file: Option<Vec<u8>>) -> ContentPlan {
    match spec {
        ContentSpec::Unique => ContentPlan::Unique,
        ContentSpec::Zeros => ContentPlan::Zeros,
        ContentSpec::Pattern(bytes) => ContentPlan::Repeat(bytes.as_slice().into()),
        ContentSpec::File(_) => ContentPlan::Repeat(file.unwrap_or_default().into()),
        ContentSpec::Reducible { compress, dedupe } => ContentPlan::Reducible {
            compress: *compress,
            dedupe: dedupe.map(|d| {
                let unit = d.unit.0.max(1);
                let units = (target_size / unit).max(1);
                DedupePlan {
                    ratio: d.ratio,
                    unit,
                    sets: d
                        .sets
                        .unwrap_or((units as f64 * DEFAULT_SETS).ceil() as u64)
                        .max(1),
                    units,
                    flip_flop: d.flip_flop,
                }
            }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::{Bytes, DedupeSpec};

    #[test]
    fn unasked_sets_are_a_twentieth_of_the_targets_blocks() {
        let spec = ContentSpec::Reducible {
            compress: 2.0,
            dedupe: Some(DedupeSpec {
                ratio: 3.0,
                unit: Bytes(8192),
                sets: None,
                flip_flop: true,
            }),
        };
        let expected = DedupePlan {
            ratio: 3.0,
            unit: 8192,
            sets: 6554,
            units: 131_072,
            flip_flop: true,
        };
        assert_eq!(
            content_plan(&spec, 1 << 30, None),
            ContentPlan::Reducible {
                compress: 2.0,
                dedupe: Some(expected)
            }
        );
    }

    #[test]
    fn a_files_bytes_are_repeated() {
        let spec = ContentSpec::File("x".into());
        assert_eq!(
            content_plan(&spec, 1 << 20, Some(vec![1, 2])),
            ContentPlan::Repeat([1, 2].into())
        );
    }
}
