//! `plimsoll doctor`.

use crate::cli::DoctorArgs;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::out::{self, say};
use crate::{display, exit};
use plimsoll_audit::{Checkup, Diagnosis, HostView, changes, examine, lines};
use plimsoll_capture as capture;
use plimsoll_evidence::wording::plural;
use plimsoll_evidence::{HostState, Severity, Transport, transports};
use plimsoll_printable::Printable;
use plimsoll_record::Record;
use plimsoll_record::compare::compare_places;
use plimsoll_report::AnswerLines;
use plimsoll_report::terminal::wrap;
use plimsoll_witness::{Root, block, host_state};
use std::path::Path;
use std::process::ExitCode;

/// So many letters of a text that changed are shown.
const LONGEST_SHOWN: usize = 200;

/// Looks at how a host is set up.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.capture {
        return write_capture(path, args.overwrite);
    }
    if !args.diff.is_empty() {
        return compare(args);
    }
    let host = load(args.root.as_deref())?;
    if args.transports {
        return show_transports(&transports(&host), args.json);
    }
    let view = HostView {
        devices: devices(args, &host)?,
        host: &host,
        paths: args.paths,
    };
    let checkup = examine(&view);
    match args.json {
        true => out::json(&checkup)?,
        false => {
            print(&checkup);
            display::close(&answer(&checkup));
        }
    }
    let code = exit::of_audit(checkup.worst(), args.strict);
    Ok(ExitCode::from(code))
}

