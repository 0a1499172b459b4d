//! When a job begins and ends.

use super::files::{Extent, Used, extent, size_unknown};
use super::pattern::Access;
use super::{Complaints, otherwise, refused};
use crate::fio::number;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Nanos, Quota, SizeSpec};

/// The times of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    /// It waits so long first.
    pub delay: Nanos,
    /// What of it is not counted.
    pub ramp: Nanos,
    /// What is; `None`: until it has done what it has to do.
    pub run: Option<Nanos>,
    /// It goes on until its time is over, however often it has been through.
    pub goes_on: bool,
}

/// What ends a job that does not go on for its whole time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// Its time.
    Time,
    /// So much.
    Quota(Quota),
    /// One pass over all that it uses.
    Pass,
}

pub(super) fn times(job: &Job, found: &mut Complaints) -> Result<Times, Diagnostic> {
    let time = |option: &str| {
        let micros = u64::try_from(job.number(option).unwrap_or(0));
        micros
            .map(|us| Nanos(us.saturating_mul(1000)))
            .map_err(|_| {
                Diagnostic::error(codes::OUT_OF_RANGE, format!("`{option}` is below 0"))
                    .at(job.place(option).unwrap_or(job.span), "")
            })
    };
    let run = time("runtime")?;
    let run = (run.0 > 0).then_some(run);
    let goes_on = job.is_on("time_based") && run.is_some();
    if job.is_on("time_based") && run.is_none() {
        found.warn(otherwise(
            job,
            "time_based",
            format!("job {} is to go on for its time, and has none: like fio, it ends with its size", job.name),
        )
        .help("give it runtime="));
    }
    let ramp = time("ramp_time")?;
    if ramp.0 > 0 && !goes_on {
        found.warn(otherwise(
            job,
            "ramp_time",
            format!(
                "what job {} moves in its ramp counts towards its size",
                job.name
            ),
        ));
    }
    Ok(Times {
        delay: delay(job)?,
        ramp,
        run,
        goes_on,
    })
}

fn delay(job: &Job) -> Result<Nanos, Diagnostic> {
    let Some(text) = job.text("startdelay") else {
        return Ok(Nanos(0));
    };
    if text.contains('-') {
        return Err(refused(
            job,
            "startdelay",
            "a job does not begin at a random time",
            "give one time",
        ));
    }
    let micros = number::time(text, 1_000_000).map(|n| n.value);
    micros
        .and_then(|us| u64::try_from(us).ok())
        .map(|us| Nanos(us.saturating_mul(1000)))
        .ok_or_else(|| {
            Diagnostic::error(codes::VALUE, format!("`startdelay={text}` cannot be read"))
                .at(job.place("startdelay").unwrap_or(job.span), "a time")
        })
}

/// What ends a clone of a job on what it uses.
pub(super) fn end(
    job: &Job,
    times: &Times,
    access: &Access,
    size: &SizeSpec,
    used: &Used,
) -> Result<End, Diagnostic> {
    if times.goes_on {
        return Ok(End::Time);
    }
    let loops = u64::try_from(job.number("loops").unwrap_or(1))
        .unwrap_or(1)
        .max(1);
    let ios = job
        .number("number_ios")
        .and_then(|n| u64::try_from(n).ok())
        .filter(|n| *n > 0);
    if ios.is_some() && loops > 1 {
        return Err(refused(
            job,
            "loops",
            "a number of I/Os is not repeated",
            "leave out loops=, or number_ios=",
        ));
    }
    let asked = match extent(job, "io_size")? {
        Extent::Bytes(bytes) => Some(bytes),
        Extent::All => None,
        Extent::Percent(p) => used.bytes.map(|b| (b as f64 * p / 100.0) as u64),
    };
    // With filesize=, size= says how much is moved.
    let size_given = match (job.get("filesize"), extent(job, "size")?) {
        (Some(_), Extent::Bytes(bytes)) => used.bytes.map(|all| bytes.min(all)),
        _ => None,
    };
    let pass = size_given.or(used.bytes);
    let block = size.max().0.max(1);
    let even = matches!(size.occurring(&access.mix)[..], [SizeSpec::Fixed(b)] if used.bytes.is_some_and(|all| all % b.0 == 0));
    match (asked, pass) {
        (Some(bytes), _) => Ok(quota(Some(bytes.saturating_mul(loops)), ios)),
        (None, Some(pass)) if access.gap > 0 => {
            // A pass with gaps ends at the file's end.
            let places = pass.div_ceil(block + access.gap).saturating_mul(loops);
            let most = ios.map_or(places, |n| n.min(places));
            Ok(quota(None, Some(most)))
        }
        (None, Some(pass)) => match !access.random
            && even
            && loops == 1
            && ios.is_none()
            && used.files == 1
            && used.bytes == Some(pass)
        {
            true => Ok(End::Pass),
            false => Ok(quota(Some(pass.saturating_mul(loops)), ios)),
        },
        (None, None) if ios.is_some() => Ok(quota(None, ios)),
        (None, None) if !access.random && loops == 1 && used.files == 1 && access.gap == 0 => {
            Ok(End::Pass)
        }
        (None, None) if access.gap > 0 => Err(size_unknown(
            job,
            "size",
            "it ends when it has been through its files, and leaves gaps in them",
        )
        .help("give it size= in bytes, or runtime= with time_based")),
        (None, None) => Ok(End::Quota(Quota {
            passes: Some(loops),
            ..Quota::default()
        })),
    }
}

fn quota(bytes: Option<u64>, ios: Option<u64>) -> End {
    End::Quota(Quota {
        bytes: bytes.map(Bytes),
        ios,
        passes: None,
    })
}
