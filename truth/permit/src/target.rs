//! Whether a target may be written.
//!
//! A target that is in use (mounted, swap, part of another device, open for writing elsewhere) is never written; no
//! flag changes that, because the writes would corrupt what is running now. A target that holds something is written
//! only where it is named with `--destroy NAME`.
//!
//! A target is looked up once. What is judged, and later opened for writing, is what was found then: see
//! [`PathHandle`](crate::PathHandle).

mod claims;
mod content;
mod device;
mod export;
mod file;
mod keeper;
mod label;
mod mark;
mod missing;
mod names;
mod permit;

pub use content::Recogniser;
pub(crate) use content::data_in;
pub use device::in_use;
pub use export::{ExportPermit, VolumeReader, assess_export};
pub use keeper::Ending;
pub(crate) use mark::whose;
pub use mark::{has as is_marked, is_being_written};
pub(crate) use missing::holds_devices;
pub use missing::{Created, NewFile, no_folder};
pub use names::{destroy_flag, destroy_name, is_meant};
pub use permit::{Extended, Ground, Hold, Writable, WritePermit};

use crate::path_handle::Identity;
use crate::{PathHandle, Refusal};
use plimsoll_witness::{Root, block};
use rustix::fs::OFlags;
use std::io::ErrorKind;
use std::path::Path;

/// How a target is opened for writing, apart from being opened for writing.
pub type OpenFlags = OFlags;

/// Path as it was found: what lies there.
#[derive(Debug)]
pub enum FoundPath {
    /// A file or a block device.
    There(PathHandle),
    /// Nothing; whether a file may be made there.
    Missing(Result<NewFile, Refusal>),
}

/// Looks up what lies at `path`; nothing is created here. An error for what is neither a file nor a block device.
pub fn look_up(path: &Path) -> Result<FoundPath, Refusal> {
    let refuse = |why: String, remedy: &str| Refusal {
        path: path.to_path_buf(),
        why,
        remedy: remedy.to_string(),
    };
    match PathHandle::open(path) {
        Ok(held) if held.is_device() || held.metadata().is_file() => {
            let suspended = claims::patiently(|| {
                let suspended = suspended(&held);
                let is_seen = suspended.is_none();
                (suspended, is_seen)
            });
            match suspended {
                None => Ok(FoundPath::There(held)),
                Some(map) => Err(refuse(
                    format!(
                        "the device-mapper device {map} is suspended, and whatever is read from it or written to it would wait"
                    ),
                    &format!("resume it first: dmsetup resume {map}"),
                )),
            }
        }
        Ok(_) => Err(refuse(
            "it is neither a file nor a block device".to_string(),
            "name one of these (`plimsoll ls` lists the devices), lab:PERSONA for a simulated array, or null:SIZE for \
             the engine alone",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(FoundPath::Missing(missing::assess(path)))
        }
        Err(error) if !Path::new("/proc/self").exists() => Err(refuse(
            error.to_string(),
            "mount it first: mount -t proc proc /proc",
        )),
        Err(error) => Err(refuse(
            error.to_string(),
            "check the path and your rights to it",
        )),
    }
}

/// The device-mapper device below a file or device that is suspended. An I/O to it would wait, and could not be interrupted.
fn suspended(held: &PathHandle) -> Option<String> {
    let root = Root::system();
    let number = match held.identity() {
        Identity::Device(number) => number,
        Identity::File { dev, .. } => dev,
    };
    let name = block::name_of_number(&root, block::DeviceNumber::of(number))?;
    block::suspended(&root, &name)
}

/// Whether the file or device may be written, where `--destroy` was given with the names `destroy`.
///
/// The look reads the first 16 MiB, the last 1 MiB and 512 sampled blocks in between; after a run that was cut off all data, which
/// `is_ours` recognises.
pub fn assess(
    held: PathHandle,
    destroy: &[String],
    is_ours: Recogniser<'_>,
) -> Result<WritePermit, Refusal> {
    let root = Root::system();
    if held.is_device() {
        device::assess(&root, held, destroy, is_ours)
    } else {
        file::assess(&root, held, destroy, is_ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_storage_is_refused_without_being_opened() {
        for path in ["/dev/null", "/tmp", "/dev/zero"] {
            let refusal = look_up(Path::new(path)).unwrap_err();
            assert!(
                refusal.why.contains("neither a file nor a block device"),
                "{refusal}"
            );
        }
    }
}
