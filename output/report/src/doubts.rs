//! Doubts about a result: what was found, a rule once, in the words that an answer has for them.

use plimsoll_audit::{Causes, Check, Maker, Rank, Rule};
use plimsoll_evidence::{Finding, Severity, StepEvidence};
use plimsoll_plan::Claim;
use std::cmp::Reverse;

/// Findings of one rule: the weightiest.
#[derive(Debug, Clone, Copy)]
pub struct Doubt<'a> {
    pub rule: Option<&'static Rule>,
    pub first: &'a Finding,
    pub severity: Severity,
    rank: Rank,
}

/// Doubts, one of each rule, the weightiest first. What a method notes of its own answer is none.
pub fn of<'a>(
    findings: Vec<&'a Finding>,
    claim: Claim,
    steps: &[StepEvidence],
    undecided: bool,
) -> Vec<Doubt<'a>> {
    let causes = Causes::among(findings.iter().copied(), steps);
    let mut all: Vec<Doubt<'a>> = Vec::new();
    for first in findings {
        let rule = plimsoll_audit::find(&first.rule);
        let severity = match rule {
            Some(rule) => rule
                .severity
                .for_claim(claim)
                .map(|s| s.min(first.severity)),
            None => Some(first.severity),
        };
        let Some(severity) = severity else { continue };
        let of_method =
            rule.is_some_and(|r| matches!(r.check, Check::Made(Maker::Curve | Maker::Method(_))));
        if of_method && severity == Severity::Note {
            continue;
        }
        let same = |d: &&mut Doubt<'_>| match (d.rule, rule) {
            (Some(a), Some(b)) => a.number == b.number,
            (None, None) => d.first.rule == first.rule,
            _ => false,
        };
        let rank = causes.rank(first);
        match all.iter_mut().find(same) {
            Some(doubt) => {
                if (Reverse(severity), rank) < (Reverse(doubt.severity), doubt.rank) {
                    (doubt.first, doubt.rank) = (first, rank);
                }
                doubt.severity = doubt.severity.max(severity);
            }
            None => all.push(Doubt {
                rule,
                first,
                severity,
                rank,
            }),
        }
    }
    // A question without an answer comes first: the answer itself says so.
    let open = |d: &Doubt<'_>| {
        d.rule.is_some_and(|r| {
            let of_method = matches!(r.check, Check::Made(Maker::Method(_)));
            r.name == "curve-undecided" || undecided && of_method
        })
    };
    let number = |d: &Doubt<'_>| d.rule.map_or(u16::MAX, |r| r.number);
    all.sort_by_key(|d| {
        let weight = Reverse((d.severity, open(d)));
        (weight, d.rank, number(d))
    });
    all
}

/// Number of the doubts that matter.
pub fn matter(doubts: &[Doubt<'_>]) -> usize {
    let matter = doubts.iter().filter(|d| d.severity > Severity::Note);
    matter.count()
}

/// `; 3 doubts, of which 1 matters: 9.8% were not ours (PL125)`.
pub fn in_words(doubts: &[Doubt<'_>]) -> String {
    let doubted = match (doubts.len(), matter(doubts)) {
        (0, _) => "; no doubts".to_owned(),
        (1, 0) => "; one small doubt".to_owned(),
        (n, 0) => format!("; {n} small doubts, none of which matters"),
        (1, _) => "; one doubt: ".to_owned(),
        (n, 1) => format!("; {n} doubts, of which 1 matters: "),
        (n, all) if n == all => format!("; {n} doubts, first: "),
        (n, m) => format!("; {n} doubts, of which {m} matter, first: "),
    };
    match (matter(doubts), doubts.first()) {
        (1.., Some(doubt)) => {
            let message = first_sentence(&doubt.first.message);
            format!("{doubted}{message}{}", code(doubt))
        }
        _ => doubted,
    }
}

/// Remedy of the weightiest, where it has one.
pub fn remedy(doubts: &[Doubt<'_>]) -> Option<String> {
    let doubt = doubts.first()?;
    let remedy = match (doubt.first.remedy.as_str(), doubt.rule) {
        ("", Some(rule)) => rule.page.remedy,
        (remedy, _) => remedy,
    };
    let remedy = first_sentence(remedy);
    (!remedy.is_empty()).then_some(remedy)
}

/// Number and name of a rule, whichever of them a finding has: `PL102 saturated-latency`; of another version's rule what it has.
pub fn rule_words(rule: &str) -> String {
    plimsoll_audit::find(rule).map_or_else(
        || rule.to_owned(),
        |found| format!("{} {}", found.code(), found.name),
    )
}

/// ` (PL130)`.
fn code(doubt: &Doubt<'_>) -> String {
    let code = doubt
        .rule
        .map_or_else(|| doubt.first.rule.clone(), Rule::code);
    format!(" ({code})")
}

/// Up to the first full stop that ends a sentence, without it.
fn first_sentence(text: &str) -> String {
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}
