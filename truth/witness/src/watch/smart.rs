//! What a drive says of its health, asked of the drive by commands of its own: NVMe's health log (`NVME_IOCTL_ADMIN_CMD` of
//! <linux/nvme_ioctl.h>), a SATA drive's SMART data, a SCSI drive's log pages. All but the last take root.

mod ata;
mod log;
mod scsi;

use log::Log;

use crate::Root;
use crate::block::{self, DeviceNumber};
use plimsoll_evidence::witnessed::{DiskHealth, DriveHealth};
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

/// NVMe's critical warning that a temperature is past its threshold (NVM Express base specification, SMART log, byte 0, bit 1).
pub(super) const TOO_WARM: u32 = 1 << 1;

/// What a drive says; `None` of what it does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Told {
    /// Temperature, degrees Celsius.
    pub celsius: Option<f64>,
    /// From where on it warns.
    pub celsius_warning: Option<f64>,
    /// Bits of what is wrong, as NVMe has them; 0: nothing.
    pub critical_warning: Option<u32>,
    /// Share of its life that is used.
    pub used: Option<f64>,
    /// NVMe's health log.
    pub health: Option<DriveHealth>,
    /// What SATA and SCSI drives count instead.
    pub disk: Option<DiskHealth>,
}

impl From<Log> for Told {
    fn from(log: Log) -> Self {
        Told {
            celsius: log.celsius,
            celsius_warning: None,
            critical_warning: Some(log.critical_warning),
            used: Some(log.used),
            health: Some(log.health),
            disk: None,
        }
    }
}

/// Protocol by which a drive is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DriveProtocol {
    /// NVMe: beside its I/O.
    Nvme,
    /// SATA: a command that waits until all others are done, and they for it. So not while I/O is measured.
    Ata,
    /// SCSI.
    Scsi,
}

/// The kind of a disk; `None` of what has no health of its own, such as virtio's, or a partition.
pub(super) fn kind(root: &Root, name: &str) -> Option<DriveProtocol> {
    if is_nvme(name) {
        return Some(DriveProtocol::Nvme);
    }
    let device = format!("/sys/class/block/{name}/device");
    // 0: a disk (SPC-4, 6.6.2).
    let is_disk = root.number(format!("{device}/type")) == Some(0u32);
    match root.word(format!("{device}/vendor"))?.as_str() {
        _ if !is_disk => None,
        "ATA" => Some(DriveProtocol::Ata),
        _ => Some(DriveProtocol::Scsi),
    }
}

/// What a drive says; `None` where it does not answer, or this process may not ask.
pub(super) fn ask(root: &Root, name: &str) -> Option<Told> {
    if !root.is_system() {
        return None;
    }
    match kind(root, name)? {
        DriveProtocol::Nvme => Some(log(root, name)?.into()),
        DriveProtocol::Ata => ata::told(&open(root, name)?),
        DriveProtocol::Scsi => scsi::told(&open(root, name)?),
    }
}

/// Opens the disk of a name, and none that came in its place.
fn open(root: &Root, name: &str) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    let device = options.open(block::node_of_name(name)).ok()?;
    let number = DeviceNumber::of(device.metadata().ok()?.rdev());
    (block::number_of_name(root, name) == Some(number)).then_some(device)
}

/// Whether a kernel name is that of an NVMe namespace: `nvme0n1`, and no partition of it.
fn is_nvme(name: &str) -> bool {
    let parts = name.strip_prefix("nvme").and_then(|n| n.split_once('n'));
    let is_number = |n: &str| n.parse::<u32>().is_ok();
    parts.is_some_and(|(controller, namespace)| is_number(controller) && is_number(namespace))
}

/// The health log of the drive with this namespace; `None` where it does not answer, or this process may not ask.
fn log(root: &Root, name: &str) -> Option<Log> {
    Log::parse(&health(&open(root, name)?)?)
}

fn health(device: &File) -> Option<[u8; log::BYTES]> {
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
        let file = tempfile::tempfile().unwrap();
        assert!(
            health(&file).is_none() && ata::told(&file).is_none() && scsi::told(&file).is_none()
        );
        assert!(ask(&Root::at("/tmp"), "nvme0n1").is_none());
        assert!(ask(&Root::system(), "nvme4294967295n1").is_none());
        assert!(ask(&Root::system(), "no-such-disk").is_none());
    }

    #[test]
    fn a_drive_is_asked_in_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let disks = folder.path().join("sys/class/block");
        let file = |path: &str, text: &str| crate::root::file(&disks, path, text);
        for (name, vendor, kind) in [
            ("sda", "ATA     ", "0"),
            ("sdb", "SEAGATE ", "0"),
            ("sr0", "QEMU    ", "5"),
            ("vda", "0x1af4", ""),
        ] {
            file(&format!("{name}/device/vendor"), vendor);
            file(&format!("{name}/device/type"), kind);
        }
        let root = Root::at(folder.path());
        let kinds = ["nvme0n1", "sda", "sdb", "sr0", "vda", "sda1"].map(|name| kind(&root, name));
        use DriveProtocol::{Ata, Nvme, Scsi};
        assert_eq!(kinds, [Some(Nvme), Some(Ata), Some(Scsi), None, None, None]);
    }
}
