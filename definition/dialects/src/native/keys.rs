//! Every key of the language, as data: its name, its values, its default and what it's for.
//!
//! The reader, its complaints, the defaults, the flags of the command line and the editors' schema all derive from
//! these tables.

/// One key.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it's for, one sentence.
    pub about: &'static str,
    /// What it takes.
    pub form: &'static Form,
    /// Whether it takes lists.
    pub list: List,
    /// The value where none is given, in the language itself.
    pub default: Option<&'static str>,
}

/// Whether a key takes lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// One value.
    No,
    /// One value, or a list; the list is one thing.
    Many,
    /// One value, or in a run a list that is measured value by value.
    Loop,
}

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
    /// Takes true and false.
    pub boolean: bool,
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

const PLAIN: Form = Form {
    what: "",
    words: &[],
    text: false,
    number: false,
    boolean: false,
    fields: &[],
    verbatim: false,
    open: None,
};

const fn key(name: &'static str, form: &'static Form, about: &'static str) -> Key {
    Key {
        name,
        about,
        form,
        list: List::No,
        default: None,
    }
}

impl Key {
    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn many(mut self) -> Self {
        self.list = List::Many;
        self
    }

    const fn loops(mut self) -> Self {
        self.list = List::Loop;
        self
    }
}

const fn field(name: &'static str, about: &'static str) -> Field {
    Field { name, about }
}

