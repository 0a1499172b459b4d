//! Where a target holds something, and where it is known to hold nothing.

use super::ProbeOptions;
use crate::RigError;
use plimsoll_plan::{Bytes, Location};
use plimsoll_witness::probe::Probe;
use plimsoll_witness::signature::first_nonzero;
use rustix::fs::SeekFrom;
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// Slices end at multiples of this, bytes.
const BLOCK: u64 = super::BLOCK.0;

/// A piece that is shorter is not looked at, bytes: a few blocks.
const SHORTEST: u64 = 16 << 10;

/// So many slices are read, a group of reads in each, and one more before the first group.
const SLICES: usize = super::GROUPS * super::PASSES + 1;

/// So many pieces of a file are looked at.
const PIECES: u32 = 4096;

/// A target that is shorter has no room for the areas.
const SMALLEST: u64 = 4 << 20;

/// Knowledge about the addresses that are read as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// Written addresses.
    Written,
    /// Nobody tells.
    Unknown,
    /// Nothing was ever written to them.
    Nothing,
    /// Zeros, from end to end wherever they were looked at.
    Zeros,
}

/// A part of the target, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// First byte of the slice.
    pub from: u64,
    /// The first one behind it.
    pub to: u64,
}

impl Slice {
    /// Number of bytes.
    pub fn bytes(&self) -> u64 {
        self.to - self.from
    }
}

/// Areas that the probe reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Areas {
    /// Slices that are read as they are: those that were written, where that is known.
    pub written: Vec<Slice>,
    /// Knowledge about those slices.
    pub held: Held,
    /// Slices that were never written, where that is known without writing.
    pub empty: Option<Vec<Slice>>,
    /// Reason why that is not known.
    pub unknown: &'static str,
    /// True where other areas may be trimmed and written.
    pub may_write: bool,
}

impl Areas {
    /// Of a target of so many bytes: of a file its file system tells.
    pub fn of(options: &ProbeOptions, size: u64) -> Result<Areas, RigError> {
        if size < SMALLEST {
            return Err(RigError::Refused(format!(
                "{}: {} are too little to be probed, which takes {} at the least. Probe a larger target of the same storage",
                options.location.text(),
                Bytes(size),
                Bytes(SMALLEST)
            )));
        }
        let whole = |held, unknown| Areas {
            written: all(size),
            held,
            empty: None,
            unknown,
            may_write: options.may_write,
        };
        match &options.location {
            Location::Path(path) if path.is_file() => {
                let pieces = Pieces::of(path, size).map_err(|e| failed(options, e))?;
                pieces.areas(options, size)
            }
            Location::Path(_) => Ok(whole(
                Held::Unknown,
                "a device does not tell what was never written, and --destroy was not given",
            )),
            Location::Lab(_) => Ok(whole(
                Held::Written,
                "a simulated LUN is full, and --destroy was not given",
            )),
            _ => Ok(whole(
                Held::Unknown,
                "nobody tells what was never written here, and --destroy was not given",
            )),
        }
    }
}

impl Areas {
    /// Knowledge about the addresses once their content was looked at: a block at the beginning and one in the middle of each slice. It is
    /// to be asked after the timed reads, which it would bring into a cache.
    pub fn held_as_read(&self, location: &Location) -> std::io::Result<Held> {
        let path = location.single_path();
        let Some(path) = path.filter(|_| self.held != Held::Nothing) else {
            return Ok(self.held);
        };
        let mut probe = Probe::open(path)?;
        for slice in &self.written {
            let middle = slice.from + slice.bytes() / 2 / BLOCK * BLOCK;
            for at in [slice.from, middle] {
                if first_nonzero(probe.read(at, BLOCK as usize)?).is_some() {
                    return Ok(self.held);
                }
            }
        }
        Ok(Held::Zeros)
    }
}

fn failed(options: &ProbeOptions, source: std::io::Error) -> RigError {
    RigError::Prepare {
        path: options.location.text(),
        source,
    }
}

