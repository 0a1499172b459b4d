//! Following a record: each look reads what has been added since the last one.

use crate::parts::StepParts;
use crate::planned::Planned;
use crate::writer::Writer;
use crate::{Current, Doubt, History, Live, Point, Progress, Span, State, StepResult};
use plimsoll_evidence::{Environment, Finding, StepEvidence, gathered};
use plimsoll_plan::{Claim, Plan, Purpose, Step, step_length};
use plimsoll_record::{RESUMED, Record, RecordError, RunStatus, StartedStep};
use plimsoll_report::{AnswerLines, Measured, rule_words};
use std::path::{Path, PathBuf};

/// Most rules whose findings are kept; there are fewer rules than this.
const MOST_DOUBTS: usize = 256;

/// A record that is followed.
///
/// The record is open only during a look, so that the run can close it. Do not follow a record that the same process writes: to close a
/// file drops all locks that a process has on it.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    writer: Writer,
    planned: Planned,
    environment: Environment,
    started_unix_ns: i64,
    /// The step that is read, 0 before the first, and the last interval of it that was.
    step: u32,
    begun_unix_ns: Option<i64>,
    interval: u32,
    /// Start of that step, seconds from the run's start, and its length in the plan, ns.
    step_start_s: f64,
    step_length_ns: u64,
    /// Time in which nobody carried the run out, until it was resumed, s.
    dead_s: f64,
    /// Number of the last step whose evidence was read.
    finished: u32,
    parts: StepParts,
    /// Time of the planned steps that are over, ns: as it was planned, and as it was; and the fills among all steps.
    over_ns: u64,
    spent_ns: u64,
    fills: u32,
    last_finding: i64,
    live: Live,
}

