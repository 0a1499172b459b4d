//! Claims without a log: `264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC`. A small language, forgiving in its words and
//! strict in its numbers, read into the form that results of tools have, so that the same rules judge it.

mod amount;
mod count;
mod draft;
mod fact;
mod factor;
mod flag;
mod gather;
mod heading;
mod language;
mod other;
mod pair;
mod phrase;
pub(crate) mod port;
mod said;
mod time;
mod token;
mod vocabulary;

pub use port::Ports;
pub(crate) use port::busier_direction;

use crate::claimed::{Claimed, OpenFactors, Slots, Span, in_flight};
use crate::model::{
    AskedSettings, ForeignResult, Format, InputPlace, Latency, Load, Row, Run, Scope, Side, Tool,
};
use draft::Draft;
use fact::{Of, Per, Rounded};
use plimsoll_plan::{Bytes, Nanos, Rate};

/// Bytes of a text, at most: more is no claim but a log.
pub const MOST_BYTES: usize = 8 << 10;

/// A rate is rounded by no more than this share of it.
const RATE_ROUNDED: f64 = 0.01;

/// Name that stands in for that of a file.
const SOURCE: &str = "the text";

/// Reason why there is nothing to judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// Text without a rate.
    #[error(
        "`{text}` says no rate and no bandwidth, so there is nothing to check; write for example `264000 IOPS at 1.15 ms, 4k, jobs=8 depth=10`"
    )]
    NoRate {
        /// The text, or its beginning.
        text: String,
    },
    /// Text with a word for a rate, and no number that is read as one.
    #[error(
        "`{text}` names a rate, and none of its numbers is understood as one; write for example `264000 IOPS at 1.15 ms, 4k, jobs=8 depth=10`"
    )]
    NotUnderstood {
        /// The text, or its beginning.
        text: String,
    },
    /// Text with a bandwidth alone.
    #[error(
        "`{text}` says a bandwidth without a transfer size, from which no rate follows; say the size too, as in `112 MB/s of 64k`, or the ports that it came by, as in `112 MB/s over 1GbE`"
    )]
    NoSize {
        /// The text, or its beginning.
        text: String,
    },
    /// Text too long to be a sentence.
    #[error("a claim has at most {} KiB; a log or a result goes to `plimsoll audit`", MOST_BYTES >> 10)]
    TooLong,
}

/// Reads the claims of a text.
pub fn read(text: &str) -> Result<ForeignResult, ClaimError> {
    if text.len() > MOST_BYTES {
        return Err(ClaimError::TooLong);
    }
    let said = gather::claims(phrase::facts(text));
    let runs: Vec<Run> = said
        .claims
        .iter()
        .filter_map(|draft| run(draft, &said.open))
        .collect();
    let comparable = |c: &Claimed| c.rate.is_some() || !c.ports.is_empty();
    if !runs
        .iter()
        .filter_map(|r| r.claimed.as_ref())
        .any(comparable)
    {
        let names_rate = text.to_lowercase().contains("iops");
        let text = text.trim().chars().take(80).collect();
        return Err(match runs.is_empty() {
            false => ClaimError::NoSize { text },
            true if names_rate => ClaimError::NotUnderstood { text },
            true => ClaimError::NoRate { text },
        });
    }
    Ok(ForeignResult {
        tool: Tool::Claim,
        format: Format::Claim,
        version: None,
        started_s: None,
        sources: vec![SOURCE.to_string()],
        remarks: said::remarks(&runs, &said),
        runs,
    })
}

