//! A plan as the rules look at it.

use plimsoll_diagnostic::Span;
use plimsoll_evidence::{Environment, EnvironmentTarget, Slices, StepEvidence};
use plimsoll_plan::validate::{written, written_of, written_of_any};
use plimsoll_plan::{
    Bytes, Claim, Item, Load, MethodSpec, Opening, Plan, Purpose, Question, RangeSpec, Step,
    Stream, Target, TargetId,
};

/// A plan, and what else is known before it runs.
#[derive(Debug, Clone, Copy)]
pub struct PlanView<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Claim that is made of the plan's results.
    pub claim: Claim,
    /// Environment of the run, once there was one: the sizes of its targets, the memory of its host.
    pub environment: Option<&'a Environment>,
    /// Steps of the plan, once they were run.
    pub steps_run: &'a [StepEvidence],
}

/// One step of a plan, with what it is part of.
#[derive(Debug, Clone, Copy)]
pub struct StepAt<'a> {
    /// Item of the plan that the step is part of.
    pub item: &'a Item,
    /// The step.
    pub step: &'a Step,
}

/// One workload on one target.
#[derive(Debug, Clone, Copy)]
pub struct StreamAt<'a> {
    /// Step that the workload belongs to.
    pub at: StepAt<'a>,
    /// The workload.
    pub stream: &'a Stream,
    /// The target.
    pub target: &'a Target,
    /// The target's index.
    index: usize,
}

impl<'a> PlanView<'a> {
    /// View of a plan that was not run.
    pub fn new(plan: &'a Plan, claim: Option<Claim>) -> Self {
        PlanView {
            plan,
            claim: claim.unwrap_or_else(|| plan.judged_for()),
            environment: None,
            steps_run: &[],
        }
    }

    /// Seconds that a step counted, once it was run.
    pub fn counted_s(&self, at: &StepAt<'_>) -> Option<f64> {
        let of = |s: &&StepEvidence| s.name == at.step.name && !s.fill && s.counted_s > 0.0;
        self.steps_run.iter().find(of).map(|s| s.counted_s)
    }

    /// The steps that are measured.
    pub fn steps(&self) -> impl Iterator<Item = StepAt<'a>> + use<'a> {
        let plan = self.plan;
        let all = plan.items.iter();
        let all = all.flat_map(|item| item.steps().iter().map(move |step| StepAt { item, step }));
        all.filter(|at| at.step.purpose == Purpose::Measure)
    }

    /// Workloads of the measured steps on targets that are storage, simulated or real.
    pub fn streams(&self) -> impl Iterator<Item = StreamAt<'a>> + use<'a> {
        let plan = self.plan;
        self.steps().flat_map(move |at| {
            at.step.streams.iter().filter_map(move |stream| {
                let index = stream.target.0 as usize;
                let target = plan.targets.get(index)?;
                target.location.is_storage().then_some(StreamAt {
                    at,
                    stream,
                    target,
                    index,
                })
            })
        })
    }

    /// Workloads that write.
    pub fn writers(&self) -> impl Iterator<Item = StreamAt<'a>> + use<'a> {
        self.streams().filter(|s| s.stream.mix.write > 0.0)
    }

