//! When a job begins and ends.

use super::files::{Extent, Used, extent, size_unknown};
use super::pattern::{self, Access, Order};
use super::{Complaints, warn_differs};
use crate::fio::number;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Nanos, Quota, SizeSpec};

/// The times of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    /// It waits so long first.
    pub delay: Nanos,
    /// And perhaps so much longer, each of its clones by itself.
    pub spread: Nanos,
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
        found.warn(warn_differs(
            job,
            "time_based",
            format!("job {} is to go on for its time, and has none: like fio, it ends with its size", job.name),
        )
        .help("give it runtime="));
    }
    let ramp = time("ramp_time")?;
    if ramp.0 > 0 && !goes_on {
        found.warn(warn_differs(
            job,
            "ramp_time",
            format!(
                "what job {} moves in its ramp counts towards its size",
                job.name
            ),
        ));
    }
    let (delay, spread) = delay(job)?;
    Ok(Times {
        delay,
        spread,
        ramp,
        run,
        goes_on,
    })
}

/// The least time that a job waits, and how much more it may be.
fn delay(job: &Job) -> Result<(Nanos, Nanos), Diagnostic> {
    let Some(text) = job.text("startdelay") else {
        return Ok((Nanos(0), Nanos(0)));
    };
    let nanos = |text: &str| {
        let micros = number::time(text, 1_000_000)?.value;
        Some(u64::try_from(micros).ok()?.saturating_mul(1000))
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (nanos(from), nanos(to)) {
        (Some(from), Some(to)) if from <= to => Ok((Nanos(from), Nanos(to - from))),
        _ => Err(
            Diagnostic::error(codes::VALUE, format!("`startdelay={text}` cannot be read")).at(
                job.place("startdelay").unwrap_or(job.span),
                "a time, or two of them as 5-10",
            ),
        ),
    }
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
    let whole = |option: &str| job.number(option).and_then(|n| u64::try_from(n).ok());
    let loops = whole("loops").unwrap_or(1).max(1);
    let ios = whole("number_ios").filter(|n| *n > 0);
    // A loop that comes to its number of I/Os before its size goes on with the next loop's.
    let ios = ios.map(|n| n.saturating_mul(loops));
    if let Some(bytes) = io_size(job, used)? {
        let bytes = match is_open(job, access) {
            true => in_whole_ios(bytes, access, size),
            false => in_passes(bytes, access, size, used),
        };
        return Ok(quota(Some(bytes.saturating_mul(loops)), ios));
    }
    let pass = match pass(job, used)? {
        Some(pass) if is_open(job, access) => Some(in_whole_ios(pass, access, size)),
        // Each of several ends with the last I/O that fits.
        Some(pass) if loops > 1 => Some(what_fits(pass, access, size)),
        pass => pass,
    };
    match pass {
        // A pass with gaps ends at the file's end.
        Some(pass) if access.gap > 0 && !access.wraps => {
            let step = size.max().0.max(1).saturating_add(access.gap);
            let places = pass.div_ceil(step).saturating_mul(loops);
            Ok(quota(None, Some(ios.map_or(places, |n| n.min(places)))))
        }
        None if access.gap > 0 && !access.wraps && ios.is_none() => Err(size_unknown(
            job,
            "size",
            "it ends when it has been through its files, and leaves gaps in them",
        )
        .help("give it size= in bytes, or runtime= with time_based")),
        pass if is_one_pass(access, size, used, pass) && loops == 1 && ios.is_none() => {
            Ok(End::Pass)
        }
        Some(pass) => Ok(quota(Some(pass.saturating_mul(loops)), ios)),
        None if ios.is_some() => Ok(quota(None, ios)),
        None => Ok(End::Quota(Quota {
            passes: Some(loops),
            ..Quota::default()
        })),
    }
}

/// So many bytes, and what of the I/O goes past them with which they are moved: fio issues that one. Where sizes vary it isn't known which
/// it is.
fn in_whole_ios(bytes: u64, access: &Access, size: &SizeSpec) -> u64 {
    match size.occurring(&access.mix)[..] {
        [SizeSpec::Fixed(block)] => bytes.div_ceil(block.0.max(1)).saturating_mul(block.0),
        _ => bytes,
    }
}

/// So many bytes without what is less than an I/O.
fn what_fits(bytes: u64, access: &Access, size: &SizeSpec) -> u64 {
    match size.occurring(&access.mix)[..] {
        [SizeSpec::Fixed(block)] if bytes > block.0 => bytes - bytes % block.0.max(1),
        _ => bytes,
    }
}

/// The same of what goes through its files again and again: fio does not begin once more for less than an I/O.
fn in_passes(bytes: u64, access: &Access, size: &SizeSpec, used: &Used) -> u64 {
    let [SizeSpec::Fixed(block)] = size.occurring(&access.mix)[..] else {
        return bytes;
    };
    let block = block.0.max(1);
    let (ios, is_whole) = (bytes.div_ceil(block), bytes.is_multiple_of(block));
    let pass = used.bytes.map_or(0, |all| all / block);
    let begins = pass > 0 && ios > pass && (ios - 1).is_multiple_of(pass);
    match begins && !is_whole {
        true => (ios - 1).saturating_mul(block),
        false => ios.saturating_mul(block),
    }
}

/// Whether a pass has room for one I/O more than fits into what it goes through: what is drawn may come again, and reads and writes in
/// sequence go through it each by itself.
fn is_open(job: &Job, access: &Access) -> bool {
    match access.random {
        true => !pattern::has_map(job),
        false => access.mix.read > 0.0 && access.mix.write > 0.0,
    }
}

/// Whether fio goes on where a pass with gaps ends here.
pub(super) fn fio_begins_again(access: &Access, size: &SizeSpec, used: &Used, end: &End) -> bool {
    let block = size.max().0.max(1);
    let step = block.saturating_add(access.gap);
    let ends_before = |bytes: u64| (bytes.div_ceil(step) - 1).saturating_mul(step) + block < bytes;
    let by_ios = matches!(end, End::Quota(q) if q.bytes.is_none() && q.ios.is_some());
    access.gap > 0 && !access.wraps && by_ios && used.bytes.is_some_and(|b| b > 0 && ends_before(b))
}

/// Whether so much is one pass over one file from its start to its end, in whole I/Os where its size is known.
fn is_one_pass(access: &Access, size: &SizeSpec, used: &Used, pass: Option<u64>) -> bool {
    let even = match (&size.occurring(&access.mix)[..], used.bytes) {
        (_, None) => true,
        ([SizeSpec::Fixed(block)], Some(all)) => all.is_multiple_of(block.0),
        _ => false,
    };
    !access.random
        && access.gap == 0
        && access.order == Order::Plain
        && used.files == 1
        && used.bytes == pass
        && even
}

/// What `io_size=` says.
fn io_size(job: &Job, used: &Used) -> Result<Option<u64>, Diagnostic> {
    match (extent(job, "io_size")?, used.bytes) {
        (Extent::Bytes(bytes), _) => Ok(Some(bytes)),
        (Extent::All, _) => Ok(None),
        (Extent::Percent(p), Some(all)) => Ok(Some((all as f64 * p / 100.0) as u64)),
        (Extent::Percent(_), None) => {
            Err(size_unknown(job, "io_size", "it is a part of them").help("give io_size= in bytes"))
        }
    }
}

/// The bytes of one pass, where they are known: with `filesize=`, `size=` in bytes says how much is moved.
fn pass(job: &Job, used: &Used) -> Result<Option<u64>, Diagnostic> {
    Ok(match (job.get("filesize"), extent(job, "size")?) {
        (Some(_), Extent::Bytes(bytes)) => used.bytes.map(|all| bytes.min(all)),
        _ => used.bytes,
    })
}

fn quota(bytes: Option<u64>, ios: Option<u64>) -> End {
    End::Quota(Quota {
        bytes: bytes.map(Bytes),
        ios,
        passes: None,
    })
}
