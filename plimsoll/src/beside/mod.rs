//! `plimsoll run … --beside TOOL`: both tools by turns on one definition, and what explains their differences.
//!
//! The other tool does what our own run was given leave to do: the plan and its targets are judged by the same rules before each of
//! its runs. It never sees the user's file: what it is given is written from what was judged, and runs in a temporary folder.

mod fio;
mod vdbench;

use crate::cli::{BesideArgs, RunArgs};
use crate::definition::{self, Definition};
use crate::failure::Failure;
use crate::out::{say, tell};
use crate::watch::{Shown, Watch};
use crate::{display, exit, options, plan, signals};
use fio::Fio;
use plimsoll_foreign::beside::{Facts, Part, difference, of_ours, table};
use plimsoll_methods::{Side, turns};
use plimsoll_plan::{Location, NbdServer, Plan};
use plimsoll_printable::{Printable, one_line};
use plimsoll_report::AnswerLines;
use plimsoll_rig::{Control, Enclosure, Outcome, RunOptions, RunResult};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use tempfile::TempDir;
use vdbench::Vdbench;

/// Number of times that each runs where nobody says otherwise.
const REPEATS: u32 = 2;
/// From so many runs of each on, an interval is one to rely on.
const ENOUGH: u32 = 5;

/// The other tool.
trait Other {
    /// The tool's name, as the table has it.
    fn name(&self) -> &'static str;

    /// Task for it to run a definition; what cannot be asked of it is said here, before anything runs.
    fn peer(&self, definition: &Definition, args: &RunArgs) -> Result<Peer, Failure>;

    /// One run of it, within `enclosure`. `parts` is how many steps of ours there are.
    fn run(&mut self, peer: &Peer, parts: usize, enclosure: Enclosure)
    -> Result<TheirRun, Failure>;

    /// Reasons that explain a difference.
    fn reasons(&self, plan: &Plan, facts: &Facts) -> Vec<String>;
}

/// The other tool, as it is to be run.
struct Peer {
    version: String,
    /// The name of its program.
    program: &'static str,
    words: Vec<String>,
    /// The definition as it was written for it, where it has one.
    input: Option<String>,
    facts: Facts,
}

impl Peer {
    /// The tool's command line.
    fn command(&self) -> String {
        format!("{} {}", self.program, self.words.join(" "))
    }

    /// A line of the other tool, which is foreign: one line, whatever is in it.
    fn failed(&self, what: impl std::fmt::Display) -> Failure {
        let what = one_line(&what.to_string());
        Failure::usage(format!("{}: {what}", Printable(&self.command())))
    }
}

/// The current folder.
fn here(tool: &str) -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|e| {
        Failure::usage(format!(
            "--beside {tool}: cannot tell what the current folder is: {e}"
        ))
    })
}

/// The plan with whole paths.
fn with_whole_paths(plan: &Plan, tool: &str) -> Result<Plan, Failure> {
    let here = here(tool)?;
    let mut plan = plan.clone();
    for target in &mut plan.targets {
        match &mut target.location {
            Location::Path(path) => *path = here.join(&*path),
            Location::Concat(paths) => paths.iter_mut().for_each(|path| *path = here.join(&*path)),
            Location::Nbd(nbd) => {
                for way in &mut nbd.paths {
                    if let NbdServer::Unix(path) = &mut way.server {
                        *path = here.join(&*path);
                    }
                }
            }
            Location::Tree(tree) if tree.is_simulated() => {}
            Location::Tree(tree) => tree.root = here.join(&tree.root),
            Location::Null(_) | Location::Lab(_) => {}
        }
    }
    Ok(plan)
}

/// The outcome of a run of the other tool.
struct TheirRun {
    parts: Vec<Part>,
    /// The largest share of the host's CPUs that it saw busy.
    busy_cpus: Option<f64>,
}

