//! What was asked of the devices below the targets, beside what these did by their own counters.
//!
//! Targets that share a disk have one account: nobody can tell which of them a disk's I/O was for.

mod foreign;
mod reads;
mod sizes;

pub use foreign::Foreign;
pub use reads::{WHOLE, of_reads};
pub use sizes::{Sizes, of_sizes};

use crate::{
    NoAnswer, RuleAnswer, RuleFinding, RunView, applies, clean_unless, findings, observable, others,
};
use plimsoll_evidence::witnessed::{CacheUse, DeviceUse, RecordKeeping, ThreadUse};
use plimsoll_evidence::{
    BlockLayer, Environment, EnvironmentTarget, StepEvidence, StreamSummary, Witnessed,
};
use plimsoll_measure::Op;
use plimsoll_plan::Target;

/// I/Os of one direction, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moved {
    /// Number of I/Os.
    pub ios: f64,
    /// Their bytes.
    pub bytes: f64,
}

impl Moved {
    /// Mean size of the I/Os, bytes; `None` of none.
    pub fn size(self) -> Option<f64> {
        (self.ios > 0.0).then(|| self.bytes / self.ios)
    }
}

/// The targets of one step that share disks, and these.
#[derive(Debug, Clone)]
pub struct Account<'a> {
    /// The step.
    pub step: &'a StepEvidence,
    /// Observations of the kernel and the host during the step.
    pub seen: &'a Witnessed,
    /// The targets, as they were found.
    pub targets: Vec<&'a EnvironmentTarget>,
    /// The same in the plan; empty where the record does not hold it.
    pub planned: Vec<&'a Target>,
    /// The devices that the I/Os were given to, each once.
    pub fronts: Vec<&'a DeviceUse>,
    /// Devices of `fronts` that are not below another one of them, where its I/Os would count once more.
    pub tops: Vec<&'a DeviceUse>,
    /// Bytes that were asked of the others for themselves, reads and writes; at the least, where that is not known.
    pub beneath_bytes: [f64; 2],
    /// The devices at the bottom, each once.
    pub leaves: Vec<&'a DeviceUse>,
    /// I/Os that were asked for: reads and writes.
    pub asked: [Moved; 2],
    /// True where this account holds all that the step did to storage.
    pub is_all: bool,
}

/// Reads, in what has one for each direction.
pub const READ: usize = 0;
/// Writes.
pub const WRITE: usize = 1;

/// Counters and intervals are not looked at in the same instant: by so much of the time, s, a count may be off.
const APART_S: f64 = 0.05;
/// Where workers waited for a CPU for this share of the time, who looks waits as well.
const WAITED: f64 = 0.05;
/// No look is taken to be later than this, s, or this share of a long step: the longest I/O may be the target's own doing.
const LATEST_S: f64 = 1.0;
const LATEST: f64 = 0.05;
/// Of a step that was seen for less of its time nothing is reckoned up.
const SEEN: f64 = 0.9;