/// A claim in the form of a result.
fn run(draft: &Draft, open: &OpenFactors) -> Option<Run> {
    let rate = rate(draft);
    let iops = rate.map(|r| r.value);
    let bandwidth = bandwidth(draft, rate);
    let of = |wanted: fn(&Of) -> bool| {
        draft
            .times
            .iter()
            .find(|(of, _)| wanted(of))
            .map(|(_, t)| *t)
    };
    let mean = draft.mean().map(|(_, mean)| mean);
    let time = |t: Rounded| Nanos(t.value.round() as u64);
    let quantiles = draft.times.iter().filter_map(|(of, t)| match of {
        Of::Quantile(q) => Some((*q, time(*t))),
        _ => None,
    });
    let at = InputPlace { source: 0, line: 1 };
    let mut row = Row::new(Scope::Whole, "claim", at);
    row.seconds = draft.duration;
    row.bandwidth = bandwidth;
    row.shares = sum(draft)
        .map(|sum| ("reads and writes", sum))
        .into_iter()
        .collect();
    row.all = Side {
        iops: iops.map(Rate),
        latency: Latency {
            mean: mean.map(time),
            sd: of(|of| *of == Of::Deviation).map(time),
            min: of(|of| *of == Of::Min).map(time),
            max: of(|of| *of == Of::Max).map(time),
            percentiles: quantiles.collect(),
            ..Latency::default()
        },
        ..Side::default()
    };
    let claimed = Claimed {
        rate: rate.map(|r| span(r, RATE_ROUNDED)),
        parts: draft.times_of_rate(),
        bandwidth: draft.bandwidth().map(|(b, _)| span(b, 0.01)),
        mean: mean.map(|m| span(m, 0.05)),
        widest: rate
            .zip(mean)
            .map(|(r, m)| in_flight(span(r, 1.0), span(m, 1.0))),
        slots: slots(draft),
        open: open.clone(),
        ports: ports(draft),
        held: draft.held,
        hits: draft.hits,
    };
    Some(Run {
        name: said::name(iops, bandwidth, mean.map(|m| m.value))?,
        at,
        asked: asked(draft, &claimed),
        rows: vec![row],
        claimed: Some(claimed),
        ..Run::default()
    })
}

/// Settings of the claim, as far as they are said.
fn asked(draft: &Draft, claimed: &Claimed) -> AskedSettings {
    let bytes = |b: f64| Bytes(b as u64);
    AskedSettings {
        block: draft.block.map(|b| (bytes(b), bytes(b))),
        read_share: draft.reads(),
        random: draft.random,
        in_flight: claimed.slots.as_ref().map(|s| s.most),
        duration_s: draft.duration,
        target_size: draft.size.map(bytes),
        load: (!draft.held).then_some(Load::Max),
        ..AskedSettings::default()
    }
}

/// The rate as it is said, or a bandwidth over the size.
fn rate(draft: &Draft) -> Option<Rounded> {
    let by_bytes = || {
        let (bytes, _) = draft.bandwidth.or_else(|| draft.moved_each())?;
        let block = draft.block.filter(|b| *b > 0.0)?;
        Some(Rounded {
            value: bytes.value / block,
            half: bytes.half / block,
        })
    };
    let times = draft.times_of_rate() as f64;
    let of_all = |rate: Rounded| Rounded {
        value: rate.value * times,
        half: rate.half * times,
    };
    draft
        .rate
        .map(of_all)
        .or_else(by_bytes)
        .filter(|r| r.value > 0.0 && r.value < 1e15)
}

/// Ratio of a thousand KiB to a MB, as which some scripts (yabs) print them.
const THOUSAND_KIB: f64 = 1.024;

/// The bandwidth in the reading that suits the rate best: MB may be MiB or a thousand KiB, and each is rounded.
fn bandwidth(draft: &Draft, rate: Option<Rounded>) -> Option<Bytes> {
    let (said, binary) = draft.bandwidth()?;
    let (Some(rate), Some(block)) = (rate, draft.block) else {
        return Some(Bytes(said.value as u64));
    };
    let product = rate.value * block;
    let rounding = (span(rate, RATE_ROUNDED).high - rate.value) * block;
    // Who prints a thousand KiB as a MB cuts its rates off, too, where others round them.
    let readings = [
        Some((1.0, 1.0)),
        binary.map(|factor| (factor, 1.0)),
        binary.map(|_| (THOUSAND_KIB, 2.0)),
    ];
    // Beside a rate of each, bytes may be of each, too; and where nobody says of each of which, of anything.
    let is_open = Some((1.0, 1.0)).filter(|_| draft.rate_of == Some(Per::Each));
    let times = draft.times_of_rate() as f64;
    let of_each = readings
        .iter()
        .flatten()
        .map(|(factor, digits)| (factor * times, *digits));
    let mut fits = readings
        .iter()
        .flatten()
        .copied()
        .chain(of_each)
        .filter(|(factor, digits)| {
            let (value, half) = (said.value * factor, said.half * factor);
            (value - product).abs() <= half.min(value * 0.05) + digits * rounding
        });
    Some(Bytes(
        fits.next().or(is_open).map_or(said.value, |_| product) as u64,
    ))
}

/// Sum of the shares of reads and of writes, where both are said.
fn sum(draft: &Draft) -> Option<f64> {
    Some(draft.shares[0]? + draft.shares[1]?)
}

