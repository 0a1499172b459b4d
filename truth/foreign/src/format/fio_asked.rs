//! What a fio job was asked, from the options that its result repeats, as the fio dialect reads them.

use crate::json::{Node, NodeKind};
use crate::model::{AskedSettings, Load};
use plimsoll_dialects::{AskedStream, fio};
use plimsoll_plan::Rate;

/// What the job was asked, and whether its figures are the sum of several sections. Its options are then those of one of them, and nothing
/// is known but a search for a depth.
pub fn asked(root: &Node, job: &Node) -> (AskedSettings, bool) {
    let (own, global) = (job.get("job options"), root.get("global options"));
    if own.is_none() && global.is_none() {
        return (of_header(job), job.get(MERGED).is_some());
    }
    let name = job.get("jobname").and_then(Node::text).unwrap_or_default();
    let stream = fio::asked(name, &options(global), &options(own));
    let mut asked = AskedSettings::of(&stream);
    let target = job.get("latency_target").and_then(Node::number);
    asked.searches_depth |= target.is_some_and(|t| t > 0.0);
    let option = |key: &str| {
        own.and_then(|of| of.get(key))
            .or(global.and_then(|of| of.get(key)))
    };
    asked.reads_back = option("verify").is_some();
    asked.reads_after = asked.reads_back && asked.read_share == Some(0.0);
    let generator = option("random_generator").and_then(Node::text);
    asked.wide_generator = generator.is_some_and(|g| g != "tausworthe");
    let summed = match stream.streams.first() {
        Some(one) if contradicts(job, one) => Summed::Sections,
        _ => summed(root, job, &asked),
    };
    match summed {
        Summed::Clones(clones) => times(&mut asked, clones),
        Summed::Sections => {
            let reported = AskedSettings {
                searches_depth: asked.searches_depth,
                reads_back: asked.reads_back,
                reads_after: asked.reads_after,
                ..AskedSettings::default()
            };
            return (reported, true);
        }
        Summed::Unknown => {
            (asked.threads, asked.in_flight) = (None, None);
            if asked.load != Some(Load::Max) {
                (asked.load, asked.sides) = (None, [None; 2]);
            }
        }
    }
    (asked, false)
}

/// Key under which a text's header stands, with the options that it shows; no fio writes it.
pub const HEADER: &str = "header";
/// Key that says that the figures are those of several sections.
pub const MERGED: &str = "merged sections";

/// What the header of fio's text tells: little, and of the rest nothing is known.
fn of_header(job: &Node) -> AskedSettings {
    let Some(header) = job.get(HEADER) else {
        return AskedSettings::default();
    };
    let stream = fio::asked("", &[], &options(Some(header)));
    let asked = AskedSettings::of(&stream);
    let jobs = job.get("jobs").and_then(Node::number);
    let mut reported = AskedSettings {
        block: asked.block,
        // Of a mix nobody says the shares.
        read_share: asked.read_share.filter(|s| *s == 0.0 || *s == 1.0),
        random: asked.random,
        depth: asked.depth,
        threads: asked.threads,
        in_flight: asked.in_flight,
        synchronous: asked.synchronous,
        engine: asked.engine,
        ..AskedSettings::default()
    };
    let target = job.get("latency_target").and_then(Node::number);
    reported.searches_depth = target.is_some_and(|t| t > 0.0);
    match jobs {
        Some(jobs) => times(&mut reported, jobs as u64),
        None => (reported.threads, reported.in_flight) = (None, None),
    }
    reported
}

/// Names and values. What is no text was none that fio has printed.
fn options(of: Option<&Node>) -> Vec<(String, String)> {
    let text = |node: &Node| match &node.kind {
        NodeKind::Text(text) => text.clone(),
        NodeKind::Number(number) => number.to_string(),
        _ => "?".to_string(),
    };
    let fields = of.map(Node::fields).unwrap_or_default();
    fields.iter().map(|(k, v)| (k.clone(), text(v))).collect()
}

/// What a job's figures are the sum of.
enum Summed {
    /// So many clones of it, or one.
    Clones(u64),
    /// Several sections (`group_reporting`), whose options the result does not have.
    Sections,
    /// It is not told, as where its end is cut off.
    Unknown,
}

