//! Content that can be verified: what is written says what it is, as fio's `verify=` does.
//!
//! A [`VerifyPlan`] writes fio's headers into blocks and checks them; a [`Journal`] knows what was written where.

mod header;
mod journal;
mod pattern;
mod places;
mod sum;

pub(crate) use header::length_at as header_at;
pub use journal::{Expected, Journal, Mark};
pub use pattern::PatternPlan;
pub use places::Places;
pub use sum::Sum;

use header::Header;
use plimsoll_draw::mix64;

/// Plan by which content is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyPlan {
    /// Sum in a header of the bytes behind it; `None`: there are no headers, the pattern is all.
    pub sum: Option<Sum>,
    /// A header stands at each so many bytes of an I/O; `None`: one at its start.
    pub interval: Option<u32>,
    /// Offset of the header in its block, bytes.
    pub offset: u32,
    /// Pattern behind headers; `None`: random data.
    pub pattern: Option<PatternPlan>,
    /// Time at which the writing began: seconds and nanoseconds. With the seed it tells writes of one run from those of others.
    pub began: (u32, u32),
}

/// Mismatch of a block with what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// Place of the mismatch, bytes from the I/O's start.
    pub at: u32,
    /// Part of the block that is wrong.
    pub what: Broken,
    /// Value that should be there; of a sum the first eight bytes.
    pub expected: u64,
    /// Value that is there.
    pub got: u64,
    /// Length of the two values, bytes.
    pub bytes: u8,
}

/// Part of a block that can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// There is no header.
    Magic,
    /// The header is of a block of another length.
    Length,
    /// The header is of another place.
    Offset,
    /// The header is of another write.
    Write,
    /// The header's own sum.
    Header,
    /// The sum of what is behind it.
    Sum,
    /// A byte of the pattern.
    Pattern,
}

impl VerifyPlan {
    fn block(&self, len: usize) -> usize {
        let interval = self.interval.map(|n| n as usize);
        interval.filter(|n| *n > 0 && *n <= len).unwrap_or(len)
    }

    /// Puts headers and the pattern into `buf`, which holds what is to be written at `offset` of a file as write `number`.
    pub fn stamp(&self, buf: &mut [u8], offset: u64, number: u64) {
        if let Some(pattern) = &self.pattern {
            pattern.fill(buf, offset);
        }
        let Some(sum) = self.sum else { return };
        let size = self.block(buf.len());
        let whole = header::BYTES + sum.bytes();
        for (index, block) in (0..).zip(buf.chunks_mut(size)) {
            if block.len() <= whole {
                continue;
            }
            let header = Header {
                time: self.began,
                number: number as u16,
                ..Header::new(
                    sum.number(),
                    size as u32,
                    mix64(number),
                    offset + index * size as u64,
                )
            };
            header.write(block);
            let (front, data) = block.split_at_mut(whole);
            sum.write(data, &mut front[header::BYTES..]);
            self.swap(block, whole);
        }
    }

    /// The header goes to its place in a block, or comes back.
    fn swap(&self, block: &mut [u8], bytes: usize) {
        let to = self.offset as usize;
        if to >= bytes && to + bytes <= block.len() {
            let (front, back) = block.split_at_mut(to);
            front[..bytes].swap_with_slice(&mut back[..bytes]);
        }
    }

    /// The mark of what was stamped into `buf`; `None` where there are no headers.
    pub fn mark(&self, buf: &[u8]) -> Option<Mark> {
        self.sum?;
        let block = &buf[..self.block(buf.len())];
        let header = Header::read(block.get(self.offset as usize..)?)?;
        Some(Mark {
            seed: header.seed,
            time: header.time,
        })
    }

