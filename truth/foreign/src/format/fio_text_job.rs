//! One job of fio's text for people, line by line.

use super::fio_asked::{COMMAND, HEADER, MERGED};
use super::fio_header::{Header, Known};
use super::fio_node::{BUCKETS, CARRIED, Filling, ROUNDED, ROUNDED_BYTES, STEADY};
use super::fio_shares;
use super::fio_text_words::{
    amount, bucket_of, carried, count, filled, last_digit, levels, number, several, shares,
    told_or_carried, unit, value,
};
use crate::json::{Node, NodeKind};
use crate::text;

/// Directions by the words of their lines.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];
/// Times by the words of their lines, and their keys.
const TIMES: [(&str, &str); 3] = [("slat", "slat_ns"), ("clat", "clat_ns"), ("lat", "lat_ns")];
/// Percentiles of one list; fio has at most 20.
const MOST_PERCENTILES: usize = 64;

/// Times of one kind.
#[derive(Debug, Default)]
struct Times {
    line: u32,
    of: Filling,
    percentiles: Filling,
}

impl Times {
    /// `min=…, max=…, avg=…, stdev=…`, in a unit.
    fn moments(&mut self, line: u32, content: &str, unit_ns: f64) {
        self.line = line;
        let content = uncut(content);
        for (key, word) in [("min", "min"), ("max", "max")] {
            let reported = value(content, word).and_then(count);
            self.of.number(key, line, reported.map(|v| v * unit_ns));
        }
        for (key, word) in [("mean", "avg"), ("stddev", "stdev")] {
            let reported = value(content, word).and_then(number);
            self.of.number(key, line, reported.map(|v| v * unit_ns));
        }
        self.rounded(line, unit_ns);
    }

    /// `|  1.00th=[    131],  5.00th=[    141]`, in a unit.
    fn percentiles(&mut self, line: u32, content: &str, unit_ns: f64) {
        for part in content.split_inclusive(']').take(MOST_PERCENTILES) {
            // Without its bracket it is cut off, perhaps within its figure.
            let part = part
                .strip_suffix(']')
                .and_then(|part| part.split_once("th=["));
            let Some((percent, time)) = part else {
                continue;
            };
            let percent = percent.trim_start_matches(['|', ' ', ',']);
            let time = number(time.trim().trim_start_matches('>'));
            let (Some(percent), Some(time)) = (number(percent), time) else {
                continue;
            };
            let key = format!("{percent:.6}");
            // Another list's, whose title was left out.
            if self.percentiles.has(&key) {
                return;
            }
            self.percentiles.number(&key, line, Some(time * unit_ns));
        }
        self.rounded(line, unit_ns);
    }

    /// The coarsest unit of all that is told.
    fn rounded(&mut self, line: u32, unit_ns: f64) {
        if unit_ns > 1.0 {
            let most = self.of.get(ROUNDED).unwrap_or(0.0).max(unit_ns);
            self.of.number(ROUNDED, line, Some(most));
        }
    }

    fn finish(mut self) -> (u32, Filling) {
        let line = self.line;
        self.of.object("percentile", line, self.percentiles);
        (line, self.of)
    }
}

/// One direction.
#[derive(Debug, Default)]
struct Direction {
    line: u32,
    of: Filling,
    /// What the rate may be where it is not as it is told.
    carried: Option<f64>,
    /// What the rate's last digit stands for.
    digit: f64,
    times: [Times; 3],
}

/// Whose percentiles come.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Direction(usize),
    Syncs,
    /// Of a part of the I/Os, which nothing here reads.
    None,
}

/// A job whose lines are being read.
#[derive(Debug)]
pub struct Job {
    /// Line of its header.
    pub line: u32,
    /// The last line of it.
    pub last: u32,
    /// Its header.
    pub header: Header,
    of: Filling,
    directions: [Option<Direction>; 4],
    current: usize,
    percentiles: Option<(Whose, f64)>,
    syncs: Option<Times>,
    buckets: [Filling; 3],
    /// Whether it is of 3.x, which has ns.
    has_ns: bool,
}

