//! fio's engines, and what carries out their I/O here.

use super::codes;
use super::jobs::Job;
use plimsoll_diagnostic::Diagnostic;

/// What carries out a job's I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// pread and pwrite: one I/O in flight for each job, whatever `iodepth=` says.
    Sync,
    /// The same in threads, as many as `iodepth=` says.
    Threads,
    /// Linux native AIO.
    Libaio,
    /// io_uring.
    Uring,
    /// No I/O.
    Null,
    /// A client of NBD servers.
    Nbd,
}

/// fio's names, and what they are here.
const ENGINES: [(&str, Engine); 10] = [
    ("sync", Engine::Sync),
    ("psync", Engine::Sync),
    ("vsync", Engine::Sync),
    ("pvsync", Engine::Sync),
    ("pvsync2", Engine::Sync),
    ("posixaio", Engine::Threads),
    ("libaio", Engine::Libaio),
    ("io_uring", Engine::Uring),
    ("null", Engine::Null),
    ("nbd", Engine::Nbd),
];

/// What else fio could be told to drive: not files or block devices, or by ways that do not exist here.
const OTHERS: [(&str, &str); 6] = [
    (
        "mmap",
        "memory maps are no I/O that could be timed one by one; use ioengine=psync with direct=0",
    ),
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
        self == Engine::Sync
    }
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
        return Ok(*engine);
    }
    let remedy = OTHERS.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
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
