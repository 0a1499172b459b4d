//! Fields of one direction of a fio job that say the same, or of which one cannot be above the other.

use super::fio_node::ROUNDED;
use crate::json::Node;
use crate::model::{Pair, Relation};

/// What fio rounds bandwidths in KiB to, bytes.
const KIB: f64 = 1024.0;

/// Samples of the rate from which on their mean is that of the run, and by how much of it they may differ.
const MANY_SAMPLES: f64 = 10.0;
const SAMPLED: f64 = 0.2;

/// All pairs of a job, whose directions that did something these are; `clones` as far as they are known.
pub fn pairs(job: &Node, sides: &[(&str, &Node)], clones: Option<u64>) -> Vec<Pair> {
    let mut found = Vec::new();
    found.extend(cpu(job));
    // Of sections that are told as one the options are those of the first.
    found.extend(clones.and_then(|_| idle_direction(job)));
    runtimes(job, sides, clones, &mut found);
    for (name, node) in sides {
        let side = Fields { name, node };
        side.amounts(&mut found);
        side.samples(&mut found);
        side.times(&mut found);
    }
    found
}

/// The deepest that any I/O of a job found its queue, itself with it; `None` where that has no bound, or is not told.
pub fn deepest(job: &Node) -> Option<u64> {
    let levels = job.get("iodepth_level")?;
    levels.get(">=64")?;
    let filled = |share: &Node| share.number().is_some_and(|s| s > 0.0);
    let mut filled = levels.fields().iter().filter(|(_, share)| filled(share));
    // `>=64` has no bound.
    let from = filled.try_fold(0_u64, |most, (level, _)| {
        Some(most.max(level.parse().ok()?))
    })?;
    // A level has what is below the next: `8` is 8 to 15.
    (from > 0).then_some(from.saturating_mul(2).saturating_sub(1))
}

fn number(node: &Node, key: &str) -> Option<f64> {
    node.get(key).and_then(Node::number).filter(|n| *n >= 0.0)
}

/// A thread has one CPU. Times of CPUs go by ticks of up to 10 ms.
fn cpu(job: &Node) -> Option<Pair> {
    let runtime = number(job, "job_runtime").filter(|ms| *ms > 0.0)?;
    // Of threads some systems tell the time of the whole process only.
    if job.at(&["job options", "thread"]).is_some() {
        return None;
    }
    Some(Pair {
        what: "usr_cpu and sys_cpu together".into(),
        means: number(job, "usr_cpu")? + number(job, "sys_cpu")?,
        other: "one CPU of the job's thread, %".into(),
        said: 100.0,
        relation: Relation::AtMost,
        slack: 3.0 + 2000.0 / runtime,
    })
}

/// A job that only reads has written nothing.
fn idle_direction(job: &Node) -> Option<Pair> {
    let rw = job.at(&["job options", "rw"])?.text()?;
    let reads_only = ["read", "randread"].contains(&rw.split(':').next()?);
    let written = job.at(&["write", "total_ios"]).and_then(Node::number)?;
    reads_only.then(|| Pair {
        what: "write.total_ios".into(),
        means: written,
        other: format!("what `rw={rw}` lets it write"),
        said: 0.0,
        relation: Relation::AtMost,
        slack: 0.5,
    })
}

/// The job's own time, summed over its clones, beside those of its directions, which of clones are the longest.
fn runtimes(job: &Node, sides: &[(&str, &Node)], clones: Option<u64>, found: &mut Vec<Pair>) {
    let Some(reported) = number(job, "job_runtime").filter(|ms| *ms > 0.0) else {
        return;
    };
    let times = || {
        sides
            .iter()
            .filter_map(|(name, of)| Some((name, number(of, "runtime")?)))
    };
    for (name, ms) in times() {
        found.push(Pair {
            what: format!("{name}.runtime"),
            means: ms,
            other: "job_runtime".into(),
            said: reported,
            relation: Relation::AtMost,
            slack: 5.0,
        });
    }
    let sum: f64 = times().map(|(_, ms)| ms).sum();
    // What reads back first writes, and one thing after the other.
    if let (Some(clones), true) = (clones, sum > 0.0) {
        found.push(Pair {
            what: "job_runtime".into(),
            means: reported,
            other: format!("the directions' times, of {clones} jobs"),
            said: sum * clones as f64,
            relation: Relation::AtMost,
            slack: 5.0 * clones as f64,
        });
    }
}

