//! The logs of each I/O that fio's jobs ask for, as files.

use crate::destination::Destination;
use crate::failure::Failure;
use crate::out::tell;
use plimsoll_dialects::fio::{IoLog, Parsed};
use plimsoll_permit::output::Precious;
use plimsoll_plan::{Location, Plan};
use plimsoll_printable::line_of;
use plimsoll_report::fio::{IologLine, LogOf, is_iolog, write_iolog};
use plimsoll_rig::{Action, Chunk, Found, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// I/Os that all logs of a run have room for: each takes 24 bytes until it is written, so that is 768 MiB.
const MOST: u64 = 1 << 25;
/// Number of bytes that fio reads of a file's name (`%256s` of its `iolog.c`).
const LONGEST_NAME: usize = 255;

/// All logs.
pub struct IoLogs {
    files: Vec<(Destination, IoLog)>,
}

/// Trace in which the I/Os of these workloads are to be kept; `None` where there are none.
pub fn trace<'w>(workloads: impl Iterator<Item = &'w String>) -> Option<Arc<Trace>> {
    let workloads: BTreeSet<String> = workloads.cloned().collect();
    (!workloads.is_empty()).then(|| Arc::new(Trace::new(workloads, MOST)))
}

impl IoLogs {
    /// Asks for leave for each file, before anything is measured. A log replaces an earlier one. What is
    /// to be written is precious to those who ask later.
    pub fn ask(
        parsed: &Parsed,
        plan: &Plan,
        overwrite: bool,
        precious: &mut Vec<Precious>,
    ) -> Result<IoLogs, Failure> {
        let mut files = Vec::new();
        for log in parsed.iologs() {
            let path = Path::new(&log.path);
            names(plan, &log)?;
            if log.jobs > 1 {
                tell!(
                    "note: {} jobs write {}: it has the I/Os of all of them, by their times; fio would mix their lines up",
                    log.jobs,
                    line_of(&log.path)
                );
            }
            let of = match log.jobs {
                1 => LogOf::OneJob,
                _ => LogOf::SeveralJobs,
            };
            let place = Destination::ask_for_like(path, overwrite, precious, |f| is_iolog(f, of))?;
            precious.push(Precious::new("the log of another job", path));
            files.push((place, log));
        }
        Ok(IoLogs { files })
    }

    /// Workloads whose I/Os are to be kept until then.
    pub fn workloads(&self) -> impl Iterator<Item = &String> {
        let logs = self.files.iter().flat_map(|(_, log)| &log.of);
        logs.map(|(_, workload)| workload)
    }

    /// Writes all of them; true where all of it is there. `numbers` are those of the jobs' steps.
    pub fn write(self, plan: &Plan, numbers: &[u32], found: &Found) -> Result<bool, Failure> {
        let whole = self.files.is_empty() || found.ends.is_none();
        for (place, log) in self.files {
            let files = names(plan, &log)?;
            let lines = lines(plan, &log, numbers, found, &files);
            let names: Vec<String> = files.into_iter().map(|(_, name)| name).collect();
            place.write(|out| Ok(write_iolog(out, &names, lines)?))?;
            if let Some((_, at_ns)) = found.ends {
                tell!(
                    "error: {} ends after {:.1} s of a step: logs have room for {MOST} I/Os; measure for a shorter time, or give \
                     fewer jobs write_iolog=",
                    line_of(&log.path),
                    at_ns as f64 / 1e9
                );
            }
        }
        Ok(whole)
    }
}

/// The files of a log: each with its target and its place in that.
type Files = Vec<((u32, u16), String)>;

/// Names of the files. One file that is opened in two ways has one name, and is one file in the log.
fn names(plan: &Plan, log: &IoLog) -> Result<Files, Failure> {
    let mut files = Files::new();
    for (step, workload) in &log.of {
        let steps = plan.items.get(*step).into_iter().flat_map(|i| i.steps());
        for stream in steps.flat_map(|s| &s.streams) {
            if stream.workload != *workload {
                continue;
            }
            let target = plan.target(stream.target);
            let all = match &target.location {
                Location::Path(path) => vec![path.display().to_string()],
                Location::Concat(paths) => paths.iter().map(|p| p.display().to_string()).collect(),
                // Where there is no file, fio calls it what it would have called one.
                Location::Null(_) => vec![format!("{workload}.0.0")],
                other => vec![other.text()],
            };
            for (number, name) in all.into_iter().enumerate() {
                let key = (stream.target.0, number as u16);
                if !files.iter().any(|(known, _)| *known == key) {
                    files.push((key, checked(name, log)?));
                }
            }
        }
    }
    Ok(files)
}

fn checked(name: String, log: &IoLog) -> Result<String, Failure> {
    let why = if name.chars().any(char::is_whitespace) {
        "has blanks, which part the words of such a log"
    } else if name.len() > LONGEST_NAME {
        "is longer than the 255 bytes that fio reads"
    } else {
        return Ok(name);
    };
    Err(Failure::usage(format!(
        "write_iolog={}: the name {} {why}; give the file another name, or leave write_iolog out",
        line_of(&log.path),
        line_of(&name)
    )))
}

/// Lines of a log, by time. Steps follow each other: the times of one begin where those before it ended.
fn lines(
    plan: &Plan,
    log: &IoLog,
    numbers: &[u32],
    found: &Found,
    files: &Files,
) -> Vec<IologLine> {
    let mut out: Vec<IologLine> = Vec::new();
    let mut steps: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (step, workload) in &log.of {
        steps.entry(*step).or_default().push(workload);
    }
    for (at, workloads) in steps {
        let (Some(number), Some(item)) = (numbers.get(at), plan.items.get(at)) else {
            continue;
        };
        let Some(step) = item.steps().first() else {
            continue;
        };
        let begins = out.len();
        let before_ns = out.last().map_or(0, |line| line.at_ns);
        for chunk in found.chunks.iter().filter(|c| c.step == *number) {
            let stream = &step.streams[chunk.stream as usize];
            if workloads.contains(&stream.workload.as_str()) {
                add(&mut out, chunk, stream.target.0, found, files, before_ns);
            }
        }
        out[begins..].sort_by_key(|line| line.at_ns);
    }
    out
}

fn add(
    out: &mut Vec<IologLine>,
    chunk: &Chunk,
    target: u32,
    found: &Found,
    files: &Files,
    before_ns: u64,
) {
    // Of files of one name the first stands for all.
    let place = |number: u16| {
        let own = files.iter().find(|(key, _)| *key == (target, number))?;
        files.iter().position(|(_, name)| *name == own.1)
    };
    let mut known: Vec<Option<u32>> = Vec::new();
    for io in &chunk.ios {
        if found
            .ends
            .is_some_and(|ends| (chunk.step, io.at_ns) >= ends)
        {
            return;
        }
        let number = usize::from(io.file);
        while known.len() <= number {
            known.push(place(known.len() as u16).map(|at| at as u32));
        }
        let Some(file) = known[number] else { continue };
        out.push(IologLine {
            at_ns: before_ns + io.at_ns,
            file,
            action: match io.action {
                Action::DataSync => "datasync",
                other => other.op().log_word(),
            },
            offset: io.offset,
            length: io.length,
        });
    }
}