    /// Kind of a target, as it was found when it was opened: `file`, `block device`.
    pub fn kind(&self, at: &StreamAt<'_>) -> Option<&'a str> {
        Some(self.found(at)?.kind.as_str()).filter(|kind| !kind.is_empty())
    }

    /// A target as it was found, once it was opened.
    pub fn found(&self, at: &StreamAt<'_>) -> Option<&'a EnvironmentTarget> {
        self.environment?.targets.get(at.index)
    }

    /// Slices of the array under a target, where it told them; numbers that no array has are a damaged record's.
    pub fn slices(&self, at: &StreamAt<'_>) -> Option<Slices> {
        let told = self.found(at)?.slices?;
        let may_be = (1..=1 << 50).contains(&told.bytes)
            && (1..=4096).contains(&told.owners)
            && (0.0..=1.0).contains(&told.owner_share);
        may_be.then_some(told)
    }

    /// The bytes of a target, where they are known.
    pub fn size(&self, at: &StreamAt<'_>) -> Option<u64> {
        let seen = self
            .found(at)
            .map(|t| t.size_bytes)
            .filter(|size| *size > 0);
        let stated = at.target.size.or(at.target.location.stated_size());
        seen.or(stated.map(|b| b.0))
    }

    /// The bytes that a workload uses of its target, from and to, where they are known.
    pub fn range(&self, at: &StreamAt<'_>) -> Option<(u64, u64)> {
        let size = || self.size(at);
        match at.stream.address.range {
            RangeSpec::Whole => Some((0, size()?)),
            RangeSpec::Bytes(from, to) => {
                let end = size().map_or(to.0, |size| to.0.min(size));
                (from.0 < end).then_some((from.0, end))
            }
            RangeSpec::Percent(from, to) => {
                let size = size()?;
                let at = |percent: f64| (size as f64 * percent.min(100.0) / 100.0) as u64;
                (from < to).then(|| (at(from), at(to)))
            }
            RangeSpec::Clipped { from, until, .. } => {
                let size = size().or(until.map(|until| until.0))?;
                let (from, to) = RangeSpec::clipped(from, until, size);
                (from < to).then_some((from, to))
            }
        }
    }

    /// The host's memory, bytes, where it is known.
    pub fn memory(&self) -> Option<u64> {
        let host = &self.environment?.host;
        Some(host.memory_bytes).filter(|bytes| *bytes > 0)
    }

    /// True where the plan was written for Vdbench.
    pub fn is_vdbench(&self) -> bool {
        self.plan.dialect == "vdbench"
    }
}

impl<'a> StepAt<'a> {
    /// Place where a field of the step, or of one of its workloads, was written.
    pub fn written(&self, field: &str) -> Option<Span> {
        written(self.step, "", field).or_else(|| written_of_any(self.step, field))
    }

    /// Place where the slots of a target were written: in the step, or with the target itself, as a Vdbench file's `threads=` may be. Where
    /// nobody wrote them, the nearest place.
    pub fn depth_written(&self, view: &PlanView<'a>, target: TargetId) -> Option<Span> {
        let of_target = || written_of(view.plan.targets.get(target.0 as usize)?, "depth");
        let own = self.written("depth").or_else(of_target);
        own.or_else(|| self.near("depth"))
    }

    /// Place where a field of the step was written; else the nearest: that of its load, its name, or any other of its fields.
    pub fn near(&self, field: &str) -> Option<Span> {
        let fields = [field, "load", "rate", "for", "name", "workloads"];
        let found = fields.into_iter().find_map(|f| self.written(f));
        let origins = &self.step.origins;
        found.or_else(|| {
            origins
                .iter()
                .find(|(f, _)| !f.contains('.'))
                .map(|(_, span)| *span)
        })
    }

    /// The method that it belongs to.
    pub fn method(&self) -> Option<&'a MethodSpec> {
        match self.item {
            Item::Method(method) => Some(method),
            _ => None,
        }
    }

    /// The method's question.
    pub fn question(&self) -> Option<&'a Question> {
        self.method().map(|m| &m.question)
    }

    /// True in a sweep that compares contents, whose question is what zeros and duplicates do.
    pub fn asks_of_content(&self) -> bool {
        let Some(MethodSpec {
            steps,
            question: Question::Sweep(_),
        }) = self.method()
        else {
            return false;
        };
        let mut contents = steps.iter().flat_map(|s| &s.streams).map(|s| &s.content);
        let first = contents.next();
        contents.any(|other| Some(other) != first)
    }

    /// True where it goes through numbered names and then has nothing more to do: it ends by itself, and has no warm-up.
    pub fn is_in_rounds(&self) -> bool {
        self.step.streams.iter().all(|s| s.files.rounds.is_some())
    }

    /// True of one plain measurement, whose length and load are as they were written.
    pub fn is_plain(&self) -> bool {
        matches!(self.item, Item::Step(_))
    }

    /// The rate that it asks for, I/Os per second, where the plan says one; of a schedule the largest.
    pub fn rate(&self) -> Option<f64> {
        let fixed: f64 = self
            .step
            .streams
            .iter()
            .filter_map(|s| s.fixed_rate)
            .map(|r| r.0)
            .sum();
        let shared = self.step.streams.iter().any(|s| s.fixed_rate.is_none());
        let load = match &self.step.load {
            Load::Rate { rate, .. } if shared => rate.0,
            Load::Schedule { segments, .. } if shared => {
                segments.iter().map(|s| s.rate.0).fold(0.0, f64::max)
            }
            _ => 0.0,
        };
        let all = fixed + load;
        (all > 0.0).then_some(all)
    }

    /// True where some of the step has no schedule, so that its rate is what the target gives.
    pub fn is_closed(&self) -> bool {
        let closed = matches!(self.step.load, Load::Max | Load::MaxShared);
        closed && self.step.streams.iter().any(|s| s.fixed_rate.is_none())
    }
}

impl StreamAt<'_> {
    /// Place where a field was written: with the loop or run that replaces it, with the workload, or with the target.
    pub fn written(&self, field: &str) -> Option<Span> {
        let own = written(self.at.step, &self.stream.workload, field);
        own.or_else(|| written_of(self.target, field))
    }

    /// Way in which the workload opens the target.
    pub fn opening(&self) -> Opening {
        self.target.opening(self.stream)
    }

    /// True where it moves bytes; false where it goes through numbered names, and does something to each.
    pub fn moves_bytes(&self) -> bool {
        self.stream.files.rounds.is_none()
    }

    /// `workload oltp on disk`.
    pub fn who(&self) -> String {
        format!("{} on {}", self.stream.workload, self.target.name)
    }

    /// The size of what it uses, as bytes.
    pub fn used(&self, view: &PlanView<'_>) -> Option<Bytes> {
        view.range(self).map(|(from, to)| Bytes(to - from))
    }
}
