//! fio's results, from documents in the layout of its JSON, whatever output they were read from. `--status-interval` prints one each time,
//! all counted from the start, so that their differences are intervals.

use super::fio_asked::{asked, cut_off, has_other_command, without_effect};
use super::fio_json::CUT_OUT;
use super::fio_node::{CARRIED, ROUNDED_BYTES, STEADY};
use super::{
    fio_defects, fio_disks, fio_figures, fio_json, fio_old, fio_pairs, fio_python, fio_shares,
    fio_side,
};
use crate::input::ReadError;
use crate::json::Node;
use crate::model::{
    AskedSettings, Cpu, CpuOf, ForeignResult, Format, InputPlace, Latency, Remark, Row, Run,
    Samples, Scope, Side, Tool,
};
use crate::prefix;
use crate::text;

/// True where a text has fio's JSON in it.
pub fn is_one(text: &str) -> bool {
    let has = |words: [&str; 2]| words.iter().all(|word| text.contains(word));
    text.contains("\"fio version\"")
        || has(["\"job options\"", "\"jobs\""])
        || has(["\"jobname\"", "\"total_ios\""])
        || fio_python::is_in(text)
}

/// Reads all documents of JSON in a text.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let text = prefix::without(text);
    let text = fio_python::as_json(&text);
    let mut remarks = Vec::new();
    let mut documents = fio_json::documents(&text, &mut remarks);
    for document in &mut documents {
        fio_old::modernise(document);
    }
    of_documents(name, Format::FioJson, &documents, remarks).ok_or_else(|| ReadError::Nothing {
        name: name.into(),
        what: "JSON of fio",
        missing: "no job in it has a result",
        remedy: "fio prints its JSON at the end of the run: give it with --output=FILE and let the run come to its end",
    })
}

/// The result that documents in the layout of fio's JSON make; `None` where no job has one.
pub fn of_documents(
    name: &str,
    format: Format,
    documents: &[Node],
    mut remarks: Vec<Remark>,
) -> Option<ForeignResult> {
    let mut runs: Vec<Run> = Vec::new();
    let mut earlier: Vec<Earlier> = Vec::new();
    // The last document of a run says what it was asked.
    let mut several: Vec<Option<Remark>> = Vec::new();
    let mut versions: Vec<Option<&str>> = Vec::new();
    let mut has_hosts = false;
    for root in documents {
        for (index, job) in jobs(root).enumerate() {
            // Of hosts that are told each by itself their sum is none.
            if is_sum(job) && std::mem::take(&mut has_hosts) {
                continue;
            }
            has_hosts |= !is_sum(job);
            remarks.extend(fio_figures::unreadable(job));
            remarks.extend(without_effect(root, job));
            remarks.extend(job.get(CUT_OUT).map(without_document));
            let now = Earlier {
                run: runs.len(),
                pid: job.get("pid").and_then(Node::number),
                counts: Counts::of(job),
                clock: Clock::of(root, job),
            };
            let (mut asked, merged) = asked(root, job);
            asked.is_memory = fio_disks::is_memory(root);
            let remark = match merged {
                true => Some(of_several(job)),
                false => has_other_command(job).then(|| of_another(job)),
            };
            match earlier
                .get_mut(index)
                .filter(|e| e.goes_on(&runs[e.run], job, index, &now))
            {
                Some(known) => {
                    let run = &mut runs[known.run];
                    next_status(run, &known.counts, &now.counts, job);
                    run.asked = asked;
                    several[known.run] = remark;
                    (known.counts, known.clock) = (now.counts, now.clock);
                }
                None => {
                    match earlier.get_mut(index) {
                        Some(entry) => *entry = now,
                        None => earlier.push(now),
                    }
                    let mut run = run(job, index, asked);
                    if let Some(missing) = cut_off(root, job) {
                        remarks.push(halve(&mut run, missing));
                    }
                    runs.push(run);
                    several.push(remark);
                    versions.push(root.get("fio version").and_then(Node::text));
                }
            }
        }
    }
    remarks.extend(several.into_iter().flatten());
    // The disks' counts are of all that a document is of.
    if let Some(last) = documents.last().filter(|_| earlier.len() == runs.len()) {
        fio_disks::tell(last, &mut runs);
    }
    if runs.is_empty() {
        return None;
    }
    let number = |version: &'_ str| version.trim_start_matches("fio-").to_string();
    for (run, version) in runs.iter_mut().zip(&versions) {
        fio_defects::excuse(run, version.map(number).as_deref(), format);
    }
    let mut told = versions.iter().flatten();
    let first = told.next();
    let other = told.find(|other| Some(*other) != first);
    remarks.extend(first.zip(other).map(|(one, other)| of_versions(one, other)));
    let version = first
        .filter(|_| other.is_none())
        .map(|version| number(version));
    Some(ForeignResult {
        tool: Tool::Fio,
        format,
        version,
        started_s: None,
        sources: vec![name.into()],
        runs,
        remarks,
    })
}