impl Job {
    /// A job with nothing but a header.
    pub fn new(line: u32, header: Header) -> Self {
        Job {
            line,
            last: line,
            header,
            of: Filling::default(),
            directions: [None, None, None, None],
            current: 0,
            percentiles: None,
            syncs: None,
            buckets: [(); 3].map(|()| Filling::default()),
            has_ns: false,
        }
    }

    /// Whether a line is the first of a direction.
    pub fn begins_direction(content: &str) -> bool {
        direction(content).is_some()
    }

    /// Whether a line is the first of a direction that stands before the job's last one: another job's, for fio tells each once and in order.
    pub fn is_before(&self, content: &str) -> bool {
        let last = self.directions.iter().rposition(Option::is_some);
        direction(content).is_some_and(|(at, _)| last.is_some_and(|last| at <= last))
    }

    /// Whether a line of its shares by time was left out.
    pub fn lacks_shares(&self) -> bool {
        let sides = self.directions.iter().flatten();
        let times = sides.flat_map(|side| {
            let of = &side.times[1];
            let ends = [of.of.get("min"), of.of.get("max")];
            ends.into_iter().flatten().chain(of.percentiles.figures())
        });
        fio_shares::lack(&self.buckets, times)
    }

    /// Whether all of it was there.
    pub fn is_whole(&self) -> bool {
        self.of.has("issued")
    }

    /// Takes a line; `false` where it is none of a job.
    pub fn line(&mut self, line: u32, content: &str) -> bool {
        let known = self.take(line, content);
        if known {
            self.last = line;
        }
        known
    }

    fn take(&mut self, line: u32, content: &str) -> bool {
        if let Some((at, newer)) = direction(content) {
            (self.current, self.percentiles) = (at, None);
            self.has_ns |= newer;
            self.directions[at] = Some(rates(line, content, newer));
            return true;
        }
        if content.starts_with('|') {
            return self.percentile_line(line, content);
        }
        if let Some((what, _)) = content.split_once(" percentiles (") {
            let whose = self.whose(what);
            // fio tells each once: a second one was put there from another result.
            let again = self.has_percentiles(whose);
            self.percentiles = unit(content).filter(|_| !again).map(|ns| (whose, ns));
            return !again;
        }
        let (word, rest) = match content.split_once(':') {
            Some((word, rest)) => (word.trim_end(), rest),
            None => return false,
        };
        match word {
            "cpu" => self.figures(line, rest, &["usr", "sys", "ctx", "majf", "minf"]),
            "IO depths" => self.of.object("iodepth_level", line, levels(line, rest)),
            "submit" => self.of.object("iodepth_submit", line, levels(line, rest)),
            "complete" => self.of.object("iodepth_complete", line, levels(line, rest)),
            "errors" => {
                let total = value(rest, "total").and_then(number);
                self.of.number("total_err", line, total);
            }
            "latency" => {
                let target = value(rest, "target").and_then(text::leading);
                self.of.number("latency_target", line, target);
            }
            "iops" => self.samples(line, rest, "iops", 1.0),
            // Without those that came short it may be cut within the others.
            "issued rwts" | "issued rwt" | "issued" | "issued r/w/d" if rest.contains("short=") => {
                self.issued(line, rest);
            }
            "issued rwts" | "issued rwt" | "issued" | "issued r/w/d" => {}
            "Description" => {}
            STEADY => self.of.object(STEADY, line, steady(line, rest)),
            "fsync/fdatasync/sync_file_range" | "fsync/fdatasync/sync_file_range/syncfs" => {}
            _ => return self.with_unit(line, word, rest),
        }
        true
    }

