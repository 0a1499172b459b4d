//! Whether a block device may be written.

use super::{Ground, Refusal, WritePermit, claims, destroy_flag};
use plimsoll_witness::block::{self, NameSource, StableName};
use plimsoll_witness::occupancy::{self, Use};
use plimsoll_witness::probe::Probe;
use plimsoll_witness::{Root, reservation, signature};
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Blocks looked at between start and end. Data on 1 % of a device is missed with a chance of 0.6 %.
const SAMPLES: usize = 512;
/// The seed of the sample: the same look at every run.
const SAMPLE_SEED: u64 = 0x706c_696d_736f_6c6c;

/// As [`super::assess`], for a block device; `resolved` has no links.
pub(super) fn assess(
    root: &Root,
    path: &Path,
    resolved: PathBuf,
    destroy: &[String],
) -> Result<WritePermit, Refusal> {
    let refuse = |why: String, remedy: String| Refusal {
        path: path.to_path_buf(),
        why,
        remedy,
    };
    let name = block::device_of_path(root, &resolved)
        .ok()
        .flatten()
        .ok_or_else(|| {
            refuse(
                "/sys doesn't show this device".to_string(),
                "run where /sys is mounted and lists the device".to_string(),
            )
        })?;
    if root.number::<u8>(format!("/sys/class/block/{name}/ro")) == Some(1) {
        return Err(refuse(
            "the device is read-only".to_string(),
            format!(
                "run reads only, or make it writable: blockdev --setrw {}",
                resolved.display()
            ),
        ));
    }
    // Held first and looked at then, so that nobody comes in between.
    let guard = claim(root, &name, &resolved).map_err(|(why, remedy)| refuse(why, remedy))?;
    let found = holdings(&guard, &resolved).map_err(|error| {
        refuse(
            format!("it cannot be looked at before writing: {error}"),
            "run as a user who may read it".to_string(),
        )
    })?;
    let names = block::stable_names(root, &block::layer(root, &name));
    let is_named = names
        .iter()
        .any(|name| destroy.iter().any(|given| means(given, name)));
    let ground = match (is_named, found.is_empty()) {
        (true, _) => Ground::Named,
        (false, true) => Ground::Blank,
        (false, false) => {
            let (why, remedy) = unnamed(&names, &found, destroy, &resolved);
            return Err(refuse(why, remedy));
        }
    };
    Ok(WritePermit {
        path: resolved,
        ground,
        guard: Some(guard),
    })
}

/// Who uses the device, in a sentence.
pub(super) fn in_use(root: &Root, path: &Path) -> Option<String> {
    let name = block::device_of_path(root, path).ok()??;
    let uses = occupancy::uses_of_device(root, &name);
    uses.first().map(|used| format!("it is in use: {used}"))
}

/// Whether the device at `path` goes by this name.
pub(super) fn is_meant(root: &Root, given: &str, path: &Path) -> bool {
    let Ok(Some(name)) = block::device_of_path(root, path) else {
        return false;
    };
    let names = block::stable_names(root, &block::layer(root, &name));
    names.iter().any(|name| means(given, name))
}

/// The name that `--destroy` is best given.
pub(super) fn best_name(root: &Root, path: &Path) -> Option<String> {
    let name = block::device_of_path(root, path).ok()??;
    let names = block::stable_names(root, &block::layer(root, &name));
    names.into_iter().next().map(|name| name.text)
}

fn claim(root: &Root, name: &str, resolved: &Path) -> Result<Arc<File>, (String, String)> {
    let claimed = claims::claim(resolved);
    let mut uses = occupancy::uses_of_device(root, name);
    match claimed {
        Ok(guard) if uses.is_empty() => return Ok(guard),
        Err(error) if error.kind() != ErrorKind::ResourceBusy => {
            return Err((
                format!("it cannot be opened: {error}"),
                "run as root or as a user who may read and write it".to_string(),
            ));
        }
        Ok(_) => {}
        Err(_) => uses.push(Use::Claimed),
    }
    let used = &uses[0];
    Err((format!("it is in use: {used}"), remedy(used)))
}