/// The jobs of a document; of a client's document those of each host, and behind them their sum.
fn jobs(root: &Node) -> impl Iterator<Item = &Node> {
    let clients = root
        .get("client_stats")
        .map(Node::items)
        .unwrap_or_default();
    let own = root.get("jobs").map(Node::items).unwrap_or_default();
    own.iter().chain(clients).filter(|job| has_figures(job))
}

/// True where a job is the sum of the hosts of a client. People copy it without these.
fn is_sum(job: &Node) -> bool {
    job.get("jobname").and_then(Node::text) == Some("All clients")
}

/// True where a job has figures. Where clones are merged into a section before them, fio 3.33 leaves a job without a name that did nothing.
fn has_figures(job: &Node) -> bool {
    let has_side = SIDES.iter().any(|side| job.get(side).is_some());
    has_side && (job.get("jobname").and_then(Node::text).is_some() || !did_nothing(job))
}

/// Directions, and all of them as one (`unified_rw_reporting`).
const SIDES: [&str; 4] = ["read", "write", "trim", MIXED];
const MIXED: &str = "mixed";

/// The directions of a job that did something; all of them as one where they are told as one only.
fn active(job: &Node) -> Vec<(&'static str, &Node)> {
    let mut sides: Vec<(&str, &Node)> = SIDES
        .into_iter()
        .filter_map(|name| Some((name, job.get(name)?)))
        .filter(|(_, node)| amount(node, "total_ios") > 0.0 || amount(node, "iops") > 0.0)
        .collect();
    if sides.len() > 1 {
        sides.retain(|(name, _)| *name != MIXED);
    }
    sides
}

fn run_name(job: &Node, index: usize) -> String {
    match job.get("jobname").and_then(Node::text) {
        Some(name) if !name.is_empty() => name.to_string(),
        _ => format!("job {}", index + 1),
    }
}

/// Counts of a job when its document was printed.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    ios: f64,
    seconds: f64,
    /// Sum of all I/Os' times, ns.
    busy_ns: f64,
}

impl Counts {
    fn of(job: &Node) -> Self {
        let mut counts = Counts::default();
        for (_, side) in active(job) {
            let ios = amount(side, "total_ios");
            counts.ios += ios;
            counts.seconds = counts.seconds.max(amount(side, "runtime") / 1e3);
            counts.busy_ns += ios
                * side
                    .at(&["lat_ns", "mean"])
                    .and_then(Node::number)
                    .unwrap_or(0.0);
        }
        counts
    }
}

fn amount(node: &Node, key: &str) -> f64 {
    let number = node.get(key).and_then(Node::number);
    number.filter(|n| *n >= 0.0).unwrap_or(0.0)
}

/// Time at which a document was printed, ms since 1970, and how long fio had run by then.
#[derive(Debug, Clone, Copy)]
struct Clock {
    at_ms: f64,
    elapsed_ms: f64,
}

impl Clock {
    fn of(root: &Node, job: &Node) -> Option<Self> {
        Some(Clock {
            at_ms: root.get("timestamp_ms")?.number()?,
            elapsed_ms: job.get("elapsed")?.number()? * 1e3,
        })
    }