/// Bytes of a file that are looked at; of another target they are known when it is open.
pub(super) fn file_size(options: &ProbeOptions) -> Result<Option<u64>, RigError> {
    let Some(path) = options.location.single_path() else {
        return Ok(None);
    };
    let about = std::fs::metadata(path).map_err(|e| failed(options, e))?;
    let there = about.is_file().then_some(about.len());
    if there.is_some() {
        // A first read of what still waits to be written has to wait for that, and a second one is fast: no cache has answered it.
        let file = File::open(path).map_err(|e| failed(options, e))?;
        file.sync_all().map_err(|e| failed(options, e))?;
    }
    Ok(there.map(|there| options.size.map_or(there, |size| size.0.min(there))))
}

/// All of a target, in slices, but for its beginning: the first block of a device is nobody's to read.
fn all(size: u64) -> Vec<Slice> {
    cut(vec![(16 * BLOCK, size / BLOCK * BLOCK)]).unwrap_or_default()
}

/// Pieces of a file, from and to, bytes.
#[derive(Debug, Default, PartialEq)]
struct Pieces {
    written: Vec<(u64, u64)>,
    empty: Vec<(u64, u64)>,
}

impl Pieces {
    /// The first ones of a file: one in thousands of pieces tells as much by these.
    fn of(path: &Path, size: u64) -> std::io::Result<Pieces> {
        let file = File::open(path)?;
        let mut found = Pieces::default();
        let (mut at, mut pieces) = (0, 0);
        while at < size && pieces < PIECES {
            pieces += 1;
            let data = seek(&file, SeekFrom::Data(at))?.unwrap_or(size).min(size);
            found.empty.extend(of_blocks(at, data));
            if data >= size {
                break;
            }
            let hole = seek(&file, SeekFrom::Hole(data))?.unwrap_or(size).min(size);
            found.written.extend(of_blocks(data, hole));
            at = hole.max(data + 1);
        }
        Ok(found)
    }

    fn areas(self, options: &ProbeOptions, size: u64) -> Result<Areas, RigError> {
        if self.written.is_empty() {
            return Ok(Areas {
                written: all(size),
                held: Held::Nothing,
                // Holes beside holes say nothing.
                empty: None,
                unknown: "the file holds no data beside which its holes could be read, and --destroy was not given",
                may_write: options.may_write,
            });
        }
        let held: u64 = self.written.iter().map(|(from, to)| to - from).sum();
        let written = cut(self.written).ok_or_else(|| {
            RigError::Refused(format!(
                "{}: the {} of data that it holds are too little to be probed, or in too small pieces: it takes {} in pieces of {} at \
                 the least. Write more of it",
                options.location.text(),
                Bytes(held),
                Bytes(SHORTEST * SLICES as u64),
                Bytes(SHORTEST)
            ))
        })?;
        Ok(Areas {
            written,
            held: Held::Written,
            empty: cut(self.empty),
            unknown: "the file has no holes, or too small ones, and --destroy was not given",
            may_write: options.may_write,
        })
    }
}

/// Slices of pieces that are in order, all in order: the longest pieces halved until there are enough, or some of those that are long
/// enough. `None`: they are too short for that.
fn cut(mut pieces: Vec<(u64, u64)>) -> Option<Vec<Slice>> {
    let length = |(from, to): &(u64, u64)| to - from;
    pieces.retain(|piece| length(piece) >= SHORTEST);
    while pieces.len() < SLICES {
        let longest = (0..pieces.len())
            .rev()
            .max_by_key(|n| length(&pieces[*n]))?;
        let (from, to) = pieces[longest];
        let middle = from + (to - from) / 2 / BLOCK * BLOCK;
        if middle - from < SHORTEST {
            return None;
        }
        pieces[longest].1 = middle;
        pieces.insert(longest + 1, (middle, to));
    }
    let mut lengths: Vec<u64> = pieces.iter().map(length).collect();
    lengths.sort_unstable();
    let enough = lengths[lengths.len() - SLICES];
    pieces.retain(|piece| length(piece) >= enough);
    let spread = |n: usize| pieces[n * pieces.len() / SLICES];
    let slice = |(from, to)| Slice { from, to };
    Some((0..SLICES).map(spread).map(slice).collect())
}

