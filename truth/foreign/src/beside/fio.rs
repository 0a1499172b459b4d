//! fio's numbers, from its JSON+.

use super::{Numbers, Part, QUANTILES, Told};
use plimsoll_measure::Op;
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of a run of fio, job group by job group. Where there are not as many groups as `parts`, all jobs are one part.
///
/// # Errors
/// Why there are no numbers in it.
pub fn of_fio(text: &str, parts: usize) -> Result<Vec<Part>, String> {
    // Messages may stand before it, and behind.
    let start = text.find('{').ok_or("fio printed no JSON")?;
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let document = documents
        .next()
        .and_then(Result::ok)
        .ok_or("fio's JSON is broken")?;
    let jobs = document
        .get("jobs")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if jobs.is_empty() {
        return Err("fio's JSON has no jobs".to_string());
    }
    let mut groups: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for job in jobs {
        let group = job.get("groupid").and_then(Value::as_u64).unwrap_or(0);
        groups.entry(group).or_default().push(job);
    }
    match groups.len() == parts {
        true => Ok(groups.values().map(|jobs| part(jobs)).collect()),
        false => Ok(vec![part(&jobs.iter().collect::<Vec<_>>())]),
    }
}

fn part(jobs: &[&Value]) -> Part {
    let names = jobs.iter().filter_map(|j| j.get("jobname")?.as_str());
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    let ops = Op::ALL.into_iter().filter_map(|op| {
        let sides: Vec<&Value> = jobs.iter().filter_map(|j| j.get(op.name())).collect();
        numbers(&sides, op)
    });
    Part {
        name: names.join(" + "),
        ops: ops.collect(),
    }
}

fn numbers(sides: &[&Value], op: Op) -> Option<Numbers> {
    let number = |side: &Value, name: &str| side.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    let sum = |name: &str| sides.iter().map(|s| number(s, name)).sum::<f64>();
    let ios = sum("total_ios");
    if ios < 1.0 {
        return None;
    }
    let total = |side: &&&Value| number(side, "total_ios") * mean(side);
    Some(Numbers {
        op,
        ios: ios as u64,
        iops: Some(sum("iops")),
        bandwidth: Some(sum("bw_bytes")),
        mean_ns: sides.iter().map(|s| total(&s)).sum::<f64>() / ios,
        quantiles_ns: quantiles(sides).map(|q| q.map(Told::of)),
        response_ns: None,
    })
}

/// The mean of `lat`, which is submission and completion; of `clat` where that is all there is.
fn mean(side: &Value) -> f64 {
    let of = |name: &str| side.get(name)?.get("mean")?.as_f64();
    let lat = of("lat_ns").filter(|mean| *mean > 0.0);
    lat.or(of("clat_ns")).unwrap_or(0.0)
}

/// The quantiles of all jobs together, from fio's bins: of `lat` where it was told to keep them, else of `clat`.
fn quantiles(sides: &[&Value]) -> [Option<f64>; 3] {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    for side in sides {
        let of = |name: &str| side.get(name)?.get("bins")?.as_object();
        for (ns, count) in of("lat_ns").or(of("clat_ns")).into_iter().flatten() {
            if let (Ok(ns), Some(count)) = (ns.parse::<u64>(), count.as_u64()) {
                *bins.entry(ns).or_default() += count;
            }
        }
    }
    let all: u64 = bins.values().sum();
    QUANTILES.map(|q| {
        if (all as f64) * (1.0 - q) + 1e-6 < 10.0 {
            return None;
        }
        let rank = (q * all as f64).ceil() as u64;
        let mut seen = 0;
        let at = bins.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        at.map(|(ns, _)| *ns as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clones in a group, and a job in the next.
    const TEXT: &str = r#"fio: a warning
{"fio version": "fio-3.33", "jobs": [
 {"jobname": "a", "groupid": 0, "read": {"total_ios": 30, "iops": 10.0, "bw_bytes": 40960,
   "lat_ns": {"mean": 100.0}, "clat_ns": {"mean": 90.0, "bins": {"80": 20, "120": 10}}}, "write": {"total_ios": 0}},
 {"jobname": "a", "groupid": 0, "read": {"total_ios": 10, "iops": 5.0, "bw_bytes": 20480,
   "lat_ns": {"mean": 500.0}, "clat_ns": {"mean": 480.0, "bins": {"480": 10}}}, "write": {"total_ios": 0}},
 {"jobname": "b", "groupid": 1, "read": {"total_ios": 0}, "write": {"total_ios": 8, "iops": 2.0, "bw_bytes": 8192,
   "lat_ns": {"mean": 7.0}}}
]}"#;

    #[test]
    fn clones_are_added_up_and_groups_kept_apart() {
        let parts = of_fio(TEXT, 2).expect("numbers");
        assert_eq!(parts[0].name, "a");
        let read = &parts[0].ops[0];
        assert_eq!((read.op, read.ios, read.iops), (Op::Read, 40, Some(15.0)));
        assert_eq!(read.bandwidth, Some(61440.0));
        // The mean of lat, weighted by I/Os.
        assert_eq!(read.mean_ns, 200.0);
        // The 20th of 40 is in the first bin; of 40 no more than one lies beyond p99.
        assert_eq!(read.quantiles_ns, [Some(Told::of(80.0)), None, None]);
        assert_eq!(parts[1].ops[0].ios, 8);
        let one = of_fio(TEXT, 3).expect("numbers");
        assert_eq!((one.len(), one[0].ops.len()), (1, 2));
    }

    #[test]
    fn what_is_no_result_is_said() {
        assert!(of_fio("fio: no such file", 1).is_err());
        assert!(of_fio("{\"jobs\": []}", 1).is_err());
    }
}
