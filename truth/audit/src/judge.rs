//! All rules asked, and what they said.

use crate::format::FilePlace;
use crate::run_view::NO_PLAN;
use crate::{
    Causes, Check, Dialect, LimitView, NotApplicable, NotObservable, PlanView, RULES, Rule,
    RuleAnswer, RunView, limit,
};
use plimsoll_diagnostic::Span;
use plimsoll_evidence::sentence;
use plimsoll_evidence::{Finding, Limit, Severity, StepEvidence, Verdict};
use plimsoll_plan::{Claim, Plan};

/// Findings of the rules on a plan or a run, and the rules that found nothing or could not look.
#[derive(Debug, Clone, Default)]
pub struct Audit {
    /// Claim that the findings are weighed by.
    pub claim: Claim,
    /// Findings, the worst first; of one severity by how much of the result they explain, and those about what a plan leaves open last.
    pub findings: Vec<Audited>,
    /// Rules that looked and found nothing.
    pub clean: Vec<&'static Rule>,
    /// Rules that had nothing to look at.
    pub not_applicable: Vec<&'static Rule>,
    /// Rules that could not look, and what they lacked.
    pub not_observable: Vec<(&'static Rule, &'static str)>,
    /// Limits of the steps that have one of their own, in the run's order.
    pub limits: Vec<StepLimit>,
}

/// Rules of what a plan leaves open: no warm-up, one repeat, no preconditioning. They hold of most runs, and none says what happened in
/// this one.
const LEFT_OPEN: [u16; 3] = [31, 39, 40];

/// Limit of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepLimit {
    /// Number of the step in the record.
    pub step: u32,
    /// Name of the step.
    pub name: String,
    /// Resource or setting that limited the step.
    pub limit: Limit,
}

/// One finding.
#[derive(Debug, Clone)]
pub struct Audited {
    /// The rule; `None` where its name is not known to this version.
    pub rule: Option<&'static Rule>,
    /// Finding of the rule.
    pub finding: Finding,
    /// Place in the plan's text that is to blame.
    pub span: Option<Span>,
    /// Places in another tool's result where the finding stands, the worst first.
    pub places: Vec<FilePlace>,
    /// True of what the judge of a step, or a method, found: it is in the evidence.
    pub made: bool,
    /// The name of the step that it is about, where the run has several.
    pub step_name: Option<String>,
}

impl Audited {
    /// `PL012 zero-content`; of a rule that is not known its name alone.
    pub fn title(&self) -> String {
        match self.rule {
            Some(rule) => format!("{} {}", rule.code(), rule.name),
            None => self.finding.rule.clone(),
        }
    }

    /// ` in rd1_(90%)`, where the run has several steps and it is about one.
    pub fn in_step(&self) -> String {
        let name = self.step_name.as_ref();
        name.map_or(String::new(), |name| format!(" in {name}"))
    }
}

impl Audit {
    /// The worst that was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.finding.severity).max()
    }

    /// Findings that are not in the evidence yet.
    pub fn own(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| !f.made).map(|f| &f.finding)
    }

    /// Takes in a rule's answer.
    pub fn take(&mut self, rule: &'static Rule, answer: RuleAnswer, dialect: Dialect) {
        if rule.severity.for_claim(self.claim).is_none() {
            self.not_applicable.push(rule);
            return;
        }
        match answer {
            Ok(seen) if seen.is_empty() => self.clean.push(rule),
            Err(NotApplicable) => self.not_applicable.push(rule),
            Err(NotObservable(missing)) => self.not_observable.push((rule, missing)),
            Ok(seen) => {
                let claim = self.claim;
                let found = seen
                    .into_iter()
                    .filter_map(|s| Some((rule.finding(&s, claim, dialect)?, s)));
                self.findings.extend(found.map(|(finding, seen)| Audited {
                    rule: Some(rule),
                    finding,
                    span: seen.span,
                    places: seen.places,
                    made: false,
                    step_name: None,
                }));
            }
        }
    }

    /// What the judge and the methods found, under their rules' numbers.
    fn take_made(&mut self, made: &[Finding], plan: Option<&Plan>, dialect: Dialect) {
        let theirs = |finding: &&Finding| match RULES.iter().find(|r| r.code() == finding.rule) {
            // Of an earlier audit: it is judged again.
            Some(rule) => matches!(rule.check, Check::Made(_)),
            None => true,
        };
        for finding in made.iter().filter(theirs) {
            let rule = crate::find(&finding.rule);
            let severity = match rule {
                None => Some(finding.severity),
                Some(rule) => rule
                    .severity
                    .for_claim(self.claim)
                    .map(|most| most.min(finding.severity)),
            };
            let Some(severity) = severity else { continue };
            let mend = rule.and_then(|r| sentence::mend(r.name, &finding.values));
            let rules = rule.map(|r| r.remedy(dialect));
            self.findings.push(Audited {
                rule,
                finding: Finding {
                    severity,
                    remedy: mend.or(rules).unwrap_or_default().to_string(),
                    ..finding.clone()
                },
                span: None,
                places: Vec::new(),
                made: true,
                step_name: None,
            });
        }
        let found = |rule: &Rule| self.findings.iter().any(|f| f.finding.rule == rule.name);
        let silent = RULES.iter().copied().filter(|rule| !found(rule));
        let (mut clean, mut idle) = (Vec::new(), Vec::new());
        for rule in silent {
            match rule.check {
                Check::Made(maker) if maker.takes_part(plan) => clean.push(rule),
                Check::Made(_) => idle.push(rule),
                Check::Plan(_) | Check::Run(_) | Check::Host(_) => {}
            }
        }
        self.clean.extend(clean);
        self.not_applicable.extend(idle);
    }

    /// Of several steps, a finding says which one it is about.
    fn name_steps(&mut self, view: &RunView<'_>) {
        if view.measured().nth(1).is_none() {
            return;
        }
        for found in &mut self.findings {
            let step = found.finding.step;
            let named = view.steps.iter().find(|s| Some(s.number) == step);
            found.step_name = named.map(|s| s.name.clone());
        }
    }

    /// Who looked at nothing did not find it clean.
    fn saw_nothing(&mut self) {
        let clean = std::mem::take(&mut self.clean);
        let blind = clean
            .into_iter()
            .map(|rule| (rule, "a step that was measured"));
        self.not_observable.extend(blind);
    }

    /// Sorts the findings, the worst first; of one severity by how much of the result they explain, and those about what a plan leaves open
    /// last.
    pub fn sort(&mut self, steps: &[StepEvidence]) {
        let number = |f: &Audited| f.rule.map_or(u16::MAX, |r| r.number);
        let causes = Causes::among(self.findings.iter().map(|f| &f.finding), steps);
        self.findings.sort_by_cached_key(|f| {
            (
                std::cmp::Reverse(f.finding.severity),
                LEFT_OPEN.contains(&number(f)),
                causes.rank(&f.finding),
                number(f),
                f.finding.step,
            )
        });
        self.clean.sort_by_key(|rule| rule.number);
    }
}

