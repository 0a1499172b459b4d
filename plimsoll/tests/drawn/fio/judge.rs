//! What of both must be alike, and how far.

use super::both::Done;
use super::jobs::{Asked, Case};
use serde_json::Value;
use std::collections::BTreeSet;

/// Differences in words; nothing where both have done the same.
pub fn judge(case: &Case, real: &Done, ours: &Done) -> Vec<String> {
    let (theirs, own) = match (&real.jobs, &ours.jobs) {
        (Some(theirs), Some(own)) => (theirs, own),
        (None, None) => return Vec::new(),
        (Some(_), None) => return vec![format!("refused: {}", first_error(&ours.printed))],
        (None, Some(_)) => return vec![format!("runs, and fio does not: {}", real.printed.trim())],
    };
    let mut found = Vec::new();
    if real.code != ours.code {
        found.push(format!(
            "exit code {:?}, fio's {:?}: {}",
            ours.code,
            real.code,
            first_error(&ours.printed)
        ));
    }
    if real.globals != ours.globals {
        found.push(format!(
            "global options {}, fio's {}",
            ours.globals, real.globals
        ));
    }
    let names = |jobs: &[Value]| -> Vec<(String, u64)> {
        let of = |job: &Value| {
            (
                job["jobname"].as_str().unwrap_or("").to_string(),
                job["groupid"].as_u64().unwrap_or(99),
            )
        };
        jobs.iter().map(of).collect()
    };
    if names(theirs) != names(own) {
        found.push(format!("jobs {:?}, fio's {:?}", names(own), names(theirs)));
        return found;
    }
    let single = shown(case);
    let (theirs, own) = (&by_count(theirs), &by_count(own));
    for (at, (theirs, own)) in theirs.iter().zip(own).enumerate() {
        let mut say = |what: String| found.push(format!("job {}: {what}", own["jobname"]));
        for key in ["error", "job options"] {
            if theirs[key] != own[key] {
                say(format!("{key} {}, fio's {}", own[key], theirs[key]));
            }
        }
        fields(theirs, own, &mut say);
        if let Some(Some(asked)) = single.get(at) {
            one(asked, theirs, own, &mut say);
        }
    }
    for ((name, theirs), (also, own)) in real.logs.iter().zip(&ours.logs) {
        let at = case_of(case, name);
        // Of an I/O that finds the queue full fio has two lines.
        if let Some(asked) = at.filter(|asked| name == also && asked.depth == 1) {
            let mut say = |what: String| found.push(format!("log of {name}: {what}"));
            addresses(asked, theirs, own, &mut say);
        }
    }
    found
}

/// Clones of a job by how much they did: fio does not show them in the order of their offsets.
fn by_count(jobs: &[Value]) -> Vec<Value> {
    let mut all = jobs.to_vec();
    let done = |job: &Value| -> u64 {
        let ios = OPS.iter().map(|op| job[*op]["total_ios"].as_u64());
        ios.flatten().sum()
    };
    let alike = |a: &Value, b: &Value| a["jobname"] == b["jobname"];
    all.chunk_by_mut(alike)
        .for_each(|clones| clones.sort_by_key(done));
    all
}

/// The job of each result that is of one job, or of one of its clones.
fn shown(case: &Case) -> Vec<Option<&Asked>> {
    let mut out: Vec<Option<&Asked>> = Vec::new();
    for asked in &case.jobs {
        match asked.grouped {
            true => out.push(None),
            false => out.extend((0..asked.clones).map(|_| Some(asked))),
        }
    }
    // Groups begin where stonewall or new_group say so, and the names tell that they are the same in both.
    match case.jobs.iter().any(|job| job.grouped) && case.jobs.len() > 1 {
        true => Vec::new(),
        false if out.iter().all(Option::is_none) => case.jobs.iter().map(Some).take(1).collect(),
        false => out,
    }
}

fn case_of<'c>(case: &'c Case, name: &str) -> Option<&'c Asked> {
    case.jobs.iter().find(|job| job.name == name)
}

fn first_error(printed: &str) -> String {
    let line = printed.lines().find(|l| l.starts_with("error"));
    line.unwrap_or(printed.lines().last().unwrap_or("nothing"))
        .to_string()
}