/// Runs both by turns.
pub fn run(mut definition: Definition, args: &RunArgs) -> Result<ExitCode, Failure> {
    let common = &args.common;
    definition.plan.claim = common.going.claim.or(definition.plan.claim);
    if common.dry_run {
        return plan::print(&definition, false);
    }
    let options = RunOptions {
        definition: definition::files(&definition.sources),
        texts: definition::texts(&definition.sources),
        ..options::options(common, &definition.engine)?
    };
    definition.engine.backend = options.backend;
    let mut other = find(&args.beside)?;
    // What cannot be asked of it is said before anything runs.
    let mut peer = other.peer(&definition, args)?;
    plimsoll_rig::check(&definition.plan, &options)?;
    let repeats = args.beside.beside_repeats.unwrap_or(REPEATS);
    let (mut ours, mut theirs): (Vec<Vec<Part>>, Vec<Vec<Part>>) = Default::default();
    let mut worst = 0;
    let control = signals::control(&options.at_work)?;
    if let Some(doubt) = plimsoll_rig::wall_doubt() {
        tell!("note: {doubt}");
    }
    for (turn, side) in turns(repeats).enumerate() {
        let number = format!("run {} of {}", turn + 1, repeats * 2);
        if side == Side::A {
            tell!("{number}: plimsoll");
            let result = one_of_ours(
                &definition,
                &options,
                ours.len(),
                &peer,
                &control,
                common.going.quiet,
            )?;
            worst = worst.max(exit::of_run(result.outcome()));
            if !has_ended_well(&result) {
                return Ok(ExitCode::from(worst));
            }
            if ours.is_empty() {
                peer = again(other.as_ref(), &mut definition, args, &result)?;
            }
            ours.push(of_ours(&result.steps));
        } else {
            // Judged as for our run, and held until this one is over.
            let enclosure = Enclosure::around_tool(&definition.plan, &options)?;
            tell!("{number}: {}", Printable(&peer.command()));
            let parts = ours.first().map_or(1, Vec::len);
            let run = other.run(&peer, parts, enclosure);
            // One that was interrupted has failed of that.
            if control.stopped() {
                return Ok(interrupted());
            }
            let run = run?;
            let busy = peer.facts.busy_cpus.into_iter().chain(run.busy_cpus);
            peer.facts.busy_cpus = busy.reduce(f64::max);
            theirs.push(run.parts);
        }
        if control.stopped() {
            return Ok(interrupted());
        }
    }
    shown(
        other.as_ref(),
        &definition,
        &peer,
        (&ours, &theirs),
        repeats,
    );
    Ok(ExitCode::from(worst))
}

/// True of a run whose numbers can be compared: one without errors, which are shown. What the rules say is no reason not to.
fn has_ended_well(result: &RunResult) -> bool {
    let well = !matches!(result.outcome(), Outcome::Unfinished | Outcome::IosFailed);
    if !well {
        show_errors(result);
        tell!("error: a run of ours did not end well, so that nothing is compared");
    }
    well
}

/// The other tool once more, now that a run of ours has shown what works: it gets the engine that was found here, where it has a word
/// for it.
fn again(
    other: &dyn Other,
    definition: &mut Definition,
    args: &RunArgs,
    result: &RunResult,
) -> Result<Peer, Failure> {
    definition.engine.backend = backend(result).or(definition.engine.backend);
    let mut peer = other.peer(definition, args)?;
    peer.facts.backend = result.environment.backend.clone();
    let measured = result.steps.iter().filter(|s| !s.fill);
    peer.facts.workers = measured.map(|s| s.workers).collect();
    Ok(peer)
}

fn interrupted() -> ExitCode {
    tell!("interrupted: nothing is compared");
    ExitCode::from(exit::REFUSED)
}

fn shown(
    other: &dyn Other,
    definition: &Definition,
    peer: &Peer,
    (ours, theirs): (&[Vec<Part>], &[Vec<Part>]),
    repeats: u32,
) {
    say!();
    for line in table(other.name(), ours, theirs).lines() {
        say!("{}", Printable(line));
    }
    say!();
    for reason in other.reasons(&definition.plan, &peer.facts) {
        say!("- {}", Printable(&reason));
    }
    say!();
    say!(
        "{} beside plimsoll {}: {}",
        Printable(&peer.version),
        env!("CARGO_PKG_VERSION"),
        Printable(&peer.command())
    );
    if let Some(text) = &peer.input {
        say!("with the file that was written from the definition:");
        for line in text.lines() {
            say!("  {}", Printable(line));
        }
    }
    display::close(&AnswerLines {
        answer: difference(other.name(), ours, theirs),
        limit: None,
        trust: match repeats {
            1 => "one run of each says little: nothing tells how much they vary".to_string(),
            n if n < ENOUGH => {
                format!("{n} runs of each say little: no interval of so few is to be relied on")
            }
            n => format!("{n} runs of each by turns, judged before each by the same rules"),
        },
        record: None,
        next: (repeats < ENOUGH)
            .then(|| format!("--beside-repeats {ENOUGH} gives an interval to rely on")),
    });
}

