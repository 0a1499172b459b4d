//! How a plan is carried out, apart from what it says.

use crate::{AtWork, SimulatedHosts};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::trace::Trace;
use plimsoll_plan::{DEFAULT_MAX_ERRORS, Nanos, Plan};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of one invocation.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Path of the record; `None`: no record is kept.
    pub record: Option<PathBuf>,
    /// Nobody asked for that name: where it is taken, the next one is, as `NAME-2.plim`.
    pub record_is_unnamed: bool,
    /// Replace a record that's there.
    pub overwrite_record: bool,
    /// Files that the plan was read from: the record is none of these.
    pub definition: Vec<PathBuf>,
    /// The texts that it was read from, for the record: name and text.
    pub texts: Vec<(String, String)>,
    /// Seed instead of the plan's or a drawn one.
    pub seed: Option<u64>,
    /// Names of devices and files whose data may be destroyed.
    pub destroy: Vec<String>,
    /// Fill blank devices and exports before they are read.
    pub fill: bool,
    /// Run the commands in the definition.
    pub allow_commands: bool,
    /// Files and folders that those commands may write, besides the targets; `/` is all.
    pub commands_may_write: Vec<PathBuf>,
    /// Time after which a command beside a step is ended.
    pub command_limit: Nanos,
    /// The commands that run, for whoever ends the process.
    pub at_work: AtWork,
    /// Nothing is written: neither by the plan nor to fill what it reads, and no file is made.
    pub read_only: bool,
    /// The same of these targets, by their names in the plan.
    pub read_only_targets: Vec<String>,
    /// Read what was never written, knowing that it's no measurement of the medium.
    pub allow_unwritten: bool,
    /// A backend demanded by name, for all files and devices.
    pub backend: Option<BackendKind>,
    /// Backends that are demanded for single targets, in the plan's order, where `backend` demands none for all.
    pub backends: Vec<Option<BackendKind>>,
    /// I/Os handed to the kernel at once, at most.
    pub submit_batch: usize,
    /// Completions that a closed loop waits for at once, where so many are out.
    pub reap_batch: u32,
    /// Errors after which all ends, instead of the plan's.
    pub max_errors: Option<u64>,
    /// Time after a step's end for which I/Os may stay out.
    pub drain: Nanos,
    /// Don't wait for targets to become idle between points.
    pub no_settle: bool,
    /// True where the run fails also for what the audit finds suspect.
    pub strict: bool,
    /// The command line, for the record.
    pub command: Vec<String>,
    /// Files that go when all is over, if this run made them.
    pub unlink: Vec<PathBuf>,
    /// Trace that keeps each issued I/O, for whoever wants a log of them.
    pub trace: Option<Arc<Trace>>,
    /// Hosts of the lab that carry the plan out together on its arrays; `None`: one does.
    pub simulated_hosts: Option<SimulatedHosts>,
    /// Name of the run of several hosts that this is a part of.
    pub run_of_hosts: Option<String>,
}

impl RunOptions {
    /// Time after which a command beside a step is ended where nobody says otherwise: longer than it takes to log in to an array and to
    /// take a path away there.
    pub const COMMAND_LIMIT: Nanos = Nanos::secs(60);

    /// The backend that is demanded for a target of the plan, by its number.
    pub(crate) fn backend_of(&self, target: usize) -> Option<BackendKind> {
        let own = self.backends.get(target).copied();
        self.backend.or(own.flatten())
    }
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            record: None,
            record_is_unnamed: false,
            overwrite_record: false,
            definition: Vec::new(),
            texts: Vec::new(),
            seed: None,
            destroy: Vec::new(),
            fill: false,
            allow_commands: false,
            commands_may_write: Vec::new(),
            command_limit: RunOptions::COMMAND_LIMIT,
            at_work: AtWork::default(),
            read_only: false,
            read_only_targets: Vec::new(),
            allow_unwritten: false,
            backend: None,
            backends: Vec::new(),
            submit_batch: 4,
            reap_batch: 1,
            max_errors: None,
            drain: Nanos::secs(30),
            no_settle: false,
            strict: false,
            command: Vec::new(),
            unlink: Vec::new(),
            trace: None,
            simulated_hosts: None,
            run_of_hosts: None,
        }
    }
}

/// The number of errors that ends the run, where the user raised it: who does that expects some. A smaller number than
/// the usual one asks to end sooner, and a number in a Vdbench file means what it means to Vdbench: one error is failure.
pub(crate) fn allowed_errors(plan: &Plan, options: &RunOptions) -> Option<u64> {
    let of_plan = (plan.dialect != "vdbench").then_some(plan.max_errors);
    let asked = options.max_errors.or(of_plan)?;
    (asked > DEFAULT_MAX_ERRORS).then_some(asked)
}
