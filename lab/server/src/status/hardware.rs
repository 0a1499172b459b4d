//! Ports and media.

use plimsoll_array::Array;
use plimsoll_array::masking::Masking;
use serde::Serialize;

/// A front-end port.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Work done, nanoseconds.
    pub busy_ns: u64,
}

/// All dies, or all disks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Media {
    /// `flash dies` or `disks`.
    pub kind: &'static str,
    /// How many.
    pub count: u64,
    /// The work that all of them have done, nanoseconds.
    pub busy_ns: u64,
}

pub(super) fn ports(array: &Array, masking: &Masking, now: u64) -> Vec<Port> {
    let ports = array.front_end().ports().iter().zip(masking.ports());
    ports
        .map(|(port, name)| Port {
            name: name.clone(),
            busy_ns: port.done_ns(now),
        })
        .collect()
}

pub(super) fn media(array: &Array, now: u64) -> Vec<Media> {
    let dies = array.dies().map(|d| Media {
        kind: "flash dies",
        count: d.count() as u64,
        busy_ns: d.each().iter().map(|s| s.done_ns(now)).sum(),
    });
    let disks = array.tiers().map(|t| Media {
        kind: "disks",
        count: t.disks().len() as u64,
        busy_ns: t.disks().iter().map(|s| s.done_ns(now)).sum(),
    });
    dies.into_iter().chain(disks).collect()
}
