//! What a command line or a profile says, as types. What was left out has DiskSPD's default.

use plimsoll_diagnostic::Span;
use plimsoll_plan::Origins;

/// All of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Profile {
    /// Tests, one after the other.
    pub spans: Vec<TimeSpan>,
    /// `-R`: how results are printed.
    pub format: Format,
    /// `-Rp`: print the profile and run nothing.
    pub profile_only: bool,
    /// `-v`.
    pub verbose: bool,
    /// `-vs`.
    pub verbose_stats: bool,
    /// `-P`: a dot after so many I/Os.
    pub progress: u32,
    /// `PrecreateFiles`, as written.
    pub precreate: Option<String>,
    /// Where its fields were written.
    pub origins: Origins,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// `-Rtext`.
    #[default]
    Text,
    /// `-Rxml`.
    Xml,
}

/// One test.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeSpan {
    /// `-d`, s.
    pub duration_s: u32,
    /// `-W`, s.
    pub warmup_s: u32,
    /// `-C`, s.
    pub cooldown_s: u32,
    /// `-z`.
    pub seed: Seed,
    /// `-Zr`.
    pub random_write_data: bool,
    /// `-F`; 0: each target has its own threads.
    pub thread_count: u32,
    /// `-O`; 0: each target has its own depth.
    pub request_count: u32,
    /// `-a`: processor groups and CPUs.
    pub affinity: Vec<(u32, u32)>,
    /// `-n`.
    pub disable_affinity: bool,
    /// `-x`.
    pub completion_routines: bool,
    /// `-L`.
    pub measure_latency: bool,
    /// `-D` was given.
    pub iops_std_dev: bool,
    /// `-D`, ms.
    pub bucket_ms: u32,
    /// What is tested.
    pub targets: Vec<Target>,
    /// Where its fields were written.
    pub origins: Origins,
}

/// The seed of random choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// This one.
    Number(u32),
    /// `-z` alone: another one each time.
    Clock,
}

/// A path with what is done there.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Where.
    pub path: String,
    /// `-b`, bytes.
    pub block: u32,
    /// `-r` and `-s`: alignment or stride, bytes; `None` and 0: the block.
    pub align: Option<u64>,
    /// Percent of I/Os at random places: 0 in order, 100 all.
    pub random_percent: u32,
    /// `-si`.
    pub interlocked: bool,
    /// `-B`, bytes.
    pub base: u64,
    /// `-f`, bytes; 0: to the end.
    pub max: u64,
    /// `-c`, bytes.
    pub file_size: Option<u64>,
    /// `-fr`, `-fs`, `-ft`: hints.
    pub hints: [bool; 3],
    /// `-l`.
    pub large_pages: bool,
    /// `-o`.
    pub requests: u32,
    /// `-S`: how it is cached.
    pub cache: Cache,
    /// `-Sw`.
    pub write_through: bool,
    /// `-Ss` of the Linux port: O_SYNC.
    pub sync: bool,
    /// `-Sm`.
    pub mapped: bool,
    /// `-N`, as written.
    pub flush: Option<String>,
    /// `-Z`.
    pub zero: bool,
    /// `-Z<size>`.
    pub source: Option<Source>,
    /// A profile's `random` without a size of its source.
    pub random_unsized: bool,
    /// `-i`.
    pub burst: u32,
    /// `-j`, ms.
    pub think_ms: u32,
    /// `-g`.
    pub throughput: Option<Throughput>,
    /// `-t`.
    pub threads: u32,
    /// `-w`, percent.
    pub write_percent: u32,
    /// `-p`.
    pub parallel: bool,
    /// `-T`, bytes.
    pub thread_stride: u64,
    /// `-I`: 1 very low, 2 low, 3 normal.
    pub priority: u32,
    /// A profile's `Weight`.
    pub weight: u32,
    /// A profile's `ThreadTargets`: thread and weight.
    pub thread_targets: Vec<(u32, Option<u32>)>,
    /// `-rd`.
    pub distribution: Option<Distribution>,
    /// Where its fields were written.
    pub origins: Origins,
}

