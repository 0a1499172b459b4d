//! Options that stop a run that asks for them.

use super::Effect::Refused;
use super::ValueKind::{Bool, Extent, Flag, Int, Text, Time};
use super::{Effect, Opt};

const TRIMS: Effect = Refused(
    "blocks are not trimmed between their writes and their check",
    "leave it out, or put a job with rw=trim behind it",
);
const MERGE: Effect = Refused(
    "binary traces of blktrace are not merged",
    "replay one log in fio's text format with read_iolog=",
);
const PROCESS: Effect = Refused(
    "a job is no process of its own here, so that nothing is set for it alone",
    "set it for all of plimsoll (nice, ionice, systemd-run), and leave it out",
);
const ZONED: Effect = Refused(
    "zoned devices cannot be tested yet",
    "leave it out for a device without zones",
);
const PLACEMENT: Effect = Refused(
    "placement hints are not passed to the device",
    "leave it out",
);
const RW_FLAGS: Effect = Refused("this flag is not passed to the kernel", "leave it out");
const PRIORITY: Effect = Refused(
    "I/O priorities are not passed to the kernel",
    "leave it out",
);

pub(super) const TABLE: &[Opt] = options! {
    "trim_percentage" Int, TRIMS;
    "trim_backlog" Int, TRIMS;
    "trim_backlog_batch" Int, TRIMS;
    "merge_blktrace_file" Text, MERGE;
    "merge_blktrace_scalars" Text, MERGE;
    "merge_blktrace_iters" Text, MERGE;
    "opendir" Text, Refused("the files of a folder are not looked for", "name them with filename=a:b");
    "lockfile" Text, Refused("files are not locked around each I/O", "leave it out");
    "offset_align" Int, Refused("a percentage is not rounded to a boundary of your own", "give offset= in bytes");
    "bs_unaligned"/"blocksize_unaligned" Flag, Refused("sizes of a range are multiples of its smallest", "leave it out, or give a smaller minimum");
    "file_append" Bool, Refused("files are not appended to", "give offset= and size=");
    "num_range" Int, Refused("one trim is one range", "leave it out");
    "sprandom" Bool, Refused("SSDs are not brought to a steady state so", "use plimsoll pts, which does it by rounds of random writes");
    "random_sequence_stride" Bool, Refused("such orders are not made", "leave it out for a random order");
    "serialize_overlap" Bool, Refused("I/Os in flight may overlap", "leave it out, or use iodepth=1");
    "ramp_size" Extent, Refused("a ramp ends by time", "use ramp_time=");
    "thinkcycles" Int, Refused("no CPU is burnt between I/Os", "leave it out");
    "thinktime_iotime" Time(1_000_000), Refused("a pause comes after a number of I/Os", "use thinktime_blocks=");
    "create_only" Bool, Refused(
        "files are made by the jobs that use them, before those are measured",
        "leave out this job, and give the one that uses the file its size=",
    );
    "pre_read" Bool, Refused("files are not read into the page cache first", "put a job that reads them before it, with stonewall behind");
    "unlink_each_loop" Bool, Refused("files that were made stay", "leave it out");
    "end_syncfs" Bool, Refused("a file system is not synced as a whole", "use end_fsync=1");
    "write_barrier" Int, Refused("writes are not ordered by barriers", "use fsync=");
    "sync_file_range" Text, Refused("parts of files are not synced", "use fsync=");
    "ioscheduler" Text, Refused("the host is not changed", "set it in /sys/block/*/queue/scheduler, and leave it out");
    "profile" Text, Refused("fio's profiles do not exist here", "say the load with options");
    "atomic" Bool, RW_FLAGS;
    "write_hint" Text, PLACEMENT;
    "dataplacement"/"data_placement" Text, PLACEMENT;
    "plid_select"/"fdp_pli_select" Text, PLACEMENT;
    "plids"/"fdp_pli" Text, PLACEMENT;
    "dp_scheme" Text, PLACEMENT;
    "fdp" Bool, PLACEMENT;
    "prio" Int, PRIORITY;
    "prioclass" Int, PRIORITY;
    "priohint" Int, PRIORITY;
    "cmdprio_percentage" Text, PRIORITY;
    "cmdprio_bssplit" Text, PRIORITY;
    "cmdprio_class" Text, PRIORITY;
    "cmdprio_hint" Text, PRIORITY;
    "cmdprio" Text, PRIORITY;
    "cgroup" Text, PROCESS;
    "cgroup_nodelete" Bool, PROCESS;
    "cgroup_weight" Int, PROCESS;
    "uid" Int, PROCESS;
    "gid" Int, PROCESS;
    "lockmem" Int, PROCESS;
    "nowait" Bool, RW_FLAGS;
    "uncached" Bool, RW_FLAGS;
    "force_async" Int, RW_FLAGS;
    "initial_zone_reset" Bool, ZONED;
    "zone_append" Bool, ZONED;
};
