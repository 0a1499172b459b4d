//! Digest of a file's data, as a lab's backing file has it: mostly holes.

use crate::target::data_in;
use plimsoll_witness::content::Digest;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// The most data that a digest is taken of: two seconds on an SSD, which whoever ends a lab waits for.
const DATA_MAX: u64 = 1 << 30;
/// What is read at once; a whole number of blocks.
const PIECE: u64 = 1 << 20;
const BLOCK: u64 = 4096;

/// Digest of the blocks that are not zeros, and of where they are; `None` where they are too many. A hole that became zeros, as by a
/// copy back, is no change.
pub(crate) fn digest(file: &File) -> io::Result<Option<u128>> {
    digest_within(file, DATA_MAX)
}

fn digest_within(file: &File, most: u64) -> io::Result<Option<u128>> {
    let data = data_in(file, 0..file.metadata()?.len())?;
    if data.iter().map(|part| part.end - part.start).sum::<u64>() > most {
        return Ok(None);
    }
    let (mut digest, mut buffer, mut done) = (Digest::default(), vec![0; PIECE as usize], 0);
    for part in data {
        // Parts may begin and end within a block.
        let mut at = (part.start / BLOCK * BLOCK).max(done);
        while at < part.end {
            let length = read_at(file, at, &mut buffer)?;
            if length == 0 {
                break;
            }
            let blocks = buffer[..length]
                .chunks(BLOCK as usize)
                .zip((at..).step_by(BLOCK as usize));
            for (block, at) in blocks.take_while(|(_, at)| *at < part.end) {
                if block.iter().any(|byte| *byte != 0) {
                    digest.write_all(&at.to_le_bytes())?;
                    digest.write_all(block)?;
                }
                done = at + BLOCK;
            }
            at += PIECE;
        }
    }
    Ok(Some(digest.value()))
}

/// Reads as much as there is.
fn read_at(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read_at(&mut buffer[length..], at + length as u64) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(file: &File) -> u128 {
        digest_within(file, 1 << 20).unwrap().expect("not too many")
    }

    #[test]
    fn a_byte_anywhere_and_its_place_count_and_written_zeros_do_not() {
        let file = tempfile::tempfile().unwrap();
        file.set_len((1 << 40) + 100).unwrap();
        let holes = digest(&file);
        file.write_all_at(&[0; 10_000], 3 << 30).unwrap();
        assert_eq!(digest(&file), holes);
        let mut seen = vec![holes];
        for at in [
            0,
            4095,
            4096,
            (3 << 30) + 4096,
            (3 << 30) + 9999,
            (1 << 40) + 99,
        ] {
            file.write_all_at(b"x", at).unwrap();
            assert!(!seen.contains(&digest(&file)), "{at}");
            seen.push(digest(&file));
            file.write_all_at(&[0], at).unwrap();
            assert_eq!(digest(&file), holes, "{at}");
        }
    }

    #[test]
    fn of_too_much_data_there_is_none() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 40).unwrap();
        file.write_all_at(&[7; 2 << 20], 1 << 30).unwrap();
        assert_eq!(digest_within(&file, (2 << 20) - 1).unwrap(), None);
        assert!(digest_within(&file, 2 << 20).unwrap().is_some());
    }
}
