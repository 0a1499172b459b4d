//! The label on devices whose data is storage tests' alone.
//!
//! It lies in a device's first 512 bytes, which no test reads or writes. It names the device and its size: a copy on
//! another device, or on one that has become larger, says nothing. Whoever takes the device into use (a partition table,
//! most file systems, most databases) writes over it, and what doesn't has a signature of its own.

use crate::probe::Probe;
use std::io;

/// Its length, bytes.
pub const LABEL_BYTES: usize = 512;
const TITLE: &str =
    "PLIMSOLL TEST TARGET 1\nAll data on this device was written by storage tests.\n";

/// The label of the device that has this stable name; `None` where the name is too long for one.
pub fn label(name: &str, size_bytes: u64) -> Option<[u8; LABEL_BYTES]> {
    let text = format!("{TITLE}{name}\n{size_bytes} bytes\n");
    let mut label = [0; LABEL_BYTES];
    label
        .get_mut(..text.len())?
        .copy_from_slice(text.as_bytes());
    Some(label)
}

/// Whether a device of this stable name and size carries its label.
pub fn is_on(probe: &mut Probe, name: &str, size_bytes: u64) -> io::Result<bool> {
    let Some(label) = label(name, size_bytes) else {
        return Ok(false);
    };
    Ok(probe.read(0, LABEL_BYTES)? == label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_of_one_name_and_one_size() {
        let own = label("naa.600", 1 << 30).unwrap();
        assert_eq!(label("naa.600", 1 << 30), Some(own));
        assert_ne!(label("naa.601", 1 << 30), Some(own));
        assert_ne!(label("naa.600", 1 << 31), Some(own));
        assert_eq!(label(&"x".repeat(600), 1), None);
    }
}
