//! Claims, gathered from what is said one thing after the other: what belongs to which, and what holds for all.

use super::amount::is_count;
use super::draft::Draft;
use super::fact::{Fact, Of, Per, size};
use super::factor::is_factor;
use crate::claimed::OpenFactors;
use plimsoll_plan::Bytes;
use plimsoll_printable::human;

/// The claims of a text.
#[derive(Debug)]
pub(super) struct Gathered {
    pub claims: Vec<Draft>,
    /// Words and numbers that say nothing that is known.
    pub unread: Vec<String>,
    /// Times that are known and say nothing of the mean of all I/Os, ns.
    pub aside: Vec<f64>,
    /// Factors of the I/Os that were out, among what is not understood.
    pub open: OpenFactors,
}

/// Takes apart what a text says.
pub(super) fn claims(mut facts: Vec<Fact>) -> Gathered {
    without_lists(&mut facts);
    // Beside one in bytes, or a rate, a bandwidth in bits is that of a line.
    let is_more =
        |fact: &Fact| matches!(fact, Fact::Rate(_) | Fact::Bandwidth { in_bits: false, .. });
    if facts.iter().any(is_more) {
        for fact in &mut facts {
            if let Fact::Bandwidth {
                bytes,
                in_bits: true,
                ..
            } = fact
            {
                *fact = Fact::Unread(format!("{} Gbit/s", bytes.value * 8.0 / 1e9));
            }
        }
    }
    // Beside a rate that is called one, a bare number is part of a name: `Alletra 9080: 2.1M IOPS`.
    if facts.iter().any(|fact| matches!(fact, Fact::Rate(_))) {
        for fact in &mut facts {
            if let Fact::Number {
                rate,
                bytes: None,
                at: false,
            } = fact
            {
                *fact = Fact::Unread(rate.value.to_string());
            }
        }
    }
    let mut open = open_factors(&facts);
    let mut unread = Vec::new();
    let mut drafts = Vec::new();
    let all = facts.clone();
    for sentence in sentences(facts) {
        let mut draft = Draft::default();
        for mut clause in sentence {
            let mut next = Draft::default();
            settle(&mut clause, draft.rate.is_some() && !draft.has_mean());
            for fact in clause {
                if let Some(word) = next.take(fact) {
                    unread.push(word);
                }
            }
            if draft.conflicts(&next) || draft.is_of_other_direction(&next) {
                drafts.push(std::mem::replace(&mut draft, next));
            } else if draft.is_beside(&next) {
                draft.is_peak = draft.rate.is_none();
                next.is_peak = next.rate.is_none();
                drafts.push(std::mem::replace(&mut draft, next));
            } else {
                draft.fill(&next, true);
            }
        }
        drafts.push(draft);
    }
    set_aside(&mut drafts);
    let times: Vec<_> = drafts.iter().flat_map(|d| d.times.clone()).collect();
    let claims = together(drafts);
    let unused = unused(&all, &claims);
    open.numbers |= !unused.is_empty();
    unread.extend(unused);
    unread.dedup();
    // What was put aside while the claims were made is not understood either.
    let is_number = |word: &String| word.trim_end_matches('%').parse::<f64>().is_ok();
    open.numbers |= unread.iter().any(is_number);
    // Each of several claims may have the time that some of them have.
    let means = claims.iter().filter(|c| c.mean().is_some()).count();
    open.times = means > 0 && means < claims.iter().filter(|c| c.is_claim()).count();
    let mut aside = Vec::new();
    for (of, time) in times {
        let is_mean = claims
            .iter()
            .any(|c| c.mean().is_some_and(|(_, mean)| mean == time));
        if matches!(of, Of::NotOfAll | Of::Mean | Of::Loose | Of::Doubtful) && !is_mean {
            aside.push(time.value);
            open.times |= of != Of::NotOfAll && claims.iter().any(|c| c.mean_is_unsure());
        }
    }
    aside.dedup();
    open.times |= claims
        .iter()
        .any(|c| c.mean().is_some_and(|(of, _)| of == Of::Doubtful));
    Gathered {
        claims,
        unread,
        aside,
        open,
    }
}

