//! All rules on one result of another tool.

use crate::checks;
use crate::measured::measured;
use crate::model::{ForeignResult, Remark, Run, Tool};
use plimsoll_audit::format::FilePlace;
use plimsoll_audit::{Audit, Check, Dialect, NoAnswer, PlanView, RULES, RuleAnswer, RuleFinding};
use plimsoll_evidence::Severity;
use plimsoll_plan::Claim;
use plimsoll_printable::human;
use serde::Serialize;
use std::collections::BTreeMap;

/// Judgement on a result.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    /// Tool and format that the input was taken for.
    pub taken_for: String,
    /// The tool's name.
    pub tool: &'static str,
    /// Version of the tool, where it is known.
    pub version: Option<String>,
    /// The files.
    pub sources: Vec<String>,
    /// Number of measurements in the input.
    pub runs: usize,
    /// Number of lines of figures.
    pub rows: usize,
    /// Remarks of the reader.
    pub remarks: Vec<Remark>,
    /// Measurement, in a sentence without its full stop.
    #[serde(skip)]
    pub measured: String,
    /// Counted time of the longest run, s.
    #[serde(skip)]
    pub counted_s: Option<f64>,
    /// Audit by the rules.
    #[serde(skip)]
    pub audit: Audit,
}

/// Facts that no result of another tool shows, whatever is in it.
const NEVER_OBSERVABLE: &str =
    "what the device itself saw, other load on it, and the host beside the tool";
/// Facts of a run of which a claim shows nothing.
const NO_RESULT: &str = "the run itself: its log, and the definition that it was run with";
/// Source of what a plan would say, which is missing.
const NO_DEFINITION: &str = "the definition that it was run with (--job FILE)";
/// The same of a definition that is there.
const NO_PLAN: &str = "a plan of the definition that it was run with, which cannot be made here";

/// The plan of the definition that a result was run with.
#[derive(Debug, Clone, Copy)]
pub enum DefinitionPlan<'p> {
    /// The definition was not given.
    NotGiven,
    /// No plan can be made of it here.
    Impossible,
    /// Plan of the definition.
    Made(PlanView<'p>),
}

impl Judgement {
    /// The worst of what was found.
    pub fn worst(&self) -> Option<Severity> {
        self.audit.worst()
    }
}

/// Asks all rules for a claim, else for the one that its length supports; those of plans of the definition that the result was run with, where it is known.
pub fn judge(result: &ForeignResult, claim: Option<Claim>, plan: DefinitionPlan) -> Judgement {
    let claim = claim.unwrap_or_else(|| result.judged_for());
    let mut audit = Audit {
        claim,
        ..Audit::default()
    };
    let mut answers = answers(result, claim);
    let never = match result.tool {
        Tool::Claim => NO_RESULT,
        _ => NEVER_OBSERVABLE,
    };
    let no_plan = match (result.tool, plan) {
        (Tool::Claim, _) => NO_RESULT,
        (_, DefinitionPlan::Impossible) => NO_PLAN,
        _ => NO_DEFINITION,
    };
    for rule in RULES.iter() {
        let of_result = answers.remove(&rule.number);
        let answer = match (rule.check, &plan) {
            (Check::Plan(check), DefinitionPlan::Made(view)) => both(of_result, check(view)),
            (Check::Plan(_), _) => of_result.unwrap_or(Err(NoAnswer::NotObservable(no_plan))),
            (Check::Run(_), _) => of_result.unwrap_or(Err(NoAnswer::NotObservable(never))),
            (Check::Host(_) | Check::Made(_), _) => {
                of_result.unwrap_or(Err(NoAnswer::NotApplicable))
            }
        };
        audit.take(rule, answer, dialect(result.tool));
    }
    audit.sort(&[]);
    Judgement {
        taken_for: result.format.name().to_string(),
        tool: result.tool.name(),
        version: result.version.clone(),
        sources: result.sources.clone(),
        runs: result.runs.len(),
        rows: result.runs.iter().map(|r| r.rows.len()).sum(),
        remarks: result
            .remarks
            .iter()
            .cloned()
            .chain(
                result
                    .runs
                    .iter()
                    .filter(|_| result.tool == Tool::Fio)
                    .filter_map(shorter),
            )
            .collect(),
        measured: measured(result),
        counted_s: result
            .runs
            .iter()
            .filter_map(Run::counted_s)
            .reduce(f64::max),
        audit,
    }
}

