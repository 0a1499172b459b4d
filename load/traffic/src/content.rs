//! The plan's content as the content crate wants it.

use plimsoll_content::verify::{PatternPlan, Sum, VerifyPlan};
use plimsoll_content::{ContentPlan, DedupePlan, Placement};
use plimsoll_plan::{
    ContentSpec, DedupePlacement, DedupeSpec, VerifyPattern, VerifySpec, VerifySum,
};

/// Blocks of the target for each set of duplicates where no sets were asked for: 5 % of them, as in Vdbench.
const DEFAULT_SETS: u64 = 20;

/// The content of a target of `target_size` bytes. `file` is what a [`ContentSpec::File`] holds, read by the caller;
/// without it such content is zeros. `duplicates` is [`DedupePlan::seed`]: the same for all that writes the target.
pub fn content_plan(
    spec: &ContentSpec,
    target_size: u64,
    file: Option<Vec<u8>>,
    duplicates: u64,
) -> ContentPlan {
    match spec {
        ContentSpec::PartZero {
            zeros,
            compress,
            dedupe,
        } => {
            let rest = ContentSpec::Reducible {
                compress: *compress,
                dedupe: *dedupe,
            };
            ContentPlan::PartZero {
                share: zeros / 100.0,
                unit: plimsoll_plan::zero_unit(dedupe.as_ref()).0,
                seed: duplicates,
                rest: Box::new(content_plan(&rest, target_size, None, duplicates)),
            }
        }
        ContentSpec::Unique => ContentPlan::Unique,
        ContentSpec::Zeros => ContentPlan::Zeros,
        ContentSpec::Pattern(bytes) => ContentPlan::Repeat(bytes.as_slice().into()),
        ContentSpec::File(_) => ContentPlan::Repeat(file.unwrap_or_default().into()),
        ContentSpec::Reducible { compress, dedupe } => ContentPlan::Reducible {
            compress: *compress,
            dedupe: dedupe.map(|d| dedupe_plan(&d, target_size, duplicates)),
        },
        ContentSpec::ReduciblePattern {
            pattern,
            compress,
            dedupe,
        } => ContentPlan::ReduciblePattern {
            pattern: pattern.as_slice().into(),
            compress: *compress,
            dedupe: dedupe.map(|d| dedupe_plan(&d, target_size, duplicates)),
        },
    }
}

fn dedupe_plan(spec: &DedupeSpec, target_size: u64, seed: u64) -> DedupePlan {
    let unit = spec.unit.0.max(1);
    let units = (target_size / unit).max(1);
    // Vdbench leaves the fraction of a set out; whether the number is even decides what chunks of two units come to.
    let (placement, unasked) = match spec.placement {
        DedupePlacement::Scattered => (Placement::Scattered, units.div_ceil(DEFAULT_SETS)),
        DedupePlacement::Runs => (Placement::Runs, units / DEFAULT_SETS),
    };
    DedupePlan {
        ratio: spec.ratio,
        unit,
        sets: spec.sets.unwrap_or(unasked).max(1),
        units,
        flip_flop: spec.flip_flop,
        placement,
        seed,
    }
}

/// Plan for verifying content that began to be written at a time, seconds and nanoseconds.
pub fn verify_plan(spec: &VerifySpec, began: (u32, u32)) -> VerifyPlan {
    let bytes = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let pattern = |p: &VerifyPattern| PatternPlan {
        bytes: p.bytes.as_slice().into(),
        offsets: p.offsets.as_slice().into(),
        interval: p.interval,
    };
    VerifyPlan {
        sum: spec.sum.map(sum),
        interval: spec.interval.map(|n| bytes(n.0)),
        offset: bytes(spec.offset.0),
        pattern: spec.pattern.as_ref().map(pattern),
        began,
    }
}

fn sum(sum: VerifySum) -> Sum {
    match sum {
        VerifySum::Meta => Sum::Meta,
        VerifySum::Md5 => Sum::Md5,
        VerifySum::Crc64 => Sum::Crc64,
        VerifySum::Crc32 => Sum::Crc32,
        VerifySum::Crc32c => Sum::Crc32c,
        VerifySum::Crc16 => Sum::Crc16,
        VerifySum::Crc7 => Sum::Crc7,
        VerifySum::Sha1 => Sum::Sha1,
        VerifySum::Sha256 => Sum::Sha256,
        VerifySum::Sha512 => Sum::Sha512,
        VerifySum::Sha3_224 => Sum::Sha3_224,
        VerifySum::Sha3_256 => Sum::Sha3_256,
        VerifySum::Sha3_384 => Sum::Sha3_384,
        VerifySum::Sha3_512 => Sum::Sha3_512,
        VerifySum::Xxhash => Sum::Xxhash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_plan::Bytes;

    #[test]
    fn unasked_sets_are_a_twentieth_of_the_targets_blocks() {
        let sets_of = |placement, size| {
            let spec = ContentSpec::Reducible {
                compress: 2.0,
                dedupe: Some(DedupeSpec {
                    ratio: 3.0,
                    unit: Bytes(8192),
                    sets: None,
                    flip_flop: true,
                    placement,
                }),
            };
            match content_plan(&spec, size, None, 9) {
                ContentPlan::Reducible {
                    compress: 2.0,
                    dedupe: Some(plan),
                } => plan,
                other => panic!("{other:?}"),
            }
        };
        let expected = DedupePlan {
            ratio: 3.0,
            unit: 8192,
            sets: 6554,
            units: 131_072,
            flip_flop: true,
            placement: Placement::Scattered,
            seed: 9,
        };
        assert_eq!(sets_of(DedupePlacement::Scattered, 1 << 30), expected);
        let expected = DedupePlan {
            sets: 6553,
            placement: Placement::Runs,
            ..expected
        };
        assert_eq!(sets_of(DedupePlacement::Runs, 1 << 30), expected);
        assert_eq!(sets_of(DedupePlacement::Runs, 1).sets, 1);
    }

    #[test]
    fn a_files_bytes_are_repeated() {
        let spec = ContentSpec::File("x".into());
        assert_eq!(
            content_plan(&spec, 1 << 20, Some(vec![1, 2]), 9),
            ContentPlan::Repeat([1, 2].into())
        );
    }
}
