//! Names of backends.

use plimsoll_plan::Polling;
use std::fmt;
use std::str::FromStr;

/// Backend by its name; none of them is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BackendKind {
    /// io_uring, and what is polled by it.
    Uring(Polling),
    /// Linux native AIO.
    Libaio,
    /// pread and pwrite, a thread for each I/O in flight.
    Psync,
    /// Copies from and to a map of the file, a thread for each I/O in flight.
    Mmap,
    /// Operations on a tree, a thread for each in flight.
    Tree,
    /// No I/O.
    Null,
    /// Our own client of NBD servers.
    Nbd,
    /// The same where an export takes one connection: one worker.
    NbdAlone,
}

impl BackendKind {
    /// True where whoever issues an I/O is in it until it is done, so that each in flight takes a thread.
    pub fn is_synchronous(self) -> bool {
        matches!(
            self,
            BackendKind::Psync | BackendKind::Mmap | BackendKind::Tree
        )
    }

    /// A static name, as people write it.
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::Uring(polling) => match (polling.completions, polling.submissions) {
                (false, false) => "io_uring",
                (true, false) => "io_uring+iopoll",
                (false, true) => "io_uring+sqpoll",
                (true, true) => "io_uring+iopoll+sqpoll",
            },
            BackendKind::Libaio => "libaio",
            BackendKind::Psync => "psync",
            BackendKind::Mmap => "mmap",
            BackendKind::Tree => "threads",
            BackendKind::Null => "null",
            BackendKind::Nbd | BackendKind::NbdAlone => "nbd",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BackendKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.split('+').next().unwrap_or_default();
        if matches!(name, "io_uring" | "uring") {
            let mut polling = Polling::NONE;
            for word in text.split('+').skip(1) {
                match word {
                    "iopoll" => polling.completions = true,
                    "sqpoll" => polling.submissions = true,
                    _ => {
                        return Err(format!(
                            "`{word}` is no polling mode of io_uring; use io_uring+iopoll, io_uring+sqpoll or both"
                        ));
                    }
                }
            }
            return Ok(BackendKind::Uring(polling));
        }
        match text {
            "libaio" => Ok(BackendKind::Libaio),
            "psync" | "sync" => Ok(BackendKind::Psync),
            "mmap" => Ok(BackendKind::Mmap),
            _ => Err(format!(
                "`{text}` is no backend; there are io_uring, libaio, psync and mmap"
            )),
        }
    }
}