    /// Checks what was read from `offset` of a file; with `mark` it must be that write's. The buffer is scratch afterwards.
    pub fn check(&self, buf: &mut [u8], offset: u64, mark: Option<Mark>) -> Result<(), Mismatch> {
        let wanted = self.pattern.as_ref().map(|pattern| {
            let mut wanted = vec![0; buf.len()];
            pattern.fill(&mut wanted, offset);
            wanted
        });
        let size = self.block(buf.len());
        for (index, block) in buf.chunks_mut(size).enumerate() {
            let at = index * size;
            let behind = match self.sum {
                None => 0,
                Some(sum) => {
                    let found = self.check_block(sum, block, offset + at as u64, size, mark);
                    found.map_err(|mismatch| Mismatch {
                        at: at as u32,
                        ..mismatch
                    })?
                }
            };
            // With a sum of the data the pattern is in it.
            if let Some(wanted) = &wanted
                && matches!(self.sum, None | Some(Sum::Meta))
            {
                same(&block[behind..], &wanted[at + behind..at + block.len()]).map_err(
                    |(byte, expected, got)| Mismatch {
                        at: (at + behind + byte) as u32,
                        what: Broken::Pattern,
                        expected: expected.into(),
                        got: got.into(),
                        bytes: 1,
                    },
                )?;
            }
        }
        Ok(())
    }

    /// The bytes of the header, where all is well.
    fn check_block(
        &self,
        sum: Sum,
        block: &mut [u8],
        offset: u64,
        size: usize,
        mark: Option<Mark>,
    ) -> Result<usize, Mismatch> {
        let wrong = |what, expected: u64, got: u64| {
            let bytes = match what {
                Broken::Magic => 2,
                Broken::Header => 4,
                Broken::Sum => sum.bytes().min(8) as u8,
                _ => 8,
            };
            Err(Mismatch {
                at: 0,
                what,
                expected,
                got,
                bytes,
            })
        };
        let start = &block[(self.offset as usize).min(block.len())..];
        let Some(header) = Header::read(start) else {
            return Ok(block.len());
        };
        let whole = header.bytes + sum.bytes();
        if block.len() <= whole {
            // What was too short for a header had none.
            return Ok(block.len());
        }
        let magic = Header::wanted_magic();
        if header.magic != magic {
            return wrong(Broken::Magic, magic.into(), header.magic.into());
        }
        if header.crc != header.wanted_crc {
            return wrong(Broken::Header, header.wanted_crc.into(), header.crc.into());
        }
        if header.len as usize != size {
            return wrong(Broken::Length, size as u64, header.len.into());
        }
        if header.offset != offset {
            return wrong(Broken::Offset, offset, header.offset);
        }
        if let Some(mark) = mark
            && mark.seed != header.seed
        {
            return wrong(Broken::Write, mark.seed, header.seed);
        }
        if let Some(mark) = mark
            && mark.time != header.time
        {
            return wrong(
                Broken::Write,
                whole_time(mark.time),
                whole_time(header.time),
            );
        }
        self.swap(block, whole);
        let (front, data) = block.split_at(whole);
        // The header says what was written; what is there has a sum of its own.
        let expected = &front[header.bytes..];
        let mut found = [0; 128];
        let found = &mut found[..sum.bytes()];
        sum.write(data, found);
        if expected != found && !sum.is_unfinished(data, expected) {
            return wrong(Broken::Sum, first_bytes(expected), first_bytes(found));
        }
        Ok(whole)
    }
}

fn whole_time((seconds, nanoseconds): (u32, u32)) -> u64 {
    u64::from(seconds) * 1_000_000_000 + u64::from(nanoseconds)
}

/// The first eight bytes, as they are read from left to right.
fn first_bytes(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .fold(0, |all, byte| all << 8 | u64::from(*byte))
}

/// Where two differ first, and by what.
fn same(got: &[u8], wanted: &[u8]) -> Result<(), (usize, u8, u8)> {
    if got == wanted {
        return Ok(());
    }
    let mut pairs = got.iter().zip(wanted).enumerate();
    let found = pairs.find(|(_, (got, wanted))| got != wanted);
    found.map_or(Ok(()), |(at, (got, wanted))| Err((at, *wanted, *got)))
}

#[cfg(test)]
mod tests;
