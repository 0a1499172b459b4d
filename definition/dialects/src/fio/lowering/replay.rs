//! Jobs that replay a log of I/Os: `read_iolog=` and what belongs to it.

use super::files::{Used, file_size, volume};
use super::names::split_names;
use super::stream::{self, Made};
use super::targets::{Targets, Wanted};
use super::{Complaints, content, durability, ends, refused, warn_differs};
use crate::fio::engine::Engine;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    Bytes, Location, LogError, LogSummary, Names, Op, RangeSpec, Replay, ReplayOptions, Stream,
    open_log, read_log,
};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What a job's log says in their place; in fio they change nothing either.
const SAID_BY_LOG: [&str; 23] = [
    "rw",
    "bs",
    "bsrange",
    "bssplit",
    "ba",
    "size",
    "offset",
    "offset_increment",
    "io_size",
    "number_ios",
    "loops",
    "time_based",
    "rwmixread",
    "rwmixwrite",
    "percentage_random",
    "random_distribution",
    "norandommap",
    "rw_sequencer",
    "rate",
    "rate_iops",
    "rate_process",
    "nrfiles",
    "fill_device",
];
/// What would hold a log's I/Os back, or check what nobody knows.
const AGAINST_LOG: [(&str, &str); 6] = [
    ("thinktime", "its I/Os have times of their own"),
    ("flow", "its I/Os have an order of their own"),
    ("verify", "what its reads bring is not known"),
    ("directory", "its files are called as it calls them"),
    ("opendir", "it names its files"),
    ("zonemode", "its I/Os have places of their own"),
];

/// Whether a job replays a log.
pub(in crate::fio) fn is_asked(job: &Job) -> bool {
    job.text("read_iolog").is_some_and(|text| !text.is_empty())
}

/// The streams of a job that replays, under a name: each clone replays all of its log.
pub(super) fn of(
    job: &Job,
    name: &str,
    engine: Engine,
    targets: &mut Targets,
    found: &mut Complaints,
) -> Result<Made, Diagnostic> {
    against_log(job)?;
    said_by_log(job, found);
    let options = options(job)?;
    let depth = stream::depth(job, engine, found);
    let caching = stream::caching(job, engine, found);
    let durability = durability::of(job, engine)?;
    let mut times = ends::times(job, found)?;
    times.goes_on = false;
    let logs = split_names(job.text("read_iolog").unwrap_or_default());
    let mut streams = Vec::new();
    let mut read: Vec<(&String, LogSummary)> = Vec::new();
    for number in 0..stream::count(job)? {
        let Some(log) = logs.get(number as usize % logs.len().max(1)) else {
            return Err(refused(job, "read_iolog", "it names no log", "name one"));
        };
        let said = match read.iter().find(|(of, _)| *of == log) {
            Some((_, said)) => said.clone(),
            None => {
                let said = said(job, log, &options)?;
                read.push((log, said.clone()));
                said
            }
        };
        waits(job, &said, found);
        let used = used(job, engine, &said)?;
        let target = targets.of(Wanted {
            engine: engine.on_files(),
            location: used.location,
            caching,
            durability,
            align: None,
            offset: Bytes(0),
            bytes: used.target_bytes,
            span: used.span,
            size_span: used.size_span,
        });
        let replay = Replay {
            log: PathBuf::from(log),
            options: options.clone(),
            facts: said.facts,
        };
        let name = stream::clone_name(name, number as usize, stream::are_apart(job));
        let stream = Stream::replay(name, target, replay, &said.sizes);
        streams.push(Stream {
            depth: Some(depth),
            content: content::content(job, &stream.size, found)?,
            ..stream
        });
    }
    Ok(Made { streams, times })
}

fn against_log(job: &Job) -> Result<(), Diagnostic> {
    let given = |option: &str| job.get(option).is_some_and(|a| !a.is_off());
    match AGAINST_LOG.iter().find(|(option, _)| given(option)) {
        None => Ok(()),
        Some((option, why)) => Err(refused(
            job,
            option,
            format!(
                "job {} replays a log, and `{option}` does not go with that: {why}",
                job.name
            ),
            "leave it out, or read_iolog=",
        )),
    }
}

/// Options that say what the log says already. A number of loops is none of them where it is one.
fn said_by_log(job: &Job, found: &mut Complaints) {
    let given: Vec<&str> = SAID_BY_LOG
        .into_iter()
        .filter(|option| job.get(option).is_some_and(|a| !a.is_off()))
        .collect();
    if let Some(first) = given.first() {
        let names: Vec<String> = given.iter().map(|o| format!("`{o}`")).collect();
        let said = format!(
            "the log says what job {} does, once from its beginning to its end: what {} say{} changes nothing, in fio neither",
            job.name,
            names.join(", "),
            if names.len() == 1 { "s" } else { "" }
        );
        found.warn(warn_differs(job, first, said));
    }
}

