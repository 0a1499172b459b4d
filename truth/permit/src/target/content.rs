//! Content that a mark or label records, compared with what is there.

use super::label;
use plimsoll_witness::content::{Content, fingerprint, looked_at};
use plimsoll_witness::probe::Probe;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;

/// Recogniser of bytes that Plimsoll's generators make: whether they made a part of the bytes, with what lies beside it. The text is the
/// hint that the writer gave; see [`super::WritePermit::begin`].
pub type Recogniser<'a> = &'a dyn Fn(&str, &[u8], Range<usize>) -> bool;

/// The most data that is read after a run that was cut off, where all of it has to be known: half a minute on an SSD.
const READ_MAX: u64 = 16 << 30;
/// What is read of it at once, and what is judged at once.
const PIECE: u64 = 1 << 20;
const BLOCK: u64 = 4096;
/// Bytes of the smallest write to a device.
const SECTOR: u64 = 512;

/// Beginning of a sentence about somebody else's writing.
pub(super) const SINCE: &str = "somebody has written to it since the last run";
/// Beginning of a sentence about a file whose inode was changed (ctime), and the time of its last write was not.
const TOUCHED: &str = "since the last run its mode, name or attributes were changed, or somebody wrote to it and put its time back";
/// End of a sentence about data in such a file.
const PUT_BACK: &str = "there is data that is not Plimsoll's: somebody wrote to it since the last run and put its time back (or it is content that Plimsoll doesn't know again after a chmod or mv, as from a file)";
/// Beginning of a sentence about a run that did not put down what it left.
const CUT_OFF: &str = "the last run on it was cut off, or somebody wrote to it meanwhile";

/// Reason why what is there from byte `from` on is not that content; `None` where it is.
pub(super) fn misfit(
    content: &Content,
    probe: &mut Probe,
    size: u64,
    from: u64,
    is_ours: Recogniser<'_>,
) -> io::Result<Option<String>> {
    let hint = match content {
        Content::BeingWritten(hint) => hint,
        Content::Left {
            fingerprint: left, ..
        } => {
            let is_same = fingerprint(probe, size, from)? == *left;
            return Ok((!is_same).then(|| format!("{SINCE}: what it holds has changed")));
        }
    };
    let stranger = stranger(probe, from..size, READ_MAX, |bytes, part| {
        is_ours(hint, bytes, part)
    })?;
    Ok(stranger.map(|stranger| match stranger {
        Stranger::At(at) => {
            format!("{CUT_OFF}: at byte {at} there is data that is not Plimsoll's")
        }
        Stranger::TooMuch(bytes) => format!("{CUT_OFF}, {}", too_much(bytes)),
    }))
}

/// Reason why not all of a file's data is known to be Plimsoll's, of the kind that this content has.
pub(super) fn misfit_of_all(
    content: &Content,
    probe: &mut Probe,
    size: u64,
    is_ours: Recogniser<'_>,
) -> io::Result<Option<String>> {
    let stranger = stranger(probe, 0..size, READ_MAX, |bytes, part| {
        is_ours(content.hint(), bytes, part)
    })?;
    Ok(stranger.map(|stranger| match stranger {
        Stranger::At(at) => format!("at byte {at} {PUT_BACK}"),
        Stranger::TooMuch(bytes) => format!("{TOUCHED}, {}", too_much(bytes)),
    }))
}

fn too_much(bytes: u64) -> String {
    let (found, most) = (bytes >> 30, READ_MAX >> 30);
    format!("and its {found} GiB of data are too many to be checked: that is done up to {most} GiB")
}

/// Data that is not known to be Plimsoll's.
#[derive(Debug, PartialEq, Eq)]
enum Stranger {
    /// There is such data at this byte.
    At(u64),
    /// It is this many bytes, and they are not read.
    TooMuch(u64),
}

