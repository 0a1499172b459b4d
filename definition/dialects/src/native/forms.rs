//! What keys take, as data: words, numbers, and the names in their tables.

/// The values of a key.
#[derive(Debug)]
pub struct Form {
    /// For complaints: "a size, as 8k".
    pub what: &'static str,
    /// Words that it knows.
    pub words: &'static [&'static str],
    /// Takes other text too.
    pub text: bool,
    /// Takes bare numbers.
    pub number: bool,
    /// What it takes as a table: `{ zipf = 1.1 }`, or as text: `"zipf=1.1"`.
    pub fields: &'static [Field],
    /// A text is taken as it is, whatever is in it.
    pub verbatim: bool,
    /// What the names are in a table with names of the user's own.
    pub open: Option<&'static str>,
}

/// One name in a table value.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it's for.
    pub about: &'static str,
}

pub(super) const PLAIN: Form = Form {
    what: "",
    words: &[],
    text: false,
    number: false,
    fields: &[],
    verbatim: false,
    open: None,
};

const fn field(name: &'static str, about: &'static str) -> Field {
    Field { name, about }
}

/// Any text.
pub static TEXT: Form = Form {
    what: "a text",
    verbatim: true,
    text: true,
    ..PLAIN
};
/// A name.
pub static NAME: Form = Form {
    what: "a name",
    verbatim: true,
    text: true,
    ..PLAIN
};
/// Bytes.
pub static SIZE: Form = Form {
    what: "a size, as \"8k\" or \"1GiB\"",
    text: true,
    number: true,
    ..PLAIN
};
/// A time span.
pub static TIME: Form = Form {
    what: "a time, as \"30s\" or \"500us\"",
    text: true,
    number: true,
    ..PLAIN
};
/// How long a run is.
pub static LASTING: Form = Form {
    what: "a time, as \"30s\", or \"unlimited\"",
    words: &["unlimited"],
    text: true,
    number: true,
    ..PLAIN
};
/// What ends a workload.
pub static QUOTA: Form = Form {
    what: "what ends the workload, as { bytes = \"1g\" }",
    fields: &[
        field("bytes", "Bytes moved."),
        field("ios", "I/Os issued."),
        field("passes", "How many times the bytes of its range are moved."),
    ],
    ..PLAIN
};
/// How content is verified.
pub static VERIFY: Form = Form {
    what: "how its data is verified, as { sum = \"crc32c\" }",
    fields: &[
        field(
            "sum",
            "What the header of each block says of the bytes behind it, by fio's names: crc32c, md5, xxhash, sha256…, or `meta` for the header alone.",
        ),
        field(
            "interval",
            "A header stands at each so many bytes of an I/O; one at its start if left out.",
        ),
        field("offset", "It stands so many bytes into its block."),
        field(
            "pattern",
            "What stands behind the headers, or, without a sum, is all: a text that is repeated, or bytes as 0xdeadbeef; what `content` says if left out.",
        ),
        field(
            "offsets",
            "Where in the pattern the offset of the I/O stands, in eight bytes: places, with spaces between.",
        ),
        field(
            "every",
            "The pattern begins anew after so many bytes of an I/O, with an offset of its own.",
        ),
        field(
            "remember",
            "true: what was written is remembered, so that a later run reads it back.",
        ),
    ],
    ..PLAIN
};
/// A log whose I/Os a workload does.
pub static REPLAY: Form = Form {
    what: "a log, as \"trace.log\" or { log = \"trace.log\", times = false }",
    text: true,
    fields: &[
        field(
            "log",
            "The file, in fio's text format for logs of I/Os, version 2 or 3.",
        ),
        field(
            "times",
            "false: its times do not count; an I/O goes out when one before it is back, as many at once as the depth says.",
        ),
        field(
            "speed",
            "Percent of the log's speed; \"200%\" takes half of its time.",
        ),
        field("scale", "Its offsets are divided by this number."),
        field(
            "align",
            "Its offsets are rounded down to multiples of this power of two.",
        ),
        field(
            "skip",
            "What is left out: read, write, trim and sync, with spaces between.",
        ),
    ],
    ..PLAIN
};
/// What ends with a workload.
pub static ENDS: Form = Form {
    what: "\"itself\", \"group\" or \"run\"",
    words: &["itself", "group", "run"],
    ..PLAIN
};
/// Whose a depth is.
pub static DEPTH_OF: Form = Form {
    what: "\"each\" or \"all\"",
    words: &["each", "all"],
    ..PLAIN
};
/// Names of a user's own, with values of a user's own.
pub static VALUES: Form = Form {
    what: "what it differs in, as { threads = 8 }",
    open: Some("what differs"),
    ..PLAIN
};
/// I/Os per second.
pub static RATE: Form = Form {
    what: "a rate, as 5000 or \"5k\"",
    text: true,
    number: true,
    ..PLAIN
};
/// 0 to 100.
pub static PERCENT: Form = Form {
    what: "a percentage from 0 to 100",
    text: true,
    number: true,
    ..PLAIN
};
/// A whole number.
pub static COUNT: Form = Form {
    what: "a whole number",
    number: true,
    text: true,
    ..PLAIN
};
/// A number above 0.
pub static NUMBER: Form = Form {
    what: "a number above 0",
    number: true,
    text: true,
    ..PLAIN
};
/// Transfer sizes.
pub static BLOCK: Form = Form {
    what: "a size as \"8k\", a range as \"4k-64k\", or sizes with their percentages as { 4k = 50, 64k = 50 }",
    text: true,
    number: true,
    open: Some("a size"),
    fields: &[
        field("from", "Smallest size of a range."),
        field("to", "Largest size of a range."),
        field(
            "step",
            "Sizes are multiples of this; the smallest size if left out.",
        ),
    ],
    ..PLAIN
};
/// Orders of addresses.
pub static ACCESS: Form = Form {
    what: "an order of addresses, as \"random\" or \"sequential\"",
    words: &["random", "coverage", "sequential"],
    fields: &[
        field(
            "sequential",
            "`once` ends after one pass, `whole` keeps that to whole transfers, `random_start` starts anywhere; several with spaces between.",
        ),
        field(
            "percent_random",
            "Chance, in percent, that an I/O goes to a random address instead of on from the last. Behind it, with a space: `anywhere`, the first address is a random one too; `whole_runs`, that, and what goes on does what the I/O before did, so that read or write is drawn with each random address.",
        ),
        field(
            "stride",
            "Gap after each I/O: a size, or a range of sizes as \"64k-1m\".",
        ),
        field(
            "backward",
            "Each I/O begins so many bytes before the end of the one before, from the range's start on: a size, at least that of an I/O.",
        ),
        field(
            "zones",
            "Zone after zone: bytes moved in each, bytes of it, bytes between two, as \"1m 16m 0\"; `random` behind them draws the places.",
        ),
        field(
            "runs",
            "A place is drawn, and this many I/Os follow each other from there; `repeat` behind it keeps them all on that place.",
        ),
        field(
            "streams",
            "This many equal slices, each read or written sequentially; at the maximum each as fast as it goes, else in turn.",
        ),
    ],
    ..PLAIN
};
/// Distributions of random addresses.
pub static DISTRIBUTION: Form = Form {
    what: "a distribution of random addresses, as \"uniform\" or { zipf = 1.1 }",
    words: &["uniform", "hotband"],
    fields: &[
        field("zipf", "The exponent, above 0."),
        field(
            "pareto",
            "h between 0 and 1: a share 1-h of the accesses goes to a share h of the blocks.",
        ),
        field(
            "normal",
            "Standard deviation round the middle of the range, percent of the range.",
        ),
        field(
            "zoned",
            "Zones in address order, \"ACCESS%:RANGE%\" each, as \"50:5 30:15 20:80\".",
        ),
        field(
            "hotband",
            "`corrected` (as its manual says) or `observed` (as Vdbench 5.04 behaves).",
        ),
        field("poisson", "Vdbench's poisson, with this midpoint."),
    ],
    ..PLAIN
};
/// Parts of a target.
pub static RANGE: Form = Form {
    what: "a part of the target, as \"10%-20%\" or \"1g-2g\"",
    text: true,
    fields: &[
        field(
            "from",
            "Where it starts: a percentage of the target, as \"10%\", or a size.",
        ),
        field("to", "Where it ends; percentages up to 200 wrap round."),
        field(
            "until",
            "In the place of `to`: a size, and where the target ends before it, it ends there; or \"end\".",
        ),
        field(
            "ahead",
            "With `until`: addresses in order begin so far behind its start, and come round to it.",
        ),
    ],
    ..PLAIN
};
/// Hit sets.
pub static HITS: Form = Form {
    what: "a hit set, as { read = 75, area = \"1m\" }, or \"none\"",
    words: &["none"],
    fields: &[
        field("read", "Percent of reads that go to the area."),
        field("write", "Percent of writes that go to the area."),
        field("area", "The area's size, all of it; 1m if left out."),
        field(
            "placement",
            "`scattered` (over all of the range, so that no slice of an array is hot) or `contiguous` (what Vdbench does).",
        ),
        field(
            "slice",
            "Where the array's slices are known: their size. `scattered` then deals over consecutive slices.",
        ),
    ],
    ..PLAIN
};
/// What is written.
pub static CONTENT: Form = Form {
    what: "what is written, as \"unique\", \"zeros\" or { compress = 2 }",
    words: &["unique", "zeros"],
    fields: &[
        field(
            "pattern",
            "A text that is repeated, or bytes as 0xdeadbeef.",
        ),
        field("file", "A file whose bytes are repeated."),
        field(
            "compress",
            "Original size over compressed size, at least 1.",
        ),
        field("dedupe", "Blocks written over distinct blocks, at least 1."),
        field(
            "zeros",
            "Percent of the blocks that hold only zeros; the ratios are those of the others.",
        ),
        field(
            "unit",
            "The block that the array compares when it deduplicates; 4k if left out.",
        ),
        field(
            "sets",
            "How many different duplicates there are; 5 % of the blocks if left out.",
        ),
        field(
            "flip_flop",
            "A rewritten duplicate alternates between two values.",
        ),
        field(
            "placement",
            "`scattered` (each duplicate by itself) or `runs` (they lie beside each other in one order, as Vdbench's); scattered if left out.",
        ),
    ],
    ..PLAIN
};
/// A think time.
pub static THINK: Form = Form {
    what: "a time, as \"5ms\", or \"none\"",
    words: &["none"],
    text: true,
    number: true,
    ..PLAIN
};
/// The most I/Os per second.
pub static MOST_IOS: Form = Form {
    what: "a rate, as 5000 or \"5k\", or \"none\"",
    words: &["none"],
    text: true,
    number: true,
    ..PLAIN
};
/// The most bytes per second.
pub static MOST_BYTES: Form = Form {
    what: "the bytes of a second, as \"100m\", or \"none\"",
    words: &["none"],
    text: true,
    number: true,
    ..PLAIN
};
/// Page cache or not.
pub static CACHING: Form = Form {
    what: "\"direct\" or \"buffered\"",
    words: &["direct", "buffered"],
    ..PLAIN
};
/// What several hosts have in a target.
pub static SHARED: Form = Form {
    what: "true, false or \"split\"",
    words: &["true", "false", "split"],
    ..PLAIN
};
/// How an agent comes to be on a host.
pub static SHELL: Form = Form {
    what: "\"ssh\" or \"agent\", or \"rsh\", which is refused before a run",
    words: &["ssh", "agent", "rsh"],
    ..PLAIN
};
/// What targets are on a host.
pub static PATHS: Form = Form {
    what: "targets and what they are there, as { lun = \"/dev/sdb\" }",
    open: Some("a target"),
    ..PLAIN
};
/// What results stand for.
pub static CLAIM: Form = Form {
    what: "\"cached\", \"burst\", \"sustained\", \"device\" or \"host\"",
    words: &["cached", "burst", "sustained", "device", "host"],
    ..PLAIN
};
/// Which path an I/O takes.
pub static SELECTOR: Form = Form {
    what: "\"round-robin\", \"queue-length\" or \"service-time\"",
    words: &["round-robin", "queue-length", "service-time"],
    ..PLAIN
};
/// When a write counts as done.
pub static DURABILITY: Form = Form {
    what: "when a write counts as done, as \"none\" or \"dsync\"",
    words: &["none", "dsync", "sync", "fsync_at_end"],
    fields: &[
        field("fsync_every", "fsync after this many writes of a worker."),
        field(
            "fdatasync_every",
            "fdatasync after this many writes of a worker: the data, and of its metadata only what reading it needs.",
        ),
    ],
    ..PLAIN
};
/// How much is asked for.
pub static LOAD: Form = Form {
    what: "a load: \"max\", \"curve\", a rate as 5000 or \"5k\", or \"50%\" of the last",
    words: &["max", "max_shared", "curve"],
    text: true,
    number: true,
    fields: &[field(
        "schedule",
        "Rates one after the other, \"RATE:TIME\" each, as \"5k:10s 100:5s\", repeated.",
    )],
    ..PLAIN
};
/// Gaps between intended starts.
pub static ARRIVAL: Form = Form {
    what: "\"exponential\", \"uniform\" or \"even\"",
    words: &["exponential", "uniform", "even"],
    ..PLAIN
};
/// I/Os in flight.
pub static DEPTH: Form = Form {
    what: "the most I/Os in flight on each target, or a table of them by target",
    text: true,
    number: true,
    open: Some("a target"),
    ..PLAIN
};
/// Early ends.
pub static LIMITS: Form = Form {
    what: "limits that end the run early, as { written = \"10g\" }",
    fields: &[
        field("bytes", "Bytes moved."),
        field("read", "Bytes read."),
        field("written", "Bytes written."),
        field("ios", "I/Os completed."),
    ],
    ..PLAIN
};
/// Why a run exists.
pub static PURPOSE: Form = Form {
    what: "\"measure\" or \"fill\"",
    words: &["measure", "fill"],
    ..PLAIN
};
/// How due I/Os are waited for.
pub static WAITING: Form = Form {
    what: "\"thrifty\" or \"punctual\"",
    words: &["thrifty", "punctual"],
    ..PLAIN
};
/// Limits of response time.
pub static SLO: Form = Form {
    what: "a limit of response time, as \"p99=2ms\" or \"mean=1ms\"",
    text: true,
    open: Some("mean, or a percentile as p99"),
    ..PLAIN
};
/// Commands.
pub static COMMAND: Form = Form {
    what: "a command, or { run = \"…\", output = \"log\" }",
    verbatim: true,
    text: true,
    fields: &[
        field("run", "The command, for the shell."),
        field(
            "output",
            "Where its output goes: `console`, `log` or `summary`.",
        ),
    ],
    ..PLAIN
};
/// What is done while a run runs.
pub static ACTION: Form = Form {
    what: "what is done and when, as { at = \"30s\", command = \"…\" }",
    verbatim: true,
    fields: &[
        field("at", "When, from the run's beginning; the warm-up counts."),
        field(
            "command",
            "A command for the shell, beside real targets; only with --allow-commands. The load goes on meanwhile.",
        ),
        field(
            "fault",
            "A fault of the simulated array, in its words: \"path-down path=0 for=10s\".",
        ),
    ],
    ..PLAIN
};
/// Tables under a key; the reader knows them.
pub static TABLES: Form = Form {
    what: "tables",
    ..PLAIN
};
