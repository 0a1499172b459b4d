//! What everyone else saw: host, CPU, block stacks, what a device holds and who uses it.
//!
//! Every function takes a [`Root`], the prefix of `/proc`, `/sys`, `/dev` and `/etc`, so that a tree captured on another
//! host is read as this host is. A file that is missing or unreadable gives `None`: not observable, never a guess.

pub mod block;
pub mod content;
pub mod cpu;
mod dm;
mod exports;
pub mod extents;
pub mod filesystem;
pub mod host;
mod host_key;
pub mod host_state;

pub mod inventory;
pub mod label;
pub mod lease;
pub mod locks;
pub mod loops;
pub mod memory;
pub mod mounts;
pub mod occupancy;
pub mod offsets;
pub mod openers;
pub mod own_thread;
pub mod probe;
mod reached;
pub mod reservation;
pub mod root;
mod sg_io;
pub mod signature;
pub mod storage;
pub mod target;
mod uses;
mod virtualization;
pub mod watch;

pub use cpu::{CpuSampler, CpuSnapshot};
pub use reached::reached_over;
pub use root::Root;
pub use watch::{Watch, Watched};