    /// True where both are of a fio that was started at the same time, as far as whole seconds tell.
    fn started_with(&self, other: &Clock) -> bool {
        let start = |clock: &Clock| clock.at_ms - clock.elapsed_ms;
        (start(self) - start(other)).abs() <= 1000.0
    }
}

/// Figures of a job in the document before.
struct Earlier {
    /// Place of the run.
    run: usize,
    /// Process of the job, where that is told.
    pid: Option<f64>,
    counts: Counts,
    clock: Option<Clock>,
}

impl Earlier {
    /// True where a job is the same one, later.
    fn goes_on(&self, run: &Run, job: &Node, index: usize, now: &Earlier) -> bool {
        let same = match (&self.clock, &now.clock) {
            (Some(before), Some(now)) => before.started_with(now),
            _ => {
                let (before, now) = (&self.counts, &now.counts);
                before.ios > 0.0 && now.ios >= before.ios && now.seconds > before.seconds
            }
        };
        // Sums that stand alone are each of a run of their own.
        same && !is_sum(job)
            && job.get(CUT_OUT).is_none()
            && self.pid == now.pid
            && run.name == run_name(job, index)
    }
}

/// Leaves a run of which one direction was cut off no figures of all, and says so.
fn halve(run: &mut Run, missing: &str) -> Remark {
    if let Some(row) = run.whole_mut() {
        (row.all, row.bandwidth, row.samples, row.histogram) = (Side::default(), None, None, None);
    }
    let other = if missing == "reads" {
        "writes"
    } else {
        "reads"
    };
    let text = format!(
        "`{}` did reads and writes, and its {missing} are not here: its figures are of its {other} alone",
        run.name
    );
    Remark { at: run.at, text }
}

fn of_several(job: &Node) -> Remark {
    let text = "its jobs are not clones of one section, or did not end together: the options that stand here may be those of one of \
                several sections, and are not used";
    Remark {
        at: InputPlace {
            source: 0,
            line: job.line,
        },
        text: text.into(),
    }
}

fn of_versions(one: &str, other: &str) -> Remark {
    let text = format!(
        "results of several versions of fio ({one} and {other}): they are taken for those of an unknown one"
    );
    Remark {
        at: InputPlace::default(),
        text,
    }
}

fn without_document(options: &Node) -> Remark {
    let text = "a job that was cut out of its document: the options that all jobs have in common are not there, so what it was asked is unknown";
    Remark {
        at: InputPlace {
            source: 0,
            line: options.line,
        },
        text: text.into(),
    }
}

fn of_another(job: &Node) -> Remark {
    let text = "the command above asks for another operation, size, engine or depth than this result says: it is another run's, or not all of it was \
                copied, and it is not used";
    Remark {
        at: InputPlace {
            source: 0,
            line: job.line,
        },
        text: text.into(),
    }
}

/// Puts in what a later document of the same run says: the interval since the last, and the sums anew. The sums are the last row.
fn next_status(run: &mut Run, before: &Counts, now: &Counts, job: &Node) {
    let at = InputPlace {
        source: 0,
        line: job.line,
    };
    let first = run.rows.pop().map_or(at, |r| r.at);
    // With the ramp's end all counts begin anew.
    if now.ios < before.ios || now.seconds < before.seconds {
        run.rows = vec![whole(job, &run.asked)];
        return;
    }
    if run.rows.is_empty() && before.seconds > 0.0 {
        let mut row = Row::new(Scope::Interval(1), "1", first);
        row.seconds = Some(before.seconds);
        row.all = mean_of(before, before.seconds);
        run.rows.push(row);
    }
    let seconds = now.seconds - before.seconds;
    let usual = run.rows.last().and_then(|r| r.seconds).unwrap_or(0.2);
    // What is left at the end may be too short to be one of them.
    if seconds >= 0.5 * usual {
        let number = run.rows.len() as u32 + 1;
        let mut row = Row::new(Scope::Interval(number), number.to_string(), at);
        row.seconds = Some(seconds);
        let part = Counts {
            ios: now.ios - before.ios,
            seconds,
            busy_ns: (now.busy_ns - before.busy_ns).max(0.0),
        };
        row.all = mean_of(&part, seconds);
        run.rows.push(row);
    }
    run.rows.push(whole(job, &run.asked));
}

