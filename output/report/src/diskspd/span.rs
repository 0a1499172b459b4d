//! What is kept of a time span while it runs.

use plimsoll_evidence::witnessed::CpuUse;
use plimsoll_evidence::{Environment, Interval, OpSummary, StepEvidence};
use plimsoll_measure::{Histogram, Op, StreamStats};

/// Options of a time span, as far as its result shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpanOptions {
    /// All threads.
    pub threads: u64,
    /// Of each target its streams, and the threads that work on it.
    pub targets: Vec<(u64, u64)>,
    /// `-O`.
    pub request_count: u32,
    /// The threads are for all targets together (`-F`).
    pub pool: bool,
    /// `-L`.
    pub latency: bool,
    /// `-D`.
    pub iops_std_dev: bool,
}

/// One side of a stream, or of all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Side {
    pub ios: u64,
    pub bytes: u64,
    pub latency: Histogram,
    /// By counted interval.
    pub buckets: Vec<Bucket>,
}

/// One side in one interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Bucket {
    pub seconds: f64,
    pub ios: u64,
    pub latency: Histogram,
}

impl Bucket {
    pub fn iops(&self) -> f64 {
        match self.seconds > 0.0 {
            true => self.ios as f64 / self.seconds,
            false => 0.0,
        }
    }
}

impl Side {
    /// Adds what another did in the same time.
    pub fn merge(&mut self, other: &Side) {
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.latency.merge(&other.latency);
        for (at, theirs) in other.buckets.iter().enumerate() {
            match self.buckets.get_mut(at) {
                Some(mine) => {
                    mine.ios = mine.ios.saturating_add(theirs.ios);
                    mine.latency.merge(&theirs.latency);
                }
                None => self.buckets.push(theirs.clone()),
            }
        }
    }

    /// An equal part of it, of so many; the first have what does not divide.
    fn part(&self, number: u64, of: u64) -> Side {
        let share = |all: u64| all / of + u64::from(number < all % of);
        let bucket = |bucket: &Bucket| Bucket {
            ios: share(bucket.ios),
            ..bucket.clone()
        };
        Side {
            ios: share(self.ios),
            bytes: match self.bytes.checked_rem(self.ios) {
                Some(0) => self.bytes / self.ios * share(self.ios),
                _ => share(self.bytes),
            },
            latency: self.latency.clone(),
            buckets: self.buckets.iter().map(bucket).collect(),
        }
    }

    /// The standard deviation of IOPS over the intervals, of a population.
    pub fn iops_std_dev(&self) -> f64 {
        let rates: Vec<f64> = self.buckets.iter().map(Bucket::iops).collect();
        if rates.is_empty() {
            return 0.0;
        }
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        (rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n).sqrt()
    }
}

/// A line of the tables: a stream on its target.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub path: String,
    pub file_size: u64,
    pub read: Side,
    pub write: Side,
}

impl Row {
    pub fn total(&self) -> Side {
        let mut total = self.read.clone();
        total.merge(&self.write);
        total
    }

    /// An equal part of it, of so many.
    fn part(&self, number: u64, of: u64) -> Row {
        Row {
            read: self.read.part(number, of),
            write: self.write.part(number, of),
            ..self.clone()
        }
    }

    /// The streams of one thread on its target, together.
    fn of_streams(streams: &[Row]) -> Row {
        let mut all = streams[0].clone();
        for row in &streams[1..] {
            all.read.merge(&row.read);
            all.write.merge(&row.write);
        }
        all
    }
}

/// Shares of all CPUs' time, percent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CpuShares {
    pub user: f64,
    pub kernel: f64,
}

impl CpuShares {
    /// Shares of one CPU.
    fn of(cpu: &CpuUse) -> Self {
        let share = |seconds: f64| seconds / cpu.all_s.max(f64::MIN_POSITIVE) * 100.0;
        CpuShares {
            user: share(cpu.busy_s - cpu.system_s),
            kernel: share(cpu.system_s),
        }
    }

    pub fn usage(&self) -> f64 {
        self.user + self.kernel
    }

    /// Idle share, %: what is left; waiting for I/O, and time that a hypervisor took, count as idle.
    pub fn idle(&self) -> f64 {
        (100.0 - self.usage()).max(0.0)
    }
}

/// One time span as it was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Span {
    pub(super) options: SpanOptions,
    /// Measured time, s; 0 where it was interrupted before that.
    pub(super) seconds: f64,
    pub(super) rows: Vec<Row>,
    /// `None` where CPUs cannot be observed.
    pub(super) cpu: Option<CpuShares>,
    /// Each CPU, where they are told apart.
    pub(super) cpus: Vec<CpuShares>,
}

impl Span {
    /// The lines with the thread of each: what all threads of a target did in equal parts, for who of them drew it is not kept. A pool's
    /// threads do all targets. A thread's I/Os that go their own ways (`-p`) are streams of one line.
    pub(super) fn by_thread(&self) -> Vec<(u64, Row)> {
        let mut lines = Vec::new();
        let (mut rows, mut first) = (self.rows.as_slice(), 0);
        for &(streams, threads) in &self.options.targets {
            let (own, others) = rows.split_at(rows.len().min(streams as usize));
            rows = others;
            for thread in 0..threads {
                let number = if self.options.pool { 0 } else { first } + thread;
                let row = match own {
                    [all] => Some(all.part(thread, threads)),
                    each => {
                        let mine = each.chunks((streams / threads).max(1) as usize);
                        mine.skip(thread as usize).map(Row::of_streams).next()
                    }
                };
                lines.extend(row.map(|row| (number, row)));
            }
            first += threads;
        }
        lines.sort_by_key(|(number, _)| *number);
        lines
    }

