//! Hosts by their indices, and what several of them have in a target.

use serde::{Deserialize, Serialize};

/// A host's index in [`Hosts::list`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostId(pub u32);

/// What several hosts have in a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Each has one of its own.
    #[default]
    Own,
    /// All reach one, and each uses all of it; what passes through it in order is divided among them.
    Whole,
    /// All reach one, and each has a range of it that no other host touches.
    Split,
}
