//! The label on devices whose data is storage tests' alone.
//!
//! It lies in a device's first 512 bytes, which no test reads or writes. It names the device and its size: a copy on
//! another device, or on one that has become larger, says nothing. Whoever takes the device into use (a partition table,
//! most file systems, most databases) writes over it, and what doesn't has a signature of its own or changes what the label
//! says of the content.

use crate::content::Content;
use crate::probe::Probe;
use std::io;

/// Length of the label, bytes.
pub const LABEL_BYTES: usize = 512;
const TITLE: &str =
    "PLIMSOLL TEST TARGET 2\nAll data on this device was written by storage tests.\n";

fn of_device(name: &str, size_bytes: u64) -> String {
    format!("{TITLE}{name}\n{size_bytes} bytes\n")
}

/// The label of the device that has this stable name, with what is known of its content; `None` where that is too long for
/// one.
pub fn label(name: &str, size_bytes: u64, content: &Content) -> Option<[u8; LABEL_BYTES]> {
    let text = format!("{}{}\n", of_device(name, size_bytes), content.text());
    let mut label = [0; LABEL_BYTES];
    label
        .get_mut(..text.len())?
        .copy_from_slice(text.as_bytes());
    Some(label)
}

/// What the label says of the content of the device of this stable name and size; `None` where it carries no label, or
/// another's.
pub fn read(probe: &mut Probe, name: &str, size_bytes: u64) -> io::Result<Option<Content>> {
    let label = probe.read(0, LABEL_BYTES)?;
    let rest = label.strip_prefix(of_device(name, size_bytes).as_bytes());
    let line = rest.and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let text = line.and_then(|line| std::str::from_utf8(line).ok());
    Ok(text.and_then(Content::parse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_of_one_name_and_one_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk");
        let left = Content::parse("content 9").unwrap();
        std::fs::write(&path, label("naa.600", 1 << 30, &left).unwrap()).unwrap();
        let mut probe = Probe::open(&path).unwrap();
        let mut read = |name, size| read(&mut probe, name, size).unwrap();
        assert_eq!(read("naa.600", 1 << 30), Some(left.clone()));
        assert_eq!(read("naa.601", 1 << 30), None);
        assert_eq!(read("naa.600", 1 << 31), None);
        assert_eq!(label(&"x".repeat(600), 1, &left), None);
    }
}
