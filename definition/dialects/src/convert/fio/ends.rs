//! When a job begins, and what ends it.

use super::{Missing, Opt};
use plimsoll_plan::{Bytes, Limits, NO_TIME_LIMIT, Nanos, Pattern, Quota, Step, Stream};

/// Times and quotas of a job.
pub(super) fn options(
    step: &Step,
    stream: &Stream,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let delay = stream.window.from.0.saturating_add(step.pause.0);
    let end = step.warmup.0.saturating_add(step.elapsed.0);
    let until = stream.window.until.map_or(end, |until| until.0.min(end));
    // A job's ramp begins when it does.
    let from = stream.window.from.0;
    let ramp = step.warmup.0.saturating_sub(from).max(stream.window.ramp.0);
    let counted = until.saturating_sub(from.saturating_add(ramp));
    if delay > 0 {
        options.push(("startdelay", time(Nanos(delay), stream, missing)));
    }
    if ramp > 0 {
        options.push(("ramp_time", time(Nanos(ramp), stream, missing)));
    }
    let is_timed = step.elapsed < NO_TIME_LIMIT || stream.window.until.is_some();
    if is_timed {
        options.push(("runtime", time(Nanos(counted), stream, missing)));
    }
    let quota = quota(step, stream, missing);
    let one_pass = matches!(
        stream.address.pattern,
        Pattern::Sequential { once: true, .. }
    );
    if quota.is_none() && !one_pass {
        match is_timed {
            true => options.push(("time_based", "1".to_string())),
            false => missing.add(
                &stream.workload,
                "for",
                "that nothing ends it",
                "give the run a time",
            ),
        }
        return;
    }
    let Quota { bytes, ios, passes } = quota;
    // Without a number of bytes the size of its files would end it, too.
    let most = |n: u64| Bytes(n.saturating_mul(stream.largest().0));
    let bytes = bytes.or(ios.map(most));
    options.extend(bytes.map(|b| ("io_size", b.0.to_string())));
    options.extend(ios.map(|n| ("number_ios", n.to_string())));
    match passes {
        Some(n) if bytes.is_none() && ios.is_none() => options.push(("loops", n.to_string())),
        Some(_) => missing.add(
            &stream.workload,
            "quota",
            "passes with a number of bytes or I/Os",
            "keep one of them",
        ),
        None => {}
    }
}

/// The stream's own end, or the step's where it is the only one.
fn quota(step: &Step, stream: &Stream, missing: &mut Missing<'_>) -> Quota {
    let Limits {
        bytes,
        read_bytes,
        written_bytes,
        ios,
        overwrites,
    } = step.limits;
    if step.limits == Limits::default() {
        return stream.quota;
    }
    let of_one = match stream.mix {
        mix if mix.read == 100.0 => read_bytes,
        mix if mix.write == 100.0 => written_bytes,
        _ => None,
    };
    let of_both = read_bytes.is_some() || written_bytes.is_some();
    let alone = step.streams.len() == 1 && step.warmup.0 == 0 && stream.quota.is_none();
    if !alone || overwrites.is_some() || (of_both && of_one.is_none()) {
        missing.of_step(
            "limits",
            "limits of all its workloads together, or that count from the end of a warm-up",
            "give each workload a quota",
        );
    }
    Quota {
        bytes: bytes.into_iter().chain(of_one).min(),
        ios,
        passes: None,
    }
}

/// A time in microseconds, or seconds where it is whole.
fn time(time: Nanos, stream: &Stream, missing: &mut Missing<'_>) -> String {
    match time.0 {
        ns if ns.is_multiple_of(1_000_000_000) => format!("{}s", ns / 1_000_000_000),
        ns if ns.is_multiple_of(1_000) => format!("{}us", ns / 1_000),
        _ => {
            let what = format!("{time}, a part of a microsecond");
            missing.add(&stream.workload, "for", what, "round it");
            String::new()
        }
    }
}