/// Audit of a plan before it runs.
pub fn lint(view: &PlanView<'_>) -> Audit {
    let round = view.plan.round();
    let view = of_round(*view, round.as_ref());
    let mut audit = Audit {
        claim: view.claim,
        ..Audit::default()
    };
    for rule in RULES.iter() {
        if let Check::Plan(check) = rule.check {
            audit.take(rule, check(&view), Dialect::of(view.plan));
        }
    }
    audit.sort(&[]);
    audit
}

/// Audit of a run: of its plan, of what was observed, and of what was found while it went on.
pub fn judge(view: &RunView<'_>) -> Audit {
    let mut audit = Audit {
        claim: view.claim,
        ..Audit::default()
    };
    let round = view.plan.and_then(Plan::round);
    let plan = view.plan_view().map(|v| of_round(v, round.as_ref()));
    let dialect = view.plan.map(Dialect::of).unwrap_or_default();
    for rule in RULES.iter() {
        let answer = match rule.check {
            Check::Plan(check) => plan.as_ref().ok_or(NO_PLAN).and_then(check),
            Check::Run(check) => check(view),
            Check::Made(_) | Check::Host(_) => continue,
        };
        audit.take(rule, answer, dialect);
    }
    audit.take_made(view.made, view.plan, dialect);
    audit.name_steps(view);
    audit.limits = limits(view);
    if audit
        .findings
        .iter()
        .any(|f| f.finding.rule == crate::rules::NOTHING_MEASURED.code())
    {
        audit.saw_nothing();
    }
    audit.sort(view.steps);
    audit
}

/// One round of a plan that is repeated: what is said of a plan is said once, and not of each repeat.
fn of_round<'p>(view: PlanView<'p>, round: Option<&'p (Plan, u32)>) -> PlanView<'p> {
    match round {
        Some((plan, _)) => PlanView { plan, ..view },
        None => view,
    }
}

/// What limited each step that is a result of its own: not those of a search, or of a method that has an answer.
fn limits(view: &RunView<'_>) -> Vec<StepLimit> {
    let is_result = |step: &&StepEvidence| {
        let mut of_run = view.verdicts.iter().filter(|v| v.run() == step.run);
        of_run.all(|verdict| match verdict {
            Verdict::Curve(curve) => curve.points.iter().any(|p| p.step == step.number),
            Verdict::Method(_) => false,
        })
    };
    let results = view.steps.iter().filter(is_result);
    let named = results.filter_map(|step| {
        Some(StepLimit {
            step: step.number,
            name: step.name.clone(),
            limit: limit_of(view, step)?,
        })
    });
    named.collect()
}

/// What limited a step of a run; what it is weighed against are the steps before it, as when it was measured.
pub(crate) fn limit_of(view: &RunView<'_>, step: &StepEvidence) -> Option<Limit> {
    let at = view.steps.iter().position(|s| s.number == step.number);
    let mut planned = view.plan.into_iter().flat_map(Plan::steps);
    let planned = planned.find(|s| s.name == step.name);
    limit(&LimitView {
        step,
        environment: view.environment,
        planned: view.planned(),
        others: &view.steps[..at?],
        streams: planned.map_or(&[], |s| &s.streams),
    })
}
