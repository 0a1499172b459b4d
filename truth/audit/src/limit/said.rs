//! A limit in one sentence.

use super::Candidate;
use plimsoll_evidence::{Limit, LimitCause};
use plimsoll_printable::human;

/// So many causes that could not be looked at are named; of more their number.
const NAMED: usize = 4;

/// A cause that is clear.
pub fn named(top: &Candidate, next: Option<&Candidate>, unseen: Vec<LimitCause>) -> Limit {
    let against = next.map(|n| {
        format!(
            "{}, which explains {} of an I/O's time at most",
            n.seen,
            human::percent(n.explains)
        )
    });
    let rest = match (next, &against) {
        (Some(n), Some(against)) => format!("; next comes {}: {against}", n.cause.words()),
        _ => "; nothing else that was seen stands out".to_string(),
    };
    Limit {
        cause: top.cause,
        sentence: format!(
            "Limited by {}: {}, which explains {} of an I/O's time{rest}.",
            top.cause.words(),
            top.seen,
            human::percent(top.explains)
        ),
        for_it: vec![top.seen.clone()],
        runner_up: next.map(|n| n.cause),
        against,
        explains: top.explains,
        not_observable: unseen,
    }
}

/// None is clear.
pub fn not_attributable(
    top: Option<&Candidate>,
    next: Option<&Candidate>,
    unseen: Vec<LimitCause>,
) -> Limit {
    let weighed = |c: &Candidate| {
        format!(
            "{} ({}, {} of an I/O's time)",
            c.cause.words(),
            c.seen,
            human::percent(c.explains)
        )
    };
    let beside: Vec<LimitCause> = unseen
        .iter()
        .copied()
        .filter(|c| top.is_none_or(|t| t.cause != *c))
        .collect();
    let why = match (top, next) {
        (
            Some(Candidate {
                doubt: Some(doubt), ..
            }),
            _,
        ) => {
            let most = top.map_or_else(String::new, weighed);
            format!("it may be {most}, but {doubt}")
        }
        (Some(top), Some(next)) if next.gain() * super::LEAD > top.gain() => format!(
            "{} and {} are too close to each other",
            weighed(top),
            weighed(next)
        ),
        (Some(top), _) => format!(
            "most of what was seen speaks for {}, and not enough",
            weighed(top)
        ),
        (None, _) => "nothing that was seen stands out".to_string(),
    };
    Limit {
        cause: LimitCause::NotAttributable,
        sentence: format!(
            "What limited it is not attributable: {why}{}.",
            missing(&beside)
        ),
        for_it: top.iter().map(|c| c.seen.clone()).collect(),
        runner_up: top.map(|c| c.cause),
        against: None,
        explains: 0.0,
        not_observable: unseen,
    }
}

/// What could not be looked at.
fn missing(unseen: &[LimitCause]) -> String {
    let mut words: Vec<&str> = unseen.iter().map(|c| c.words()).collect();
    let more = words.len().saturating_sub(NAMED);
    words.truncate(NAMED);
    match (words.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!("; out of sight: {}", words.join(", ")),
        (false, n) => format!("; out of sight: {} and {n} more", words.join(", ")),
    }
}
