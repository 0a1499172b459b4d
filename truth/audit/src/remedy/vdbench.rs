//! Remedies in Vdbench's keywords.

/// The remedies that name a key, by the rules' numbers, in Vdbench's keywords.
pub(super) const WORDS: &[(u16, &str)] = words! {
    11 "Fill the target first (`--fill`, or an rd before it with rdpct=0 and seekpct=eof); Plimsoll refuses reads of what it can see was never \
        written, but it cannot see into a thin LUN.";
    12 "Leave pattern= out: each block is then unique and incompressible. To measure zero service itself, claim host.";
    13 "Leave pattern= out, or declare what reduction you mean with compratio= and dedupratio=.";
    15 "Use at least twice the largest cache on the way (size=, range=), or claim cached.";
    16 "Say hitarea= as a multiple of slice times cores, such as hitarea=8m for 8 cores of 1 MiB slices. Vdbench's hits always lie in one piece; a definition (.toml) scatters them.";
    17 "Take a stride= that is no multiple of a slice, or another number of streams=.";
    19 "Say openflags=o_direct in the sd, or in the fsd or fwd of a file system, or claim cached.";
    20 "Say openflags=o_dsync in the sd where the application waits for its writes, or say that they are not durable.";
    22 "Let offset=, range= and align= be multiples of 4 KiB, better of 1 MiB.";
    23 "Give each wd a range= of its own, or use one wd with streams=N.";
    24 "Use a larger hitarea= or range=, or fewer hits (rhpct=, whpct=), as of the real load, or claim cached.";
    25 "Write more than any cache on the way holds, or let the target rest (pause=) and warm up before it is read.";
    26 "Fill what was trimmed before it is read (an rd with rdpct=0 and seekpct=eof).";
    27 "Spread the load over several files, an sd for each, or say openflags=o_direct over a file that was filled.";
    30 "Measure longer (elapsed=), a minute at the least for what is sustained; `plimsoll soak` finds out how long it lasts.";
    31 "Set a warm-up (warmup=), of at least as long as the storage needs to fill its caches.";
    32 "Use shorter intervals (interval=) or measure longer (elapsed=).";
    33 "Give more (threads=), or use `plimsoll saturate`. As a test of latency at this depth it is sound.";
    35 "Vdbench's curve has the threads that it is given; `plimsoll curve` without a depth looks for them.";
    36 "Ask for the rate itself (iorate=1000): the I/Os are then due on schedule and their waiting counts.";
    37 "Give more threads=: as many as the rate times the longest response time.";
    38 "Measure longer (elapsed=), or ask for a percentile that the data has.";
    40 "Put an rd before it that writes over all of it (rdpct=0,seekpct=eof, then at random), use `plimsoll soak --overwrites 3`, or claim burst.";
    41 "Say distribution=exponential.";
    42 "Use seekpct=0, which begins again, unless one pass is what is meant.";
    204 "Say hitarea= as a multiple of slice times cores, leave hotband= out, take another stride= or number of streams=, and see whether the paths \
        are used alike.";
    307 "Say openflags=o_direct in the sd, or set read_ahead_kb to what production has.";
    309 "Raise nr_requests, or use threads= that fit.";
    311 "Say openflags=o_dsync in the sd, or say that the writes are not durable.";
    34 "Find the least threads= that carry nearly the most with `plimsoll saturate`, and take the latency from points of a curve below the maximum.";
    21 "Let xfersize= be multiples of 4 KiB, or declare the size as what the application does.";
    106 "See what answers: the file system's kind, openflags=, whether the target was ever written.";
    114 "Use more JVMs (jvms=) or hosts, or fewer threads=, and state the depth that was reached.";
    411 "Run it longer (elapsed=) with a longer warmup=, or use `plimsoll soak`.";
    413 "Use more JVMs (jvms=) or hosts, or claim host.";
    439 "Repeat with a longer warmup=, or in another order.";
};
