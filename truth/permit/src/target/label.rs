//! Writing the label on devices that held nothing when Plimsoll began to write to them, or that it filled from end to end.

use super::device::DeviceFacts;
use crate::PathHandle;
use plimsoll_witness::label::{LABEL_BYTES, label};
use rustix::fs::OFlags;
use std::io;
use std::os::unix::fs::FileExt;

/// Writes the label, and something that is not zeros into the rest of the first `spare` bytes.
pub(super) fn write(held: &PathHandle, device: &DeviceFacts, spare: u64) -> io::Result<()> {
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
    fn no_part_of_the_noise_is_zero() {
        let mut bytes = vec![0; 1 << 17];
        noise(&mut bytes);
        assert!(bytes.chunks(16).all(|part| part.iter().any(|b| *b != 0)));
    }
}
