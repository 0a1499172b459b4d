//! A target's content as its mark or label has it, and how it is held against what is there.

use super::label;
use plimsoll_witness::offsets::sampled_offsets;
use plimsoll_witness::probe::Probe;
use plimsoll_witness::signature::{DENSE_BYTES, SAMPLE_BYTES, TAIL_BYTES};
use std::io;
use std::ops::ControlFlow;
use twox_hash::XxHash3_128;

/// Blocks looked at between start and end. Data on 1 % of a device is missed with a chance of 0.6 %.
pub(super) const SAMPLES: usize = 512;
/// The seed of the sample: the same look at every run.
pub(super) const SAMPLE_SEED: u64 = 0x706c_696d_736f_6c6c;

/// What is read at once where a target is looked at from end to end.
const PIECE_BYTES: u64 = 1 << 20;

/// Tells whether bytes are those that Plimsoll's generators make. The text is the hint that the writer gave; see
/// [`super::WritePermit::begin`].
pub type Recogniser<'a> = &'a dyn Fn(&str, &[u8]) -> bool;

/// What is known of a target that Plimsoll alone has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// A run writes to it, or was cut off. The hint says what of.
    BeingWritten(String),
    /// It was left with this fingerprint.
    Left(u128),
}

const BEING_WRITTEN: &str = "being written: ";
const LEFT: &str = "content ";

impl Content {
    /// The content as it is, from byte `from` on.
    pub(super) fn of(probe: &mut Probe, size: u64, from: u64) -> io::Result<Self> {
        let mut sums = Vec::new();
        look::<()>(probe, size, from, |_, bytes| {
            sums.extend(XxHash3_128::oneshot(bytes).to_le_bytes());
            ControlFlow::Continue(())
        })?;
        Ok(Content::Left(XxHash3_128::oneshot(&sums)))
    }

    pub(super) fn text(&self) -> String {
        match self {
            Content::BeingWritten(hint) => format!("{BEING_WRITTEN}{hint}"),
            Content::Left(fingerprint) => format!("{LEFT}{fingerprint:032x}"),
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(hint) = text.strip_prefix(BEING_WRITTEN) {
            return Some(Content::BeingWritten(hint.to_string()));
        }
        let fingerprint = u128::from_str_radix(text.strip_prefix(LEFT)?, 16);
        fingerprint.ok().map(Content::Left)
    }

    /// Why it is not what is there from byte `from` on; `None` where it is.
    pub(super) fn misfit(
        &self,
        probe: &mut Probe,
        size: u64,
        from: u64,
        is_ours: Recogniser<'_>,
    ) -> io::Result<Option<String>> {
        let Content::BeingWritten(hint) = self else {
            let is_same = Content::of(probe, size, from)? == *self;
            return Ok((!is_same).then(|| format!("{SINCE}: what it holds has changed")));
        };
        let at = first_foreign(probe, size, from, |at, block| {
            is_ours(hint, block) || label::is_filler(at, block)
        })?;
        Ok(at.map(|at| {
            format!(
                "the last run on it was cut off: at byte {at} there is data that is not Plimsoll's"
            )
        }))
    }
}

/// How a sentence about somebody else's writing begins.
pub(super) const SINCE: &str = "somebody has written to it since the last run";

/// The first block that is neither zeros nor known, as far as the look sees.
fn first_foreign(
    probe: &mut Probe,
    size: u64,
    from: u64,
    is_known: impl Fn(u64, &[u8]) -> bool,
) -> io::Result<Option<u64>> {
    look(probe, size, from, |start, bytes| {
        let mut at = start;
        for block in bytes.chunks(SAMPLE_BYTES as usize) {
            if !is_known(at, block) {
                return ControlFlow::Break(at);
            }
            at += block.len() as u64;
        }
        ControlFlow::Continue(())
    })
}

/// Shows what is looked at of a target: its start and its end whole, and a sample of what lies between.
fn look<T>(
    probe: &mut Probe,
    size: u64,
    from: u64,
    mut see: impl FnMut(u64, &[u8]) -> ControlFlow<T>,
) -> io::Result<Option<T>> {
    let head = size.min(DENSE_BYTES);
    // On a whole block, so that a block is seen as it was written.
    let tail = size.saturating_sub(TAIL_BYTES) / SAMPLE_BYTES * SAMPLE_BYTES;
    let tail = tail.max(head);
    let pieces = |range: std::ops::Range<u64>| {
        range
            .clone()
            .step_by(PIECE_BYTES as usize)
            .map(move |at| (at, PIECE_BYTES.min(range.end - at)))
    };
    let between = sampled_offsets(SAMPLE_SEED, head, tail, SAMPLE_BYTES, SAMPLES);
    let between = between
        .into_iter()
        .map(|at| (at, SAMPLE_BYTES.min(tail - at)));
    for (at, length) in pieces(0..head).chain(between).chain(pieces(tail..size)) {
        let bytes = probe.read(at, length as usize)?;
        let skipped = from.saturating_sub(at).min(bytes.len() as u64);
        let shown = &bytes[skipped as usize..];
        if let ControlFlow::Break(found) = see(at + skipped, shown) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
