//! `replay = "LOG"`: a workload whose I/Os are those of a log.

use super::forms::REPLAY;
use super::given::{Given, Part, Wrong};
use super::keys::SHAPE;
use super::report::Report;
use super::words::{count, pieces, size, truth};
use super::workload::Workload;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    LogAction, LogError, LogSaid, LogSizes, Names, Replay, ReplayOptions, Target, open_log,
    read_log,
};
use plimsoll_printable::line_of;
use std::io::BufReader;
use std::path::PathBuf;

/// A log, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    log: PathBuf,
    options: ReplayOptions,
}

/// Keys that say what the log says.
const SAID_BY_LOG: [&str; 6] = ["share", "rate", "arrival", "quota", "verify", "read_back"];

/// `"x.log"`, `{ log = "x.log", times = false, speed = "50%", scale = 2, align = "4k", skip = "trim sync" }`
pub fn replay(given: &Given) -> Result<Asked, Wrong> {
    given.check(&REPLAY)?;
    let Some(log) = given.word.as_ref().or(given.get("log")) else {
        return Err(Wrong::new(&given.whole, "it names no log")
            .remedy("write { log = \"FILE\" }, or the file alone"));
    };
    let usual = ReplayOptions::default();
    let number = |name, usual| given.get(name).map_or(Ok(usual), |part| count(part, 1));
    let options = ReplayOptions {
        at_once: match given.get("times") {
            Some(part) => !truth(part)?,
            None => false,
        },
        speed: given.get("speed").map_or(Ok(usual.speed), speed)?,
        scale: number("scale", usual.scale)?,
        align: given.get("align").map_or(Ok(usual.align), align)?,
        skip: skip(given.get("skip"))?,
    };
    Ok(Asked {
        log: PathBuf::from(&log.text),
        options,
    })
}

/// Percent, which may be more than 100.
fn speed(part: &Part) -> Result<u32, Wrong> {
    count(&part.piece(part.text.trim_end_matches('%')), 1)
}

fn align(part: &Part) -> Result<u32, Wrong> {
    let bytes = size(part)?.0;
    let fits = u32::try_from(bytes).ok().filter(|n| n.is_power_of_two());
    fits.ok_or_else(|| Wrong::new(part, format!("`{}` is no power of two", part.text)))
}

fn skip(given: Option<&Part>) -> Result<Vec<LogAction>, Wrong> {
    let mut skip = Vec::new();
    for part in given.map(pieces).unwrap_or_default() {
        let known = LogAction::ALL.iter().find(|(word, _)| *word == part.text);
        let (_, action) = known.ok_or_else(|| {
            Wrong::new(&part, format!("`{}` is nothing that a log does", part.text))
                .remedy("write read, write, trim and sync, with spaces between them")
        })?;
        skip.push(*action);
    }
    skip.sort_unstable();
    skip.dedup();
    Ok(skip)
}

/// Reads the log of a workload for each of its targets. Where its target is of several files, they are known by their names.
pub fn look(report: &mut Report<'_>, workload: &mut Workload, targets: &[Target]) {
    let Some(asked) = &workload.replay else {
        return;
    };
    let place = |key: &str| workload.places.iter().find(|(k, _)| *k == key);
    let beside = SAID_BY_LOG.into_iter().chain(shapes()).find_map(place);
    if let Some((key, span)) = beside {
        report.push(
            Diagnostic::error(
                "bad-value",
                format!(
                    "workload `{}` replays a log, and has `{key}`",
                    workload.name
                ),
            )
            .at(*span, "the log says what is done, and when")
            .help(format!("leave `{key}` out, or `replay`")),
        );
    }
    let at = place("replay").map(|(_, span)| *span);
    let mut recorded = Vec::new();
    for id in &workload.targets {
        let target = &targets[id.0 as usize];
        match said(asked, target) {
            Ok(read) => recorded.push(read),
            Err(error) => {
                let log = asked.log.display().to_string();
                let what = format!("{} cannot be replayed: {error}", line_of(&log));
                let complaint = Diagnostic::error("bad-value", what)
                    .help("name a log of I/Os in fio's text format, version 2 or 3");
                report.push(match at {
                    Some(span) => complaint.at(span, format!("on target `{}`", target.name)),
                    None => complaint,
                });
                break;
            }
        }
    }
    workload.recorded = recorded;
}

/// All that says what I/O looks like, but for what is written.
fn shapes() -> impl Iterator<Item = &'static str> {
    let names = SHAPE.iter().map(|key| key.name);
    names.filter(|name| *name != "content")
}

fn said(asked: &Asked, target: &Target) -> Result<(Replay, LogSizes), LogError> {
    let paths = target.location.paths();
    let files: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let names = match files.len() {
        0 | 1 => Names::One,
        _ => Names::These(&files),
    };
    let log = BufReader::new(open_log(&asked.log)?);
    let LogSaid {
        facts,
        sizes,
        names: found,
        ..
    } = read_log(log, &asked.options, names, |_| Ok(()))?;
    let foreign = found
        .iter()
        .skip(files.len().max(1))
        .find(|name| name.is_used);
    if let Some(foreign) = foreign {
        return Err(LogError::Whole(format!(
            "it uses the file {}, which is none of the target's",
            line_of(&foreign.name)
        )));
    }
    let replay = Replay {
        log: asked.log.clone(),
        options: asked.options.clone(),
        told: facts,
    };
    Ok((replay, sizes))
}
