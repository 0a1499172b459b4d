//! A run as the rules look at it.

use crate::{NoAnswer, PlanView, StepCourse};
use plimsoll_evidence::{Environment, Finding, StepEvidence, Verdict};
use plimsoll_plan::{Claim, Plan, Target};

/// Answer of a rule that needs the plan, where a record does not tell it.
pub(crate) const NO_PLAN: NoAnswer = NoAnswer::NotObservable("the record does not hold the plan");

/// View of a run: all that was observed of it.
#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    /// Plan of the run; `None` where a record does not tell.
    pub plan: Option<&'a Plan>,
    /// Environment of the run: where and with what it ran.
    pub environment: &'a Environment,
    /// All steps, fills too.
    pub steps: &'a [StepEvidence],
    /// Verdicts of the methods.
    pub verdicts: &'a [Verdict],
    /// Courses of the steps, by the step's number.
    pub courses: &'a [StepCourse],
    /// Findings of others than the rules that look at a plan or a run.
    pub made: &'a [Finding],
    /// Claim that is made of the run's results.
    pub claim: Claim,
}

impl<'a> RunView<'a> {
    /// The steps that were measured, and came to something.
    pub fn measured(&self) -> impl Iterator<Item = &'a StepEvidence> + use<'a> {
        let counts = |s: &&StepEvidence| !s.fill && s.ios > 0 && s.counted_s > 0.0;
        self.steps.iter().filter(counts)
    }

    /// The measured steps that are results by themselves. The probes of a fingerprint are none: they are as short as they may
    /// be, and read from caches and heat owners on purpose.
    pub fn results(&self) -> impl Iterator<Item = &'a StepEvidence> + use<'a> {
        self.not_of(&["fingerprint"])
    }

    /// The results of which a mean is asked for. Of a disturbance it is not: what was done on purpose is in it, and no longer run takes it out.
    pub fn levels(&self) -> impl Iterator<Item = &'a StepEvidence> + use<'a> {
        self.not_of(&["fingerprint", "disturb"])
    }

    /// The measured steps that are none of these methods'.
    fn not_of(&self, methods: &[&str]) -> impl Iterator<Item = &'a StepEvidence> + use<'a> {
        let theirs = |v: &&'a Verdict| matches!(v, Verdict::Method(m) if methods.contains(&m.method.as_str()));
        let runs: Vec<&str> = self
            .verdicts
            .iter()
            .filter(theirs)
            .map(Verdict::run)
            .collect();
        self.measured()
            .filter(move |s| !runs.contains(&s.run.as_str()))
    }

    /// Course of a step; `None` where no interval of it is known.
    pub fn course(&self, step: u32) -> Option<&'a StepCourse> {
        self.courses.iter().find(|c| c.step == step)
    }

    /// True where any target is storage of this host or its network, not a model and not the engine alone.
    pub fn is_real(&self) -> bool {
        !self.environment.simulated && self.environment.targets.iter().any(|t| t.kind != "null")
    }

    /// Targets as they were planned; none where a record does not tell.
    pub fn planned(&self) -> &'a [Target] {
        self.plan.map_or(&[], |plan| &plan.targets)
    }

    /// The plan, for a rule that cannot do without.
    pub(crate) fn recorded_plan(&self) -> Result<&'a Plan, NoAnswer> {
        self.plan.ok_or(NO_PLAN)
    }

    /// View of the plan, as the rules of plans look at it.
    pub fn plan_view(&self) -> Option<PlanView<'a>> {
        Some(PlanView {
            plan: self.plan?,
            claim: self.claim,
            environment: Some(self.environment),
            steps_run: self.steps,
        })
    }
}
