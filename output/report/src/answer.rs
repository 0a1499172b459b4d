//! The answer of a run in at most five lines, which a terminal shows last and a page first: the number, what limits it, how far it
//! can be trusted, where the record is, what to do next.

use crate::doubts::{self, Doubt};
use crate::human;
use crate::sentence;
use plimsoll_audit::Audit;
use plimsoll_evidence::{Environment, Finding, REPEATS, Severity, StepEvidence, Verdict};
use plimsoll_plan::Claim;
use plimsoll_record::RunStatus;
use serde::Serialize;
use std::path::Path;

/// A run that has ended, as far as its answer needs it.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// Environment: the host and the targets.
    pub environment: &'a Environment,
    /// All steps, fills too.
    pub steps: &'a [StepEvidence],
    /// Conclusions of the methods.
    pub verdicts: &'a [Verdict],
    /// All that was found.
    pub findings: Vec<&'a Finding>,
    /// Claim that the result is judged for.
    pub claim: Claim,
    /// Status at the run's end.
    pub status: &'a RunStatus,
    /// Path of the record; `None` where none was kept.
    pub record: Option<&'a Path>,
}

/// Lines of the answer that a run ends with, each a sentence without its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerLines {
    /// The number with its interval.
    pub answer: String,
    /// Limit of the number; `None` where that was not asked.
    pub limit: Option<String>,
    /// Trust that it deserves, in a sentence.
    pub trust: String,
    /// Path of the record.
    pub record: Option<String>,
    /// Next step for the reader.
    pub next: Option<String>,
}

impl AnswerLines {
    /// The answer of a run.
    pub fn of(run: &Measured<'_>) -> Self {
        let open = run.verdicts.iter().any(|v| !v.decided());
        let doubts = doubts::of(run.findings.clone(), run.claim, run.steps, open);
        AnswerLines {
            answer: headline(run),
            limit: limit(run),
            trust: trust(run, &doubts),
            record: run.record.map(|path| path.display().to_string()),
            next: next(run, &doubts),
        }
    }

    /// The answer of an audit of what somebody else measured: `measured` with what is to be thought of it, and `next` where nothing is to
    /// be mended.
    pub fn of_audit(
        measured: &str,
        audit: &Audit,
        counted_s: Option<f64>,
        next: Option<String>,
    ) -> Self {
        let believed = match audit.worst() {
            Some(Severity::Invalid) => "it is not to be believed",
            Some(Severity::Suspect) => "it is doubtful",
            _ if audit.clean.is_empty() => "nothing here tells whether it is so",
            Some(Severity::Note) | None => "nothing that was looked at makes it false",
        };
        let answer = format!("{measured}; {believed}.");
        Self::judged(answer, audit, counted_s, next, "")
    }

    /// The answer of an audit of a plan, whose result would be so.
    pub fn of_plan(audit: &Audit, next: Option<String>) -> Self {
        let answer = match audit.worst() {
            Some(Severity::Invalid) => "A result of this definition would be false.",
            Some(Severity::Suspect) => "A result of this definition would be doubtful.",
            Some(Severity::Note) | None => "Nothing in this definition makes its result false.",
        };
        Self::judged(answer.to_owned(), audit, None, next, "a result would be ")
    }

    fn judged(
        answer: String,
        audit: &Audit,
        counted_s: Option<f64>,
        next: Option<String>,
        it_is: &str,
    ) -> Self {
        let findings = audit.findings.iter().map(|f| &f.finding);
        let doubts = doubts::of(findings.collect(), audit.claim, &[], false);
        let claim = match (audit.claim, counted_s) {
            (Claim::Burst, None) if it_is.is_empty() => {
                "as a burst of a length that is not told".to_owned()
            }
            (claim, counted_s) => claimed(claim, counted_s),
        };
        let trust = match trusted(&doubts, &claim) {
            _ if audit.clean.is_empty() && doubts.is_empty() => {
                "no rule had anything to look at, which is no clean bill".to_owned()
            }
            Ok(said) | Err(said) => format!("{it_is}{said}{}", doubts::in_words(&doubts)),
        };
        let matter = doubts::matter(&doubts) > 0;
        AnswerLines {
            answer,
            limit: None,
            trust,
            record: None,
            next: match matter {
                true => doubts::remedy(&doubts),
                false => next,
            },
        }
    }
}

/// The sentence that says most: that over all repeats, the first method's, else what the steps did.
pub(crate) fn headline(run: &Measured<'_>) -> String {
    let over_repeats = run
        .verdicts
        .iter()
        .find(|v| matches!(v, Verdict::Method(m) if m.method == REPEATS));
    match over_repeats.or(run.verdicts.first()) {
        Some(first) => sentence::of_verdict(first, run.environment, run.steps),
        None if *run.status == RunStatus::Running && run.steps.iter().all(|s| s.fill) => {
            "No step is done yet.".to_owned()
        }
        None => sentence::of_steps(run.steps, run.environment),
    }
}

