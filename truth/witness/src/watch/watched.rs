//! What is looked at for one target.

use std::net::SocketAddr;
use std::path::PathBuf;

/// One target of a step, as far as others can see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Its name in the plan.
    pub name: String,
    /// The file or device that it is; `None` for one that is none, or several joined.
    pub path: Option<PathBuf>,
    /// Kernel names of the devices below it, the device itself first; empty where there are none.
    pub devices: Vec<String>,
    /// The hosts of a target over a network.
    pub addresses: Vec<SocketAddr>,
}
