//! What the hosts of a run were asked when they joined it, and what they answered.

use crate::message::{Join, WireTarget};
use plimsoll_rig::FoundTarget;

/// Question that the hosts of a run were asked when they joined it, and their answers.
#[derive(Debug, Default)]
pub struct Joined {
    /// The question.
    pub join: Option<Join>,
    /// Of each host: what its targets are, and which of the names of `--destroy` mean something there.
    pub fits: Vec<(Vec<WireTarget>, Vec<String>)>,
    /// Of each host: size and logical block of each target, bytes, as it was opened.
    pub found: Vec<Vec<(u64, u32)>>,
}

impl Joined {
    /// Bytes of a target, as the first host that uses it has it.
    pub fn size(&self, target: usize) -> u64 {
        self.target(target).size
    }

    /// First host that uses a target; host 0 where none uses it.
    pub fn first_with(&self, target: usize) -> usize {
        let uses =
            |targets: &Vec<(u64, u32)>| targets.get(target).is_some_and(|(size, _)| *size > 0);
        self.found.iter().position(uses).unwrap_or(0)
    }

    /// A target, as the first host that uses it has it.
    pub fn target(&self, target: usize) -> FoundTarget {
        let first = self.found.get(self.first_with(target));
        let (size, logical_block) = first
            .and_then(|t| t.get(target))
            .copied()
            .unwrap_or_default();
        FoundTarget {
            size,
            logical_block,
        }
    }

    /// All targets of the plan.
    pub fn targets(&self) -> Vec<FoundTarget> {
        let all = self.found.first().map_or(0, Vec::len);
        (0..all).map(|t| self.target(t)).collect()
    }
}
