//! Hosts that carry out a plan together: who they are, and what each has.

use crate::{Item, Location, Origins, Plan, Step, Stream, TargetId};
use serde::{Deserialize, Serialize};

/// A host's index in [`Hosts::list`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HostId(pub u32);

/// All hosts of a plan; none where it is carried out where it is read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hosts {
    /// They, in their order.
    pub list: Vec<Host>,
    /// A depth is that of all hosts together, as Vdbench's `threads=` is. Else each host has it for itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depth_is_of_all: bool,
}

/// A host that carries out a part of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Its name in the definition.
    pub name: String,
    /// Where it is reached: a host name or an address.
    pub address: String,
    /// Who runs it there; `None`: whoever ssh takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// How an agent comes to be there.
    #[serde(default)]
    pub shell: Shell,
    /// Its part of rates, limits and split ranges, relative to the other hosts'.
    pub share: f64,
    /// Targets that are something else on this host: each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<(TargetId, Location)>,
    /// Where its fields were written.
    #[serde(default)]
    pub origins: Origins,
}

/// How an agent comes to be on a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// It is started over ssh, and ends with the run.
    #[default]
    Ssh,
    /// One runs there.
    Agent,
    /// It would be started over rsh, which sends all that is said in the clear: nobody does.
    Rsh,
}

/// What several hosts have in a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Each has one of its own.
    #[default]
    Own,
    /// All reach one, and each uses all of it; what passes through it in order is divided among them.
    Whole,
    /// All reach one, and each has a range of it that no other host touches.
    Split,
}

impl Host {
    /// Whether it is the host that reads the plan: nothing is needed to reach it.
    pub fn is_here(&self) -> bool {
        const HERE: [&str; 4] = ["localhost", "127.0.0.1", "::1", "[::1]"];
        self.user.is_none() && HERE.contains(&self.address.as_str())
    }

    /// What ssh reaches it by: `10.0.0.7`, or `root@10.0.0.7` where a user is named.
    pub fn reached_by(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.address),
            None => self.address.clone(),
        }
    }

    /// A host that is called what it is reached by.
    pub fn new(name: impl Into<String>) -> Host {
        let name = name.into();
        Host {
            address: name.clone(),
            name,
            user: None,
            shell: Shell::default(),
            share: 1.0,
            paths: Vec::new(),
            origins: Origins::default(),
        }
    }
}

/// Whether a text can only be the name or address of a host, or a user's: nothing that ssh takes for an option, and nothing that a
/// shell takes for a command.
pub fn names_somebody(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || ".-_:[]%".contains(c);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(fits)
}

impl Hosts {
    /// Whether the plan is carried out where it is read.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All, by their indices.
    pub fn ids(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.list.len() as u32).map(HostId)
    }
}

impl Plan {
    /// The hosts that carry a stream out: those that it names and that have its target.
    pub fn hosts_of(&self, stream: &Stream) -> Vec<HostId> {
        let target = self.targets.get(stream.target.0 as usize);
        let has = |named: &[HostId], host: &HostId| named.is_empty() || named.contains(host);
        let has_target = |host: &HostId| target.is_none_or(|t| has(&t.hosts, host));
        let ids = self.hosts.ids();
        ids.filter(|h| has(&stream.hosts, h) && has_target(h))
            .collect()
    }

    /// The plan as a host has it: its own paths, the streams that it carries out, and nobody else. Steps and runs in which it
    /// does nothing are left out. Rates, limits and ranges are those of all hosts still: [`crate::divide()`] does that for a step.
    #[must_use]
    pub fn of_host(&self, host: HostId) -> Plan {
        let mut plan = self.clone();
        if let Some(own) = self.hosts.list.get(host.0 as usize) {
            for (target, location) in &own.paths {
                if let Some(target) = plan.targets.get_mut(target.0 as usize) {
                    target.location = location.clone();
                }
            }
        }
        plan.hosts = Hosts::default();
        plan.items.retain_mut(|item| {
            let steps = match item {
                Item::Step(step) => std::slice::from_mut(step),
                Item::Curve(curve) => std::slice::from_mut(&mut curve.base),
                Item::Method(method) => &mut method.steps[..],
            };
            steps
                .iter_mut()
                .for_each(|s| keep_only(s, |stream| self.hosts_of(stream).contains(&host)));
            steps.iter().any(|s| !s.streams.is_empty())
        });
        for target in &mut plan.targets {
            target.hosts.clear();
        }
        plan
    }
}

/// Leaves a step with these streams, and with the depths of their targets.
pub(crate) fn keep_only(step: &mut Step, keep: impl Fn(&Stream) -> bool) {
    step.streams.retain(keep);
    let used: Vec<TargetId> = step.streams.iter().map(|s| s.target).collect();
    step.depths.retain(|d| used.contains(&d.target));
    for stream in &mut step.streams {
        stream.hosts.clear();
    }
}
