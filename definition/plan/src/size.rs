//! How large the I/Os of a stream are: of all its operations alike, or of each by itself.

use crate::{Bytes, Mix};
use plimsoll_operation::OP_COUNT;
use serde::{Deserialize, Serialize};

/// Transfer sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeSpec {
    /// All alike.
    Fixed(Bytes),
    /// (size, percent), summing to 100.
    Weighted(Vec<(Bytes, f64)>),
    /// Uniform multiples of `align` from `min` to `max`.
    Range {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
        /// Step.
        align: Bytes,
    },
    /// Each operation has its own.
    ByOperation(Box<OperationSizes>),
}

/// The sizes of each operation, whether it occurs or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperationSizes {
    /// Of reads.
    pub read: SizeSpec,
    /// Of writes.
    pub write: SizeSpec,
    /// Of trims.
    pub trim: SizeSpec,
}

impl SizeSpec {
    /// Sizes between two, multiples of a third.
    pub const fn range(min: Bytes, max: Bytes, align: Bytes) -> Self {
        SizeSpec::Range { min, max, align }
    }

    /// Sizes of each operation, in the order of [`crate::Op::ALL`]; one for all where they are the same.
    pub fn of_operations([read, write, trim]: [SizeSpec; OP_COUNT]) -> Self {
        if read == write && write == trim {
            return read;
        }
        SizeSpec::ByOperation(Box::new(OperationSizes { read, write, trim }))
    }

    /// The sizes of each operation, in the order of [`crate::Op::ALL`].
    pub fn by_operation(&self) -> [&SizeSpec; OP_COUNT] {
        match self {
            SizeSpec::ByOperation(own) => [
                own.read.by_operation()[0],
                own.write.by_operation()[1],
                own.trim.by_operation()[2],
            ],
            same => [same; OP_COUNT],
        }
    }

    /// The sizes of the operations that occur in a mix, each once; of all of them where none does.
    pub fn occurring(&self, mix: &Mix) -> Vec<&SizeSpec> {
        let percents = mix.percents();
        let none = !percents.iter().any(|p| *p > 0.0);
        let mut found: Vec<&SizeSpec> = Vec::new();
        for (size, percent) in self.by_operation().into_iter().zip(percents) {
            if (none || percent > 0.0) && !found.contains(&size) {
                found.push(size);
            }
        }
        found
    }

    /// The largest transfer.
    pub fn max(&self) -> Bytes {
        match self {
            SizeSpec::Fixed(b) => *b,
            SizeSpec::Weighted(list) => list.iter().map(|(b, _)| *b).max().unwrap_or_default(),
            SizeSpec::Range { max, .. } => *max,
            SizeSpec::ByOperation(_) => {
                let all = self.by_operation().into_iter().map(SizeSpec::max);
                all.max().unwrap_or_default()
            }
        }
    }

    /// The smallest transfer.
    pub fn min(&self) -> Bytes {
        match self {
            SizeSpec::Fixed(b) => *b,
            SizeSpec::Weighted(list) => list.iter().map(|(b, _)| *b).min().unwrap_or_default(),
            SizeSpec::Range { min, .. } => *min,
            SizeSpec::ByOperation(_) => {
                let all = self.by_operation().into_iter().map(SizeSpec::min);
                all.min().unwrap_or_default()
            }
        }
    }

    /// The mean transfer of the operations of a mix, bytes.
    pub fn mean(&self, mix: &Mix) -> f64 {
        match self {
            SizeSpec::Fixed(b) => b.0 as f64,
            SizeSpec::Weighted(list) => list.iter().map(|(b, p)| b.0 as f64 * p / 100.0).sum(),
            SizeSpec::Range { min, max, .. } => (min.0 + max.0) as f64 / 2.0,
            SizeSpec::ByOperation(_) => {
                let own = self.by_operation().into_iter().zip(mix.percents());
                own.map(|(size, p)| size.mean(mix) * p / 100.0).sum()
            }
        }
    }