/// Limit of the number that is the answer: the curve's maximum, or the only step. Of many steps there is no one limit.
fn limit(run: &Measured<'_>) -> Option<String> {
    let limit = match run.verdicts {
        [Verdict::Curve(curve)] => curve.limit.as_ref(),
        _ => {
            let mut measured = run.steps.iter().filter(|s| !s.fill);
            let only = measured.next().filter(|_| measured.next().is_none())?;
            only.limit.as_ref()
        }
    }?;
    // The next cause and what was out of sight stand with the tables.
    let first = limit.sentence.split("; ").next().unwrap_or_default();
    let bare = first.trim_end_matches('.');
    let words = bare
        .strip_prefix("Limited ")
        .or_else(|| bare.strip_prefix("What limited it is "));
    Some(words.unwrap_or(bare).to_owned())
}

/// Words for a run that goes on, or was killed, in its first step.
const NO_STEP_YET: &str = "nothing to judge yet: no step has finished";

/// `trusted as a burst of 30s; 3 doubts, of which 1 matters: …`.
fn trust(run: &Measured<'_>, doubts: &[Doubt<'_>]) -> String {
    let whole = match run.status {
        RunStatus::Completed => "",
        RunStatus::Interrupted => "interrupted, so of what was measured until then: ",
        RunStatus::Running | RunStatus::Failed(_) => "the run is not whole: ",
    };
    let measured = run.steps.iter().filter(|s| !s.fill);
    let longest = measured.map(|s| s.counted_s).fold(0.0, f64::max);
    if longest <= 0.0 && *run.status == RunStatus::Running {
        return NO_STEP_YET.to_owned();
    }
    if longest <= 0.0 {
        return "there is no result to trust: nothing was counted".to_owned();
    }
    let claim = claimed(run.claim, Some(longest));
    let open = run.verdicts.iter().any(|v| !v.decided());
    let simulated = run.environment.simulated;
    let trusted = match trusted(doubts, &claim) {
        Err(said) => said,
        Ok(_) if open => "not decided".to_owned(),
        Ok(said) if simulated => format!("simulated, nothing real was measured; {said}"),
        Ok(said) => said,
    };
    let doubted = doubts::in_words(doubts);
    let errors = run.steps.iter().map(|s| s.errors);
    let counted = run.environment.counted();
    let first = doubts.first().and_then(|d| d.rule);
    let is_said = doubts::matter(doubts) > 0 && first.is_some_and(|rule| rule.name == "ios-failed");
    let failed = match errors.fold(0, u64::saturating_add) {
        _ if is_said => String::new(),
        0 => String::new(),
        1 => format!("; one {} failed", counted.one()),
        n => format!("; {} {} failed", human::count(n), counted.several()),
    };
    format!("{whole}{trusted}{doubted}{failed}")
}

/// `as a burst of 30s`: what a claim stands for.
fn claimed(claim: Claim, counted_s: Option<f64>) -> String {
    match (claim, counted_s) {
        (Claim::Burst, Some(s)) if s < 1.0 => format!("as a burst of {}", human::time(s * 1e9)),
        (Claim::Burst, Some(s)) => format!("as a burst of {}", human::duration(s)),
        (Claim::Burst, None) => "as a burst".to_owned(),
        (Claim::Sustained, _) => "as sustained load".to_owned(),
        (Claim::Cached, _) => "for what caches give".to_owned(),
        (Claim::Device, _) => "for the device itself".to_owned(),
        (Claim::Host, _) => "for what the host can issue".to_owned(),
    }
}

/// Words for whether a result is trusted for its claim: an error where it is not, for it is false or too short for it.
fn trusted(doubts: &[Doubt<'_>], claim: &str) -> Result<String, String> {
    let is_short = |d: &Doubt<'_>| {
        d.severity > Severity::Note && d.rule.is_some_and(|r| r.name == "too-short")
    };
    match doubts.first().map(|d| d.severity) {
        Some(Severity::Invalid) => Err(format!("not trusted {claim}")),
        _ if doubts.iter().any(is_short) => Err(format!("too short to be trusted {claim}")),
        _ => Ok(format!("trusted {claim}")),
    }
}

/// Next step: about the doubt that matters most, else the question that follows.
fn next(run: &Measured<'_>, doubts: &[Doubt<'_>]) -> Option<String> {
    let record = run
        .record
        .map(|path| shell_word(&path.display().to_string()));
    if *run.status != RunStatus::Completed {
        return record.map(|path| format!("plimsoll resume {path} goes on with it"));
    }
    if doubts::matter(doubts) > 0 {
        return doubts::remedy(doubts);
    }
    // Several files or LUNs as one are no word of a command line.
    let is_a_word = |kind: &str| !["stripe", "concatenation"].contains(&kind);
    let targets = &run.environment.targets;
    let page = record.map(|path| format!("plimsoll report {path} -o report.html draws it"));
    let measured = run.steps.iter().filter(|s| !s.fill).count();
    match (run.verdicts, &targets[..]) {
        ([], [target]) if measured == 1 && is_a_word(&target.kind) => Some(format!(
            "plimsoll curve {} measures how much it carries within a response time",
            shell_word(&target.location)
        )),
        _ => page,
    }
}