/// fio's document has no field that ours has not.
fn fields(theirs: &Value, own: &Value, say: &mut impl FnMut(String)) {
    let keys = |v: &Value| -> BTreeSet<String> {
        v.as_object()
            .map(|o| o.keys().cloned().collect())
            .unwrap_or_default()
    };
    for part in ["", "/read", "/write", "/trim", "/read/lat_ns", "/sync"] {
        let of = |job: &Value| keys(job.pointer(part).unwrap_or(&Value::Null));
        let missing: Vec<String> = of(theirs).difference(&of(own)).cloned().collect();
        if !missing.is_empty() {
            say(format!("no {missing:?} in `{part}`"));
        }
    }
}

const OPS: [&str; 3] = ["read", "write", "trim"];

fn one(asked: &Asked, theirs: &Value, own: &Value, say: &mut impl FnMut(String)) {
    times(asked, theirs, own, say);
    if asked.goes_past {
        return;
    }
    let field = |job: &Value, op: &str, key: &str| job[op][key].as_f64().unwrap_or(-1.0);
    let sum = |job: &Value, key: &str| OPS.iter().map(|op| field(job, op, key)).sum::<f64>();
    let clones = asked.clones as f64;
    // A rate counts in whole I/Os, and how punctual either is depends on the host.
    let slack = |n: f64| match asked.rated {
        true => 6.0 * clones + n * 0.15,
        false => 0.0,
    };
    let (ios, real_ios) = (sum(own, "total_ios"), sum(theirs, "total_ios"));
    let free = asked.timed && !both_rated(theirs);
    if asked.block.is_some() && !free && (ios - real_ios).abs() > slack(real_ios) {
        say(format!("{ios} I/Os, fio's {real_ios}"));
    }
    let (bytes, real_bytes) = (sum(own, "io_bytes"), sum(theirs, "io_bytes"));
    let most = match asked.block {
        Some(_) => 0.0,
        None if asked.cut => asked.largest as f64 * clones * loops(own) + real_bytes * 0.4,
        None => asked.largest as f64 * clones * loops(own),
    };
    if !free
        && (bytes - real_bytes).abs() > most + slack(real_bytes) + slack(0.0) * asked.largest as f64
    {
        say(format!("{bytes} bytes, fio's {real_bytes}"));
    }
    for op in OPS {
        let (own, theirs) = (field(own, op, "total_ios"), field(theirs, op, "total_ios"));
        if (own > 0.0) != (theirs > 0.0) && own.max(theirs) > 12.0 {
            say(format!("{own} {op}s, fio's {theirs}"));
        }
        // Six times the deviation of a draw of the operation.
        let mixed = asked.reads.is_some_and(|r| r > 0 && r < 100) && !asked.rated;
        let share = f64::from(asked.reads.unwrap_or(0)) / 100.0;
        let deviation = (real_ios * share * (1.0 - share)).sqrt();
        if mixed && asked.block.is_some() && (own - theirs).abs() > 6.0 * 1.5 * deviation + 8.0 {
            say(format!("{own} {op}s, fio's {theirs}"));
        }
    }
    let syncs = |job: &Value| job["sync"]["lat_ns"]["N"].as_f64().unwrap_or(0.0);
    // fio syncs before the next write, so that none follows the last.
    let writes = field(own, "write", "total_ios");
    let of_draws = if asked.reads.is_some_and(|r| r > 0 && r < 100) {
        writes.sqrt() * 9.0 + 8.0
    } else {
        1.0
    };
    if !free && (syncs(own) - syncs(theirs)).abs() > of_draws + slack(writes) {
        say(format!("{} syncs, fio's {}", syncs(own), syncs(theirs)));
    }
}

fn both_rated(job: &Value) -> bool {
    let rate = |key: &str| job["job options"][key].as_str().unwrap_or("").to_string();
    let text = rate("rate") + &rate("rate_iops");
    !text.is_empty() && !text.starts_with(',') && !text.ends_with(',')
}

fn loops(job: &Value) -> f64 {
    let given = job["job options"]["loops"].as_str();
    given.and_then(|n| n.parse().ok()).unwrap_or(1.0)
}

/// ms by which times may differ, of a job whose time is told by what it was asked for.
const LATE_MS: f64 = 150.0;

