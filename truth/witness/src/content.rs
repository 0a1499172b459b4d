//! Content of a target as Plimsoll's mark or label records it: a fingerprint of what a look sees, or that it is being written.

use crate::offsets::sampled_offsets;
use crate::probe::Probe;
use crate::signature::{DENSE_BYTES, SAMPLE_BYTES, TAIL_BYTES};
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use twox_hash::XxHash3_128;

/// Blocks looked at between start and end. Data on 1 % of a device is missed with a chance of 0.6 %.
pub const SAMPLES: usize = 512;
/// The seed of the sample: the same look at every run.
pub const SAMPLE_SEED: u64 = 0x706c_696d_736f_6c6c;

/// What is read at once where a target is looked at from end to end.
const PIECE_BYTES: u64 = 1 << 20;

/// What is known of a target that Plimsoll alone has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A run writes to it, or was cut off. By the hint its blocks are recognised.
    BeingWritten(String),
    /// It was left with this fingerprint.
    Left {
        /// Of what a look sees.
        fingerprint: u128,
        /// By which the blocks of the runs so far are recognised, where a later one is cut off.
        hint: String,
    },
}

const BEING_WRITTEN: &str = "being written: ";
const LEFT: &str = "content ";

impl Content {
    /// As a mark or a label has it, on one line.
    pub fn text(&self) -> String {
        match self {
            Content::BeingWritten(hint) => format!("{BEING_WRITTEN}{hint}"),
            Content::Left { fingerprint, hint } if hint.is_empty() => {
                format!("{LEFT}{fingerprint:032x}")
            }
            Content::Left { fingerprint, hint } => format!("{LEFT}{fingerprint:032x} {hint}"),
        }
    }

    /// What [`Self::text`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(hint) = text.strip_prefix(BEING_WRITTEN) {
            return Some(Content::BeingWritten(hint.to_string()));
        }
        let left = text.strip_prefix(LEFT)?;
        let (fingerprint, hint) = left.split_once(' ').unwrap_or((left, ""));
        Some(Content::Left {
            fingerprint: u128::from_str_radix(fingerprint, 16).ok()?,
            hint: hint.to_string(),
        })
    }

    /// The hint by which its blocks are recognised.
    pub fn hint(&self) -> &str {
        match self {
            Content::BeingWritten(hint) | Content::Left { hint, .. } => hint,
        }
    }
}

/// Digest of all of a content, whose parts come one after the other.
#[derive(Clone, Default)]
pub struct Digest(XxHash3_128);

impl Digest {
    /// Digest of what came so far.
    pub fn value(&self) -> u128 {
        self.0.finish_128()
    }
}

impl Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:032x})", self.value())
    }
}

/// Fingerprint of a target from byte `from` on: of what is looked at, the start and the end whole, and a sample of what lies between.
pub fn fingerprint(probe: &mut Probe, size: u64, from: u64) -> io::Result<u128> {
    let mut sums = Vec::new();
    for (at, length) in looked_at(size) {
        let bytes = probe.read(at, length as usize)?;
        let skipped = from.saturating_sub(at).min(bytes.len() as u64);
        sums.extend(XxHash3_128::oneshot(&bytes[skipped as usize..]).to_le_bytes());
    }
    Ok(XxHash3_128::oneshot(&sums))
}

/// Offsets and lengths of what is looked at of a target of `size` bytes.
pub fn looked_at(size: u64) -> impl Iterator<Item = (u64, u64)> {
    let head = size.min(DENSE_BYTES);
    // On a whole block, so that a block is seen as it was written.
    let tail = size.saturating_sub(TAIL_BYTES) / SAMPLE_BYTES * SAMPLE_BYTES;
    let tail = tail.max(head);
    let pieces = |range: Range<u64>| {
        range
            .clone()
            .step_by(PIECE_BYTES as usize)
            .map(move |at| (at, PIECE_BYTES.min(range.end - at)))
    };
    let between = sampled_offsets(SAMPLE_SEED, head, tail, SAMPLE_BYTES, SAMPLES);
    let between = between
        .into_iter()
        .map(move |at| (at, SAMPLE_BYTES.min(tail - at)));
    pieces(0..head).chain(between).chain(pieces(tail..size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn left(fingerprint: u128, hint: &str) -> Content {
        let hint = hint.to_string();
        Content::Left { fingerprint, hint }
    }

    #[test]
    fn a_content_is_read_as_it_was_written_down() {
        for content in [
            left(7, ""),
            left(u128::MAX, "a b"),
            Content::BeingWritten("a b".into()),
            Content::BeingWritten(String::new()),
        ] {
            assert_eq!(Content::parse(&content.text()), Some(content));
        }
        for text in ["", "content x", "left", "made by plimsoll"] {
            assert_eq!(Content::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_byte_that_is_looked_at_changes_the_fingerprint_and_the_label_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk");
        let size = (20 << 20) + 1000;
        let file = std::fs::File::create_new(&path).unwrap();
        file.set_len(size).unwrap();
        let now = || fingerprint(&mut Probe::open(&path).unwrap(), size, 512).unwrap();
        let blank = now();
        file.write_all_at(b"label", 0).unwrap();
        assert_eq!(now(), blank);
        let mut seen = vec![blank];
        for at in [512, 2 << 20, (16 << 20) - 1, (19 << 20) + 1, size - 1] {
            file.write_all_at(b"x", at).unwrap();
            seen.push(now());
            assert!(
                !seen[..seen.len() - 1].contains(&seen[seen.len() - 1]),
                "{at}"
            );
        }
    }
}
