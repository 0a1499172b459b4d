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
    /// Fields of the value as a table: `{ zipf = 1.1 }`, or as text: `"zipf=1.1"`.
    pub fields: &'static [Field],
    /// A text is taken as it is, whatever is in it.
    pub verbatim: bool,
    /// Meaning of the names in a table with names of the user's own.
    pub open: Option<&'static str>,
}

/// One name in a table value.
#[derive(Debug)]
pub struct Field {
    /// Name as it is written.
    pub name: &'static str,
    /// Purpose of the field.
    pub about: &'static str,
}

/// A form that takes nothing yet.
pub(super) const fn form(what: &'static str) -> Form {
    Form {
        what,
        words: &[],
        text: false,
        number: false,
        fields: &[],
        verbatim: false,
        open: None,
    }
}

impl Form {
    pub(super) const fn words(self, words: &'static [&'static str]) -> Self {
        Form { words, ..self }
    }

    const fn text(self) -> Self {
        Form { text: true, ..self }
    }

    /// A bare number, or a text such as a number with its unit.
    const fn measured(self) -> Self {
        Form {
            text: true,
            number: true,
            ..self
        }
    }

    const fn verbatim(self) -> Self {
        Form {
            verbatim: true,
            ..self
        }
    }

    const fn fields(self, fields: &'static [Field]) -> Self {
        Form { fields, ..self }
    }

    const fn open(self, names: &'static str) -> Self {
        Form {
            open: Some(names),
            ..self
        }
    }
}

/// Names in a table value, as lines: `"bytes": "Bytes moved.";`
macro_rules! fields {
    ($($name:literal: $about:literal;)*) => {
        &[$(Field { name: $name, about: $about },)*]
    };
}

/// Any text.
pub static TEXT: Form = form("a text").verbatim().text();
/// A name.
pub static NAME: Form = form("a name").verbatim().text();
/// Bytes.
pub static SIZE: Form = form("a size, as \"8k\" or \"1GiB\"").measured();
/// A time span.
pub static TIME: Form = form("a time, as \"30s\" or \"500us\"").measured();
/// Length of a run.
pub static LASTING: Form = form("a time, as \"30s\", or \"unlimited\"")
    .words(&["unlimited"])
    .measured();
