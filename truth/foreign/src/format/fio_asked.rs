//! What a fio job was asked, from the options that its result repeats, as the fio dialect reads them.

use crate::json::{Node, NodeKind};
use crate::model::{AskedSettings, InputPlace, Load, Remark};
use crate::text;
use plimsoll_dialects::{AskedStream, fio};
use plimsoll_plan::Rate;
use plimsoll_printable::human;

/// Settings of the job, and true where its figures are the sum of several sections. Its options are then those of one of them, and nothing
/// is known but a search for a depth.
pub fn asked(root: &Node, job: &Node) -> (AskedSettings, bool) {
    let (own, global) = (job.get("job options"), root.get("global options"));
    if own.is_none() && global.is_none() {
        let merged = job.get(MERGED).is_some();
        let asked = AskedSettings {
            sums_sections: merged || longest(job).is_some() && !is_one(job),
            ..of_header(root, job)
        };
        return (asked, merged);
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
    let is_on = |key: &str| option(key).is_some_and(is_on);
    asked.times_begin_before =
        asked.reads_back && is_on("disable_slat") && !is_on("disable_lat") && !is_on("gtod_reduce");
    asked.polls = polls(&asked, is_on);
    // A section behind a stonewall begins another group, and those of several hosts may be of storage of their own.
    let waits = ["startdelay", "wait_for", "new_group"]
        .iter()
        .any(|key| option(key).is_some());
    let group = job
        .get("groupid")
        .and_then(Node::number)
        // What writes fio's JSON anew may leave out zeros.
        .or(job.get("job options").map(|_| 0.0))
        .filter(|_| !waits && job.get("hostname").is_none());
    asked.began_with = group.map(|group| u64::from(root.line) << 32 | group as u64);
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
                times_begin_before: asked.times_begin_before,
                sums_sections: true,
                ..AskedSettings::default()
            };
            return (reported, true);
        }
        Summed::Unknown => {
            (asked.threads, asked.in_flight) = (None, None);
            // Before 3.0 nothing tells whether a group is of one section.
            asked.sums_sections = option("group_reporting").is_some() && longest(job).is_none();
            if asked.load != Some(Load::Max) {
                (asked.load, asked.sides) = (None, [None; 2]);
            }
        }
    }
    (asked, false)
}

/// A mix that a job was given and did not do.
pub fn without_effect(root: &Node, job: &Node) -> Option<Remark> {
    let of = |key: &str| {
        let own = job.at(&["job options", key]);
        own.or_else(|| root.at(&["global options", key]))?.text()
    };
    let rw = of("rw").or_else(|| of("readwrite"))?;
    let mix = ["rwmixread", "rwmixwrite"]
        .into_iter()
        .find_map(|key| Some((key, of(key)?)));
    let mixes = |kinds: &[&str]| kinds.iter().any(|mixed| rw.starts_with(mixed));
    let is_free = ["verify", "rate", "rate_iops"]
        .iter()
        .all(|key| of(key).is_none());
    let text = match mix {
        _ if mixes(&["rw", "readwrite", "randrw"]) => {
            let did = one_direction(job, mix).filter(|_| is_free)?;
            let given = mix.map_or(String::new(), |(key, value)| format!(", {key}={value}"));
            format!(
                "rw={rw}{given} asks for reads and writes, and {did}: this is no result of that mix"
            )
        }
        Some((key, value)) if !mixes(&["trimwrite", "randtrimwrite"]) => {
            format!("`{key}={value}` had no effect: rw={rw} does one kind of I/O")
        }
        _ => return None,
    };
    let at = InputPlace {
        source: 0,
        line: job.line,
    };
    Some(Remark { at, text })
}

/// Words for I/Os that were all of one direction, where a mix would have had at least twenty of the other.
fn one_direction(job: &Node, mix: Option<(&str, &str)>) -> Option<String> {
    let count = |side: &str| job.at(&[side, "total_ios"]).and_then(Node::number);
    let (reads, writes) = (count("read")?, count("write")?);
    let percent = mix.map_or(Some(50.0), |(_, value)| text::leading(value))?;
    let expected = (reads + writes) * percent.min(100.0 - percent) / 100.0;
    let of = match (reads, writes) {
        (_, 0.0) => "reads",
        (0.0, _) => "writes",
        _ => return None,
    };
    let all = human::count((reads + writes) as u64);
    (expected >= 20.0).then(|| format!("all {all} I/Os were {of}"))
}