    /// A line whose word has a unit in brackets: times, shares of times, samples of the bandwidth.
    fn with_unit(&mut self, line: u32, word: &str, rest: &str) -> bool {
        let (name, of) = match word.split_once('(') {
            Some((name, of)) => (name.trim(), of.trim_end_matches(')').trim()),
            None => return false,
        };
        if name == "bw" {
            let of: String = of.chars().filter(|c| !c.is_whitespace()).collect();
            // Before 3.0 `KB` is 1024.
            let kib = if self.has_ns { 1000.0 } else { 1024.0 };
            let scale = amount(&format!("1{of}"), kib).map(|b| b / 1024.0);
            self.samples(line, rest, "bw", scale.unwrap_or(1.0));
            return true;
        }
        let Some(unit_ns) = unit(word) else {
            return false;
        };
        if !rest.contains("min=") {
            let is = name == "lat";
            if let Some(at) = bucket_of(unit_ns).filter(|_| is) {
                if shares(rest).any(|(bound, _)| self.buckets[at].has(bound)) {
                    return false;
                }
                for (bound, share) in shares(rest).take(12) {
                    self.buckets[at].number(bound, line, share);
                }
            }
            return is;
        }
        // Percentiles have a title behind all of these.
        self.percentiles = None;
        match (name, TIMES.iter().position(|(word, _)| *word == name)) {
            (_, Some(at)) => {
                if let Some(direction) = &mut self.directions[self.current] {
                    if direction.times[at].of.has("mean") {
                        return false;
                    }
                    direction.times[at].moments(line, rest, unit_ns);
                }
            }
            ("sync", _) => {
                let syncs = self.syncs.get_or_insert_with(Times::default);
                syncs.moments(line, rest, unit_ns);
            }
            // Those of priorities are of a part.
            (name, _) => return name.contains(" prio "),
        }
        true
    }

    fn whose(&self, what: &str) -> Whose {
        match TIMES.iter().position(|(word, _)| *word == what) {
            Some(at) => Whose::Direction(at),
            None if what == "sync" => Whose::Syncs,
            None => Whose::None,
        }
    }

    fn has_percentiles(&self, whose: Whose) -> bool {
        let has = |times: &Times| !times.percentiles.is_empty();
        match whose {
            Whose::Direction(at) => {
                let direction = self.directions[self.current].as_ref();
                direction.is_some_and(|direction| has(&direction.times[at]))
            }
            Whose::Syncs => self.syncs.as_ref().is_some_and(has),
            Whose::None => false,
        }
    }

    fn percentile_line(&mut self, line: u32, content: &str) -> bool {
        let Some((whose, unit_ns)) = self.percentiles else {
            return false;
        };
        match whose {
            Whose::Direction(at) => {
                if let Some(direction) = &mut self.directions[self.current] {
                    direction.times[at].percentiles(line, content, unit_ns);
                }
            }
            Whose::Syncs => {
                let syncs = self.syncs.get_or_insert_with(Times::default);
                syncs.percentiles(line, content, unit_ns);
            }
            Whose::None => {}
        }
        true
    }

    fn figures(&mut self, line: u32, rest: &str, keys: &[&str]) {
        for key in keys {
            let name = match *key {
                "usr" | "sys" => format!("{key}_cpu"),
                _ => (*key).to_string(),
            };
            let reported = value(rest, key).and_then(number);
            self.of.number(&name, line, reported);
        }
    }

    fn samples(&mut self, line: u32, rest: &str, of: &str, scale: f64) {
        let Some(direction) = &mut self.directions[self.current] else {
            return;
        };
        let deviation = if of == "bw" { "dev" } else { "stddev" };
        let rest = match rest.contains("samples=") {
            true => rest,
            false => uncut(rest),
        };
        for (word, key) in [
            ("min", "min"),
            ("max", "max"),
            ("avg", "mean"),
            ("stdev", deviation),
        ] {
            let reported = value(rest, word).and_then(number);
            let reported = reported.map(|v| v * scale);
            direction.of.number(&format!("{of}_{key}"), line, reported);
        }
        let count = value(rest, "samples").and_then(number);
        direction.of.number(&format!("{of}_samples"), line, count);
    }

