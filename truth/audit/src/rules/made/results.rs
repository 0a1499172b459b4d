//! What results of other tools say of themselves, where no rule for runs of ours asks the same. Those that do are found there under
//! their own numbers.

use crate::Maker;

made! {
    500 "null-engine" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The engine did no I/O.",
        why: "fio's null engine answers each I/O itself. It is there to test fio, and no storage is in its numbers.",
        threshold: "ioengine=null.",
        source: "fio's manual.",
        example: "2,400,000/s of 300 ns each, whatever filename= says.",
        remedy: "Use an engine that reaches the storage: io_uring or libaio with direct=1.",
    }
    501 "counts-disagree" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The count of I/Os is not the rate times the time.",
        why: "The tool divides the one by the other. Where they do not belong together, one of them is of another run.",
        threshold: "A difference of more than 5 %, and of more than rounding explains.",
        source: "By definition.",
        example: "924,806 I/Os in 30.001 s, and 27,493/s.",
        remedy: "See whether the result was edited, or put together from several runs.",
    }
    502 "depth-above-threads" Made(Maker::Reader) SUSPECT pitfalls [32] {
        summary: "More I/Os were in flight than the threads that are named can have.",
        why: "Vdbench's threads are of one target on one host. Written beside a figure of several, they are not the concurrency \
            that it took.",
        threshold: "More I/Os in flight than 1.05 times the threads times the targets that are known.",
        source: "Little (1961). A published curve has threads=256 beside 511 in flight.",
        example: "threads=256 and 511 in flight: there were two targets, or two hosts.",
        remedy: "Name the I/Os that were in flight beside the result, and on how many targets and hosts.",
    }
    503 "depth-ignored" Made(Maker::Reader) SUSPECT pitfalls [32, 43] {
        summary: "A depth was asked of an engine that has one I/O out at a time.",
        why: "A synchronous engine waits for each I/O, so iodepth has no effect: the result is of a depth of 1 for each job. libaio does so, too, \
            while it submits what goes through the page cache.",
        threshold: "A depth above 1 with a synchronous engine, or with threads that are in a submission (slat) for 80 % of the time.",
        source: "fio's manual.",
        example: "ioengine=psync with iodepth=32, quoted as a depth of 32.",
        remedy: "Use ioengine=io_uring or libaio with direct=1, or numjobs= for more at a time.",
    }
    510 "percentiles-disordered" Made(Maker::Reader) INVALID pitfalls [37] {
        summary: "A higher percentile is smaller than a lower one.",
        why: "Percentiles of one set of times rise. Those that do not were averaged, or put together from several runs.",
        threshold: "Any that falls.",
        source: "By definition.",
        example: "p95 of 1.2 ms beside p99 of 0.9 ms.",
        remedy: "Do not use these times: they were put together from several runs, or averaged.",
    }
    511 "percentile-above-max" Made(Maker::Reader) INVALID pitfalls [35] {
        summary: "A percentile is above the largest time.",
        why: "No time is above the largest one. A percentile that is comes from a bucket's end, or from another run.",
        threshold: "More than 2 % above, which is more than a histogram's bucket is wide.",
        source: "fio's buckets are 1/64 wide; its issue 1984 shows one above.",
        example: "p99.99 of 5.2 ms beside a largest time of 4.1 ms.",
        remedy: "Do not use the high percentiles.",
    }
    512 "mean-outside" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The mean is not between the smallest and the largest time.",
        why: "A mean lies between them, whatever was measured.",
        threshold: "More than 2 % and 1 us outside.",
        source: "By definition.",
        example: "A mean of 0.78 ms beside a smallest time of 0.99 ms.",
        remedy: "Do not use these times.",
    }
    513 "spread-impossible" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The standard deviation is larger than times with this mean, minimum and maximum can have.",
        why: "The most that values can scatter is half of them at each end. A larger spread has a longer time in it than the one that \
            is printed as the largest.",
        threshold: "A variance more than 10 % above (max - mean)(mean - min).",
        source: "Bhatia and Davis (2000).",
        example: "A standard deviation of 9.1 ms beside a largest time of 2 ms.",
        remedy: "Do not use the standard deviation, and see whether the largest time is that of one interval only.",
    }
    514 "spread-too-small" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The standard deviation is smaller than times with these extremes or percentiles can have.",
        why: "The smallest and the largest of n times alone make a part of the spread, and between two percentiles lies at least their \
            share.",
        threshold: "More than 10 % below (max - min) / sqrt(2 n), or below the least that the percentiles can have about the mean.",
        source: "Nagy (1918).",
        example: "A standard deviation of 0 beside times of 20 us to 150 ms.",
        remedy: "Do not use the times: one of the numbers is not of this run.",
    }
    515 "percentiles-against-mean" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "Mean and percentiles are of different I/Os.",
        why: "Between two percentiles every time is at least the lower and at most the upper one, which bounds the mean: it is (1 - q) times the \
            percentile q at least.",
        threshold: "A mean more than 5 % and 1 us outside of these bounds; of a tool's result with a largest time and three percentiles or more, of a claim \
            with any.",
        source: "Arithmetic; histograms' buckets are up to 2 % wide.",
        example: "A mean of 20 us beside a median of 240 us.",
        remedy: "Do not use the times: mean and percentiles are of different I/Os.",
    }
    516 "histogram-against-mean" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "Mean and histogram are of different I/Os.",
        why: "Each time lies within its bucket, which bounds the mean.",
        threshold: "A mean more than 5 % and 1 us outside of these bounds.",
        source: "Arithmetic; shares are told to 0.01 %.",
        example: "A mean of 254 us where half of the I/Os took 500 to 750 us.",
        remedy: "Do not use the times: mean and histogram are of different I/Os.",
    }
    517 "histogram-against-percentiles" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "Percentiles and histogram are of different I/Os.",
        why: "Both are counts of the same times.",
        threshold: "A percentile above a time by 2 % within which the shares have 1 % more of the I/Os than it says, or the other way \
            round.",
        source: "Arithmetic; shares are told to 0.01 %, and buckets are up to 2 % wide.",
        example: "A median of 40 us where 64 % of the I/Os took less than 20 us.",
        remedy: "Do not use the times: percentiles and shares are of different I/Os.",
    }
    518 "longer-than-run" Made(Maker::Reader) INVALID pitfalls [33] {
        summary: "The largest time is longer than the run.",
        why: "An I/O that is counted began and ended in the run. Where one took longer, the clock of the times is wrong, and with it \
            every mean.",
        threshold: "More than a minute above warm-up and counted time together.",
        source: "By definition; diskspd-for-linux with -W0 has shown the machine's uptime, 1,953 s, in a run of 10 s.",
        example: "1,953 s in a run of 10 s.",
        remedy: "Do not use these times: repeat with a warm-up, or with another version of the tool.",
    }
    519 "minimum-impossible" Made(Maker::Reader) NOTE pitfalls [33] {
        summary: "The smallest time is shorter than a system call.",
        why: "An I/O crosses into the kernel and back. Where a batch is stamped once, its first ones seem to take no time.",
        threshold: "Below 1 us, beside a mean above 5 us.",
        source: "A system call takes a microsecond or more with its completion.",
        example: "A smallest time of 0.2 us beside a mean of 312 us.",
        remedy: "Take the smallest time for none. Smaller batches have less of this error.",
    }
    520 "shares-of-nothing" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "Shares of all I/Os do not add up to all of them.",
        why: "Each I/O has one time and one depth.",
        threshold: "Less than 90 %, or more than 110 % (of depths where nothing is written: fio counts fsyncs among them, and before 3.12 \
            the I/Os of ramp_time= too).",
        source: "By definition; fio rounds each share below 0.01 % up.",
        example: "Depths that add up to 50 %.",
        remedy: "See whether the result was edited, or put together from several runs.",
    }
    521 "timed-against-counted" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "There are more times than I/Os, or the other way round.",
        why: "Each I/O has one time; only those in flight at both ends may lack it.",
        threshold: "A difference of more than 5 % and 10,000, without errors.",
        source: "By definition.",
        example: "924,806 I/Os and 124,811 times.",
        remedy: "See whether the result was edited, or put together from several runs.",
    }
    522 "samples-disordered" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "The mean of the rate's samples is not between the smallest and the largest of them.",
        why: "A mean lies between them, whatever was measured.",
        threshold: "More than 2 % outside.",
        source: "By definition.",
        example: "A mean of 1,500/s beside a largest sample of 166/s.",
        remedy: "Do not use the scatter of the rate.",
    }
    523 "fields-disagree" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "Two fields that say the same differ.",
        why: "A tool makes the one of the other: bandwidth of bytes and time, totals of parts. Where they differ, one was changed.",
        threshold: "More than 2 %, and more than rounding explains; or above what cannot be exceeded.",
        source: "By definition: fio makes its bandwidths from bytes and time, and its lat begins before its clat.",
        example: "bw of 129,318 KiB/s beside io_bytes and runtime of 119,318.",
        remedy: "See whether the result was edited, or put together from several runs.",
    }
    524 "average-disagrees" Made(Maker::Reader) SUSPECT pitfalls [48] {
        summary: "The average is not that of the intervals that it covers.",
        why: "Its own lines say which they are, so the mean can be made again.",
        threshold: "More than 1 % off in the rate or the bandwidth, 2 % in the mean, or half a percent of the I/Os in the mix; or an interval with a longer time.",
        source: "By definition.",
        example: "avg_2-5 of 114,968/s over intervals of 104,968.",
        remedy: "See whether lines were edited or left out.",
    }
    525 "bandwidth-disagrees" Made(Maker::Reader) SUSPECT pitfalls [65] {
        summary: "Rate times transfer size is not the bandwidth.",
        why: "An I/O had another size than was asked for, or one of the numbers has another unit.",
        threshold: "More than 2 %; a MB taken for a MiB is 4.9 %.",
        source: "By definition.",
        example: "41,000/s of 8 KiB are 320 MiB/s, and 336 are printed: MB.",
        remedy: "Compare in bytes each second, and see whether all I/Os had the size that is named.",
    }
    530 "rate-exceeded" Made(Maker::Reader) SUSPECT pitfalls [30, 48] {
        summary: "More came than the rate that was asked for.",
        why: "A limiter that passes its rate offers another load than the one that is written beside the figure.",
        threshold: "More than 5 % more, and more than chance explains.",
        source: "fio's poisson rate is 5 % high at 100,000/s and 2.5 times at 700,000/s, from rounding to microseconds.",
        example: "rate_iops=700000 with rate_process=poisson: 1,750,000/s.",
        remedy: "Use an even rate (rate_process=linear), or more jobs with a lower rate each.",
    }
    531 "rate-over-the-longest" Made(Maker::Reader) SUSPECT pitfalls [45, 65] {
        summary: "The rate of several jobs is their I/Os over the time of the longest.",
        why: "Where jobs end apart, the sum is divided by a time in which most of them did nothing: at no time was this the rate.",
        threshold: "Samples of the rate with a mean of more than 1.5 times the rate, of several jobs that are added up. fio takes no \
            sample of a half second without an I/O, so this is asked from 10/s a job on. Of elbencho the rate until its first thread was done.",
        source: "By definition of group_reporting.",
        example: "9,000/s is printed, and samples while all ran say 79,300/s.",
        remedy: "Take each job's own rate (without group_reporting), or let all jobs run for the same time (time_based with runtime=).",
    }
    532 "less-with-more-depth" Made(Maker::Reader) SUSPECT pitfalls [16, 17] {
        summary: "The same load with more depth carried far less.",
        why: "What waits in a queue costs next to nothing. Where more depth carries less, something changed between the two runs.",
        threshold: "At least 1.2 times the depth and less than 0.7 times the rate, of two runs in a row on the same targets.",
        source: "Our choice.",
        example: "105,000/s at 32, 50,000/s at 64.",
        remedy: "Repeat both runs in the other order: either the target's state changed, or what makes the load is in its own way.",
    }
    540 "stall-hidden" Made(Maker::Reader) SUSPECT pitfalls [28] {
        summary: "A stall is in the largest time and in hardly any other number.",
        why: "A loop that waits for answers sends next to nothing while the target stands still, and counts the stall once for each \
            slot. Users would have gone on asking.",
        threshold: "The largest time S is 10 times p99.9 (or 20 times the mean, where no percentile is known), more came due in it \
            than there are slots, and S^2/2T is more than 10 % of the mean. A note where no rate was asked for, but where a single I/O in flight \
            stood still for a second and a tenth of the run.",
        source: "Tene, How NOT to Measure Latency: of a stall S in a time T, I/Os that are due wait S/2 on average.",
        example: "One time of 152 ms beside p99.9 of 8 ms in 30 s: at a rate the mean is 560 us and not 187.",
        remedy: "Measure at a rate with times from the intended start (`plimsoll run --rate`), and find the stall.",
    }
    541 "sent-not-intended" Made(Maker::Reader) NOTE pitfalls [28] {
        summary: "Times begin when an I/O was sent, not when it was due.",
        why: "At a limited rate an I/O that waits for a slot is late, and its wait is in no number of this tool.",
        threshold: "A limited rate, with any of these tools.",
        source: "fio's manual on rate_process and its issue 1394; Vdbench's, DiskSPD's and elbencho's stamps are taken at the call.",
        example: "rate_iops=5000 with a p99 of 2 ms: what waited before it was sent is not in it.",
        remedy: "Take the percentiles as the service's, not as what a user of that rate sees.",
    }
    542 "square-wave-limit" Made(Maker::Reader) SUSPECT pitfalls [31] {
        summary: "The limiter sends at full speed until a second's share is used up.",
        why: "The load is then a square wave: full queues, then none. Its times are those of the maximum.",
        threshold: "A rate limited by elbencho's --limitread or --limitwrite.",
        source: "elbencho's rate limiter: 2,000/s had a mean of 619 us where an even rate has 76 us.",
        example: "--limitread 2000 with 8 threads.",
        remedy: "Measure at an even or random rate with another tool.",
    }
    543 "throttle-in-latency" Made(Maker::Reader) SUSPECT pitfalls [34] {
        summary: "The limiter's own wait is in the times.",
        why: "Where a rate is kept, slots are free. If all of them are busy all the same, the times have the wait for the limiter in \
            them.",
        threshold: "A limited rate that was kept within 2 %, and at least 0.9 of all slots busy.",
        source: "diskspd-for-linux -g: 2,000/s with 32 slots had a mean of 15.975 ms where the kernel saw 0.1 ms.",
        example: "2,000/s of 32 slots with a mean of 15.975 ms.",
        remedy: "Do not use these times. Measure the rate with another tool.",
    }
    544 "read-what-was-made" Made(Maker::Reader) SUSPECT pitfalls [2, 5] {
        summary: "The tool made the file that was read, with zeros or one pattern in it.",
        why: "A target that detects zeros or equal blocks answers them without its medium, and holes are answered by the file system.",
        threshold: "Reads of a file that the tool made for the run (DiskSPD's -c).",
        source: "DiskSPD's creation writes zeros, bytes from 0 to 255, or nothing.",
        example: "-c64G and reads only: the array serves a map.",
        remedy: "Write the whole file once with -w100 -Zr before it is read, and leave -c out.",
    }
    545 "known-defect" Made(Maker::Reader) SUSPECT pitfalls [48] {
        summary: "The tool's version is known to do this wrong.",
        why: "Tools have defects that change what was measured or what is told of it, and a result does not show them. Which versions have them \
            is known.",
        threshold: "A version that has the defect, and a run that it may have met.",
        source: "The issues of fio and the notes of DiskSPD, each named in the finding.",
        example: "fio 3.33 at random on 20 TiB in blocks of 4 KiB: its 32-bit numbers cannot reach all of them.",
        remedy: "Measure again with a version without it, or so that it is not met.",
    }
    550 "beyond-the-ports" Made(Maker::Reader) INVALID pitfalls [48] {
        summary: "More bytes are claimed than the ports carry.",
        why: "A line has a rate, and its encoding takes a part of it. What is above that came from this side of the ports: from a cache of \
            the host, from blocks that were never sent, or from a slip of the pen.",
        threshold: "More bytes each second in one direction than the ports' line rate less its encoding; suspect where only reads and writes \
            together have room and no mix is named.",
        source: "FC-PI: 8GFC is 8.5 Gbaud with 8b/10b, 850 MB/s; 16GFC and above 64b/66b. InfiniBand QDR 4 GB/s, EDR 12.5 GB/s; SAS-3 1.2 GB/s a \
            lane; PCI Express 3.0 985 MB/s a lane. Frames take 3 % more, which is not counted.",
        example: "455,000/s of 16 KiB by 4 ports of 8 Gbit/s: 7.5 GB/s of 3.4.",
        remedy: "Ask for the ports' own counters, and for the transfer size.",
    }
    551 "more-at-larger-size" Made(Maker::Reader) SUSPECT pitfalls [48] {
        summary: "Larger transfers are claimed to be done at a higher rate than smaller ones.",
        why: "A larger transfer has the work of a smaller one and more bytes to move. Where it is quicker, the two are not of the same load.",
        threshold: "More than 5 % and rounding, with the same mix and order and no less concurrency for the smaller size.",
        source: "By definition.",
        example: "200,000/s of 4 KiB and 264,000/s of 8 KiB.",
        remedy: "Ask for both runs' concurrency and caches.",
    }
    552 "fewer-bytes-at-larger-size" Made(Maker::Reader) NOTE pitfalls [40] {
        summary: "Larger transfers carry fewer bytes each second than smaller ones.",
        why: "The larger the transfer, the less its overhead. Where bytes each second fall, transfers may be split on the way, or limits of \
            another kind are reached.",
        threshold: "More than 20 % fewer, with the same mix and order and no less concurrency.",
        source: "A published test of 1 MiB arrived at the array as 256 KiB.",
        example: "1.7 GiB/s with 4 KiB and 700 MiB/s with 1 MiB.",
        remedy: "Compare the size that was sent with the size that the array saw.",
    }
    553 "mix-above-both" Made(Maker::Reader) SUSPECT pitfalls [48] {
        summary: "A mix is claimed to do more reads, or more writes, than these alone.",
        why: "Each I/O of a mix is a read or a write. Both may have ways of their own, but neither is quicker for the other.",
        threshold: "More than 5 % and rounding above what reads alone do over their share, or writes alone over theirs, with the same transfer size and order.",
        source: "By definition: rate x share of reads is the rate of reads.",
        example: "160,000 writes, 455,000 reads and 600,000 of 70/30, of which 180,000 are writes.",
        remedy: "Ask for all three with the same concurrency and on the same area.",
    }
}