/// Start of the next piece of a kind; `None` where there is none up to the end.
fn seek(file: &File, to: SeekFrom) -> std::io::Result<Option<u64>> {
    match rustix::fs::seek(file, to) {
        Ok(at) => Ok(Some(at)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A piece's whole blocks.
fn of_blocks(from: u64, to: u64) -> Option<(u64, u64)> {
    let (from, to) = (from.next_multiple_of(BLOCK), to / BLOCK * BLOCK);
    (from < to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;

    fn lengths(slices: &[Slice]) -> (usize, u64) {
        (slices.len(), slices.iter().map(Slice::bytes).sum())
    }

    #[test]
    fn a_sparse_files_holes_and_data_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        let mut file = File::create(&path).unwrap();
        file.seek(std::io::SeekFrom::Start(4 << 20)).unwrap();
        file.write_all(&vec![7; 2 << 20]).unwrap();
        file.set_len(16 << 20).unwrap();
        file.sync_all().unwrap();
        let options = ProbeOptions {
            location: Location::Path(path.clone()),
            size: None,
            may_write: false,
        };
        let pieces = Pieces::of(&path, 16 * MIB).unwrap();
        assert_eq!(pieces.written, [(4 * MIB, 6 * MIB)]);
        assert_eq!(pieces.empty, [(0, 4 * MIB), (6 * MIB, 16 * MIB)]);
        // Only the start of it.
        let start = Pieces::of(&path, 6 * MIB).unwrap();
        assert_eq!(start.empty, [(0, 4 * MIB)]);
        let areas = start.areas(&options, 6 * MIB).unwrap();
        assert_eq!(areas.held, Held::Written);
        assert_eq!(lengths(&areas.written), (SLICES, 2 * MIB));
        assert_eq!(lengths(&areas.empty.unwrap()), (SLICES, 4 * MIB));
        // Nothing of it is data.
        let none = Pieces::of(&path, 4 * MIB).unwrap();
        let none = none.areas(&options, 4 * MIB).unwrap();
        assert_eq!((none.held, none.empty), (Held::Nothing, None));
        std::fs::write(&path, vec![1; 3 << 20]).unwrap();
        assert_eq!(Pieces::of(&path, 3 * MIB).unwrap().empty, []);
    }

    #[test]
    fn slices_lie_within_the_pieces_and_share_nothing() {
        // In many pieces of one length: some of them, from the first to the last ones.
        let many: Vec<_> = (0..64).map(|n| (n * MIB, n * MIB + MIB / 2)).collect();
        // One that is not a multiple of anything; a long one among short ones; two.
        let odd = vec![(8192, 8192 + 1148 * KIB)];
        let few = vec![(0, 16 * KIB), (MIB, 3 * MIB), (4 * MIB, 4 * MIB + 4 * KIB)];
        let two = vec![(0, 300 * KIB), (MIB, 2 * MIB)];
        for pieces in [many, odd, few, two] {
            let slices = cut(pieces.clone()).unwrap();
            assert_eq!(slices.len(), SLICES);
            let ends: Vec<(u64, u64)> = slices.iter().map(|s| (s.from, s.to)).collect();
            assert!(ends.windows(2).all(|w| w[0].1 <= w[1].0), "{ends:?}");
            for (from, to) in ends {
                let within = |(a, b): &(u64, u64)| *a <= from && to <= *b;
                assert!(pieces.iter().any(within), "{from} {to} of {pieces:?}");
                assert!(from % BLOCK == 0 && to % BLOCK == 0 && to - from >= SHORTEST);
            }
        }
        // A block; pieces of a block; just not enough.
        let blocks: Vec<_> = (0..999).map(|n| (n * 8192, n * 8192 + 4096)).collect();
        for pieces in [vec![(0, 4096)], blocks, vec![(0, 256 * KIB)]] {
            assert_eq!(cut(pieces), None);
        }
    }
}
