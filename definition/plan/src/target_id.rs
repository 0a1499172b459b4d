//! Targets by their indices.

use serde::{Deserialize, Serialize};

/// A target's index in [`crate::Plan::targets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub u32);