fn times(asked: &Asked, theirs: &Value, own: &Value, say: &mut impl FnMut(String)) {
    for op in OPS {
        let of = |job: &Value, key: &str| job[op][key].as_f64().unwrap_or(0.0);
        let (ms, real_ms) = (of(own, "runtime"), of(theirs, "runtime"));
        let both = of(own, "total_ios") > 0.0 && of(theirs, "total_ios") > 0.0;
        let told = asked.timed || asked.thinks || asked.rated;
        // The end of one that is through before others is told to the second. Of what goes as fast as it may fio loses the time.
        let late = LATE_MS + if asked.alone { 0.0 } else { 1000.0 };
        if both && told && real_ms > 0.0 && (ms - real_ms).abs() > late + real_ms * 0.2 {
            say(format!("{op}s for {ms} ms, fio's {real_ms}"));
        }
    }
}

type Ios = [(String, u64, u64)];

fn addresses(asked: &Asked, theirs: &Ios, own: &Ios, say: &mut impl FnMut(String)) {
    if asked.goes_past {
        return;
    }
    let shown = |ios: &Ios| -> String {
        let all = ios
            .iter()
            .take(6)
            .map(|(op, at, length)| format!("{op} {at}+{length}"));
        all.collect::<Vec<_>>().join(", ")
    };
    if asked.in_order && asked.verified {
        let sorted = |ios: &Ios| {
            let mut all = ios.to_vec();
            all.sort();
            all
        };
        // fio reads back by address.
        let (own, theirs) = (sorted(own), sorted(theirs));
        if own != theirs {
            say(format!(
                "{} and {} lines that are not the same",
                own.len(),
                theirs.len()
            ));
        }
        return;
    }
    if asked.each_in_order {
        for op in OPS {
            let of = |ios: &Ios| -> Vec<u64> {
                let own = ios.iter().filter(|(which, ..)| which == op);
                own.map(|(_, at, _)| *at).collect()
            };
            let (own, theirs) = (of(own), of(theirs));
            // Which I/O is a read is drawn, and so how many are.
            if let Some(at) = theirs.iter().zip(&own).position(|(a, b)| a != b) {
                say(format!("{op} {at} at {}, fio's at {}", own[at], theirs[at]));
            }
        }
        return;
    }
    if asked.in_order {
        let at = theirs.iter().zip(own).position(|(a, b)| a != b);
        if let Some(at) = at {
            say(format!(
                "I/O {at}: {}; fio's {}",
                shown(&own[at..]),
                shown(&theirs[at..])
            ));
        } else if theirs.len() != own.len() {
            say(format!("{} lines, fio's {}", own.len(), theirs.len()));
        }
        return;
    }
    // Drawn, and so other ones: within the same bounds, and on the same grid.
    let bounds = |ios: &Ios| {
        let from = ios.iter().map(|(_, at, _)| *at).min().unwrap_or(0);
        let to = ios
            .iter()
            .map(|(_, at, length)| at + length)
            .max()
            .unwrap_or(0);
        (from, to)
    };
    if asked.map && asked.block.is_some() && !asked.cut {
        let places = |ios: &Ios| -> BTreeSet<u64> { ios.iter().map(|(_, at, _)| *at).collect() };
        if places(own) != places(theirs) {
            say(format!(
                "other blocks: {} in {:?}, fio's {} in {:?}",
                places(own).len(),
                bounds(own),
                places(theirs).len(),
                bounds(theirs)
            ));
        }
        return;
    }
    let grid = |ios: &Ios| -> BTreeSet<u64> {
        let block = asked.block.unwrap_or(512);
        ios.iter().map(|(_, at, _)| at % block).collect()
    };
    if asked.block.is_some() && !own.is_empty() && grid(own) != grid(theirs) {
        say(format!(
            "addresses at {:?} in blocks, fio's {:?}",
            grid(own),
            grid(theirs)
        ));
    }
    let (a, b) = (bounds(own), bounds(theirs));
    let span = (b.1 - b.0).max(a.1 - a.0);
    // Of many draws some lie near both ends.
    if own.len() > 60
        && (a.0.abs_diff(b.0) > span / 4 + asked.largest
            || a.1.abs_diff(b.1) > span / 4 + asked.largest)
    {
        say(format!("addresses within {a:?}, fio's {b:?}"));
    }
}
