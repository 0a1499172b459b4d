//! Whether a block device may be written.

use super::content::{Recogniser, misfit};
use super::keeper::Keeper;
use super::names::{destroy_flag, means};
use super::permit::{Ground, WritePermit};
use super::{Refusal, claims, mark};
use crate::PathHandle;
use plimsoll_witness::block::{self, DeviceNumber, StableName};
use plimsoll_witness::content::{SAMPLE_SEED, SAMPLES};
use plimsoll_witness::locks::{self, Holder};
use plimsoll_witness::occupancy::{self, Subject, Use};
use plimsoll_witness::signature::Scan;
use plimsoll_witness::storage::{Node, Relation, Storage};
use plimsoll_witness::{Root, label, reservation, signature};
use rustix::fs::{Advice, Mode, OFlags, fadvise, fsync, open};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// What a device was when it was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeviceFacts {
    /// Its number, as in `st_rdev`.
    number: u64,
    /// Its size, bytes.
    pub size_bytes: u64,
    /// The most stable of its names.
    pub name: String,
}

impl DeviceFacts {
    fn of(root: &Root, file: &File) -> io::Result<Self> {
        let number = file.metadata()?.rdev();
        let mut end = file;
        let size_bytes = end.seek(SeekFrom::End(0))?;
        let name = block::name_of_number(root, DeviceNumber::of(number))
            .and_then(|name| names(root, &name).into_iter().next());
        Ok(DeviceFacts {
            number,
            size_bytes,
            name: name.map(|name| name.text).unwrap_or_default(),
        })
    }

    /// Uses of it by others.
    pub fn uses(&self, root: &Root) -> Vec<Use> {
        let name = block::name_of_number(root, DeviceNumber::of(self.number));
        name.map_or_else(Vec::new, |name| {
            occupancy::uses_of_device(root, &Storage::of(root), &name)
        })
    }

    /// An error where the open device is not this one.
    pub fn check(&self, file: &File) -> io::Result<()> {
        let now = DeviceFacts::of(&Root::system(), file)?;
        if now == *self {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "it is another device than the one that was looked at: {} of {} bytes, and was {} of {} bytes",
            now.name, now.size_bytes, self.name, self.size_bytes
        )))
    }
}

