//! Names of backends.

use std::fmt;
use std::str::FromStr;

/// A real backend's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// io_uring.
    Uring,
    /// Linux native AIO.
    Libaio,
    /// pread and pwrite, a thread for each I/O in flight.
    Psync,
    /// Copies from and to a map of the file, a thread for each I/O in flight.
    Mmap,
    /// No I/O.
    Null,
    /// Our own client of NBD servers.
    Nbd,
    /// The same where an export takes one connection: one worker.
    NbdAlone,
}

impl Kind {
    /// Whether whoever issues an I/O is in it until it is done, so that each in flight takes a thread.
    pub fn is_synchronous(self) -> bool {
        matches!(self, Kind::Psync | Kind::Mmap)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Uring => "io_uring",
            Kind::Libaio => "libaio",
            Kind::Psync => "psync",
            Kind::Mmap => "mmap",
            Kind::Null => "null",
            Kind::Nbd | Kind::NbdAlone => "nbd",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "io_uring" | "uring" => Ok(Kind::Uring),
            "libaio" => Ok(Kind::Libaio),
            "psync" | "sync" => Ok(Kind::Psync),
            "mmap" => Ok(Kind::Mmap),
            _ => Err(format!(
                "`{text}` is no backend; there are io_uring, libaio, psync and mmap"
            )),
        }
    }
}