/// True where a switch is on: it is named, and not with 0.
fn is_on(switch: &Node) -> bool {
    switch.number() != Some(0.0) && switch.text() != Some("0")
}

/// True where a job's threads spin for their completions: those of SPDK always do.
fn polls(asked: &AskedSettings, is_on: impl Fn(&str) -> bool) -> bool {
    let engine = asked.engine.as_deref().unwrap_or_default();
    engine
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains("spdk"))
        || ["hipri", "sqthread_poll"].into_iter().any(is_on)
}

/// Key under which a text's header stands, with the options that it shows; no fio writes it.
pub const HEADER: &str = "header";
/// Key that says that the figures are those of several sections.
pub const MERGED: &str = "merged sections";

/// Key of the options of a command that was copied with a text.
pub const COMMAND: &str = "command";

/// Key of the options of a job file that was copied with a text.
pub const FILE: &str = "job file";

/// The direction of a mix that a job's result does not have: it was cut off before it.
pub fn cut_off(root: &Node, job: &Node) -> Option<&'static str> {
    let places = [HEADER, COMMAND, "job options"].into_iter();
    let options = places
        .filter_map(|of| job.get(of))
        .chain(root.get("global options"));
    let options: Vec<&Node> = options.collect();
    let option = |key: &str| options.iter().find_map(|of| of.get(key)?.text());
    let rw = option("rw").or(option("readwrite"))?;
    // All of one direction is a mix in name alone.
    let is_all = |all: &str, none: &str| option(all) == Some("100") || option(none) == Some("0");
    let is_mix = ["rw", "readwrite", "randrw"]
        .iter()
        .any(|mix| rw.starts_with(mix));
    let has = |side: &str| job.get(side).is_some();
    match (has("read"), has("write")) {
        (true, false) if is_mix && !has("mixed") && !is_all("rwmixread", "rwmixwrite") => {
            Some("writes")
        }
        (false, true) if is_mix && !has("mixed") && !is_all("rwmixwrite", "rwmixread") => {
            Some("reads")
        }
        _ => None,
    }
}

/// Key of the time at which fio printed a job of its text.
pub const PRINTED: &str = "printed";

/// The group of a job of fio's text, beside which its others ran: all that fio prints at its end have one time.
fn text_group(root: &Node, job: &Node) -> Option<u64> {
    let number = |of: &Node, key: &str| of.get(key).and_then(Node::number);
    let (group, printed) = (number(job, "groupid")?, number(job, PRINTED)?);
    let others = root.get("jobs").map(Node::items).unwrap_or_default();
    let mut of_group = others
        .iter()
        .filter(|other| number(other, "groupid") == Some(group));
    let is_one =
        of_group.all(|other| number(other, PRINTED).is_some_and(|at| (at - printed).abs() <= 2.0));
    is_one.then(|| u64::from(root.line) << 32 | group as u64)
}

/// Settings in the line of a job before the run, in fio's text.
fn header(job: &Node) -> Option<AskedSettings> {
    job.get(HEADER).map(|header| {
        let asked = AskedSettings::of(&fio::asked("", &[], &options(Some(header))));
        AskedSettings {
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
        }
    })
}

/// Settings that the command above fio's text asks for, or the job file there.
fn typed(job: &Node, key: &str) -> Option<AskedSettings> {
    let name = job.get("jobname").and_then(Node::text).unwrap_or_default();
    let typed = job.get(key).filter(|_| job.get(MERGED).is_none());
    typed.map(|given| AskedSettings::of(&fio::asked(name, &[], &options(Some(given)))))
}

/// True where the command above a result is another's: it asks for another operation, size, engine or depth than the result says.
pub fn has_other_command(job: &Node) -> bool {
    let both = header(job).zip(typed(job, COMMAND));
    both.is_some_and(|(reported, typed)| !is_same(&reported, &typed))
}