fn remedy(used: &Use) -> String {
    let then = "; a device in use is never written, --destroy or not";
    match used {
        Use::Mounted { at, .. } => format!("unmount it first: umount {}{then}", at.display()),
        Use::Swap { device } => {
            format!("take it out of use first: swapoff {}{then}", in_dev(device))
        }
        Use::Held { by, by_kind, .. } => match by_kind.as_str() {
            "multipath" => format!(
                "test the multipath device {} instead of one of its paths",
                in_dev(by)
            ),
            "md" => format!("stop the array first: mdadm --stop {}{then}", in_dev(by)),
            "loop" => format!("detach it first: losetup -d {}{then}", in_dev(by)),
            _ => format!(
                "test {} instead, or take it down first (lvchange -an, cryptsetup close or dmsetup remove){then}",
                in_dev(by)
            ),
        },
        Use::Opened { pid, .. } => format!("stop process {pid} first{then}"),
        Use::Claimed => format!(
            "find who holds it (lsblk, fuser -v, btrfs or zpool status) and release it{then}"
        ),
    }
}

fn in_dev(name: &str) -> String {
    block::node_of_name(name).display().to_string()
}

/// What would be lost, one phrase each; empty for a blank device.
fn holdings(guard: &File, resolved: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    if let Some(held) = reservation::reservation(guard) {
        found.push(format!(
            "a SCSI reservation ({}, key {:#x})",
            held.kind, held.key
        ));
    }
    let mut probe = Probe::open(resolved)?;
    let size = probe.file().seek(SeekFrom::End(0))?;
    let scan = signature::scan(&mut probe, size, SAMPLE_SEED, SAMPLES)?;
    found.extend(scan.signatures.into_iter().map(|signature| signature.name));
    if let (true, Some(at)) = (found.is_empty(), scan.data_at) {
        found.push(format!("data, first seen at byte {at}"));
    }
    Ok(found)
}

/// What is on a device that wasn't named, and what to type.
fn unnamed(
    names: &[StableName],
    found: &[String],
    destroy: &[String],
    resolved: &Path,
) -> (String, String) {
    let mut why = format!("it holds {}", found.join(", "));
    let is_this = |given: &String| {
        Path::new(given)
            .canonicalize()
            .is_ok_and(|given| given == *resolved)
    };
    if destroy.iter().any(is_this) {
        why.push_str("; --destroy doesn't take a name that another device may have after a reboot");
    }
    let best = names
        .first()
        .map_or_else(|| resolved.display().to_string(), |name| name.text.clone());
    (
        why,
        format!("to destroy what is on it, add {}", destroy_flag(&best)),
    )
}

/// A link's name is also taken with its folder before it.
fn means(given: &str, name: &StableName) -> bool {
    let folders: &[&str] = match name.source {
        NameSource::ById => &["/dev/disk/by-id/"],
        NameSource::Place => &["/dev/disk/by-path/"],
        NameSource::Definition => &["/dev/mapper/"],
        NameSource::Wwn | NameSource::Serial | NameSource::Kernel => &[],
    };
    given == name.text
        || folders
            .iter()
            .any(|folder| given.strip_prefix(folder) == Some(name.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<StableName> {
        [
            ("naa.600", NameSource::Wwn),
            ("scsi-3600", NameSource::ById),
        ]
        .map(|(text, source)| StableName {
            text: text.to_string(),
            source,
        })
        .to_vec()
    }

    #[test]
    fn any_stable_name_counts_and_a_link_with_its_folder_too() {
        let is_taken = |given: &str| names().iter().any(|name| means(given, name));
        for given in ["naa.600", "scsi-3600", "/dev/disk/by-id/scsi-3600"] {
            assert!(is_taken(given), "{given}");
        }
        for given in ["/dev/disk/by-id/naa.600", "/dev/sda", ""] {
            assert!(!is_taken(given), "{given}");
        }
    }

    #[test]
    fn a_path_that_a_reboot_may_move_is_refused_with_the_name_to_type() {
        let given = ["/dev".to_string()];
        let (why, remedy) = unnamed(&names(), &["xfs".to_string()], &given, Path::new("/dev"));
        assert!(
            why.contains("it holds xfs") && why.contains("after a reboot"),
            "{why}"
        );
        assert_eq!(remedy, "to destroy what is on it, add --destroy naa.600");
    }
}
