//! What goes over the wire. All of it has a version, and nobody reads more of it than [`LONGEST`].
//!
//! Packets may be lost, repeated and reordered. Orders and reports go in letters, which a [`crate::link::Link`] makes whole.

use plimsoll_evidence::{Environment, Interval, StartTogether, StepEvidence};
use plimsoll_plan::{Plan, Step};
use plimsoll_rig::{LookedAt, Rank, Ranks, WorkerPlaces};
use serde::{Deserialize, Serialize};

/// The version of these messages. Who speaks another is refused.
pub const VERSION: u8 = 1;

/// The longest packet that is read, bytes, when it is unpacked.
pub const LONGEST: usize = 64 << 20;

/// One message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Packet {
    /// Asks every agent who it is.
    Who {
        /// Subject for the answer.
        reply: String,
    },
    /// An agent's answer.
    Here(Box<Hello>),
    /// Asks an agent what its clock shows.
    Ping {
        /// Subject for the answer.
        reply: String,
        /// The asker's clock, ns.
        sent_ns: u64,
    },
    /// Reading of an agent's clock.
    Pong {
        /// The agent's id.
        agent: String,
        /// The asker's clock when it asked, ns.
        sent_ns: u64,
        /// The agent's clock when the question came, ns.
        received_ns: u64,
        /// The agent's clock when the answer went out, ns.
        answered_ns: u64,
    },
    /// Asks an agent, in the name of its run, to obey another controller of it from here on.
    Attach(Attach),
    /// Progress of an agent, for a controller that goes on.
    Stands(Stands),
    /// From a controller to one agent.
    Orders(Letter<Order>),
    /// From an agent to its controller.
    Reports(Letter<Report>),
    /// An agent obeys somebody else.
    Busy {
        /// The agent's id.
        agent: String,
        /// The run that it is busy with.
        run: String,
    },
}

/// A controller that goes on in another's place.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attach {
    /// The run, as this agent was told of it.
    pub run: String,
    /// The agent's id.
    pub agent: String,
    /// Subject for answers from here on.
    pub reply: String,
    /// Greater than that of every controller before.
    pub epoch: u64,
}

/// Answer of an agent to a controller that goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stands {
    /// The agent's id.
    pub agent: String,
    /// The controller's epoch.
    pub epoch: u64,
    /// The last step that it was told to begin, and when that was to be.
    pub begun: Option<(u32, StartTogether)>,
}

/// Orders or reports, numbered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Letter<T> {
    /// The run that it belongs to.
    pub run: String,
    /// The agent's id: whose it is, or for whom.
    pub agent: String,
    /// Subject for answers.
    pub reply: String,
    /// Of the controller: 0 of the first, more of one that goes on with its run. Each begins to count anew.
    pub epoch: u64,
    /// Counts up with every letter of a sender, so that an old one is known for one.
    pub beat: u64,
    /// All items up to this number have come.
    pub upto: u64,
    /// Items with their numbers, from 1.
    pub items: Vec<(u64, T)>,
}

/// Introduction of an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// Drawn when it started.
    pub agent: String,
    /// Name of the agent in the fleet.
    pub name: String,
    /// Version of the agent's program.
    pub version: String,
    /// Host name.
    pub hostname: String,
    /// Kernel release.
    pub kernel: String,
    /// CPUs that it may use.
    pub cpus: u32,
    /// The run that it is busy with.
    pub busy: Option<String>,
    /// Targets that it lends: patterns.
    pub targets: Vec<String>,
    /// Patterns of what may be written.
    pub destroy: Vec<String>,
}

/// Order of a controller.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Look at a plan, change nothing.
    #[serde(rename = "hire")]
    Join(Box<Join>),
    /// Make ready: open, create, fill, begin the record.
    Open,
    /// A step comes: let the targets come to rest, and say how many workers there are.
    Prepare {
        /// Number of the step.
        number: u32,
        /// Step of all hosts together.
        step: Box<Step>,
        /// The targets are to come to rest first.
        settle: bool,
    },
    /// Begin it.
    Begin {
        /// Number of the step.
        number: u32,
        /// Time to begin, on the agent's CLOCK_MONOTONIC, and how well that is known.
        start: StartTogether,
        /// The agent's place among all.
        ranks: WireRanks,
    },
    /// Tell of the last step again, from its first interval on: whoever was told of it is gone.
    Tell {
        /// Number of the step.
        number: u32,
    },
    /// Enough was seen of the running step: end it with its interval.
    EndStep {
        /// Number of the step.
        number: u32,
    },
    /// Stop all with the running interval.
    Stop,
    /// The run is over.
    Finish {
        /// Reason why the run failed; empty where it did not.
        failed: String,
        /// True where the run was interrupted.
        interrupted: bool,
    },
}

