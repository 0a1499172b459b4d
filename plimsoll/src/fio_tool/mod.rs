//! `plimsoll fio`: fio's command line, results in its forms, and its exit codes.

mod depths;
mod eta;
mod flags;
mod help;
mod iologs;
mod logs;
mod states;
mod watch;

use crate::cli::FioArgs;
use crate::definition::{self, Definition, fail, warn};
use crate::destination::Destination;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::{display, exit, fio, mistaken, signals};
use depths::Depths;
use eta::Eta;
use flags::{Format, ToolFlags};
use iologs::IoLogs;
use logs::Logs;
use plimsoll_dialects::fio::{Asked, Input, Lowered, Parsed, Together, parse};
use plimsoll_dialects::recognise::recognise_file;
use plimsoll_permit::output::Precious;
use plimsoll_plan::{Plan, Purpose, Step};
use plimsoll_printable::{guarded, line_of};
use plimsoll_record::RunStatus;
use plimsoll_report::fio::{
    FioJob, FioRun, Form, Heading, IdleCpus, Samples, Shown, TerseVersion, document, headings,
    is_results, normal, terse,
};
use plimsoll_report::terminal;
use plimsoll_rig::{Event, RunOptions, RunResult};
use states::States;
use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use watch::Watch;

const HELP: &str = "\
Take fio's own command line and job files, and give results in its forms

Usage: plimsoll fio [FLAG]... [FILE | -]... [--name=JOB --OPTION=VALUE...]...

  FILE, -              job files, one after the other; - is standard input
  --name=JOB ...       a job on the command line, with fio's options
  --section=NAME       only the jobs of this section; repeatable
  --output-format=F    normal (default), terse, json, json+; several parted by commas
  --output=FILE        where the results go
  --eta=WHEN           fio's status line: auto (default: on a terminal), always, never
  --status-interval=T  a status line that stays, every T seconds
  --parse-only         read everything, and say whether it can be run
  --showcmd            print the jobs as a command line
  --readonly           refuse whatever writes
  --cmdhelp[=OPTION]   what becomes of an option, or of all
  --enghelp            the engines
fio's flags that mean nothing here are named; what cannot be done is refused, by name and line.

Plimsoll's own, among them:
  --destroy NAME       destroy the data on this target (see plimsoll ls)
  --fill               write data to all of a blank device before it is read
  --record PATH        keep the record there [default: plimsoll-DATE-TIME.plim]
  --no-record          keep none
  --overwrite          replace the record, and results, logs and states whatever they hold
  --allow-commands     run exec_prerun and exec_postrun
  --commands-may-write PATH  let them write there, besides the targets; / lifts the limit
  --allow-unwritten    read what was never written
  --metrics URL        what the array below all targets tells of itself, as http://HOST:PORT/metrics
  --metrics-map FILE   what that array calls its counters
  --backend NAME       io_uring, libaio, psync or mmap, whatever the job's ioengine says
  --seed N             seed of every random choice

Exit codes are fio's: 0, 1 where anything failed or nothing was counted, and 128 after an interrupt. What the rules say of the result goes to standard error.
";

/// Results that are looked at as a whole, at most. Larger ones are replaced only with --overwrite.
const MOST_RESULTS: u64 = 64 << 20;
/// fio's exit code of whatever failed.
const FAILED: u8 = 1;
/// fio's exit code of a run that was interrupted.
const INTERRUPTED: u8 = 128;

/// `plimsoll fio`.
pub fn run(args: &FioArgs) -> ExitCode {
    go(&args.words).unwrap_or_else(|failure| {
        tell!("{failure}");
        ExitCode::from(FAILED)
    })
}

