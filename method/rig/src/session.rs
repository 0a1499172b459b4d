//! What one run holds while it goes on.

use crate::open_targets::OpenTargets;
use crate::options::allowed_errors;
use crate::shell::Launcher;
use crate::witness::{disks_under, watched};
use crate::{Crew, Event, InCommon, Past, RunOptions, SimulatedHosts};
use plimsoll_engine::backend::choose::BackendKind;
use plimsoll_engine::{Control, OpenTarget};
use plimsoll_evidence::{Environment, StepEvidence, Verdict};
use plimsoll_methods::Observer;
use plimsoll_metrics::ArrayMetrics;
use plimsoll_plan::{Nanos, Plan, Step, Target};
use plimsoll_record::{RecordError, Recorder};
use plimsoll_sim::Lab;
use plimsoll_witness::{Watched, own_thread};
use std::path::PathBuf;
use std::sync::Arc;

/// A run between its preparation and its end.
pub(crate) struct Session {
    pub options: RunOptions,
    /// Launcher of the commands of the definition.
    pub launcher: Launcher,
    pub control: Control,
    pub targets: OpenTargets,
    /// The same as they were planned.
    pub planned: Vec<Target>,
    /// Carrier of the steps.
    pub carrier: Carrier,
    /// The plan says what each of several hosts does.
    pub is_divided: bool,
    /// Part of the next step that it has in common with those of other hosts.
    pub in_common: Option<InCommon>,
    /// Delay of the last step's start.
    pub late_start: Nanos,
    pub kinds: Vec<BackendKind>,
    /// Devices and files that can be looked at, of each target; empty where they are not on this host.
    pub watched: Vec<Watched>,
    /// Metrics of the arrays below the targets, where they are real.
    pub metrics: Option<ArrayMetrics>,
    pub environment: Environment,
    pub seed: u64,
    /// The run ends with this error of all its steps.
    pub max_errors: u64,
    /// Number of errors that the user asked to go on with; see [`crate::options::allowed_errors`].
    pub allowed_errors: Option<u64>,
    /// Vdbench leaves the first interval out where there's no warm-up.
    pub vdbench: bool,
    /// The step that runs, or is next, is one of a curve or of another method, which has a verdict of its own.
    pub has_method: bool,
    pub step_number: u32,
    /// Some of its steps are of a run that did not come to its end.
    pub resumed: bool,
    /// Observer of the intervals of the step that runs, or is next.
    pub observer: Option<Box<dyn Observer>>,
    pub steps: Vec<StepEvidence>,
    /// Failures in steps that are no results.
    pub errors_aside: u64,
    pub verdicts: Vec<Verdict>,
    pub recorder: Option<Recorder>,
    /// Cost of keeping the record so far.
    pub record_writes: RecordWrites,
    /// Path of the record; another place than at first where it had to be saved.
    pub record_path: Option<PathBuf>,
    pub record_error: Option<RecordError>,
}

/// Carrier of a run's steps.
#[derive(Default)]
pub(crate) enum Carrier {
    /// Engine of this host, on files, devices and exports.
    #[default]
    Here,
    /// Arrays of the lab in virtual time, and simulated hosts where several make the load.
    Simulated(Box<Lab>, Option<SimulatedHosts>),
    /// Other hosts.
    Hosts(Box<dyn Crew>),
}

impl Carrier {
    /// Arrays of the lab.
    pub fn lab(&self) -> Option<&Lab> {
        match self {
            Carrier::Simulated(lab, _) => Some(lab),
            Carrier::Here | Carrier::Hosts(_) => None,
        }
    }

    /// True where other hosts do it.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Carrier::Hosts(_))
    }

    /// Step of all hosts together, where several do it.
    pub fn together(&self, step: &Step) -> Option<Step> {
        match self {
            Carrier::Here => None,
            Carrier::Simulated(_, hosts) => hosts.as_ref().map(|hosts| hosts.together(step)),
            Carrier::Hosts(crew) => Some(crew.together(step)),
        }
    }
}

/// Cost to others of keeping the record.
#[derive(Default)]
pub(crate) struct RecordWrites {
    /// The whole disks that it lies on.
    pub disks: Vec<String>,
    /// Bytes that were written to it and its log so far; `None` where there is no record, or the kernel does not tell.
    pub bytes: Option<u64>,
}

impl RecordWrites {
    fn of(recorder: Option<&Recorder>) -> Self {
        recorder.map_or_else(RecordWrites::default, |recorder| RecordWrites {
            disks: disks_under(recorder.path()),
            bytes: own_thread::written_bytes().map(|_| 0),
        })
    }

    /// Adds what this thread has written since it had written `before`. The log is written anew from its start after each step,
    /// so that its size does not tell.
    fn add_since(&mut self, before: Option<u64>) {
        let written = own_thread::written_bytes().zip(before);
        let sum = self.bytes.zip(written);
        self.bytes = sum.map(|(sum, (now, before))| sum + now.saturating_sub(before));
    }
}

