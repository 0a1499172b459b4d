//! The content of an array that reduces data, parameter by parameter: what `over = "reduction"` loops over.

use plimsoll_plan::{Bytes, ContentSpec, DedupePlacement, DedupeSpec};

/// One parameter of content that can be reduced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reduced {
    /// Blocks written over distinct blocks.
    Dedupe(f64),
    /// Original size over compressed size.
    Compress(f64),
    /// Percent of the blocks that hold only zeros.
    Zeros(f64),
}

/// The axes of the matrix. Each has the value without reduction, so that each effect stands beside what it is compared with. A
/// ratio of 2 tells whether duplicates and zeros are served differently; compression has a second step, because what it saves
/// grows with the ratio. 12 cells: with the usual repeats and times 21 minutes.
const AXES: [(&str, &[(&str, Reduced)]); 3] = [
    (
        "dedupe",
        &[("1", Reduced::Dedupe(1.0)), ("2", Reduced::Dedupe(2.0))],
    ),
    (
        "compress",
        &[
            ("1", Reduced::Compress(1.0)),
            ("2", Reduced::Compress(2.0)),
            ("4", Reduced::Compress(4.0)),
        ],
    ),
    (
        "zeros",
        &[("0%", Reduced::Zeros(0.0)), ("50%", Reduced::Zeros(50.0))],
    ),
];

/// The axes: a name, and what is written beside what it sets.
pub fn axes() -> impl Iterator<Item = (&'static str, &'static [(&'static str, Reduced)])> {
    AXES.iter().copied()
}

impl Reduced {
    /// The content with this parameter in the place of its own. What has no ratios is taken for unique. A
    /// pattern that compresses stays, except where a part of the blocks is zeros.
    pub fn put_into(self, content: &ContentSpec) -> ContentSpec {
        let (mut zeros, mut compress, mut dedupe) = match content {
            ContentSpec::Reducible { compress, dedupe }
            | ContentSpec::ReduciblePattern {
                compress, dedupe, ..
            } => (0.0, *compress, *dedupe),
            ContentSpec::PartZero {
                zeros,
                compress,
                dedupe,
            } => (*zeros, *compress, *dedupe),
            _ => (0.0, 1.0, None),
        };
        match self {
            Reduced::Compress(ratio) => compress = ratio,
            Reduced::Zeros(percent) => zeros = percent,
            // A ratio of 1 stays one, so that every cell has blocks of the same size.
            Reduced::Dedupe(ratio) => {
                dedupe = Some(DedupeSpec {
                    ratio,
                    ..dedupe.unwrap_or(DedupeSpec::new(
                        ratio,
                        Bytes(4096),
                        DedupePlacement::default(),
                    ))
                });
            }
        }
        match (content, content_of(zeros, compress, dedupe)) {
            (
                ContentSpec::ReduciblePattern { pattern, .. },
                ContentSpec::Reducible { compress, dedupe },
            ) => ContentSpec::ReduciblePattern {
                pattern: pattern.clone(),
                compress,
                dedupe,
            },
            (_, other) => other,
        }
    }
}

/// The content with these zeros, percent, and ratios.
pub fn content_of(zeros: f64, compress: f64, dedupe: Option<DedupeSpec>) -> ContentSpec {
    match zeros {
        0.0 => ContentSpec::Reducible { compress, dedupe },
        100.0 => ContentSpec::Zeros,
        zeros => ContentSpec::PartZero {
            zeros,
            compress,
            dedupe,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stays_where_all_blocks_hold_it() {
        let with = |compress| ContentSpec::ReduciblePattern {
            pattern: vec![0xab, 0xcd],
            compress,
            dedupe: None,
        };
        assert_eq!(Reduced::Compress(4.0).put_into(&with(2.0)), with(4.0));
        assert_eq!(Reduced::Zeros(0.0).put_into(&with(2.0)), with(2.0));
        let zeros = Reduced::Zeros(50.0).put_into(&with(2.0));
        assert!(matches!(zeros, ContentSpec::PartZero { .. }), "{zeros:?}");
    }
}