/// Of several bare numbers between two commas none is a rate: they are a line of a table.
fn without_lists(facts: &mut [Fact]) {
    let is_bare = |fact: &Fact| {
        matches!(
            fact,
            Fact::Number {
                bytes: None,
                at: false,
                ..
            }
        )
    };
    for part in facts.split_mut(|fact| matches!(fact, Fact::Comma | Fact::End)) {
        if part.iter().filter(|fact| is_bare(fact)).count() < 2 {
            continue;
        }
        for fact in part {
            if let Fact::Number {
                rate, bytes: None, ..
            } = fact
            {
                *fact = Fact::Unread(rate.value.to_string());
            }
        }
    }
}

/// Words for a number that is not told, and for what it is of.
const SOME: [&str; 10] = [
    "outstanding",
    "several",
    "multiple",
    "many",
    "pair",
    "pairs",
    "hba",
    "hbas",
    "port",
    "ports",
];

/// What is not understood and may be what is missing.
fn open_factors(facts: &[Fact]) -> OpenFactors {
    let mut open = OpenFactors::default();
    for fact in facts {
        match fact {
            Fact::Each | Fact::RateOf(Per::Each) => open.each = true,
            Fact::Unread(word) if word.parse::<f64>().is_ok() => open.numbers = true,
            Fact::Unread(word) => {
                let word = word.to_lowercase();
                open.numbers |= is_count(&word);
                open.words |= is_factor(&word) || SOME.contains(&word.as_str());
            }
            _ => {}
        }
    }
    open
}

/// Numbers that are understood and of which nothing was made, in words.
fn unused(facts: &[Fact], claims: &[Draft]) -> Vec<String> {
    let is_said = |of: &dyn Fn(&Draft) -> bool| claims.iter().any(of);
    let count = |n: u64, what: &str, is_said: bool| (!is_said).then(|| format!("{n} {what}"));
    let of = |fact: &Fact| match *fact {
        Fact::Rate(r) => {
            (!is_said(&|c| c.rate == Some(r))).then(|| format!("{}/s", human::rate(r.value)))
        }
        Fact::Jobs(n, _) => count(n, "jobs", is_said(&|c| c.jobs.is_some_and(|j| j.0 == n))),
        Fact::Depth(n, _) => count(n, "deep", is_said(&|c| c.depth.is_some_and(|d| d.0 == n))),
        Fact::Total(n) => count(n, "in flight", is_said(&|c| c.total == Some(n))),
        Fact::Hosts(n) => count(n, "hosts", is_said(&|c| c.hosts == Some(n))),
        Fact::Targets(n) => count(n, "targets", is_said(&|c| c.targets == Some(n))),
        Fact::Block(bytes) => (!is_said(&|c| c.block == Some(bytes)))
            .then(|| format!("a size of {}", Bytes(bytes as u64))),
        _ => None,
    };
    let mut all: Vec<String> = facts.iter().filter_map(of).collect();
    all.dedup();
    all
}

/// Sentences, and their parts between commas; a second rate, or bandwidth, begins a part of its own.
fn sentences(facts: Vec<Fact>) -> Vec<Vec<Vec<Fact>>> {
    let mut all = vec![vec![Vec::new()]];
    for fact in facts {
        match fact {
            Fact::End => all.push(vec![Vec::new()]),
            Fact::Comma => all.last_mut().into_iter().for_each(|s| s.push(Vec::new())),
            Fact::Apart => all
                .last_mut()
                .into_iter()
                .for_each(|s| s.push(vec![Fact::Apart])),
            fact => {
                let Some(sentence) = all.last_mut() else {
                    continue;
                };
                let said = || sentence.last().into_iter().flatten();
                if said().any(|said| is_again(said, &fact)) {
                    continue;
                }
                let is_second = |of: fn(&Fact) -> bool| of(&fact) && said().any(of);
                if is_second(is_rate) || is_second(|f| matches!(f, Fact::Bandwidth { .. })) {
                    sentence.push(Vec::new());
                }
                sentence
                    .last_mut()
                    .into_iter()
                    .for_each(|c: &mut Vec<Fact>| c.push(fact.clone()));
            }
        }
    }
    all
}

/// `819 MB/s (781 MiB/s)`.
fn is_again(said: &Fact, fact: &Fact) -> bool {
    let bandwidth = |fact: &Fact| match fact {
        Fact::Bandwidth { bytes, .. } => Some(*bytes),
        _ => None,
    };
    bandwidth(said)
        .zip(bandwidth(fact))
        .is_some_and(|(a, b)| (a.value - b.value).abs() <= a.half + b.half)
}

