//! Every key of the language, as data: its name, its values, its default and what it's for.
//!
//! The reader, its complaints, the defaults, the flags of the command line and the editors' schema all derive from
//! these tables.

use super::forms::*;

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

/// Keys as lines: `"read": PERCENT.loops().or("100"), "Percent of reads.";`
macro_rules! keys {
    ($($name:literal: $form:ident $(.$modifier:ident($($value:literal)?))*, $about:literal;)*) => {
        [$($crate::native::keys::key($name, &$form, $about) $(.$modifier($($value)?))*,)*]
    };
}
pub(super) use keys;

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
pub static TOP: [Key; 11] = keys! {
    "title": TEXT, "What people call it.";
    "claim": CLAIM, "What the results are to stand for, by which the rules judge them: cached, burst, sustained, device or host; if left out, burst where no step counts a minute, else sustained.";
    "seed": COUNT, "Seed of every random choice; drawn and recorded if left out.";
    "max_errors": COUNT.or("50"), "The error that ends all. One failed I/O makes the exit code 1, unless this is more than 50.";
    "start_commands": COMMAND.many(), "Commands before everything; run only with --allow-commands.";
    "end_commands": COMMAND.many(), "Commands after everything; run only with --allow-commands.";
    "host": TABLES, "Who carries it out, by name; left out, the host that reads it.";
    "hosts_depth": DEPTH_OF.or("each"), "Of several hosts: whether a depth is each host's own, or that of all together, which they divide.";
    "target": TABLES, "What is read and written, by name.";
    "workload": TABLES, "What the I/O looks like, by name.";
    "run": TABLES, "What is measured, in order.";
};

/// Keys of a `[host.NAME]`.
pub static HOST: [Key; 5] = keys! {
    "address": TEXT, "Where it is reached: a host name or an address; its own name if left out.";
    "user": TEXT, "Who runs it there; whoever ssh takes if left out.";
    "shell": SHELL.or("ssh"), "How an agent comes to be there: started over ssh for the run, or one that runs there.";
    "share": NUMBER.or("1"), "Its part of rates, limits and split ranges, relative to the other hosts'.";
    "paths": PATHS, "Targets that are something else on this host.";
};

/// Keys of a `[target.NAME]`.
pub static TARGET: [Key; 18] = keys! {
    "path": TEXT.many(), "A file, a device, nbd://… for an export, lab:PERSONA for a simulated array, null:SIZE for the engine alone; several \
        paths are joined end to end, or striped.";
    "paths": TEXT.many(), "In the place of `path`: nbd://… addresses that all lead to one volume, which makes a multipath device.";
    "tree": TREE, "In the place of `path`: directories and files below a root, as Vdbench's fsd has them.";
    "file_size": FILE_SIZE, "How large the files of a tree are when they are full; 4k if left out.";
    "selector": SELECTOR, "Which of the paths an I/O takes: in turn, the one with the fewest I/Os out, or the one where an I/O is expected back \
        first; service-time if left out.";
    "path_deadline": TIME, "How long an I/O may be out on an NBD path before it is sent on another one; 5s if left out, 30s where there is one \
        path only.";
    "no_path_retry": TIME, "How long I/Os wait while all NBD paths are down, before they fail; 30s if left out.";
    "size": SIZE, "How much of it is used; a missing or shorter file is created and filled to this size.";
    "offset": SIZE.or("0"), "Bytes added to every address.";
    "align": SIZE, "Addresses are multiples of this; of the transfer size if left out.";
    "stripe": SIZE, "The stripe unit: so many bytes of each of several paths in turn, as a volume manager stripes; they are joined end to end if \
        left out.";
    "made": MADE.or("data"), "What a file that has to be made holds before it is read: data, or zeros as DiskSPD's -c leaves it; of a simulated LUN \
        then nothing is stored.";
    "caching": CACHING.or("direct"), "Through the page cache (buffered) or around it.";
    "durability": DURABILITY.or("none"), "When a write counts as done.";
    "shared": SHARED.or("false"), "Of several hosts: true where it is one device, file or tree that all of them reach: each uses the whole device \
        or file, and in a tree files of its own; `split` \
        where each has a range of it that no other host touches.";
    "hosts": NAME.many(), "The hosts that have it; all of them if left out.";
    "metrics": TEXT, "Where the array below it tells of itself, as http://HOST:PORT/metrics in Prometheus' text format: what it saw is then part \
        of the result.";
    "metrics_map": TEXT, "A file that says what this array calls its counters; the names of `plimsoll lab serve` if left out.";
};

