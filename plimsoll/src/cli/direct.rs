//! The workload in flags, for targets that are named on the command line.

use super::offered::{Offered, words};
use clap::{Args, ValueHint};
use plimsoll_dialects::native::{DirectFlags, Method};

/// The points of a curve, and what is asked of it.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Curve")]
pub struct PointsArgs {
    /// Points of the curve, percent of the maximum [default: 10,50,70,80,90,100]
    #[arg(long, value_name = "LIST")]
    pub percents: Option<String>,
    /// Response-time limit to state the capacity at: p99=2ms, mean=1ms; repeatable [default: p99 at 0.5, 1, 2, 5, 10 ms]
    #[arg(long, value_name = "LIMIT")]
    pub slo: Vec<String>,
}

/// The heading of what is said of trees.
const TREE: &str = "Directories and files";

/// The workload in flags, for targets given on the command line.
#[derive(Debug, Args, Clone, Default)]
#[command(
    next_help_heading = "Workload (of a target on the command line; in a .toml, of its runs and targets)"
)]
pub struct DirectArgs {
    /// Take the depth, the block, and where a hit set lies, from what `plimsoll fingerprint TARGET --save FILE` found; flags go before it. Of a
    /// persona (`plimsoll lab fit RESULT`) the depth; `run` and `curve` then show each step beside that array, but not with --json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub like: Option<String>,
    /// Change a key of a definition (.toml) by its path: workload.oltp.block=8k, run.for=2s for all runs; repeatable
    #[arg(long, value_name = "PATH=VALUE", help_heading = "Definition")]
    pub set: Vec<String>,
    /// Percent of reads; the rest are writes [default: 100]
    #[arg(long, value_name = "PERCENT")]
    pub read: Option<String>,
    /// Percent of trims, taken from the writes [default: 0]
    #[arg(long, value_name = "PERCENT")]
    pub trim: Option<String>,
    /// The target is a directory, with a tree of directories and files below it: depth=2,width=10,files=20
    #[arg(long, value_name = "NUMBERS", help_heading = TREE)]
    pub tree: Option<String>,
    /// Size of its files: 8k, 4k-64k, 4k=50,64k=50 [default: 4k]
    #[arg(long, value_name = "SIZE", help_heading = TREE)]
    pub file_size: Option<String>,
    /// Percent of each operation, in the place of --read: create=20,stat=60,read=20, or a ready-made mix: mail, web, fileserver, mdtest
    #[arg(long, value_name = "SPEC", value_parser = words("operations"), hide_possible_values = true, help_heading = TREE)]
    pub operations: Option<String>,
    /// Which file or directory is next: random, sequential [default: random]
    #[arg(long, value_name = "ORDER", value_parser = words("select"), hide_possible_values = true, help_heading = TREE)]
    pub select: Option<String>,
    /// Transfers on a file until the next one is taken: 100, 50% [default: as many as it has blocks]
    #[arg(long, value_name = "N", help_heading = TREE)]
    pub per_file: Option<String>,
    /// The directory of the tree that files are copied and moved into
    #[arg(long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, help_heading = TREE)]
    pub to: Option<String>,
    /// Transfer size: 8k, 4k-64k, 4k=50,64k=50 [default: 4k]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Order of addresses: random, coverage, sequential, sequential=once, streams=4 [default: random]
    #[arg(long, value_name = "ORDER", value_parser = words("access"), hide_possible_values = true)]
    pub access: Option<String>,
    /// Where random addresses fall: uniform, zipf=1.1, pareto=0.2, normal=10 [default: uniform]
    #[arg(long, value_name = "NAME", value_parser = words("distribution"), hide_possible_values = true)]
    pub distribution: Option<String>,
    /// The part of the target that is used: 10%-20%, 1g-5g
    #[arg(long, value_name = "FROM-TO")]
    pub range: Option<String>,
    /// A share of accesses to a small area: read=75,area=1m
    #[arg(long, value_name = "SPEC")]
    pub hits: Option<String>,
    /// What is written: unique, zeros, compress=2 [default: unique]
    #[arg(long, value_name = "KIND", value_parser = words("content"), hide_possible_values = true)]
    pub content: Option<String>,
    /// Size of a read, where reads have another: 8k, 4k-64k [default: that of --block]
    #[arg(long, value_name = "SIZE")]
    pub read_block: Option<String>,
    /// Size of a write, where writes have another [default: that of --block]
    #[arg(long, value_name = "SIZE")]
    pub write_block: Option<String>,
    /// Size of a trim, where trims have another [default: that of --block]
    #[arg(long, value_name = "SIZE")]
    pub trim_block: Option<String>,
    /// In a closed loop: how long a slot pauses after an I/O, as a user who thinks: 5ms [default: none]
    #[arg(long, value_name = "TIME", value_parser = words("think"), hide_possible_values = true)]
    pub think: Option<String>,
    /// A slot thinks after so many I/Os [default: 1]
    #[arg(long, value_name = "N")]
    pub think_every: Option<String>,
    /// How think times vary: even, uniform, exponential [default: even]
    #[arg(long, value_name = "KIND", value_parser = words("think_distribution"), hide_possible_values = true)]
    pub think_distribution: Option<String>,
    /// In a closed loop: the most I/Os per second: 5000, 10k [default: none]
    #[arg(long, value_name = "RATE", value_parser = words("max_rate"), hide_possible_values = true)]
    pub max_rate: Option<String>,
    /// In a closed loop: the most bytes per second: 100m [default: none]
    #[arg(long, value_name = "SIZE", value_parser = words("max_bandwidth"), hide_possible_values = true)]
    pub max_bandwidth: Option<String>,
    /// I/Os per second: 5000, 10k, or max (closed loop) [default: max]
    #[arg(long, value_name = "RATE", value_parser = Offered(vec!["max"]), hide_possible_values = true)]
    pub rate: Option<String>,
    /// Gaps between I/Os of a rate: exponential, uniform, even [default: exponential]
    #[arg(long, value_name = "KIND", value_parser = words("arrival"), hide_possible_values = true)]
    pub arrival: Option<String>,
    /// How long to measure: 500ms, 30s, 5m, 1h [default: 30s]
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<String>,
    /// How long to run first without counting [default: 5s]
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<String>,
    /// Length of an interval [default: 1s]
    #[arg(long, value_name = "TIME")]
    pub interval: Option<String>,
    /// Threads that submit [default: one per CPU; at a rate one for each 500,000/s]
    #[arg(long, value_name = "N")]
    pub workers: Option<String>,
    /// I/Os in flight on each target, all workers together [default: 32]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// CPUs to pin workers to: 0,2,4
    #[arg(long, value_name = "LIST")]
    pub pin: Option<String>,
    /// How to wait for due I/Os: thrifty (a few percent of a CPU), punctual (up to all of one) [default: thrifty]
    #[arg(long, value_name = "HOW", value_parser = words("waiting"), hide_possible_values = true)]
    pub waiting: Option<String>,
    /// Around the page cache or through it: direct, buffered [default: direct]
    #[arg(long, value_name = "KIND", value_parser = words("caching"), hide_possible_values = true)]
    pub caching: Option<String>,
    /// When a write counts as done: none, dsync, sync, fsync_every=8, fdatasync_every=1, fsync_at_end [default: none]
    #[arg(long, value_name = "KIND", value_parser = words("durability"), hide_possible_values = true)]
    pub durability: Option<String>,
    /// How much of each target is used [default: all]; a missing file is made of this size and filled
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Where the array below the targets tells of itself: http://HOST:PORT/metrics of `plimsoll lab serve --http`, or of any array that --metrics-map describes
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub metrics: Option<String>,
    /// What that array calls its counters: a file as docs/array-metrics.md has it [default: the lab's names]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub metrics_map: Option<String>,
}

