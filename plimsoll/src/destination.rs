//! Where a command writes what it was asked for: a file, or standard output.

use crate::failure::Failure;
use crate::out;
use plimsoll_permit::output::{OutputPermit, Precious, Rules, refuse_descriptor};
use std::io::{BufWriter, Write};
use std::path::Path;

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