    /// What its addresses are multiples of, where no alignment was asked for: each size of several, the step of a range.
    pub fn steps(&self) -> Vec<Bytes> {
        match self {
            SizeSpec::Fixed(size) => vec![*size],
            SizeSpec::Weighted(list) => list.iter().map(|(size, _)| *size).collect(),
            SizeSpec::Range { align, .. } => vec![*align],
            SizeSpec::ByOperation(_) => {
                let own = self.by_operation().into_iter();
                own.flat_map(SizeSpec::steps).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use crate::validate::tests::plan;

    const KIB: u64 = 1 << 10;

    fn fixed(kib: u64) -> SizeSpec {
        SizeSpec::Fixed(Bytes(kib * KIB))
    }

    fn stream(read: f64, write: f64, trim: f64, size: SizeSpec) -> Stream {
        let mut stream = plan().steps().next().expect("a step").streams[0].clone();
        (stream.mix, stream.size) = (Mix::from([read, write, trim]), size);
        stream
    }

    #[test]
    fn what_does_not_occur_has_no_say() {
        let sizes = SizeSpec::of_operations([fixed(8), fixed(64), fixed(1024)]);
        let ends = |read, write, trim| {
            let s = stream(read, write, trim, sizes.clone());
            [s.smallest(), s.largest(), s.largest_buffer()].map(|b| b.0 / KIB)
        };
        assert_eq!(ends(100.0, 0.0, 0.0), [8, 8, 8]);
        assert_eq!(ends(50.0, 50.0, 0.0), [8, 64, 64]);
        assert_eq!(ends(50.0, 40.0, 10.0), [8, 1024, 64]);
        assert_eq!(ends(0.0, 0.0, 100.0), [1024, 1024, 1024]);
        let mix = Mix::of_reads(75.0);
        assert_eq!(sizes.mean(&mix), (0.75 * 8.0 + 0.25 * 64.0) * KIB as f64);
    }

    #[test]
    fn one_size_for_all_is_written_as_it_always_was() {
        let same = SizeSpec::of_operations([fixed(8), fixed(8), fixed(8)]);
        assert_eq!(same, fixed(8));
        assert_eq!(same.by_operation(), [&fixed(8); 3]);
    }

    /// What is wrong with a plan of 1 GiB whose stream reads and writes these sizes.
    fn wrong(size: SizeSpec, change: impl FnOnce(&mut crate::Plan)) -> Vec<String> {
        let mut plan = plan();
        let crate::Item::Step(step) = &mut plan.items[0] else {
            panic!("a step")
        };
        step.streams[0] = stream(70.0, 30.0, 0.0, size);
        change(&mut plan);
        let found = crate::validate(&plan).into_iter();
        found.map(|problem| problem.message).collect()
    }

    #[test]
    fn sizes_that_cannot_share_their_places_are_refused() {
        let own = |read, write| SizeSpec::of_operations([fixed(read), fixed(write), fixed(read)]);
        let with = |size, coverage: bool, align: Option<u64>| {
            wrong(size, |plan| {
                plan.targets[0].align = align.map(Bytes);
                let crate::Item::Step(step) = &mut plan.items[0] else {
                    panic!("a step")
                };
                let address = &mut step.streams[0].address;
                match coverage {
                    true => {
                        address.pattern = crate::Pattern::Random {
                            distribution: crate::Distribution::Uniform,
                            coverage,
                        }
                    }
                    false => {
                        address.hits = Some(crate::HitSpec::reads(
                            50.0,
                            Bytes(1 << 20),
                            crate::HitPlacement::Scattered,
                        ))
                    }
                }
            })
        };
        for coverage in [true, false] {
            assert_eq!(with(own(8, 64), coverage, None), [""; 0]);
            assert_eq!(with(fixed(8), coverage, None), [""; 0]);
            let found = with(own(8, 12), coverage, None);
            assert!(found.len() == 1 && found[0].contains("12KiB"), "{found:?}");
            // What is asked to begin elsewhere does.
            assert_eq!(with(own(8, 12), coverage, Some(4096)), [""; 0]);
        }
    }

    #[test]
    fn each_size_that_occurs_is_checked_and_no_other() {
        let trims = |kib| SizeSpec::of_operations([fixed(8), fixed(8), fixed(kib)]);
        assert_eq!(wrong(trims(4 << 20), |_| ()), [""; 0]);
        let writes =
            |bytes| SizeSpec::of_operations([fixed(8), SizeSpec::Fixed(Bytes(bytes)), fixed(8)]);
        for (bytes, words) in [(0, "0 bytes"), (1000, "1000B"), (2 << 30, "2GiB")] {
            let found = wrong(writes(bytes), |_| ());
            assert!(
                !found.is_empty() && found.iter().all(|m| m.contains(words)),
                "{found:?}"
            );
        }
    }
}