fn mean_of(counts: &Counts, seconds: f64) -> Side {
    let mut side = Side {
        iops: text::rate(counts.ios / seconds),
        ios: Some(counts.ios as u64),
        ..Side::default()
    };
    if counts.ios > 0.0 {
        side.latency.mean = text::nanos(counts.busy_ns / counts.ios);
    }
    side
}

fn run(job: &Node, index: usize, asked: AskedSettings) -> Run {
    Run {
        name: run_name(job, index),
        at: InputPlace {
            source: 0,
            line: job.line,
        },
        rows: vec![whole(job, &asked)],
        asked,
        ..Run::default()
    }
}

/// I/Os that came back short, or were dropped. fio counts syncs among the short ones, so they are believed only where bytes are missing.
fn lost(node: &Node, asked: &AskedSettings) -> u64 {
    let block = asked.block.filter(|(min, max)| min == max);
    let whole = amount(node, "total_ios") * block.map_or(0.0, |(block, _)| block.0 as f64);
    let bytes = amount(node, "io_bytes") + amount(node, ROUNDED_BYTES);
    let short = match bytes < whole {
        true => amount(node, "short_ios"),
        false => 0.0,
    };
    (short + amount(node, "drop_ios")) as u64
}

/// The row of a job.
fn whole(job: &Node, asked: &AskedSettings) -> Row {
    let at = InputPlace {
        source: 0,
        line: job.line,
    };
    let mut row = Row::new(Scope::Whole, "all", at);
    let sides = active(job);
    for (name, node) in &sides {
        let side = fio_side::side(node);
        row.errors += lost(node, asked);
        let slat = node.at(&["slat_ns", "mean"]).and_then(Node::number);
        let threads = side.iops.zip(slat).map(|(rate, ns)| rate.0 * ns / 1e9);
        row.submitting =
            threads.map_or(row.submitting, |n| Some(row.submitting.unwrap_or(0.0) + n));
        match *name {
            "read" => row.reads = side,
            "write" => row.writes = side,
            "trim" => row.trims = side,
            _ => {}
        }
    }
    let runtime = sides
        .iter()
        .map(|(_, n)| amount(n, "runtime") / 1e3)
        .fold(0.0, f64::max);
    row.seconds = Some(runtime).filter(|s| *s > 0.0);
    let bandwidths = sides.iter().map(|(_, n)| n.get("bw_bytes")?.number());
    let bandwidth = bandwidths.sum::<Option<f64>>().filter(|b| *b > 0.0);
    row.bandwidth = bandwidth.and_then(text::bytes);
    row.all = fio_side::together(&sides);
    if sides.iter().any(|(_, node)| node.get(CARRIED).is_some()) {
        let rate = |node: &Node| amount(node, CARRIED).max(amount(node, "iops"));
        row.carried = text::rate(sides.iter().map(|(_, node)| rate(node)).sum());
    }
    if asked.reads_back && sides.len() > 1 {
        match order(job, asked, &sides) {
            Order::AtOnce => {}
            Order::After(seconds) => {
                row.seconds = Some(seconds);
                let ios = row.all.ios;
                row.all.iops = ios.and_then(|ios| text::rate(ios as f64 / seconds));
                row.bandwidth = None;
            }
            Order::Unknown => (row.all.iops, row.bandwidth) = (None, None),
        }
    }
    if did_nothing(job) {
        row.all.ios = Some(0);
    }
    row.samples = samples(&sides);
    let means = ["iops_mean", "bw_mean"];
    row.is_sampled = sides
        .iter()
        .any(|(_, of)| means.iter().any(|key| amount(of, key) > 0.0));
    row.unattained = unattained(job);
    row.errors += u64::from(amount(job, "error") > 0.0).max(amount(job, "total_err") as u64);
    row.errno = Some(amount(job, "error") as u32).filter(|errno| *errno > 0);
    row.counts_errors = job.get("total_err").is_some();
    row.cpu = cpu(job);
    row.shares = fio_shares::sums(job);
    // fio 2.x takes percentiles and shares of other I/Os where it logs histograms.
    let logs_histograms = job.at(&["job options", "write_hist_log"]).is_some();
    row.histogram = fio_shares::histogram(job, &sides, asked).filter(|_| !logs_histograms);
    row.deepest = fio_pairs::deepest(job);
    row.pairs = fio_pairs::pairs(job, &sides, asked);
    row.syncs = job
        .get("sync")
        .map_or(Latency::default(), |of| fio_side::latency(of, "lat_ns"));
    row
}

