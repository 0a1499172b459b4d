//! How large.

use crate::error::TrafficError;
use crate::generator::Generator;
use plimsoll_plan::{Bytes, Mix, OP_COUNT, Op, SizeSpec};

/// Draws transfer sizes. A size comes with its *class*: I/Os of one class share a grid of addresses.
#[derive(Debug, Clone)]
pub(crate) enum Sizes {
    /// One size, class 0.
    Fixed(u32),
    /// Each of its own class, up to its cumulative chance.
    Weighted(Box<[(u64, u32)]>),
    /// All of class 0.
    Range { min: u32, step: u32, count: u64 },
    /// Each operation's own, and its first class. Those of one that never occurs are another's.
    ByOperation(Box<[(usize, Sizes); OP_COUNT]>),
}

impl Sizes {
    /// Sizes of a stream's operations for a target of this logical block, bytes.
    pub(crate) fn new(spec: &SizeSpec, mix: &Mix, block: u32) -> Result<Self, TrafficError> {
        let occurring = spec.occurring(mix);
        if let [same] = occurring.as_slice() {
            return Sizes::of_all(same, block);
        }
        let mut classes = 0;
        let mut known: Vec<(usize, Sizes)> = Vec::new();
        for spec in &occurring {
            let sizes = Sizes::of_all(spec, block)?;
            let first = classes;
            classes += sizes.classes().len();
            known.push((first, sizes));
        }
        let of = |spec: &SizeSpec| {
            let at = occurring.iter().position(|s| *s == spec);
            known[at.unwrap_or(0)].clone()
        };
        Ok(Sizes::ByOperation(Box::new(spec.by_operation().map(of))))
    }

    /// The same for each operation.
    fn of_all(spec: &SizeSpec, block: u32) -> Result<Self, TrafficError> {
        match spec {
            // It is taken apart before.
            SizeSpec::ByOperation(own) => Sizes::of_all(own.read.by_operation()[0], block),
            SizeSpec::Fixed(size) => Ok(Sizes::Fixed(usable(*size, block)?)),
            SizeSpec::Weighted(list) => weighted(list, block),
            SizeSpec::Range { min, max, align } => {
                let (low, step) = (usable(*min, block)?, usable(*align, block)?);
                let high = usable(*max, block)?;
                if high < low {
                    return Err(TrafficError::SizeRange {
                        min: *min,
                        max: *max,
                        align: *align,
                    });
                }
                Ok(Sizes::Range {
                    min: low,
                    step,
                    count: u64::from((high - low) / step) + 1,
                })
            }
        }
    }

    /// The next class and size, of an operation.
    #[inline(always)]
    pub(crate) fn draw(&self, op: Op, generator: &mut Generator) -> (usize, u32) {
        // First and apart: of so many cases the compiler would make a jump table.
        if let Sizes::Fixed(size) = self {
            return (0, *size);
        }
        match self {
            Sizes::Fixed(size) => (0, *size),
            Sizes::ByOperation(own) => draw_own(&own[op as usize], op, generator),
            Sizes::Weighted(list) => {
                let x = generator.bits();
                let class = list
                    .iter()
                    .take_while(|(below, _)| x >= *below)
                    .count()
                    .min(list.len() - 1);
                (class, list[class].1)
            }
            Sizes::Range { min, step, count } => (0, min + generator.below(*count) as u32 * step),
        }
    }

    /// The classes: the largest size of each, and the step of its grid where no alignment was asked.
    pub(crate) fn classes(&self) -> Vec<(u32, u32)> {
        match self {
            Sizes::Fixed(size) => vec![(*size, *size)],
            Sizes::Weighted(list) => list.iter().map(|(_, size)| (*size, *size)).collect(),
            Sizes::Range { step, .. } => vec![(self.largest(), *step)],
            Sizes::ByOperation(own) => {
                let mut classes = Vec::new();
                for (first, sizes) in own.iter() {
                    let of = sizes.classes();
                    classes.resize((first + of.len()).max(classes.len()), (0, 0));
                    classes[*first..*first + of.len()].copy_from_slice(&of);
                }
                classes
            }
        }
    }

    /// The largest size.
    pub(crate) fn largest(&self) -> u32 {
        match self {
            Sizes::Fixed(size) => *size,
            Sizes::Weighted(list) => list.iter().map(|(_, size)| *size).max().unwrap_or(0),
            Sizes::Range { min, step, count } => min + (*count - 1) as u32 * step,
            Sizes::ByOperation(own) => {
                let all = own.iter().map(|(_, sizes)| sizes.largest());
                all.max().unwrap_or(0)
            }
        }
    }

