//! What a fio job was asked, from the options that its result repeats. An option that was given without a value, as
//! `--refill_buffers` mostly is, is not repeated: that such a one is absent says nothing.

use crate::json::Node;
use crate::model::{Asked, Caching, Content, Load, Pace};
use crate::text;
use plimsoll_plan::{Bytes, Rate};

/// The options of a job: its own, then the global ones.
struct Options<'n> {
    own: Option<&'n Node>,
    global: Option<&'n Node>,
}

impl<'n> Options<'n> {
    fn of(root: &'n Node, job: &'n Node) -> Self {
        Options {
            own: job.get("job options"),
            global: root.get("global options"),
        }
    }

    fn jobs(&self) -> u64 {
        self.number(&["numjobs"]).unwrap_or(1.0).clamp(1.0, 1e6) as u64
    }

    /// By any of its names.
    fn get(&self, names: &[&str]) -> Option<&'n str> {
        // A job's own option counts, even where it cannot be read.
        let find = |of: Option<&'n Node>| names.iter().find_map(|n| of?.get(n));
        find(self.own).or_else(|| find(self.global))?.text()
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        text::amount(self.get(names)?)
    }

    /// fio's default is 1. What is there and is no depth that can be is not known.
    fn depth(&self) -> Option<u64> {
        let is_there = |of: Option<&Node>| of.is_some_and(|o| o.get("iodepth").is_some());
        if !is_there(self.own) && !is_there(self.global) {
            return Some(1);
        }
        let depth = self.number(&["iodepth"])?;
        (1.0..=1e6).contains(&depth).then_some(depth as u64)
    }

    /// Whether a flag is set; `None` where it isn't there.
    fn flag(&self, names: &[&str]) -> Option<bool> {
        Some(!matches!(self.get(names)?.trim(), "0"))
    }
}

/// Engines that have one I/O out at a time.
const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];

/// Threads or processes whose figures a job's are the sum of: their running times are added up, the run's own is not.
pub fn merged_jobs(job: &Node) -> Option<u64> {
    let sum = job.get("job_runtime")?.number()?;
    let sides = ["read", "write", "trim"]
        .into_iter()
        .filter_map(|s| job.at(&[s, "runtime"])?.number());
    let longest = sides.fold(0.0, f64::max);
    (longest >= 100.0 && sum >= longest * 0.5)
        .then(|| (sum / longest).round().clamp(1.0, 1e6) as u64)
}

/// Whether a job's figures are the sum of several sections: their options are those of one of them only.
pub fn sections_merged(root: &Node, job: &Node) -> bool {
    let options = Options::of(root, job);
    merged_jobs(job).is_some_and(|m| m != 1 && m != options.jobs())
}

/// What the job was asked.
pub fn asked(root: &Node, job: &Node) -> Asked {
    let options = Options::of(root, job);
    let known = options.own.is_some() || options.global.is_some();
    let (jobs, merged) = (options.jobs(), merged_jobs(job));
    if !known || sections_merged(root, job) {
        return Asked {
            threads: merged,
            searches_depth: latency_target(&options, job),
            ..Asked::default()
        };
    }
    let mut asked = Asked {
        block: block(&options),
        read_share: read_share(&options),
        random: options
            .get(&["rw", "readwrite"])
            .map(|rw| rw.contains("rand")),
        engine: options.get(&["ioengine"]).map(str::to_string),
        duration_s: options.get(&["runtime", "timeout"]).and_then(seconds),
        warm_up_s: options.get(&["ramp_time"]).and_then(seconds),
        target_size: options
            .get(&["size", "filesize"])
            .and_then(text::size)
            .map(Bytes),
        threads: merged,
        searches_depth: latency_target(&options, job),
        ..Asked::default()
    };
    depth(&options, &mut asked);
    asked.load = Some(load(&options, asked.threads.unwrap_or(1)));
    asked.content = content(&options);
    asked.cache = Some(cache(&options));
    asked.same_sequence = same_sequence(&options, jobs);
    asked
}

fn latency_target(options: &Options, job: &Node) -> bool {
    let target = job
        .get("latency_target")
        .and_then(Node::number)
        .unwrap_or(0.0);
    target > 0.0 || options.get(&["latency_target"]).is_some()
}

fn depth(options: &Options, asked: &mut Asked) {
    let depth = options.depth();
    // fio's default on Linux is psync.
    let engine = asked.engine.as_deref().unwrap_or("psync");
    let synchronous = SYNCHRONOUS.contains(&engine);
    asked.depth = depth;
    asked.synchronous = Some(synchronous);
    // By threads of its own (offload), also a synchronous engine has many out.
    // Where the job's end is cut off, nobody knows how many it is the sum of.
    let whole = asked.threads.is_some();
    if whole && options.get(&["io_submit_mode"]) != Some("offload") {
        let each = if synchronous { Some(1) } else { depth };
        let all = asked.threads.zip(each);
        asked.in_flight = all.map(|(threads, each)| threads.saturating_mul(each));
    }
}

