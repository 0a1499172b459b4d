//! Plans: targets, and the items that are measured on them.

use crate::{
    Arrival, Claim, Command, DepthSearch, HostId, Hosts, Location, MethodSpec, Nanos, Slo, Step,
    Stream, Target, TargetId, Tree,
};
use serde::{Deserialize, Serialize};

/// Errors after which all ends where nobody says otherwise; Vdbench's number.
pub const DEFAULT_MAX_ERRORS: u64 = 50;

/// Plan: all that one invocation measures, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Which dialect it was written in: `native`, `vdbench`, `command line`.
    pub dialect: String,
    /// The title that people know it by.
    pub title: Option<String>,
    /// A word to find the record by, of those that measured the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Note on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The claim that its results are to stand for; `None`: what their length supports, [`Plan::judged_for`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// All targets; steps refer to them by index.
    pub targets: Vec<Target>,
    /// The hosts that carry it out together; none: the host that reads it.
    #[serde(default, skip_serializing_if = "Hosts::is_empty")]
    pub hosts: Hosts,
    /// The steps and methods, in order.
    pub items: Vec<Item>,
    /// All ends with this error.
    pub max_errors: u64,
    /// Seed of every random choice; `None`: drawn by the rig and recorded.
    pub seed: Option<u64>,
    /// Commands before and after everything; run only with `--allow-commands`.
    pub start_commands: Vec<Command>,
    /// Commands after everything.
    pub end_commands: Vec<Command>,
}

/// One entry of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// One measurement, or one fill.
    Step(Step),
    /// A maximum, then percentages of it.
    Curve(CurveSpec),
    /// Another method.
    Method(MethodSpec),
}

/// The curve method: perhaps a search for the depth that carries most, then `base` at its maximum, then each percentage
/// of what it reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSpec {
    /// The step to vary; its load is [`Load::Max`] or [`Load::MaxShared`].
    pub base: Step,
    /// Percentages of the maximum, in the order to run.
    pub percents: Vec<u32>,
    /// The arrivals of the points.
    pub arrival: Arrival,
    /// After a point whose mean service time exceeds this, everything ends (Vdbench's `stopcurve`).
    pub stop_service: Option<Nanos>,
    /// Response-time limits at which the capacity is stated; empty: [`crate::default_slos`].
    #[serde(default)]
    pub slos: Vec<Slo>,
    /// How the depth of the maximum is found; `None` where it was given.
    #[serde(default)]
    pub search: Option<DepthSearch>,
}

impl Plan {
    /// Limits of response time that the curve of a run is held to; nothing of a run that is no curve, or of another plan.
    pub fn slos(&self, run: &str) -> &[crate::Slo] {
        let of = |item: &'_ Item| match item {
            Item::Curve(curve) => curve.base.run == run,
            Item::Method(method) => method.run() == run,
            Item::Step(_) => false,
        };
        match self.items.iter().find(|item| of(item)) {
            Some(Item::Curve(curve)) => &curve.slos,
            Some(Item::Method(method)) => match &method.question {
                crate::Question::Adaptive(adaptive) => &adaptive.slos,
                _ => &[],
            },
            _ => &[],
        }
    }
}

impl Plan {
    /// The target of an index.
    pub fn target(&self, id: TargetId) -> &Target {
        &self.targets[id.0 as usize]
    }

    /// All steps that can be known before anything has run; a curve's points are only its base here. What may be done to the
    /// targets is all in them.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.items.iter().flat_map(Item::steps)
    }

    /// True where a stream of any step changes what this target holds.
    pub fn changes_target(&self, index: usize) -> bool {
        let mut streams = self.steps().flat_map(|s| &s.streams);
        streams.any(|s| s.changes(TargetId(index as u32)))
    }

    /// True where a run makes the tree of a target, so that nothing else does before it.
    pub fn makes(&self, id: TargetId) -> bool {
        let mut streams = self.steps().flat_map(|step| &step.streams);
        streams.any(|s| s.target == id && s.files.makes.is_some())
    }

    /// True for trees that take turns in one directory, and no run works on both: each is made by runs of its own; or they are an fsd of
    /// Vdbench's whose numbers differ from run to run.
    pub fn take_turns(&self, one: TargetId, other: TargetId) -> bool {
        let (first, second) = (self.target(one), self.target(other));
        let (Location::Tree(a), Location::Tree(b)) = (&first.location, &second.location) else {
            return false;
        };
        let has = |step: &Step, id: TargetId| {
            let mut streams = step.streams.iter();
            streams.any(|s| s.target == id || s.files.to == Some(id))
        };
        one != other
            && a.root == b.root
            && a.names.is_none()
            && b.names.is_none()
            && (&first.hosts, first.shared) == (&second.hosts, second.shared)
            && (self.dialect == "vdbench" || self.makes(one) && self.makes(other))
            && !self.steps().any(|step| has(step, one) && has(step, other))
    }

    /// Trees that take turns with a target.
    pub fn turns(&self, id: TargetId) -> impl Iterator<Item = (TargetId, &Tree)> {
        let all = (0..).map(TargetId).zip(&self.targets);
        all.filter_map(move |(other, target)| Some((other, target.location.tree()?)))
            .filter(move |(other, _)| self.take_turns(id, *other))
    }

    /// True where a target is another one by one of its paths alone. Such a one is only read: what is to be filled or written is
    /// done by the whole of it.
    pub fn is_path(&self, id: TargetId) -> bool {
        self.items.iter().any(|item| match item {
            Item::Method(method) => method.paths().contains(&id),
            Item::Step(_) | Item::Curve(_) => false,
        })
    }
}

impl Plan {
    /// These steps on these targets, as the native language has them where nothing more is said. Whoever wants a seed writes
    /// `Plan { seed, ..Plan::new(…) }`.
    pub fn new(targets: Vec<Target>, items: Vec<Item>) -> Plan {
        Plan {
            dialect: "native".into(),
            title: None,
            tag: None,
            note: None,
            claim: None,
            targets,
            hosts: Hosts::default(),
            items,
            max_errors: crate::DEFAULT_MAX_ERRORS,
            seed: None,
            start_commands: Vec::new(),
            end_commands: Vec::new(),
        }
    }
}

impl Item {
    /// The step, or those which all of a method's are made of.
    pub fn steps(&self) -> &[Step] {
        match self {
            Item::Step(step) => std::slice::from_ref(step),
            Item::Curve(curve) => std::slice::from_ref(&curve.base),
            Item::Method(method) => &method.steps,
        }
    }

    /// Steps of [`Item::steps`], to be changed.
    pub fn steps_mut(&mut self) -> &mut [Step] {
        match self {
            Item::Step(step) => std::slice::from_mut(step),
            Item::Curve(curve) => std::slice::from_mut(&mut curve.base),
            Item::Method(method) => &mut method.steps,
        }
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

    /// The hosts that have a target.
    pub(crate) fn hosts_with(&self, target: &Target) -> Vec<HostId> {
        let has = |host: &HostId| target.hosts.is_empty() || target.hosts.contains(host);
        self.hosts.ids().filter(has).collect()
    }

    /// True for a step of directories and files: all of its targets are trees, or none is.
    pub fn is_on_trees(&self, step: &Step) -> bool {
        let first = step.streams.first();
        first.is_some_and(|s| self.target(s.target).location.tree().is_some())
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
        for target in &mut plan.targets {
            let all = self.hosts_with(target);
            if let Some(place) = all.iter().position(|h| *h == host) {
                target.deal(place as u32, all.len() as u32);
            }
        }
        plan.hosts = Hosts::default();
        plan.items.retain_mut(|item| {
            let steps = item.steps_mut();
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