fn ports(draft: &Draft) -> Vec<Ports> {
    let hosts = |p: &Ports| {
        if p.each_host { draft.hosts } else { Some(1) }
    };
    // `16Gb FC, 4 ports`.
    let all = draft.ports.iter().map(|p| match draft.port_count {
        Some((n, each_host)) if p.count == 1 => Ports {
            each_host: each_host || p.each_host,
            ..p.recounted(n)
        },
        _ => p.clone(),
    });
    // Of how many hosts nobody knows, the ports are not counted.
    all.filter_map(|p| Some(p.recounted(p.count.saturating_mul(hosts(&p)?))))
        .collect()
}

/// A number that is rounded to its last digit, but by no more than this share of it.
fn span(number: Rounded, most: f64) -> Span {
    let half = number.half.min(number.value * most);
    Span {
        low: number.value - half,
        high: number.value + half,
    }
}

impl Draft {
    /// Bytes each second, and what they are more where they are binary: as they are said, or those that were moved over how long it went on,
    /// which a bandwidth alone has to go with.
    fn bandwidth(&self) -> Option<(Rounded, Option<f64>)> {
        let moved = self.moved_each();
        let beside = moved.filter(|_| self.rate.is_none());
        beside.or(self.bandwidth).or(moved)
    }

    fn moved_each(&self) -> Option<(Rounded, Option<f64>)> {
        let ((bytes, binary), seconds) = self.moved.zip(self.duration)?;
        let each = Rounded {
            value: bytes.value / seconds,
            half: bytes.half / seconds,
        };
        Some((each, Some(binary)))
    }

    /// Of each of which something is, where that is said by what is counted beside it.
    fn resolved(&self, per: Per) -> Per {
        let counted = |n: Option<u64>| n.is_some_and(|n| n > 1);
        match per {
            Per::Each if counted(self.hosts) => Per::Host,
            Per::Each if counted(self.targets) => Per::Target,
            Per::Each => Per::Job,
            per => per,
        }
    }

    /// How many times the rate that is said came, where it is said of each of several.
    fn times_of_rate(&self) -> u64 {
        let count = match self.rate_of.map(|per| self.resolved(per)) {
            Some(Per::Host) => self.hosts,
            Some(Per::Target) => self.targets,
            Some(Per::Job) => self.jobs.map(|(jobs, _)| jobs),
            _ => None,
        };
        count.unwrap_or(1).max(1)
    }
}

/// Number of I/Os that could be out.
fn slots(draft: &Draft) -> Option<Slots> {
    if let Some(most) = draft.total {
        // They may be of each of what is counted beside them.
        let jobs = draft.jobs.map_or(1, |(n, _)| n);
        let hosts = draft.hosts.unwrap_or(1);
        let others = [
            (jobs, "of each job"),
            (hosts, "of each host"),
            (jobs.saturating_mul(hosts), "of each job of each host"),
        ];
        let others = others.into_iter().filter(|(n, _)| *n > 1);
        return Some(Slots {
            most,
            words: format!("{most} in flight"),
            others: others
                .map(|(n, how)| (most.saturating_mul(n), how.to_string()))
                .collect(),
        });
    }
    if draft.jobs.is_none() && draft.depth.is_none() {
        return None;
    }
    let parts = [draft.jobs, draft.depth].into_iter().flatten();
    let has = |per: Per| parts.clone().any(|(_, p)| draft.resolved(p) == per);
    let mut words: Vec<String> = draft
        .jobs
        .iter()
        .map(|(n, _)| format!("{n} jobs"))
        .collect();
    words.extend(draft.depth.iter().map(|(n, _)| format!("depth {n}")));
    let each = parts
        .clone()
        .fold(1_u64, |all, (n, _)| all.saturating_mul(n));
    let mut most = each;
    let mut others = Vec::new();
    if let Some(hosts) = draft.hosts.filter(|n| *n > 1 && !has(Per::All)) {
        most = most.saturating_mul(hosts);
        words.push(format!("{hosts} hosts"));
        others.push((each, "of all hosts together".to_string()));
    }
    if let Some(targets) = draft.targets.filter(|n| *n > 1) {
        match has(Per::Target) {
            true => {
                most = most.saturating_mul(targets);
                words.push(format!("{targets} targets"));
            }
            false => others.push((
                most.saturating_mul(targets),
                format!("of each of the {targets} targets"),
            )),
        }
    }
    Some(Slots {
        most,
        words: words.join(" x "),
        others,
    })
}
