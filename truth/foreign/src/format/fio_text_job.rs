//! One job of fio's text for people, line by line.

use super::fio_asked::{COMMAND, FILE, HEADER, MERGED, PRINTED};
use super::fio_header::{Header, Known};
use super::fio_node::{BUCKETS, Filling, STEADY};
use super::fio_shares;
use super::fio_text_direction::{
    DIRECTIONS, Direction, TIMES, Times, direction, exact, rates, uncut,
};
use super::fio_text_words::{
    amount, bucket_of, filled, levels, number, several, shares, unit, value,
};
use crate::json::{Node, NodeKind};
use crate::model::{InputPlace, Remark};
use crate::text;
use plimsoll_printable::human;

/// Owner of the percentiles that come next.
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
    /// Header of the job.
    pub header: Header,
    of: Filling,
    directions: [Option<Direction>; 4],
    current: usize,
    percentiles: Option<(Whose, f64)>,
    syncs: Option<Times>,
    /// Number of syncs.
    synced: Option<f64>,
    buckets: [Filling; 3],
    /// True for 3.x, which has ns.
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
            synced: None,
            buckets: [(); 3].map(|()| Filling::default()),
            has_ns: false,
        }
    }

    /// True where a line is the first of a direction.
    pub fn begins_direction(content: &str) -> bool {
        direction(content).is_some()
    }

    /// True where a line is the first of a direction that stands before the job's last one: another job's, for fio tells each once and in
    /// order.
    pub fn is_before(&self, content: &str) -> bool {
        let last = self.directions.iter().rposition(Option::is_some);
        direction(content).is_some_and(|(at, _)| last.is_some_and(|last| at <= last))
    }

    /// True where a line of its shares by time was left out.
    pub fn lacks_shares(&self) -> bool {
        let sides = self.directions.iter().flatten();
        let times = sides.flat_map(|side| {
            let of = &side.times[1];
            let ends = [of.of.get("min"), of.of.get("max")];
            ends.into_iter().flatten().chain(of.percentiles.figures())
        });
        fio_shares::lack(&self.buckets, times)
    }

    /// True where all of it was there.
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
            "iops" => return self.samples(line, rest, "iops", 1.0),
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
            return self.samples(line, rest, "bw", scale.unwrap_or(1.0));
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

    /// Takes samples; `false` of a second line of them, which is of a direction whose first line was left out.
    fn samples(&mut self, line: u32, rest: &str, of: &str, scale: f64) -> bool {
        let Some(direction) = &mut self.directions[self.current] else {
            return true;
        };
        if direction.of.has(&format!("{of}_mean")) {
            return false;
        }
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
        true
    }

    /// Takes the numbers of I/Os of each direction that were issued, came back short, and were dropped.
    fn issued(&mut self, line: u32, rest: &str) {
        self.of.number("issued", line, Some(1.0));
        self.synced = several(rest, "total").get(3).copied().flatten();
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
                let empty = || Direction::new(line);
                let direction = self.directions[at].get_or_insert_with(empty);
                direction.of.number(key, line, reported);
            }
        }
    }

    /// True where a line sums up a direction of a group.
    pub fn is_of_group(content: &str) -> bool {
        ["READ: ", "WRITE: ", "TRIM: "]
            .iter()
            .any(|word| content.starts_with(word))
    }

    /// Bytes each second of the direction that a group's line sums up; `None` where it is not told.
    fn bandwidth(&self, content: &str) -> Option<f64> {
        let word = content.split(':').next()?.to_lowercase();
        let at = DIRECTIONS.iter().position(|direction| *direction == word)?;
        self.directions[at].as_ref()?.of.get("bw_bytes")
    }

    /// Takes the line of the group that this job is alone in.
    pub fn group(&mut self, line: u32, content: &str) {
        let word = content.split(':').next().unwrap_or_default().to_lowercase();
        let at = DIRECTIONS.iter().position(|direction| *direction == word);
        if let Some(direction) = at.and_then(|at| self.directions[at].as_mut()) {
            direction.group(line, content, self.has_ns);
        }
    }

    /// True where options may be those of a job without a header, by its directions.
    fn may_be_of(&self, options: &[(String, String)]) -> bool {
        let rw = options.iter().find(|(key, _)| key == "rw");
        let rw = rw.map_or("", |(_, rw)| rw);
        let does = |word: &str| rw.contains(word) || rw.contains("rw");
        let [read, write, ..] = &self.directions;
        self.header.group.is_some()
            || (read.is_none() || does("read")) && (write.is_none() || does("write"))
    }

    /// All of it in the layout of the JSON.
    pub fn node(
        mut self,
        asked: Known,
        command: Option<&[(String, String)]>,
        file: Option<&[(String, String)]>,
    ) -> Node {
        let asked = match asked {
            Known::Options(options) if !self.may_be_of(options) => Known::Nothing,
            asked => asked,
        };
        let sizes = match asked {
            Known::Options(options) => sizes(options),
            _ => Vec::new(),
        };
        let (line, lacks_shares) = (self.line, self.lacks_shares());
        let mut of = self.of;
        of.text("jobname", line, &self.header.name);
        let group = self.header.group.map(|g| g as f64);
        of.number("groupid", line, group);
        of.number("error", line, self.header.error);
        of.number("pid", line, self.header.pid);
        of.number("jobs", line, self.header.jobs);
        of.number(PRINTED, line, self.header.printed.map(|s| s as f64));
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
        for (key, options) in [(COMMAND, command), (FILE, file)] {
            let mut given = Filling::default();
            for (name, value) in options.unwrap_or_default() {
                given.text(name, line, value);
            }
            of.object(key, line, given);
        }
        // An error ended it before it did anything.
        if self.header.error > Some(0.0) && self.directions.iter().all(Option::is_none) {
            for name in ["read", "write"] {
                let mut nothing = Filling::default();
                nothing.number("total_ios", line, Some(0.0));
                of.object(name, line, nothing);
            }
        }
        for (at, (name, direction)) in DIRECTIONS.into_iter().zip(self.directions).enumerate() {
            if let Some(direction) = direction {
                let line = direction.line;
                of.object(
                    name,
                    line,
                    exact(direction, sizes.get(at).copied().flatten()),
                );
            }
        }
        let mut sync = Filling::default();
        sync.number("total_ios", line, self.synced);
        if let Some((at, times)) = self.syncs.take().map(Times::finish) {
            sync.object("lat_ns", at, times);
        }
        of.object("sync", line, sync);
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

/// Remark on a group's line that has more bandwidth than all of its jobs that are here.
pub fn left_out(jobs: &[Job], (group, line, content): &(u64, u32, String)) -> Option<Remark> {
    let all = value(content, "bw").and_then(|word| amount(word, 1000.0))?;
    let is_of_group = |job: &&Job| job.header.group.is_none_or(|own| own == *group);
    let mut of_group = jobs.iter().filter(is_of_group).peekable();
    of_group.peek()?;
    let share = of_group
        .map(|job| job.bandwidth(content))
        .sum::<Option<f64>>()?
        / all;
    let percent = human::percent(share);
    let text = format!(
        "the jobs that are here have {percent} of the bandwidth in this line: others were left out"
    );
    let at = InputPlace {
        source: 0,
        line: *line,
    };
    (share < 0.95).then_some(Remark { at, text })
}

/// The one size of each direction, where it has one.
fn sizes(options: &[(String, String)]) -> Vec<Option<f64>> {
    let ranges = options.iter().find(|(key, _)| key == "bsrange");
    let ranges = ranges.map_or("", |(_, ranges)| ranges).split(',');
    let ends = ranges.map(|range| range.split_once('-'));
    let one = ends.map(|ends| ends.filter(|(least, most)| least == most));
    one.map(|one| text::amount(one?.0)).collect()
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
