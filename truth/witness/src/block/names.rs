//! Names that still mean the same device after a reboot.

use super::{disk_of_partition, disks, layer::links_to};
use crate::Root;
use plimsoll_evidence::BlockLayer;
use serde::Serialize;

/// A name under which a device may be destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StableName {
    /// The name.
    pub text: String,
    /// Where it comes from.
    pub source: NameSource,
}

/// Where a stable name comes from, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NameSource {
    /// World-wide name.
    Wwn,
    /// Serial number, where no other disk shows the same.
    Serial,
    /// A link under /dev/disk/by-id.
    ById,
    /// What its makers call it: a device-mapper name, an array's UUID, a loop device's file.
    Definition,
    /// The place where it is attached: a link under /dev/disk/by-path, or the bus address. Only of a disk that tells
    /// nothing of itself.
    Place,
    /// The kernel's name: nothing more stable exists (zram, ram, null_blk, nbd).
    Kernel,
}

/// The names that `--destroy` takes for this device, the best first; never empty. A kernel name is among them only
/// where nothing more stable exists.
pub fn stable_names(root: &Root, layer: &BlockLayer) -> Vec<StableName> {
    let mut names = own_names(root, layer);
    if let Some(disk) = disk_of_partition(root, &layer.name) {
        let number: Option<u32> = root.number(format!("/sys/class/block/{}/partition", layer.name));
        if let Some(number) = number {
            let disk_names = own_names(root, &super::layer(root, &disk));
            names.extend(disk_names.into_iter().map(|name| StableName {
                text: format!("{}-part{number}", name.text),
                source: name.source,
            }));
        }
    }
    names.sort_by_key(|name| name.source);
    let mut seen: Vec<String> = Vec::new();
    names.retain(|name| {
        !seen.contains(&name.text) && {
            seen.push(name.text.clone());
            true
        }
    });
    if names.is_empty() {
        names.push(StableName {
            text: layer.name.clone(),
            source: NameSource::Kernel,
        });
    }
    names
}

fn own_names(root: &Root, layer: &BlockLayer) -> Vec<StableName> {
    let folder = format!("/sys/class/block/{}", layer.name);
    let mut names: Vec<StableName> = Vec::new();
    let mut add = |text: Option<String>, source| {
        if let Some(text) = text {
            names.push(StableName { text, source });
        }
    };
    add(layer.wwn.clone(), NameSource::Wwn);
    add(
        layer
            .serial
            .clone()
            .filter(|serial| is_unique_serial(root, layer, serial)),
        NameSource::Serial,
    );
    for link in &layer.by_id {
        add(Some(link.clone()), NameSource::ById);
    }
    match layer.kind.as_str() {
        "dm" | "multipath" => add(
            root.word(format!("{folder}/dm/name")),
            NameSource::Definition,
        ),
        "md" => add(
            root.word(format!("{folder}/md/uuid")),
            NameSource::Definition,
        ),
        "loop" => add(layer.model.clone(), NameSource::Definition),
        _ => {}
    }
    // Another LUN may turn up behind an adapter: its address counts only where the disk tells nothing of itself.
    if names.is_empty() && layer.kind == "disk" {
        let links = links_to(root, "/dev/disk/by-path", &layer.name);
        let places = links.into_iter().chain(bus_address(root, &layer.name));
        names.extend(places.map(|text| StableName {
            text,
            source: NameSource::Place,
        }));
    }
    names
}

/// An NVMe controller's serial is that of all its namespaces, and cheap cards share one; two paths of one LUN have the
/// same world-wide name too, and there the serial still means one thing.
fn is_unique_serial(root: &Root, layer: &BlockLayer, serial: &str) -> bool {
    disks(root)
        .iter()
        .filter(|name| **name != layer.name)
        .map(|name| super::layer(root, name))
        .all(|other| {
            other.serial.as_deref() != Some(serial)
                || (other.wwn.is_some() && other.wwn == layer.wwn)
        })
}

/// The bus and address that the device's folder lies under: `pci-0000:00:02.0`, where exactly one disk lies there.
fn bus_address(root: &Root, name: &str) -> Option<String> {
    let place = pci_address(root, name)?;
    let alone = disks(root)
        .iter()
        .filter(|other| *other != name)
        .all(|other| pci_address(root, other).as_ref() != Some(&place));
    alone.then(|| format!("pci-{place}"))
}

fn pci_address(root: &Root, name: &str) -> Option<String> {
    let link = root.link(format!("/sys/class/block/{name}"))?;
    let is_address =
        |part: &&str| part.len() == 12 && part.as_bytes()[4] == b':' && part.as_bytes()[10] == b'.';
    let parts: Vec<&str> = link.to_str()?.split('/').filter(is_address).collect();
    parts.last().map(|part| (*part).to_string())
}
