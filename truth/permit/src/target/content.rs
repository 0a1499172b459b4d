//! Content that a mark or label records, compared with what is there.

use super::label;
use plimsoll_witness::content::{Content, look};
use plimsoll_witness::probe::Probe;
use plimsoll_witness::signature::SAMPLE_BYTES;
use std::io;
use std::ops::ControlFlow;

/// Recogniser of bytes that Plimsoll's generators make. The text is the hint that the writer gave; see
/// [`super::WritePermit::begin`].
pub type Recogniser<'a> = &'a dyn Fn(&str, &[u8]) -> bool;

/// Bytes of the smallest write to a device.
const SECTOR: usize = 512;

/// Beginning of a sentence about somebody else's writing.
pub(super) const SINCE: &str = "somebody has written to it since the last run";

/// Reason why what is there from byte `from` on is not that content; `None` where it is.
pub(super) fn misfit(
    content: &Content,
    probe: &mut Probe,
    size: u64,
    from: u64,
    is_ours: Recogniser<'_>,
) -> io::Result<Option<String>> {
    let Content::BeingWritten(hint) = content else {
        let is_same = Content::of(probe, size, from)? == *content;
        return Ok((!is_same).then(|| format!("{SINCE}: what it holds has changed")));
    };
    let at = first_foreign(probe, size, from, |at, block| {
        let is_known = |at: u64, bytes: &[u8]| is_ours(hint, bytes) || label::is_filler(at, bytes);
        is_known(at, block) || is_partly_filler(at, block, is_known)
    })?;
    Ok(at.map(|at| {
        format!("the last run on it was cut off: at byte {at} there is data that is not Plimsoll's")
    }))
}

/// True of a block that a test has written in part, sector by sector, where the rest is what a fill has put beside the label.
fn is_partly_filler(at: u64, block: &[u8], is_known: impl Fn(u64, &[u8]) -> bool) -> bool {
    let starts = (at..).step_by(SECTOR);
    let mut sectors = starts.zip(block.chunks(SECTOR));
    sectors
        .clone()
        .any(|(at, sector)| label::is_filler(at, sector))
        && sectors.all(|(at, sector)| is_known(at, sector))
}

/// Offset of the first block that is not known, among those that are looked at.
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
