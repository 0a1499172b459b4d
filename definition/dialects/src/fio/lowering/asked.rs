//! A job part by part, as far as its text says it.

use super::files::{self, Extent};
use super::pattern::Access;
use super::{Complaints, content, durability, ends, pattern, rates, sizes, stream};
use crate::asked::{AskedRun, AskedStream};
use crate::fio::Job;
use crate::fio::engine::{self, Engine};
use plimsoll_plan::{
    Arrival, Bytes, Caching, ContentSpec, Load, Mix, Nanos, Pattern, SizeSpec, Think,
};
use std::collections::BTreeSet;

/// More in flight than this nobody asks for.
const MOST: i64 = 1_000_000;

/// A job without what cannot be read of it. All its clones are one stream; `in_flight` and rates are of one of them.
pub(in crate::fio) fn asked(job: &Job, unread: &BTreeSet<&'static str>) -> AskedRun {
    let mut found = Complaints::default();
    let part = Part { job, unread };
    let times = part
        .says(&["runtime", "ramp_time", "startdelay"])
        .and_then(|()| ends::times(job, &mut found).ok());
    AskedRun {
        name: job.name.clone(),
        streams: vec![part.stream(&mut found)],
        load: Some(Load::Max),
        warmup: times.map(|t| t.ramp),
        elapsed: times.and_then(|t| t.run),
        ..AskedRun::default()
    }
}

struct Part<'j> {
    job: &'j Job,
    unread: &'j BTreeSet<&'static str>,
}

