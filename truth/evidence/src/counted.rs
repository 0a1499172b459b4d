//! What is counted: I/Os, or operations of which not all are I/Os.

use crate::step::StepEvidence;

/// Word for what is counted: not all operations on a tree are I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Of files and devices.
    Ios,
    /// Of trees.
    Operations,
}

impl Counted {
    /// What these steps count.
    pub fn of<'s>(steps: impl IntoIterator<Item = &'s StepEvidence>) -> Self {
        let mut ops = steps.into_iter().flat_map(|step| &step.ops);
        match ops.any(|op| op.op.place_on_names().is_some()) {
            true => Counted::Operations,
            false => Counted::Ios,
        }
    }

    /// One of them.
    pub fn one(self) -> &'static str {
        match self {
            Counted::Ios => "I/O",
            Counted::Operations => "operation",
        }
    }

    /// Several.
    pub fn several(self) -> &'static str {
        match self {
            Counted::Ios => "I/Os",
            Counted::Operations => "operations",
        }
    }

    /// Heading of a rate.
    pub fn per_second(self) -> &'static str {
        match self {
            Counted::Ios => "I/Os per second",
            Counted::Operations => "operations per second",
        }
    }

    /// Heading of a rate in a narrow column.
    pub fn by_s(self) -> &'static str {
        match self {
            Counted::Ios => "io/s",
            Counted::Operations => "op/s",
        }
    }
}