/// Remark on a run of fio that ended long before the time that it was asked to take, and not because it had done all of its target.
fn shorter(run: &Run) -> Option<Remark> {
    const SHORT: f64 = 0.9;
    let row = run.whole().filter(|row| row.errors == 0)?;
    let (asked, ran) = (run.asked.duration_s?, row.seconds?);
    let all = run.asked.target_size.map(|size| size.0 as f64);
    let moved = row.bandwidth.map(|each| each.0 as f64 * ran);
    let is_done = moved
        .zip(all)
        .is_some_and(|(moved, all)| moved >= SHORT * all);
    let [asked_in_text, in_text] = [asked, ran].map(|s| human::time_in_text(s * 1e9));
    let text = format!(
        "`{}` was to take {asked_in_text} and took {in_text}",
        run.name
    );
    (ran < SHORT * asked && !is_done).then_some(Remark { at: row.at, text })
}

/// In whose words remedies are said.
fn dialect(tool: Tool) -> Dialect {
    match tool {
        Tool::Fio => Dialect::Fio,
        Tool::Vdbench => Dialect::Vdbench,
        Tool::DiskSpd => Dialect::DiskSpd,
        Tool::Elbencho => Dialect::Elbencho,
        Tool::Claim => Dialect::Claim,
    }
}

/// Answer of both: what was seen of a result goes before what its definition lets expect.
fn both(of_result: Option<RuleAnswer>, of_plan: RuleAnswer) -> RuleAnswer {
    match of_result {
        Some(Ok(seen)) if !seen.is_empty() => Ok(seen),
        _ => of_plan,
    }
}

/// Answers of the checks, by the rules' numbers. Of several that look for one rule each may see what the others lack.
fn answers(result: &ForeignResult, claim: Claim) -> BTreeMap<u16, RuleAnswer> {
    let mut all = BTreeMap::new();
    for (rules, answer) in checks::asked(result, claim) {
        match answer {
            checks::CheckAnswer::Blind(needs) => {
                for rule in rules {
                    all.entry(*rule)
                        .or_insert(Err(NoAnswer::NotObservable(needs)));
                }
            }
            checks::CheckAnswer::Looked { doubts, unseen } => {
                for (rule, needs) in &unseen {
                    all.entry(*rule)
                        .or_insert(Err(NoAnswer::NotObservable(needs)));
                }
                let saw = |rule: &&u16| !unseen.iter().any(|(u, _)| u == *rule);
                for rule in rules.iter().filter(saw) {
                    let answer = all.entry(*rule).or_insert(Ok(vec![]));
                    if answer.is_err() {
                        *answer = Ok(vec![]);
                    }
                }
                for doubt in doubts {
                    let seen = placed(doubt.seen, &doubt.places, result);
                    match all.entry(doubt.rule).or_insert(Ok(vec![])) {
                        Ok(found) => found.push(seen),
                        answer => *answer = Ok(vec![seen]),
                    }
                }
            }
        }
    }
    all
}

fn placed(seen: RuleFinding, places: &[crate::InputPlace], result: &ForeignResult) -> RuleFinding {
    let name = |at: &crate::InputPlace| result.sources.get(at.source).cloned().unwrap_or_default();
    RuleFinding {
        places: places
            .iter()
            .map(|at| FilePlace::line(name(at), at.line))
            .collect(),
        ..seen
    }
}
