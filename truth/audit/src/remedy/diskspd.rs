//! Remedies in DiskSPD's flags.

/// The remedies that name an option, by the rules' numbers.
pub(super) const WORDS: &[(u16, &str)] = words! {
    11 "Fill the target first (-w100 -si over all of it, or `--fill`); Plimsoll refuses reads of what it can see was never written, but it cannot \
        see into a thin LUN.";
    12 "Say -Zr: each block is then unique and incompressible. To measure zero service itself, claim host.";
    13 "Say -Zr, or give -Z a size and a file of what the application writes.";
    15 "Use at least twice the largest cache on the way (-c, -f), or claim cached.";
    16 "Leave -rd out, so that no owner has more than its part.";
    17 "Take a stride (-s) that is no multiple of a slice, or another number of threads with a -T offset each.";
    19 "Say -Sh, or claim cached.";
    20 "Say -Sw (or -Sh) where the application waits for its writes, or say that they are not durable.";
    21 "Let -b be multiples of 4 KiB, or declare the size as what the application does.";
    22 "Let -B, -f and the alignment behind -r or -s be multiples of 4 KiB, better of 1 MiB.";
    23 "Give each thread an offset of its own (-T), or let them share one (-si).";
    24 "Use a flatter -rd or a larger target, as of the real load, or claim cached.";
    25 "Write more than any cache on the way holds, or let the target rest and warm up (-W) before it is read.";
    26 "Fill what was trimmed before it is read (-w100 -si over all of it).";
    27 "Spread the load over several files, or say -Sh over a file that was filled.";
    30 "Measure longer (-d), a minute at the least for what is sustained; `plimsoll soak` finds out how long it lasts.";
    31 "Set a warm-up (-W), of at least as long as the storage needs to fill its caches.";
    32 "Measure longer (-d).";
    33 "Give more (-o, -t), or use `plimsoll saturate`. As a test of latency at this depth it is sound.";
    34 "Find the least -o that carries nearly the most with `plimsoll saturate`, and take the latency from points of a curve below the maximum.";
    35 "`plimsoll curve` without a depth looks for it.";
    36 "Use a definition (.toml) with the rate as its load: the I/Os are then due on schedule and their waiting counts.";
    37 "Give more -o: as many as the rate times the longest response time.";
    38 "Measure longer (-d), or look at a percentile that the data has.";
    40 "Write over all of it first (-w100 -si, then -w100 -r), use `plimsoll soak --overwrites 3`, or claim burst.";
    41 "Use a definition (.toml) with a rate: its gaps are exponential.";
    42 "Say -d for a longer time: a sequence begins again, unless one pass is what is meant.";
    204 "Leave -rd out, take another stride (-s) or other -T offsets, and see whether the paths are used alike.";
    307 "Say -Sh, or set read_ahead_kb to what production has.";
    309 "Raise nr_requests, or use -o and -t that fit.";
    311 "Say -Sw (or -Sh), or say that the writes are not durable.";
    106 "See what answers: the file system's kind, -Sh, whether the target was ever written.";
    114 "Use more threads (-t), or a smaller -o, and state the depth that was reached.";
    411 "Run it longer (-d) with a longer -W, or use `plimsoll soak`.";
    413 "Use more threads (-t), or claim host.";
    439 "Repeat with a longer -W, or in another order.";
    154 "Fill the target before it is read (-w100 -si over all of it).";
    200 "Say -Zr, and fill the target before it is read (-w100 -si over all of it); leave --allow-unwritten out.";
};
