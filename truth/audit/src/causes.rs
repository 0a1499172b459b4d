//! Causes among findings: what says why stands before what says what became of the numbers for it, and what explains most of a result
//! before what explains a few percent.

use crate::limit::LEAST_GAIN;
use crate::{Check, find};
use plimsoll_evidence::{Finding, LimitCause, Severity, StepEvidence};

/// Rules that say what became of the numbers, each with those that say why. These are of the plan (16 and 17: addresses that meet at one
/// owner, 37: too few slots), of how the rate went (108), of arrays (201: duplicates, 203: a cache that fills, 205: a full journal, 206: flash
/// that makes room, 207: paths), of who stood still (405: Plimsoll, 407 to 409: the target) or was late (412), of methods (449: a curve's
/// maximum did not last, 466: the target changed in a sweep, 475: a soak's rate was not done), and of other tools' results (from 500 on).
const WHY: &[(u16, &[u16])] = &[
    // wide-confidence
    (101, &[108, 205, 206, 207, 407, 408, 409, 410]),
    // saturated-latency
    (102, &[37, 205, 206, 207, 408, 409, 412]),
    // rate-missed
    (103, &[37, 205, 206, 207, 408, 409, 412, 449]),
    // slots-were-the-limit
    (104, &[37, 205, 206, 207, 408, 409, 412, 449]),
    // littles-law
    (105, &[501, 521, 523, 524, 525]),
    // collapse
    (108, &[205, 206, 207, 407]),
    // depth-not-reached
    (114, &[501, 510, 512, 515, 516]),
    // cpu-starved
    (130, &[405]),
    // fell-in-warm-up
    (152, &[108, 205, 206, 207, 407]),
    // still-warming
    (203, &[108, 207]),
    // hot-core
    (204, &[16, 17]),
    // warm-up-short
    (410, &[108, 205, 206, 207, 466]),
    // never-steady
    (411, &[108, 201, 203, 205, 206, 207, 407, 449, 466, 540]),
    // generator-late
    (412, &[405]),
    // curve-maximum-unsustained
    (449, &[205, 206, 207, 407, 408, 409]),
    // soak-short
    (471, &[475]),
];

/// Limits of a step, each with the rules that find its cause.
const LIMITS: &[(LimitCause, &[u16])] = &[
    (LimitCause::HotOwner, &[112, 204]),
    (LimitCause::Port, &[207, 209]),
    (LimitCause::Journal, &[205]),
    (LimitCause::GarbageCollection, &[206]),
    (LimitCause::HostCpu, &[130, 151]),
    (LimitCause::OneCpu, &[110, 130, 133, 151]),
    (LimitCause::BlockQueue, &[148]),
    (LimitCause::Network, &[144, 145, 146, 147, 149]),
    (LimitCause::Slots, &[104]),
    (LimitCause::Lateness, &[405, 412]),
    (LimitCause::ForeignIo, &[125]),
    (LimitCause::SetLimit, &[131, 132]),
];

/// Values of findings that are the share of a step which their cause takes.
const SHARES: &[(u16, &str)] = &[
    (110, "steal"),
    (125, "foreign"),
    (130, "waited"),
    (131, "share"),
    (133, "mean"),
    (141, "pressure"),
    (405, "share"),
];

/// Share of a result, a third, from which on a cause counts as what explains most of it: without it there would be half as much again, as
/// without a limit.
const MOST: f64 = 1.0 - 1.0 / LEAST_GAIN;

/// Share of a result below which a cause explains little.
const LITTLE: f64 = 0.1;

/// Rank of a finding among others that are as severe, by how much of the result it explains, where that is known; the weightiest is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Finding that explains most of the result, or is the cause of one that does: all of it but these tenths.
    Most {
        /// Tenths of the result that it leaves, rounded down.
        left: u8,
    },
    /// Finding that was seen in the run.
    Seen,
    /// Finding that was seen, and explains little.
    Little,
    /// Finding of what a plan or a host might do.
    Possible,
    /// Another finding says why.
    Explained,
}