impl Source {
    /// Opens a record and takes the first look.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let mut writer = Writer::of(path);
        let is_written = writer.is_there();
        let record = Record::open(path)?;
        let mut source = Source::of(&record, path, writer);
        source.read(&record, is_written)?;
        Ok(source)
    }

    /// True where the record is not where it was any more: it was moved or removed.
    pub fn is_gone(&self) -> bool {
        self.path.try_exists().is_ok_and(|there| !there)
    }

    /// Everything known of the run by now.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// Reads what is new, and returns whether anything is. Where another run's record is in its place, that one is followed.
    ///
    /// # Errors
    /// It cannot be read just now; what was known stays, and a further look may be taken.
    pub fn look(&mut self) -> Result<bool, RecordError> {
        let is_written = self.writer.is_there();
        let record = Record::open(&self.path)?;
        // A run that is resumed measures its last step again.
        let is_another = record.started_unix_ns() != self.started_unix_ns
            || record.step_begun_unix_ns(self.step)? != self.begun_unix_ns;
        if is_another {
            *self = Source::of(&record, &self.path, Writer::of(&self.path));
        } else if *record.environment() != self.environment {
            // A backend was chosen, a note was added.
            self.environment = record.environment().clone();
            self.live.hosts = hosts(&self.environment);
            self.live.locations = locations(&self.environment);
            self.live.counted = self.environment.counted();
        }
        self.read(&record, is_written)
    }

    fn of(record: &Record, path: &Path, writer: Writer) -> Self {
        let environment = record.environment().clone();
        let planned = Planned::of(record.plan_json());
        let live = Live {
            record: path.display().to_string(),
            title: planned.title(),
            method: planned.method(),
            started: environment.started.clone(),
            hosts: hosts(&environment),
            locations: locations(&environment),
            counted: environment.counted(),
            simulated: environment.simulated,
            state: State::Running,
            progress: Progress::default(),
            current: None,
            now: None,
            history: History::default(),
            steps: Vec::new(),
            targets: Vec::new(),
            streams: Vec::new(),
            parts_of_hosts: Vec::new(),
            doubts: Vec::new(),
            answer: None,
        };
        Source {
            path: path.to_path_buf(),
            writer,
            planned,
            environment,
            started_unix_ns: record.started_unix_ns(),
            step: 0,
            begun_unix_ns: None,
            interval: 0,
            step_start_s: 0.0,
            step_length_ns: 0,
            dead_s: 0.0,
            finished: 0,
            parts: StepParts::default(),
            over_ns: 0,
            spent_ns: 0,
            fills: 0,
            last_finding: 0,
            live,
        }
    }

    fn read(&mut self, record: &Record, is_written: bool) -> Result<bool, RecordError> {
        let mut is_new = false;
        // The steps that were begun first: but for the last of them, all have their evidence then. It comes before the intervals: of
        // a step that has it they are all there.
        let begun_steps = record.steps_from(self.step)?;
        let done = record.steps_after(self.finished)?;
        for begun in begun_steps {
            if begun.number != self.step {
                self.enter(&begun);
                is_new = true;
            }
            is_new |= self.read_intervals(record)?;
            if let Some(evidence) = done.iter().find(|e| e.number == begun.number) {
                self.finish(evidence);
                is_new = true;
            }
        }
        let last = record.last_finding()?;
        if last != self.last_finding {
            self.live.doubts = doubts(&record.findings()?);
            self.last_finding = last;
            is_new = true;
        }
        let state = match record.status() {
            RunStatus::Running if is_written => State::Running,
            RunStatus::Running => State::Killed,
            RunStatus::Completed => State::Completed,
            RunStatus::Interrupted => State::Interrupted,
            RunStatus::Failed(why) => State::Failed { why: why.clone() },
        };
        if state != self.live.state || (is_new && state != State::Running) {
            self.live.answer = match state {
                State::Running => None,
                _ => Some(self.answer(record)?),
            };
            self.live.state = state;
            is_new = true;
        }
        self.tell_progress();
        Ok(is_new)
    }

    /// Begins with a step.
    fn enter(&mut self, begun: &StartedStep) {
        let step: Option<Step> = serde_json::from_str(&begun.definition_json).ok();
        let end_s = self.live.progress.elapsed_s;
        let begun_s = begun.begun_unix_ns.saturating_sub(self.started_unix_ns) as f64 / 1e9;
        if self.is_resumed_before(begun.number) {
            self.dead_s = (begun_s - end_s).max(0.0);
        }
        // Virtual time goes faster than the clock on the wall, or slower, and has no pauses but its own.
        self.step_start_s = match self.environment.simulated {
            true => end_s,
            false => (begun_s - self.dead_s).max(end_s),
        };
        self.step = begun.number;
        self.begun_unix_ns = Some(begun.begun_unix_ns);
        self.interval = 0;
        self.step_length_ns = step.as_ref().map_or(0, |s| step_length(s).0);
        let fill = step.as_ref().is_some_and(|s| s.purpose == Purpose::Fill);
        self.fills = self.fills.saturating_add(u32::from(fill));
        let hosts = self.live.hosts.clone();
        self.parts = StepParts::of(step.as_ref(), self.planned.plan(), hosts);
        self.live.now = None;
        self.live.current = Some(Current {
            number: begun.number,
            name: begun.name.clone(),
            load: step.as_ref().map_or_else(String::new, |s| {
                plimsoll_plan::describe::load_words(&s.load)
            }),
            fill,
            phase: None,
            into_s: 0.0,
            length_s: self.step_length_ns as f64 / 1e9,
            limits: self.planned.limits(&begun.run),
        });
    }

    /// True where the run was gone on with at this step.
    fn is_resumed_before(&self, step: u32) -> bool {
        let beginning = format!("{RESUMED} {} at ", step.saturating_sub(1));
        let mut notes = self.environment.notes.iter();
        notes.any(|note| note.starts_with(&beginning))
    }

    /// Reads the intervals of the current step that are new.
    fn read_intervals(&mut self, record: &Record) -> Result<bool, RecordError> {
        let after = self.interval;
        let (step, start_s) = (self.step, self.step_start_s);
        let (live, parts) = (&mut self.live, &mut self.parts);
        let last = &mut self.interval;
        record.each_total((step, 0), after, |totals| {
            let point = Point::of(&totals, step, start_s);
            live.progress.elapsed_s = live.progress.elapsed_s.max(point.end_s);
            if let Some(current) = &mut live.current {
                current.phase = Some(totals.phase);
                current.into_s = point.end_s - start_s;
            }
            live.now = Some(point.clone());
            live.history.add(&totals, point);
            parts.interval(&totals);
            *last = totals.number;
        })?;
        if *last == after {
            return Ok(false);
        }
        let through = *last;
        // Of a long step that is seen for the first time the end will do.
        let from = after.max(through.saturating_sub(crate::parts::RECENT));
        record.each_op_total(step, from, |op| {
            if op.interval <= through {
                parts.op(&op);
            }
        })?;
        if live.hosts.len() > 1 {
            for host in 1..=live.hosts.len().min(crate::parts::MOST_PARTS as usize) as u32 {
                record.each_total((step, host), from, |totals| parts.host(host, &totals))?;
            }
        }
        (live.targets, live.streams, live.parts_of_hosts) = parts.now();
        Ok(true)
    }

    /// Adds what the current step came to.
    fn finish(&mut self, step: &StepEvidence) {
        self.finished = step.number;
        if !step.fill {
            self.over_ns = self.over_ns.saturating_add(self.step_length_ns);
            self.spent_ns = self.spent_ns.saturating_add(self.gone_ns());
        }
        let saturated = step.saturation.is_some_and(|s| s.saturated);
        let us = |ns: u64| ns as f64 / 1e3;
        let quantile = |q| step.response.supported_quantile_ns(q).map(us);
        self.live.steps.push(StepResult {
            number: step.number,
            name: step.name.clone(),
            load: step.load.clone(),
            offered: step.offered,
            fill: step.fill,
            set_aside: step.set_aside.is_some(),
            span: Span {
                start_s: self.step_start_s,
                end_s: self.live.progress.elapsed_s.max(self.step_start_s),
            },
            rate: step.rate.mean,
            rate_half_width: step.rate.half_width,
            mean_us: step
                .response
                .mean_ns()
                .filter(|_| !saturated)
                .map(|ns| ns / 1e3),
            p50_us: quantile(0.5),
            p99_us: quantile(0.99),
            depth: step.depth_mean,
            errors: step.errors,
            saturated,
        });
    }

    fn tell_progress(&mut self) {
        let into = if self.finished == self.step {
            0
        } else {
            self.gone_ns()
        };
        let progress = &mut self.live.progress;
        progress.steps = self.planned.steps.map(|n| n.saturating_add(self.fills));
        let Some(all) = self.planned.length_ns else {
            return;
        };
        let over = match self.live.state {
            State::Completed => all,
            // A step that ended before its time was complete where the run goes on, and cut off where it does not.
            State::Interrupted | State::Failed { .. } => self.spent_ns,
            State::Running | State::Killed => self.over_ns,
        };
        let done = over.saturating_add(into).min(all);
        progress.done = Some(done as f64 / all as f64);
        progress.left_s = Some((all - done) as f64 / 1e9);
    }

    /// Time that the current step has gone on, ns; at most its planned length.
    fn gone_ns(&self) -> u64 {
        let into = self.live.current.as_ref().map_or(0.0, |c| c.into_s * 1e9) as u64;
        into.min(self.step_length_ns)
    }

    fn answer(&self, record: &Record) -> Result<AnswerLines, RecordError> {
        let (steps, verdicts) = (record.steps()?, record.verdicts()?);
        let found = gathered(&steps, &verdicts, &record.findings()?);
        Ok(AnswerLines::of(&Measured {
            environment: &self.environment,
            steps: &steps,
            verdicts: &verdicts,
            findings: found.iter().collect(),
            claim: self
                .planned
                .plan()
                .map_or(Claim::default(), Plan::judged_for),
            status: record.status(),
            record: Some(&self.path),
        }))
    }
}

/// Names of the hosts.
fn hosts(environment: &Environment) -> Vec<String> {
    let names = environment.hosts().map(|h| h.hostname.clone());
    names.collect()
}

/// Locations of the targets.
fn locations(environment: &Environment) -> Vec<String> {
    let locations = environment.targets.iter().map(|t| t.location.clone());
    locations.collect()
}

/// Findings by their rules, the worst first.
fn doubts(findings: &[Finding]) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    for finding in findings {
        let rule = rule_words(&finding.rule);
        let at = doubts.iter().position(|d| d.rule == rule);
        let doubt = |count| Doubt {
            rule: rule.clone(),
            severity: finding.severity,
            step: finding.step,
            message: finding.message.clone(),
            count,
        };
        match at {
            Some(at) if doubts[at].severity < finding.severity => {
                doubts[at] = doubt(doubts[at].count + 1);
            }
            Some(at) => doubts[at].count += 1,
            None if doubts.len() < MOST_DOUBTS => doubts.push(doubt(1)),
            None => {}
        }
    }
    doubts.sort_by_key(|d| std::cmp::Reverse(d.severity));
    doubts
}
