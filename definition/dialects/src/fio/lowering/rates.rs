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
    /// Reads have one, and writes another.
    Two(Rate, Rate),
    /// A pause after some I/Os.
    Thinks(Think),
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
            (Some(read), Some(write)) => Some(Pace::Two(read, write)),
            (None, None) => None,
            _ => {
                let option = if job.get("rate").is_some() {
                    "rate"
                } else {
                    "rate_iops"
                };
                return Err(refused(
                    job,
                    option,
                    format!(
                        "of the reads and the writes of job {} only one has a rate",
                        job.name
                    ),
                    "give both a rate, or a job each",
                ));
            }
        },
    };
    match (pace, think) {
        (Some(_), Some(_)) => Err(refused(
            job,
            "thinktime",
            format!("job {} has a rate and pauses", job.name),
            "keep one of rate= and thinktime=: a rate has its own times",
        )),
        (Some(pace), None) => Ok(pace),
        (None, Some(think)) => Ok(Pace::Thinks(think)),
        (None, None) => Ok(Pace::Free),
    }
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
    let alone = [
        Mix::READS,
        Mix::WRITES,
        Mix {
            read: 0.0,
            write: 0.0,
            trim: 100.0,
        },
    ];
    let mut out = [None; 3];
    for (at, mix) in alone.iter().enumerate() {
        let of_bytes = bytes[at].map(|b| b / size.mean(mix).max(1.0));
        out[at] = ios[at].or(of_bytes).map(Rate);
    }
    Ok(out)
}

fn think(job: &Job, depth: u32) -> Result<Option<Think>, Diagnostic> {
    let Some(micros) = job.number("thinktime").filter(|us| *us > 0) else {
        return Ok(None);
    };
    if depth > 1 {
        return Err(refused(
            job,
            "thinktime",
            format!(
                "job {} has {depth} I/Os in flight, and lets all of them come back before it pauses",
                job.name
            ),
            "write iodepth=1: with thinktime_blocks=1 fio has no more in flight either",
        ));
    }
    if job.word("thinktime_blocks_type") == Some("issue") {
        return Err(refused(
            job,
            "thinktime_blocks_type",
            "a pause begins when an I/O has completed",
            "leave it out: complete is the default",
        ));
    }
    Ok(Some(Think {
        time: Nanos(micros.unsigned_abs().saturating_mul(1000)),
        every: job
            .number("thinktime_blocks")
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(1)
            .max(1),
        spread: Arrival::Even,
    }))
}
