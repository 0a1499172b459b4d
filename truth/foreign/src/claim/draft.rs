//! One claim while it is gathered: what it takes in, what it shares with others, and where two of them conflict.

use super::fact::{Fact, Of, Per, Rounded};
use super::port::Ports;

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
    /// It says the most, or follows upon an `and`.
    pub apart: bool,
    /// Bytes that were moved in all, and what they are more where they are binary.
    pub moved: Option<(Rounded, f64)>,
}

impl Draft {
    /// Takes in what is said; a word that says nothing comes back.
    pub(super) fn take(&mut self, fact: Fact) -> Option<String> {
        if let Some(nothing) = nothing(&fact) {
            return Some(nothing);
        }
        match fact {
            // Of two rates in one clause the last is claimed.
            Fact::Rate(rate) => {
                let before = self.rate.replace(rate).filter(|before| *before != rate);
                return before.map(|before| before.value.to_string());
            }
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
            Fact::Moved(bytes, binary) => self.moved = Some((bytes, binary)),
            Fact::Sides(_) => self.directions = [true; 2],
            Fact::UpTo | Fact::Apart => self.apart = true,
            Fact::Number { .. } | Fact::Each | Fact::WarmUp | Fact::Comma | Fact::End => {}
            Fact::Labelled(..) | Fact::Pair(..) => {}
        }
        None
    }

    /// True where the draft says a rate or a bandwidth.
    pub(super) fn is_claim(&self) -> bool {
        self.rate.is_some() || self.bandwidth.is_some()
    }

    pub(super) fn has_mean(&self) -> bool {
        self.times
            .iter()
            .any(|(of, _)| matches!(of, Of::Mean | Of::Loose))
    }

    /// The mean time and how sure it is: the one with a word for it, else the only one. Of several none is.
    pub(super) fn mean(&self) -> Option<(Of, Rounded)> {
        [Of::Mean, Of::Loose, Of::Doubtful]
            .iter()
            .find_map(|rank| {
                let mut times = self.times.iter().filter(|(of, _)| of == rank);
                let first = *times.next()?;
                Some(times.all(|(_, time)| *time == first.1).then_some(first))
            })?
    }

    pub(super) fn mean_is_unsure(&self) -> bool {
        self.mean().is_some_and(|(of, _)| of != Of::Mean)
    }

    /// Two claims say the same thing differently; one doesn't.
    pub(super) fn conflicts(&self, other: &Draft) -> bool {
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
    pub(super) fn is_of_other_direction(&self, other: &Draft) -> bool {
        let sides = self.direction().zip(other.direction());
        !other.is_claim() && other.has_mean() && sides.is_some_and(|(mine, theirs)| mine != theirs)
    }

    /// The one says a rate, and the other more bandwidth than that rate has at its size: a sheet's largest figures of two loads.
    pub(super) fn is_beside(&self, other: &Draft) -> bool {
        let tells_load = |draft: &Draft| draft.random.is_some() || draft.directions != [false; 2];
        let is_first = self.rate.is_none() && self.bandwidth.is_some();
        (is_first || tells_load(self) || tells_load(other) || self.apart || other.apart)
            && (other.bandwidth.is_none() && self.outruns(other)
                || self.bandwidth.is_none() && other.outruns(self))
    }

    /// True where the draft says a bandwidth and no rate, and more than another's rate has at its size.
    pub(super) fn outruns(&self, other: &Draft) -> bool {
        let block = other.block.or(self.block);
        let (None, Some((bandwidth, _)), Some(rate), Some(block)) =
            (self.rate, self.bandwidth, other.rate, block)
        else {
            return false;
        };
        bandwidth.value > 1.1 * rate.value * block
    }

    /// Takes from another what it does not say itself; times, concurrency and mix only where the other is a part of it.
    pub(super) fn fill(&mut self, other: &Draft, is_part: bool) {
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
        or(&mut self.moved, &other.moved);
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
        self.apart |= other.apart;
    }

    /// Jobs and depth belong together: whoever says one of them means its own.
    pub(super) fn concurrency(&mut self, other: &Draft) {
        self.jobs = self.jobs.or(other.jobs);
        self.depth = self.depth.or(other.depth);
        self.total = self.total.or(other.total);
    }

    /// The direction that it is of alone, reads or not; `None` where that is not said.
    pub(super) fn direction(&self) -> Option<bool> {
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
