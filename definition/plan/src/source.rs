//! Sources of I/Os that are not drawn.

use crate::Replay;
use serde::{Deserialize, Serialize};

/// Source of a stream's I/Os where they are not drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoSource {
    /// Reads of all that the workload of this name has written to the target in earlier steps and that still stands.
    ReadBack(String),
    /// A log's I/Os, in its order.
    Replay(Box<Replay>),
}
