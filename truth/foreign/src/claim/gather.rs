//! Claims, gathered from what is said one thing after the other: what belongs to which, and what holds for all.

use super::count::{HOSTS, JOBS, TARGETS};
use super::fact::{Fact, Of, Per, Rounded};
use super::phrase::{DEPTHS, size};
use super::port::Ports;
use crate::claimed::OpenFactors;

/// One claim, as far as it is said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    pub rate: Option<Rounded>,
    /// Of each of which the rate is.
    pub rate_of: Option<Per>,
    /// Bytes each second, and what they are more where MB are MiB.
    pub bandwidth: Option<(Rounded, Option<f64>)>,
    pub times: Vec<(Of, Rounded)>,
    pub block: Option<f64>,
    pub size: Option<f64>,
    pub duration: Option<f64>,
    pub jobs: Option<(u64, Per)>,
    pub depth: Option<(u64, Per)>,
    pub total: Option<u64>,
    pub hosts: Option<u64>,
    pub targets: Option<u64>,
    pub ports: Vec<Ports>,
    /// Number of ports, where their speed is said elsewhere, and true where each host has as many.
    pub port_count: Option<(u64, bool)>,
    pub shares: [Option<f64>; 2],
    pub directions: [bool; 2],
    pub random: Option<bool>,
    pub hits: Option<f64>,
    pub held: bool,
    /// The most bandwidth of a data sheet, which is not that of its rate and its size.
    pub is_peak: bool,
}

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
    by_direction(&mut facts);
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
    let open = open_factors(&facts);
    let mut unread = Vec::new();
    let mut drafts = Vec::new();
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
    let times = drafts.iter().flat_map(|d| &d.times);
    Gathered {
        unread,
        open,
        aside: times
            .filter(|(of, _)| *of == Of::NotOfAll)
            .map(|(_, t)| t.value)
            .collect(),
        claims: together(drafts),
    }
}

/// Puts each of two directions behind its rate: `850K/150K read/write IOPS`, `Read/Write: 1,000K/180K IOPS`.
fn by_direction(facts: &mut [Fact]) {
    for at in 0..facts.len().saturating_sub(3) {
        let four = &mut facts[at..at + 4];
        let is_first = |of: &Fact| matches!(of, Fact::Rate(_));
        let is_side = |of: &Fact| matches!(of, Fact::Direction(_));
        match four {
            [a, b, c, d] if is_first(a) && is_first(b) && is_side(c) && is_side(d) => {
                four[1..3].rotate_left(1)
            }
            [a, b, c, d] if is_side(a) && is_side(b) && is_first(c) && is_first(d) => {
                four.rotate_left(2);
                four[1..3].rotate_left(1);
            }
            _ => {}
        }
    }
}

/// Factors of the I/Os that were out, as far as what is not understood may be some.
fn open_factors(facts: &[Fact]) -> OpenFactors {
    const LARGEST: f64 = 5000.0;
    let mut open = OpenFactors::default();
    for fact in facts {
        match fact {
            Fact::Each | Fact::RateOf(Per::Each) => open.each = true,
            Fact::Unread(word) => match word.parse() {
                Ok(n) if n <= LARGEST => open.numbers.push(n),
                Ok(_) => {}
                Err(_) => {
                    let word = word.to_lowercase();
                    let known = [&JOBS[..], &HOSTS, &TARGETS, &DEPTHS, &["outstanding"]];
                    open.words |= known.iter().any(|all| all.contains(&word.as_str()));
                }
            },
            _ => {}
        }
    }
    open
}