/// Keys that say what the I/O looks like, and what holds it back: in a `[workload.NAME]`, or in a run, where they replace
/// the workloads'.
pub static SHAPE: [Key; 17] = keys! {
    "read": PERCENT.loops().or("100"), "Percent of reads; the rest are writes.";
    "trim": PERCENT.loops().or("0"), "Percent of trims, taken from the writes.";
    "operations": OPERATIONS.loops(), "On a tree, in the place of `read`: percent of each operation, or a ready-made mix.";
    "block": BLOCK.loops().or("4k"), "The size of an I/O.";
    "read_block": BLOCK.loops(), "The size of a read, where reads have another; that of `block` if left out.";
    "write_block": BLOCK.loops(), "The size of a write, where writes have another; that of `block` if left out.";
    "trim_block": BLOCK.loops(), "The size of a trim, where trims have another; that of `block` if left out.";
    "access": ACCESS.loops().or("random"), "The order of addresses.";
    "distribution": DISTRIBUTION.loops().or("uniform"), "Where random addresses fall, those of `percent_random` too.";
    "range": RANGE.loops(), "The part of the target that is used; all of it if left out.";
    "hits": HITS.loops().or("none"), "A share of accesses that goes to a small area, to be found in a cache there.";
    "content": CONTENT.loops().or("unique"), "What is written.";
    "think": THINK.loops().or("none"), "In a closed loop: how long a slot pauses after an I/O before its next one, as a user does who thinks.";
    "think_every": COUNT.loops().or("1"), "A slot thinks after so many I/Os; only with `think`.";
    "think_distribution": ARRIVAL.loops().or("even"), "How think times vary; only with `think`.";
    "max_rate": MOST_IOS.loops().or("none"), "In a closed loop: the most I/Os per second, of all its targets and workers together. What a slow \
        target falls short of is caught up with; the loop stays closed.";
    "max_bandwidth": MOST_BYTES.loops().or("none"), "The same in bytes per second; in the place of `max_rate`.";
};

/// Further keys of a `[workload.NAME]`.
pub static WORKLOAD: [Key; 27] = keys! {
    "called": NAME, "What results call it, where workloads that differ are to have one name there; the table's name if left out.";
    "targets": NAME.many(), "The targets that it runs on; all of them if left out.";
    "hosts": NAME.many(), "The hosts that carry it out; all that have its targets if left out.";
    "share": NUMBER, "Its part of the load, relative to the other workloads of the run.";
    "rate": RATE, "A rate of its own, apart from the run's load.";
    "arrival": ARRIVAL, "The gaps between the intended starts of its rate; the run's if left out. Only with `rate`.";
    "priority": COUNT, "Smaller goes first where slots are short; only with `rate`.";
    "depth": COUNT, "The most I/Os that it has in flight on each of its targets, in slots that no other workload has. Left out: it shares the \
        run's depth.";
    "start": TIME, "When it begins to issue I/O, from the beginning of the run; the warm-up is a part of that time.";
    "ramp": TIME, "From its start on, how long what it does is in no number but the errors: a warm-up of its own beside the run's.";
    "stop": TIME, "When it ends, from the beginning of the run; with it if left out.";
    "quota": QUOTA, "What ends it on each of its targets, the warm-up counted; the other workloads of the run go on.";
    "after": NAME.many(), "The workloads of the run behind whose ends it begins; they come before it. `start` and `stop` count from there.";
    "group": COUNT.or("0"), "Workloads of one number are a group, for `ends`.";
    "ends": ENDS.or("itself"), "What ends as soon as it has ended: nothing else, its group, or all of the run.";
    "verify": VERIFY, "How its data is verified: what it writes says what it is, and what it reads must.";
    "read_back": NAME, "In the place of addresses of its own: reads of all that the workload which results call so has written in earlier runs, \
        where that remembers it and it still stands.";
    "select": SELECT.or("random"), "On a tree: which file or directory is next.";
    "share_files": YES_OR_NO.or("no"), "On a tree: whether several I/Os may be on one file at once, if all their workloads say so. Making, deleting, copying \
        and moving a file is done alone all the same.";
    "per_file": PER_FILE, "On a tree: transfers on a file until the next one is taken; as many as it has blocks if left out. What is gone through in order \
goes on there later.";
    "leave_one_out": YES_OR_NO.or("no"), "On a tree, beside `per_file`: whether a worker that returns to a file skips the next transfer there, as Vdbench does.";
    "caching": CACHING, "On a tree: through the page cache or around it, where that is not as the target says.";
    "durability": DURABILITY, "On a tree: when a write counts as done, where that is not as the target says.";
    "to": NAME, "On a tree: the target whose tree, of the same numbers, gets what is copied and moved.";
    "rounds": COUNT, "On a tree of numbered names: how often its one operation is done on each of them, in order; then it has nothing more to do. Once if left out.";
    "make": MAKE, "On a tree, in a run that is a fill: it makes the tree, in the place of operations of its own.";
    "replay": REPLAY, "In the place of I/Os of its own: those of a log, each at its time, where it says; on a target of several files, in those \
        that it names. A run of such workloads alone has no warm-up and ends with them, unless it says otherwise.";
};

