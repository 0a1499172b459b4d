//! `plimsoll run … --beside fio`: both tools by turns on one definition, and what explains their differences.
//!
//! The other tool does what our own run was given leave to do: the plan and its targets are judged by the same rules before each of
//! its runs. What only reads is run read-only, and what of a job file writes elsewhere is refused.

use crate::cli::RunArgs;
use crate::definition::{self, Definition, fail};
use crate::failure::Failure;
use crate::out::{say, tell};
use crate::watch::Watch;
use crate::{convert, display, exit, fio, measure, plan, signals};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_dialects::Dialect;
use plimsoll_foreign::beside::{Facts, Part, of_fio, of_ours, reasons, table};
use plimsoll_printable::Printable;
use plimsoll_rig::{Control, Outcome, RunOptions, RunResult};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// How often each runs where nobody says.
const REPEATS: u32 = 2;
/// From so many runs of each on, an interval is one to rely on.
const ENOUGH: u32 = 5;

/// fio, as it is to be run.
struct Peer {
    version: String,
    words: Vec<String>,
    /// What it reads on standard input.
    input: Option<String>,
    facts: Facts,
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
        ..measure::options(common, &definition.engine)?
    };
    definition.engine.backend = options.backend;
    let version = version()?;
    // What cannot be asked of fio is said before anything runs.
    let mut peer = peer(&definition, args, &version)?;
    plimsoll_rig::check(&definition.plan, &options)?;
    let repeats = args.beside.beside_repeats.unwrap_or(REPEATS);
    let (mut ours, mut theirs): (Vec<Vec<Part>>, Vec<Vec<Part>>) = Default::default();
    let mut worst = 0;
    let control = Control::default();
    signals::install(&control, &options.at_work)?;
    for turn in 0..repeats * 2 {
        // A B B A: what drifts with time is in both alike.
        let is_ours = matches!(turn % 4, 0 | 3);
        let number = format!("run {} of {}", turn + 1, repeats * 2);
        if is_ours {
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
            // What the rules say of its numbers is no reason not to compare them.
            if matches!(result.outcome(), Outcome::Unfinished | Outcome::IosFailed) {
                show_errors(&result);
                tell!("error: a run of ours did not end well, so that nothing is compared");
                return Ok(ExitCode::from(worst));
            }
            if ours.is_empty() {
                // fio gets the engine that was found to work here.
                definition.engine.backend = backend(&result).or(definition.engine.backend);
                peer = self::peer(&definition, args, &version)?;
                peer.facts.backend = result.environment.backend.clone();
                let measured = result.steps.iter().filter(|s| !s.fill);
                peer.facts.workers = measured.map(|s| s.workers).collect();
            }
            ours.push(of_ours(&result.steps));
        } else {
            plimsoll_rig::check(&definition.plan, &options)?;
            tell!("{number}: {}", Printable(&command(&peer)));
            let parts = ours.first().map_or(1, Vec::len);
            theirs.push(one_of_fio(&peer, parts)?);
        }
        if control.stopped() {
            tell!("interrupted: nothing is compared");
            return Ok(ExitCode::from(exit::REFUSED));
        }
    }
    shown(&definition, &peer, (&ours, &theirs), repeats);
    Ok(ExitCode::from(worst))
}

fn shown(
    definition: &Definition,
    peer: &Peer,
    (ours, theirs): (&[Vec<Part>], &[Vec<Part>]),
    repeats: u32,
) {
    say!();
    for line in table("fio", ours, theirs).lines() {
        say!("{}", Printable(line));
    }
    say!();
    for reason in reasons(&definition.plan, &peer.facts) {
        say!("- {}", Printable(&reason));
    }
    if repeats < ENOUGH {
        say!(
            "- Doubt: {repeats} runs of each say little; --beside-repeats 5 or more makes the interval one to rely on. Where it holds 0, \
             the tools are not told apart."
        );
    }
    say!();
    say!(
        "{} beside plimsoll {}: {}",
        Printable(&peer.version),
        env!("CARGO_PKG_VERSION"),
        Printable(&command(peer))
    );
    if let Some(text) = peer.input.as_ref().filter(|_| peer.facts.converted) {
        say!("with the job file that was written from the definition:");
        for line in text.lines() {
            say!("  {}", Printable(line));
        }
    }
}

fn show_errors(result: &RunResult) {
    let errors = plimsoll_report::terminal::errors(&result.steps, &display::style());
    if !errors.is_empty() {
        tell!("{}", errors.trim_end());
    }
}