/// Settings of the header of fio's text, and of the command above it.
fn of_header(root: &Node, job: &Node) -> AskedSettings {
    let jobs = job.get("jobs").and_then(Node::number);
    let reported = header(job);
    let command = typed(job, COMMAND).filter(|_| !has_other_command(job));
    let given = job.get(COMMAND).filter(|_| command.is_some());
    let file = reported.as_ref().zip(typed(job, FILE));
    let file = file.filter(|(reported, file)| command.is_none() && is_same(reported, file));
    let file = file.map(|(_, file)| (file.cache, file.durability));
    let mut reported = match (reported, command) {
        (Some(reported), Some(typed)) => reported.or(typed),
        (None, None) => {
            return AskedSettings {
                began_with: text_group(root, job),
                ..AskedSettings::default()
            };
        }
        (reported, typed) => reported.or(typed).unwrap_or_default(),
    };
    if let Some((cache, durability)) = file {
        (reported.cache, reported.durability) = (cache, durability);
    }
    reported.polls = polls(&reported, |key| {
        given.and_then(|of| of.get(key)).is_some_and(is_on)
    });
    reported.began_with = text_group(root, job);
    let target = job.get("latency_target").and_then(Node::number);
    reported.searches_depth |= target.is_some_and(|t| t > 0.0);
    // Reads that nobody asked for verify what was written, when all is.
    let reads = job.at(&["read", "runtime"]).and_then(Node::number);
    reported.reads_after = reported.read_share == Some(0.0) && reads.is_some_and(|ms| ms > 0.0);
    reported.reads_back |= reported.reads_after;
    // Of a mix that was cut off behind one direction nobody knows what was in flight in all.
    let is_mix = reported
        .read_share
        .is_none_or(|share| share > 0.0 && share < 1.0);
    let sides = ["read", "write"].into_iter();
    let is_half =
        job.get("issued").is_none() && sides.filter(|of| job.get(of).is_some()).count() < 2;
    let jobs = jobs.filter(|_| !(is_mix && is_half));
    match jobs {
        Some(jobs) => times(&mut reported, jobs as u64),
        None => (reported.threads, reported.in_flight) = (None, None),
    }
    // Whatever the command says, what ran alone shared its addresses with nobody.
    reported.same_sequence &= jobs != Some(1.0) || alike(root, job) > 1;
    reported
}

/// True where a command asks for what the text says that was asked.
fn is_same(reported: &AskedSettings, typed: &AskedSettings) -> bool {
    let mix = reported.read_share.is_none() || reported.read_share == typed.read_share;
    mix && reported.block == typed.block
        && reported.random == typed.random
        && reported.depth == typed.depth
        && reported.engine == typed.engine
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

/// Jobs that a job's figures are the sum of.
enum Summed {
    /// So many clones of it, or one.
    Clones(u64),
    /// Several sections (`group_reporting`), whose options the result does not have.
    Sections,
    /// Not told, as where the job's end is cut off.
    Unknown,
}

/// True where a job did what its options do not ask for: an operation, or a size. They are not those of all that is summed.
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
    let (Some((longest, sum)), Some(clones)) = (longest(job), asked.threads) else {
        return match asked.threads {
            // Before 3.0 nothing is told of it; one job that names its clones is believed.
            Some(clones) if names_clones(root, job) => Summed::Clones(clones),
            _ => Summed::Unknown,
        };
    };
    let one = is_one(job);
    let all = {
        let (n, asked_ms) = (clones as f64, asked.duration_s.map(|s| s * 1e3));
        let together = (sum - n * longest).abs() <= n * (2.0 + 0.002 * longest);
        // Clones that run for a time end late by what each was held up, and none before it.
        let each_long = asked_ms.is_some_and(|ms| sum >= n * ms && sum <= n * (longest + 2.0));
        (together || each_long) && longest <= asked_ms.map_or(f64::MAX, |ms| ms * 1.02 + 1000.0)
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

/// The longest running time of a direction, and the sum of all jobs' running times, ms; `None` where they are not told.
fn longest(job: &Node) -> Option<(f64, f64)> {
    let sides = ["read", "write", "trim"].into_iter();
    let longest = sides
        .filter_map(|s| job.at(&[s, "runtime"])?.number())
        .fold(0.0, f64::max);
    let sum = job.get("job_runtime").and_then(Node::number);
    Some((longest, sum?)).filter(|_| longest > 0.0)
}

/// True where no more than one job ran, as its times say. Each is told in whole ms, and clones that go on for a time end within a few.
fn is_one(job: &Node) -> bool {
    longest(job).is_some_and(|(longest, sum)| (sum - longest).abs() <= 2.0 + 0.002 * longest)
}

/// True where a job that is alone in a document without running times says how many clones it has.
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
