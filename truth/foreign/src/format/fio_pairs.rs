//! Fields of one direction of a fio job that say the same, or of which one cannot be above the other.

use super::fio_node::{GROUP_BANDWIDTH, GROUP_RUNTIME, ROUNDED};
use crate::json::Node;
use crate::model::{AskedSettings, Pair, Relation};

/// Unit to which fio rounds bandwidths in KiB, bytes.
const KIB: f64 = 1024.0;

/// Samples of the rate from which on their mean is that of the run, and by how much of it they may differ.
const MANY_SAMPLES: f64 = 10.0;
const SAMPLED: f64 = 0.2;

/// Jobs that are told as one were several where their times together are so many times that of the longest.
const SEVERAL: f64 = 1.05;

/// I/Os each second of one job from which on each of its half seconds has some: fio takes no sample of one without any, so that those of a
/// slower job are of its busy moments alone.
pub const DENSE: f64 = 10.0;

/// By how much of them samples of the rate and of the bandwidth may be apart, which fio takes one after the other.
const SAMPLED_APART: f64 = 0.4;
/// By how much of them, and one, their counts may be apart, where both are of the same times.
const SAMPLES_APART: f64 = 0.1;
/// I/Os each second from which on such a sample has enough of them.
const BUSY: f64 = 100.0;

/// By how much of them the parts of an I/O's time may differ from the whole: those that were out at an end are not in all of the three.
const PARTS_APART: f64 = 0.1;

/// All pairs of a job, whose directions that did something these are.
pub fn pairs(job: &Node, sides: &[(&str, &Node)], asked: &AskedSettings) -> Vec<Pair> {
    // As far as they are known.
    let clones = asked.threads.filter(|_| !asked.reads_back);
    let size = asked.block.filter(|(least, most)| least == most);
    let size = clones.and(size).map(|(size, _)| size.0 as f64);
    // Where it is not known how many there were, their time together says whether it was one.
    let ran = |key: &str, of: &Node| number(of, key).unwrap_or(0.0);
    let sum: f64 = sides.iter().map(|(_, node)| ran("runtime", node)).sum();
    let several = (ran("job_runtime", job) > SEVERAL * sum).then_some(2);
    // What failed was submitted and has no time behind that.
    let failed = ran("error", job) + ran("total_err", job) > 0.0;
    let mut found = Vec::new();
    found.extend(cpu(job));
    // Of sections that are told as one the options are those of the first.
    found.extend(clones.and_then(|_| idle_direction(job)));
    runtimes(job, sides, clones, &mut found);
    for (name, node) in sides {
        let side = Fields { name, node };
        side.amounts(&mut found);
        side.samples(clones.or(several), &mut found);
        found.extend(size.into_iter().flat_map(|size| side.sampled_sizes(size)));
        side.times(&mut found);
        found.extend(side.parts(clones == Some(1) && !failed));
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
        // Both of fio's lines are of one time, in whole ms.
        let group = |of: &str| format!("{of} in the group's line of {}", self.name);
        same(group("run"), one(GROUP_RUNTIME), "runtime", 1.0);
        same(group("bw"), one(GROUP_BANDWIDTH), "bw_bytes", 2.0 * KIB);
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
    fn samples(&self, clones: Option<u64>, found: &mut Vec<Pair>) {
        for of in ["iops", "bw"] {
            let key = |which: &str| format!("{of}_{which}");
            if self
                .number(&[&key("samples")])
                .is_none_or(|count| count < 2.0)
            {
                continue;
            }
            // Of clones each has its own, and one that did nothing in a half second has none of it.
            if clones.is_none_or(|n| n == 1) {
                found.extend(self.sampled(&key("mean"), &key("samples"), of));
            }
            for (low, high) in [("min", "mean"), ("mean", "max")] {
                found.extend(self.at_most(&[&key(low)], &[&key(high)], 1.0));
            }
        }
    }

    /// Samples of the rate beside those of the bandwidth, where all I/Os have one size.
    fn sampled_sizes(&self, size: f64) -> Vec<Pair> {
        // A log has a sample of each I/O or of a time of its own, and each of the two may have another.
        let samples = |of: &str| self.number(&[&format!("{of}_samples")]);
        let are_alike = samples("iops")
            .zip(samples("bw"))
            .is_some_and(|(rates, bandwidths)| {
                (rates - bandwidths).abs() <= 1.0 + SAMPLES_APART * rates
            });
        if !are_alike {
            return Vec::new();
        }
        let pair = |which: &str| {
            let (rate, bandwidth) = (format!("iops_{which}"), format!("bw_{which}"));
            let rate_said = self.number(&[&rate]).filter(|rate| *rate >= BUSY)?;
            let said = self.number(&[&bandwidth]).filter(|kib| *kib > 0.0)? * KIB;
            let what = format!("{} of {size} bytes", self.full(&[&rate]));
            let slack = SAMPLED_APART * said + 2.0 * KIB;
            Some(Pair::same(
                what,
                rate_said * size,
                self.full(&[&bandwidth]),
                said,
                slack,
            ))
        };
        ["min", "mean", "max"]
            .into_iter()
            .filter_map(pair)
            .collect()
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
        let is_rate = is_rate && self.number(&["iops"])? >= DENSE;
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

    /// The time until the submit and that after it, which make up all of an I/O's time. Of what is merged each part may be of other I/Os
    /// than the whole.
    fn parts(&self, is_one_job: bool) -> Option<Pair> {
        let mean = |of| self.number(&[of, "mean"]).filter(|mean| *mean > 0.0);
        let count = |of| self.number(&[of, "N"]);
        let is_of_all = match ["slat_ns", "clat_ns", "lat_ns"].map(count) {
            [Some(submits), Some(completions), Some(all)] => submits == all && completions == all,
            _ => is_one_job,
        };
        if !is_of_all {
            return None;
        }
        let (submit, completion, all) = (mean("slat_ns")?, mean("clat_ns")?, mean("lat_ns")?);
        let what = format!("slat_ns.mean and clat_ns.mean of {}", self.name);
        let slack = PARTS_APART * all + 1000.0 + self.number(&["lat_ns", ROUNDED]).unwrap_or(0.0);
        Some(Pair::same(
            what,
            submit + completion,
            self.full(&["lat_ns", "mean"]),
            all,
            slack,
        ))
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