/// One word of a shell's command line, in quotes where the shell would read more into it.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::data::fixture;

    fn found(rule: &str, severity: Severity, message: &str) -> Finding {
        Finding {
            rule: rule.into(),
            severity,
            step: Some(1),
            values: Vec::new(),
            message: message.into(),
            remedy: "Stop it. And more.".into(),
        }
    }

    fn of(findings: &[Finding], claim: Claim, status: &RunStatus) -> AnswerLines {
        let mut step = fixture::step(1, 30);
        step.ios = 10;
        of_step(step, findings, claim, status)
    }

    fn of_step(
        step: StepEvidence,
        findings: &[Finding],
        claim: Claim,
        status: &RunStatus,
    ) -> AnswerLines {
        AnswerLines::of(&Measured {
            environment: &Environment::default(),
            steps: &[step],
            verdicts: &[],
            findings: findings.iter().collect(),
            claim,
            status,
            record: Some(Path::new("a.plim")),
        })
    }

    #[test]
    fn a_clean_burst_says_how_long_it_was() {
        let answer = of(&[], Claim::Burst, &RunStatus::Completed);
        assert_eq!(answer.trust, "trusted as a burst of 30s; no doubts");
        assert_eq!(answer.record.as_deref(), Some("a.plim"));
    }

    #[test]
    fn a_run_that_has_filled_its_target_so_far_has_not_measured_nothing() {
        let mut fill = fixture::step(1, 30);
        fill.fill = true;
        let answer = of_step(fill, &[], Claim::Burst, &RunStatus::Running);
        assert_eq!(answer.answer, "No step is done yet.");
        assert_eq!(answer.trust, NO_STEP_YET);
    }

    #[test]
    fn a_rule_counts_once_and_what_was_seen_in_the_run_comes_before_what_was_planned() {
        let findings = [
            found("PL015", Severity::Suspect, "It is small. Very."),
            found("PL125", Severity::Suspect, "9.8% were not ours. Or so."),
            found("PL125", Severity::Suspect, "1.2% were not ours."),
            found("PL304", Severity::Note, "A virtual machine."),
        ];
        let answer = of(&findings, Claim::Burst, &RunStatus::Completed);
        assert_eq!(
            answer.trust,
            "trusted as a burst of 30s; 3 doubts, of which 2 matter, first: 9.8% were not ours (PL125)"
        );
        assert_eq!(answer.next.as_deref(), Some("Stop it"));
    }

    #[test]
    fn a_cause_comes_before_its_consequences_where_it_is_that_of_all_of_them() {
        let of_step = |step: u32, rule: &str| Finding {
            step: Some(step),
            ..found(rule, Severity::Suspect, rule)
        };
        let first = |findings: &[Finding]| {
            let trust = of(findings, Claim::Burst, &RunStatus::Completed).trust;
            trust.split("first: ").nth(1).map(str::to_owned)
        };
        let stalled = [of_step(1, "PL104"), of_step(1, "PL409")];
        assert_eq!(first(&stalled).as_deref(), Some("PL409 (PL409)"));
        let another = [stalled.as_slice(), &[of_step(2, "PL104")]].concat();
        assert_eq!(first(&another).as_deref(), Some("PL104 (PL104)"));
    }

    #[test]
    fn what_is_invalid_is_not_trusted_and_a_rule_that_says_nothing_of_the_claim_is_no_doubt() {
        let zeros = [found("PL012", Severity::Invalid, "Zeros.")];
        let answer = of(&zeros, Claim::Sustained, &RunStatus::Completed);
        assert_eq!(
            answer.trust,
            "not trusted as sustained load; one doubt: Zeros (PL012)"
        );
        let short = [found("PL030", Severity::Suspect, "Too short.")];
        let answer = of(&short, Claim::Cached, &RunStatus::Completed);
        assert_eq!(answer.trust, "trusted for what caches give; no doubts");
    }

    #[test]
    fn what_a_shell_would_part_or_unfold_stands_in_quotes() {
        for (name, quoted) in [
            (
                "/dev/disk/by-id/scsi-36:0+a@b%c,d=e",
                "/dev/disk/by-id/scsi-36:0+a@b%c,d=e",
            ),
            ("my run.plim", "'my run.plim'"),
            ("lab:curve(depth=8)&", "'lab:curve(depth=8)&'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(name), quoted);
        }
    }

    #[test]
    fn a_run_that_was_cut_off_is_gone_on_with() {
        let answer = of(&[], Claim::Sustained, &RunStatus::Interrupted);
        assert!(answer.trust.starts_with("interrupted"), "{answer:?}");
        assert_eq!(
            answer.next.as_deref(),
            Some("plimsoll resume a.plim goes on with it")
        );
    }
}