    /// How many I/Os of each direction were issued, came back short, and were dropped.
    fn issued(&mut self, line: u32, rest: &str) {
        self.of.number("issued", line, Some(1.0));
        let [read, write, trim, mixed] = &self.directions;
        let mixed = mixed.is_some() && [read, write, trim].iter().all(|d| d.is_none());
        for (word, key) in [
            ("total", "total_ios"),
            ("short", "short_ios"),
            ("dropped", "drop_ios"),
            ("drop", "drop_ios"),
        ] {
            for (at, reported) in several(rest, word).into_iter().take(3).enumerate() {
                // As one direction they are under the first.
                let at = if mixed && at == 0 { 3 } else { at };
                let empty = || Direction {
                    line,
                    ..Direction::default()
                };
                let direction = self.directions[at].get_or_insert_with(empty);
                direction.of.number(key, line, reported);
            }
        }
    }

    /// All of it in the layout of the JSON.
    pub fn node(mut self, asked: Known, command: Option<&[(String, String)]>) -> Node {
        let (line, lacks_shares) = (self.line, self.lacks_shares());
        let mut of = self.of;
        of.text("jobname", line, &self.header.name);
        let group = self.header.group.map(|g| g as f64);
        of.number("groupid", line, group);
        of.number("error", line, self.header.error);
        of.number("pid", line, self.header.pid);
        of.number("jobs", line, self.header.jobs);
        match asked {
            Known::Options(options) => {
                let mut header = Filling::default();
                for (name, value) in options {
                    header.text(name, line, value);
                }
                of.object(HEADER, line, header);
            }
            Known::Several => of.put(MERGED, line, NodeKind::Bool(true)),
            Known::Nothing => {}
        }
        if let Some(command) = command {
            let mut given = Filling::default();
            for (name, value) in command {
                given.text(name, line, value);
            }
            of.object(COMMAND, line, given);
        }
        for (name, direction) in DIRECTIONS.into_iter().zip(self.directions) {
            if let Some(direction) = direction {
                let line = direction.line;
                of.object(name, line, exact(direction));
            }
        }
        if let Some((at, times)) = self.syncs.take().map(Times::finish) {
            let mut sync = Filling::default();
            sync.object("lat_ns", at, times);
            of.object("sync", at, sync);
        }
        // Those that are not told are none, where what stands behind them was reached.
        if of.has("usr_cpu") && !lacks_shares {
            for ((key, ns, bounds), reported) in BUCKETS.into_iter().zip(&self.buckets) {
                if ns > 1.0 || self.has_ns {
                    of.object(key, line, filled(line, reported, bounds));
                }
            }
        }
        let kind = of.kind();
        Node { line, kind }
    }
}

/// The first line of a direction that stands at the end of a header, as fio 2.6 prints it on Windows.
pub fn behind_header(content: &str) -> Option<&str> {
    let mut blanks = content.match_indices(' ').map(|(at, _)| &content[at + 1..]);
    blanks.find(|rest| direction(rest).is_some())
}

/// The direction whose first line it is, and whether that is of 3.x.
fn direction(content: &str) -> Option<(usize, bool)> {
    let (word, rest) = content.split_once(':')?;
    let at = DIRECTIONS.iter().position(|d| *d == word.trim_end())?;
    let rest = rest.trim_start();
    (rest.starts_with("IOPS=") || rest.starts_with("io=")).then(|| (at, rest.starts_with('I')))
}

