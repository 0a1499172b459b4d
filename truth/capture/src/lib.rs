//! A host's setup: as it is now, with what commands say of it, and as one file that can be sent to whoever shall look at it.
//!
//! The libraries that pack and unpack are here alone, so that what measures builds without them.

mod commands;
mod packed;

pub use packed::{CaptureError, LARGEST, pack, unpack};

use plimsoll_evidence::HostState;
use plimsoll_witness::{Root, host_state};

/// This host, its files and what its commands say.
pub fn this_host() -> HostState {
    let mut state = host_state::read(&Root::system());
    commands::ask(&mut state);
    state
}