impl Account<'_> {
    /// Bytes by which a direction's counts may differ without any fault: I/Os that were out at both ends, and looks that were
    /// not at the same instant.
    pub fn blur(&self, direction: usize) -> f64 {
        let asked = self.asked[direction];
        let apart = (self.seen.observed_s - self.step.counted_s).abs() + APART_S + self.late_s();
        let out = self.step.slots as f64 * asked.size().unwrap_or(0.0);
        asked.bytes * apart / self.step.counted_s + out
    }

    /// How late a look may be where the host gives no CPU: what was out meanwhile came back as late, so not later than the longest did.
    fn late_s(&self) -> f64 {
        let waited = |t: &ThreadUse| t.waited_s > WAITED * self.seen.observed_s;
        match self.seen.threads.iter().any(waited) {
            true => {
                let longest_s = self.step.service.max_ns().unwrap_or(0) as f64 / 1e9;
                longest_s.min(LATEST_S.max(LATEST * self.step.counted_s))
            }
            false => 0.0,
        }
    }

    /// I/Os that devices did in one direction.
    pub fn done(devices: &[&DeviceUse], direction: usize) -> Moved {
        let sum = |of: fn(&DeviceUse) -> u64| devices.iter().map(|d| of(d) as f64).sum();
        match direction {
            READ => Moved {
                ios: sum(|d| d.reads),
                bytes: sum(|d| d.read_bytes),
            },
            _ => Moved {
                ios: sum(|d| d.writes),
                bytes: sum(|d| d.written_bytes),
            },
        }
    }

    /// True where any of the targets goes through the page cache.
    pub fn is_buffered(&self) -> bool {
        self.planned.iter().any(|t| t.is_buffered())
    }

    /// True where writes of the targets come in one for one at the bottom: nothing keeps copies or a journal, or writes later.
    pub fn writes_are_plain(&self) -> bool {
        let journaled = self.on_files() && self.planned.iter().any(|t| t.is_durable());
        !(self.is_buffered() || journaled || self.layers().any(multiplies))
    }

    /// True where any of the targets lies on a file system.
    pub fn on_files(&self) -> bool {
        self.targets.iter().any(|t| t.filesystem.is_some())
    }

    /// Bytes that reads of it make the devices fetch: what the kernel fetched for this process, but of direct reads no more than
    /// was asked for; `None` where nobody told. The kernel charges a direct I/O that finds no tag free when it is tried and again
    /// when it is tried once more.
    pub fn fetched_bytes(&self) -> Option<f64> {
        let own = self.seen.own.filter(|_| self.is_all);
        let own = own.map(|own| own.read_bytes as f64);
        let is_direct = !self.planned.is_empty() && !self.is_buffered();
        let asked = is_direct.then_some(self.asked[READ].bytes);
        match (own, asked) {
            (Some(own), Some(asked)) => Some(own.min(asked)),
            (own, asked) => own.or(asked),
        }
    }

    /// Bytes that the record took on its disks.
    pub fn record_bytes(&self) -> f64 {
        let here = |r: &&RecordKeeping| self.leaves.iter().any(|d| r.disks.contains(&d.name));
        let record = self.seen.record.as_ref().filter(here);
        record.map_or(0.0, |r| r.written_bytes as f64)
    }

    /// The part of its targets that lay in the page cache at the end; `None` where nobody told.
    pub fn cached(&self) -> Option<f64> {
        self.cached_by(|c| Some(c.cached_bytes))
    }

    /// The part that lay there before the step began.
    pub fn cached_before(&self) -> Option<f64> {
        self.cached_by(|c| c.cached_before_bytes)
    }

    fn cached_by(&self, of: fn(&CacheUse) -> Option<u64>) -> Option<f64> {
        let is_ours = |c: &&CacheUse| self.targets.iter().any(|t| t.name == c.target);
        let caches = || self.seen.caches.iter().filter(is_ours);
        let all: f64 = caches().map(|c| c.target_bytes as f64).sum();
        let cached: Option<u64> = caches().map(of).sum();
        cached.filter(|_| all > 0.0).map(|c| c as f64 / all)
    }

    /// All layers below its targets.
    pub fn layers(&self) -> impl Iterator<Item = &BlockLayer> {
        self.targets.iter().flat_map(|t| &t.stack)
    }

    /// The names of devices, for a sentence.
    pub fn names(devices: &[&DeviceUse]) -> String {
        let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
        names.join(", ")
    }

    /// Names of the targets, for a sentence.
    pub fn of_what(&self) -> String {
        let names: Vec<&str> = self.targets.iter().map(|t| t.name.as_str()).collect();
        names.join(", ")
    }
}

/// True where a layer may make more or other writes of those that it gets, or the same ones at another time.
pub fn multiplies(layer: &BlockLayer) -> bool {
    match layer.kind.as_str() {
        "md" | "loop" => true,
        "dm" => layer.slaves.len() > 1 || !is_plain_mapping(layer) || has_snapshots(layer),
        _ => false,
    }
}

