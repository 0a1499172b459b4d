//! How much of a volume behind NBD was written: by BLOCK_STATUS, where the server has it, and by a sampled look.

use super::{Coverage, PROBE_BYTES, PROBE_SEED, PROBES, ZERO_SHARE_MAX};
use plimsoll_engine::EngineError;
use plimsoll_engine::backend::nbd::{Client, ClientError, ExtentFlags, Volume};
use plimsoll_plan::NbdTarget;
use plimsoll_witness::offsets::sampled_offsets;
use plimsoll_witness::signature::first_nonzero;
use std::ops::Range;

/// Asked for in one BLOCK_STATUS, bytes.
const STATUS_BYTES: u64 = 1 << 30;
/// Questions for extents, at most: on a volume of more pieces than that the sampled look has to do.
const QUESTIONS: usize = 20_000;

/// What of `size` bytes from `offset` of the volume was never written, in words; without a size, of all there are.
pub(crate) fn complaint(
    target: &NbdTarget,
    offset: u64,
    size: Option<u64>,
) -> Result<Option<String>, EngineError> {
    let volume = Volume::open(target)?;
    let mut client = volume.client(true)?;
    let all = volume.session.export.size;
    let end = size.map_or(all, |s| offset.saturating_add(s)).min(all);
    let coverage = find_unwritten(&mut client, offset.min(end)..end).map_err(|source| {
        let uri = target.to_string();
        EngineError::Nbd { uri, source }
    })?;
    client.leave();
    Ok(coverage.complaint())
}

fn find_unwritten(client: &mut Client, range: Range<u64>) -> Result<Coverage, ClientError> {
    let mut coverage = Coverage {
        range_bytes: range.end - range.start,
        ..Coverage::default()
    };
    if client.session().allocation.is_some() {
        extents(client, range.clone(), &mut coverage)?;
    }
    if coverage.complaint().is_none() {
        look(client, range, &mut coverage)?;
    }
    Ok(coverage)
}

/// A hole was never written, or was given back. What takes space and reads as zeros is reserved and was never written.
fn extents(
    client: &mut Client,
    range: Range<u64>,
    coverage: &mut Coverage,
) -> Result<(), ClientError> {
    let unit = u64::from(client.session().export.block_sizes.minimum);
    let end = range.end - range.end % unit;
    let mut at = range.start - range.start % unit;
    for _ in 0..QUESTIONS {
        if at >= end {
            break;
        }
        let asked = (end - at).min(STATUS_BYTES) as u32;
        let from = at;
        client.extents(at, asked, |length, flags| {
            // The last extent may go past what was asked.
            let length = u64::from(length).min(end - at.min(end));
            if flags.contains(ExtentFlags::HOLE) {
                coverage.hole_bytes += length;
            } else if flags.contains(ExtentFlags::ZERO) {
                coverage.unwritten_bytes += length;
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
    client: &mut Client,
    range: Range<u64>,
    coverage: &mut Coverage,
) -> Result<(), ClientError> {
    let unit = u64::from(client.session().export.block_sizes.minimum);
    let block = PROBE_BYTES.max(unit);
    let end = range.end - range.end % unit;
    let offsets = sampled_offsets(PROBE_SEED, range.start, end, block, PROBES);
    let enough = (offsets.len() as f64 * ZERO_SHARE_MAX) as u64 + 1;
    let mut bytes = vec![0; block as usize];
    for at in offsets {
        let part = &mut bytes[..block.min(end - at) as usize];
        client.read(at, part)?;
        coverage.probed += 1;
        coverage.zero_blocks += u64::from(first_nonzero(part).is_none());
        if coverage.zero_blocks >= enough {
            break;
        }
    }
    Ok(())
}
