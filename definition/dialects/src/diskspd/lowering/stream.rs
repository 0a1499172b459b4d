//! What one target is asked to do, as streams.

use super::{cannot, content, place};
use crate::diskspd::model::{Target, Throughput, TimeSpan};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    Arrival, Bytes, Mix, Nanos, Rate, SizeSpec, Stream, TargetId, Think, Throttle,
};

/// Whether each thread has an order of its own.
fn is_apart(target: &Target) -> bool {
    match target.random_percent {
        0 => !target.interlocked,
        percent => percent < 100,
    }
}

/// Outstanding I/Os of each thread, as they were asked for.
pub(super) fn outstanding(span: &TimeSpan, target: &Target) -> u32 {
    match span.is_pool() {
        true => span.request_count,
        false => target.requests,
    }
}

/// Those that there are: a thread copies from and to a map itself.
fn in_flight(span: &TimeSpan, target: &Target) -> u32 {
    match target.mapped {
        true => 1,
        false => outstanding(span, target),
    }
}

impl TimeSpan {
    /// How many streams a target comes to.
    pub fn streams_of(&self, target: &Target) -> u64 {
        let threads = u64::from(self.threads_of(target));
        match (is_apart(target), target.parallel) {
            (false, _) => 1,
            (true, false) => threads,
            (true, true) => threads.saturating_mul(u64::from(in_flight(self, target))),
        }
    }
}

/// The streams of a target: one of all its threads, or one of each.
pub(super) fn streams(
    span: &TimeSpan,
    target: &Target,
    id: TargetId,
    name: &str,
) -> Result<Vec<Stream>, Vec<Diagnostic>> {
    let threads = span.threads_of(target);
    let requests = in_flight(span, target);
    let parallel = target.parallel && requests > 1;
    if !is_apart(target) {
        let all = threads.saturating_mul(requests);
        let throttle = throttle(target, threads, requests).map_err(|e| vec![*e])?;
        return Ok(vec![one(span, target, id, name, (0, all), throttle)?]);
    }
    // -p: each outstanding I/O has an order of its own too.
    let (each, depth) = if parallel {
        (requests, 1)
    } else {
        (1, requests)
    };
    if parallel && target.throughput.is_some() {
        let message =
            "a limit (-g) of threads whose outstanding I/Os go their own ways (-p) cannot be kept";
        return Err(vec![cannot(message, target.at("-p"))]);
    }
    if parallel && target.burst > 0 {
        let message = "bursts (-i) of outstanding I/Os that go their own ways (-p) cannot be kept";
        return Err(vec![cannot(message, target.at("-p"))]);
    }
    let throttle = throttle(target, 1, depth).map_err(|e| vec![*e])?;
    let mut made = Vec::new();
    for thread in 0..threads {
        for _ in 0..each {
            let order = (u64::from(thread), depth);
            made.push(one(span, target, id, name, order, throttle)?);
        }
    }
    Ok(made)
}

/// One stream: the thread whose order it is, and its I/Os in flight.
fn one(
    span: &TimeSpan,
    target: &Target,
    id: TargetId,
    name: &str,
    (thread, depth): (u64, u32),
    throttle: Throttle,
) -> Result<Stream, Vec<Diagnostic>> {
    let address = place::addresses(target, thread).map_err(|e| vec![*e])?;
    let mix = Mix::of_reads(100.0 - f64::from(target.write_percent));
    let size = SizeSpec::Fixed(Bytes(u64::from(target.block)));
    Ok(Stream {
        depth: Some(depth),
        throttle,
        content: content::content(span, target),
        ..Stream::new(name, id, mix, size, address)
    })
}

/// What holds so many threads back together, each with so many I/Os in flight. The rate is what was said: DiskSPD itself
/// rounds it down to whole bytes per millisecond.
fn throttle(target: &Target, threads: u32, in_flight: u32) -> Result<Throttle, Box<Diagnostic>> {
    let all = f64::from(threads);
    if let Some(limit) = target.throughput {
        return Ok(match limit {
            Throughput::Iops(each) => Throttle::rate(Rate(f64::from(each) * all)),
            Throughput::BytesPerMs(each) => {
                Throttle::bandwidth(Bytes(u64::from(each) * 1000 * u64::from(threads)))
            }
        });
    }
    if target.burst == 0 {
        return Ok(Throttle::default());
    }
    if in_flight > 1 {
        let message = format!(
            "bursts (-i) of a thread with {in_flight} outstanding I/Os cannot be kept: here each I/O in flight pauses by itself"
        );
        return Err(Box::new(
            cannot(message, target.at("think")).help("use -o1"),
        ));
    }
    Ok(Throttle {
        think: Some(Think::new(
            Nanos(u64::from(target.think_ms) * 1_000_000),
            target.burst,
            Arrival::Even,
        )),
        ..Throttle::default()
    })
}