/// Over what the storage is reached, a line each.
fn show_transports(all: &[Transport], json: bool) -> Result<ExitCode, Failure> {
    if json {
        out::json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in all {
        say!("{}", Printable(&one.to_string()));
        for row in one.rows() {
            say!("  {}", Printable(&row));
        }
    }
    if all.is_empty() {
        say!("No storage over a network or a fabric, and no NVMe, is to be seen.");
    }
    Ok(ExitCode::SUCCESS)
}

/// State of this host, or of one that was captured: a folder, or the file that `--capture` wrote.
pub fn load(root: Option<&Path>) -> Result<HostState, Failure> {
    let Some(path) = root.filter(|path| *path != Path::new("/")) else {
        return Ok(capture::this_host());
    };
    let failed = |reason: &dyn std::fmt::Display| {
        Failure::usage(format!(
            "{}: {reason}",
            Printable(&path.display().to_string())
        ))
    };
    let about = std::fs::metadata(path).map_err(|e| failed(&e))?;
    if about.is_file() && about.len() <= capture::LARGEST {
        let bytes = std::fs::read(path).map_err(|e| failed(&e))?;
        return capture::unpack(&bytes).map_err(|e| failed(&e));
    }
    let host = host_state::read(&Root::at(path));
    if host.is_empty() {
        return Err(failed(
            &"holds nothing of a host; what is wanted is a folder with proc, sys and etc in it, or a file of `plimsoll doctor --capture`",
        ));
    }
    Ok(host)
}

/// Writes what is known of this host.
fn write_capture(path: &Path, overwrite: bool) -> Result<ExitCode, Failure> {
    let place = Destination::ask(path, overwrite, &[])?;
    let host = capture::this_host();
    let packed = capture::pack(&host)?;
    let is_file = matches!(place, Destination::File(_));
    place.write(|out| Ok(out.write_all(&packed)?))?;
    if is_file {
        let shown = path.display().to_string();
        say!(
            "{}: {} files of this host",
            Printable(&shown),
            host.files().count()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the changes between two hosts, or between two runs.
fn compare(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let records = args.diff.iter().filter(|path| Record::is_one(path));
    match records.count() {
        0 => compare_hosts(args),
        2 => compare_runs(args),
        _ => {
            // Where the other one is neither, that is what is wrong.
            let others = args.diff.iter().filter(|path| !Record::is_one(path));
            others
                .map(|path| load(Some(path)))
                .collect::<Result<Vec<_>, _>>()?;
            Err(Failure::usage(
                "--diff wants two captured hosts or the records of two runs; a record tells less of its host than a capture does",
            ))
        }
    }
}

/// Prints the changes between the hosts and targets of two runs.
fn compare_runs(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let records = args.diff.iter().map(|path| Record::open(path));
    let records = records.collect::<Result<Vec<Record>, _>>()?;
    let [before, after] = &records[..] else {
        return Err(Failure::usage("--diff wants two records"));
    };
    let changes = compare_places(before, after);
    if args.json {
        out::json(&changes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = |values: &[String]| match values.first().map(String::as_str) {
        None | Some("") => "(nothing)".to_string(),
        Some(text) => text.chars().take(LONGEST_SHOWN).collect(),
    };
    for change in &changes {
        let (before, after) = (shown(&change.a), shown(&change.b));
        say!(
            "{}: {} -> {}",
            Printable(&change.name),
            Printable(&before),
            Printable(&after)
        );
    }
    say!("{}", differences(changes.len()));
    Ok(ExitCode::SUCCESS)
}

fn differences(count: usize) -> String {
    match count {
        1 => "1 difference.".into(),
        n => format!("{n} differences."),
    }
}

/// Prints the changes between two hosts.
fn compare_hosts(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let hosts = args.diff.iter().map(|path| load(Some(path)));
    let hosts = hosts.collect::<Result<Vec<HostState>, Failure>>()?;
    let [before, after] = &hosts[..] else {
        return Err(Failure::usage("--diff wants two captured hosts"));
    };
    let changes = changes(before, after);
    if args.json {
        out::json(&changes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let shown = |text: &Option<String>| match text.as_deref() {
        None => "(not there)".to_string(),
        Some("") => "(nothing)".to_string(),
        Some(text) => text.chars().take(LONGEST_SHOWN).collect(),
    };
    for change in &changes {
        say!(
            "{}: {} -> {}",
            change.path,
            shown(&change.before),
            shown(&change.after)
        );
    }
    say!("{}", differences(changes.len()));
    Ok(ExitCode::SUCCESS)
}

/// The disks that are asked about.
fn devices(args: &DoctorArgs, host: &HostState) -> Result<Vec<String>, Failure> {
    let Some(target) = &args.target else {
        return Ok(host.disks());
    };
    let disk = match args.root {
        Some(_) => host.disk_of(target),
        None => {
            let root = Root::system();
            let path = Path::new(target);
            let name = match path.exists() {
                true => block::device_of_path(&root, path)?,
                false => Some(target.clone()),
            };
            if let Some(name) = name.as_ref().and_then(|n| host.disk_of(n)) {
                // A partition has its disk's queue.
                let layers = block::stack(&root, &name).into_iter();
                let names = layers.map(|l| host.disk_of(&l.name).unwrap_or(l.name));
                let mut found: Vec<String> = Vec::new();
                for name in names {
                    if !found.contains(&name) {
                        found.push(name);
                    }
                }
                return Ok(found);
            }
            None
        }
    };
    match disk {
        Some(disk) => Ok(host.stack(&disk)),
        None => Err(Failure::usage(format!(
            "{target}: no block device lies under it; `plimsoll ls` lists those of this host"
        ))),
    }
}

/// Answer about a host, and what to mend first.
fn answer(checkup: &Checkup) -> AnswerLines {
    let counts = |f: &&Diagnosis| f.severity > Severity::Note;
    // Without its severity, which the sentence says.
    let titled = |f: &Diagnosis| {
        f.title()
            .split_once(' ')
            .map_or_else(String::new, |(_, t)| t.into())
    };
    let doubts = checkup.findings.iter().filter(counts).count();
    let (sound, unseen) = (checkup.healthy.len(), checkup.not_observable.len());
    let answer = match (doubts, checkup.findings.first()) {
        (0, _) if sound == 0 => "Nothing on this host could be looked at.".to_string(),
        (0, _) => "Nothing that could be looked at on this host makes results false.".to_string(),
        (1, Some(first)) => format!(
            "One thing on this host makes results doubtful: {}.",
            titled(first)
        ),
        (n, first) => format!(
            "{n} things on this host make results doubtful, the first: {}.",
            first.map_or_else(String::new, titled)
        ),
    };
    let first = checkup.findings.first().filter(|f| counts(f));
    AnswerLines {
        answer,
        limit: None,
        trust: format!(
            "{} passed; {} could not look, so of what they check nothing is known",
            plural(sound, "check"),
            plural(unseen, "other")
        ),
        record: None,
        next: first.map(|f| f.command.clone()).filter(|c| !c.is_empty()),
    }
}

fn print(checkup: &Checkup) {
    let columns = display::columns();
    for line in lines(checkup) {
        let indent = line.indent;
        let text = wrap(&line.text, columns.saturating_sub(indent), 0);
        match text.is_empty() {
            true => say!(),
            false => text.lines().for_each(|l| say!("{:indent$}{l}", "")),
        }
    }
}
