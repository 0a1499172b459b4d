//! Nodes of a cluster: most of the data of a host is on its own node, some on another.

use crate::persona::NodeParameters;
use plimsoll_content::mix64;

/// Where extents are placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nodes {
    /// Of 2^32 extents, how many are on another node.
    remote: u64,
    /// The way to another node and back, nanoseconds.
    pub remote_ns: u64,
}

impl Nodes {
    /// The placement by a share of remote extents.
    pub fn new(p: &NodeParameters) -> Self {
        Nodes {
            remote: (p.remote_share.clamp(0.0, 1.0) * 4_294_967_296.0) as u64,
            remote_ns: (p.remote_us * 1e3) as u64,
        }
    }

    /// True when an extent's data is on another node.
    #[inline]
    pub fn is_remote(&self, extent: u64) -> bool {
        mix64(extent ^ 0xc2b2_ae3d_27d4_eb4f) >> 32 < self.remote
    }
}
