//! `plimsoll diskspd`: DiskSPD's flags, its results and its exit codes.

use crate::cli::DiskspdArgs;
use crate::definition::{self, Definition, fail, warn};
use crate::failure::Failure;
use crate::fio_tool::filling;
use crate::out::{self, tell};
use crate::own_flags::{Own, own_flags};
use crate::{display, exit, mistaken, signals};
use plimsoll_dialects::diskspd::model::{Format, Seed};
use plimsoll_dialects::diskspd::{self, Lowered, Parsed, flag};
use plimsoll_evidence::Environment;
use plimsoll_plan::{Plan, Purpose};
use plimsoll_printable::line_of;
use plimsoll_record::RunStatus;
use plimsoll_report::diskspd::{Collector, Header, SpanOptions, text, xml};
use plimsoll_report::terminal;
use plimsoll_rig::{Event, RigError, RunOptions, RunResult};
use std::process::ExitCode;

const USAGE: &str = "\
Take DiskSPD's own flags or a profile, and print results in its layout

Usage: plimsoll diskspd [flags] TARGET... | plimsoll diskspd -XPROFILE [flags] [TARGET...]

Targets are files and devices. Sizes are bytes, or end in K, M, G, T (powers of 1024) or b (blocks of -b).
";

const OURS: &str = "
Plimsoll's own, among them:
  --destroy NAME         destroy the data on this target (see plimsoll ls)
  --fill                 write data to all of a blank device before it is read
  --record PATH          keep a record there [default: plimsoll-DATE-TIME.plim in this folder]
  --no-record            keep no record
  --overwrite            replace a record that is there
  --allow-unwritten      read what was never written
  --metrics URL          what the array below all targets tells of itself, as http://HOST:PORT/metrics
  --metrics-map FILE     what that array calls its counters
  --backend NAME         io_uring, libaio or psync

Exit codes are DiskSPD's: 0; 1 where the run failed, as after failed I/Os; 3 where the command line or the profile is refused.
What the audit finds is on standard error.
";

/// The exit code of DiskSPD for what it refuses to begin (ERROR_PARSE_CMD_LINE).
const EXIT_REFUSED: u8 = 3;
/// The exit code of DiskSPD for a run that failed.
const EXIT_FAILED: u8 = 1;

/// `plimsoll diskspd`.
pub fn run(args: &DiskspdArgs) -> ExitCode {
    let asks = |w: &String| matches!(w.as_str(), "-?" | "--help");
    if args.words.is_empty() || args.words.iter().any(asks) {
        out::put(format_args!("{USAGE}\n{}{OURS}", flag::help()));
        return match args.words.is_empty() {
            true => ExitCode::from(EXIT_REFUSED),
            false => ExitCode::SUCCESS,
        };
    }
    go(args).unwrap_or_else(|(failure, code)| {
        tell!("{failure}");
        ExitCode::from(code)
    })
}

fn refused(failure: impl Into<Failure>) -> (Failure, u8) {
    (failure.into(), EXIT_REFUSED)
}

fn failed(failure: impl Into<Failure>) -> (Failure, u8) {
    (failure.into(), EXIT_FAILED)
}