fn is_rate(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Rate(_) | Fact::Number { at: true, .. } | Fact::Number { bytes: None, .. }
    )
}

/// Makes rates or sizes of numbers that may be either; of `4k at 1 ms` a size where the rate is known and its time is not.
fn settle(clause: &mut [Fact], waits_for_mean: bool) {
    let rate_is_said = clause.iter().any(|f| matches!(f, Fact::Rate(_)));
    let said = rate_is_said || clause.iter().any(|f| matches!(f, Fact::Bandwidth { .. }));
    for fact in clause {
        let Fact::Number { rate, bytes, at } = *fact else {
            continue;
        };
        // 4k and 128k are sizes; 264k is none that a host would choose.
        let is_size =
            |b: &f64| *b <= (16 << 20) as f64 && *b % 512.0 == 0.0 && (*b as u64).is_power_of_two();
        let size_of = bytes.filter(|b| is_size(b) && (!at || said || waits_for_mean));
        *fact = match size_of {
            Some(bytes) => size(bytes),
            // `269.72 MB/s (67.4k)`.
            None if said && (rate_is_said || bytes.is_none()) => {
                Fact::Unread(rate.value.to_string())
            }
            None => Fact::Rate(rate),
        };
    }
}

/// Makes times of one direction, of which several claims are, times of none of them: whose they are is not said.
fn set_aside(drafts: &mut [Draft]) {
    let claims: Vec<Option<bool>> = drafts
        .iter()
        .filter(|d| d.is_claim())
        .map(Draft::direction)
        .collect();
    for draft in drafts.iter_mut().filter(|d| !d.is_claim()) {
        let side = draft
            .direction()
            .filter(|side| claims.iter().filter(|of| **of == Some(*side)).count() > 1);
        if side.is_some() {
            draft
                .times
                .iter_mut()
                .for_each(|(of, _)| *of = Of::NotOfAll);
            draft.directions = [false; 2];
        }
    }
}

/// The claims, with what holds for all of them.
fn together(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut claims: Vec<Draft> = Vec::new();
    let mut shared = Draft::default();
    let several = drafts.iter().filter(|d| d.is_claim()).count() > 1;
    // A time for each claim follows upon it; of fewer it is not said of which they are.
    let timed = drafts.iter().filter(|d| d.has_mean()).count();
    let is_each = timed == drafts.iter().filter(|d| d.is_claim()).count();
    for mut draft in drafts {
        // `Each of the 8 jobs kept 32 out; 1.02M IOPS`: another sentence's rate is not of each.
        draft.rate_of = draft.rate_of.filter(|_| draft.is_claim());
        if several && !is_each && !draft.is_claim() && draft.direction().is_none() {
            draft
                .times
                .iter_mut()
                .for_each(|(of, _)| *of = Of::NotOfAll);
        }
        match claims.last_mut() {
            _ if draft.is_claim() => claims.push(draft),
            Some(_) if !several || !draft.times.is_empty() => {
                // Times of the writes are not those of the reads, wherever they stand.
                let side = draft.direction();
                let mut of_side = claims.iter_mut().rev().filter(|c| c.direction() == side);
                match of_side.next().filter(|_| side.is_some()) {
                    Some(claim) => claim.fill(&draft, true),
                    None => claims
                        .last_mut()
                        .into_iter()
                        .for_each(|c| c.fill(&draft, true)),
                }
            }
            _ => {
                shared.fill(&draft, true);
            }
        }
    }
    let said = claims.clone();
    for (at, claim) in claims.iter_mut().enumerate() {
        // What was said last before it, first.
        let nearest = said[..at].iter().rev().chain(&said[at..]);
        nearest.for_each(|part| claim.fill(part, false));
    }
    for claim in &mut claims {
        claim.fill(&shared, false);
        if claim.jobs.is_none() && claim.depth.is_none() && claim.total.is_none() {
            claim.concurrency(&shared);
        }
        if !several {
            claim.fill(
                &Draft {
                    ports: Vec::new(),
                    ..shared.clone()
                },
                true,
            );
        }
    }
    claims
}
