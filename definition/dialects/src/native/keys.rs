//! Every key of the language, as data: its name, its values, its default and what it's for.
//!
//! The reader, its complaints, the defaults, the flags of the command line and the editors' schema all derive from
//! these tables.

use super::forms::*;
use super::method::{METHOD_FORM, YES_OR_NO};

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

pub(super) const fn key(name: &'static str, form: &'static Form, about: &'static str) -> Key {
    Key {
        name,
        about,
        form,
        list: List::No,
        default: None,
    }
}

impl Key {
    pub(super) const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    pub(super) const fn many(mut self) -> Self {
        self.list = List::Many;
        self
    }

    pub(super) const fn loops(mut self) -> Self {
        self.list = List::Loop;
        self
    }
}

/// Keys at the top of a file.
pub static TOP: [Key; 11] = [
    key("title", &TEXT, "What people call it."),
    key(
        "claim",
        &CLAIM,
        "What the results are to stand for, by which the rules judge them: cached, burst, sustained, device or host.",
    )
    .or("sustained"),
    key(
        "seed",
        &COUNT,
        "Seed of every random choice; drawn and recorded if left out.",
    ),
    key("max_errors", &COUNT, "The error that ends all. One failed I/O makes the exit code 1, unless this is more than 50.").or("50"),
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
    key("host", &TABLES, "Who carries it out, by name; left out, the host that reads it."),
    key(
        "hosts_depth",
        &DEPTH_OF,
        "Of several hosts: whether a depth is each host's own, or that of all together, which they divide.",
    )
    .or("each"),
    key("target", &TABLES, "What is read and written, by name."),
    key("workload", &TABLES, "What the I/O looks like, by name."),
    key("run", &TABLES, "What is measured, in order."),
];

/// Keys of a `[host.NAME]`.
pub static HOST: [Key; 5] = [
    key(
        "address",
        &TEXT,
        "Where it is reached: a host name or an address; its own name if left out.",
    ),
    key(
        "user",
        &TEXT,
        "Who runs it there; whoever ssh takes if left out.",
    ),
    key(
        "shell",
        &SHELL,
        "How an agent comes to be there: started over ssh for the run, or one that runs there.",
    )
    .or("ssh"),
    key(
        "share",
        &NUMBER,
        "Its part of rates, limits and split ranges, relative to the other hosts'.",
    )
    .or("1"),
    key(
        "paths",
        &PATHS,
        "Targets that are something else on this host.",
    ),
];

/// Keys of a `[target.NAME]`.
pub static TARGET: [Key; 14] = [
    key(
        "path",
        &TEXT,
        "A file, a device, nbd://… for an export, lab:PERSONA for a simulated array, null:SIZE for the engine alone; several paths are joined end to end.",
    )
    .many(),
    key(
        "paths",
        &TEXT,
        "In the place of `path`: nbd://… addresses that all lead to one volume, which makes a multipath device.",
    )
    .many(),
    key(
        "selector",
        &SELECTOR,
        "Which of the paths an I/O takes: in turn, the one with the fewest I/Os out, or the one where an I/O is expected back first; service-time if left out.",
    ),
    key(
        "path_deadline",
        &TIME,
        "How long an I/O may be out on an NBD path before it is sent on another one; 5s if left out, 30s where there is one path only.",
    ),
    key(
        "no_path_retry",
        &TIME,
        "How long I/Os wait while all NBD paths are down, before they fail; 30s if left out.",
    ),
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
    key(
        "shared",
        &SHARED,
        "Of several hosts: true where it is one device or file that all of them reach, which each uses whole; `split` where each \
         has a range of it that no other host touches.",
    )
    .or("false"),
    key("hosts", &NAME, "The hosts that have it; all of them if left out.").many(),
    key(
        "metrics",
        &TEXT,
        "Where the array below it tells of itself, as http://HOST:PORT/metrics in Prometheus' text format: what it saw is then part of the result.",
    ),
    key(
        "metrics_map",
        &TEXT,
        "A file that says what this array calls its counters; the names of `plimsoll lab serve` if left out.",
    ),
];