/// What carried our I/O out, for fio.
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
    options
        .texts
        .push((format!("beside {}: {}", peer.version, command(peer)), asked));
    let mut watch = Watch::new(&definition.plan, control, display::style(), quiet, false);
    let result = plimsoll_rig::run(&definition.plan, &options, control, &mut |event| {
        watch.see(&event)
    });
    match result {
        Err(plimsoll_rig::RigError::Plan(problems)) => {
            Err(definition::refuse(&problems, &definition.sources))
        }
        result => Ok(result?),
    }
}

/// fio's version, which says that it is there.
fn version() -> Result<String, Failure> {
    let output = Command::new("fio").arg("--version").output();
    match output {
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::usage(
            "--beside fio: fio is not installed; install it, or leave --beside out",
        )),
        Err(error) => Err(Failure::usage(format!(
            "--beside fio: cannot run fio: {error}"
        ))),
    }
}

/// The words of fio: a definition in its own words goes to it as it is, any other in the words that `convert` finds for it.
fn peer(definition: &Definition, args: &RunArgs, version: &str) -> Result<Peer, Failure> {
    let mut words = vec!["--output-format=json+".to_string()];
    let writes = definition.plan.steps().any(|step| step.writes());
    if !writes {
        words.push("--readonly".to_string());
    }
    let mut peer = Peer {
        version: version.to_string(),
        words,
        input: None,
        facts: Facts::default(),
    };
    if definition.plan.dialect != "fio" {
        peer.input = Some(convert::written(definition, Dialect::Fio)?);
        peer.facts.converted = true;
        peer.words.push("-".to_string());
        return Ok(peer);
    }
    let files: Vec<&String> = match &args.file.file[..] {
        [] => args.what.iter().collect(),
        files => files.iter().chain(&args.what).collect(),
    };
    let parsed = fio::again(&files, &args.file.section, &definition.sources)?;
    elsewhere(&parsed, args.common.going.allow_commands)?;
    peer.facts.options = parsed.jobs.iter().flat_map(|job| job.options()).collect();
    peer.input = fio::standard_input(&definition.sources);
    let sections = args.file.section.iter().map(|s| format!("--section={s}"));
    peer.words.extend(sections);
    peer.words.extend(files.into_iter().cloned());
    Ok(peer)
}

/// Options with which fio writes, removes or changes what is no target: nobody gave leave for that.
const ELSEWHERE: [&str; 10] = [
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "write_iolog",
    "unlink",
    "unlink_each_loop",
    "ioscheduler",
    "cgroup",
    "verify_state_save",
];

fn elsewhere(parsed: &plimsoll_dialects::fio::Parsed, commands: bool) -> Result<(), Failure> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for job in &parsed.jobs {
        for (name, value) in job.options() {
            let command = ["exec_prerun", "exec_postrun"].contains(&name.as_str()) && !commands;
            let off = ["0", "false"].contains(&value.as_str());
            if !command && (!ELSEWHERE.contains(&name.as_str()) || off) {
                continue;
            }
            let message = format!(
                "with `{name}` fio touches more than the targets that this run has leave for"
            );
            let said = Diagnostic::error("beside", message).help(match command {
                true => "add --allow-commands, or leave it out",
                false => "leave it out for this comparison",
            });
            found.push(match job.place(&name) {
                Some(span) => said.at(span, format!("of job {}", job.name)),
                None => said,
            });
        }
    }
    found.dedup();
    match found.is_empty() {
        true => Ok(()),
        false => Err(fail(&found, &parsed.sources)),
    }
}

/// Its command line.
fn command(peer: &Peer) -> String {
    format!("fio {}", peer.words.join(" "))
}

/// A run of fio, with its numbers.
fn one_of_fio(peer: &Peer, parts: usize) -> Result<Vec<Part>, Failure> {
    let failed = |what: String| Failure::usage(format!("{}: {what}", command(peer)));
    let mut child = Command::new("fio")
        .args(&peer.words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let input = child.stdin.take();
    if let (Some(mut pipe), Some(text)) = (input, &peer.input) {
        // One that ended before it read all says why on standard error.
        let _ = pipe.write_all(text.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(failed(format!("{}: {}", output.status, said.trim())));
    }
    of_fio(&String::from_utf8_lossy(&output.stdout), parts).map_err(failed)
}
