//! fio's terse output (`--minimal`, `--output-format=terse`), versions 2 to 5, made into a document in the layout of its JSON.
//!
//! A line is of a job: `3;fio-3.33;name;group;error`, then each direction, the CPU, depths, times by buckets, and the disks. How many
//! I/Os there were is nowhere in it, and times are in whole us.

use super::fio;
use super::fio_node::{BUCKETS, DEPTHS, Filling, ROUNDED};
use crate::input::ReadError;
use crate::json::{Node, NodeKind};
use crate::model::{ForeignResult, Format, InputPlace, Remark};
use crate::prefix;
use crate::text;

/// Fields of a direction; version 5 adds samples.
const DIRECTION: usize = 41;
const SAMPLES: usize = 6;
/// Percentiles of a direction.
const PERCENTILES: usize = 20;
/// Shares of times in us, and in ms.
const MICROS: usize = 10;
const MILLIS: usize = 12;
const US: f64 = 1000.0;
const KIB: f64 = 1024.0;

/// True where a text has a line of a job.
pub fn is_one(text: &str) -> bool {
    prefix::without(text)
        .lines()
        .any(|line| Job::of(bare(line)).is_some())
}

/// A line without what a page marks code with, and without what a log, or fio's own progress, has before it: one line alone shows no prefix in
/// common. The number of the layout is one digit.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_matches('`');
    let before = line
        .find(";fio-")
        .and_then(|at| line[..at].char_indices().next_back());
    &line[before.map_or(0, |(at, _)| at)..]
}

/// A text without its lines of jobs.
pub fn without(text: &str) -> String {
    let is_job = |line: &&str| Job::of(bare(line)).is_some();
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| if is_job(&line) { "\n" } else { line })
        .collect()
}

/// Reads all lines of a text.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let text = prefix::without(text);
    let (mut jobs, mut disks, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    let mut version = None;
    for (line, content) in text::lines(&text) {
        let content = bare(content);
        match Job::of(content) {
            Some(job) if job.cpu().is_some() => {
                version = version.or(job.version.map(|v| (line, v.to_string())));
                disks = job.disks(line);
                jobs.push(job.node(line));
            }
            Some(_) => remarks.push(Remark {
                at: InputPlace { source: 0, line },
                text: "a line that is cut off, or of a version that is not known: left out".into(),
            }),
            None => {}
        }
    }
    let line = jobs.first().map_or(1, |job: &Node| job.line);
    let mut root = Filling::default();
    if let Some((at, version)) = version {
        root.text("fio version", at, &version);
    }
    root.put("jobs", line, NodeKind::Array(jobs));
    root.put("disk_util", line, NodeKind::Array(disks));
    let kind = root.kind();
    let document = [Node { line, kind }];
    fio::of_documents(name, Format::FioTerse, &document, remarks).ok_or_else(|| {
        ReadError::Nothing {
            name: name.into(),
            what: "terse output of fio",
            missing: "no line in it is whole and of a job that did something",
            remedy: "give whole lines, as fio printed them",
        }
    })
}

/// A line of a job.
struct Job<'l> {
    version: Option<&'l str>,
    fields: Vec<&'l str>,
    /// Field of the name.
    name: usize,
    /// Fields of a direction.
    length: usize,
    /// True where trims have a place of their own.
    has_trims: bool,
}

impl<'l> Job<'l> {
    /// The job of a line; `None` where it is another.
    fn of(line: &'l str) -> Option<Job<'l>> {
        let fields: Vec<&str> = line.split(';').take(1000).collect();
        let number = *fields.first()?;
        let versioned = fields.get(1).is_some_and(|f| f.starts_with("fio-"));
        let name = match (number, versioned) {
            ("2", false) => 1,
            ("3" | "4" | "5", true) => 2,
            _ => return None,
        };
        let length = match number {
            "5" => DIRECTION + SAMPLES,
            _ => DIRECTION,
        };
        let is = fields.len() > name + 3 && fields[name + 1..name + 3].iter().all(|f| is_digits(f));
        is.then_some(Job {
            version: versioned.then(|| fields[1]),
            name,
            length,
            has_trims: number != "3",
            fields,
        })
    }

    fn first(&self) -> usize {
        self.name + 3
    }

    /// Number of directions, by where the CPU's shares stand.
    fn cpu(&self) -> Option<usize> {
        let percent = |at: usize| self.fields.get(at).map(|f| f.ends_with('%'));
        (1..=4).find(|count| {
            let at = self.first() + count * self.length;
            [at, at + 1, at + 2].map(percent) == [Some(true), Some(true), Some(false)]
                && self.fields.len() >= at + 5 + DEPTHS.len() + MICROS + MILLIS
        })
    }

    /// The directions' names in their order.
    fn directions(&self, count: usize) -> &'static [&'static str] {
        match (count, self.has_trims) {
            (1, _) => &["mixed"],
            (2, _) => &["read", "write"],
            (3, true) => &["read", "write", "trim"],
            (3, false) => &["read", "write", "mixed"],
            _ => &["read", "write", "trim", "mixed"],
        }
    }

    fn number(&self, at: usize) -> Option<f64> {
        text::amount(self.fields.get(at)?)
    }