/// Whether a job did what its options do not ask for: an operation, or a size. They are not those of all that is summed.
fn contradicts(job: &Node, asked: &AskedStream) -> bool {
    let Some(mix) = asked.mix else { return false };
    let parts = ["read", "write", "trim"].into_iter();
    let parts = parts.zip(mix.percents());
    parts.enumerate().any(|(at, (side, percent))| {
        let number = |key: &str| job.at(&[side, key]).and_then(Node::number);
        let (Some(ios), Some(bytes)) = (number("total_ios"), number("io_bytes")) else {
            return false;
        };
        let size = asked.size.as_ref().map(|size| size.by_operation()[at]);
        let outside = size.is_some_and(|size| {
            // What is in flight at the ends may be in one of the two counts, and the last of a file may be shorter.
            let edge = 1.0 + asked.depth.unwrap_or(1) as f64 * asked.threads.unwrap_or(1) as f64;
            let (least, most) = (size.min().0 as f64, size.max().0 as f64);
            bytes < 0.95 * least * (ios - edge) || bytes > 1.001 * most * (ios + edge)
        });
        ios > 0.0 && (percent == 0.0 || outside)
    })
}

/// The running times of all that is summed are added up, the run's own is not.
fn summed(root: &Node, job: &Node, asked: &AskedSettings) -> Summed {
    let sides = ["read", "write", "trim"].into_iter();
    let longest = sides
        .filter_map(|s| job.at(&[s, "runtime"])?.number())
        .fold(0.0, f64::max);
    let sum = job.get("job_runtime").and_then(Node::number);
    let (Some(sum), Some(clones)) = (sum.filter(|_| longest > 0.0), asked.threads) else {
        return match asked.threads {
            // Before 3.0 nothing is told of it; one job that names its clones is believed.
            Some(clones) if names_clones(root, job) => Summed::Clones(clones),
            _ => Summed::Unknown,
        };
    };
    // Each is told in whole ms, and clones that go on for a time end within a few.
    let one = (sum - longest).abs() <= 2.0 + 0.002 * longest;
    let all = {
        let (n, over) = (clones as f64, asked.duration_s.unwrap_or(f64::MAX) * 1020.0);
        (sum - n * longest).abs() <= n * (2.0 + 0.002 * longest) && longest <= over + 1000.0
    };
    match (clones, one, all) {
        (1, true, _) => Summed::Clones(1),
        (1, false, _) => Summed::Sections,
        (_, false, true) => Summed::Clones(clones),
        // Told each by itself they stand there as often.
        (_, true, false) if alike(root, job) == clones => Summed::Clones(1),
        (_, true, _) => Summed::Unknown,
        (_, false, false) => Summed::Sections,
    }
}

/// Whether a job that is alone in a document without running times says how many clones it has.
fn names_clones(root: &Node, job: &Node) -> bool {
    let alone = root.get("jobs").is_some_and(|jobs| jobs.items().len() == 1);
    let reported = |of: &Node, list: &str| of.at(&[list, "numjobs"]).is_some();
    let old = job.get("job_runtime").is_none() && job.get("iodepth_level").is_some();
    alone && old && (reported(job, "job options") || reported(root, "global options"))
}

/// Jobs of a document with the same name.
fn alike(root: &Node, job: &Node) -> u64 {
    let name = |of: &Node| of.get("jobname").and_then(Node::text).map(str::to_string);
    let of = |list: &str| root.get(list).map(Node::items).unwrap_or_default();
    let all = of("jobs").iter().chain(of("client_stats"));
    all.filter(|other| name(other) == name(job)).count() as u64
}

/// Rates and depths are of each clone.
fn times(asked: &mut AskedSettings, clones: u64) {
    let n = clones as f64;
    asked.threads = Some(clones);
    asked.in_flight = asked.in_flight.map(|each| each.saturating_mul(clones));
    if let Some(Load::Limited { rate, .. }) = &mut asked.load {
        rate.0 *= n;
    }
    asked.sides = asked.sides.map(|side| side.map(|r| Rate(r.0 * n)));
}