static TEXT: Form = Form {
    what: "a text",
    verbatim: true,
    text: true,
    ..PLAIN
};
static NAME: Form = Form {
    what: "a name",
    verbatim: true,
    text: true,
    ..PLAIN
};
static SIZE: Form = Form {
    what: "a size, as \"8k\" or \"1GiB\"",
    text: true,
    number: true,
    ..PLAIN
};
static TIME: Form = Form {
    what: "a time, as \"30s\" or \"500us\"",
    text: true,
    number: true,
    ..PLAIN
};
static RATE: Form = Form {
    what: "a rate, as 5000 or \"5k\"",
    text: true,
    number: true,
    ..PLAIN
};
static PERCENT: Form = Form {
    what: "a percentage from 0 to 100",
    text: true,
    number: true,
    ..PLAIN
};
static COUNT: Form = Form {
    what: "a whole number",
    number: true,
    text: true,
    ..PLAIN
};
static NUMBER: Form = Form {
    what: "a number above 0",
    number: true,
    text: true,
    ..PLAIN
};
static BLOCK: Form = Form {
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
static ACCESS: Form = Form {
    what: "an order of addresses, as \"random\" or \"sequential\"",
    words: &["random", "coverage", "sequential"],
    fields: &[
        field(
            "sequential",
            "`once` ends after one pass, `random_start` starts anywhere; both may be given, with a space.",
        ),
        field(
            "percent_random",
            "Chance, in percent, that an I/O goes to a random address instead of on from the last.",
        ),
        field(
            "stride",
            "Gap after each I/O: a size, or a range of sizes as \"64k-1m\".",
        ),
        field(
            "streams",
            "This many equal slices, each read or written sequentially, in turn.",
        ),
    ],
    ..PLAIN
};
static DISTRIBUTION: Form = Form {
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
static RANGE: Form = Form {
    what: "a part of the target, as \"10%-20%\" or \"1g-2g\"",
    text: true,
    fields: &[
        field(
            "from",
            "Where it starts: a percentage of the target, as \"10%\", or a size.",
        ),
        field("to", "Where it ends; percentages up to 200 wrap round."),
    ],
    ..PLAIN
};
static HITS: Form = Form {
    what: "a hit set, as { read = 75, area = \"1m\" }, or \"none\"",
    words: &["none"],
    fields: &[
        field("read", "Percent of reads that go to the area."),
        field("write", "Percent of writes that go to the area."),
        field("area", "The area's size, all of it; 1m if left out."),
        field(
            "placement",
            "`scattered` (over consecutive slices, so that none is hot) or `contiguous` (what Vdbench does).",
        ),
        field("slice", "The slices of `scattered`; 1m if left out."),
    ],
    ..PLAIN
};
static CONTENT: Form = Form {
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
    ],
    ..PLAIN
};
static CACHING: Form = Form {
    what: "\"direct\" or \"buffered\"",
    words: &["direct", "buffered"],
    ..PLAIN
};
static DURABILITY: Form = Form {
    what: "when a write counts as done, as \"none\" or \"dsync\"",
    words: &["none", "dsync", "sync", "fsync_at_end"],
    fields: &[field(
        "fsync_every",
        "fsync after this many writes of a worker.",
    )],
    ..PLAIN
};
static LOAD: Form = Form {
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
static ARRIVAL: Form = Form {
    what: "\"exponential\", \"uniform\" or \"even\"",
    words: &["exponential", "uniform", "even"],
    ..PLAIN
};
static DEPTH: Form = Form {
    what: "the most I/Os in flight on each target, or a table of them by target",
    text: true,
    number: true,
    open: Some("a target"),
    ..PLAIN
};
static LIMITS: Form = Form {
    what: "limits that end the run early, as { written = \"10g\" }",
    fields: &[
        field("bytes", "Bytes moved."),
        field("read", "Bytes read."),
        field("written", "Bytes written."),
        field("ios", "I/Os completed."),
    ],
    ..PLAIN
};
static PURPOSE: Form = Form {
    what: "\"measure\" or \"fill\"",
    words: &["measure", "fill"],
    ..PLAIN
};
static SLO: Form = Form {
    what: "a limit of response time, as \"p99=2ms\" or \"mean=1ms\"",
    text: true,
    open: Some("mean, or a percentile as p99"),
    ..PLAIN
};
static COMMAND: Form = Form {
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
static TABLES: Form = Form {
    what: "tables",
    ..PLAIN
};

/// Keys at the top of a file.
pub static TOP: [Key; 8] = [
    key("title", &TEXT, "What people call it."),
    key(
        "seed",
        &COUNT,
        "Seed of every random choice; drawn and recorded if left out.",
    ),
    key("max_errors", &COUNT, "I/O errors after which all ends.").or("50"),
    key(
        "start_commands",
        &COMMAND,
        "Commands before everything; run only with --allow-commands.",
    )
    .many(),
    key(
        "end_commands",
        &COMMAND,
        "Commands after everything; run only with --allow-commands.",
    )
    .many(),
    key("target", &TABLES, "What is read and written, by name."),
    key("workload", &TABLES, "What the I/O looks like, by name."),
    key("run", &TABLES, "What is measured, in order."),
];

/// Keys of a `[target.NAME]`.
pub static TARGET: [Key; 6] = [
    key(
        "path",
        &TEXT,
        "A file, a device, null:SIZE for the engine alone; several paths are joined end to end.",
    )
    .many(),
    key(
        "size",
        &SIZE,
        "How much of it is used; a missing or shorter file is created and filled to this size.",
    ),
    key("offset", &SIZE, "Bytes added to every address.").or("0"),
    key(
        "align",
        &SIZE,
        "Addresses are multiples of this; of the transfer size if left out.",
    ),
    key(
        "caching",
        &CACHING,
        "Through the page cache (buffered) or around it.",
    )
    .or("direct"),
    key("durability", &DURABILITY, "When a write counts as done.").or("none"),
];

/// Keys that say what the I/O looks like: in a `[workload.NAME]`, or in a run, where they replace the workloads'.
pub static SHAPE: [Key; 8] = [
    key("read", &PERCENT, "Percent of reads; the rest are writes.")
        .loops()
        .or("100"),
    key("trim", &PERCENT, "Percent of trims, taken from the writes.")
        .loops()
        .or("0"),
    key("block", &BLOCK, "The size of an I/O.").loops().or("4k"),
    key("access", &ACCESS, "The order of addresses.")
        .loops()
        .or("random"),
    key(
        "distribution",
        &DISTRIBUTION,
        "Where random addresses fall.",
    )
    .loops()
    .or("uniform"),
    key(
        "range",
        &RANGE,
        "The part of the target that is used; all of it if left out.",
    )
    .loops(),
    key(
        "hits",
        &HITS,
        "A share of accesses that goes to a small area, to be found in a cache there.",
    )
    .loops()
    .or("none"),
    key("content", &CONTENT, "What is written.")
        .loops()
        .or("unique"),
];

/// Further keys of a `[workload.NAME]`.
pub static WORKLOAD: [Key; 4] = [
    key(
        "targets",
        &NAME,
        "The targets that it runs on; all of them if left out.",
    )
    .many(),
    key(
        "share",
        &NUMBER,
        "Its part of the load, relative to the other workloads of the run.",
    ),
    key(
        "rate",
        &RATE,
        "A rate of its own, apart from the run's load.",
    ),
    key(
        "priority",
        &COUNT,
        "Smaller goes first where slots are short; only with `rate`.",
    ),
];

/// Further keys of a `[[run]]`.
pub static RUN: [Key; 18] = [
    key("name", &NAME, "Its name; run1, run2 and so on if left out."),
    key(
        "workloads",
        &NAME,
        "The workloads that run together; all of them if left out.",
    )
    .many(),
    key("load", &LOAD, "How much is asked for.")
        .loops()
        .or("max"),
    key(
        "arrival",
        &ARRIVAL,
        "The gaps between the intended starts of a rate.",
    )
    .or("exponential"),
    key("depth", &DEPTH, "The most I/Os in flight on each target.")
        .loops()
        .or("32"),
    key(
        "workers",
        &COUNT,
        "Threads that submit; one per CPU if left out, but no more than there are slots.",
    )
    .loops(),
    key("pin", &COUNT, "CPUs to pin the workers to, in turn.").many(),
    key("for", &TIME, "How long is counted.").or("30s"),
    key("warmup", &TIME, "How long is not counted, first.").or("5s"),
    key("interval", &TIME, "How often counters are read.").or("1s"),
    key("pause", &TIME, "Idle before it starts.").or("0s"),
    key(
        "percents",
        &NUMBER,
        "The points of a curve, percent of the maximum.",
    )
    .many()
    .or("10,50,70,80,90,100"),
    key(
        "slo",
        &SLO,
        "Response-time limits at which a curve's capacity is stated.",
    )
    .many(),
    key(
        "stop_service",
        &TIME,
        "A curve's point with a larger mean service time ends everything.",
    ),
    key("limits", &LIMITS, "Ends it before its time."),
    key(
        "purpose",
        &PURPOSE,
        "`fill` prepares a target and is in no result.",
    )
    .or("measure"),
    key(
        "start_commands",
        &COMMAND,
        "Commands before each of its steps; run only with --allow-commands.",
    )
    .many(),
    key(
        "end_commands",
        &COMMAND,
        "Commands after each of its steps; run only with --allow-commands.",
    )
    .many(),
];

/// The key of a name; the tables hold every name that the code asks for.
pub fn find<'k>(tables: &[&'k [Key]], name: &str) -> Option<&'k Key> {
    tables
        .iter()
        .flat_map(|t| t.iter())
        .find(|k| k.name == name)
}