fn show_errors(result: &RunResult) {
    let errors = plimsoll_report::terminal::errors(&result.steps, &display::style());
    if !errors.is_empty() {
        tell!("{}", errors.trim_end());
    }
}

/// The backend that carried our I/O out, for the other tool.
fn backend(result: &RunResult) -> Option<plimsoll_rig::BackendKind> {
    result.environment.backend.parse().ok()
}

/// Our run: the first has the record that was asked for, the others one beside it.
fn one_of_ours(
    definition: &Definition,
    options: &RunOptions,
    before: usize,
    peer: &Peer,
    control: &Control,
    quiet: bool,
) -> Result<RunResult, Failure> {
    let numbered = |path: &PathBuf| match before {
        0 => path.clone(),
        n => path.with_extension(format!("{}.plim", n + 1)),
    };
    let mut options = options.clone();
    options.record = options.record.as_ref().map(numbered);
    // What the other tool did is a part of how this came about.
    let asked = peer.input.clone().unwrap_or_default();
    options.texts.push((
        format!("beside {}: {}", peer.version, peer.command()),
        asked,
    ));
    let shown = match quiet {
        true => Shown::Quiet,
        false => Shown::All,
    };
    let mut watch = Watch::new(&definition.plan, control, display::style(), shown);
    plimsoll_rig::run(&definition.plan, &options, control, &mut |event| {
        watch.see(&event)
    })
    .map_err(|error| definition::refusal(error, &definition.sources))
}

/// The tool that `--beside` names, where it is installed.
fn find(args: &BesideArgs) -> Result<Box<dyn Other>, Failure> {
    let program = args.beside_program.as_deref();
    Ok(match args.beside.as_deref() {
        Some("vdbench") => Box::new(Vdbench::find(program)?),
        _ => Box::new(Fio::find(program)?),
    })
}

/// A temporary folder for what a tool writes beside its targets.
fn folder(tool: &str) -> Result<TempDir, Failure> {
    let made = tempfile::Builder::new()
        .prefix("plimsoll-beside-")
        .tempdir();
    made.map_err(|e| {
        Failure::usage(format!(
            "--beside {tool}: cannot make a temporary folder for its output: {e}"
        ))
    })
}

/// The program that was named, itself or the folder that it is in; else the one in PATH.
fn program(tool: &str, named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = named {
        let program = match path.is_dir() {
            true => path.join(tool),
            false => path.to_path_buf(),
        };
        // A name alone would be looked for in PATH.
        return std::fs::canonicalize(&program).map_err(|error| {
            Failure::usage(format!(
                "--beside-program {}: {}: {error}; name the program of {tool}, or the folder that it is in",
                path.display(),
                program.display()
            ))
        });
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(tool))
        .find(|program| is_program(program));
    // What a link in PATH stands for knows where its other parts are.
    let found = found.map(|program| std::fs::canonicalize(&program).unwrap_or(program));
    found.ok_or_else(|| {
        Failure::usage(format!(
            "--beside {tool}: {tool} is not installed, for no folder of PATH has it; install it, say with --beside-program where it is, \
             or leave --beside out"
        ))
    })
}

fn is_program(path: &Path) -> bool {
    let may_run = |m: std::fs::Metadata| m.is_file() && m.permissions().mode() & 0o111 != 0;
    std::fs::metadata(path).is_ok_and(may_run)
}

/// A run of the other tool to its end, whatever that is.
fn finished(
    peer: &Peer,
    command: &mut Command,
    input: Option<&str>,
    enclosure: &Enclosure,
) -> Result<Output, Failure> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = enclosure
        .spawn(command)
        .map_err(|e| peer.failed(e.to_string()))?;
    let pipe = child.stdin.take();
    if let (Some(mut pipe), Some(text)) = (pipe, input) {
        // One that ended before it read all says why on standard error.
        let _ = pipe.write_all(text.as_bytes());
    }
    child
        .wait_with_output()
        .map_err(|e| peer.failed(e.to_string()))
}