/// Order to join a run: all that an agent has to know of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Join {
    /// The key that signs its orders from here on.
    pub key: String,
    /// The version of the controller's program.
    pub version: String,
    /// Time to go on without a word from the controller, ns.
    pub lease_ns: u64,
    /// Plan that is to be run.
    pub plan: Plan,
    /// Number of this host, where the plan and its steps are this host's own parts already; its traffic is drawn of the number, too.
    #[serde(default)]
    pub own: Option<u32>,
    /// Options of the run.
    pub options: WireOptions,
}

/// Options for carrying out a plan, apart from what it says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WireOptions {
    /// Seed of every random choice.
    pub seed: u64,
    /// Names of devices and files whose data may be destroyed.
    pub destroy: Vec<String>,
    /// Fill blank devices before they are read.
    pub fill: bool,
    /// Read what was never written.
    pub allow_unwritten: bool,
    /// A backend demanded by name.
    pub backend: Option<String>,
    /// I/Os handed to the kernel at once.
    pub submit_batch: usize,
    /// Completions waited for at once.
    pub reap_batch: u32,
    /// Errors after which all ends.
    pub max_errors: Option<u64>,
    /// Longest time after a step's end for which I/Os may stay out, ns.
    pub drain_ns: u64,
    /// Don't wait for targets to become idle.
    pub no_settle: bool,
}

/// Report of an agent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Willing to carry the plan out, with what its targets are here.
    Fits {
        /// Each target.
        targets: Vec<WireTarget>,
        /// Names of `--destroy` that mean something here.
        meant: Vec<String>,
    },
    /// Unwilling to carry the plan out, or to go on with it.
    Refuses {
        /// Reason, with the remedy.
        why: String,
    },
    /// All is open.
    Ready {
        /// Environment that was found.
        environment: Box<Environment>,
        /// Each target's size and logical block.
        targets: Vec<(u64, u32)>,
    },
    /// A step may begin.
    Prepared {
        /// Number of the step.
        number: u32,
        /// Worker threads.
        workers: u32,
        /// Workers that share each stream.
        sharers: Vec<u32>,
        /// The targets came to rest.
        rested: bool,
    },
    /// An interval has ended.
    Interval {
        /// Number of the interval's step.
        number: u32,
        /// Counters of the interval.
        interval: Box<Interval>,
    },
    /// A step has ended.
    Done {
        /// Number of the step.
        number: u32,
        /// Evidence of this host's part.
        evidence: Box<StepEvidence>,
        /// Delay of the start, ns.
        late_ns: u64,
    },
    /// A step could not be carried out.
    Failed {
        /// Number of the step.
        number: u32,
        /// Reason.
        why: String,
    },
    /// Something worth a line.
    Note(String),
    /// The record is closed.
    Finished {
        /// Path of the record on the agent's host.
        record: Option<String>,
    },
}

/// A target as an agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTarget {
    /// Bytes, where that is known.
    pub size: Option<u64>,
    /// Identity of the target, wherever it is seen from.
    pub identity: Vec<String>,
}

impl From<LookedAt> for WireTarget {
    fn from(seen: LookedAt) -> Self {
        WireTarget {
            size: seen.size,
            identity: seen.identity,
        }
    }
}

/// [`Ranks`] on the wire: (before, of).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireRanks {
    /// Of the workers.
    pub workers: (u32, u32),
    /// Of those that share each stream.
    pub streams: Vec<(u32, u32)>,
    /// Streams whose target each host has for itself.
    pub apart: Vec<bool>,
}

impl WireRanks {
    /// Host `host`'s place, where these are all hosts' workers.
    pub fn among(places: &[WorkerPlaces], host: usize, apart: &[bool]) -> Self {
        let sum = |count: &dyn Fn(&WorkerPlaces) -> u32| {
            let upto = |end: usize| places[..end].iter().map(count).sum();
            (upto(host), upto(places.len()))
        };
        let of_stream = |s: usize| sum(&|p: &WorkerPlaces| p.sharers.get(s).copied().unwrap_or(0));
        WireRanks {
            workers: sum(&|p| p.workers),
            streams: (0..apart.len()).map(of_stream).collect(),
            apart: apart.to_vec(),
        }
    }
}

impl From<WireRanks> for Ranks {
    fn from(wire: WireRanks) -> Self {
        let rank = |(before, of): (u32, u32)| Rank { before, of };
        Ranks {
            workers: rank(wire.workers),
            streams: wire.streams.into_iter().map(rank).collect(),
            apart: wire.apart,
        }
    }
}