struct Fields<'a> {
    name: &'a str,
    node: &'a Node,
}

impl Fields<'_> {
    fn number(&self, path: &[&str]) -> Option<f64> {
        self.node
            .at(path)
            .and_then(Node::number)
            .filter(|n| *n >= 0.0)
    }

    fn full(&self, path: &[&str]) -> String {
        format!("{}.{}", self.name, path.join("."))
    }

    /// Bytes and bandwidth, which fio makes from each other.
    fn amounts(&self, found: &mut Vec<Pair>) {
        let one = |key: &str| self.number(&[key]);
        let mut same = |what: String, means: Option<f64>, key: &str, slack: f64| {
            if let (Some(means), Some(said)) = (means, one(key)) {
                found.push(Pair {
                    what,
                    means,
                    other: self.full(&[key]),
                    said,
                    relation: Relation::Same,
                    slack,
                });
            }
        };
        let kib = |key: &str| one(key).map(|k| k * KIB);
        same(self.full(&["bw"]), kib("bw"), "bw_bytes", 2.0 * KIB);
        let bytes = self.full(&["io_kbytes"]);
        same(bytes, kib("io_kbytes"), "io_bytes", 2.0 * KIB);
        let runtime = one("runtime").filter(|ms| *ms > 0.0);
        let rate = one("io_bytes")
            .zip(runtime)
            .map(|(bytes, ms)| bytes / ms * 1e3);
        // Of merged jobs it is the longest, to 1 ms.
        let slack = rate
            .zip(runtime)
            .map_or(0.0, |(rate, ms)| 2.0 * rate / ms + KIB);
        let what = format!("{} over runtime", self.full(&["io_bytes"]));
        same(what, rate, "bw_bytes", slack);
    }

    /// The samples that fio takes each half second.
    fn samples(&self, found: &mut Vec<Pair>) {
        for of in ["iops", "bw"] {
            let key = |which: &str| format!("{of}_{which}");
            if self
                .number(&[&key("samples")])
                .is_none_or(|count| count < 2.0)
            {
                continue;
            }
            found.extend(self.sampled(&key("mean"), &key("samples"), of));
            for (low, high) in [("min", "mean"), ("mean", "max")] {
                found.extend(self.at_most(&[&key(low)], &[&key(high)], 1.0));
            }
        }
    }

    /// The mean of many samples beside the rate of the whole run.
    fn sampled(&self, mean: &str, samples: &str, whole: &str) -> Option<Pair> {
        let said = self.number(&[whole]).filter(|rate| *rate > 0.0)?;
        // A log of each I/O has a sample of each.
        let count = self.number(&[samples])?;
        // fio samples each half second, none where it did nothing, and sums the samples of what it merges: only where they are those of one
        // job without a pause is their mean that of the whole.
        let seconds = self.number(&["runtime"])? / 1000.0;
        let covers = (count / 2.0 - seconds).abs() <= 0.1 * seconds;
        let is_rate = covers && count >= MANY_SAMPLES && count < self.number(&["total_ios"])?;
        is_rate.then_some(Pair {
            what: self.full(&[mean]),
            means: self.number(&[mean])?,
            other: self.full(&[whole]),
            said,
            relation: Relation::Same,
            slack: SAMPLED * said + 2.0,
        })
    }

    /// From its own beginning an I/O takes at least as long as from its submit.
    fn times(&self, found: &mut Vec<Pair>) {
        for which in ["min", "mean", "max"] {
            let rounded = |of| self.number(&[of, ROUNDED]).unwrap_or(0.0);
            let slack = 1000.0 + rounded("clat_ns") + rounded("lat_ns");
            found.extend(self.at_most(&["clat_ns", which], &["lat_ns", which], slack));
        }
    }

    fn at_most(&self, one: &[&str], other: &[&str], slack: f64) -> Option<Pair> {
        // What was switched off is there with zeros.
        let means = self.number(one)?;
        let said = self.number(other).filter(|n| *n > 0.0)?;
        Some(Pair {
            what: self.full(one),
            means,
            other: self.full(other),
            said,
            relation: Relation::AtMost,
            slack,
        })
    }
}
