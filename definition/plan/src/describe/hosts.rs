//! What each host does, where several carry a plan out.

use super::table::Table;
use super::{Description, words};
use crate::divide::divide;
use crate::estimate::mean_rate;
use crate::{Limits, Plan, Sharing, Shell, Step};
use serde::{Deserialize, Serialize};

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedHost {
    /// Its name.
    pub name: String,
    /// Where it is reached, with the user where one is named: `root@10.0.0.7`.
    pub address: String,
    /// `over ssh`, `here`, or `an agent runs there`.
    pub start: String,
    /// Its part of what all its kind share, percent of all hosts' shares.
    pub share: f64,
}

/// A host's part of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedPart {
    /// The host.
    pub host: String,
    /// How much it is asked for, in words.
    pub load: String,
    /// The rate that it is offered, I/Os per second, where it is known.
    pub rate: Option<f64>,
    /// I/Os that it has in flight, all its targets together.
    pub depth: u64,
    /// What ends its part before the time; absent where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What it does.
    pub streams: Vec<DescribedPartStream>,
}

/// A workload on a target, on a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedPartStream {
    /// The workload.
    pub workload: String,
    /// The target.
    pub target: String,
    /// What that is there.
    pub location: String,
    /// `its own`, `shared` or `split`.
    pub has: String,
    /// Where its addresses fall.
    pub address: String,
}

/// All hosts of a plan.
pub(super) fn hosts(plan: &Plan) -> Vec<DescribedHost> {
    let all: f64 = plan.hosts.list.iter().map(|h| h.share).sum();
    let described = |host: &crate::Host| DescribedHost {
        name: host.name.clone(),
        address: host.reached_by(),
        start: match host.shell {
            Shell::Ssh if host.is_here() => "here".to_string(),
            Shell::Ssh => "over ssh".to_string(),
            Shell::Agent => "an agent runs there".to_string(),
            Shell::Rsh => "over rsh, which is refused".to_string(),
        },
        share: percent(host.share / all),
    };
    plan.hosts.list.iter().map(described).collect()
}

fn percent(part: f64) -> f64 {
    (1000.0 * part).round() / 10.0
}

/// What each host does in a step; nothing where nobody can say, which the plan's checks tell of.
pub(super) fn parts(plan: &Plan, step: &Step) -> Vec<DescribedPart> {
    if plan.hosts.is_empty() {
        return Vec::new();
    }
    let Ok(parts) = divide(plan, step) else {
        return Vec::new();
    };
    let hosts = plan.hosts.list.iter().zip(parts);
    hosts
        .filter_map(|(host, part)| Some(part_of(plan, host, &part?)))
        .collect()
}

fn part_of(plan: &Plan, host: &crate::Host, part: &Step) -> DescribedPart {
    let stream = |s: &crate::Stream| {
        let target = plan.target(s.target);
        let own = host.paths.iter().find(|(id, _)| *id == s.target);
        DescribedPartStream {
            workload: s.workload.clone(),
            target: target.name.clone(),
            location: own.map_or(&target.location, |(_, l)| l).text(),
            has: match target.sharing() {
                Sharing::Own => "its own",
                Sharing::Whole => "shared",
                Sharing::Split => "split",
            }
            .to_string(),
            address: words::address(&s.address),
        }
    };
    DescribedPart {
        host: host.name.clone(),
        load: words::load_of(part),
        rate: mean_rate(&part.load),
        depth: part.total_depth(),
        until: until(&part.limits),
        streams: part.streams.iter().map(stream).collect(),
    }
}

/// What ends a step before its time, where anything does: `1GiB moved or 500 I/Os`.
pub(super) fn until(limits: &Limits) -> Option<String> {
    let bytes = |bytes: Option<crate::Bytes>, what: &str| bytes.map(|b| format!("{b} {what}"));
    let said: Vec<String> = [
        bytes(limits.bytes, "moved"),
        bytes(limits.read_bytes, "read"),
        bytes(limits.written_bytes, "written"),
        limits.ios.map(|n| format!("{n} I/Os")),
        limits.overwrites.map(|n| format!("{n} overwrites")),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!said.is_empty()).then(|| said.join(" or "))
}

/// Parts of a curve's point: how much that is, the maximum tells.
pub(super) fn of_a_point(maximum: &[DescribedPart]) -> Vec<DescribedPart> {
    let point = |part: &DescribedPart| DescribedPart {
        load: "its part of the point".to_string(),
        ..part.clone()
    };
    maximum.iter().map(point).collect()
}

/// What the numbers mean.
pub(super) fn note(plan: &Plan) -> Option<String> {
    let depths = match plan.hosts.depth_is_of_all {
        true => "and so are depths",
        false => "and depths are each host's own",
    };
    (!plan.hosts.is_empty()).then(|| {
        format!(
            "rates and limits are those of all hosts together, divided by their shares, {depths}"
        )
    })
}

impl Description {
    /// Tables of the hosts that carry it out, and what each does; nothing where that is one host.
    pub(super) fn host_tables(&self) -> String {
        if self.hosts.is_empty() {
            return String::new();
        }
        let mut table = Table::new(["host", "address", "share", "starts"]);
        table.right(&[2]);
        for h in &self.hosts {
            table.row([&h.name, &h.address, &format!("{}%", h.share), &h.start]);
        }
        format!("\n{}\n{}", table.text(), self.part_table())
    }

    /// What each host does; steps in which all do the same share their lines.
    fn part_table(&self) -> String {
        let mut table = Table::new([
            "steps",
            "host",
            "load",
            "depth",
            "until",
            "workload",
            "target",
            "there",
            "addresses",
        ]);
        table.right(&[3]);
        let mut at = 0;
        while at < self.steps.len() {
            let parts = &self.steps[at].parts;
            let alike = self.steps[at..].iter().take_while(|s| s.parts == *parts);
            let last = at + alike.count();
            let mut numbers = match last - at {
                1 => self.steps[at].number.to_string(),
                _ => format!("{}-{}", self.steps[at].number, self.steps[last - 1].number),
            };
            for part in parts {
                for (i, s) in part.streams.iter().enumerate() {
                    let first = |text: &str| {
                        if i == 0 {
                            text.to_string()
                        } else {
                            String::new()
                        }
                    };
                    let there = format!("{} ({})", s.location, s.has);
                    table.row([
                        &std::mem::take(&mut numbers),
                        &first(&part.host),
                        &first(&part.load),
                        &first(&part.depth.to_string()),
                        &first(part.until.as_deref().unwrap_or("-")),
                        &s.workload,
                        &s.target,
                        &there,
                        &s.address,
                    ]);
                }
            }
            at = last;
        }
        table.text()
    }
}