impl DirectArgs {
    /// Every flag that is a key of the language, with what was typed behind it.
    fn keys(&self) -> [(&'static str, &Option<String>); 36] {
        [
            ("--read", &self.read),
            ("--trim", &self.trim),
            ("--tree", &self.tree),
            ("--file-size", &self.file_size),
            ("--operations", &self.operations),
            ("--select", &self.select),
            ("--per-file", &self.per_file),
            ("--to", &self.to),
            ("--block", &self.block),
            ("--access", &self.access),
            ("--distribution", &self.distribution),
            ("--range", &self.range),
            ("--hits", &self.hits),
            ("--content", &self.content),
            ("--read-block", &self.read_block),
            ("--write-block", &self.write_block),
            ("--trim-block", &self.trim_block),
            ("--think", &self.think),
            ("--think-every", &self.think_every),
            ("--think-distribution", &self.think_distribution),
            ("--max-rate", &self.max_rate),
            ("--max-bandwidth", &self.max_bandwidth),
            ("--rate", &self.rate),
            ("--arrival", &self.arrival),
            ("--for", &self.duration),
            ("--warmup", &self.warmup),
            ("--interval", &self.interval),
            ("--workers", &self.workers),
            ("--depth", &self.depth),
            ("--pin", &self.pin),
            ("--waiting", &self.waiting),
            ("--caching", &self.caching),
            ("--durability", &self.durability),
            ("--size", &self.size),
            ("--metrics", &self.metrics),
            ("--metrics-map", &self.metrics_map),
        ]
    }

    /// The flags as the dialect takes them.
    pub fn flags(&self, targets: &[String], method: Method, points: &PointsArgs) -> DirectFlags {
        let mut typed = Vec::new();
        for (flag, value) in self
            .keys()
            .into_iter()
            .chain([("--percents", &points.percents)])
        {
            typed.extend(value.clone().map(|value| (flag, value)));
        }
        typed.extend(points.slo.iter().map(|slo| ("--slo", slo.clone())));
        DirectFlags {
            targets: targets.to_vec(),
            method,
            typed,
            ..DirectFlags::default()
        }
    }

    /// The first flag that was given, for saying that it doesn't go with a definition.
    pub fn first_given(&self) -> Option<&'static str> {
        let set = (!self.set.is_empty()).then_some("--set");
        let like = [("--like", &self.like)];
        let mut flags = self.keys().into_iter().chain(like);
        set.or_else(|| Some(flags.find(|(_, value)| value.is_some())?.0))
    }
}
