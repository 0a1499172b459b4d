//! `plimsoll vdbench`: Vdbench's flags, lines, report folder and exit codes.

use crate::cli::VdbenchArgs;
use crate::definition::{self, Definition, Engine, fail, warn};
use crate::failure::Failure;
use crate::out::{self, say, tell};
use crate::own_flags::{Own, own_flags};
use crate::stamps::Stamps;
use crate::{display, exit, mistaken, signals};
use jiff::Zoned;
use plimsoll_dialects::vdbench::command_line::{self, Invocation, Output};
use plimsoll_dialects::vdbench::{self, Parsed};
use plimsoll_permit::output::{FolderPermit, Precious, Rules, mark_record};
use plimsoll_plan::Plan;
use plimsoll_printable::line_of;
use plimsoll_record::RunStatus;
use plimsoll_report::terminal;
use plimsoll_report::vdbench::{
    Ending, FileColumns, Naming, Options, PlannedRun, RunDefinition, VdbenchError, VdbenchWriter,
    choose_folder, permit,
};
use plimsoll_rig::{Control, Event, RunOptions, RunResult};
use std::process::ExitCode;

/// Name of the record in the report folder.
const RECORD: &str = "record.plim";

const HELP: &str = "\
Take Vdbench's own flags, print its lines and write its report folder

Usage: plimsoll vdbench -f FILE... [-o DIR] [-s] [-t] [-e SECONDS] [-w SECONDS] [-i SECONDS] [key=value]... [+ keyword=value...]

  -f FILE...       parameter files, read as one [default: parmfile]
  -o DIR           report folder [default: output]; DIR+ takes the next free one, DIR.tod adds the time of day
  -s               simulate: list the runs, no I/O
  -t               the built-in test
  -e, -w, -i N     elapsed, warmup, interval of every run, in seconds
  -mb              megabytes of 1,000,000 bytes in the reports
  key=value        replaces $key and !key in the files
Flags that this version cannot honour (-v, -j and others) are refused by name.

Plimsoll's own, among them:
  --destroy NAME   destroy the data on this target (see plimsoll ls)
  --fill           write data to all of a blank device before it is read
  --record PATH    keep a record [default: record.plim in the report folder]
  --overwrite      replace pages and a record that Plimsoll did not write, or that were changed since
  --allow-commands run startcmd and endcmd
  --commands-may-write PATH  let them write there, besides the targets and the report folder; / lifts the limit
  --allow-unwritten  read what was never written
  --metrics URL    what the array below all targets tells of itself, as http://HOST:PORT/metrics
  --metrics-map FILE  what that array calls its counters
  --backend NAME   io_uring, libaio or psync
  --seed N         seed of every random choice

Exit codes are Vdbench's: 0, and 157 where it would refuse or fail, as after a run with errors.
";

/// `plimsoll vdbench`.
pub fn run(args: &VdbenchArgs) -> ExitCode {
    if args.words.iter().any(|w| w == "--help" || w == "-h") {
        out::put(format_args!("{HELP}"));
        return ExitCode::SUCCESS;
    }
    go(args).unwrap_or_else(|failure| {
        tell!("{failure}");
        ExitCode::from(vdbench::EXIT_REFUSED)
    })
}

/// The definition that a command line of Vdbench's asks for.
pub fn definition(words: &[String]) -> Result<Definition, Failure> {
    let invocation = command_line::parse(words)?;
    let parsed = vdbench::parse(&invocation.input())
        .map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    Ok(Definition {
        engine: Engine::default(),
        plan: lowered.plan,
        sources: parsed.sources,
    })
}

fn go(args: &VdbenchArgs) -> Result<ExitCode, Failure> {
    let (own, words) = own_flags(&args.words)?;
    let invocation = command_line::parse(&words)?;
    for (flag, why) in &invocation.ignored {
        tell!("warning: {flag} has no effect: {why}");
    }
    let parsed = vdbench::parse(&invocation.input())
        .map_err(|refused| fail(&refused.diagnostics, &refused.sources))?;
    warn(&parsed.warnings, &parsed.sources);
    if invocation.simulate {
        return simulate(&parsed, &invocation, own.run.overwrite_record);
    }
    if !invocation.refused.is_empty() {
        let list: Vec<String> = invocation
            .refused
            .iter()
            .map(|(flag, why)| format!("{flag}: {why}"))
            .collect();
        return Err(Failure::usage(list.join("\nerror: ")));
    }
    let lowered = parsed.plan().map_err(|d| fail(&d, &parsed.sources))?;
    warn(&lowered.warnings, &parsed.sources);
    let plan = own.plan(lowered.plan)?;
    measure_all(&plan, &parsed, &invocation, own)
}