/// End of a workload, by what it has done.
pub static QUOTA: Form = form("what ends the workload, as { bytes = \"1g\" }").fields(fields! {
    "bytes": "Bytes moved.";
    "ios": "I/Os issued.";
    "passes": "How many times the bytes of its range are moved.";
});
/// Verification of content.
pub static VERIFY: Form = form("how its data is verified, as { sum = \"crc32c\" }").fields(fields! {
    "sum": "What the header of each block says of the bytes behind it, by fio's names: crc32c, md5, xxhash, sha256…, or `meta` for the header \
        alone.";
    "interval": "A header stands at each so many bytes of an I/O; one at its start if left out.";
    "offset": "It stands so many bytes into its block.";
    "pattern": "What stands behind the headers, or, without a sum, is all: a text that is repeated, or bytes as 0xdeadbeef; what `content` says \
        if left out.";
    "offsets": "Where in the pattern the offset of the I/O stands, in eight bytes: places, with spaces between.";
    "every": "The pattern begins anew after so many bytes of an I/O, with an offset of its own.";
    "remember": "true: what was written is remembered, so that a later run reads it back.";
});
/// A log whose I/Os a workload does.
pub static REPLAY: Form = form("a log, as \"trace.log\" or { log = \"trace.log\", times = false }")
    .text()
    .fields(fields! {
    "log": "The file, in fio's text format for logs of I/Os, version 2 or 3.";
    "times": "false: its times do not count; an I/O goes out when one before it is back, as many at once as the depth says.";
    "speed": "Percent of the log's speed; \"200%\" takes half of its time.";
    "scale": "Its offsets are divided by this number.";
    "align": "Its offsets are rounded down to multiples of this power of two.";
    "skip": "What is left out: read, write, trim and sync, with spaces between.";
});
/// Scope of a workload's end: itself, its group or the run.
pub static ENDS: Form = form("\"itself\", \"group\" or \"run\"").words(&["itself", "group", "run"]);
/// Owner of a depth: each target, or all together.
pub static DEPTH_OF: Form = form("\"each\" or \"all\"").words(&["each", "all"]);
/// Names of a user's own, with values of a user's own.
pub static VALUES: Form = form("what it differs in, as { threads = 8 }").open("what differs");
/// I/Os per second.
pub static RATE: Form = form("a rate, as 5000 or \"5k\"").measured();
/// 0 to 100.
pub static PERCENT: Form = form("a percentage from 0 to 100").measured();
/// A whole number.
pub static COUNT: Form = form("a whole number").measured();
/// A number above 0.
pub static NUMBER: Form = form("a number above 0").measured();
/// Transfer sizes.
pub static BLOCK: Form = form("a size as \"8k\", a range as \"4k-64k\", or sizes with their percentages as { 4k = 50, 64k = 50 }")
    .measured()
    .open("a size")
    .fields(fields! {
    "from": "Smallest size of a range.";
    "to": "Largest size of a range.";
    "step": "Sizes are multiples of this; the smallest size if left out.";
});
/// Orders of addresses.
pub static ACCESS: Form = form("an order of addresses, as \"random\" or \"sequential\"")
    .words(&["random", "coverage", "sequential"])
    .fields(fields! {
    "sequential": "`once` ends after one pass, `whole` keeps that to whole transfers, `random_start` starts anywhere; several with spaces \
        between. `each` alone: reads and writes each go through the range by themselves, as those of fio's rw=rw.";
    "percent_random": "Chance, in percent, that an I/O goes to a random address instead of on from the last. Behind it, with a space: \
        `anywhere`, the first address is a random one too; `whole_runs`, that, and what goes on does what the I/O before did, so that read or \
        write is drawn with each random address.";
    "stride": "Gap after each I/O: a size, or a range of sizes as \"64k-1m\".";
    "backward": "Each I/O begins so many bytes before the end of the one before, from the range's start on: a size, at least that of an I/O.";
    "zones": "Zone after zone: bytes moved in each, bytes of it, bytes between two, as \"1m 16m 0\"; `random` behind them draws the places.";
    "runs": "A place is drawn, and this many I/Os follow each other from there; `repeat` behind it keeps them all on that place.";
    "streams": "This many equal slices, each read or written sequentially; at the maximum each as fast as it goes, else in turn.";
});
/// Distributions of random addresses.
pub static DISTRIBUTION: Form = form(
    "a distribution of random addresses, as \"uniform\" or { zipf = 1.1 }",
)
.words(&["uniform", "hotband"])
.fields(fields! {
    "zipf": "The exponent, above 0.";
    "pareto": "h between 0 and 1: a share 1-h of the accesses goes to a share h of the blocks.";
    "normal": "Standard deviation round the middle of the range, percent of the range.";
    "zoned": "Zones in address order, \"ACCESS%:RANGE%\" each, as \"50:5 30:15 20:80\".";
    "hotband": "`corrected` (as its manual says) or `observed` (as Vdbench 5.04 behaves).";
    "poisson": "Vdbench's poisson, with this midpoint.";
});
/// Parts of a target.
pub static RANGE: Form = form("a part of the target, as \"10%-20%\" or \"1g-2g\"").text().fields(fields! {
    "from": "Where it starts: a percentage of the target, as \"10%\", or a size.";
    "to": "Where it ends; percentages up to 200 wrap round.";
    "until": "In the place of `to`: a size, and where the target ends before it, it ends there; or \"end\".";
    "ahead": "With `until`: addresses in order begin so far behind its start, and come round to it.";
});
/// Hit sets.
pub static HITS: Form = form("a hit set, as { read = 75, area = \"1m\" }, or \"none\"")
    .words(&["none"])
    .fields(fields! {
    "read": "Percent of reads that go to the area.";
    "write": "Percent of writes that go to the area.";
    "area": "The area's size, all of it; 1m if left out.";
    "placement": "`scattered` (over all of the range, so that no slice of an array is hot) or `contiguous` (what Vdbench does).";
    "slice": "Where the array's slices are known: their size. `scattered` then deals over consecutive slices.";
});
/// Content of writes.
pub static CONTENT: Form = form("what is written, as \"unique\", \"zeros\" or { compress = 2 }")
    .words(&["unique", "zeros"])
    .fields(fields! {
    "pattern": "A text that is repeated, or bytes as 0xdeadbeef; beside `compress`, what its compressible part holds.";
    "file": "A file whose bytes are repeated.";
    "compress": "Original size over compressed size, at least 1.";
    "dedupe": "Blocks written over distinct blocks, at least 1.";
    "zeros": "Percent of the blocks that hold only zeros; the ratios are those of the others.";
    "unit": "The block that the array compares when it deduplicates; 4k if left out.";
    "sets": "How many different duplicates there are; 5 % of the blocks if left out.";
    "flip_flop": "A rewritten duplicate alternates between two values.";
    "placement": "`scattered` (each duplicate by itself) or `runs` (they lie beside each other in one order, as Vdbench's); scattered if left \
        out.";
});
/// A think time.
pub static THINK: Form = form("a time, as \"5ms\", or \"none\"")
    .words(&["none"])
    .measured();
