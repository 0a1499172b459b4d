//! Where a command writes what it was asked for: a file, or standard output.

use crate::failure::Failure;
use crate::out;
use plimsoll_permit::output::{OutputPermit, Precious, Rules, refuse_descriptor};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Number of bytes that are read of a file to find out whether it is an earlier output. A longer file ends in the middle of a line, and is
/// none.
const MOST_READ: u64 = 4 << 30;

/// A place to write to, which may be written.
pub enum Destination {
    /// `-`, or standard output by its name. Opened by the shell and not by a name, so that a pipe or a terminal is right.
    Standard,
    /// A file.
    File(Box<OutputPermit>),
}

impl Destination {
    /// Judges the place, before there is anything to write.
    pub fn ask(path: &Path, overwrite: bool, precious: &[Precious]) -> Result<Self, Failure> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            refuse_descriptor(std::io::stdout(), "standard output", precious)?;
            return Ok(Destination::Standard);
        }
        let rules = Rules {
            overwrite,
            precious,
        };
        let permit = OutputPermit::ask(path, &rules)?;
        Ok(Destination::File(Box::new(permit)))
    }

    /// Judges the place of an output that replaces an earlier one of its kind unasked, as fio does: a file that `is_like` finds to
    /// be one when it has seen all of it. Anything else needs `overwrite`.
    pub fn ask_for_like(
        path: &Path,
        overwrite: bool,
        precious: &[Precious],
        is_like: impl FnOnce(&mut dyn BufRead) -> bool,
    ) -> Result<Self, Failure> {
        let refused = match Self::ask(path, overwrite, precious) {
            Ok(granted) => return Ok(granted),
            Err(refused) => refused,
        };
        // What is refused also with the flag is not looked into. What somebody writes after this look is noticed by the permit.
        let Ok(Destination::File(permit)) = Self::ask(path, true, precious) else {
            return Err(refused);
        };
        let found = permit.replaced().and_then(|found| found.read().ok());
        match found.is_some_and(|file| is_like(&mut BufReader::new(file.take(MOST_READ)))) {
            true => Ok(Destination::File(permit)),
            false => Err(refused),
        }
    }

    /// Writes what `fill` gives. A file is there as a whole, or not at all.
    pub fn write(
        self,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Destination::Standard => {
                let mut out = BufWriter::new(out::Standard::lock());
                fill(&mut out)?;
                Ok(out.flush()?)
            }
            Destination::File(permit) => {
                let mut file = permit.open()?;
                let mut out = BufWriter::new(&mut file);
                fill(&mut out)?;
                out.flush()?;
                drop(out);
                Ok(file.commit()?)
            }
        }
    }
}
