//! The runs of a definition that was carried out elsewhere: what could not be done here does not matter, nor what its storage is.

use super::step::{self, slots};
use super::{content, stream};
use crate::asked::{AskedRun, AskedStream};
use crate::vdbench::definition::Definition;
use crate::vdbench::input::Input;
use crate::vdbench::model::{LoopKey, RateRequest, Storage, Workload};
use crate::vdbench::run::{Assignment, Run, RunRate, Work};
use crate::vdbench::{Parsed, parse, simulation};
use plimsoll_plan::{Arrival, Bytes, Caching, Load, Mix, Rate, TargetId};
use std::collections::BTreeMap;

/// The runs of a parameter file's text, in order; none where it is not whole: other files that it includes are not read.
pub fn asked(text: &str) -> Vec<AskedRun> {
    // In a report's page the text stands between tags.
    let bare = |line: &str| match line.trim_start().starts_with('<') {
        true => "\n".to_string(),
        false => format!("{line}\n"),
    };
    let text: String = text.lines().map(bare).collect();
    // A trace that is replayed is a file as well. The reader drops byte order marks as it drops blanks.
    let is_dropped = |c: char| c.is_whitespace() || c == '\u{feff}';
    let names_files = |line: &str| {
        let line = line.trim_start_matches(is_dropped);
        line.starts_with("include=") || line.contains("replay=")
    };
    if text.lines().any(names_files) {
        return Vec::new();
    }
    parse(&Input::text("parameters", text)).map_or_else(|_| Vec::new(), |parsed| parsed.asked())
}

impl Parsed {
    /// Runs on storage, in order.
    pub fn asked(&self) -> Vec<AskedRun> {
        let runs = self.runs.iter().zip(self.run_titles());
        runs.filter_map(|(run, (name, loops))| {
            let Work::Raw(assignments) = &run.work else {
                return None;
            };
            let from = &self.definition.runs[run.definition];
            Some(AskedRun {
                name,
                loops,
                streams: streams(&self.definition, run, assignments),
                load: load(run, from.rate.as_ref(), step::arrival(from)),
                warmup: Some(step::seconds(from.warmup)),
                elapsed: Some(step::seconds(from.elapsed)),
            })
        })
        .collect()
    }
}

fn load(run: &Run, of: Option<&RateRequest>, arrival: Arrival) -> Option<Load> {
    match (&run.rate, of) {
        (rate, _) if rate.is_max() => Some(Load::Max),
        (RunRate::CurveMax, _) => Some(Load::Max),
        (RunRate::Fixed(rate) | RunRate::Listed { rate, .. }, _) => {
            Some(Load::rate(Rate(*rate), arrival))
        }
        (RunRate::PercentOfLast { percent, .. }, _) => Some(Load::percent(*percent, arrival)),
        (RunRate::CurvePoint(percent), _) => Some(Load::percent(f64::from(*percent), arrival)),
        (RunRate::Schedule, Some(RateRequest::Schedule(segments))) => {
            Some(step::schedule(segments, arrival))
        }
        _ => None,
    }
}

/// Hosts of which each has its streams here.
const MOST_HOSTS: u64 = 64;

/// A stream for each workload on each storage, and on each host; what is in flight on a storage is that of the first of them.
fn streams(definition: &Definition, run: &Run, assignments: &[Assignment]) -> Vec<AskedStream> {
    let mut streams = Vec::new();
    let mut slots_of: BTreeMap<usize, u64> = BTreeMap::new();
    for assignment in assignments {
        let Some(workload) = simulation::workload(definition, assignment.workload) else {
            continue;
        };
        for at in &assignment.storages {
            let storage = &definition.storages[*at];
            let slots = u64::from(slots(definition, run, workload, storage));
            let before = slots_of.insert(*at, slots).unwrap_or(0);
            let rate = workload.rate.map(|r| r / assignment.storages.len() as f64);
            let stream = AskedStream {
                depth: Some(slots),
                in_flight: Some(slots.saturating_sub(before)),
                rate: rate.map(Rate),
                ..one(definition, run, workload, storage, *at)
            };
            let hosts = match definition.hosts.is_empty() {
                true => 1,
                false => definition.host_count(&storage.hosts).clamp(1, MOST_HOSTS),
            };
            // Each host has its own threads; what that comes to in flight, and whether they share the storage, nobody says.
            streams.extend((0..hosts).map(|host| match hosts {
                1 => stream.clone(),
                _ => AskedStream {
                    place: stream.place.as_ref().map(|p| format!("{p} of host {host}")),
                    bytes: None,
                    in_flight: None,
                    ..stream.clone()
                },
            }));
        }
    }
    streams
}

fn one(
    definition: &Definition,
    run: &Run,
    workload: &Workload,
    storage: &Storage,
    at: usize,
) -> AskedStream {
    let from = &definition.runs[run.definition];
    let flags = from.open_flags.or(workload.open_flags);
    let flags = flags.or(storage.open_flags);
    let lun = storage.luns.first().map(|l| l.path.clone());
    let id = TargetId(at as u32);
    let made = stream::stream(definition, run, workload, &[at], id, 1.0, 1).ok();
    let read = stream::loop_value(run, LoopKey::ReadPercent);
    AskedStream {
        caching: match (flags, lun.as_deref()) {
            (Some(flags), _) if flags.caching == Caching::Direct => Some(Caching::Direct),
            // Vdbench insists on it for devices of Linux.
            (_, Some(path)) if path.starts_with("/dev/") => Some(Caching::Direct),
            (_, Some(path)) if path.starts_with('/') => Some(Caching::Buffered),
            // A path of another system has rules of its own.
            _ => None,
        },
        durability: Some(flags.map_or(Default::default(), |f| f.durability)),
        bytes: storage.size.map(Bytes),
        place: lun,
        mix: Some(Mix::of_reads(read.unwrap_or(workload.read_percent))),
        size: Some(stream::size(run, workload)),
        pattern: made.as_ref().map(|s| s.address.pattern.clone()),
        hits: stream::hits(run, workload, storage),
        content: content::content(definition, run, storage).ok(),
        ..AskedStream::default()
    }
}