/// Order in which directions shared the time of a job that reads back what it wrote.
enum Order {
    /// All the time, as in any mix.
    AtOnce,
    /// One after the other, which took so many seconds: fio's rates of each are then of its own time.
    After(f64),
    /// Neither fits.
    Unknown,
}

/// Running times are told in whole ms, and summed over clones.
fn order(job: &Node, asked: &AskedSettings, sides: &[(&str, &Node)]) -> Order {
    let reported = job.get("job_runtime").and_then(Node::number);
    // Of how many jobs the figures are the sum is not known where reads come that no option asks for: then of one.
    let one = asked.reads_after.then_some(1);
    let (Some(reported), Some(clones)) = (reported, asked.threads.or(one).filter(|n| *n > 0))
    else {
        return Order::Unknown;
    };
    let one_ms = reported / clones as f64;
    let fits = |ms: f64| (ms - one_ms).abs() <= 0.02 * one_ms + 2.0;
    let times = || sides.iter().map(|(_, of)| amount(of, "runtime"));
    let sum: f64 = times().sum();
    match sum > 0.0 {
        true if fits(sum) => Order::After(sum / 1e3),
        true if times().all(fits) => Order::AtOnce,
        _ => Order::Unknown,
    }
}

/// True where the counts of both directions are there, and nothing is in any.
fn did_nothing(job: &Node) -> bool {
    let count = |side: &str| job.at(&[side, "total_ios"]).and_then(Node::number);
    let none = |side: &str| count(side) == Some(0.0);
    none("read") && none("write") && count("trim").unwrap_or(0.0) == 0.0
}

/// The samples of the rate that fio takes each half second, where one direction alone has all I/Os: those of two don't add up.
/// Of merged jobs each has its own.
fn samples(sides: &[(&str, &Node)]) -> Option<Samples> {
    let [(_, side)] = sides else { return None };
    let made = amount(side, "iops") * amount(side, "runtime") / 1e3;
    let ios = amount(side, "total_ios").max(made);
    let number = |key| side.get(key).and_then(Node::number).filter(|n| *n >= 0.0);
    Some(Samples {
        count: number("iops_samples")? as u64,
        min: Some(number("iops_min")?),
        mean: number("iops_mean")?,
        max: number("iops_max"),
        sd: number("iops_stddev")?,
    })
    // A log of each I/O has a sample of each, and says nothing of a rate.
    .filter(|s| s.count > 0 && s.mean > 0.0 && (s.count as f64) < ios)
}

/// Words of fio about a steady state (`steadystate=`) that it waited for and did not find.
fn unattained(job: &Node) -> Option<String> {
    let of = job
        .get(STEADY)
        .filter(|of| of.get("attained").and_then(Node::number) == Some(0.0))?;
    let word = |key: &str| of.get(key).and_then(Node::text);
    Some(match word("ss") {
        Some(asked) => format!("{asked} was asked for, {} came", word("criterion")?),
        None => word("criterion")?.to_string(),
    })
}

/// The CPU time of the job's own threads, each of which can have one CPU.
fn cpu(job: &Node) -> Option<Cpu> {
    let share = |key| {
        job.get(key)
            .and_then(Node::number)
            .filter(|n| (0.0..=200.0).contains(n))
    };
    let (user, system) = (share("usr_cpu")?, share("sys_cpu")?);
    Some(Cpu {
        of: CpuOf::Generator,
        busy: (user + system) / 100.0,
        system: Some(system / 100.0),
    })
}