/// The most I/Os per second.
pub static MOST_IOS: Form = form("a rate, as 5000 or \"5k\", or \"none\"")
    .words(&["none"])
    .measured();
/// The most bytes per second.
pub static MOST_BYTES: Form = form("the bytes of a second, as \"100m\", or \"none\"")
    .words(&["none"])
    .measured();
/// Page cache or not.
pub static CACHING: Form = form("\"direct\" or \"buffered\"").words(&["direct", "buffered"]);
/// What a file is made of.
pub static MADE: Form = form("\"data\" or \"zeros\"").words(&["data", "zeros"]);

/// Use of one target by several hosts.
pub static SHARED: Form = form("true, false or \"split\"").words(&["true", "false", "split"]);
/// Way in which an agent gets onto a host.
pub static SHELL: Form = form("\"ssh\" or \"agent\", or \"rsh\", which is refused before a run")
    .words(&["ssh", "agent", "rsh"]);
/// Targets on a host.
pub static PATHS: Form =
    form("targets and what they are there, as { lun = \"/dev/sdb\" }").open("a target");
/// Trees.
pub static TREE: Form = form("a tree, as { root = \"/mnt/nfs/t\", depth = 2, width = 10, files = 100 }").fields(fields! {
    "root": "The directory that holds it; made where it is missing. It has to be empty, or Plimsoll's.";
    "depth": "Levels of directories below it; 1 if left out.";
    "width": "Directories in each directory; 1 if left out.";
    "files": "Files of each directory that has files; 10 if left out.";
    "levels": "Which levels have files: `last` or `all`; the last if left out.";
    "total": "Bytes of the files that are made, drawn among all; all files if left out.";
    "working_set": "Bytes of those among them that are worked on; all of them if left out.";
    "present": "Percent of the files that are there before the first run, drawn among them; none if left out where a workload creates files, \
        else all.";
    "names": "Names with a number in the place of `*`, as \"j.0.*\": `files` files in the root itself or, with `width`, so many directories, among whatever else it holds.";
});
/// Sizes of files.
pub static FILE_SIZE: Form = form("a size as \"8k\", a range as \"4k-64k\", sizes with their percentages as { 4k = 50, 64k = 50 }, or { around = \"64k\" }")
    .measured()
    .open("a size")
    .fields(fields! {
    "from": "Smallest size of a range.";
    "to": "Largest size of a range.";
    "step": "Sizes are multiples of this; the smallest size if left out.";
    "around": "Vdbench's sizes=(n,0): from a half to one and a half of this.";
});
/// Operations on a tree.
pub static OPERATIONS: Form = form(
    "operations with their percentages, as { create = 20, stat = 60, read = 20 }, or a mix by its name, as \"mail\"",
)
.words(&["mail", "web", "fileserver", "mdtest"])
.fields(fields! {
    "read": "Read a transfer of a file.";
    "write": "Write a transfer of a file.";
    "mkdir": "Make a directory that is missing.";
    "rmdir": "Remove a directory that is empty.";
    "create": "Make a file that is missing, with nothing in it.";
    "open": "Open a file that is there; it is closed again, which does not count.";
    "close": "Close a file; it is opened before, which does not count.";
    "stat": "Ask for a file's attributes.";
    "readdir": "Read all entries of a directory.";
    "delete": "Delete a file.";
    "setattr": "Set a file's time of modification.";
    "access": "Ask whether a file may be read.";
    "copy": "Copy a file into the tree `to`, in the place of the one that it has there.";
    "move": "Rename a file into the tree `to`, where that has none.";
});
/// Order in which files are taken.
pub static SELECT: Form = form("\"random\" or \"sequential\"").words(&["random", "sequential"]);
/// Transfers on a file.
pub static PER_FILE: Form =
    form("a number of transfers, or a percentage of the file, as 100 or \"50%\"").measured();
