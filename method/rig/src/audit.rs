//! The audit of a run: the rules asked at its end, of all that was observed, or again of its record.

use crate::RigError;
use crate::courses::{Courses, courses};
use crate::session::Session;
use plimsoll_audit::{Audit, RunView, judge};
use plimsoll_evidence::{Finding, Quantity, Severity, StepEvidence, Verdict, gathered};
use plimsoll_plan::{Claim, Plan};
use plimsoll_record::{Contradiction, Record};

/// Judges a run that has ended.
pub(crate) fn of_session(session: &Session, plan: &Plan, courses: &Courses) -> Audit {
    judge(&RunView {
        plan: Some(plan),
        environment: &session.environment,
        steps: &session.steps,
        verdicts: &session.verdicts,
        courses: &courses.0,
        made: &made(&session.steps, &session.verdicts),
        claim: plan.judged_for(),
    })
}

/// Findings of the judge and of the methods.
fn made(steps: &[StepEvidence], verdicts: &[Verdict]) -> Vec<Finding> {
    gathered(steps, verdicts, &[])
}

/// Judges a record with the rules of today, for its own claim or another.
///
/// # Errors
/// [`RigError::Record`] where the record cannot be read.
pub fn audit_record(record: &Record, claim: Option<Claim>) -> Result<Audit, RigError> {
    let (steps, verdicts) = (record.steps()?, record.verdicts()?);
    // A plan of another version may not be readable; the rules that look at it then say so.
    let plan: Option<Plan> = serde_json::from_str(record.plan_json()).ok();
    let courses = courses(record, &steps)?;
    let said = plan.as_ref().map(Plan::judged_for);
    let mut made = gathered(&steps, &verdicts, &[]);
    made.extend(contradictions(record, &steps)?);
    Ok(judge(&RunView {
        plan: plan.as_ref(),
        environment: record.environment(),
        steps: &steps,
        verdicts: &verdicts,
        courses: &courses,
        made: &made,
        claim: claim.or(said).unwrap_or_default(),
    }))
}

/// Contradictions in a record about these steps, which says something twice and differently: somebody changed it by hand.
///
/// # Errors
/// [`RigError::Record`] where the record cannot be read.
pub fn contradictions(record: &Record, steps: &[StepEvidence]) -> Result<Vec<Finding>, RigError> {
    let found = record.contradictions(steps)?;
    Ok(found.iter().map(contradicts).collect())
}

/// Two places of a record that do not agree, as a finding.
fn contradicts(found: &Contradiction) -> Finding {
    let values = [
        ("one", Quantity::Text(found.one.clone())),
        ("says", Quantity::Number(found.says)),
        ("other", Quantity::Text(found.other.clone())),
        ("should_say", Quantity::Number(found.should_say)),
    ];
    Finding::of_step(found.step, "record-contradicts", Severity::Invalid, values)
}
