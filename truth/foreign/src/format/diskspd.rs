//! What DiskSPD was asked, from whichever of its outputs says it.

use crate::model::{Asked, Caching, Content, Load, Pace};
use crate::text;
use plimsoll_plan::{Bytes, Rate};

/// One time span: its own settings, and those of each target.
#[derive(Debug, Clone, Default)]
pub struct Spec {
    /// Measured seconds.
    pub duration_s: Option<f64>,
    /// Seconds before them.
    pub warm_up_s: Option<f64>,
    /// Threads that all targets share (`-F`).
    pub pool: Option<u64>,
    /// I/Os of each of them (`-O`).
    pub pool_depth: Option<u64>,
    /// Whether each write has new random data (`-Zr`).
    pub fresh: bool,
    /// The targets.
    pub targets: Vec<TargetSpec>,
}

/// One target.
#[derive(Debug, Clone, Default)]
pub struct TargetSpec {
    /// Transfer size.
    pub block: Option<u64>,
    /// I/Os of each thread (`-o`).
    pub depth: Option<u64>,
    /// Threads (`-t`).
    pub threads: Option<u64>,
    /// Percent of writes.
    pub write: Option<f64>,
    /// Random addresses.
    pub random: Option<bool>,
    /// Sequential addresses that threads share, or starts that lie apart.
    pub apart: bool,
    /// Around the host's cache.
    pub cache: Option<Caching>,
    /// What is written; `None` is the ramp of bytes that it writes by default.
    pub content: Option<Content>,
    /// I/Os each second of each thread.
    pub limit_iops: Option<f64>,
    /// Bytes each millisecond of each thread.
    pub limit_bytes_per_ms: Option<f64>,
    /// Its size.
    pub size: Option<u64>,
    /// Made for the run (`-c`).
    pub made: bool,
}

impl Spec {
    /// The same in the common words.
    pub fn asked(&self) -> Asked {
        let Some(first) = self.targets.first() else {
            return Asked {
                duration_s: self.duration_s,
                warm_up_s: self.warm_up_s,
                ..Asked::default()
            };
        };
        let threads = |t: &TargetSpec| t.threads.unwrap_or(1);
        let all = |of: fn(&TargetSpec) -> Option<u64>| -> Option<(Bytes, Bytes)> {
            let sizes: Option<Vec<u64>> = self.targets.iter().map(of).collect();
            let sizes = sizes?;
            Some((Bytes(*sizes.iter().min()?), Bytes(*sizes.iter().max()?)))
        };
        let pool = self.pool.filter(|p| *p > 0);
        let sum = |each: &dyn Fn(&TargetSpec) -> u64| {
            self.targets.iter().map(each).fold(0, u64::saturating_add)
        };
        // In a pool without a depth of its own each thread has the target's out on every target.
        let in_flight = match (pool, self.pool_depth.filter(|d| *d > 0)) {
            (Some(pool), Some(depth)) => pool.saturating_mul(depth),
            (Some(pool), None) => sum(&|t| t.depth.unwrap_or(2)).saturating_mul(pool),
            (None, _) => sum(&|t| t.depth.unwrap_or(2).saturating_mul(threads(t))),
        };
        let total_threads = pool.unwrap_or_else(|| sum(&threads));
        let writes = first.write.unwrap_or(0.0) / 100.0;
        let same = |of: fn(&TargetSpec) -> Option<Caching>| {
            self.targets
                .iter()
                .all(|t| of(t) == of(first))
                .then(|| of(first))
                .flatten()
        };
        let content = if self.fresh {
            Content::Fresh
        } else {
            first.content.unwrap_or(Content::Repeating)
        };
        Asked {
            block: all(|t| t.block),
            read_share: Some((1.0 - writes).clamp(0.0, 1.0)),
            random: first.random,
            depth: first.depth.or(Some(2)),
            threads: Some(total_threads),
            in_flight: Some(in_flight).filter(|n| *n > 0),
            synchronous: Some(false),
            duration_s: self.duration_s,
            warm_up_s: self.warm_up_s,
            target_size: first.size.map(Bytes),
            load: Some(self.load(total_threads)),
            content: Some(content),
            cache: same(|t| t.cache),
            same_sequence: first.random == Some(false) && !first.apart && threads(first) > 1,
            made_target: first.made.then_some(Content::Repeating),
            ..Asked::default()
        }
    }

    fn load(&self, threads: u64) -> Load {
        let each = |t: &TargetSpec| {
            let by_bytes = t.limit_bytes_per_ms.zip(t.block.filter(|b| *b > 0));
            let iops = t
                .limit_iops
                .or(by_bytes.map(|(limit, block)| limit * 1000.0 / block as f64));
            iops.filter(|i| *i > 0.0)
                .map(|i| i * t.threads.unwrap_or(1) as f64)
        };
        let sum: Option<f64> = self.targets.iter().map(each).sum();
        match sum.filter(|s| *s > 0.0) {
            Some(sum) => {
                let by_pool = self.pool.filter(|p| *p > 0).map_or(1.0, |_| threads as f64);
                Load::Limited {
                    rate: Rate(sum * by_pool),
                    pace: Pace::Even,
                }
            }
            None => Load::Max,
        }
    }
}

/// Percentiles by DiskSPD's names: `50th`, `3-nines`.
pub fn quantile(name: &str) -> Option<f64> {
    if let Some(nines) = name.strip_suffix("-nines") {
        let nines: i32 = nines.parse().ok().filter(|n| (2..=12).contains(n))?;
        return Some(1.0 - 10f64.powi(-nines));
    }
    let digits = name.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    text::amount(digits).map(|p| p / 100.0).filter(|q| *q < 1.0)
}