    /// The finest step of any class.
    pub(crate) fn finest(&self) -> u32 {
        self.classes()
            .iter()
            .map(|(_, step)| *step)
            .min()
            .unwrap_or(1)
    }
}

/// Apart from the sizes that all operations have, whose code is the better the less is in it.
#[inline(never)]
fn draw_own(own: &(usize, Sizes), op: Op, generator: &mut Generator) -> (usize, u32) {
    let (first, sizes) = own;
    let (class, size) = sizes.draw(op, generator);
    (first + class, size)
}

fn usable(size: Bytes, block: u32) -> Result<u32, TrafficError> {
    let bytes = u32::try_from(size.0).map_err(|_| TrafficError::Size(size))?;
    if bytes == 0 {
        return Err(TrafficError::Size(size));
    }
    if !bytes.is_multiple_of(block.max(1)) {
        return Err(TrafficError::Unaligned {
            what: "transfer size",
            value: size,
            block: Bytes(block.into()),
        });
    }
    Ok(bytes)
}

fn weighted(list: &[(Bytes, f64)], block: u32) -> Result<Sizes, TrafficError> {
    let used: Vec<_> = list
        .iter()
        .filter(|(_, p)| *p > 0.0 && p.is_finite())
        .collect();
    let total: f64 = used.iter().map(|(_, p)| p).sum();
    if used.is_empty() {
        return Err(TrafficError::NoSizes);
    }
    if let [(size, _)] = used.as_slice() {
        return Ok(Sizes::Fixed(usable(*size, block)?));
    }
    let mut sum = 0.0;
    let sizes: Result<Vec<_>, _> = used
        .into_iter()
        .map(|(size, percent)| {
            sum += percent;
            Ok(((sum / total * 2f64.powi(64)) as u64, usable(*size, block)?))
        })
        .collect();
    Ok(Sizes::Weighted(sizes?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(spec: &SizeSpec, n: usize) -> Vec<u32> {
        let sizes = Sizes::new(spec, &Mix::READS, 512).expect("sizes");
        let mut g = Generator::new(8);
        (0..n).map(|_| sizes.draw(Op::Read, &mut g).1).collect()
    }

    #[test]
    fn weighted_sizes_come_at_their_percentages() {
        let spec = SizeSpec::Weighted(vec![
            (Bytes(4096), 60.0),
            (Bytes(8192), 30.0),
            (Bytes(65_536), 10.0),
        ]);
        let got = draws(&spec, 200_000);
        for (size, p) in [(4096, 0.6), (8192, 0.3), (65_536, 0.1f64)] {
            let n = got.iter().filter(|s| **s == size).count() as f64;
            assert!(
                (n - 2e5 * p).abs() < 5.0 * (2e5 * p * (1.0 - p)).sqrt(),
                "{size}: {n}"
            );
        }
    }

    #[test]
    fn a_range_holds_both_ends_and_all_multiples_alike() {
        let spec = SizeSpec::range(Bytes(1024), Bytes(4096), Bytes(512));
        let got = draws(&spec, 70_000);
        for size in (1024..=4096).step_by(512) {
            let n = got.iter().filter(|s| **s == size).count();
            assert!((9_500..10_500).contains(&n), "{size}: {n}");
        }
        assert_eq!(got.iter().max(), Some(&4096));
    }

    #[test]
    fn sizes_that_the_target_cannot_take_are_refused() {
        assert!(matches!(
            Sizes::new(&SizeSpec::Fixed(Bytes(0)), &Mix::READS, 512),
            Err(TrafficError::Size(_))
        ));
        assert!(matches!(
            Sizes::new(&SizeSpec::Fixed(Bytes(1 << 32)), &Mix::READS, 512),
            Err(TrafficError::Size(_))
        ));
        assert!(matches!(
            Sizes::new(&SizeSpec::Fixed(Bytes(2048)), &Mix::READS, 4096),
            Err(TrafficError::Unaligned { .. })
        ));
        assert_eq!(
            Sizes::new(&SizeSpec::Weighted(vec![]), &Mix::READS, 512).err(),
            Some(TrafficError::NoSizes)
        );
        let backwards = SizeSpec::range(Bytes(4096), Bytes(512), Bytes(512));
        assert!(matches!(
            Sizes::new(&backwards, &Mix::READS, 512),
            Err(TrafficError::SizeRange { .. })
        ));
    }
}