/// Ground that a session is made on.
pub(crate) struct Testbed {
    pub targets: Vec<Arc<OpenTarget>>,
    pub kinds: Vec<BackendKind>,
    pub carrier: Carrier,
    pub metrics: Option<ArrayMetrics>,
    pub environment: Environment,
    pub recorder: Option<Recorder>,
    pub launcher: Launcher,
}

impl Session {
    /// Before the first step.
    pub fn new(plan: &Plan, options: &RunOptions, control: &Control, testbed: Testbed) -> Self {
        let watched = match &testbed.carrier {
            Carrier::Here => testbed.targets.iter().map(|t| watched(t)).collect(),
            Carrier::Simulated(..) | Carrier::Hosts(_) => Vec::new(),
        };
        Session {
            options: options.clone(),
            launcher: testbed.launcher,
            control: control.clone(),
            watched,
            targets: OpenTargets::new(testbed.targets),
            planned: plan.targets.clone(),
            carrier: testbed.carrier,
            is_divided: !plan.hosts.is_empty(),
            in_common: None,
            late_start: Nanos(0),
            metrics: testbed.metrics,
            kinds: testbed.kinds,
            seed: testbed.environment.seed,
            environment: testbed.environment,
            max_errors: options.max_errors.unwrap_or(plan.max_errors).max(1),
            allowed_errors: allowed_errors(plan, options),
            vdbench: plan.dialect == "vdbench",
            has_method: false,
            step_number: 0,
            resumed: false,
            observer: None,
            steps: Vec::new(),
            errors_aside: 0,
            verdicts: Vec::new(),
            record_writes: RecordWrites::of(testbed.recorder.as_ref()),
            record_path: testbed.recorder.as_ref().map(|r| r.path().to_path_buf()),
            recorder: testbed.recorder,
            record_error: None,
        }
    }

    /// Looks at how the targets' files lie, now that they were written: when the run is over, for it may take a while.
    pub fn see_layout(&mut self, watch: &mut dyn FnMut(Event)) {
        let mut found = false;
        for (described, target) in self.environment.targets.iter_mut().zip(self.targets.iter()) {
            let files = target.opened.members().iter().map(|m| &m.file);
            let files = files.filter(|f| f.metadata().is_ok_and(|m| m.is_file()));
            described.layout = plimsoll_witness::target::layout(files);
            found |= described.layout.is_some();
        }
        if found {
            let environment = self.environment.clone();
            self.record(watch, |r| r.update_environment(&environment));
        }
    }

    /// Writes to the record, if there is one. A record that cannot be written any more is left as it is, with a note,
    /// and the run goes on: the measurement costs more than its file. One that was taken away goes on beside it.
    pub fn record(
        &mut self,
        watch: &mut dyn FnMut(Event),
        write: impl FnOnce(&mut Recorder) -> Result<(), RecordError>,
    ) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let before = self
            .record_writes
            .bytes
            .and_then(|_| own_thread::written_bytes());
        let mut written = write(recorder);
        self.record_writes.add_since(before);
        if let Some(rescue) = recorder.take_rescue() {
            let note = rescue.to_string();
            watch(Event::Note(note.clone()));
            self.record_writes.disks = disks_under(&rescue.to);
            self.record_path = Some(rescue.to);
            self.environment.notes.push(note);
            written = written.and_then(|()| recorder.update_environment(&self.environment));
        }
        if let Err(error) = written {
            watch(Event::Note(format!(
                "the record ends here, the run goes on: {error}"
            )));
            self.recorder = None;
            self.record_error = Some(error);
        }
    }

    /// Takes up what was measured before the run was cut off.
    pub fn take_up(&mut self, past: &Past) {
        self.resumed = true;
        self.step_number = past.last();
        self.errors_aside = past.errors_aside;
        self.steps.extend_from_slice(&past.steps);
    }

    /// Keeps what a step came to that is no result, beside the results.
    pub fn set_aside(&mut self, evidence: &StepEvidence, watch: &mut dyn FnMut(Event)) {
        self.errors_aside += evidence.errors;
        let note = format!(
            "step {}, {}, is set aside, and measured again: {}",
            evidence.number,
            evidence.name,
            evidence.set_aside.as_deref().unwrap_or_default()
        );
        watch(Event::Note(note.clone()));
        self.environment.notes.push(note);
        let environment = self.environment.clone();
        self.record(watch, |r| r.update_environment(&environment));
    }

    /// Number of failures so far.
    pub fn errors(&self) -> u64 {
        let of_steps: u64 = self.steps.iter().map(|s| s.errors).sum();
        of_steps + self.errors_aside
    }

    /// With which error of its own the next step ends the run.
    pub fn errors_left(&self) -> u64 {
        self.max_errors.saturating_sub(self.errors()).max(1)
    }

    /// CPUs that this process may use.
    pub fn cpus(&self) -> u32 {
        self.environment.host.cpus_available.max(1)
    }

    /// The disks under a step's targets, by kernel name.
    pub fn devices_of(&self, step: &Step) -> Vec<String> {
        let mut names: Vec<String> = step
            .depths
            .iter()
            .filter_map(|d| self.environment.targets.get(d.target.0 as usize))
            .flat_map(|t| t.stack.first())
            .map(|layer| layer.name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}
