//! `replay = "LOG"`: a workload whose I/Os are those of a log.

pub(super) mod asked;

use super::keys::SHAPE;
use super::report::Report;
use super::workload::Workload;
use asked::AskedReplay;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{LogError, LogSizes, LogSummary, Names, Replay, Target, open_log, read_log};
use plimsoll_printable::line_of;
use std::io::BufReader;

/// Keys that say what the log says.
const SAID_BY_LOG: [&str; 6] = ["share", "rate", "arrival", "quota", "verify", "read_back"];

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

fn said(asked: &AskedReplay, target: &Target) -> Result<(Replay, LogSizes), LogError> {
    let paths = target.location.paths();
    let files: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    let names = match files.len() {
        0 | 1 => Names::One,
        _ => Names::These(&files),
    };
    let log = BufReader::new(open_log(&asked.log)?);
    let LogSummary {
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
        facts,
    };
    Ok((replay, sizes))
}