fn block(options: &Options) -> Option<(Bytes, Bytes)> {
    if options
        .get(&["bsrange", "bssplit", "blocksize_range"])
        .is_some()
    {
        return None;
    }
    let Some(text) = options.get(&["bs", "blocksize"]) else {
        return Some((Bytes(4096), Bytes(4096)));
    };
    let sizes: Option<Vec<u64>> = text
        .split(',')
        .filter(|s| !s.is_empty())
        .map(size_of_fio)
        .collect();
    let sizes = sizes.filter(|s| !s.is_empty())?;
    Some((Bytes(*sizes.iter().min()?), Bytes(*sizes.iter().max()?)))
}

/// A size as fio reads it: with the default `kb_base`, KiB is 1000 and a fraction loses its suffix; those are left alone here.
fn size_of_fio(word: &str) -> Option<u64> {
    let odd = word.contains('.') || word.to_ascii_lowercase().ends_with("ib");
    text::size(word).filter(|_| !odd)
}

fn read_share(options: &Options) -> Option<f64> {
    let share = |names: &[&str]| options.number(names).map(|n| (n / 100.0).min(1.0));
    match options.get(&["rw", "readwrite"])?.split(':').next()? {
        "read" | "randread" => Some(1.0),
        "write" | "randwrite" => Some(0.0),
        "rw" | "readwrite" | "randrw" => share(&["rwmixread"])
            .or_else(|| share(&["rwmixwrite"]).map(|w| 1.0 - w))
            .or(Some(0.5)),
        _ => None,
    }
}

fn load(options: &Options, jobs: u64) -> Load {
    let pace = match options.get(&["rate_process"]) {
        Some("poisson") => Pace::Random,
        _ => Pace::Even,
    };
    // Of each direction, and of each job.
    let of = |text: &str, part: fn(&str) -> Option<u64>| -> Option<f64> {
        let all: Option<Vec<u64>> = text
            .split(',')
            .filter(|s| !s.is_empty())
            .map(part)
            .collect();
        all.map(|a| a.iter().sum::<u64>() as f64)
    };
    let mixed = read_share(options).is_some_and(|s| s > 0.0 && s < 1.0);
    let rated = options.get(&["rate_iops"]).and_then(|t| of(t, text::size));
    let by_bytes = options
        .get(&["rate"])
        .and_then(|t| of(t, text::size))
        .zip(block(options));
    let rated = rated.or_else(|| {
        by_bytes
            .filter(|(_, b)| b.0.0 > 0)
            .map(|(rate, b)| rate / b.0.0 as f64)
    });
    match rated.filter(|r| *r > 0.0) {
        // One number is for reads and for writes each.
        Some(rate) => {
            let single = !options
                .get(&["rate_iops", "rate"])
                .unwrap_or("")
                .contains(',');
            let sides = if mixed && single { 2.0 } else { 1.0 };
            let rate = Rate(rate * sides * jobs as f64);
            Load::Limited { rate, pace }
        }
        None => Load::Max,
    }
}

fn content(options: &Options) -> Option<Content> {
    let set = |names: &[&str]| options.flag(names) == Some(true);
    let percent = |names: &[&str]| options.number(names).filter(|p| (0.0..100.0).contains(p));
    let compressed = percent(&["buffer_compress_percentage"]).unwrap_or(0.0);
    let repeated = percent(&["dedupe_percentage"]).unwrap_or(0.0);
    if set(&["zero_buffers"]) {
        return Some(Content::Zeros);
    }
    if let Some(pattern) = options.get(&["buffer_pattern"]) {
        let zeros =
            pattern.trim_start_matches("0x").chars().all(|c| c == '0') && !pattern.is_empty();
        return Some(if zeros {
            Content::Zeros
        } else {
            Content::Repeating
        });
    }
    if compressed > 0.0 || repeated > 0.0 {
        return Some(Content::Reducible {
            dedupe: 100.0 / (100.0 - repeated),
            compression: 100.0 / (100.0 - compressed),
        });
    }
    match options.flag(&["refill_buffers"]) {
        Some(true) => Some(Content::Fresh),
        Some(false) => Some(Content::Reused),
        None => None,
    }
}

fn cache(options: &Options) -> Caching {
    let direct = options
        .flag(&["direct"])
        .or_else(|| options.flag(&["buffered"]).map(|b| !b));
    match direct {
        Some(true) => Caching::Direct,
        // A flag without a value is not repeated, but direct wants one.
        Some(false) | None => Caching::Buffered,
    }
}

/// Whether several jobs walk one file from the same start.
fn same_sequence(options: &Options, jobs: u64) -> bool {
    let rw = options.get(&["rw", "readwrite"]).unwrap_or("read");
    jobs > 1
        && !rw.contains("rand")
        && options.get(&["filename"]).is_some()
        && options
            .get(&["offset_increment", "filename_format"])
            .is_none()
}

/// A time of fio: seconds without a unit.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let value: f64 = text[..end].parse().ok()?;
    let unit = match &text[end..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Some(value * unit).filter(|s| s.is_finite())
}
