//! The sizes of a log's I/Os, in bounded memory.

use crate::{Bytes, SizeSpec};
use plimsoll_operation::{OP_COUNT, Op};
use std::collections::BTreeMap;

/// So many sizes of an operation are told apart; of more, only their ends are said.
const TOLD_APART: usize = 32;

/// How large the I/Os of a log are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogSizes([OfOne; OP_COUNT]);

/// The sizes of one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OfOne {
    ios: u64,
    /// How often each occurs; nothing where they are too many.
    each: BTreeMap<u32, u64>,
    too_many: bool,
    least: u32,
    most: u32,
    /// What all are multiples of.
    unit: u32,
}

impl LogSizes {
    pub(super) fn add(&mut self, op: Op, length: u32) {
        if let Some(of) = self.0.get_mut(op as usize) {
            of.add(length);
        }
    }

    /// As a plan says it: each with its part, or from the smallest to the largest.
    pub fn spec(&self) -> SizeSpec {
        // What does not occur has the sizes of what does.
        let some = self.0.iter().find(|s| s.ios > 0);
        let of = |own: &OfOne| match (own.ios, some) {
            (0, Some(other)) => other.spec(),
            _ => own.spec(),
        };
        SizeSpec::of_operations(self.0.each_ref().map(of))
    }
}

impl OfOne {
    fn add(&mut self, length: u32) {
        self.least = match self.ios {
            0 => length,
            _ => self.least.min(length),
        };
        self.most = self.most.max(length);
        self.unit = common_divisor(self.unit, length);
        self.ios += 1;
        if self.too_many {
            return;
        }
        *self.each.entry(length).or_default() += 1;
        if self.each.len() > TOLD_APART {
            (self.too_many, self.each) = (true, BTreeMap::new());
        }
    }

    fn spec(&self) -> SizeSpec {
        if self.least == self.most {
            return SizeSpec::Fixed(Bytes(self.most.into()));
        }
        if self.too_many {
            let [min, max, align] = [self.least, self.most, self.unit].map(|n| Bytes(n.into()));
            return SizeSpec::Range { min, max, align };
        }
        let percent = |n: u64| n as f64 * 100.0 / self.ios as f64;
        let each = self.each.iter();
        SizeSpec::Weighted(
            each.map(|(size, n)| (Bytes((*size).into()), percent(*n)))
                .collect(),
        )
    }
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_apart_as_long_as_they_are_few() {
        let mut sizes = LogSizes::default();
        sizes.add(Op::Read, 4096);
        assert_eq!(sizes.spec(), SizeSpec::Fixed(Bytes(4096)));
        for _ in 0..3 {
            sizes.add(Op::Read, 1024);
        }
        let both = SizeSpec::Weighted(vec![(Bytes(1024), 75.0), (Bytes(4096), 25.0)]);
        assert_eq!(sizes.spec(), both);
        sizes.add(Op::Trim, 1 << 20);
        let trims = SizeSpec::Fixed(Bytes(1 << 20));
        assert_eq!(
            sizes.spec(),
            SizeSpec::of_operations([both.clone(), both, trims])
        );
        for n in 1..100 {
            sizes.add(Op::Write, 1536 * n);
        }
        let [min, max, align] = [1536, 1536 * 99, 1536].map(Bytes);
        assert_eq!(
            sizes.spec().by_operation()[1],
            &SizeSpec::Range { min, max, align }
        );
    }
}
