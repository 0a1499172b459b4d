//! Whether a volume that is reached over a network may be written.

use super::Refusal;
use super::names::destroy_flag;
use super::permit::Ground;
use plimsoll_witness::offsets::sampled_offsets;
use plimsoll_witness::signature::first_nonzero;
use std::path::PathBuf;

/// Looked at from end to end at the start and at the end of the volume, where signatures and tables lie, bytes.
const EDGE_BYTES: u64 = 1 << 20;
/// Blocks looked at in between. Data on 1 % of a volume is missed with a chance of 0.6 %.
const SAMPLES: usize = 512;
const SAMPLE_BYTES: u64 = 4096;
const SAMPLE_SEED: u64 = 0x706c_696d_736f_6c6c;

/// What reads a volume while it is looked at.
pub trait VolumeReader {
    /// What a failed read says.
    type Error: std::fmt::Display;

    /// Bytes of the volume.
    fn size_bytes(&self) -> u64;

    /// Reads are multiples of this, bytes.
    fn unit_bytes(&self) -> u64;

    /// Fills `bytes` from `offset`.
    fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Self::Error>;

    /// Ends the connection in good order.
    fn leave(self);
}

/// Leave to write to one volume, by its address: nothing else of it is sure to be its own.
#[derive(Debug)]
pub struct ExportPermit {
    address: String,
    ground: Ground,
}

impl ExportPermit {
    /// The address as the definition has it, its paths with commas between.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Why it may be written.
    pub fn ground(&self) -> Ground {
        self.ground
    }
}

/// Whether the volume at `address` may be written. `names` are those that `--destroy` takes for it, the best first;
/// `connect` is only called where none of them is in `destroy`.
pub fn assess_export<R: VolumeReader>(
    address: &str,
    names: &[String],
    destroy: &[String],
    connect: impl FnOnce() -> Result<R, String>,
) -> Result<ExportPermit, Refusal> {
    let permit = |ground| ExportPermit {
        address: address.to_string(),
        ground,
    };
    if names.iter().any(|name| destroy.contains(name)) {
        return Ok(permit(Ground::Named));
    }
    let refuse = |why: String, remedy: String| Refusal {
        path: PathBuf::from(address),
        why,
        remedy,
    };
    let looked = connect().and_then(|mut reader| {
        let found = first_data(&mut reader).map_err(|error| error.to_string());
        reader.leave();
        found
    });
    match looked {
        Ok(None) => Ok(permit(Ground::Blank)),
        Ok(Some(at)) => Err(refuse(
            format!("it holds data, first seen at byte {at}"),
            format!(
                "to destroy what is on it, add {}",
                destroy_flag(names.first().map_or(address, String::as_str))
            ),
        )),
        Err(error) => Err(refuse(
            format!("it cannot be looked at before writing: {error}"),
            "see that the server runs and serves this export".to_string(),
        )),
    }
}

/// The first byte that is not zero, as far as a sampled look sees.
fn first_data<R: VolumeReader>(reader: &mut R) -> Result<Option<u64>, R::Error> {
    let unit = reader.unit_bytes();
    let size = reader.size_bytes() / unit * unit;
    let block = SAMPLE_BYTES.max(unit);
    let head = EDGE_BYTES.min(size);
    let tail = size.saturating_sub(EDGE_BYTES).max(head) / block * block;
    let edges = (0..head).step_by(block as usize);
    let edges = edges.chain((tail..size).step_by(block as usize));
    let between = sampled_offsets(SAMPLE_SEED, head, tail, block, SAMPLES);
    let mut bytes = vec![0; block as usize];
    for at in edges.chain(between) {
        let part = &mut bytes[..block.min(size - at) as usize];
        reader.read_at(at, part)?;
        if let Some(within) = first_nonzero(part) {
            return Ok(Some(at + within as u64));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Memory(Vec<u8>);

    impl VolumeReader for Memory {
        type Error = String;

        fn size_bytes(&self) -> u64 {
            self.0.len() as u64
        }

        fn unit_bytes(&self) -> u64 {
            512
        }

        fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
            let at = offset as usize;
            let part = self.0.get(at..at + bytes.len()).ok_or("past the end")?;
            bytes.copy_from_slice(part);
            Ok(())
        }

        fn leave(self) {}
    }

    fn assess(data: Option<usize>, destroy: &[String]) -> Result<Ground, Refusal> {
        let mut bytes = vec![0; 8 << 20];
        if let Some(at) = data {
            bytes[at] = 1;
        }
        let names = ["nbd://a/x".to_string()];
        assess_export("nbd://a/x", &names, destroy, || Ok(Memory(bytes)))
            .map(|permit| permit.ground())
    }

    #[test]
    fn a_volume_of_zeros_is_blank_and_one_byte_at_either_edge_is_data() {
        assert_eq!(assess(None, &[]), Ok(Ground::Blank));
        for at in [0, (1 << 20) - 1, (8 << 20) - 1] {
            let refusal = assess(Some(at), &[]).unwrap_err();
            assert!(refusal.why.contains(&format!("at byte {at}")), "{refusal}");
            assert!(refusal.remedy.ends_with("--destroy nbd://a/x"), "{refusal}");
            let named = ["nbd://a/x".to_string()];
            assert_eq!(assess(Some(at), &named), Ok(Ground::Named));
        }
    }
}