/// As [`super::assess`], for a block device.
pub(super) fn assess(
    root: &Root,
    held: PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<WritePermit, Refusal> {
    let resolved = held.resolved().to_path_buf();
    let judged = judge(root, &held, destroy, is_ours).and_then(|(ground, guards, facts)| {
        let keeper = Keeper::of(&held, Some(&facts)).map_err(cannot_look)?;
        Ok((ground, guards, facts, keeper))
    });
    let (ground, guards, facts, keeper) = judged.map_err(|(why, remedy)| Refusal {
        path: held.path().to_path_buf(),
        why,
        remedy: remedy.unwrap_or_else(|| {
            format!(
                "run where /sys shows {} and you may read it",
                resolved.display()
            )
        }),
    })?;
    Ok(WritePermit {
        held,
        ground,
        keeper,
        guards,
        device: Some(facts),
    })
}

/// Why not, and what to do.
type Reason = (String, Option<String>);

fn cannot_look(error: io::Error) -> Reason {
    (
        format!("it cannot be looked at before writing: {error}"),
        Some("run as a user who may read it".to_string()),
    )
}

fn judge(
    root: &Root,
    held: &PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<(Ground, Vec<Arc<File>>, DeviceFacts), Reason> {
    let number = DeviceNumber::of(held.metadata().rdev());
    let name = block::name_of_number(root, number)
        .ok_or_else(|| ("/sys doesn't show this device".to_string(), None))?;
    if root.number::<u8>(format!("/sys/class/block/{name}/ro")) == Some(1) {
        return Err((
            "the device is read-only".to_string(),
            Some(format!(
                "run reads only, or make it writable: blockdev --setrw {}",
                held.resolved().display()
            )),
        ));
    }
    // Claimed first and looked at then, so that nobody comes in between.
    let (guard, others) = claim(root, &name, held)?;
    let facts = DeviceFacts::of(root, &guard).map_err(cannot_look)?;
    let (found, is_labelled) = holdings(&guard, held, &facts, is_ours).map_err(cannot_look)?;
    let names = names(root, &name);
    let is_named = names
        .iter()
        .any(|name| destroy.iter().any(|given| means(given, name)));
    let ground = match found {
        None if is_labelled => Ground::Made,
        _ if is_named => Ground::Named,
        None => Ground::Blank,
        Some(found) => {
            let (why, remedy) = unnamed(&names, found, destroy, held.resolved());
            return Err((why, Some(remedy)));
        }
    };
    let guards = std::iter::once(guard).chain(others).collect();
    Ok((ground, guards, facts))
}

fn names(root: &Root, name: &str) -> Vec<StableName> {
    block::stable_names(root, &block::layer(root, name))
}

/// Why the device at `path` would not be written whatever is typed, as far as that is known without reading from it;
/// `None` for files, and for devices that nobody uses.
pub fn in_use(path: &Path) -> Option<String> {
    let root = Root::system();
    let held = PathHandle::open(path).ok().filter(PathHandle::is_device)?;
    let name = block::name_of_number(&root, DeviceNumber::of(held.metadata().rdev()))?;
    let uses = occupancy::uses_of_device(&root, &Storage::of(&root), &name);
    uses.first().map(|used| format!("it is in use: {used}"))
}

/// The claim on the device, and those on what shares its storage.
type Claims = (Arc<File>, Vec<Arc<File>>);

fn claim(root: &Root, name: &str, held: &PathHandle) -> Result<Claims, Reason> {
    let (claimed, uses) = claims::patiently(|| {
        let (claimed, uses) = try_to_claim(root, name, held);
        // As udev locks a device while it looks at it; and a claim outlives its holder by an instant.
        let may_pass = |used: &Use| matches!(used, Use::Locked { .. } | Use::Claimed { .. });
        let is_held = !uses.is_empty() || claimed.as_ref().is_err_and(claims::is_busy);
        let is_passing = is_held && uses.iter().all(may_pass);
        ((claimed, uses), !is_passing)
    });
    let claimed_by_others = Use::Claimed {
        of: Subject::itself(name),
    };
    let used = match (claimed, uses.first()) {
        (Ok(claims), None) => return Ok(claims),
        (Err(error), _) if !claims::is_busy(&error) => {
            return Err((
                format!("it cannot be opened: {error}"),
                Some("run as root or as a user who may read and write it".to_string()),
            ));
        }
        (_, used) => used.unwrap_or(&claimed_by_others),
    };
    Err((format!("it is in use: {used}"), Some(remedy(used))))
}

fn try_to_claim(root: &Root, name: &str, held: &PathHandle) -> (io::Result<Claims>, Vec<Use>) {
    let claimed = claims::claim(held);
    let storage = Storage::of(root);
    let mut uses = occupancy::uses_of_device(root, &storage, name);
    let guard = match claimed {
        Ok(guard) => guard,
        Err(error) => return (Err(error), uses),
    };
    if uses.is_empty() && locks::is_byte_locked(&guard) {
        let of = Subject::itself(name);
        uses.push(Use::Locked { of, by: None });
    }
    let try_claim = |device: &str| claim_named(root, device);
    match occupancy::claimed(&storage, name, try_claim) {
        Ok(others) => {
            if uses.is_empty() {
                settle_caches(&storage, name);
            }
            (Ok((guard, others)), uses)
        }
        Err(used) => {
            uses.push(used);
            (Ok((guard, Vec::new())), uses)
        }
    }
}

/// Writes back and drops the caches of all devices on the storage of this one. Each device has a cache of its own: until then the disk
/// doesn't show what was written to its partition, nor the other way round. A device that has no node here keeps its cache.
fn settle_caches(storage: &Storage, name: &str) {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    for sharer in storage.shared_with(&Node::Device(name.to_string())) {
        let node = sharer.thing.device().map(block::node_of_name);
        if let Some(Ok(device)) = node.map(|node| open(node, flags, Mode::empty())) {
            let _ = fsync(&device);
            let _ = fadvise(&device, 0, None, Advice::DontNeed);
        }
    }
}

/// The claim on the device that `/sys` has under this name.
fn claim_named(root: &Root, name: &str) -> io::Result<Arc<File>> {
    let held = PathHandle::open(&block::node_of_name(name))?;
    let is_it = block::number_of_name(root, name) == Some(DeviceNumber::of(held.metadata().rdev()));
    match held.is_device() && is_it {
        true => claims::claim(&held),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

fn remedy(used: &Use) -> String {
    let then = "; a device in use is never written, --destroy or not";
    match used {
        Use::Mounted { at, .. } => match elsewhere(at) {
            Some((pid, at)) => format!(
                "unmount it first, where process {pid} sees it: nsenter -t {pid} -m umount {at}{then}"
            ),
            None => format!("unmount it first: umount {}{then}", at.display()),
        },
        Use::Swap { of } => {
            format!(
                "take it out of use first: swapoff {}{then}",
                in_dev(&of.name)
            )
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
        Use::Opened { pid, .. }
        | Use::Mapped { pid, .. }
        | Use::Locked {
            by: Some(Holder { pid, .. }),
            ..
        } => format!("stop process {pid} first{then}"),
        Use::Exported { .. } => {
            format!("take it out of that target first (nvmetcli, targetcli){then}")
        }
        Use::Claimed { of } if of.relation == Relation::Beside => format!(
            "find who holds {0} (lsblk, fuser -v /dev/{0}) and release it{then}",
            of.name
        ),
        Use::Claimed { .. } | Use::Locked { .. } | Use::Written => format!(
            "find who holds it (lsblk, fuser -v, btrfs or zpool status) and release it{then}"
        ),
    }
}

/// A mount of another mount name space: a process that sees it, and where.
fn elsewhere(at: &Path) -> Option<(&str, String)> {
    let (pid, below) = at.to_str()?.strip_prefix("/proc/")?.split_once("/root")?;
    Some((pid, format!("/{}", below.trim_start_matches('/'))))
}

fn in_dev(name: &str) -> String {
    block::node_of_name(name).display().to_string()
}

/// What would be lost, in words, `None` where nothing would; and whether the device carries Plimsoll's label.
fn holdings(
    guard: &File,
    held: &PathHandle,
    facts: &DeviceFacts,
    is_ours: Recogniser<'_>,
) -> io::Result<(Option<String>, bool)> {
    let mut found = Vec::new();
    if let Some(held) = reservation::reservation(guard) {
        found.push(format!(
            "a SCSI reservation ({}, key {:#x})",
            held.kind, held.key
        ));
    }
    let (size, mut probe) = (facts.size_bytes, mark::probe(held)?);
    let scan = signature::scan(&mut probe, size, SAMPLE_SEED, SAMPLES)?;
    let label = label::read(&mut probe, &facts.name, size)?;
    found.extend(signatures(&scan, label.is_some()));
    if let (true, None, Some(at)) = (found.is_empty(), &label, scan.data_at) {
        found.push(format!("data, first seen at byte {at}"));
    }
    if !found.is_empty() {
        return Ok((
            Some(format!("it holds {}", found.join(", "))),
            label.is_some(),
        ));
    }
    let Some(content) = label else {
        return Ok((None, false));
    };
    let misfit = misfit(
        &content,
        &mut probe,
        size,
        label::LABEL_BYTES as u64,
        is_ours,
    )?;
    let misfit = misfit.map(|why| format!("it carries Plimsoll's label, and {why}"));
    Ok((misfit, true))
}

/// The names of the signatures that count.
pub(super) fn signatures(scan: &Scan, is_marked: bool) -> Vec<String> {
    match is_marked {
        true => scan
            .signatures_beside_tests()
            .map(|found| found.name.clone())
            .collect(),
        false => scan
            .signatures
            .iter()
            .map(|found| found.name.clone())
            .collect(),
    }
}

/// What is on a device that wasn't named, and what to type.
fn unnamed(
    names: &[StableName],
    mut why: String,
    destroy: &[String],
    resolved: &Path,
) -> (String, String) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_witness::block::NameSource;

    #[test]
    fn a_mount_that_only_others_see_is_unmounted_where_they_see_it() {
        let used = |at: &str| Use::Mounted {
            of: Subject::itself("sda"),
            at: at.into(),
        };
        assert!(remedy(&used("/mnt")).contains("umount /mnt;"));
        let message = remedy(&used("/proc/7/root/mnt/a"));
        assert!(
            message.contains("nsenter -t 7 -m umount /mnt/a;"),
            "{message}"
        );
        let message = remedy(&used("/proc/7/root"));
        assert!(message.contains("umount /;"), "{message}");
    }

    #[test]
    fn a_path_that_a_reboot_may_move_is_refused_with_the_name_to_type() {
        let names = [StableName {
            text: "naa.600".to_string(),
            source: NameSource::Wwn,
        }];
        let given = ["/dev".to_string()];
        let (why, remedy) = unnamed(
            &names,
            "it holds xfs".to_string(),
            &given,
            Path::new("/dev"),
        );
        assert!(
            why.contains("it holds xfs") && why.contains("after a reboot"),
            "{why}"
        );
        assert_eq!(remedy, "to destroy what is on it, add --destroy naa.600");
    }
}
