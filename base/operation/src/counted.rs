//! What is counted: I/Os, or operations of which not all are I/Os.

use serde::{Deserialize, Serialize};

/// Word for what is counted: not all operations on a tree are I/Os.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Of files and devices.
    #[default]
    Ios,
    /// Of trees.
    Operations,
}

impl Counted {
    /// Word for several together.
    pub fn of(all: impl IntoIterator<Item = Counted>) -> Self {
        all.into_iter().max().unwrap_or_default()
    }

    /// True for I/Os.
    pub fn is_ios(&self) -> bool {
        *self == Counted::Ios
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

#[cfg(test)]
mod tests {
    use super::Counted;

    #[test]
    fn one_tree_among_files_makes_operations_of_all() {
        let of = |all: &[Counted]| Counted::of(all.iter().copied());
        assert_eq!(of(&[]), Counted::Ios);
        assert_eq!(of(&[Counted::Ios, Counted::Ios]), Counted::Ios);
        assert_eq!(of(&[Counted::Ios, Counted::Operations]).one(), "operation");
    }
}
