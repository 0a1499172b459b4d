//! The tricks of the trade, each with what it does to a measurement and the rules that have to name it.

use super::play::{Measures, Play, Subject};
use plimsoll_plan::{Bytes, Caching, ContentSpec, Depth, HitPlacement, HitSpec, Mix, Nanos};

/// One trick.
pub(super) struct Trick {
    pub name: &'static str,
    /// Sentence on what the trick does, and why it helps.
    pub what: &'static str,
    pub measures: Measures,
    /// True where the trick writes or trims.
    pub writes: bool,
    /// Rules of which at least one has to find it.
    pub named_by: &'static [&'static str],
    /// Reason why the trick cannot be played on this target; `None` where it can.
    pub not_here: fn(&Subject) -> Option<&'static str>,
    pub play: fn(&mut Play),
}

/// Area that fits into every cache there is; of an array whose caches are scaled, as much less.
const AREA: Bytes = Bytes(16 << 20);
/// One slice of an array that deals slices of so much to its cores.
const SLICE: Bytes = Bytes(1 << 20);
/// More I/Os in flight than any storage works on at once.
const DEEP: u32 = 2048;
/// Number of times that the same is measured.
const REPEATS: u32 = 5;

/// Measures reads, writes nothing, and can be played anywhere.
const PLAIN: Trick = Trick {
    name: "",
    what: "",
    measures: Measures::Reads,
    writes: false,
    named_by: &[],
    not_here: |_| None,
    play: |_| (),
};

/// In the order in which they are played.
pub(super) static TRICKS: &[Trick] = &[
    Trick {
        name: "tiny working set",
        what: "read a few MiB of the target over and over: a cache has them all after the first pass",
        named_by: &["small-working-set", "cache-answered"],
        play: |p| {
            p.use_area(AREA);
            p.step.warmup = Nanos::secs(5);
        },
        ..PLAIN
    },
    Trick {
        name: "one hot slice",
        what: "send nine of ten reads to one MiB: it stays in a cache, and the range still looks large",
        named_by: &["hot-slice", "tiny-hot-set", "hot-core", "hot-region"],
        play: |p| {
            p.stream().address.hits =
                Some(HitSpec::new(90.0, 90.0, SLICE, HitPlacement::Contiguous));
        },
        ..PLAIN
    },
    Trick {
        name: "page cache",
        what: "leave O_DIRECT out: the memory of the host answers",
        named_by: &["buffered-io", "page-cache-answered"],
        not_here: |s| match s {
            Subject::File | Subject::Device => None,
            Subject::Lab => Some("a simulated LUN is not behind a host's page cache"),
            Subject::Other => Some("what is behind a network is not behind this host's page cache"),
        },
        play: |p| p.plan_caching = Caching::Buffered,
        ..PLAIN
    },
    Trick {
        name: "no warm-up, and short",
        what: "count two seconds from the very first I/O: storage that has rested is faster than it will be",
        named_by: &["no-warm-up"],
        play: |p| {
            p.step.warmup = Nanos(0);
            p.step.elapsed = p.step.elapsed.min(Nanos::secs(2));
        },
        ..PLAIN
    },
    Trick {
        name: "a bottomless queue",
        what: "keep 2,048 I/Os in flight and print the rate alone: the response time is the queue's, and nobody asks",
        named_by: &["many-outstanding"],
        play: |p| p.step.depths = Depth::each([plimsoll_plan::TargetId(0)], DEEP),
        ..PLAIN
    },
    Trick {
        name: "best of five",
        what: "measure five times and show the best",
        named_by: &["best-of-several"],
        play: |p| p.repeats = REPEATS,
        ..PLAIN
    },
    Trick {
        name: "zeros",
        what: "write zeros: storage that detects them stores nothing",
        measures: Measures::Writes,
        writes: true,
        named_by: &["zero-content", "zeros-served"],
        play: |p| p.stream().content = ContentSpec::Zeros,
        ..PLAIN
    },
    Trick {
        name: "one pattern",
        what: "write the same bytes everywhere: storage that deduplicates or compresses keeps one copy",
        measures: Measures::Writes,
        writes: true,
        named_by: &["repeating-content", "duplicates-kept-once"],
        play: |p| p.stream().content = ContentSpec::Pattern(vec![0xde, 0xad, 0xbe, 0xef]),
        ..PLAIN
    },
    Trick {
        name: "reads right after writing",
        what: "write an area, and read it at once: what was just written is still in a journal or a cache",
        writes: true,
        named_by: &["just-written"],
        play: |p| {
            p.use_area(AREA);
            p.prepare(Mix::WRITES);
        },
        ..PLAIN
    },
    Trick {
        name: "nothing there",
        what: "read what holds nothing (trimmed, never written): a map answers, and no medium",
        writes: true,
        named_by: &[
            "trimmed-before",
            "never-filled",
            "zeros-served",
            "reads-never-stored",
        ],
        play: |p| {
            p.use_area(Bytes(4 * AREA.0));
            p.prepare(Mix::TRIMS);
            p.refill_after = true;
        },
        ..PLAIN
    },
    Trick {
        name: "all of it together",
        what: "a few MiB, written with zeros just before, read without a warm-up from a bottomless queue, the best of five",
        writes: true,
        named_by: &["zero-content", "zeros-served"],
        play: |p| {
            p.use_area(AREA);
            p.prepare(Mix::WRITES);
            if let Some(before) = p.before.last_mut() {
                before.streams[0].content = ContentSpec::Zeros;
            }
            p.step.elapsed = p.step.elapsed.min(Nanos::secs(2));
            p.step.depths = Depth::each([plimsoll_plan::TargetId(0)], DEEP);
            p.repeats = REPEATS;
            if p.has_page_cache() {
                p.plan_caching = Caching::Buffered;
            }
        },
        ..PLAIN
    },
];

/// Tricks that `all of it together` plays besides zeros, each with its rules: all of these have to
/// be named in that one run.
pub(super) const TOGETHER: &[(&str, &[&str])] = &[
    (
        "tiny working set",
        &["small-working-set", "cache-answered", "hot-region"],
    ),
    ("no warm-up, and short", &["no-warm-up"]),
    ("a bottomless queue", &["many-outstanding"]),
    ("best of five", &["best-of-several"]),
    ("reads right after writing", &["just-written"]),
];
