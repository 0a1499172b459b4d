//! What fio says in shares of all I/Os: the depths, and the times by buckets.

use super::fio_node::{BUCKETS, Filling, ROUNDED};
use crate::json::Node;
use crate::model::{AskedSettings, Bucket, Histogram};
use crate::text;

/// The shares of a job's I/Os that were told by depth and by time: what they are of, and what they add up to, 1 for all. What was cut off
/// before its last share has no sum.
pub fn sums(job: &Node) -> Vec<(&'static str, f64)> {
    let depths = job
        .get("iodepth_level")
        .filter(|of| of.get(">=64").is_some());
    let last = job.get("latency_ms").and_then(|of| of.get(">=2000"));
    let times = || UNITS.iter().filter_map(|(key, _)| job.get(key));
    let times = last.map(|_| times().map(|of| sum(of.fields())).sum::<f64>());
    let depths = depths.map(|of| ("depths", without_syncs(job, sum(of.fields()))));
    depths
        .into_iter()
        .chain(times.map(|sum| ("times", sum)))
        .collect()
}

/// Sum of the shares of depths of a job without its syncs, which have a depth and are no I/Os, where their number is told and explains it.
fn without_syncs(job: &Node, sum: f64) -> f64 {
    let count = |of: &str, key: &str| job.at(&[of, key]).and_then(Node::number).unwrap_or(0.0);
    let of_all = |key: &str| -> f64 {
        let sides = ["read", "write", "trim", "mixed"].into_iter();
        sides.map(|of| count(of, key)).sum()
    };
    // Some versions have them among those that came short only.
    let syncs = Some(count("sync", "total_ios")).filter(|n| *n > 0.0);
    let bare = sum - syncs.unwrap_or(of_all("short_ios")) / of_all("total_ios");
    match (1.0 - ROUNDING..1.0 + 4.0 * ROUNDING).contains(&bare) {
        true => bare,
        false => sum,
    }
}

/// Excess over 1 of the sum of shares that are told to 0.01 %, and small ones as if they were that much.
const ROUNDING: f64 = 0.005;

const UNITS: [(&str, f64); 3] = [
    ("latency_ns", 1.0),
    ("latency_us", 1e3),
    ("latency_ms", 1e6),
];

fn sum(fields: &[(String, Node)]) -> f64 {
    let shares = fields.iter().filter_map(|(_, share)| share.number());
    shares.filter(|s| *s > 0.0).sum::<f64>() / 100.0
}

/// Histogram of a job's times after the submit, beside their own mean; `None` where one of them is not told.
pub fn histogram(job: &Node, sides: &[(&str, &Node)], asked: &AskedSettings) -> Option<Histogram> {
    job.get("latency_ms")?.get(">=2000")?;
    let buckets = buckets(job);
    let reported: f64 = buckets.iter().map(|b| b.share).sum();
    let (mut ios, mut count, mut sum, mut max_ns) = (0.0, 0.0, 0.0, 0.0f64);
    let mut is_told = true;
    for (_, side) in sides {
        let number = |key| side.at(&["clat_ns", key])?.number();
        // Where nobody says how many times there are, there are as many as I/Os.
        let reported = |key| side.get(key).and_then(Node::number);
        is_told &= number("N").is_some();
        let n = number("N").or(reported("total_ios")).or(reported("iops"));
        let n = n.filter(|n| *n > 0.0)?;
        ios += reported("total_ios").unwrap_or(n);
        count += n;
        sum += n * number("mean")?;
        max_ns = max_ns.max(number("max")? + number(ROUNDED).unwrap_or(0.0));
    }
    // fio's shares are of the I/Os that it counts. What was out at the end is among these and has no time; what the ramp (`ramp_time`)
    // sent and came back behind it has a time and is not among them.
    let told = ios / count;
    let more = 1.0 + ROUNDING..=most(ios, asked) + ROUNDING;
    let scale = match asked.may_warm_up() {
        true if told < 1.0 => told,
        // Nobody says how many times there are, and they may be more than the I/Os.
        true if !is_told && more.contains(&reported) => 1.0 / reported,
        _ => told.max(1.0),
    };
    if !(0.9..=1.1).contains(&(reported * scale.min(1.0))) {
        return None;
    }
    // Of shares that add up to all there is nothing untimed.
    let scale = match scale * reported > 1.1 {
        true => 1.0,
        false => scale,
    };
    let of_timed = |bucket: Bucket| Bucket {
        share: bucket.share * scale,
        ..bucket
    };
    (count > 0.0).then(|| Histogram {
        mean_ns: sum / count,
        max_ns,
        buckets: buckets.into_iter().map(of_timed).collect(),
    })
}

/// True where the shares of a text, of each of the units, lack some, and none is told where one of its times is: a line of them was left
/// out. Of a second and more some versions have none.
pub fn lack(reported: &[Filling; 3], times: impl Iterator<Item = f64>) -> bool {
    const LONG_NS: f64 = 1e9;
    let mut bounds = Vec::new();
    for ((_, unit, names), of) in BUCKETS.iter().zip(reported) {
        let end = |name: &str| name.parse::<f64>().map_or(f64::MAX, |bound| bound * unit);
        bounds.extend(names.iter().map(|name| (end(name), of.get(name))));
    }
    let sum: f64 = bounds.iter().filter_map(|(_, share)| *share).sum();
    let is_told = |ns: f64| {
        let bucket = bounds.iter().find(|(end, _)| ns < *end);
        bucket.is_some_and(|(_, share)| share.is_some())
    };
    let mut short = times.filter(|ns| *ns < LONG_NS);
    sum > 0.0 && sum < 99.0 && short.any(|ns| !is_told(ns))
}

/// Largest sum of the shares of so many I/Os, where what was out when a ramp ended has a time and is not counted.
pub fn most(ios: f64, asked: &AskedSettings) -> f64 {
    let out = asked.in_flight.filter(|_| asked.may_warm_up());
    1.0 + out.map_or(0.0, |out| out as f64 / ios.max(1.0))
}

/// The buckets of a job's times, whatever the order of its keys. A key is the first time that is no more in it; `>=2000` has all others.
fn buckets(job: &Node) -> Vec<Bucket> {
    let mut buckets = Vec::new();
    for (key, unit_ns) in UNITS {
        let fields = job.get(key).map(Node::fields).unwrap_or_default();
        let mut reported: Vec<(f64, bool, f64)> = fields
            .iter()
            .filter_map(|(bound, share)| {
                let ns = text::amount(bound.trim_start_matches(">="))? * unit_ns;
                let share = share.number().filter(|s| *s >= 0.0)?;
                Some((ns, bound.starts_with(">="), share / 100.0))
            })
            .collect();
        reported.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // The first of a unit begins where the one before ended; in outputs that have no ns, the first of all at 0.
        let mut from_ns = buckets
            .last()
            .map_or(0.0, |b: &Bucket| b.to_ns.unwrap_or(b.from_ns));
        for (ns, is_last, share) in reported {
            buckets.push(Bucket {
                from_ns: if is_last { ns } else { from_ns },
                to_ns: (!is_last).then_some(ns),
                share,
            });
            from_ns = ns;
        }
    }
    buckets
}
