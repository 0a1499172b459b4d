//! Whether a volume behind NBD may be written.

use super::{Ground, Refusal, destroy_flag};
use plimsoll_engine::backend::nbd::{Client, Volume};
use plimsoll_plan::NbdTarget;
use plimsoll_witness::offsets::sampled_offsets;
use plimsoll_witness::signature::first_nonzero;
use std::path::PathBuf;

/// Looked at from end to end at the start and at the end of the volume, where signatures and tables lie, bytes.
const EDGE_BYTES: u64 = 1 << 20;
/// Blocks looked at in between. Data on 1 % of a volume is missed with a chance of 0.6 %.
const SAMPLES: usize = 512;
const SAMPLE_BYTES: u64 = 4096;
const SAMPLE_SEED: u64 = 0x706c_696d_736f_6c6c;

/// Whether the volume may be written, where `--destroy` was given with the names `destroy`. A name is one of its
/// addresses, or all of them with commas between.
pub(crate) fn assess(target: &NbdTarget, destroy: &[String]) -> Result<Ground, Refusal> {
    let refuse = |why: String, remedy: String| Refusal {
        path: PathBuf::from(target.to_string()),
        why,
        remedy,
    };
    if destroy.iter().any(|given| is_meant(given, target)) {
        return Ok(Ground::Named);
    }
    let found = Volume::open(target)
        .and_then(|volume| volume.client(false))
        .map_err(|error| error.to_string())
        .and_then(|mut client| {
            let found = first_data(&mut client);
            client.leave();
            found.map_err(|error| error.to_string())
        })
        .map_err(|error| {
            refuse(
                format!("it cannot be looked at before writing: {error}"),
                "see that the server runs and serves this export".to_string(),
            )
        })?;
    match found {
        None => Ok(Ground::Blank),
        Some(at) => Err(refuse(
            format!("it holds data, first seen at byte {at}"),
            format!(
                "to destroy what is on it, add {}",
                destroy_flag(&target.paths[0].to_string())
            ),
        )),
    }
}

/// Whether a name given with `--destroy` means this volume.
pub(crate) fn is_meant(given: &str, target: &NbdTarget) -> bool {
    given == target.to_string() || given.parse().is_ok_and(|uri| target.paths.contains(&uri))
}

/// The first byte that is not zero, as far as a sampled look sees.
fn first_data(
    client: &mut Client,
) -> Result<Option<u64>, plimsoll_engine::backend::nbd::ClientError> {
    let (size, unit) = {
        let export = &client.session().export;
        (export.size, u64::from(export.block_sizes.minimum))
    };
    let size = size - size % unit;
    let block = SAMPLE_BYTES.max(unit);
    let head = EDGE_BYTES.min(size);
    let tail = size.saturating_sub(EDGE_BYTES).max(head) / block * block;
    let edges = (0..head).step_by(block as usize);
    let edges = edges.chain((tail..size).step_by(block as usize));
    let between = sampled_offsets(SAMPLE_SEED, head, tail, block, SAMPLES);
    let mut bytes = vec![0; block as usize];
    for at in edges.chain(between) {
        let part = &mut bytes[..block.min(size - at) as usize];
        client.read(at, part)?;
        if let Some(within) = first_nonzero(part) {
            return Ok(Some(at + within as u64));
        }
    }
    Ok(None)
}