fn go(words: &[String]) -> Result<ExitCode, Failure> {
    let asked = ToolFlags::of(words)?;
    if asked.help || words.is_empty() {
        out::put(format_args!("{HELP}"));
        return Ok(ExitCode::from(if asked.help { 0 } else { FAILED }));
    }
    if asked.version {
        say!("plimsoll-{}", env!("CARGO_PKG_VERSION"));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(option) = &asked.option_help {
        out::put(format_args!("{}", help::options(option)?));
        return Ok(ExitCode::SUCCESS);
    }
    if asked.engine_help {
        out::put(format_args!("{}", help::engines()));
        return Ok(ExitCode::SUCCESS);
    }
    for (flag, why) in &asked.idle {
        tell!("warning: {flag} has no effect: {why}");
    }
    let parsed = read(&asked)?;
    if asked.show_command {
        for line in shown(&parsed) {
            say!("{}", line_of(&line));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    lowered.plan = asked.own.plan(lowered.plan)?;
    if asked.read_only {
        only_reads(&lowered.plan, &asked)?;
    }
    if asked.parse_only {
        return Ok(ExitCode::SUCCESS);
    }
    measure_all(&lowered, &parsed, asked)
}

/// The job files and sections of a command line.
fn read(asked: &ToolFlags) -> Result<Parsed, Failure> {
    let input = Input {
        sections: asked.sections.clone(),
        ..fio::input(asked.texts(fio::text)?)
    };
    let parsed = parse(&input).map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    Ok(parsed)
}

/// The definition that a command line of fio's asks for.
pub fn definition(words: &[String]) -> Result<Definition, Failure> {
    let asked = ToolFlags::of(words)?;
    let parsed = read(&asked)?;
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    Ok(Definition {
        engine: fio::engine(&lowered),
        plan: lowered.plan,
        sources: parsed.sources,
    })
}

/// The jobs as command lines, as `--showcmd` of fio prints them: what global sections say comes first.
fn shown(parsed: &Parsed) -> Vec<String> {
    type Said = Vec<(String, String)>;
    let mut files: Vec<(usize, Said, String)> = Vec::new();
    for job in &parsed.jobs {
        let inherited = options(job.inherited());
        if files.last().is_none_or(|(text, ..)| *text != job.text) {
            let line = format!("fio{}", words(&inherited));
            files.push((job.text, inherited.clone(), line));
        }
        let Some((_, globals, line)) = files.last_mut() else {
            continue;
        };
        *line += &format!(" {}", quoted("name", &job.name));
        // A global section further below says something else: then the job says all of it itself.
        if inherited.iter().any(|i| !globals.contains(i)) {
            *line += &words(&inherited);
        }
        *line += &words(&options(job.options()));
    }
    files.into_iter().map(|(.., line)| line).collect()
}

/// Options without the job's name.
fn options(mut all: Vec<(String, String)>) -> Vec<(String, String)> {
    all.retain(|(name, _)| name != "name");
    all
}

fn words(options: &[(String, String)]) -> String {
    let word = |(name, text): &(String, String)| match text.as_str() {
        "" => format!(" --{name}"),
        text => format!(" {}", quoted(name, text)),
    };
    options.iter().map(word).collect()
}

/// `--name=text`, so that a shell takes it for one word.
fn quoted(name: &str, text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:%=@+".contains(c);
    match text.chars().all(plain) {
        true => format!("--{name}={text}"),
        false => format!("--{name}='{}'", text.replace('\'', "'\\''")),
    }
}

fn only_reads(plan: &Plan, asked: &ToolFlags) -> Result<(), Failure> {
    if asked.own.run.fill {
        return Err(Failure::usage("--fill writes, and --readonly refuses that"));
    }
    let mut streams = plan.steps().flat_map(|s| &s.streams);
    match streams.find(|s| s.mix.changes_data()) {
        Some(stream) => Err(Failure::usage(format!(
            "job {} writes, and --readonly refuses that",
            stream.workload
        ))),
        None => Ok(()),
    }
}

fn measure_all(lowered: &Lowered, parsed: &Parsed, asked: ToolFlags) -> Result<ExitCode, Failure> {
    let plan = &lowered.plan;
    mistaken::targets(plan, &parsed.sources)?;
    let engine = fio::engine(lowered);
    let own = asked.own.options(&parsed.sources);
    let mut precious = plimsoll_rig::precious(plan, &own.definition);
    let options = RunOptions {
        read_only: asked.read_only,
        backend: own.backend.or(engine.backend),
        backends: engine.backends,
        unlink: engine.unlink,
        submit_batch: engine.batch.unwrap_or(own.submit_batch),
        reap_batch: engine.reap.unwrap_or(own.reap_batch),
        ..own
    };
    plimsoll_rig::check(plan, &options)
        .map_err(|error| definition::refusal(error, &parsed.sources))?;
    let record = options.record.iter();
    precious.extend(record.map(|path| Precious::new("to be the record", path)));
    let overwrite = options.overwrite_record;
    let output = destination(&asked.output, overwrite, &mut precious)?;
    let mut logs = Logs::ask(parsed, overwrite, &mut precious)?;
    let iologs = IoLogs::ask(parsed, plan, overwrite, &mut precious)?;
    let states = States::ask(parsed, overwrite, &mut precious)?;
    let trace = iologs::trace(iologs.workloads().chain(states.workloads()));
    let options = RunOptions {
        trace: trace.clone(),
        ..options
    };
    let control = signals::control(&options.at_work)?;
    let mut samples = logs.samples();
    let mut watch = Watch::of(&parsed.reported(), plan);
    let mut depths = Depths::of(&parsed.reported(), plan);
    let mut eta = Eta::new(asked.eta, asked.status_every, plan);
    let mut measured: Vec<u32> = Vec::new();
    let result = plimsoll_rig::run(plan, &options, &control, &mut |event| match event {
        Event::Interval { interval, .. } => {
            logs.saw(interval);
            samples.add(interval);
            let step = measured.iter().position(|n| *n == interval.step);
            if step.is_some() {
                eta.saw(interval);
            }
            let found = step.and_then(|at| depths.saw(at, interval, &control));
            let why = step.and_then(|at| watch.saw(at, interval)).or(found);
            if let Some(why) = why.filter(|_| !control.step_ended()) {
                eta.clear();
                tell!("note: the step ends: {why}");
                control.end_step();
            }
        }
        Event::StepStarting { step, .. } if step.purpose == Purpose::Fill => {
            depths.begins(None, &control);
            eta.clear();
            tell!("{}", filling(plan, step))
        }
        Event::StepStarting { number, step, .. } => {
            eta.begins(step);
            depths.begins(Some(measured.len()), &control);
            measured.push(number);
        }
        Event::Note(note) => {
            eta.clear();
            tell!("note: {}", line_of(&note))
        }
        Event::CommandOutput { output, .. } => {
            eta.clear();
            tell!("{}", output.trim_end())
        }
        _ => {}
    });
    eta.clear();
    let result = result.map_err(|error| definition::refusal(error, &parsed.sources))?;
    if let Some((searches, depth)) = depths.open() {
        tell!(
            "note: {searches} searches for a depth (latency_target) did not come to their end; the first was at {depth}, and the results \
             are of all depths together: give more runtime="
        );
    }
    let forms = (&asked.formats[..], asked.terse_version, asked.idle_cpus);
    let text = results(&result, parsed, (&samples, &watch, &depths), forms)?;
    put(output, &text)?;
    logs.write(&result.steps, &numbers(&result), &samples)?;
    let issued = trace.map(|trace| trace.take()).unwrap_or_default();
    let all_logged = iologs.write(plan, &numbers(&result), &issued)?;
    let all_saved = states.write(plan, &numbers(&result), &issued, &result)?;
    let code = match ended(&result) {
        0 if watch.any_failed() || depths.any_failed() || !all_logged || !all_saved => FAILED,
        code => code,
    };
    Ok(exit::leave(code, &result))
}

/// The note of what is written before anything is measured.
pub(crate) fn filling(plan: &Plan, step: &Step) -> String {
    let of = |s: &plimsoll_plan::Stream| plan.targets.get(s.target.0 as usize).map(|t| &*t.name);
    let names: Vec<&str> = step.streams.iter().filter_map(of).collect();
    let names = names.join(", ");
    let zeros = |s: &plimsoll_plan::Stream| s.content == plimsoll_plan::ContentSpec::Zeros;
    let why = match step.streams.iter().all(zeros) {
        true => "with zeros, as DiskSPD's -c leaves it",
        false => "for not all of it holds data",
    };
    line_of(&format!("note: all of {names} is written first, {why}")).to_string()
}

/// Destination of results, which replace earlier ones as in fio; anything else only with --overwrite, and never a target, a record or a
/// definition. What is to be written is precious to those who ask later.
fn destination(
    path: &Option<PathBuf>,
    overwrite: bool,
    precious: &mut Vec<Precious>,
) -> Result<Option<Destination>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let no = |what: &str| {
        Failure::usage(format!(
            "--output: {} {what}; name another file",
            path.display()
        ))
    };
    if let Some(found) = recognise_file(path) {
        return Err(no(&format!(
            "is {}, and results would replace it",
            found.what()
        )));
    }
    let place = Destination::ask_for_like(path, overwrite, precious, holds_results)?;
    precious.push(Precious::new("what --output names", path));
    Ok(Some(place))
}

/// True where all of a file is results, of fio or of this.
fn holds_results(file: &mut dyn BufRead) -> bool {
    let mut text = String::new();
    let read = file.take(MOST_RESULTS).read_to_string(&mut text);
    read.is_ok_and(|length| (length as u64) < MOST_RESULTS)
        && is_results(&text, plimsoll_dialects::fio::is_option)
}

fn put(output: Option<Destination>, text: &str) -> Result<(), Failure> {
    match output {
        Some(place) => place.write(|out| Ok(out.write_all(text.as_bytes())?)),
        None => {
            let terminal = std::io::stdout().is_terminal();
            out::put(format_args!("{}", guarded(text, terminal)));
            Ok(())
        }
    }
}

/// The numbers of the steps that measured something, in their order.
fn numbers(result: &RunResult) -> Vec<u32> {
    let measured = result.steps.iter().filter(|s| !s.fill);
    measured.map(|s| s.number).collect()
}

/// The results in each form that was asked for.
fn results(
    result: &RunResult,
    parsed: &Parsed,
    (samples, watch, depths): (&Samples, &Watch, &Depths),
    (formats, lines, idle): (&[Format], TerseVersion, Option<IdleCpus>),
) -> Result<String, Failure> {
    let numbers = numbers(result);
    let jobs: Vec<FioJob> = parsed
        .reported()
        .into_iter()
        .enumerate()
        .filter_map(|(place, job)| {
            Some(FioJob {
                failed: watch.failed(place).or_else(|| depths.failed(place)),
                found: depths.shown(place),
                steady: watch.steady(place),
                step: *numbers.get(job.step)?,
                read_back: job.read_back.and_then(|at| numbers.get(at).copied()),
                name: job.name,
                group: job.group,
                options: job.options,
                workloads: job.workloads,
                on_names: job.on_names,
                iodepth: job.iodepth,
                depth: job.depth,
                clones: job.clones,
                counts_syncs: job.counts_syncs,
                shown: Shown {
                    lat_percentiles: job.lat_percentiles,
                    clat_percentiles: job.clat_percentiles,
                    apart: job.together != Together::Only,
                    mixed: job.together != Together::No,
                },
                percentiles: match job.percentiles.is_empty() {
                    true => FioJob::PERCENTILES.into(),
                    false => job.percentiles,
                },
            })
        })
        .collect();
    let run = FioRun {
        environment: &result.environment,
        steps: &result.steps,
        jobs: &jobs,
        samples,
        global_options: &parsed.global_options(),
        ended: jiff::Timestamp::now(),
        idle,
    };
    let mut text = String::new();
    for format in formats {
        match format {
            Format::Normal => {
                text += &headings(&asked(parsed), &result.environment.tool_version);
                text += &normal(&document(&run, Form::Json), &run.clones());
            }
            Format::Terse => text += &terse(&document(&run, Form::Json), lines),
            Format::Json => text += &pretty(&document(&run, Form::Json))?,
            Format::JsonPlus => text += &pretty(&document(&run, Form::JsonPlus))?,
        }
    }
    Ok(text)
}

/// What is said of each job before its results.
fn asked(parsed: &Parsed) -> Vec<Heading> {
    let reported = parsed.reported().into_iter();
    let of_jobs = reported.flat_map(|r| r.asked.into_iter().map(move |job| (r.group, job)));
    let heading = |(group, job): (u32, Asked)| Heading {
        name: job.name,
        group,
        rw: job.rw.to_string(),
        sizes: job.sizes,
        engine: job.engine,
        iodepth: job.iodepth,
        clones: job.clones,
    };
    of_jobs.map(heading).collect()
}

fn pretty(document: &serde_json::Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(document)?;
    Ok(plimsoll_printable::json(&text).to_string() + "\n")
}

/// fio's exit code; what went wrong and what the rules say is told on standard error.
fn ended(result: &RunResult) -> u8 {
    let errors = terminal::errors(&result.steps, &display::style());
    if !errors.is_empty() {
        tell!("{}", errors.trim_end());
    }
    if result.environment.simulated {
        tell!("simulated: {}", terminal::SIMULATED);
    }
    display::tell_beside(result);
    let whole = result.errors() == 0 && result.record_error.is_none();
    match &result.status {
        RunStatus::Completed if whole && !result.measured_nothing() => 0,
        RunStatus::Interrupted => INTERRUPTED,
        RunStatus::Failed(why) => {
            tell!("error: {}", line_of(why));
            FAILED
        }
        _ => FAILED,
    }
}
