//! Fields of one direction of a fio job that say the same, or of which one cannot be above the other.

use super::fio_node::ROUNDED;
use crate::json::Node;
use crate::model::{Pair, Relation};

/// What fio rounds bandwidths in KiB to, bytes.
const KIB: f64 = 1024.0;

/// All pairs of the directions that did something.
pub fn pairs(sides: &[(&str, &Node)]) -> Vec<Pair> {
    let mut found = Vec::new();
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
            for (low, high) in [("min", "mean"), ("mean", "max")] {
                found.extend(self.at_most(&[&key(low)], &[&key(high)], 1.0));
            }
        }
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