    /// The sum of one side of all lines.
    pub(super) fn sum(&self, side: impl Fn(&Row) -> Side) -> Side {
        let mut sum = Side::default();
        for row in &self.rows {
            sum.merge(&side(row));
        }
        sum
    }
}

/// Collects time spans from what a run tells as it goes.
#[derive(Debug, Default)]
pub struct Collector {
    options: Vec<SpanOptions>,
    /// Counted intervals of the step that runs: length in s, and its streams.
    intervals: Vec<(f64, Vec<StreamStats>)>,
    /// User and kernel share of CPU time, each times seconds; and the seconds.
    cpu: (f64, f64, f64),
    targets: Vec<(String, u64)>,
    spans: Vec<Span>,
}

impl Collector {
    /// Spans that were asked for so.
    pub fn new(options: Vec<SpanOptions>) -> Self {
        Collector {
            options,
            ..Collector::default()
        }
    }

    /// Takes the environment that was found where the run is about to begin.
    pub fn ready(&mut self, environment: &Environment) {
        let targets = environment.targets.iter();
        self.targets = targets.map(|t| (t.name.clone(), t.size_bytes)).collect();
    }

    /// An interval.
    pub fn interval(&mut self, interval: &Interval) {
        if !interval.counts() {
            return;
        }
        let seconds = interval.length_ns as f64 / 1e9;
        if let Some(cpu) = &interval.cpu {
            self.cpu.0 += cpu.user * seconds;
            self.cpu.1 += cpu.system * seconds;
            self.cpu.2 += seconds;
        }
        self.intervals
            .push((seconds, interval.stats.streams.clone()));
    }

    /// A step that has ended; a fill is in no result.
    pub fn done(&mut self, step: &StepEvidence) {
        let intervals = std::mem::take(&mut self.intervals);
        let (user, kernel, seconds) = std::mem::take(&mut self.cpu);
        if step.fill {
            return;
        }
        let options = self.options.get(self.spans.len()).cloned();
        let row = |(at, summary): (usize, &plimsoll_evidence::StreamSummary)| {
            let target = self.targets.get(summary.target as usize).cloned();
            let (path, file_size) = target.unwrap_or_default();
            let side = |op| side(&summary.ops, op, at, &intervals);
            Row {
                path,
                file_size,
                read: side(Op::Read),
                write: side(Op::Write),
            }
        };
        self.spans.push(Span {
            options: options.unwrap_or_default(),
            seconds: step.counted_s,
            rows: step.streams.iter().enumerate().map(row).collect(),
            cpu: (seconds > 0.0).then(|| CpuShares {
                user: user / seconds * 100.0,
                kernel: kernel / seconds * 100.0,
            }),
            cpus: step
                .witnessed
                .iter()
                .flat_map(|seen| &seen.cpus)
                .map(CpuShares::of)
                .collect(),
        });
    }

    /// The time spans so far, in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

fn side(ops: &[OpSummary], op: Op, at: usize, intervals: &[(f64, Vec<StreamStats>)]) -> Side {
    let summary = ops.iter().find(|o| o.op == op);
    let bucket = |(seconds, streams): &(f64, Vec<StreamStats>)| {
        let stats = streams.get(at).map(|s| &s.ops[op as usize]);
        Bucket {
            seconds: *seconds,
            ios: stats.map_or(0, |s| s.ios),
            latency: stats.map(|s| s.service.clone()).unwrap_or_default(),
        }
    };
    Side {
        ios: summary.map_or(0, |s| s.ios),
        bytes: summary.map_or(0, |s| s.bytes),
        latency: summary.map(|s| s.service.clone()).unwrap_or_default(),
        // A side that does nothing has no series.
        buckets: match summary {
            Some(_) => intervals.iter().map(bucket).collect(),
            None => Vec::new(),
        },
    }
}

/// A target of one stream and three threads, one of one thread with two streams (`-p`), and one of two threads by themselves.
#[test]
fn each_target_has_its_own_threads() {
    let row = |path: &str, ios| Row {
        path: path.into(),
        read: Side {
            ios,
            ..Side::default()
        },
        ..Row::default()
    };
    let span = Span {
        options: SpanOptions {
            threads: 6,
            targets: vec![(1, 3), (2, 1), (2, 2)],
            ..SpanOptions::default()
        },
        rows: vec![
            row("a", 7),
            row("b", 10),
            row("b", 5),
            row("c", 4),
            row("c", 6),
        ],
        ..Span::default()
    };
    let lines = span.by_thread();
    let shown: Vec<_> = lines
        .iter()
        .map(|(number, row)| (*number, row.path.as_str(), row.read.ios))
        .collect();
    assert_eq!(
        shown,
        [
            (0, "a", 3),
            (1, "a", 2),
            (2, "a", 2),
            (3, "b", 15),
            (4, "c", 4),
            (5, "c", 6)
        ]
    );
}