/// First data in a range that is not known to be Plimsoll's, of which `most` bytes are read.
fn stranger(
    probe: &mut Probe,
    range: Range<u64>,
    most: u64,
    is_ours: impl Fn(&[u8], Range<usize>) -> bool,
) -> io::Result<Option<Stranger>> {
    let is_device = probe.file().metadata()?.file_type().is_block_device();
    let data = match is_device && range.end > most {
        // As sure as after any other run on a device.
        true => looked_at(range.end)
            .map(|(at, length)| at.max(range.start)..at + length)
            .collect(),
        false => data_in(probe.file(), range)?,
    };
    let bytes: u64 = data.iter().map(|part| part.end - part.start).sum();
    if bytes > most {
        return Ok(Some(Stranger::TooMuch(bytes)));
    }
    for part in data {
        if let Some(at) = first_foreign(probe, part, &is_ours)? {
            return Ok(Some(Stranger::At(at)));
        }
    }
    Ok(None)
}

/// Parts of a range that hold data, as far as the file system tells; of a device all of it.
pub(crate) fn data_in(file: &File, range: Range<u64>) -> io::Result<Vec<Range<u64>>> {
    let (mut found, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start,
            Err(Errno::NXIO) => break,
            Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(vec![range]),
            Err(error) => return Err(error.into()),
        };
        let end = seek(file, SeekFrom::Hole(start))?.min(range.end);
        found.extend((start < end).then_some(start..end));
        at = end.max(start + 1);
    }
    Ok(found)
}

/// Offset of the first block in a range that is not known.
fn first_foreign(
    probe: &mut Probe,
    range: Range<u64>,
    is_ours: impl Fn(&[u8], Range<usize>) -> bool,
) -> io::Result<Option<u64>> {
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min((at / PIECE + 1) * PIECE);
        // With what lies beside it.
        let from = (at / BLOCK * BLOCK).saturating_sub(BLOCK);
        let bytes = probe.read(from, (end + BLOCK - from) as usize)?;
        // Where it has become shorter meanwhile, there is less to lose.
        let end = end.min(from + bytes.len() as u64);
        let is_known = |part: Range<u64>| {
            let within = (part.start - from) as usize..(part.end - from) as usize;
            is_ours(bytes, within.clone()) || label::is_filler(part.start, &bytes[within])
        };
        if at >= end {
            return Ok(None);
        }
        while at < end {
            let block = at..end.min((at / BLOCK + 1) * BLOCK);
            // Sectors are written whole, some of them over what a fill has put beside the label.
            let sector = |at: u64| at..block.end.min(at + SECTOR);
            let mut sectors = block.clone().step_by(SECTOR as usize).map(sector);
            if !is_known(block.clone()) && !sectors.all(is_known) {
                return Ok(Some(at));
            }
            at = block.end;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::os::unix::fs::FileExt;

    fn is_zero(bytes: &[u8], part: Range<usize>) -> bool {
        bytes[part].iter().all(|byte| *byte == 0)
    }

    #[test]
    fn only_data_is_read_and_no_more_of_it_than_it_may() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create_new(&path).unwrap();
        let size = 1 << 40;
        file.set_len(size).unwrap();
        file.write_all_at(&[0; 1 << 20], 1 << 30).unwrap();
        let stranger = |most| {
            let mut probe = Probe::open(&path).unwrap();
            stranger(&mut probe, 0..size, most, is_zero).unwrap()
        };
        assert_eq!(stranger(1 << 20), None);
        assert_eq!(stranger((1 << 20) - 1), Some(Stranger::TooMuch(1 << 20)));
        file.write_all_at(b"x", (1 << 30) + 5000).unwrap();
        assert_eq!(stranger(1 << 20), Some(Stranger::At(1_073_745_920)));
    }

    #[test]
    fn what_lies_beside_a_block_is_shown_with_it_also_across_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let numbers = 0..(3u64 << 17) + 13;
        let size = 8 * numbers.end;
        std::fs::write(&path, Vec::from_iter(numbers.flat_map(u64::to_le_bytes))).unwrap();
        let judged = Cell::new(0);
        let is_shown = |bytes: &[u8], part: Range<usize>| {
            judged.set(judged.get() + part.len() as u64);
            let number = bytes[part.start..part.start + 8].try_into().unwrap();
            let at = 8 * u64::from_le_bytes(number);
            let is_before = at < 64 || part.start >= 64;
            is_before && (at + part.len() as u64 + 64 > size || bytes.len() >= part.end + 64)
        };
        let mut probe = Probe::open(&path).unwrap();
        let found = first_foreign(&mut probe, 512..size, is_shown).unwrap();
        assert_eq!((found, judged.get()), (None, size - 512));
    }
}