/// Sentences, and their parts between commas; a second rate, or bandwidth, begins a part of its own.
fn sentences(facts: Vec<Fact>) -> Vec<Vec<Vec<Fact>>> {
    let mut all = vec![vec![Vec::new()]];
    for fact in facts {
        match fact {
            Fact::End => all.push(vec![Vec::new()]),
            Fact::Comma => all.last_mut().into_iter().for_each(|s| s.push(Vec::new())),
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

/// A count or a size of nothing, in words: no load has it, so it is a slip or a blank in a form.
fn nothing(fact: &Fact) -> Option<String> {
    match fact {
        Fact::Jobs(0, _) => Some("0 jobs".to_string()),
        Fact::Depth(0, _) => Some("depth 0".to_string()),
        Fact::Total(0) => Some("0 in flight".to_string()),
        Fact::Hosts(0) => Some("0 hosts".to_string()),
        Fact::Targets(0) => Some("0 targets".to_string()),
        Fact::PortCount(0, _) => Some("0 ports".to_string()),
        Fact::Block(bytes) if *bytes < 1.0 => Some("a size of 0".to_string()),
        Fact::Ports(ports) if ports.count == 0 || ports.line <= 0.0 => {
            Some(format!("{} x {}", ports.count, ports.what))
        }
        _ => None,
    }
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

impl Draft {
    /// Takes in what is said; a word that says nothing comes back.
    fn take(&mut self, fact: Fact) -> Option<String> {
        if let Some(nothing) = nothing(&fact) {
            return Some(nothing);
        }
        match fact {
            Fact::Rate(rate) => self.rate = Some(rate),
            Fact::Bandwidth { bytes, binary, .. } => self.bandwidth = Some((bytes, binary)),
            Fact::Time(of, time) => self.times.push((of, time)),
            Fact::Block(bytes) => self.block = Some(bytes),
            Fact::Size(bytes) => self.size = Some(bytes),
            Fact::Duration(seconds) => self.duration = Some(seconds),
            Fact::Jobs(n, per) => self.jobs = Some((n, per)),
            Fact::Depth(n, per) => self.depth = Some((n, per)),
            Fact::Total(n) => self.total = Some(n),
            Fact::Hosts(n) => self.hosts = Some(n),
            Fact::Targets(n) => self.targets = Some(n),
            Fact::Ports(ports) => self.ports.push(ports),
            Fact::PortCount(n, each_host) => self.port_count = Some((n, each_host)),
            Fact::Reads(share) => self.shares[0] = Some(share),
            Fact::Writes(share) => self.shares[1] = Some(share),
            Fact::Direction(reads) => self.directions[usize::from(!reads)] = true,
            Fact::Random(random) => self.random = Some(random),
            Fact::Hits(share) => self.hits = Some(share),
            Fact::Held => self.held = true,
            Fact::Unread(word) => return Some(word),
            Fact::RateOf(per) => self.rate_of = Some(per),
            Fact::Each => self.rate_of = self.rate_of.or(Some(Per::Each)),
            Fact::Number { .. } | Fact::WarmUp | Fact::Comma | Fact::End => {}
        }
        None
    }

    /// True where the draft says a rate or a bandwidth.
    pub(super) fn is_claim(&self) -> bool {
        self.rate.is_some() || self.bandwidth.is_some()
    }

    fn has_mean(&self) -> bool {
        self.times.iter().any(|(of, _)| *of == Of::Mean)
    }

    /// Two claims say the same thing differently; one doesn't.
    fn conflicts(&self, other: &Draft) -> bool {
        let pairs = [
            self.rate.is_some() && other.rate.is_some(),
            self.bandwidth.is_some() && other.bandwidth.is_some(),
            self.block.is_some() && other.block.is_some(),
            self.jobs.is_some() && other.jobs.is_some(),
            self.depth.is_some() && other.depth.is_some(),
            self.hosts.is_some() && other.hosts.is_some(),
            self.port_count.is_some() && other.port_count.is_some(),
            self.has_mean() && other.has_mean(),
            self.is_claim()
                && other.is_claim()
                && self
                    .direction()
                    .is_some_and(|side| other.direction() == Some(!side)),
        ];
        pairs.into_iter().any(|both| both)
    }

    /// The other is a time of writes beside a claim of reads, or the other way round.
    fn is_of_other_direction(&self, other: &Draft) -> bool {
        let sides = self.direction().zip(other.direction());
        !other.is_claim() && other.has_mean() && sides.is_some_and(|(mine, theirs)| mine != theirs)
    }

    /// The one says a rate, and the other more bandwidth than that rate has at its size: a sheet's largest figures of two loads.
    fn is_beside(&self, other: &Draft) -> bool {
        let tells_load = |draft: &Draft| draft.random.is_some() || draft.directions != [false; 2];
        (tells_load(self) || tells_load(other))
            && (other.bandwidth.is_none() && self.outruns(other)
                || self.bandwidth.is_none() && other.outruns(self))
    }

    /// True where the draft says a bandwidth and no rate, and more than another's rate has at its size.
    fn outruns(&self, other: &Draft) -> bool {
        let block = other.block.or(self.block);
        let (None, Some((bandwidth, _)), Some(rate), Some(block)) =
            (self.rate, self.bandwidth, other.rate, block)
        else {
            return false;
        };
        bandwidth.value > 1.1 * rate.value * block
    }

    /// Takes from another what it does not say itself; times, concurrency and mix only where the other is a part of it.
    fn fill(&mut self, other: &Draft, is_part: bool) {
        fn or<T: Clone>(mine: &mut Option<T>, theirs: &Option<T>) {
            if mine.is_none() {
                mine.clone_from(theirs);
            }
        }
        // The size of a random load is not that of a sequential one.
        let is_another = self
            .random
            .zip(other.random)
            .is_some_and(|(mine, theirs)| mine != theirs);
        // Nor is that of a rate the size of the most bytes.
        let is_another =
            is_another || self.rate.is_none() && self.bandwidth.is_some() && other.rate.is_some();
        if !self.is_peak && (is_part || !is_another && !self.outruns(other)) {
            or(&mut self.block, &other.block);
        }
        or(&mut self.size, &other.size);
        or(&mut self.duration, &other.duration);
        or(&mut self.hosts, &other.hosts);
        or(&mut self.targets, &other.targets);
        // Nor is the order of the most bytes that of the most I/Os.
        if is_part || self.rate.is_some() == other.rate.is_some() {
            or(&mut self.random, &other.random);
        }
        if self.ports.is_empty() || is_part {
            let of_mine = |p: &Ports| match self.port_count {
                Some((mine, _)) if !is_part => p.recounted(mine),
                _ => p.clone(),
            };
            let theirs: Vec<Ports> = other.ports.iter().map(of_mine).collect();
            self.ports.extend(theirs);
            or(&mut self.port_count, &other.port_count);
        }
        if !is_part {
            return;
        }
        or(&mut self.rate, &other.rate);
        or(&mut self.rate_of, &other.rate_of);
        or(&mut self.bandwidth, &other.bandwidth);
        self.times.extend(&other.times);
        self.concurrency(other);
        or(&mut self.shares[0], &other.shares[0]);
        or(&mut self.shares[1], &other.shares[1]);
        for side in 0..2 {
            self.directions[side] |= other.directions[side];
        }
        or(&mut self.hits, &other.hits);
        self.held |= other.held;
    }

    /// Jobs and depth belong together: whoever says one of them means its own.
    fn concurrency(&mut self, other: &Draft) {
        self.jobs = self.jobs.or(other.jobs);
        self.depth = self.depth.or(other.depth);
        self.total = self.total.or(other.total);
    }

    /// The direction that it is of alone, reads or not; `None` where that is not said.
    fn direction(&self) -> Option<bool> {
        match self.directions {
            [reads, writes] if reads != writes => Some(reads),
            _ => None,
        }
    }

    /// Share of reads; none where both are meant, or nothing is said.
    pub(super) fn reads(&self) -> Option<f64> {
        match (self.shares, self.directions) {
            ([Some(reads), _], _) => Some(reads),
            ([None, Some(writes)], _) => Some(1.0 - writes),
            (_, [true, false]) => Some(1.0),
            (_, [false, true]) => Some(0.0),
            _ => None,
        }
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
    for draft in drafts {
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