/// Ways to make a tree.
pub static MAKE: Form =
    form("\"missing\" (what is not there), \"directories\" (those among it), \"anew\" (all, after what is there was deleted), \"directories_anew\" (those alone, after the same) or \"deleted\" (nothing is made, and what is there is deleted)")
        .words(&["missing", "directories", "anew", "directories_anew", "deleted"]);
/// Claim about the results: the state that they stand for.
pub static CLAIM: Form = form("\"cached\", \"burst\", \"sustained\", \"device\" or \"host\"")
    .words(&["cached", "burst", "sustained", "device", "host"]);
/// Selector of the path that an I/O takes.
pub static SELECTOR: Form = form("\"round-robin\", \"queue-length\" or \"service-time\"").words(&[
    "round-robin",
    "queue-length",
    "service-time",
]);
/// Moment at which a write counts as done.
pub static DURABILITY: Form = form("when a write counts as done, as \"none\" or \"dsync\"")
    .words(&["none", "dsync", "sync", "fsync_at_end", "fsync_at_close"])
    .fields(fields! {
    "fsync_every": "fsync after this many writes of a worker.";
    "fdatasync_every": "fdatasync after this many writes of a worker: the data, and of its metadata only what reading it needs.";
});
/// Load that is asked for.
pub static LOAD: Form = form(
    "a load: \"max\", \"curve\", a rate as 5000 or \"5k\", or \"50%\" of the last",
)
.words(&["max", "max_shared", "curve"])
.measured()
.fields(fields! {
    "schedule": "Rates one after the other, \"RATE:TIME\" each, as \"5k:10s 100:5s\", repeated.";
});
/// Gaps between intended starts.
pub static ARRIVAL: Form =
    form("\"exponential\", \"uniform\" or \"even\"").words(&["exponential", "uniform", "even"]);
/// I/Os in flight.
pub static DEPTH: Form =
    form("the most I/Os in flight on each target, or a table of them by target")
        .measured()
        .open("a target");
/// Early ends.
pub static LIMITS: Form =
    form("limits that end the run early, as { written = \"10g\" }").fields(fields! {
        "bytes": "Bytes moved.";
        "read": "Bytes read.";
        "written": "Bytes written.";
        "ios": "I/Os completed.";
    });
/// Purpose of a run.
pub static PURPOSE: Form = form("\"measure\" or \"fill\"").words(&["measure", "fill"]);
/// Way in which due I/Os are waited for.
pub static WAITING: Form = form("\"thrifty\" or \"punctual\"").words(&["thrifty", "punctual"]);
/// Limits of response time.
pub static SLO: Form = form("a limit of response time, as \"p99=2ms\" or \"mean=1ms\"")
    .text()
    .open("mean, or a percentile as p99");
/// Commands.
pub static COMMAND: Form = form("a command, or { run = \"…\", output = \"log\" }")
    .verbatim()
    .text()
    .fields(fields! {
        "run": "The command, for the shell.";
        "output": "Where its output goes: `console`, `log` or `summary`.";
    });
/// Action while a run runs.
pub static ACTION: Form = form("what is done and when, as { at = \"30s\", command = \"…\" }")
    .verbatim()
    .fields(fields! {
    "at": "When, from the run's beginning; the warm-up counts.";
    "command": "A command for the shell, beside real targets; only with --allow-commands. The load goes on meanwhile.";
    "fault": "A fault of the simulated array, in its words: \"path-down path=0 for=10s\".";
});
/// The methods that have a key for it, and a command.
pub static METHOD_FORM: Form = form("a method: \"adaptive\", \"fingerprint\", \"saturate\", \"soak\", \"pts\", \"sweep\" or \"disturb\"").words(&[
    "adaptive",
    "fingerprint",
    "saturate",
    "soak",
    "pts",
    "sweep",
    "disturb",
]);
/// Yes or no.
pub static YES_OR_NO: Form = form("\"yes\" or \"no\"").words(&["yes", "no"]);
/// Tables under a key; the reader knows them.
pub static TABLES: Form = form("tables");