/// What lies between the program and the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cache {
    /// `-Sb`, and where nothing is said.
    #[default]
    Cached,
    /// `-Su`, and `-Sd` of the Linux port.
    DisableOs,
    /// `-Sr`.
    DisableLocal,
}

/// What is written is cut from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Bytes.
    pub size: u64,
    /// A file that it is filled with; else chance.
    pub file: Option<String>,
}

/// The most that a thread does on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Throughput {
    /// I/Os per second.
    Iops(u32),
    /// Bytes per millisecond.
    BytesPerMs(u32),
}

/// Where random I/Os go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    /// Ranges are bytes; else percent of the target.
    pub absolute: bool,
    /// Percent of I/Os, and the range's length; a length of 0 is the rest of the target.
    pub ranges: Vec<(u32, u64)>,
}

impl Distribution {
    /// With the last range that DiskSPD adds for what is left of the I/Os.
    pub fn new(absolute: bool, mut ranges: Vec<(u32, u64)>) -> Self {
        let ios: u64 = ranges.iter().map(|(io, _)| u64::from(*io)).sum();
        let reach = ranges.iter().fold(0u64, |n, (_, r)| n.saturating_add(*r));
        if let Some(rest) = 100u64.checked_sub(ios).filter(|rest| *rest > 0) {
            let length = match absolute {
                true => 0,
                false => 100u64.saturating_sub(reach),
            };
            ranges.push((rest as u32, length));
        }
        Distribution { absolute, ranges }
    }
}

impl Default for TimeSpan {
    fn default() -> Self {
        TimeSpan {
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            seed: Seed::Number(0),
            random_write_data: false,
            thread_count: 0,
            request_count: 0,
            affinity: Vec::new(),
            disable_affinity: false,
            completion_routines: false,
            measure_latency: false,
            iops_std_dev: false,
            bucket_ms: 1000,
            targets: Vec::new(),
            origins: Origins::default(),
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Target {
            path: String::new(),
            block: 64 * 1024,
            align: None,
            random_percent: 0,
            interlocked: false,
            base: 0,
            max: 0,
            file_size: None,
            hints: [false; 3],
            large_pages: false,
            requests: 2,
            cache: Cache::Cached,
            write_through: false,
            sync: false,
            mapped: false,
            flush: None,
            zero: false,
            source: None,
            random_unsized: false,
            burst: 0,
            think_ms: 0,
            throughput: None,
            threads: 1,
            write_percent: 0,
            parallel: false,
            thread_stride: 0,
            priority: 3,
            weight: 1,
            thread_targets: Vec::new(),
            distribution: None,
            origins: Origins::default(),
        }
    }
}

impl Target {
    /// What its addresses are multiples of, or how far apart they are: the block where nothing else was said.
    pub fn alignment(&self) -> u64 {
        self.align
            .filter(|a| *a > 0)
            .unwrap_or(u64::from(self.block))
    }

    /// Where a field was written, else its path.
    pub fn at(&self, field: &str) -> Option<Span> {
        self.origins.of(field).or_else(|| self.origins.of("path"))
    }
}

impl TimeSpan {
    /// How many threads work on a target.
    pub fn threads_of(&self, target: &Target) -> u32 {
        match self.thread_count {
            0 => target.threads,
            all => all,
        }
    }

    /// All threads.
    pub fn threads(&self) -> u64 {
        match self.thread_count {
            0 => self.targets.iter().map(|t| u64::from(t.threads)).sum(),
            all => u64::from(all),
        }
    }

    /// Whether threads have their outstanding I/Os for all targets together (`-F` with `-O`).
    pub fn is_pool(&self) -> bool {
        self.thread_count > 0 && self.request_count > 0
    }
}
