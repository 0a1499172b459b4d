//! An NVMe drive's health log, asked of the drive by a command of its own (`NVME_IOCTL_ADMIN_CMD` of <linux/nvme_ioctl.h>). It takes
//! root. SATA and SCSI drives have their health behind other commands, and each maker counts otherwise there: they are not asked.

mod log;

pub(super) use log::Log;

use crate::Root;
use crate::block::{self, DeviceNumber};
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const ADMIN_COMMAND: u64 = 0xC048_4E41;
/// Get Log Page, and the log that is asked for (NVM Express base specification 2.0, 5.16.1.3).
const GET_LOG_PAGE: u8 = 0x02;
const HEALTH: u32 = 0x02;
/// The whole drive, not one namespace of it.
const WHOLE_DRIVE: u32 = u32::MAX;

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dword2: u32,
    dword3: u32,
    metadata: u64,
    data: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dword10: u32,
    dwords: [u32; 5],
    /// 0: the kernel's own. Where a shorter one ran out the kernel would reset the drive.
    timeout_ms: u32,
    result: u32,
}

/// Whether a kernel name is that of an NVMe namespace: `nvme0n1`, and no partition of it.
pub(super) fn is_nvme(name: &str) -> bool {
    let parts = name.strip_prefix("nvme").and_then(|n| n.split_once('n'));
    let is_number = |n: &str| n.parse::<u32>().is_ok();
    parts.is_some_and(|(controller, namespace)| is_number(controller) && is_number(namespace))
}

/// The health log of the drive with this namespace; `None` where it does not answer, or this process may not ask.
pub(super) fn log(root: &Root, name: &str) -> Option<Log> {
    if !root.is_system() || !is_nvme(name) {
        return None;
    }
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    let device = options.open(block::node_of_name(name)).ok()?;
    let number = DeviceNumber::of(device.metadata().ok()?.rdev());
    if block::number_of_name(root, name) != Some(number) {
        return None;
    }
    Log::parse(&ask(&device)?)
}

fn ask(device: &File) -> Option<[u8; log::BYTES]> {
    let mut answer = [0; log::BYTES];
    let words = (log::BYTES / 4 - 1) as u32;
    let mut command = Command {
        opcode: GET_LOG_PAGE,
        namespace: WHOLE_DRIVE,
        data: answer.as_mut_ptr() as u64,
        data_bytes: log::BYTES as u32,
        dword10: HEALTH | words << 16,
        ..Command::default()
    };
    // SAFETY: the descriptor is open for as long as `device` is borrowed; the command has the layout that the kernel expects, and
    // its one pointer is to as many bytes as it says, which live until the call is over. The kernel writes no more than those.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), ADMIN_COMMAND as _, &raw mut command) };
    (result == 0).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_as_long_as_the_kernel_says() {
        let size = (ADMIN_COMMAND >> 16 & 0x3FFF) as usize;
        assert_eq!(size_of::<Command>(), size);
        assert_eq!(std::mem::offset_of!(Command, data), 24);
        assert_eq!(std::mem::offset_of!(Command, dword10), 40);
    }

    #[test]
    fn only_namespaces_are_asked() {
        assert!(is_nvme("nvme0n1") && is_nvme("nvme12n3"));
        for other in ["nvme0", "nvme0n1p1", "nvme0c1n1", "sda", "nvme"] {
            assert!(!is_nvme(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_drive_answers_nothing() {
        assert!(ask(&tempfile::tempfile().unwrap()).is_none());
        assert!(log(&Root::at("/"), "nvme0n1").is_none());
        assert!(log(&Root::system(), "nvme4294967295n1").is_none());
    }
}
