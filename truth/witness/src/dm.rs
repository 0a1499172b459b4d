//! What the device mapper says of a map now: its status, asked by `DM_TABLE_STATUS` of <linux/dm-ioctl.h>, as `dmsetup status` does.
//! It takes root.

mod status;

pub(super) use status::{Path, paths};

use crate::Root;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;

/// `_IOWR(0xfd, 12, struct dm_ioctl)`.
const TABLE_STATUS: u64 = 0xC138_FD0C;
/// Where nothing else opens it, the kernel knows what node it is.
const CONTROL: &str = "/dev/mapper/control";
/// `struct dm_ioctl`, and where its fields are, bytes.
const HEADER: usize = 312;
const DATA_BYTES: usize = 12;
const DATA_AT: usize = 16;
const TARGETS: usize = 20;
const FLAGS: usize = 28;
const DEVICE: usize = 40;
/// A status must not flush what a map holds (`DM_NOFLUSH_FLAG`), and did not fit (`DM_BUFFER_FULL_FLAG`).
const NO_FLUSH: u32 = 1 << 11;
const BUFFER_FULL: u32 = 1 << 8;
/// `struct dm_target_spec`: the kind of a map's part, which words of it follow.
const SPEC: usize = 40;
const KIND: usize = 24;
/// Room for what a map of a hundred paths says, some 30 bytes each.
const ROOM: usize = 16 * 1024;

/// The words of a multipath map, by its device number `253:3`; `None` where it is none, or this process may not ask.
pub(super) fn multipath_status(root: &Root, number: &str) -> Option<String> {
    if !root.is_system() {
        return None;
    }
    let (major, minor) = number.split_once(':')?;
    let device = kernel_number(major.parse().ok()?, minor.parse().ok()?);
    let mut options = OpenOptions::new();
    let control = options.read(true).write(true).open(CONTROL).ok()?;
    words(&ask(&control, device)?)
}

/// `huge_encode_dev` of <linux/kdev_t.h>.
fn kernel_number(major: u64, minor: u64) -> u64 {
    minor & 0xff | major << 8 | (minor & !0xff) << 12
}

fn ask(control: &File, device: u64) -> Option<Vec<u8>> {
    let mut buffer = vec![0; ROOM];
    let mut put = |at: usize, bytes: &[u8]| buffer[at..at + bytes.len()].copy_from_slice(bytes);
    // The interface's version: major 4, and nothing newer than its first.
    put(0, &4u32.to_ne_bytes());
    put(DATA_BYTES, &(ROOM as u32).to_ne_bytes());
    put(DATA_AT, &(HEADER as u32).to_ne_bytes());
    put(FLAGS, &NO_FLUSH.to_ne_bytes());
    put(DEVICE, &device.to_ne_bytes());
    // SAFETY: the descriptor is open for as long as `control` is borrowed; the buffer begins with the header that the kernel expects,
    // which says how long it is, and lives until the call is over. The kernel writes no further.
    let result =
        unsafe { libc::ioctl(control.as_raw_fd(), TABLE_STATUS as _, buffer.as_mut_ptr()) };
    (result == 0).then_some(buffer)
}

/// The words of the first part of a map, where that is of multipath: such a map has no other.
fn words(answer: &[u8]) -> Option<String> {
    let number = |at: usize| {
        let bytes = answer.get(at..at + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    if number(FLAGS)? & BUFFER_FULL != 0 || number(TARGETS)? == 0 {
        return None;
    }
    let spec = answer.get(number(DATA_AT)? as usize..)?;
    let text = |bytes: &[u8]| {
        let end = bytes.iter().position(|b| *b == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    };
    let kind = text(spec.get(KIND..SPEC)?)?;
    (kind == "multipath").then(|| text(&spec[SPEC..]))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_kernels() {
        assert_eq!((TABLE_STATUS >> 16 & 0x3FFF) as usize, HEADER);
        assert_eq!(kernel_number(253, 3), 0xFD03);
        assert_eq!(kernel_number(253, 259), 0x10_FD03);
    }

    /// An answer as the kernel lays it out.
    fn answer(kind: &str, flags: u32, targets: u32, words: &str) -> Vec<u8> {
        let mut answer = vec![0; HEADER + SPEC];
        answer[DATA_AT..DATA_AT + 4].copy_from_slice(&(HEADER as u32).to_ne_bytes());
        answer[TARGETS..TARGETS + 4].copy_from_slice(&targets.to_ne_bytes());
        answer[FLAGS..FLAGS + 4].copy_from_slice(&flags.to_ne_bytes());
        answer[HEADER + KIND..HEADER + KIND + kind.len()].copy_from_slice(kind.as_bytes());
        answer.extend_from_slice(words.as_bytes());
        answer.push(0);
        answer
    }

    #[test]
    fn only_a_multipath_maps_whole_answer_has_words() {
        let whole = answer("multipath", 0, 1, "2 0 0 0 1 1");
        assert_eq!(words(&whole).as_deref(), Some("2 0 0 0 1 1"));
        assert_eq!(words(&answer("linear", 0, 1, "x")), None);
        assert_eq!(words(&answer("multipath", BUFFER_FULL, 1, "x")), None);
        assert_eq!(words(&answer("multipath", 0, 0, "x")), None);
        for end in 0..whole.len() {
            assert_eq!(words(&whole[..end]), None);
        }
    }

    #[test]
    fn what_is_no_map_has_none() {
        let file = tempfile::tempfile().unwrap();
        assert!(ask(&file, 0).is_none());
        assert_eq!(multipath_status(&Root::system(), "1048575:1048575"), None);
        assert_eq!(multipath_status(&Root::system(), "dm"), None);
        assert_eq!(multipath_status(&Root::at("/nowhere"), "253:0"), None);
    }
}
