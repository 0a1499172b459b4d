//! What ends a job before its time: it is steady, too slow, or an I/O takes too long.

use super::settings::ABSENT;
use super::{Job, codes, engine, number};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{LatencyGoal, Nanos};

/// What ends a job before its time; nothing unless asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Watched {
    /// An I/O takes longer: of reads, writes and trims.
    pub longest: [Option<Nanos>; 3],
    /// It moves fewer bytes per second, in `cycle`.
    pub least_bytes: [Option<u64>; 3],
    /// It does fewer I/Os per second, in `cycle`.
    pub least_ios: [Option<u64>; 3],
    /// Over what time a least rate is looked at.
    pub cycle: Nanos,
    /// It is steady.
    pub steady: Option<Steady>,
    /// The depth is found with which its I/Os stay within a time.
    pub latency: Option<LatencyGoal>,
}

/// What must be steady, how much, and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Steady {
    /// What is looked at.
    pub value: SteadyValue,
    /// How steep its course is counts, and not how far it is from its mean.
    pub slope: bool,
    /// Below this it is steady.
    pub limit: f64,
    /// The limit is a percentage of the mean.
    pub percent: bool,
    /// So long.
    pub duration: Nanos,
    /// What is not looked at first.
    pub ramp: Nanos,
    /// How often it is looked at.
    pub check: Nanos,
}

/// What can be steady.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyValue {
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    Bandwidth,
    /// Their mean service time.
    Latency,
}

impl Watched {
    /// Whether anything ends the job before its time.
    pub fn is_none(&self) -> bool {
        let none = |each: &[Option<u64>; 3]| each.iter().all(Option::is_none);
        let free = self.longest.iter().all(Option::is_none);
        let no_goal = self.steady.is_none() && self.latency.is_none();
        free && none(&self.least_bytes) && none(&self.least_ios) && no_goal
    }
}

const OPTIONS: [(&str, SteadyValue, bool); 6] = [
    ("iops", SteadyValue::Iops, false),
    ("iops_slope", SteadyValue::Iops, true),
    ("bw", SteadyValue::Bandwidth, false),
    ("bw_slope", SteadyValue::Bandwidth, true),
    ("lat", SteadyValue::Latency, false),
    ("lat_slope", SteadyValue::Latency, true),
];

/// What a job asks for.
///
/// # Errors
/// What of it cannot be read.
pub(super) fn of(job: &Job) -> Result<Watched, Diagnostic> {
    let least = |option: &str| {
        let each = job.triple(option).unwrap_or([0; 3]);
        each.map(|n| (n != ABSENT && n > 0).then_some(n.unsigned_abs()))
    };
    let cycle = job
        .number("rate_cycle")
        .and_then(|ms| u64::try_from(ms).ok());
    Ok(Watched {
        longest: longest(job)?,
        least_bytes: least("rate_min"),
        least_ios: least("rate_iops_min"),
        cycle: Nanos(cycle.unwrap_or(1000).max(1).saturating_mul(1_000_000)),
        steady: steady(job)?,
        latency: latency(job)?,
    })
}

/// Counters are read no more often than this.
pub(super) const SHORTEST_WINDOW: Nanos = Nanos(100_000_000);

fn latency(job: &Job) -> Result<Option<LatencyGoal>, Diagnostic> {
    let time = |option: &str| {
        let micros = job.number(option).and_then(|us| u64::try_from(us).ok());
        Nanos(micros.unwrap_or(0).saturating_mul(1000))
    };
    let within = time("latency_target");
    if within.0 == 0 {
        return Ok(None);
    }
    let percent = match job.text("latency_percentile") {
        None => Some(100.0),
        Some(text) => text.trim().parse::<f64>().ok(),
    };
    let percent = percent
        .filter(|p| (0.0..=100.0).contains(p))
        .ok_or_else(|| unreadable(job, "latency_percentile", "one number, 0 to 100"))?;
    let is_sync = engine::of(job).is_ok_and(|e| e.is_sync());
    let depth = if is_sync { None } else { job.number("iodepth") };
    Ok(Some(LatencyGoal {
        within,
        percent,
        window: time("latency_window").max(SHORTEST_WINDOW),
        goes_on: job.is_on("latency_run"),
        most: u32::try_from(depth.unwrap_or(1).max(1)).unwrap_or(u32::MAX),
    }))
}

fn unreadable(job: &Job, option: &str, what: &str) -> Diagnostic {
    let text = job.text(option).unwrap_or_default();
    Diagnostic::error(codes::VALUE, format!("`{option}={text}` cannot be read"))
        .at(job.place(option).unwrap_or(job.span), what)
}

fn longest(job: &Job) -> Result<[Option<Nanos>; 3], Diagnostic> {
    let Some(text) = job.text("max_latency") else {
        return Ok([None; 3]);
    };
    let wrong = || unreadable(job, "max_latency", "a time, in us where it has no unit");
    let mut each = [None; 3];
    let mut last = None;
    for (own, part) in each
        .iter_mut()
        .zip(text.split(',').map(Some).chain([None, None]))
    {
        if let Some(part) = part {
            let micros = number::time(part, 1).ok_or_else(wrong)?.value;
            let micros = u64::try_from(micros).map_err(|_| wrong())?;
            last = (micros > 0).then_some(Nanos(micros.saturating_mul(1000)));
        }
        *own = last;
    }
    Ok(each)
}

fn steady(job: &Job) -> Result<Option<Steady>, Diagnostic> {
    let Some(text) = job.text("steadystate") else {
        return Ok(None);
    };
    let wrong = || unreadable(job, "steadystate", "as iops:5% or bw_slope:0.1%");
    let (name, limit) = text.split_once(':').ok_or_else(wrong)?;
    let found = OPTIONS.iter().find(|(known, ..)| *known == name.trim());
    let (_, value, slope) = *found.ok_or_else(wrong)?;
    let percent = limit.trim().ends_with('%');
    let limit: f64 = limit
        .trim()
        .trim_end_matches('%')
        .parse()
        .map_err(|_| wrong())?;
    if !limit.is_finite() || limit < 0.0 {
        return Err(wrong());
    }
    let time = |option: &str| {
        let micros = job.number(option).and_then(|us| u64::try_from(us).ok());
        Nanos(micros.unwrap_or(0).saturating_mul(1000))
    };
    let duration = time("steadystate_duration");
    let check = match time("steadystate_check_interval") {
        Nanos(0) => Nanos::secs(1),
        check => check.max(Nanos::secs(1)),
    };
    Ok((duration >= check).then_some(Steady {
        value,
        slope,
        limit,
        percent,
        duration,
        ramp: time("steadystate_ramp_time"),
        check,
    }))
}
