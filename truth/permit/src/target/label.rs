//! The label on devices that held nothing when Plimsoll began to write to them, or that it filled from end to end.
//!
//! It lies in a device's first 512 bytes, which no test reads or writes. It names the device and its size: a copy on
//! another device, or on one that has become larger, says nothing. Whoever takes the device into use (a partition table,
//! most file systems, most databases) writes over it, and what doesn't has a signature of its own.

use super::device::DeviceFacts;
use crate::Held;
use plimsoll_witness::probe::Probe;
use rustix::fs::OFlags;
use std::io;
use std::os::unix::fs::FileExt;

const LABEL_BYTES: usize = 512;
const TITLE: &str =
    "PLIMSOLL TEST TARGET 1\nAll data on this device was written by storage tests.\n";

/// Writes the label, and something that is not zeros into the rest of the first `spare` bytes.
pub(super) fn write(held: &Held, device: &DeviceFacts, spare: u64) -> io::Result<()> {
    // A name too long for the label: the next run asks for --destroy.
    let Some(label) = label(&device.name, device.size_bytes) else {
        return Ok(());
    };
    let file = held.reopen(OFlags::RDWR)?;
    let mut bytes = label.to_vec();
    bytes.resize((spare as usize).max(LABEL_BYTES), 0);
    noise(&mut bytes[LABEL_BYTES..]);
    file.write_all_at(&bytes, 0)?;
    // On the device before a test does direct I/O beside it.
    file.sync_all()
}

/// Whether the device carries its label.
pub(super) fn has(probe: &mut Probe, device: &DeviceFacts) -> io::Result<bool> {
    let Some(label) = label(&device.name, device.size_bytes) else {
        return Ok(false);
    };
    Ok(probe.read(0, LABEL_BYTES)? == label)
}

fn label(name: &str, size_bytes: u64) -> Option<[u8; LABEL_BYTES]> {
    let text = format!("{TITLE}{name}\n{size_bytes} bytes\n");
    let mut label = [0; LABEL_BYTES];
    label
        .get_mut(..text.len())?
        .copy_from_slice(text.as_bytes());
    Some(label)
}

/// What a look at the device doesn't take for blocks that were never written.
fn noise(bytes: &mut [u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for chunk in bytes.chunks_mut(8) {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
    }
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

    #[test]
    fn no_part_of_the_noise_is_zero() {
        let mut bytes = vec![0; 1 << 17];
        noise(&mut bytes);
        assert!(bytes.chunks(16).all(|part| part.iter().any(|b| *b != 0)));
    }
}
