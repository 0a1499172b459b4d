//! What can go wrong before and while I/O is issued.

use std::io;

/// Error that keeps the engine from starting or from going on.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A target cannot be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The path.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A tree is not to be touched.
    #[error(transparent)]
    Tree(plimsoll_permit::Refusal),
    /// A target's size cannot be found.
    #[error("cannot find the size of {path}: {source}")]
    Size {
        /// The path.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A target is neither a file nor a block device.
    #[error("{path} is {what}; a target is a regular file, a block device, or null:SIZE")]
    Kind {
        /// The path.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// A volume cannot be reached, or is not what it should be.
    #[error("{uri}: {source}")]
    Nbd {
        /// The path to it.
        uri: String,
        /// Why.
        source: crate::backend::nbd::ClientError,
    },
    /// An export cannot do what its target needs.
    #[error("the export {uri} {what}")]
    Export {
        /// Where it is.
        uri: String,
        /// What it is or lacks.
        what: String,
    },
    /// Permit to write that was given for one target and is that of another.
    #[error("a bug in Plimsoll: target {target} was to be written with a permit of {permit}")]
    Permit {
        /// The target's name.
        target: String,
        /// Whose permit it is.
        permit: String,
    },
    /// The place that the workers are to have among all hosts' is none for so many.
    #[error(
        "this host has {own} workers, which do not fit in where it was told to: after {before} of {of} workers; let every \
         host have the number of workers that the ranks were made for"
    )]
    Ranks {
        /// Workers of this host.
        own: u32,
        /// Workers before them.
        before: u32,
        /// Workers of all hosts.
        of: u32,
    },
    /// A demanded backend is absent.
    #[error("the backend {name} cannot be used here: {source}")]
    Backend {
        /// `io_uring`, `libaio`, `psync`.
        name: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The kernel refused a submission as a whole.
    #[error("the kernel refused to take I/O from {name}: {source}")]
    Submit {
        /// The backend.
        name: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Buffers cannot be allocated.
    #[error("cannot get {bytes} bytes for I/O buffers: {source}")]
    Buffers {
        /// How many.
        bytes: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The stream asks for what its target cannot give.
    #[error("target {target}: {source}")]
    Traffic {
        /// The target's name.
        target: String,
        /// Why.
        source: plimsoll_traffic::TrafficError,
    },
    /// A file of content cannot be read.
    #[error("cannot read the content file {path}: {source}")]
    Content {
        /// The path.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A log of I/Os cannot be replayed.
    #[error("cannot replay {log}: {source}")]
    Replay {
        /// The log.
        log: String,
        /// Why, with the line.
        source: plimsoll_plan::LogError,
    },
    /// Duplicates that alternate on a target whose blocks cannot all be remembered.
    #[error(
        "target {target} has {blocks} blocks that duplicates are made of, and of more than {most} it cannot be remembered \
         which of their two values they hold; give a smaller size or a larger unit, or do without flip-flop"
    )]
    TooManyBlocks {
        /// The target's name.
        target: String,
        /// How many it has.
        blocks: u64,
        /// How many can be remembered.
        most: u64,
    },
    /// A worker cannot be pinned.
    #[error("cannot pin a worker to CPU {cpu}: {source}")]
    Pin {
        /// The CPU.
        cpu: u32,
        /// The system's reason.
        source: io::Error,
    },
    /// A thread could not be started.
    #[error("cannot start a worker thread: {0}")]
    Thread(io::Error),
    /// A worker thread panicked.
    #[error("a worker thread died of a bug in Plimsoll; its message stands above")]
    WorkerDied,
    /// Shares cannot be kept over a null target and a real one: no one loop serves both.
    #[error(
        "{name} is a null target; a load that keeps shares over targets cannot have it beside real ones"
    )]
    NullBeside {
        /// The null target's name.
        name: String,
    },
    /// The same of an NBD target and another kind.
    #[error(
        "{name} is reached by NBD; a load that keeps shares over targets cannot have it beside files and devices, nor \
         exports of one connection beside exports of many"
    )]
    NbdBeside {
        /// The target's name.
        name: String,
    },
    /// The step asks for nothing.
    #[error("the step has no stream to run")]
    Empty,
}
