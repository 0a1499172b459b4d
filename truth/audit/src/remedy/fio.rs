//! Remedies in fio's options.

/// The remedies that name an option, by the rules' numbers.
pub(super) const WORDS: &[(u16, &str)] = words! {
    11 "Fill the target first (a job with rw=write before it, with stonewall behind it; or `--fill`); Plimsoll refuses reads of what it can see was \
        never written, but it cannot see into a thin LUN.";
    12 "Leave zero_buffers and buffer_pattern= out: each block is then unique and incompressible. To measure zero service itself, claim host.";
    13 "Leave buffer_pattern= out, or declare what reduction you mean with buffer_compress_percentage= and dedupe_percentage=.";
    15 "Use at least twice the largest cache on the way (size=, filesize=), or claim cached.";
    16 "Say random_distribution=random, so that no owner has more than its part.";
    17 "Take a gap in rw=write:SIZE that is no multiple of a slice, or another number of jobs with an offset= each.";
    19 "Say direct=1 (ioengine=mmap heeds none: take another one with it), or claim cached.";
    20 "Say sync=dsync where the application waits for its writes, or say that they are not durable.";
    21 "Let bs= be multiples of 4 KiB, or declare the size as what the application does.";
    22 "Let offset=, size= and ba= be multiples of 4 KiB, better of 1 MiB.";
    23 "Give each job an offset= of its own, or clones an offset_increment=.";
    24 "Use a flatter random_distribution= or a larger size=, as of the real load, or claim cached.";
    25 "Write more than any cache on the way holds, or let the target rest and warm up (ramp_time=) before it is read.";
    26 "Fill what was trimmed before it is read (a job with rw=write before it, and stonewall).";
    27 "Spread the load over several files (nrfiles=, or a filename= for each job), or say direct=1 over a file that was filled.";
    30 "Measure longer (runtime= with time_based), a minute at the least for what is sustained; `plimsoll soak` finds out how long it lasts.";
    31 "Set a warm-up (ramp_time=), of at least as long as the storage needs to fill its caches.";
    32 "Measure longer (runtime= with time_based).";
    33 "Give more (iodepth=, numjobs=), or use `plimsoll saturate`. As a test of latency at this depth it is sound.";
    34 "Find the least iodepth= that carries nearly the most with `plimsoll saturate`, and take the latency from points of a curve below the \
        maximum.";
    35 "`plimsoll curve` without a depth looks for it.";
    36 "Let `plimsoll fio` run it: there the rate is a schedule and the waiting counts; in fio io_submit_mode=offload counts a part of it.";
    37 "Give more iodepth=: as many as the rate times the longest response time.";
    38 "Measure longer (runtime= with time_based), or ask for a percentile that the data has.";
    40 "Put jobs before it that write over all of it (rw=write, then rw=randwrite, each with stonewall), use `plimsoll soak --overwrites 3`, or \
        claim burst.";
    41 "Say rate_process=poisson.";
    42 "Say time_based, with which it begins again, unless one pass is what is meant.";
    43 "Part the jobs by stonewall, so that each runs alone, or make one mixed load of them (rw=randrw with rwmixread=, bssplit=, flow=).";
    204 "Say random_distribution=random, take another gap in rw= or other offset= of the jobs, and see whether the paths are used alike.";
    307 "Say direct=1, or set read_ahead_kb to what production has.";
    309 "Raise nr_requests, or use an iodepth= that fits.";
    311 "Say sync=dsync, or say that the writes are not durable.";
    106 "See what answers: the file system's kind, direct=, whether the target was ever written.";
    114 "Use more numjobs=, or a smaller iodepth=, and state the depth that was reached.";
    411 "Run it longer (runtime= with time_based) with a longer ramp_time=, or use `plimsoll soak`.";
    413 "Use more numjobs= or a larger iodepth_batch_submit=, or claim host.";
    439 "Repeat with a longer ramp_time=, or in another order.";
};