/// Leave to write a report into the folder that was asked for, and what the report is to have.
fn report_folder(
    parsed: &Parsed,
    invocation: &Invocation,
    overwrite: bool,
    precious: &[Precious],
) -> Result<(FolderPermit, Options), VdbenchError> {
    let word = match &invocation.output {
        Output::Folder(p) => p.display().to_string(),
        Output::Next(p) => format!("{}+", p.display()),
        Output::TimeOfDay(p) => format!("{}.tod", p.display()),
    };
    let planned = match invocation.simulate {
        true => Vec::new(),
        false => parsed.run_titles(),
    };
    let options = Options {
        planned: planned
            .into_iter()
            .map(|(name, loops)| PlannedRun { name, loops })
            .collect(),
        parameter_files: parsed
            .sources
            .iter()
            .map(|s| (s.name.clone(), s.text.clone()))
            .collect(),
        histogram_edges_us: parsed.definition.general.histogram_us.clone(),
        decimal_megabytes: invocation.decimal_megabytes,
        files: parsed.file_operations().map(FileColumns),
    };
    let rules = Rules {
        overwrite,
        precious,
    };
    let folder = permit(&choose_folder(&word, &Zoned::now()), &rules)?;
    Ok((folder, options))
}

/// Lists the runs. They are kept in a folder too where one was named: an earlier report in the default one is worth
/// more than a list.
fn simulate(
    parsed: &Parsed,
    invocation: &Invocation,
    overwrite: bool,
) -> Result<ExitCode, Failure> {
    let lines = parsed.simulate().lines;
    if !invocation.output_named {
        let time = || Zoned::now().strftime("%H:%M:%S.%3f").to_string();
        for line in &lines {
            say!("{} {}", time(), line_of(line));
        }
        say!(
            "{} Vdbench simulation completed successfully. Output directory: none, for -o names none",
            time()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let definition = definition::files(&parsed.sources);
    let precious = match parsed.plan() {
        Ok(lowered) => plimsoll_rig::precious(&lowered.plan, &definition),
        // Vdbench's simulation lists also what cannot be run here.
        Err(_) => definition
            .iter()
            .map(|path| Precious::new("a file of the definition", path))
            .collect(),
    };
    let (folder, report) = report_folder(parsed, invocation, overwrite, &precious)?;
    let mut writer = VdbenchWriter::create(folder, &report, &Zoned::now())?;
    let mut shown = Vec::new();
    for line in &lines {
        shown.extend(writer.message(line, &Zoned::now())?);
    }
    shown.extend(writer.finish(&Ending::Simulated, &Zoned::now())?);
    for line in shown {
        say!("{}", line_of(&line));
    }
    Ok(ExitCode::SUCCESS)
}

fn measure_all(
    plan: &Plan,
    parsed: &Parsed,
    invocation: &Invocation,
    own: Own,
) -> Result<ExitCode, Failure> {
    mistaken::targets(plan, &parsed.sources)?;
    let precious = plimsoll_rig::precious(plan, &definition::files(&parsed.sources));
    let mut options = RunOptions {
        record: None,
        record_is_unnamed: false,
        // Vdbench's threads submit one I/O each.
        submit_batch: 1,
        reap_batch: 1,
        ..own.clone().options(&parsed.sources)
    };
    // An earlier report is worth more than that of a run that is refused.
    plimsoll_rig::check(plan, &options)
        .map_err(|error| definition::refusal(error, &parsed.sources))?;
    let (folder, report) = report_folder(parsed, invocation, own.run.overwrite_record, &precious)?;
    let is_in_folder = own.run.record.is_none();
    // The folder's own record goes with the report that it is of.
    options.overwrite_record |= is_in_folder && folder.replaces_record(RECORD)?;
    let writer = VdbenchWriter::create(folder, &report, &Zoned::now())?;
    let record = own
        .run
        .record
        .unwrap_or_else(|| writer.folder().join(RECORD));
    options.record = Some(record);
    if options.allow_commands {
        options
            .commands_may_write
            .push(writer.folder().to_path_buf());
    }
    let control = signals::control(&options.at_work)?;
    let mut console = Console {
        writer,
        plan,
        control: control.clone(),
        stamps: Stamps::new(),
        error: None,
    };
    let result = plimsoll_rig::run(plan, &options, &control, &mut |event| console.see(&event));
    if let (
        true,
        Ok(RunResult {
            record: Some(record),
            record_error: None,
            ..
        }),
    ) = (is_in_folder, &result)
    {
        mark_record(record);
    }
    let (ending, code) = match &result {
        Ok(r) => match (&r.status, &r.record_error) {
            (RunStatus::Completed, None) if r.measured_nothing() => (
                Ending::Failed("nothing was measured".into()),
                vdbench::EXIT_REFUSED,
            ),
            (RunStatus::Completed, None) => (Ending::Completed, 0),
            (RunStatus::Completed, Some(_)) => (
                Ending::Failed(display::UNRECORDED.into()),
                vdbench::EXIT_REFUSED,
            ),
            (RunStatus::Interrupted, _) => (Ending::Interrupted, vdbench::EXIT_REFUSED),
            (RunStatus::Running, _) => (Ending::Failed("unfinished".into()), vdbench::EXIT_REFUSED),
            (RunStatus::Failed(why), _) => {
                let last = r.steps.last().map(|s| s.end);
                let ending = Ending::unwell(last, r.errors(), plan.max_errors, why);
                (ending, vdbench::EXIT_REFUSED)
            }
        },
        Err(error) => (Ending::failure(&error.to_string()), vdbench::EXIT_REFUSED),
    };
    for line in console.writer.finish(&ending, &console.stamps.now())? {
        say!("{}", line_of(&line));
    }
    // Vdbench's own lines and codes stay as they are.
    if let Ok(result) = &result {
        display::tell_beside(result);
    }
    if let Some(error) = console.error {
        return Err(error.into());
    }
    let result = result.map_err(|error| definition::refusal(error, &parsed.sources))?;
    Ok(exit::leave(code, &result))
}

/// Feeds the report folder, and prints what Vdbench would.
struct Console<'p> {
    writer: VdbenchWriter,
    plan: &'p Plan,
    control: Control,
    stamps: Stamps,
    error: Option<VdbenchError>,
}

impl Console<'_> {
    fn see(&mut self, event: &Event) {
        let now = self.stamps.of(event);
        let lines = match event {
            Event::StepStarting { step, .. } => {
                let naming = Naming {
                    run: vdbench::run_name(step),
                    shares: vdbench::requested_shares(step),
                };
                let run = RunDefinition::of(self.plan, step, naming);
                self.writer.starting(run, &now)
            }
            Event::Failed { samples, .. } => self.writer.failed(samples, &now),
            Event::Interval { interval, .. } => self.writer.interval(interval, &now),
            Event::StepDone { evidence, .. } => self.writer.averages(evidence, &now),
            Event::Note(text) => self.writer.message(text, &now),
            Event::CommandOutput { output, .. } => output
                .lines()
                .map(|line| self.writer.message(line, &now))
                .collect::<Result<Vec<_>, _>>()
                .map(|lines| lines.concat()),
            Event::Ready { environment, .. } => {
                let simulated = environment
                    .simulated
                    .then(|| format!("simulated: {}", terminal::SIMULATED));
                let notes = simulated.iter().chain(&environment.notes);
                notes
                    .map(|note| self.writer.message(note, &now))
                    .collect::<Result<Vec<_>, _>>()
                    .map(|lines| lines.concat())
            }
            Event::Verdict(_) => return,
        };
        match lines {
            Ok(lines) => {
                for line in lines {
                    if out::try_put(format_args!("{}\n", line_of(&line))).is_err() {
                        self.control.stop();
                    }
                }
            }
            // The run goes on: its record is being kept. What went wrong is told at the end.
            Err(error) => self.error = Some(error),
        }
    }
}