/// Findings of a run by which another may be explained.
#[derive(Debug)]
pub struct Causes(Vec<Cause>);

#[derive(Debug)]
struct Cause {
    number: u16,
    step: Option<u32>,
    severity: Severity,
    explains: Option<f64>,
}

impl Causes {
    /// Causes among findings of these steps.
    pub fn among<'a>(
        findings: impl IntoIterator<Item = &'a Finding>,
        steps: &[StepEvidence],
    ) -> Self {
        let cause = |f: &'a Finding| {
            let number = find(&f.rule)?.number;
            let step = steps.iter().find(|s| Some(s.number) == f.step);
            Some(Cause {
                number,
                step: f.step,
                severity: f.severity,
                explains: step.and_then(|step| explains(number, f, step)),
            })
        };
        Causes(findings.into_iter().filter_map(cause).collect())
    }

    /// Rank of one of them. What says why explains as much as what it is the cause of.
    pub fn rank(&self, finding: &Finding) -> Rank {
        let Some(rule) = find(&finding.rule) else {
            return Rank::Seen;
        };
        let mut same = self.0.iter();
        let Some(of) = same.find(|c| c.number == rule.number && c.step == finding.step) else {
            return Rank::Seen;
        };
        if self.0.iter().any(|why| why.is_why(of)) {
            return Rank::Explained;
        }
        let what = self.0.iter().filter(|what| of.is_why(what));
        let explains = what.chain([of]).filter_map(|c| c.explains).reduce(f64::max);
        match (explains, rule.check) {
            (Some(share), _) if share >= MOST => Rank::Most {
                left: (10.0 * (1.0 - share)).clamp(0.0, 9.0) as u8,
            },
            (_, Check::Plan(_) | Check::Host(_)) => Rank::Possible,
            (Some(share), _) if share < LITTLE => Rank::Little,
            _ => Rank::Seen,
        }
    }
}

impl Cause {
    /// Whether it says why the other was found, is no less severe, and of the same step or of the plan.
    fn is_why(&self, what: &Cause) -> bool {
        let (_, why) = match WHY.iter().find(|(number, _)| *number == what.number) {
            Some(known) => known,
            None => return false,
        };
        why.contains(&self.number)
            && self.severity >= what.severity
            && (self.step.is_none() || self.step == what.step)
    }
}