/// The definition that a command line of DiskSPD's asks for.
pub fn definition(words: &[String]) -> Result<Definition, Failure> {
    let parsed = diskspd::parse_command(words).map_err(|r| fail(&r.diagnostics, &r.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    definition::of_diskspd(parsed)
}

fn go(args: &DiskspdArgs) -> Result<ExitCode, (Failure, u8)> {
    let (own, words) = own_flags(&args.words).map_err(refused)?;
    let mut parsed =
        diskspd::parse_command(&words).map_err(|r| refused(fail(&r.diagnostics, &r.sources)))?;
    warn(&parsed.warnings, &parsed.sources);
    if own.run.seed.is_none() {
        seed(&mut parsed);
    }
    if parsed.profile.profile_only {
        match parsed.profile.format {
            Format::Text => out::put(format_args!("{}", parsed.text())),
            Format::Xml => out::put(format_args!("{}", parsed.xml(0))),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut lowered = parsed
        .plan()
        .map_err(|d| refused(fail(&d, &parsed.sources)))?;
    warn(&lowered.warnings, &parsed.sources);
    lowered.plan = own.plan(lowered.plan).map_err(refused)?;
    mistaken::targets(&lowered.plan, &parsed.sources).map_err(refused)?;
    measure_all(&lowered, &parsed, own)
}

/// Draws the seed from the clock where -z stands alone, as in DiskSPD, and sets it in the profile, for a profile without a number means 0.
/// The seed is said, so that the run can be repeated.
fn seed(parsed: &mut Parsed) {
    let by_clock = parsed
        .profile
        .spans
        .iter_mut()
        .filter(|s| s.seed == Seed::Clock);
    let mut spans = by_clock.peekable();
    if spans.peek().is_none() {
        return;
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // The low half changes fastest; -z takes no more than that.
    let seed = now.map_or(1, |now| now.as_nanos() as u32);
    tell!("note: the random seed is {seed}; -z{seed} repeats this run's choices");
    spans.for_each(|span| span.seed = Seed::Number(seed));
}

fn measure_all(lowered: &Lowered, parsed: &Parsed, own: Own) -> Result<ExitCode, (Failure, u8)> {
    let plan = &lowered.plan;
    let options = RunOptions {
        // DiskSPD's threads submit one I/O each time.
        submit_batch: 1,
        reap_batch: 1,
        backends: definition::mapped_backends(lowered),
        ..own.options(&parsed.sources)
    };
    let control = signals::control(&options.at_work).map_err(failed)?;
    let mut console = Console {
        plan,
        collector: Collector::new(spans(parsed)),
        environment: Environment::default(),
    };
    let result = plimsoll_rig::run(plan, &options, &control, &mut |event| console.see(&event));
    let result = match result {
        Ok(result) => result,
        Err(error @ RigError::Plan(_)) => {
            return Err(refused(definition::refusal(error, &parsed.sources)));
        }
        Err(error) => return Err(failed(error)),
    };
    let header = Header {
        text: parsed.text(),
        xml: parsed.xml(2),
    };
    let spans = console.collector.spans();
    let shown = match parsed.profile.format {
        Format::Text => text(&header, &console.environment, spans),
        Format::Xml => xml(&header, &console.environment, spans),
    };
    out::put(format_args!("{shown}"));
    Ok(end(&result))
}

/// Options that each time span's result shows.
fn spans(parsed: &Parsed) -> Vec<SpanOptions> {
    let of = |span: &diskspd::model::TimeSpan| SpanOptions {
        threads: span.threads(),
        targets: (span.targets.iter())
            .map(|t| (span.streams_of(t), u64::from(span.threads_of(t))))
            .collect(),
        request_count: span.request_count,
        pool: span.thread_count > 0,
        latency: span.measure_latency,
        iops_std_dev: span.iops_std_dev,
    };
    parsed.profile.spans.iter().map(of).collect()
}

/// Says how it ended, and what the rules say of it, beside the result.
fn end(result: &RunResult) -> ExitCode {
    display::tell_beside(result);
    let why = match &result.status {
        RunStatus::Completed if result.errors() > 0 => {
            Some(format!("{} I/Os failed", result.errors()))
        }
        RunStatus::Completed if result.measured_nothing() => {
            Some("nothing was measured".to_string())
        }
        RunStatus::Completed => None,
        RunStatus::Interrupted => Some("interrupted".to_string()),
        RunStatus::Running => Some("unfinished".to_string()),
        RunStatus::Failed(why) => Some(why.clone()),
    };
    if let Some(why) = &why {
        tell!("error: {}", line_of(why));
    }
    let code = match why.is_some() || result.record_error.is_some() {
        true => EXIT_FAILED,
        false => 0,
    };
    exit::leave(code, result)
}

/// Collects what the result is made of. What is said meanwhile goes to standard error: standard output is the result alone.
struct Console<'p> {
    plan: &'p Plan,
    collector: Collector,
    environment: Environment,
}

impl Console<'_> {
    fn see(&mut self, event: &Event) {
        match event {
            Event::Ready {
                environment,
                record,
            } => {
                self.environment = (*environment).clone();
                self.collector.ready(environment);
                for note in &environment.notes {
                    tell!("{}", line_of(note));
                }
                if let Some(record) = record {
                    tell!("record: {}", line_of(&record.display().to_string()));
                }
                if environment.simulated {
                    tell!("simulated: {}", terminal::SIMULATED);
                }
            }
            Event::StepStarting { step, .. } if step.purpose == Purpose::Fill => {
                tell!("{}", filling(self.plan, step));
            }
            Event::Interval { interval, .. } => self.collector.interval(interval),
            Event::StepDone { evidence, .. } => {
                self.collector.done(evidence);
                for sample in &evidence.error_samples {
                    let words = format!(
                        "{} of {} at {} of {}: {}",
                        sample.op.name(),
                        sample.length,
                        sample.offset,
                        sample.target,
                        sample.what
                    );
                    tell!("error: {}", line_of(&words));
                }
            }
            Event::Note(text) => tell!("{}", line_of(text)),
            _ => {}
        }
    }
}
