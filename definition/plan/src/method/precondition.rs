//! Steps that bring storage into the state in which it is to be measured: SNIA's Performance Test Specification calls them
//! workload-independent (the whole target is written, in order) and workload-dependent (the test's own load, until it is
//! steady).

use crate::{Bytes, Depth, Step, Stream, fill_content};
use serde::{Deserialize, Serialize};

/// What is done before a method measures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precondition {
    /// Nothing.
    #[default]
    None,
    /// All of the targets is written twice, in order, in pieces of 128 KiB.
    Wipc,
    /// The method's own load, in rounds, until five of them are steady.
    Wdpc,
    /// The one, then the other.
    Both,
}

impl Precondition {
    /// How often all of the targets is written first.
    pub fn passes(self) -> u32 {
        match self {
            Precondition::Wipc | Precondition::Both => PASSES,
            Precondition::None | Precondition::Wdpc => 0,
        }
    }

    /// Whether the method's own load goes first.
    pub fn has_rounds(self) -> bool {
        matches!(self, Precondition::Wdpc | Precondition::Both)
    }
}

/// Twice the user capacity (SNIA PTS 2.0, workload-independent preconditioning).
pub const PASSES: u32 = 2;
/// In pieces of this size (the same).
const TRANSFER: Bytes = Bytes(128 << 10);
/// I/Os in flight on each target meanwhile; a fill's.
const SLOTS: u32 = 8;

/// One pass over all targets of these steps, of one run: each written from its start to its end, with what the run writes there.
pub fn pass(steps: &[Step]) -> Option<Step> {
    let base = steps.first()?;
    let mut targets: Vec<_> = steps.iter().flat_map(|s| &s.depths).collect();
    targets.sort_by_key(|d| d.target);
    targets.dedup_by_key(|d| d.target);
    let stream = |depth: &&Depth| {
        let content = fill_content(steps.iter(), depth.target);
        Stream::fill("wipc", depth.target, TRANSFER, content)
    };
    let name = format!("{}_wipc", base.run);
    Some(Step {
        run: base.run.clone(),
        origins: base.origins.clone(),
        ..Step::fill(name, targets.iter().map(stream).collect(), SLOTS)
    })
}

/// A pass by its number, from 1.
pub fn numbered(pass: &Step, number: u32) -> Step {
    Step {
        name: format!("{}{number}", pass.name),
        ..pass.clone()
    }
}
