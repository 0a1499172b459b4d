//! Tables and status of device-mapper maps, asked by `DM_TABLE_STATUS` of <linux/dm-ioctl.h>, as `dmsetup` does. It takes root.

mod status;

pub(crate) use status::{Path, paths};

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
/// The table is wanted and not the status (`DM_STATUS_TABLE_FLAG`); a status must not flush what a map holds
/// (`DM_NOFLUSH_FLAG`); the answer did not fit (`DM_BUFFER_FULL_FLAG`).
const TABLE: u32 = 1 << 4;
const NO_FLUSH: u32 = 1 << 11;
const BUFFER_FULL: u32 = 1 << 8;
/// `struct dm_target_spec`, and where its fields are.
const SPEC: usize = 40;
const LENGTH: usize = 8;
const NEXT: usize = 20;
const KIND: usize = 24;
/// Room for what a map of a hundred paths says, some 30 bytes each; a longer answer gets more, up to a limit.
const ROOM: usize = 16 * 1024;
const MOST_ROOM: usize = 16 << 20;

/// One part of a map: sectors of it, and what they are mapped to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// First sector of the map.
    pub start: u64,
    /// Number of sectors.
    pub length: u64,
    /// `linear`, `multipath`, `crypt`…
    pub kind: String,
    /// What follows the kind in `dmsetup table` or `dmsetup status`.
    pub words: String,
}

/// The status words of a multipath map, by its device number `253:3`; `None` where it is none, or this process may not ask.
pub(crate) fn multipath_status(root: &Root, number: &str) -> Option<String> {
    // Such a map has no other part.
    let first = asked(root, number, NO_FLUSH)?.into_iter().next()?;
    (first.kind == "multipath").then_some(first.words)
}

/// The table of a map, by its device number `253:3`; `None` where this process may not ask.
pub(crate) fn table(root: &Root, number: &str) -> Option<Vec<Target>> {
    asked(root, number, NO_FLUSH | TABLE)
}

fn asked(root: &Root, number: &str, flags: u32) -> Option<Vec<Target>> {
    if !root.is_system() {
        return None;
    }
    let (major, minor) = number.split_once(':')?;
    let device = kernel_number(major.parse().ok()?, minor.parse().ok()?);
    let mut options = OpenOptions::new();
    let control = options.read(true).write(true).open(CONTROL).ok()?;
    let mut room = ROOM;
    loop {
        let answer = ask(&control, device, flags, room)?;
        if word(&answer, FLAGS)? & BUFFER_FULL == 0 {
            return targets(&answer);
        }
        room = Some(room * 8).filter(|room| *room <= MOST_ROOM)?;
    }
}

/// `huge_encode_dev` of <linux/kdev_t.h>.
fn kernel_number(major: u64, minor: u64) -> u64 {
    minor & 0xff | major << 8 | (minor & !0xff) << 12
}

fn ask(control: &File, device: u64, flags: u32, room: usize) -> Option<Vec<u8>> {
    let mut buffer = vec![0; room];
    let mut put = |at: usize, bytes: &[u8]| buffer[at..at + bytes.len()].copy_from_slice(bytes);
    // The interface's version: major 4, and nothing newer than its first.
    put(0, &4u32.to_ne_bytes());
    put(DATA_BYTES, &(room as u32).to_ne_bytes());
    put(DATA_AT, &(HEADER as u32).to_ne_bytes());
    put(FLAGS, &flags.to_ne_bytes());
    put(DEVICE, &device.to_ne_bytes());
    // SAFETY: the descriptor is open for as long as `control` is borrowed; the buffer begins with the header that the kernel expects,
    // which says how long it is, and lives until the call is over. The kernel writes no further.
    let result =
        unsafe { libc::ioctl(control.as_raw_fd(), TABLE_STATUS as _, buffer.as_mut_ptr()) };
    (result == 0).then_some(buffer)
}

/// The parts that an answer tells of; `None` of one that is cut off.
fn targets(answer: &[u8]) -> Option<Vec<Target>> {
    if word(answer, FLAGS)? & BUFFER_FULL != 0 {
        return None;
    }
    let data = answer.get(word(answer, DATA_AT)? as usize..)?;
    let mut at = 0;
    let mut found = Vec::new();
    for _ in 0..word(answer, TARGETS)? {
        let spec = data.get(at..)?;
        found.push(Target {
            start: long(spec, 0)?,
            length: long(spec, LENGTH)?,
            kind: text(spec.get(KIND..SPEC)?)?,
            words: text(spec.get(SPEC..)?)?,
        });
        // From the first one on, whatever the header says of tables that are loaded.
        at = word(spec, NEXT)? as usize;
    }
    Some(found)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
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
    fn answer(flags: u32, parts: &[(&str, &str)]) -> Vec<u8> {
        let mut answer = vec![0; HEADER];
        answer[DATA_AT..DATA_AT + 4].copy_from_slice(&(HEADER as u32).to_ne_bytes());
        answer[TARGETS..TARGETS + 4].copy_from_slice(&(parts.len() as u32).to_ne_bytes());
        answer[FLAGS..FLAGS + 4].copy_from_slice(&flags.to_ne_bytes());
        for (number, (kind, words)) in parts.iter().enumerate() {
            let mut spec = vec![0; SPEC];
            spec[..8].copy_from_slice(&(number as u64 * 100).to_ne_bytes());
            spec[LENGTH..LENGTH + 8].copy_from_slice(&100u64.to_ne_bytes());
            spec[KIND..KIND + kind.len()].copy_from_slice(kind.as_bytes());
            spec.extend_from_slice(words.as_bytes());
            spec.push(0);
            spec.resize(spec.len().next_multiple_of(8), 0);
            let next = (answer.len() + spec.len() - HEADER) as u32;
            spec[NEXT..NEXT + 4].copy_from_slice(&next.to_ne_bytes());
            answer.extend_from_slice(&spec);
        }
        answer
    }

    #[test]
    fn every_part_of_a_map_is_read_and_nothing_of_an_answer_that_is_cut_off() {
        let whole = answer(
            0,
            &[("linear", "8:16 2048"), ("striped", "2 128 8:16 0 8:32 0")],
        );
        let found = targets(&whole).unwrap();
        let part = |start, kind: &str, words: &str| Target {
            start,
            length: 100,
            kind: kind.to_string(),
            words: words.to_string(),
        };
        let expected = [
            part(0, "linear", "8:16 2048"),
            part(100, "striped", "2 128 8:16 0 8:32 0"),
        ];
        assert_eq!(found, expected);
        assert_eq!(targets(&answer(BUFFER_FULL, &[("linear", "x")])), None);
        assert_eq!(targets(&answer(0, &[])), Some(Vec::new()));
        // The text's end, and what fills up its last word, is not missed.
        for end in 0..whole.len() - 8 {
            assert_eq!(targets(&whole[..end]), None);
        }
    }

    #[test]
    fn what_is_no_map_has_none() {
        let file = tempfile::tempfile().unwrap();
        assert!(ask(&file, 0, NO_FLUSH, ROOM).is_none());
        assert_eq!(multipath_status(&Root::system(), "1048575:1048575"), None);
        assert_eq!(table(&Root::system(), "dm"), None);
        assert_eq!(table(&Root::at("/nowhere"), "253:0"), None);
    }
}
