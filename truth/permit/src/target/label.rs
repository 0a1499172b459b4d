//! Writing the label on devices that held nothing when Plimsoll began to write to them, or that it filled from end to end.

use super::device::DeviceFacts;
use super::mark;
use crate::PathHandle;
use plimsoll_draw::{STEP, mix64};
use plimsoll_witness::content::{Content, fingerprint};
use plimsoll_witness::label::{LABEL_BYTES, label, read};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Says that tests write to the device, and writes something that is not zeros into the rest of its first `spare` bytes.
pub(super) fn begin(file: &File, device: &DeviceFacts, hint: &str, spare: u64) -> io::Result<()> {
    write(
        file,
        device,
        &Content::BeingWritten(hint.to_string()),
        spare,
    )
}

/// Says what the device holds, after the last write, where nobody else has written to it: that is asked last.
pub(super) fn end(
    held: &PathHandle,
    file: &File,
    device: &DeviceFacts,
    hint: &str,
    is_left_alone: impl FnOnce() -> bool,
) -> io::Result<()> {
    let mut probe = mark::probe(held)?;
    let content = Content::Left {
        fingerprint: fingerprint(&mut probe, device.size_bytes, LABEL_BYTES as u64)?,
        hint: hint.to_string(),
    };
    match is_left_alone() {
        true => write(file, device, &content, 0),
        false => Ok(()),
    }
}

/// What the device's label says; `None` where it has none.
pub(super) fn of(held: &PathHandle, device: &DeviceFacts) -> io::Result<Option<Content>> {
    read(&mut mark::probe(held)?, &device.name, device.size_bytes)
}

/// Voids the label of a run that was cut off: no content has the fingerprint that it gets. Any other device stays as it is.
pub(super) fn void(held: &PathHandle, file: &File, device: &DeviceFacts) -> io::Result<()> {
    match of(held, device)? {
        Some(Content::BeingWritten(_)) => write(file, device, &left(0), 0),
        Some(Content::Left { .. }) | None => Ok(()),
    }
}

fn left(fingerprint: u128) -> Content {
    let hint = String::new();
    Content::Left { fingerprint, hint }
}

/// Where a name is too long for the label there is none, and the next run asks for `--destroy`.
fn write(file: &File, device: &DeviceFacts, content: &Content, spare: u64) -> io::Result<()> {
    let fitted = |content: &Content| label(&device.name, device.size_bytes, content);
    // Without a hint less is recognised.
    let shorter = match content {
        Content::BeingWritten(_) => Content::BeingWritten(String::new()),
        Content::Left { fingerprint, .. } => left(*fingerprint),
    };
    let label = fitted(content).or_else(|| fitted(&shorter));
    let mut bytes = label.unwrap_or([0; LABEL_BYTES]).to_vec();
    bytes.resize((spare as usize).max(LABEL_BYTES), 0);
    fill(LABEL_BYTES, &mut bytes[LABEL_BYTES..]);
    file.write_all_at(&bytes, 0)?;
    // On the device before a test does direct I/O beside it.
    file.sync_all()
}

/// What a look at the device doesn't take for blocks that were never written, from byte `at` of it on.
fn fill(at: usize, bytes: &mut [u8]) {
    for (number, chunk) in (at as u64 / 8..).zip(bytes.chunks_mut(8)) {
        let mixed = mix64(number.wrapping_mul(STEP));
        chunk.copy_from_slice(&mixed.to_le_bytes()[..chunk.len()]);
    }
}

/// True where a block at byte `at` of a device is what was filled in behind the label.
pub(super) fn is_filler(at: u64, block: &[u8]) -> bool {
    let mut wanted = vec![0; block.len()];
    fill(at as usize, &mut wanted);
    at.is_multiple_of(8) && wanted == block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_the_filler_is_zero_and_each_is_known_again() {
        let mut bytes = vec![0; 1 << 17];
        fill(0, &mut bytes);
        assert!(bytes.chunks(16).all(|part| part.iter().any(|b| *b != 0)));
        assert!(is_filler(512, &bytes[512..4096]) && is_filler(8192, &bytes[8192..12_288]));
        assert!(!is_filler(512, &bytes[1024..4096]));
    }
}
