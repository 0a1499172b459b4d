//! From a device down to the disks.

use super::{device_of_path, layer};
use crate::Root;
use plimsoll_evidence::BlockLayer;
use std::path::Path;

/// The device `name` and all that it is made of, itself first, depth first, each once. A loop device leads on to the
/// device that holds its file.
pub fn stack(root: &Root, name: &str) -> Vec<BlockLayer> {
    let mut layers: Vec<BlockLayer> = Vec::new();
    let mut pending = vec![name.to_string()];
    while let Some(name) = pending.pop() {
        if layers.iter().any(|layer| layer.name == name) {
            continue;
        }
        let layer = layer(root, &name);
        pending.extend(layer.slaves.iter().rev().cloned());
        if layer.kind == "loop" {
            pending.extend(device_under_file(root, &layer));
        }
        layers.push(layer);
    }
    layers
}

/// The name of a device-mapper device that is suspended, among a device and all that it is made of. I/Os to it wait until it's
/// resumed.
pub fn suspended(root: &Root, name: &str) -> Option<String> {
    let layers = stack(root, name).into_iter();
    let mut folders = layers.map(|layer| format!("/sys/class/block/{}/dm", layer.name));
    let folder = folders.find(|folder| root.number(format!("{folder}/suspended")) == Some(1u8))?;
    root.word(format!("{folder}/name"))
}

fn device_under_file(root: &Root, layer: &BlockLayer) -> Option<String> {
    let file = layer.model.as_ref()?;
    device_of_path(root, Path::new(file)).ok().flatten()
}

/// The name of a disk on which both stacks rest: I/O to one then disturbs the other.
pub fn share_a_disk(one: &[BlockLayer], other: &[BlockLayer]) -> Option<String> {
    one.iter()
        .filter(|layer| layer.slaves.is_empty())
        .find(|layer| other.iter().any(|o| o.name == layer.name))
        .map(|layer| layer.name.clone())
}
