//! Time spans of a definition that was carried out elsewhere: what could not be done here does not matter.

use super::{content, place};
use crate::asked::{AskedRun, AskedStream};
use crate::diskspd::model::{Cache, Target, Throughput, TimeSpan};
use plimsoll_plan::{
    Arrival, Bytes, Caching, Durability, Load, Mix, Nanos, Pattern, Rate, SizeSpec, Think,
};

impl TimeSpan {
    /// What it asks for, as far as that can be said.
    pub fn asked(&self) -> AskedRun {
        AskedRun {
            streams: self.targets.iter().map(|t| stream(self, t)).collect(),
            load: Some(Load::Max),
            warmup: Some(Nanos::secs(u64::from(self.warmup_s))),
            elapsed: Some(Nanos::secs(u64::from(self.duration_s))),
            ..AskedRun::default()
        }
    }
}

/// All threads of a target. Threads that share their outstanding I/Os among all targets (`-O`) have them at the first.
fn stream(span: &TimeSpan, target: &Target) -> AskedStream {
    let threads = u64::from(span.threads_of(target));
    let depth = u64::from(super::outstanding(span, target));
    let first = span
        .targets
        .first()
        .is_some_and(|t| std::ptr::eq(t, target));
    let in_flight = match (target.mapped, span.is_pool() && !first) {
        (_, true) => 0,
        (true, false) => threads,
        (false, false) => threads.saturating_mul(depth),
    };
    AskedStream {
        place: Some(target.path.clone()),
        bytes: target
            .file_size
            .or(Some(target.max))
            .filter(|b| *b > 0)
            .map(Bytes),
        caching: Some(match target.cache {
            Cache::DisableOs => Caching::Direct,
            Cache::Cached | Cache::DisableLocal => Caching::Buffered,
        }),
        durability: Some(match (target.write_through, target.sync) {
            (_, true) => Durability::Sync,
            (true, false) => Durability::Dsync,
            (false, false) => Durability::None,
        }),
        mix: Some(Mix::of_reads(100.0 - f64::from(target.write_percent))),
        size: Some(SizeSpec::Fixed(Bytes(u64::from(target.block)))).filter(|_| target.block > 0),
        pattern: Some(
            place::pattern(target).unwrap_or(match target.random_percent {
                0 => Pattern::IN_ORDER,
                _ => Pattern::RANDOM,
            }),
        ),
        content: Some(content::content(span, target)),
        reuses: target.source.is_some(),
        makes: target.file_size.is_some(),
        threads: Some(threads),
        depth: Some(depth),
        in_flight: Some(in_flight),
        walks_together: target.random_percent == 0
            && !target.interlocked
            && target.thread_stride == 0
            && threads > 1,
        rate: rate(target, threads),
        arrival: Arrival::Even,
        think: (target.burst > 0 && target.throughput.is_none()).then(|| {
            Think::new(
                Nanos(u64::from(target.think_ms) * 1_000_000),
                target.burst,
                Arrival::Even,
            )
        }),
        synchronous: Some(target.mapped),
        ..AskedStream::default()
    }
}

/// Limits are of each thread.
fn rate(target: &Target, threads: u64) -> Option<Rate> {
    let each = match target.throughput? {
        Throughput::Iops(n) => f64::from(n),
        Throughput::BytesPerMs(n) if target.block > 0 => {
            f64::from(n) * 1000.0 / f64::from(target.block)
        }
        Throughput::BytesPerMs(_) => return None,
    };
    Some(Rate(each * threads as f64)).filter(|r| r.0 > 0.0)
}