/// Mappings that hand each I/O down as it is. Device mapper's makers say in their UUID who they are, which is the model's first word.
fn is_plain_mapping(layer: &BlockLayer) -> bool {
    let maker = layer
        .model
        .as_deref()
        .and_then(|m| m.split_whitespace().next());
    maker.is_some_and(|m| ["lvm", "crypt", "part1", "mpath"].contains(&m))
}

/// LVM keeps the data of a volume that has classic snapshots in `NAME-real` below it: a first write there is preceded by a read
/// and by a write of the old data for each snapshot. A hyphen of the volume's own name is written twice.
fn has_snapshots(layer: &BlockLayer) -> bool {
    let name = layer.model.as_deref().unwrap_or_default();
    let hidden = name.strip_suffix("-real");
    hidden.is_some_and(|volume| !volume.ends_with('-'))
}

/// The accounts of all measured steps; else why there are none.
pub fn of<'a>(view: &RunView<'a>) -> Result<Vec<Account<'a>>, NoAnswer> {
    let steps = others::of(view)?;
    let lacks = "what everyone else saw on each host: of several only the first was looked at";
    observable(view.environment.more_hosts.is_empty(), lacks)?;
    let local = |t: &&EnvironmentTarget| {
        ["file", "block device", "concatenation"].contains(&t.kind.as_str())
    };
    applies(view.environment.targets.iter().any(|t| local(&t)))?;
    let of_one = |(step, seen)| of_step(view.environment, view.planned(), step, seen);
    let all: Vec<Account<'a>> = steps.into_iter().flat_map(of_one).collect();
    observable(
        !all.is_empty(),
        "the counters of the block devices below the targets, over all of the counted time",
    )?;
    Ok(all)
}

/// Answer of a rule that looked at accounts. Where it found nothing, and a device below a target counted nothing, that is no clean bill of
/// health.
pub fn judged(view: &RunView<'_>, found: impl IntoIterator<Item = RuleFinding>) -> RuleAnswer {
    clean_unless(
        findings(found),
        lacks_counters(view),
        "a block device below the targets that counts nothing (queue/iostats is 0)",
    )
}

/// Whether a device at either end of a stack in use was not seen in a step in which others were.
fn lacks_counters(view: &RunView<'_>) -> bool {
    let steps = others::of(view).unwrap_or_default();
    steps.into_iter().any(|(step, seen)| {
        let targets = view.environment.targets.iter().enumerate();
        let used = |n| step.streams.is_empty() || on(step, n).next().is_some();
        targets.filter(|(n, _)| used(*n)).any(|(_, target)| {
            let front = target.stack.first().map(|l| l.name.as_str());
            let mut names = bottom(target).into_iter().chain(front);
            names.any(|name| seen.device(name).is_none())
        })
    })
}

/// The accounts of one step on the targets of an environment, as they were planned (none where that is not known). Of a step that was
/// seen for too little of its time there are none, nor of devices that count nothing.
pub fn of_step<'a>(
    environment: &'a Environment,
    planned: &'a [Target],
    step: &'a StepEvidence,
    seen: &'a Witnessed,
) -> Vec<Account<'a>> {
    if seen.observed_s < SEEN * step.counted_s {
        return Vec::new();
    }
    let targets = &environment.targets;
    let used: Vec<usize> = (0..targets.len())
        .filter(|n| step.streams.is_empty() || on(step, *n).next().is_some())
        .collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for n in used {
        let mine = bottom(&targets[n]);
        let meets = |group: &Vec<usize>| {
            step.streams.is_empty()
                || group
                    .iter()
                    .any(|m| bottom(&targets[*m]).iter().any(|l| mine.contains(l)))
        };
        let (meeting, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|g| meets(g));
        let mut joined: Vec<usize> = meeting.into_iter().flatten().collect();
        joined.push(n);
        others.push(joined);
        groups = others;
    }
    let is_all = groups.len() == 1;
    groups
        .into_iter()
        .filter_map(|group| account((targets, planned), (step, seen), &group, is_all))
        .collect()
}

