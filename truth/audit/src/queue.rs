//! The block devices below a target, and their queues' settings.

use plimsoll_evidence::{BlockLayer, EnvironmentTarget};

/// A setting, as sysfs has it.
pub fn of<'a>(layer: &'a BlockLayer, name: &str) -> Option<&'a str> {
    let found = layer.queue.iter().find(|(n, _)| n == name);
    found.map(|(_, value)| value.trim())
}

/// The same as a number.
pub fn number(layer: &BlockLayer, name: &str) -> Option<u64> {
    of(layer, name)?.parse().ok()
}

/// The devices at the bottom of a target's stack: those that are made of no others. A partition has its disk's queue.
pub fn leaves(target: &EnvironmentTarget) -> Vec<&BlockLayer> {
    let leaf = |l: &&BlockLayer| l.kind != "partition" && l.slaves.is_empty();
    target.stack.iter().filter(leaf).collect()
}
