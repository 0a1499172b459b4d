//! Where a target holds something, and where it is known to hold nothing.

use super::ProbeOptions;
use crate::RigError;
use plimsoll_plan::{Bytes, Location, RangeSpec};
use rustix::fs::SeekFrom;
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// The least that is worth to be looked at, bytes.
const LEAST: u64 = 1 << 20;

/// So many pieces of a file are looked at.
const PIECES: u32 = 4096;

/// A file that is shorter has no room for the areas.
const SMALLEST: u64 = 4 << 20;

/// What is known of the addresses that are read as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// They were written.
    Written,
    /// Nobody tells.
    Unknown,
    /// Nothing was ever written to them.
    Nothing,
}

/// Where the probe reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Areas {
    /// What is read as it is: what was written, where that is known.
    pub written: RangeSpec,
    /// What is known of it.
    pub held: Held,
    /// What was never written, where that is known without writing.
    pub empty: Option<RangeSpec>,
    /// Why it is not known.
    pub unknown: &'static str,
}

impl Areas {
    /// Of a target: of a file its file system tells.
    pub fn of(options: &ProbeOptions) -> Result<Areas, RigError> {
        let whole = |held, unknown| Areas {
            written: RangeSpec::Whole,
            held,
            empty: None,
            unknown,
        };
        let path = match &options.location {
            Location::Path(path) => path,
            Location::Lab(_) => {
                return Ok(whole(
                    Held::Written,
                    "a simulated LUN is full, and --destroy was not given",
                ));
            }
            _ => {
                return Ok(whole(
                    Held::Unknown,
                    "nobody tells what was never written here, and --destroy was not given",
                ));
            }
        };
        let failed = |source| RigError::Prepare {
            path: path.display().to_string(),
            source,
        };
        let about = std::fs::metadata(path).map_err(failed)?;
        if !about.is_file() {
            return Ok(whole(
                Held::Unknown,
                "a device does not tell what was never written, and --destroy was not given",
            ));
        }
        let size = options
            .size
            .map_or(about.len(), |size| size.0.min(about.len()));
        if size < SMALLEST {
            return Err(RigError::Refused(format!(
                "{}: {} are too little to be probed, which takes {} at the least",
                path.display(),
                Bytes(size),
                Bytes(SMALLEST)
            )));
        }
        of_file(path, size).map_err(failed)
    }
}

fn of_file(path: &Path, size: u64) -> std::io::Result<Areas> {
    let file = File::open(path)?;
    let mut written: Option<(u64, u64)> = None;
    let mut empty: Option<(u64, u64)> = None;
    let mut at = 0;
    let mut pieces = 0;
    // The largest of the first pieces: a file in thousands of pieces tells as much by these.
    while at < size && pieces < PIECES {
        pieces += 1;
        let data = seek(&file, SeekFrom::Data(at))?.unwrap_or(size).min(size);
        larger(&mut empty, (at, data));
        if data >= size {
            break;
        }
        let hole = seek(&file, SeekFrom::Hole(data))?.unwrap_or(size).min(size);
        larger(&mut written, (data, hole));
        at = hole.max(data + 1);
    }
    let range = |(from, to): (u64, u64)| RangeSpec::Bytes(Bytes(from), Bytes(to));
    let enough = |area: Option<(u64, u64)>| area.filter(|(from, to)| to - from >= LEAST);
    Ok(match written {
        Some(written) => Areas {
            written: range(written),
            held: Held::Written,
            empty: enough(empty).map(range),
            unknown: "the file has no hole of 1 MiB, and --destroy was not given",
        },
        // Holes beside holes say nothing.
        None => Areas {
            written: RangeSpec::Whole,
            held: if pieces < PIECES {
                Held::Nothing
            } else {
                Held::Unknown
            },
            empty: None,
            unknown: "the file holds no data beside which its holes could be read, and --destroy was not given",
        },
    })
}

/// Where the next piece of a kind begins; `None`: there is none up to the end.
fn seek(file: &File, to: SeekFrom) -> std::io::Result<Option<u64>> {
    match rustix::fs::seek(file, to) {
        Ok(at) => Ok(Some(at)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Keeps the larger piece, from a multiple of a block to another.
fn larger(kept: &mut Option<(u64, u64)>, (from, to): (u64, u64)) {
    const BLOCK: u64 = 4096;
    let piece = (from.next_multiple_of(BLOCK), to / BLOCK * BLOCK);
    let length = |(from, to): (u64, u64)| to.saturating_sub(from);
    if length(piece) > kept.map_or(0, length) {
        *kept = Some(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn a_sparse_files_hole_and_data_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        let mut file = File::create(&path).unwrap();
        file.seek(std::io::SeekFrom::Start(4 << 20)).unwrap();
        file.write_all(&vec![7; 2 << 20]).unwrap();
        file.set_len(16 << 20).unwrap();
        file.sync_all().unwrap();
        let areas = of_file(&path, 16 << 20).unwrap();
        let mib = |from: u64, to: u64| RangeSpec::Bytes(Bytes(from << 20), Bytes(to << 20));
        assert_eq!(areas.written, mib(4, 6));
        assert_eq!(areas.empty, Some(mib(6, 16)));
        // Only the start of it.
        assert_eq!(of_file(&path, 6 << 20).unwrap().empty, Some(mib(0, 4)));
        assert_eq!(areas.held, Held::Written);
        // Nothing of it is data.
        let none = of_file(&path, 4 << 20).unwrap();
        assert_eq!((none.held, none.empty), (Held::Nothing, None));
        std::fs::write(&path, vec![1; 3 << 20]).unwrap();
        assert_eq!(of_file(&path, 3 << 20).unwrap().empty, None);
    }
}
