//! Rates and pauses. fio's rates are caps that drain the queue before each wait; what a definition says by them is a schedule.

use super::pattern::Access;
use super::refused;
use crate::fio::Job;
use crate::fio::settings::ABSENT;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Arrival, Mix, Nanos, Rate, SizeSpec, Think};

/// What holds a job back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pace {
    /// Nothing.
    Free,
    /// All its operations have this rate.
    One(Rate),
    /// Reads have one, and writes another; one of both may have none, and goes as fast as it may.
    Two(Option<Rate>, Option<Rate>),
    /// A pause after some I/Os, of so many slots.
    Thinks(Think, u32),
}

/// The gaps of a job's rate.
pub(super) fn arrival(job: &Job) -> Arrival {
    match job.word("rate_process") {
        Some("poisson") => Arrival::Exponential,
        _ => Arrival::Even,
    }
}

/// What holds a job back that has so many I/Os in flight.
pub(super) fn pace(
    job: &Job,
    access: &Access,
    size: &SizeSpec,
    depth: u32,
) -> Result<Pace, Diagnostic> {
    let think = think(job, depth)?;
    let [read, write, trim] = rates(job, size)?;
    let mix = access.mix;
    let pace = match (mix.read > 0.0, mix.write > 0.0, mix.trim > 0.0) {
        (true, false, false) => read.map(Pace::One),
        (false, true, false) => write.map(Pace::One),
        (false, false, true) => trim.map(Pace::One),
        _ => match (read, write) {
            (None, None) => None,
            each => Some(Pace::Two(each.0, each.1)),
        },
    };
    match (pace, think) {
        (Some(Pace::One(rate)), Some((think, slots))) => Ok(both(job, rate, think, slots)),
        (Some(_), Some(_)) if job.is_on("rate_ignore_thinktime") => Err(refused(
            job,
            "rate_ignore_thinktime",
            format!(
                "job {} pauses, and its reads and its writes have rates of their own",
                job.name
            ),
            "leave it out: what a pause takes is made up for then, as far as the rates let it",
        )),
        (Some(Pace::Two(read, write)), Some((think, slots))) => {
            Ok(each(mix, (read, write), think, slots))
        }
        (Some(pace), Some(_)) => Ok(pace),
        (Some(pace), None) => Ok(pace),
        (None, Some((think, slots))) => Ok(Pace::Thinks(think, slots)),
        (None, None) => Ok(Pace::Free),
    }
}

/// A rate and pauses: fio makes up for the time of its pauses as far as the rate lets it, and so the slower of both counts. With
/// `rate_ignore_thinktime` the pauses come on top of the gaps.
fn both(job: &Job, rate: Rate, think: Think, slots: u32) -> Pace {
    let burst = f64::from(think.every) * f64::from(slots);
    let (gap_s, pause_s) = (1.0 / rate.0, think.time.as_secs_f64() / burst);
    if job.is_on("rate_ignore_thinktime") {
        return Pace::One(Rate(1.0 / (gap_s + pause_s)));
    }
    match gap_s < pause_s {
        true => Pace::Thinks(think, slots),
        false => Pace::One(rate),
    }
}

/// Rates of reads and of writes, and pauses. These let so many I/Os through in a second, of which reads and writes have their parts;
/// what one of both cannot take up by its rate is left to the other.
fn each(mix: Mix, (read, write): (Option<Rate>, Option<Rate>), think: Think, slots: u32) -> Pace {
    let most = f64::from(think.every) * f64::from(slots) / think.time.as_secs_f64();
    let parts = [mix.read, mix.write].map(|percent| most * percent / (mix.read + mix.write));
    let rates = [read, write].map(|rate| rate.map_or(f64::INFINITY, |r| r.0));
    if parts[0] <= rates[0] && parts[1] <= rates[1] {
        return Pace::Thinks(think, slots);
    }
    let one = |own: usize, other: usize| {
        let left = most - parts[other].min(rates[other]);
        Some(Rate(rates[own].min(left)))
    };
    Pace::Two(one(0, 1), one(1, 0))
}

/// The part that reads or writes have of a job with a rate for each: of its I/Os, and of its bytes.
pub(super) fn share(mix: Mix, (read, write): (Rate, Rate), size: &SizeSpec) -> (f64, f64) {
    let (own, other) = match mix == Mix::READS {
        true => ((read.0, Mix::READS), (write.0, Mix::WRITES)),
        false => ((write.0, Mix::WRITES), (read.0, Mix::READS)),
    };
    let bytes = |(rate, mix): (f64, Mix)| rate * size.mean(&mix);
    (
        own.0 / (own.0 + other.0),
        bytes(own) / (bytes(own) + bytes(other)),
    )
}

/// The rates of reads, writes and trims, I/Os per second.
pub(super) fn rates(job: &Job, size: &SizeSpec) -> Result<[Option<Rate>; 3], Diagnostic> {
    let given = |option: &str| {
        let each = job.triple(option).unwrap_or([0; 3]);
        each.map(|n| (n != ABSENT && n > 0).then_some(n as f64))
    };
    let (bytes, ios) = (given("rate"), given("rate_iops"));
    if bytes.iter().any(Option::is_some) && ios.iter().any(Option::is_some) {
        return Err(refused(
            job,
            "rate_iops",
            "a job has one kind of rate",
            "keep one of rate= and rate_iops=",
        ));
    }
    let alone = [Mix::READS, Mix::WRITES, Mix::TRIMS];
    let mut out = [None; 3];
    for (at, mix) in alone.iter().enumerate() {
        let of_bytes = bytes[at].map(|b| b / size.mean(mix).max(1.0));
        out[at] = ios[at].or(of_bytes).map(Rate);
    }
    Ok(out)
}

/// The pause of each slot, and how many slots there are. fio lets all that it has in flight come back before it pauses, and so it
/// has no more in flight than `thinktime_blocks`; here those are dealt to the slots.
fn think(job: &Job, depth: u32) -> Result<Option<(Think, u32)>, Diagnostic> {
    let Some(micros) = job.number("thinktime").filter(|us| *us > 0) else {
        return Ok(None);
    };
    if job.word("thinktime_blocks_type") == Some("issue") {
        return Err(refused(
            job,
            "thinktime_blocks_type",
            "a pause begins when an I/O has completed",
            "leave it out: complete is the default",
        ));
    }
    let blocks = job.number("thinktime_blocks");
    let blocks = blocks.and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
    let blocks = blocks.max(1);
    let slots = (1..=depth.min(blocks))
        .rev()
        .find(|n| blocks.is_multiple_of(*n));
    let slots = slots.unwrap_or(1);
    let think = Think::new(
        Nanos(micros.unsigned_abs().saturating_mul(1000)),
        blocks / slots,
        Arrival::Even,
    );
    Ok(Some((think, slots)))
}