/// The share of a step's result that a finding explains, where that is known: of what was not done, or of an I/O's time.
fn explains(number: u16, finding: &Finding, step: &StepEvidence) -> Option<f64> {
    let short = step.saturation.filter(|s| s.saturated);
    if matches!(number, 102 | 103) {
        return step.saturation.map(|s| s.shortfall);
    }
    let named = step.limit.as_ref().filter(|l| l.explains > 0.0);
    let is_its = |cause| {
        LIMITS
            .iter()
            .any(|(c, rules)| *c == cause && rules.contains(&number))
    };
    if let Some(limit) = named.filter(|l| is_its(l.cause)) {
        return Some(limit.explains);
    }
    // What was due and waited in the generator, no device was asked for meanwhile.
    let (all, own) = (step.response_mean_ns.mean, step.service_mean_ns.mean);
    let waited = match step.offered {
        Some(_) if short.is_none() && all > 0.0 => (1.0 - own / all).max(0.0),
        _ => 0.0,
    };
    let told = SHARES.iter().find(|(of, _)| *of == number);
    let told = told.and_then(|(_, name)| {
        finding
            .values
            .iter()
            .find(|v| v.name == *name)?
            .quantity
            .number()
    });
    let rest = 1.0 - named.map_or(0.0, |l| l.explains);
    match number {
        104 | 412 => step.offered.map(|_| waited),
        405 => Some(waited.max(told?)),
        125 => Some(told?.min(rest).min(1.0 - waited)),
        _ => Some(told?.min(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_evidence::{Estimate, Limit, Quantity};

    fn found(rule: &str, step: Option<u32>) -> Finding {
        Finding {
            step,
            ..Finding::of_method(rule, Severity::Suspect, [])
        }
    }

    fn share(rule: &str, name: &str, share: f64) -> Finding {
        Finding::of_step(1, rule, Severity::Suspect, [(name, Quantity::Share(share))])
    }

    #[test]
    fn what_explains_is_of_the_same_step_or_of_the_plan() {
        let every = || WHY.iter().flat_map(|(what, why)| why.iter().chain([what]));
        let every = every().chain(LIMITS.iter().flat_map(|(_, rules)| *rules));
        let mut every = every.chain(SHARES.iter().map(|(rule, _)| rule));
        assert!(every.all(|n| crate::RULES.iter().any(|rule| rule.number == *n)));
        let explained = |by: Finding| {
            let slots = found("PL104", Some(2));
            Causes::among([&by, &slots], &[]).rank(&slots) == Rank::Explained
        };
        assert!(explained(found("target-stalled", Some(2))));
        assert!(explained(found("PL037", None)));
        assert!(!explained(found("PL409", Some(1))));
        assert!(!explained(found("PL102", Some(2))));
        // What is worth a note alone did not do it.
        assert!(!explained(Finding {
            severity: Severity::Note,
            ..found("PL409", Some(2))
        }));
    }

    #[test]
    fn what_explains_most_stands_before_what_explains_a_few_percent() {
        let ranks = |step: StepEvidence, findings: &[Finding]| {
            let causes = Causes::among(findings, &[step]);
            findings.iter().map(|f| causes.rank(f)).collect::<Vec<_>>()
        };
        // Half of the device's bytes are foreign, and a limit that was set explains 95 %.
        let limit = |cause, explains| Limit {
            cause,
            explains,
            ..crate::known::limited_by(cause)
        };
        let beside = [share("PL125", "foreign", 0.5), found("PL132", Some(1))];
        let limited = |cause| StepEvidence {
            limit: Some(limit(cause, 0.95)),
            ..StepEvidence::new(1, "x")
        };
        assert_eq!(
            ranks(limited(LimitCause::SetLimit), &beside),
            [Rank::Little, Rank::Most { left: 0 }]
        );
        assert_eq!(
            ranks(limited(LimitCause::ForeignIo), &beside),
            [Rank::Most { left: 0 }, Rank::Seen]
        );
        // Two that each explain a third and more: the larger share is first, whatever their numbers.
        let beside = [
            share("PL125", "foreign", 0.4),
            share("PL131", "share", 0.85),
        ];
        let both = ranks(StepEvidence::new(1, "x"), &beside);
        assert_eq!(both, [Rank::Most { left: 6 }, Rank::Most { left: 1 }]);
        assert!(both[1] < both[0]);
        // A process that was stopped: of 146 ms the device had 4.
        let mut stopped = StepEvidence::new(1, "x");
        stopped.offered = Some(2_000.0);
        stopped.response_mean_ns = Estimate::bare(146e6);
        stopped.service_mean_ns = Estimate::bare(4e6);
        let beside = [
            share("PL125", "foreign", 0.5),
            share("PL405", "share", 0.19),
        ];
        assert_eq!(
            ranks(stopped.clone(), &beside),
            [Rank::Little, Rank::Most { left: 0 }]
        );
        // A rate of which two thirds are not done for want of slots.
        stopped.saturation = Some(plimsoll_evidence::Saturation {
            saturated: true,
            shortfall: 0.68,
            ..Default::default()
        });
        let beside = [
            share("PL110", "steal", 0.012),
            found("PL102", Some(1)),
            found("PL037", None),
            found("PL015", None),
        ];
        let all = [
            Rank::Little,
            Rank::Explained,
            Rank::Most { left: 3 },
            Rank::Possible,
        ];
        assert_eq!(ranks(stopped, &beside), all);
    }
}