/// `read: IOPS=1629k, BW=6362MiB/s (6671MB/s)(63.6MiB/10msec)`; before 3.0 `read : io=1024KB, bw=3413KB/s, iops=853, runt= 300msec`.
fn rates(line: u32, content: &str, newer: bool) -> Direction {
    let mut direction = Direction {
        line,
        ..Direction::default()
    };
    let of = &mut direction.of;
    let words = match newer {
        true => ("IOPS", "BW", 1000.0),
        false => ("iops", "bw", 1024.0),
    };
    let rate = value(content, words.0);
    of.number("iops", line, rate.and_then(count));
    direction.carried = rate.and_then(|r| carried(r, 1000.0));
    direction.digit = rate.and_then(|r| last_digit(r, 1000.0)).unwrap_or(1.0);
    let (bytes, runtime) = done(content, newer);
    let runtime = runtime.and_then(number);
    let seconds = runtime.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3);
    let both = |word: &str| Some((amount(word, words.2)?, carried(word, words.2)));
    let each = |(reported, carried): (f64, Option<f64>)| [Some(reported), carried];
    // 3.x tells the bandwidth in powers of 1000, too.
    let again = content
        .split_once("/s (")
        .and_then(|(_, rest)| rest.split_once(')'));
    let again = again
        .and_then(|(word, _)| both(word))
        .map(each)
        .unwrap_or_default();
    let io = bytes.and_then(both);
    let made = io.map(each).unwrap_or_default();
    let made = made.map(|io| io.zip(seconds).map(|(io, s)| io / s));
    let others: Vec<f64> = again.into_iter().chain(made).flatten().collect();
    let bandwidth = value(content, words.1).and_then(both);
    let bandwidth =
        bandwidth.map(|(reported, carried)| told_or_carried(reported, carried, &others));
    of.number("bw_bytes", line, bandwidth);
    let moved: Vec<f64> = bandwidth
        .zip(seconds)
        .map(|(b, s)| b * s)
        .into_iter()
        .collect();
    let io = io.map(|(reported, carried)| told_or_carried(reported, carried, &moved));
    of.number("io_bytes", line, io);
    let rounded = bytes.and_then(|b| last_digit(b, words.2));
    of.number(ROUNDED_BYTES, line, rounded);
    of.number("runtime", line, runtime);
    direction
}

/// Figures of a line, but for the last one where the line may be cut within it: fio's last is a standard deviation with two decimals.
fn uncut(content: &str) -> &str {
    let last = value(content, "stdev").and_then(|sd| sd.split_once(['.', ',']));
    match last.is_some_and(|(_, decimals)| decimals.len() >= 2) {
        true => content,
        false => content.rsplit_once(", ").map_or("", |(whole, _)| whole),
    }
}

/// `attained=no, bw=92.1MiB/s (94.3MB/s), iops=23.6k, iops mean dev=11.253%`.
fn steady(line: u32, rest: &str) -> Filling {
    let mut of = Filling::default();
    let attained = value(rest, "attained").map(|word| f64::from(u8::from(word != "no")));
    of.number("attained", line, attained);
    let criterion = rest.rsplit(", ").next().unwrap_or_default();
    of.text("criterion", line, criterion.trim());
    of
}

/// How much a direction's first line says was done, and in how many ms.
fn done(content: &str, newer: bool) -> (Option<&str>, Option<&str>) {
    if !newer {
        let runtime = value(content, "runt").map(|r| r.trim_end_matches("msec"));
        return (value(content, "io"), runtime);
    }
    let reported = content.split('(').find_map(|part| {
        let (inside, _) = part.split_once(')')?;
        inside.strip_suffix("msec")?.split_once('/')
    });
    reported.map_or((None, None), |(bytes, ms)| (Some(bytes), Some(ms)))
}

/// A direction's figures. A rate of which only some digits are told is what its count and its time make, where these digits say that.
fn exact(direction: Direction) -> Filling {
    let mut of = direction.of;
    if let (Some(reported), Some(ios), Some(ms)) =
        (of.get("iops"), of.get("total_ios"), of.get("runtime"))
        && ms > 0.0
    {
        let made = ios / ms * 1e3;
        let reported = told_or_carried(reported, direction.carried, &[made]);
        if (reported - made).abs() <= (0.006 * made).max(direction.digit) {
            of.number("iops", direction.line, Some(made));
        }
    } else {
        of.number(CARRIED, direction.line, direction.carried);
    }
    for ((_, key), times) in TIMES.into_iter().zip(direction.times) {
        let (line, times) = times.finish();
        of.object(key, line, times);
    }
    of
}