/// fio's waits are not what its manual says of them.
fn waits(job: &Job, said: &LogSummary, found: &mut Complaints) {
    if said.waits {
        let what = "a wait of a log is a time from the beginning in milliseconds, as fio carries it out; its manual says microseconds from the wait before";
        found.warn(warn_differs(job, "read_iolog", what));
    }
}

fn options(job: &Job) -> Result<ReplayOptions, Diagnostic> {
    let usual = ReplayOptions::default();
    let number = |option: &str, usual: u32| match job.number(option) {
        None => Ok(usual),
        // fio's 0 is none.
        Some(0) if option != "replay_time_scale" => Ok(usual),
        Some(n) => u32::try_from(n).ok().filter(|n| *n > 0).ok_or_else(|| {
            refused(
                job,
                option,
                format!("`{option}={n}` is no number that a log could be changed by"),
                "give 1 or more",
            )
        }),
    };
    let options = ReplayOptions {
        at_once: job.is_on("replay_no_stall"),
        speed: number("replay_time_scale", usual.speed)?,
        scale: number("replay_scale", usual.scale)?,
        align: number("replay_align", usual.align)?,
        skip: skipped(job)?,
    };
    match options.align.is_power_of_two() {
        true => Ok(options),
        false => Err(refused(
            job,
            "replay_align",
            format!("`replay_align={}` is no power of two", options.align),
            "give one, as 4k",
        )),
    }
}

fn skipped(job: &Job) -> Result<Vec<Op>, Diagnostic> {
    let mut skip = Vec::new();
    for word in job.text("replay_skip").unwrap_or_default().split(',') {
        let word = word.trim();
        match Op::of_log_word(word) {
            Some(op) => skip.push(op),
            None if word.is_empty() => {}
            None => {
                return Err(Diagnostic::error(
                    codes::VALUE,
                    format!("`replay_skip={word}` cannot be read"),
                )
                .at(
                    job.place("replay_skip").unwrap_or(job.span),
                    "read, write, trim and sync, with commas between them",
                ));
            }
        }
    }
    skip.sort_unstable();
    skip.dedup();
    Ok(skip)
}

/// What a log says.
fn said(job: &Job, log: &str, options: &ReplayOptions) -> Result<LogSummary, Diagnostic> {
    let given: Vec<String> = job
        .filenames
        .iter()
        .flat_map(|f| split_names(&f.assigned.text))
        .collect();
    let names = match job.text("replay_redirect") {
        Some(to) if !to.is_empty() => Names::One,
        _ => Names::These(&given),
    };
    let file = open_log(Path::new(log)).map_err(LogError::Io);
    let read = file.and_then(|f| read_log(BufReader::new(f), options, names, |_| Ok(())));
    read.map_err(|e| {
        let remedy = match e {
            LogError::Io(_) => "name a log of I/Os, as write_iolog= writes one",
            LogError::Line { .. } | LogError::Whole(_) => "mend the log",
        };
        refused(
            job,
            "read_iolog",
            format!(
                "{} cannot be replayed: {e}",
                plimsoll_printable::line_of(log)
            ),
            remedy,
        )
    })
}

/// Where a log's I/Os go: the file that all are redirected to, or those that it does something with.
fn used(job: &Job, engine: Engine, said: &LogSummary) -> Result<Used, Diagnostic> {
    let redirect = job.text("replay_redirect").filter(|to| !to.is_empty());
    let option = match redirect {
        Some(_) => "replay_redirect",
        None => "read_iolog",
    };
    let span = job.place(option).unwrap_or(job.span);
    let facts = &said.facts;
    let used = said.names.iter().filter(|name| name.is_used);
    let mut paths: Vec<PathBuf> = match redirect {
        Some(to) => vec![PathBuf::from(to)],
        None => used.map(|name| PathBuf::from(&name.name)).collect(),
    };
    let each = match job.get("filesize") {
        Some(assigned) => Some(file_size(job, assigned)?),
        None => None,
    };
    let whole = each.map(|each| each.saturating_mul(paths.len() as u64));
    let (location, target_bytes) = match engine {
        Engine::Null => (Location::Null(facts.end), None),
        Engine::Nbd => (volume(job)?, None),
        // A device has its size. A file that is not there is made as long as the log needs it.
        _ if paths.len() == 1 => {
            let path = paths.remove(0);
            let is_device = path.starts_with("/dev");
            let size = whole.or((!is_device).then_some(facts.end.0));
            (Location::Path(path), size)
        }
        _ => (Location::Concat(paths), whole),
    };
    Ok(Used {
        location,
        target_bytes,
        span,
        size_span: job.place("filesize"),
        ..Used::all(RangeSpec::Whole)
    })
}