    fn node(&self, line: u32) -> Node {
        let mut of = Filling::default();
        of.text("jobname", line, self.fields[self.name]);
        of.number("groupid", line, self.number(self.name + 1));
        of.number("error", line, self.number(self.name + 2));
        let count = self.cpu().unwrap_or(0);
        for (number, name) in self.directions(count).iter().enumerate() {
            let at = self.first() + number * self.length;
            of.object(name, line, self.direction(line, at));
        }
        let mut at = self.first() + count * self.length;
        for key in ["usr_cpu", "sys_cpu", "ctx", "majf", "minf"] {
            of.number(key, line, self.number(at));
            at += 1;
        }
        // Shares of times below a us are in the first of the us.
        let lists = [
            ("iodepth_level", &DEPTHS[..]),
            (BUCKETS[1].0, BUCKETS[1].2),
            (BUCKETS[2].0, BUCKETS[2].2),
        ];
        for (key, names) in lists {
            let mut list = Filling::default();
            for name in names {
                list.number(name, line, self.number(at));
                at += 1;
            }
            of.object(key, line, list);
        }
        let kind = of.kind();
        Node { line, kind }
    }

    fn direction(&self, line: u32, at: usize) -> Filling {
        let mut of = Filling::default();
        let scaled = |at: usize, by: f64| self.number(at).map(|n| n * by);
        of.number("io_bytes", line, scaled(at, KIB));
        of.number("bw_bytes", line, scaled(at + 1, KIB));
        of.number("iops", line, self.number(at + 2));
        of.number("runtime", line, self.number(at + 3));
        let [submit, completion, all] = [at + 4, at + 8, at + 12 + PERCENTILES];
        let percentiles = self.percentiles(at + 12);
        let of_completion = self.fits(&percentiles, completion);
        for (key, at) in [
            ("slat_ns", submit),
            ("clat_ns", completion),
            ("lat_ns", all),
        ] {
            let mut times = self.times(line, at);
            if !times.has("mean") {
                continue;
            }
            if key == if of_completion { "clat_ns" } else { "lat_ns" } {
                let mut list = Filling::default();
                for (percent, us) in &percentiles {
                    list.number(&format!("{percent:.6}"), line, Some(us * US));
                }
                times.object("percentile", line, list);
            }
            of.object(key, line, times);
        }
        let samples = all + 4;
        for (key, at) in [("bw_min", 0), ("bw_max", 1), ("bw_mean", 3), ("bw_dev", 4)] {
            of.number(key, line, self.number(samples + at));
        }
        if self.length > DIRECTION {
            let keys = [
                "bw_samples",
                "iops_min",
                "iops_max",
                "iops_mean",
                "iops_stddev",
                "iops_samples",
            ];
            for (number, key) in keys.into_iter().enumerate() {
                of.number(key, line, self.number(samples + 5 + number));
            }
        }
        of
    }

    /// Smallest, largest, mean and deviation; nothing where they were not measured.
    fn times(&self, line: u32, at: usize) -> Filling {
        let mut of = Filling::default();
        let measured = [at + 1, at + 2]
            .iter()
            .any(|at| self.number(*at) > Some(0.0));
        for (number, key) in ["min", "max", "mean", "stddev"].into_iter().enumerate() {
            let ns = self.number(at + number).map(|us| us * US);
            of.number(key, line, ns.filter(|_| measured));
        }
        if measured {
            of.number(ROUNDED, line, Some(US));
        }
        of
    }

    /// Percent and us of each that is told.
    fn percentiles(&self, at: usize) -> Vec<(f64, f64)> {
        let fields = (at..at + PERCENTILES).filter_map(|at| self.fields.get(at)?.split_once("%="));
        let read = fields.filter_map(|(p, us)| Some((text::amount(p)?, text::amount(us)?)));
        read.filter(|(percent, _)| *percent > 0.0).collect()
    }

    /// True where percentiles can be of times with these moments: with `lat_percentiles` they are of all of an I/O's time.
    fn fits(&self, percentiles: &[(f64, f64)], at: usize) -> bool {
        let (Some(max), Some(mean)) = (self.number(at + 1), self.number(at + 2)) else {
            return true;
        };
        let steps = percentiles.windows(2);
        let least: f64 = steps.map(|p| (p[1].0 - p[0].0) / 100.0 * p[0].1).sum();
        let top = percentiles.last().map_or(0.0, |p| p.1);
        top <= max * 1.02 + 2.0 && least <= mean * 1.05 + 1.0
    }

    /// The disks behind all.
    fn disks(&self, line: u32) -> Vec<Node> {
        let count = self.cpu().unwrap_or(0);
        let at = self.first() + count * self.length + 5 + DEPTHS.len() + MICROS + MILLIS;
        let rest = self.fields.get(at..).unwrap_or_default();
        let mut disks: Vec<Node> = Vec::new();
        for fields in rest.chunks_exact(9).take_while(|f| f[8].ends_with('%')) {
            let mut of = Filling::default();
            of.text("name", line, fields[0]);
            let keys = ["read_ios", "write_ios", "read_merges", "write_merges"];
            for (key, field) in keys.into_iter().zip(&fields[1..]) {
                of.number(key, line, text::amount(field));
            }
            of.number("util", line, text::amount(fields[8]));
            let kind = of.kind();
            disks.push(Node { line, kind });
        }
        disks
    }
}

fn is_digits(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit())
}
