//! How much of a volume behind NBD was written: by BLOCK_STATUS, where the server has it, and by a sampled look.

use super::{Coverage, PROBE_BYTES, PROBE_SEED, PROBES, ZERO_SHARE_MAX};
use plimsoll_engine::EngineError;
use plimsoll_engine::export::{ExportReader, Extent};
use plimsoll_plan::NbdTarget;
use plimsoll_witness::offsets::sampled_offsets;
use plimsoll_witness::signature::first_nonzero;
use std::ops::Range;

/// Asked for in one BLOCK_STATUS, bytes.
const STATUS_BYTES: u64 = 1 << 30;
/// Questions for extents, at most: on a volume of more pieces than that the sampled look has to do.
const QUESTIONS: usize = 20_000;

/// Part of `size` bytes from `offset` of the volume that was never written, in words, `None` where all was; without a size, of all bytes
/// from there on.
pub(crate) fn complaint(
    target: &NbdTarget,
    offset: u64,
    size: Option<u64>,
) -> Result<Option<String>, EngineError> {
    let mut export = ExportReader::open(target)?;
    let all = export.size_bytes();
    let end = size.map_or(all, |s| offset.saturating_add(s)).min(all);
    let coverage = find_unwritten(&mut export, offset.min(end)..end)?;
    export.leave();
    Ok(coverage.complaint())
}

fn find_unwritten(export: &mut ExportReader, range: Range<u64>) -> Result<Coverage, EngineError> {
    let mut coverage = Coverage {
        range_bytes: range.end - range.start,
        ..Coverage::default()
    };
    if export.knows_extents() {
        extents(export, range.clone(), &mut coverage)?;
    }
    if coverage.complaint().is_none() {
        look(export, range, &mut coverage)?;
    }
    Ok(coverage)
}

/// A hole was never written, or was given back. What takes space and reads as zeros is reserved and was never written.
fn extents(
    export: &mut ExportReader,
    range: Range<u64>,
    coverage: &mut Coverage,
) -> Result<(), EngineError> {
    let unit = export.unit_bytes();
    let end = range.end - range.end % unit;
    let mut at = range.start - range.start % unit;
    for _ in 0..QUESTIONS {
        if at >= end {
            break;
        }
        let asked = (end - at).min(STATUS_BYTES) as u32;
        let from = at;
        export.extents(at, asked, |length, kind| {
            // The last extent may go past what was asked.
            let length = u64::from(length).min(end - at.min(end));
            match kind {
                Extent::Hole => coverage.hole_bytes += length,
                Extent::Zeros => coverage.unwritten_bytes += length,
                Extent::Data => {}
            }
            at += length;
        })?;
        if at == from {
            break;
        }
    }
    Ok(())
}

fn look(
    export: &mut ExportReader,
    range: Range<u64>,
    coverage: &mut Coverage,
) -> Result<(), EngineError> {
    let unit = export.unit_bytes();
    let block = PROBE_BYTES.max(unit);
    let end = range.end - range.end % unit;
    let offsets = sampled_offsets(PROBE_SEED, range.start, end, block, PROBES);
    let enough = (offsets.len() as f64 * ZERO_SHARE_MAX) as u64 + 1;
    let mut bytes = vec![0; block as usize];
    for at in offsets {
        let part = &mut bytes[..block.min(end - at) as usize];
        export.read_at(at, part)?;
        coverage.probed += 1;
        coverage.zero_blocks += u64::from(first_nonzero(part).is_none());
        if coverage.zero_blocks >= enough {
            break;
        }
    }
    Ok(())
}