/// Further keys of a `[[run]]`.
pub static RUN: [Key; 25] = keys! {
    "name": NAME, "Its name; run1, run2 and so on if left out.";
    "of": NAME, "The run that it is a part of, where several belong together; its own name if left out.";
    "values": VALUES, "What it differs in from the others of its name, which its steps show; several runs may have one name where these differ.";
    "workloads": NAME.many(), "The workloads that run together; all of them if left out.";
    "hosts": NAME.many(), "The hosts that carry it out; all of them if left out.";
    "method": METHOD_FORM, "The method that it is: a question that takes more than one measurement to answer. Left out: none, or a curve where \
        `load` says so.";
    "load": LOAD.loops().or("max"), "How much is asked for.";
    "keep_shares": YES_OR_NO, "Whether the workloads' shares of the load hold at a maximum too, or each target goes as fast as it can. Left out: \
        where a workload has a share.";
    "arrival": ARRIVAL.or("exponential"), "The gaps between the intended starts of a rate.";
    "depth": DEPTH.loops(), "The most I/Os in flight on each target. Left out: a rate has as many as come in a second, between 64 and 4096, a \
        curve looks for the depth that carries most, and any other load has 32; on a tree a rate has at most 256.";
    "workers": COUNT.loops(), "Threads that submit. Left out: one per CPU, and where all I/O has a rate one for each 500,000/s of it; never more \
        than there are slots. Synchronously one for each slot, and one where all I/O has a rate.";
    "pin": COUNT.many(), "CPUs to pin the workers to, in turn.";
    "waiting": WAITING.or("thrifty"), "How a worker waits for the time of an I/O: asleep but for a few percent of a CPU, or awake.";
    "for": LASTING.or("30s"), "How long is counted; \"unlimited\" where limits or quotas end it.";
    "warmup": TIME.or("5s"), "How long is not counted, first; none in a `fill` that does not say so.";
    "interval": TIME, "How often counters are read, 10ms or more: 1s if left out, or the whole time where `for` is shorter.";
    "pause": TIME.or("0s"), "Idle before it starts.";
    "percents": NUMBER.many().or("10,50,70,80,90,100"), "The points of a curve, percent of the maximum.";
    "slo": SLO.many(), "Response-time limits at which a curve's capacity is stated.";
    "stop_service": TIME, "A curve's point with a larger mean service time ends everything.";
    "limits": LIMITS, "Ends it before its time; they count from the end of the warm-up.";
    "purpose": PURPOSE.or("measure"), "`fill` prepares a target and is in no result.";
    "start_commands": COMMAND.many(), "Commands before each of its steps; run only with --allow-commands.";
    "end_commands": COMMAND.many(), "Commands after each of its steps; run only with --allow-commands.";
    "actions": ACTION.many(), "What is done while it runs, in the order of time; not in a curve.";
};

/// The key of a name; the tables hold every name that the code asks for.
pub fn find<'k>(tables: &[&'k [Key]], name: &str) -> Option<&'k Key> {
    tables
        .iter()
        .flat_map(|t| t.iter())
        .find(|k| k.name == name)
}
