//! Why a plan could not be carried out.

use plimsoll_engine::EngineError;
use plimsoll_plan::validate::Problem;
use plimsoll_record::RecordError;
use std::io;

/// Reason why a plan could not be carried out as asked. Nothing was written to a target unless a step had begun.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The plan says what each of several hosts does.
    #[error(
        "the definition says what each of the hosts {0} does, and this would be done by one: `plimsoll run` has those hosts carry \
         it out; take them out of it to have it done here"
    )]
    OfHosts(String),
    /// The plan contradicts itself or its targets.
    #[error("{}", list(.0))]
    Plan(Vec<Problem>),
    /// A write was refused.
    #[error("{0}")]
    Refused(String),
    /// A file could not be made ready.
    #[error("cannot prepare {path}: {source}")]
    Prepare {
        /// The file.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Target that would have to be written, where nothing may be.
    #[error("{target} would have to be written, which was forbidden: {why}")]
    ReadOnly {
        /// The target.
        target: String,
        /// Part that would be written, and its use.
        why: String,
    },
    /// A file that the plan wants to be created has no size.
    #[error(
        "{path} does not exist; check the name, or give a size to have it made: --size 10g, in a definition size = \"10g\""
    )]
    NoSize {
        /// The file.
        path: String,
    },
    /// A file of several is missing, and the others are as long as all are to be.
    #[error(
        "{path} does not exist, and the files that are joined with it hold the whole size already; give a larger size, or leave it out of the list"
    )]
    NothingLeft {
        /// The file.
        path: String,
    },
    /// No room for a file.
    #[error(
        "{path} needs {needed} {unit} and its file system has {free} left; make it smaller, or take another file system"
    )]
    NoSpace {
        /// The file or tree.
        path: String,
        /// Bytes to be written, or inodes.
        needed: u64,
        /// Unit that is counted.
        unit: &'static str,
        /// Amount that is available, in that unit.
        free: u64,
    },
    /// The engine could not go on.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The record could not be begun.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The definition holds commands.
    #[error("the definition runs the command `{0}`; add --allow-commands to let it, or remove it")]
    CommandNotAllowed(String),
    /// A command failed.
    #[error("the command `{line}` failed: {reason}")]
    Command {
        /// The command.
        line: String,
        /// Exit of the command, or the reason why it did not start.
        reason: String,
    },
    /// A run cannot be gone on with.
    #[error("{path} cannot be resumed: {why}")]
    Resume {
        /// The record.
        path: String,
        /// Reason.
        why: String,
    },
    /// Something in the plan that several hosts do not do together.
    #[error("hosts do not do this together: {0}")]
    NotByHosts(String),
    /// The hosts could not carry it out.
    #[error("{0}")]
    Hosts(String),
    /// The plan has nothing to do.
    #[error("the definition holds no run; there is nothing to do")]
    Empty,
}

fn list(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|p| format!("{}\n  = help: {}", p.message, p.remedy))
        .collect::<Vec<_>>()
        .join("\n")
}