/// Keys that say what the I/O looks like, and what holds it back: in a `[workload.NAME]`, or in a run, where they replace
/// the workloads'.
pub static SHAPE: [Key; 16] = [
    key("read", &PERCENT, "Percent of reads; the rest are writes.")
        .loops()
        .or("100"),
    key("trim", &PERCENT, "Percent of trims, taken from the writes.")
        .loops()
        .or("0"),
    key("block", &BLOCK, "The size of an I/O.").loops().or("4k"),
    key(
        "read_block",
        &BLOCK,
        "The size of a read, where reads have another; that of `block` if left out.",
    )
    .loops(),
    key(
        "write_block",
        &BLOCK,
        "The size of a write, where writes have another; that of `block` if left out.",
    )
    .loops(),
    key(
        "trim_block",
        &BLOCK,
        "The size of a trim, where trims have another; that of `block` if left out.",
    )
    .loops(),
    key("access", &ACCESS, "The order of addresses.")
        .loops()
        .or("random"),
    key(
        "distribution",
        &DISTRIBUTION,
        "Where random addresses fall, those of `percent_random` too.",
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
    key(
        "think",
        &THINK,
        "In a closed loop: how long a slot pauses after an I/O before its next one, as a user does who thinks.",
    )
    .loops()
    .or("none"),
    key(
        "think_every",
        &COUNT,
        "A slot thinks after so many I/Os; only with `think`.",
    )
    .loops()
    .or("1"),
    key(
        "think_distribution",
        &ARRIVAL,
        "How think times vary; only with `think`.",
    )
    .loops()
    .or("even"),
    key(
        "max_rate",
        &MOST_IOS,
        "In a closed loop: the most I/Os per second, of all its targets and workers together. What a slow target falls short of \
         is caught up with; the loop stays closed.",
    )
    .loops()
    .or("none"),
    key(
        "max_bandwidth",
        &MOST_BYTES,
        "The same in bytes per second; in the place of `max_rate`.",
    )
    .loops()
    .or("none"),
];

/// Further keys of a `[workload.NAME]`.
pub static WORKLOAD: [Key; 17] = [
    key(
        "called",
        &NAME,
        "What results call it, where workloads that differ are to have one name there; the table's name if left out.",
    ),
    key(
        "targets",
        &NAME,
        "The targets that it runs on; all of them if left out.",
    )
    .many(),
    key(
        "hosts",
        &NAME,
        "The hosts that carry it out; all that have its targets if left out.",
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
        "arrival",
        &ARRIVAL,
        "The gaps between the intended starts of its rate; the run's if left out. Only with `rate`.",
    ),
    key(
        "priority",
        &COUNT,
        "Smaller goes first where slots are short; only with `rate`.",
    ),
    key(
        "depth",
        &COUNT,
        "The most I/Os that it has in flight on each of its targets, in slots that no other workload has. Left out: it shares \
         the run's depth.",
    ),
    key(
        "start",
        &TIME,
        "When it begins to issue I/O, from the beginning of the run; the warm-up is a part of that time.",
    ),
    key(
        "stop",
        &TIME,
        "When it ends, from the beginning of the run; with it if left out.",
    ),
    key(
        "quota",
        &QUOTA,
        "What ends it on each of its targets, the warm-up counted; the other workloads of the run go on.",
    ),
    key(
        "after",
        &NAME,
        "The workloads of the run behind whose ends it begins; they come before it. `start` and `stop` count from there.",
    )
    .many(),
    key(
        "group",
        &COUNT,
        "Workloads of one number are a group, for `ends`.",
    )
    .or("0"),
    key(
        "ends",
        &ENDS,
        "What ends as soon as it has ended: nothing else, its group, or all of the run.",
    )
    .or("itself"),
    key(
        "verify",
        &VERIFY,
        "How its data is verified: what it writes says what it is, and what it reads must.",
    ),
    key(
        "read_back",
        &NAME,
        "In the place of addresses of its own: reads of all that the workload which results call so has written in earlier runs, \
         where that remembers it and it still stands.",
    ),
    key(
        "replay",
        &REPLAY,
        "In the place of I/Os of its own: those of a log, each at its time, where it says; on a target of several files, in those \
         that it names. A run of such workloads alone has no warm-up and ends with them, unless it says otherwise.",
    ),
];

/// Further keys of a `[[run]]`.
pub static RUN: [Key; 25] = [
    key("name", &NAME, "Its name; run1, run2 and so on if left out."),
    key(
        "of",
        &NAME,
        "The run that it is a part of, where several belong together; its own name if left out.",
    ),
    key(
        "values",
        &VALUES,
        "What it differs in from the others of its name, which its steps show; several runs may have one name where these differ.",
    ),
    key(
        "workloads",
        &NAME,
        "The workloads that run together; all of them if left out.",
    )
    .many(),
    key(
        "hosts",
        &NAME,
        "The hosts that carry it out; all of them if left out.",
    )
    .many(),
    key(
        "method",
        &METHOD_FORM,
        "The method that it is: a question that takes more than one measurement to answer. Left out: none, or a curve where \
         `load` says so.",
    ),
    key("load", &LOAD, "How much is asked for.")
        .loops()
        .or("max"),
    key(
        "keep_shares",
        &YES_OR_NO,
        "Whether the workloads' shares of the load hold at a maximum too, or each target goes as fast as it can. Left out: where \
         a workload has a share.",
    ),
    key(
        "arrival",
        &ARRIVAL,
        "The gaps between the intended starts of a rate.",
    )
    .or("exponential"),
    key(
        "depth",
        &DEPTH,
        "The most I/Os in flight on each target. Left out: a rate has as many as come in a second, between 64 and 4096, a \
         curve looks for the depth that carries most, and any other load has 32.",
    )
    .loops(),
    key(
        "workers",
        &COUNT,
        "Threads that submit. Left out: one per CPU, and where all I/O has a rate one for each 500,000/s of it; never more than \
         there are slots. Synchronously one for each slot, and one where all I/O has a rate.",
    )
    .loops(),
    key("pin", &COUNT, "CPUs to pin the workers to, in turn.").many(),
    key(
        "waiting",
        &WAITING,
        "How a worker waits for the time of an I/O: asleep but for a few percent of a CPU, or awake.",
    )
    .or("thrifty"),
    key(
        "for",
        &LASTING,
        "How long is counted; \"unlimited\" where limits or quotas end it.",
    )
    .or("30s"),
    key(
        "warmup",
        &TIME,
        "How long is not counted, first; none in a `fill` that does not say so.",
    )
    .or("5s"),
    key(
        "interval",
        &TIME,
        "How often counters are read, 10ms or more: 1s if left out, or the whole time where `for` is shorter.",
    ),
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
    key(
        "limits",
        &LIMITS,
        "Ends it before its time; they count from the end of the warm-up.",
    ),
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
    key(
        "actions",
        &ACTION,
        "What is done while it runs, in the order of time; not in a curve.",
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