fn account<'a>(
    (all, planned): (&'a [EnvironmentTarget], &'a [Target]),
    (step, seen): (&'a StepEvidence, &'a Witnessed),
    group: &[usize],
    is_all: bool,
) -> Option<Account<'a>> {
    let targets: Vec<&EnvironmentTarget> = group.iter().map(|n| &all[*n]).collect();
    // Of files in one the devices below the first alone are known.
    if targets.iter().any(|t| t.kind == "concatenation") {
        return None;
    }
    let fronts: Option<Vec<&BlockLayer>> = targets.iter().map(|t| t.stack.first()).collect();
    let fronts: Vec<&str> = fronts?.into_iter().map(|l| l.name.as_str()).collect();
    let below = |name: &str| {
        let mut layers = targets.iter().flat_map(|t| t.stack.iter().skip(1));
        layers.any(|l| l.name == name)
    };
    let tops = fronts.iter().copied().filter(|name| !below(name));
    // A file's holes, and what lies in the page cache, ask nothing of a device.
    let direct = |n: &usize| {
        all[*n].kind == "block device" && planned.get(*n).is_some_and(|t| !t.is_buffered())
    };
    let beneath: Vec<usize> = group
        .iter()
        .zip(&fronts)
        .filter(|(n, front)| below(front) && direct(n))
        .map(|(n, _)| *n)
        .collect();
    let leaves = targets.iter().flat_map(|t| bottom(t));
    Some(Account {
        step,
        seen,
        tops: uses(seen, tops)?,
        beneath_bytes: [Op::Read, Op::Write].map(|op| match step.streams.is_empty() {
            true => 0.0,
            false => asked(step, &beneath, op).bytes,
        }),
        fronts: uses(seen, fronts.into_iter())?,
        leaves: uses(seen, leaves)?,
        asked: [Op::Read, Op::Write].map(|op| asked(step, group, op)),
        planned: group.iter().filter_map(|n| planned.get(*n)).collect(),
        targets,
        is_all,
    })
}

/// The counters of devices, each once; `None` where one of them has none.
fn uses<'a, 'n>(
    seen: &'a Witnessed,
    names: impl Iterator<Item = &'n str>,
) -> Option<Vec<&'a DeviceUse>> {
    let mut found: Vec<&DeviceUse> = Vec::new();
    for name in names {
        let device = seen.device(name)?;
        if !found.iter().any(|d| d.name == device.name) {
            found.push(device);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The names of the devices at the bottom of a target. A loop device is one where its file lies on no device.
pub fn bottom(target: &EnvironmentTarget) -> Vec<&str> {
    let ends = |l: &&BlockLayer| l.kind != "partition" && l.slaves.is_empty();
    let (loops, disks): (Vec<&BlockLayer>, Vec<&BlockLayer>) = target
        .stack
        .iter()
        .filter(ends)
        .partition(|l| l.kind == "loop");
    let found = if disks.is_empty() { loops } else { disks };
    found.into_iter().map(|l| l.name.as_str()).collect()
}

/// The parts of a step's streams on a target, of all hosts together.
fn on(step: &StepEvidence, target: usize) -> impl Iterator<Item = &StreamSummary> {
    let here = move |s: &&StreamSummary| s.host == 0 && s.target as usize == target;
    step.streams.iter().filter(here)
}

fn asked(step: &StepEvidence, group: &[usize], op: Op) -> Moved {
    let of_streams = group.iter().flat_map(|n| on(step, *n)).flat_map(|s| &s.ops);
    let ops: Vec<_> = match step.streams.is_empty() {
        true => step.ops.iter().collect(),
        false => of_streams.collect(),
    };
    let ops = || ops.iter().filter(|o| o.op == op);
    Moved {
        ios: ops().map(|o| o.ios as f64).sum(),
        bytes: ops().map(|o| o.bytes as f64).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_of_snapshots_multiplies_and_a_volume_that_is_called_so_does_not() {
        let with = |model: &str| {
            multiplies(&BlockLayer {
                kind: "dm".into(),
                slaves: vec!["sda2".into()],
                model: Some(model.into()),
                ..BlockLayer::default()
            })
        };
        assert!(with("lvm vg0-data-real"));
        assert!(!with("lvm vg0-data") && !with("lvm vg0-data--real"));
    }
}