impl Part<'_> {
    /// Whether all these options can be read, or were not given.
    fn says(&self, options: &[&str]) -> Option<()> {
        options
            .iter()
            .all(|o| !self.unread.contains(o))
            .then_some(())
    }

    fn stream(&self, found: &mut Complaints) -> AskedStream {
        let job = self.job;
        let access = self
            .says(&["rw", "rwmixread", "rwmixwrite"])
            .and_then(|()| pattern::access(job).ok());
        let size = self
            .says(&["bs", "bsrange", "bssplit", "kb_base"])
            .and_then(|()| sizes::sizes(job).ok());
        let engine = self
            .says(&["ioengine"])
            .map(|()| job.text("ioengine").unwrap_or("psync").to_string());
        let known = engine.as_ref().and_then(|_| engine::of(job).ok());
        let synchronous = known.map(|e| stream::is_one_by_one(job, e));
        let depth = self.depth();
        let mut stream = AskedStream {
            place: Some(place(job)),
            bytes: self.bytes(),
            caching: self.caching(known, found),
            durability: known.and_then(|e| durability::of(job, e).ok()),
            mix: known
                .and_then(Engine::on_names)
                .map(Mix::only)
                .or(access.map(|a| a.mix)),
            pattern: access.map(order),
            threads: self.clones(),
            depth,
            // By threads of its own (offload) a synchronous engine has many in flight, too.
            in_flight: synchronous
                .filter(|_| job.text("io_submit_mode") != Some("offload"))
                .and_then(|one| if one { Some(1) } else { depth }),
            walks_together: self.walks_together(access),
            arrival: rates::arrival(job),
            think: self.think(),
            held_back: self.held_back(),
            searches_depth: job.get("latency_target").is_some(),
            engine,
            synchronous,
            ..AskedStream::default()
        };
        if let (Some(size), Some(())) = (&size, self.says(&["rate", "rate_iops"])) {
            stream.rates = rates::rates(job, size).ok().filter(|_| has_one_size(size));
        }
        self.content(&mut stream, size.as_ref(), found);
        stream.size = size;
        stream
    }

    /// fio's default is 1.
    fn depth(&self) -> Option<u64> {
        self.says(&["iodepth"])?;
        let depth = self.job.number("iodepth").unwrap_or(1);
        (1..=MOST).contains(&depth).then(|| depth.unsigned_abs())
    }

    fn clones(&self) -> Option<u64> {
        self.says(&["numjobs"])?;
        let clones = self.job.number("numjobs").unwrap_or(1);
        (1..=MOST).contains(&clones).then(|| clones.unsigned_abs())
    }

    fn think(&self) -> Option<Think> {
        let micros = self.job.number("thinktime").filter(|us| *us > 0)?;
        let every = self.job.number("thinktime_blocks").unwrap_or(1);
        Some(Think::new(
            Nanos(micros.unsigned_abs().saturating_mul(1000)),
            u32::try_from(every).unwrap_or(1).max(1),
            Arrival::Even,
        ))
    }

    /// By something that is no rate: also by what it may be, where that cannot be read.
    fn held_back(&self) -> bool {
        const HOLD: [&str; 11] = [
            "thinktime",
            "flow",
            "fsync",
            "fdatasync",
            "sync_file_range",
            "iodepth_low",
            "iodepth_batch",
            "iodepth_batch_complete_min",
            "serialize_overlap",
            "verify",
            "max_latency",
        ];
        let given = |option: &str| {
            let given = self.job.get(option).is_some_and(|a| !a.is_off());
            // A batch of one is none.
            let one = option.contains("batch") && self.job.number(option) == Some(1);
            given && !one || self.unread.contains(option)
        };
        HOLD.iter().any(|o| given(o))
    }

    fn caching(&self, engine: Option<Engine>, found: &mut Complaints) -> Option<Caching> {
        self.says(&["direct", "buffered"])?;
        match engine {
            Some(engine) => Some(stream::caching(self.job, engine, found)),
            // Whether an engine that is not known here has a page cache in its way is not known either.
            None => self.job.is_on("direct").then_some(Caching::Direct),
        }
    }

    /// All bytes that the job's clones use together, where the text has them in bytes.
    fn bytes(&self) -> Option<Bytes> {
        self.says(&["size", "filesize", "filename", "nrfiles"])?;
        let job = self.job;
        let named = job.filenames.iter();
        let named: usize = named
            .map(|a| super::names::split_names(&a.assigned.text).len())
            .sum();
        let bytes = match (job.get("filesize"), files::extent(job, "size").ok()?) {
            (Some(assigned), _) => {
                let each = files::file_size(job, assigned).ok()?;
                let own = u64::try_from(job.number("nrfiles").unwrap_or(1)).ok()?;
                each.saturating_mul(if named > 0 { named as u64 } else { own })
            }
            (None, Extent::Bytes(bytes)) => bytes,
            (None, Extent::All | Extent::Percent(_)) => return None,
        };
        // Without a name each clone has files of its own; with one they may be spread over it.
        let apart = named == 0 || job.get("offset_increment").is_some();
        let times = if apart { self.clones()? } else { 1 };
        Some(Bytes(bytes.saturating_mul(times)))
    }

    fn walks_together(&self, access: Option<Access>) -> bool {
        let job = self.job;
        let spread = ["offset_increment", "filename_format"];
        access.is_some_and(|a| !a.random)
            && self.clones().is_some_and(|n| n > 1)
            && !job.filenames.is_empty()
            && spread.iter().all(|o| job.get(o).is_none())
    }

    /// What is written, where an option says it. Flags without a value are not repeated in results: that one is absent says nothing.
    fn content(&self, stream: &mut AskedStream, size: Option<&SizeSpec>, found: &mut Complaints) {
        const SAID: [&str; 4] = [
            "zero_buffers",
            "buffer_pattern",
            "buffer_compress_percentage",
            "dedupe_percentage",
        ];
        let job = self.job;
        let is_set = |o: &str| job.get(o).is_some_and(|a| !a.is_off());
        if self.says(&SAID).is_none() {
            return;
        }
        if SAID.iter().any(|o| is_set(o)) {
            stream.content = size.and_then(|size| content::content(job, size, found).ok());
            return;
        }
        if let Some(refills) = job.switch("refill_buffers") {
            stream.content = Some(ContentSpec::Unique);
            stream.reuses = !refills;
        }
    }
}

fn order(access: Access) -> Pattern {
    match access.random {
        true => Pattern::RANDOM,
        false if access.is_mixed() => Pattern::SequentialEach,
        false => Pattern::IN_ORDER,
    }
}

/// What a job's files are called: without a name they are its own.
fn place(job: &Job) -> String {
    let named: Vec<&str> = job
        .filenames
        .iter()
        .map(|a| a.assigned.text.as_str())
        .collect();
    let folder = job.text("directory").unwrap_or_default();
    match (job.text("uri"), named.is_empty()) {
        (Some(uri), _) => uri.to_string(),
        (None, false) => format!("{folder}:{}", named.join(":")),
        (None, true) => format!("{folder}:{}.*", job.name),
    }
}

/// True where the I/Os of each operation have one size. fio counts those of several sizes as bytes, against `rate_iops` by the smallest size,
/// and shortens some.
fn has_one_size(size: &SizeSpec) -> bool {
    let is_one = |mix: &Mix| size.occurring(mix).iter().all(|s| s.min() == s.max());
    [Mix::READS, Mix::WRITES, Mix::TRIMS].iter().all(is_one)
}
