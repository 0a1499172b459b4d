//! fio's engines, and what carries out their I/O here.

use super::codes;
use super::jobs::Job;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Op, Polling};

/// What carries out a job's I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// pread and pwrite: one I/O in flight for each job, whatever `iodepth=` says.
    Sync,
    /// The same in threads, as many as `iodepth=` says.
    Threads,
    /// Linux native AIO.
    Libaio,
    /// io_uring, and what is polled by it.
    Uring(Polling),
    /// No I/O.
    Null,
    /// A client of NBD servers.
    Nbd,
    /// A map of the file in memory, which bytes are copied to and from.
    Mmap,
    /// No I/O, and an operation on the name of each file or directory.
    Names(Op),
}

/// fio's names, and what they are here.
const ENGINES: [(&str, Engine); 17] = [
    ("sync", Engine::Sync),
    ("psync", Engine::Sync),
    ("vsync", Engine::Sync),
    ("pvsync", Engine::Sync),
    ("pvsync2", Engine::Sync),
    ("posixaio", Engine::Threads),
    ("libaio", Engine::Libaio),
    ("io_uring", Engine::Uring(Polling::NONE)),
    ("null", Engine::Null),
    ("nbd", Engine::Nbd),
    ("mmap", Engine::Mmap),
    ("filecreate", Engine::Names(Op::Create)),
    ("filestat", Engine::Names(Op::Stat)),
    ("filedelete", Engine::Names(Op::Delete)),
    ("dircreate", Engine::Names(Op::Mkdir)),
    ("dirstat", Engine::Names(Op::Stat)),
    ("dirdelete", Engine::Names(Op::Rmdir)),
];

/// What else fio could be told to drive: not files or block devices, or by ways that do not exist here.
const OTHERS: [(&str, &str); 5] = [
    (
        "sg",
        "SCSI commands are not sent; use ioengine=libaio on the block device",
    ),
    (
        "io_uring_cmd",
        "commands are not passed through; use ioengine=io_uring on the block device",
    ),
    ("splice", "use ioengine=psync"),
    ("libzbc", "zoned devices cannot be tested yet"),
    (
        "cpuio",
        "it is no I/O; burn CPUs by another program meanwhile",
    ),
];

impl Engine {
    /// Whether each job has one I/O in flight, whatever its depth.
    pub fn is_sync(self) -> bool {
        matches!(self, Engine::Sync | Engine::Mmap | Engine::Names(_))
    }

    /// The operation on names that it consists of, where it does.
    pub fn on_names(self) -> Option<Op> {
        match self {
            Engine::Names(op) => Some(op),
            _ => None,
        }
    }

    /// Engine that carries out its I/O on files and devices; `None` where none is read or written. Synchronous calls are the same by one thread or
    /// by several.
    pub fn on_files(self) -> Option<Engine> {
        match self {
            Engine::Null | Engine::Nbd | Engine::Names(_) => None,
            Engine::Sync => Some(Engine::Threads),
            other => Some(other),
        }
    }
}

/// The names of all that exist here.
pub fn names() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().map(|(name, _)| *name)
}

/// A job's engine; fio's own choice on Linux is psync.
///
/// # Errors
/// One that does not exist here, by its name.
pub(super) fn of(job: &Job) -> Result<Engine, Diagnostic> {
    let Some(assigned) = job.get("ioengine") else {
        return Ok(Engine::Sync);
    };
    // `cpp_null:…` and `external:PATH` carry more behind a colon.
    let name = assigned.text.split(':').next().unwrap_or_default();
    if let Some((_, engine)) = ENGINES.iter().find(|(known, _)| *known == assigned.text) {
        return Ok(match *engine {
            Engine::Uring(_) => Engine::Uring(Polling {
                completions: job.is_on("hipri"),
                submissions: job.is_on("sqthread_poll"),
            }),
            other => other,
        });
    }
    let remedy = OTHERS.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = names().collect();
    let remedy = remedy.map_or_else(
        || format!("use one of {}", names.join(", ")),
        |(_, remedy)| remedy.to_string(),
    );
    Err(Diagnostic::error(
        codes::ENGINE,
        format!("the engine `{name}` does not exist here"),
    )
    .at(assigned.span, "asked for here")
    .help(remedy))
}
