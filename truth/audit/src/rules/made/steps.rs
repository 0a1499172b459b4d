//! What the judge of a step, whoever carries it out, and a curve find while the measurement goes on.

use crate::Maker;

made! {
    400 "ios-failed" Made(Maker::Judge) INVALID pitfalls [12] {
        summary: "I/Os failed.",
        why: "What fails is in no rate and no response time, and often comes back sooner than what succeeds. Storage that \
            refuses every tenth I/O is not a tenth slower, it is broken.",
        threshold: "Any failed or short I/O, those of the warm-up too.",
        source: "The catalogue: any error makes a result invalid.",
        example: "3 of 2,000,000 reads end with EIO: three blocks cannot be read, and the drive spent its time on them.",
        remedy: "See what failed and where (the list of errors), and repair it before you measure again.",
    }
    401 "fsyncs-failed" Made(Maker::Judge) INVALID pitfalls [12, 9] {
        summary: "Flushes failed.",
        why: "After a failed flush nobody knows what of the writes before it is safe. The kernel may have dropped them.",
        threshold: "Any failed fsync or flush.",
        source: "fsync(2): after an error the dirty pages may be gone.",
        example: "One fsync of 10,000 ends with EIO: the writes before it were answered well and may be lost.",
        remedy: "Find the cause in the kernel's log before you trust the target with data.",
    }
    402 "nothing-counted" Made(Maker::Judge) INVALID pitfalls [46] {
        summary: "The step ended in its warm-up.",
        why: "What is not counted is no result.",
        threshold: "No counted interval.",
        source: "Follows from the definition of the warm-up.",
        example: "A warm-up of 60 s and a limit of 10 GiB, which is reached after 40 s.",
        remedy: "Shorten the warm-up, or lift the limit.",
    }
    403 "nothing-completed" Made(Maker::Judge) INVALID pitfalls [46] {
        summary: "No I/O came back in the counted time.",
        why: "A rate of nothing is a target that hangs, or a step that is shorter than one of its I/Os.",
        threshold: "No completed I/O in the counted time, of a step that had something to do: where all of a tree is as its operations \
            would leave it (PL416), or nothing is left to be read back (PL153), nothing hangs.",
        source: "Follows from the numbers.",
        example: "Ten seconds of I/Os to a path that is down and retries for 30 s.",
        remedy: "See the paths and the kernel's log; measure longer.",
    }
    404 "cut-short" Made(Maker::Judge) SUSPECT pitfalls [46] {
        summary: "The step did not run its time.",
        why: "What was measured is the part until then, and what ended it may have changed it before.",
        threshold: "Interrupted, too many errors, or I/Os that did not come back.",
        source: "Follows from the numbers.",
        example: "Ended after 12 s of 60 s: too many I/Os failed.",
        remedy: "Run it again, or go on with `plimsoll resume`.",
    }
    405 "host-stood-still" Made(Maker::Judge) SUSPECT pitfalls [51, 49, 60] {
        summary: "Plimsoll itself did not run for a while.",
        why: "A generator that is stopped asks nothing and sees nothing: the I/Os that were out look slow, and those that \
            were due come late. It is the host's doing, not the target's.",
        threshold: "Half a second at a stretch, or 5 % of the counted time in pieces of more than 50 ms.",
        source: "A thread that does nothing but wake every 20 ms. Measured: stopped for 0.4 of each 0.59 s, a closed loop comes to 1,048/s where \
            3,431/s is true.",
        example: "The laptop's lid was closed for 40 s.",
        remedy: "Measure again where the host lets it run.",
    }
    406 "load-undecided" Made(Maker::Judge) SUSPECT pitfalls [29, 46] {
        summary: "Whether the load is carried cannot be told.",
        why: "A shortfall at the end can be a backlog that grows, or one that would have gone a second later. A short step \
            does not tell them apart.",
        threshold: "A shortfall of more than 0.5 % that may be chance, or that the host may have made.",
        source: "docs/output.md.",
        example: "2 % short after 5 s, with one stall in it.",
        remedy: "Run it longer (--for).",
    }
    407 "target-stood-still" Made(Maker::Judge) SUSPECT pitfalls [36] {
        summary: "The target answered nothing for a while.",
        why: "In a closed loop only as many I/Os as there are slots notice it. Percentiles by count hardly show a second in \
            which nothing happened.",
        threshold: "No completion for longer than chance, think times and windows explain. In other tools' results: intervals of a second or \
            longer with less than a tenth of the others' rate, or I/Os of a second or longer, at most 1 % of all, that are a tenth of the mean.",
        source: "Tene, How NOT to Measure Latency.",
        example: "1.2 s without an answer in 60 s: 32 of 2,000,000 I/Os show it.",
        remedy: "See what the target did: failover, a log, garbage collection.",
    }
    408 "target-stood-still-at-end" Made(Maker::Judge) SUSPECT pitfalls [36, 45] {
        summary: "The target answered nothing at the end.",
        why: "What stands still at the end has no completions that would show how long it took.",
        threshold: "No completion in the last part of the step, for longer than chance explains.",
        source: "As target-stood-still (PL407).",
        example: "The last 3 s of 30 s have no completion.",
        remedy: "See what the target did, and measure longer.",
    }
    409 "target-stalled" Made(Maker::Judge) SUSPECT pitfalls [36] {
        summary: "A backlog came and went.",
        why: "On schedule the I/Os that a stall held up have their waiting in the response time, as users would.",
        threshold: "A backlog that rose above its scatter and was worked off: a note; suspect where the waiting for it is more than half of the mean \
            response, and the plan asked for nothing of the kind.",
        source: "docs/output.md.",
        example: "At 17.2 s it stalled for 0.8 s: 4,000 I/Os waited.",
        remedy: "See what the target did then.",
    }
    410 "warm-up-short" Made(Maker::Judge) SUSPECT pitfalls [45, 18] {
        summary: "The beginning that was counted still looks like warm-up.",
        why: "Where the first part is unlike the rest, the mean is of two things.",
        threshold: "MSER-5 cuts a first part off, and the rest is steady. A note where the plan itself does something in the step.",
        source: "White (1997): the truncation that makes the rest's mean surest.",
        example: "The first 6 s of 60 s rise from 20,000 to 31,000/s.",
        remedy: "Use the longer --warmup that it names.",
    }
    411 "never-steady" Made(Maker::Judge) SUSPECT pitfalls [16] {
        summary: "The step found no level.",
        why: "A mean over what rises, falls or jumps is the rate of no time. Twice as long, it is another.",
        threshold: "Over five equal parts the series spans more than 20 % of its mean, or drifts by more than 10 %; samples of the rate (fio's, \
            each half second; DiskSPD's IopsStdDev) have a deviation of more than 30 %; or fio says attained=no of the steadystate= that it \
            was asked for. A note where the plan itself does something in the step.",
        source: "SNIA PTS: the window of five rounds.",
        example: "From 40,000/s down to 25,000/s in 60 s, and going on.",
        remedy: "Run it longer (--for) with a longer --warmup, or `plimsoll soak`.",
    }
    412 "generator-late" Made(Maker::Judge) SUSPECT pitfalls [27, 28, 51] {
        summary: "The generator itself was late.",
        why: "On schedule an I/O that the generator sends late has its lateness in the response time. It is the host's time, \
            and the target gets the blame.",
        threshold: "The 99th percentile of lateness is more than 10 % of that of the response.",
        source: "docs/output.md.",
        example: "p99 of the lateness 0.4 ms, of the response 0.9 ms.",
        remedy: "Judge by service times. Where other programs use its CPUs, give it some of its own.",
    }
    413 "workers-busy" Made(Maker::Judge) [SUSPECT, SUSPECT, SUSPECT, SUSPECT, NOTHING] pitfalls [27] {
        summary: "The rate is what the host can issue.",
        why: "A closed loop whose threads are busy all the time is bound by them. More of the target would not show.",
        threshold: "Worker threads busy at least 95 % of the time, in a closed loop; in another tool's result its threads 85 % or the \
            host's CPUs 80 %, unless they poll (fio's spdk engine, hipri, sqthread_poll).",
        source: "The catalogue has 85 % for a warning and 95 % for a claim on the device.",
        example: "Two workers at 99 %: 900,000/s from drives that carry three million.",
        remedy: "Use more --workers or a larger --batch, or --claim host.",
    }
    414 "cap-reached" Made(Maker::Judge) NOTE pitfalls [34] {
        summary: "The plan's own most held a workload back.",
        why: "The rate is what was allowed, not what the target carries.",
        threshold: "A workload came to its `max_rate` or `max_bandwidth`.",
        source: "Follows from the plan.",
        example: "max_rate = \"5000\": 5,000/s.",
        remedy: "Lift the most where the target's maximum is asked for.",
    }
    415 "cap-not-reached" Made(Maker::Judge) NOTE pitfalls [29] {
        summary: "A workload did not come to its most.",
        why: "Something else held it back: its think times, its slots or the target.",
        threshold: "Less than 99 % of `max_rate` or `max_bandwidth`.",
        source: "Follows from the plan.",
        example: "max_rate = \"50k\": 31,000/s came through 32 slots.",
        remedy: "See the depth and the response time.",
    }
    416 "nothing-to-do" Made(Maker::Judge) SUSPECT pitfalls [46] {
        summary: "Operations on a tree found nothing to do.",
        why: "A create needs a file that is missing, a delete or a read one that is there and that nobody else works on. What finds none does \
            nothing: it is in no rate and no response time, and of a rate that was asked for it is missing.",
        threshold: "Any such operation in the counted time, a note; from a quarter of all on it is suspect, and so is a workload that ended \
            before its time because no other brings it anything to do.",
        source: "Vdbench counts the same as blocked, and ends the threads of such a workload.",
        example: "Creates alone on a tree whose files are all there.",
        remedy: "Say how many of its files are there at first (`present`), let what is read be written, give the tree more files, or let as many \
            be created as are deleted. Where Vdbench's format= has made all of it, say format=(clean,only) before, or leave mkdir and create out.",
    }
    420 "ios-unfinished" Made(Maker::Rig) SUSPECT pitfalls [12] {
        summary: "I/Os were given up.",
        why: "What did not come back by the end of the drain has a time that nobody knows. Its waiting until then is in the \
            numbers, the rest is not.",
        threshold: "An I/O that is still out at the drain's deadline.",
        source: "--drain, 30 s by default.",
        example: "Two I/Os were still out 30 s after the end.",
        remedy: "See the paths and the kernel's log.",
    }
    421 "workers-stuck" Made(Maker::Rig) SUSPECT pitfalls [12, 43] {
        summary: "Worker threads did not come back.",
        why: "A thread that the kernel does not return has counters that nobody can read any more.",
        threshold: "A worker that has not ended by the drain's deadline.",
        source: "--drain.",
        example: "3 worker threads wait for a device that hangs.",
        remedy: "See the device; the numbers lack those workers.",
    }
    422 "start-late" Made(Maker::Rig) SUSPECT pitfalls [45] {
        summary: "The workers did not start together.",
        why: "The first part of the step had fewer workers than the rest.",
        threshold: "A worker began after the common instant, by more than a millisecond.",
        source: "Proposal.",
        example: "One of 16 threads began 30 ms late.",
        remedy: "Run fewer --workers, or on a host with free CPUs.",
    }
    423 "path-down" Made(Maker::Rig) NOTE pitfalls [58] {
        summary: "A path to the target was down.",
        why: "I/Os that were on it waited for a deadline and were sent again on another one.",
        threshold: "A path of an NBD target went down in the step.",
        source: "The client's own events.",
        example: "One of two paths was down from 1.5 s to 2.0 s: 7 I/Os were sent again.",
        remedy: "See the network and the server; for the response, docs/disturb.md.",
    }
    424 "writes-unconfirmed" Made(Maker::Rig) SUSPECT pitfalls [12] {
        summary: "Writes may arrive twice.",
        why: "A write that was sent again on another path may still arrive by the first one, and overwrite what was written \
            after it.",
        threshold: "A write that counted as done while a copy of it was out.",
        source: "The client's own count.",
        example: "2 writes were sent again when a path went silent.",
        remedy: "Do not rely on the content of these blocks.",
    }
    425 "record-contradicts" Made(Maker::Rig) INVALID pitfalls [] {
        summary: "The record contradicts itself.",
        why: "A record says most things more than once: the columns of a step are made from its evidence and histograms, and what it \
            counted is the sum of its intervals. Where they differ, somebody changed one of them.",
        threshold: "A column of `steps`, or of the tables of its workloads, targets and streams, that is more than 1 % off its \
            step's evidence or histograms; I/Os or bytes that are not those of the counted intervals together; an interval's rate that is \
            more than 1 % off its I/Os over its length. Looked at where a record is read: `plimsoll audit RECORD` judges by it; `show`, \
            `export` and `report` warn of it on standard error.",
        source: "By definition. What was changed alike in all of these places is not found, nor what is said once: the definition, the \
            environment, what everyone else saw. A record is not signed.",
        example: "UPDATE steps SET iops = 2 * iops: 20,000/s in the table, and 10,000/s by its intervals.",
        remedy: "Ask for the record as it was written, or measure again.",
    }
    429 "more-in-flight-than-needed" Made(Maker::Curve) NOTE pitfalls [33] {
        summary: "The maximum has more in flight than the load needs.",
        why: "What is in flight beyond the depth that carries the load waits in a queue. It adds to the maximum's response time, and \
            next to nothing to its rate.",
        threshold: "A point with at most a third of the maximum's I/Os in flight carried 89 % of its rate or more.",
        source: "Little's law: what is in flight is the rate times the mean response.",
        example: "512 in flight for 130,848/s, and 152 carried 117,909/s: the maximum's 3.9 ms are 1.3 ms there.",
        remedy: "Give as many as the point had, or no depth at all: then the curve looks for it. `plimsoll saturate` shows every depth.",
    }
    430 "closed-loop-maximum" Made(Maker::Curve) NOTE pitfalls [28, 32] {
        summary: "The maximum is that of a closed loop.",
        why: "A closed loop of N never has more than N waiting. What the same storage carries of independent arrivals is \
            less.",
        threshold: "Every curve in which the depth was given and not looked for.",
        source: "A published curve: 130,848/s in a closed loop of 512, 122,500/s by the fit of its points.",
        example: "130,848/s at 512 in flight.",
        remedy: "Take the capacity from the limits on the response time.",
    }
    431 "curve-ios-failed" Made(Maker::Curve) SUSPECT pitfalls [12] {
        summary: "I/Os of a curve failed.",
        why: "As ios-failed (PL400): the points lack what failed.",
        threshold: "Any failed I/O in a step of a curve.",
        source: "As PL400.",
        example: "12 I/Os failed at 90 %.",
        remedy: "See why before you trust the curve.",
    }
    432 "maximum-exceeded" Made(Maker::Curve) SUSPECT pitfalls [17, 45] {
        summary: "A point did more than the maximum.",
        why: "Points are percentages of the maximum. Where one of them passes it, it was no maximum, and all of them lie too \
            low.",
        threshold: "A point above the maximum, by more than both uncertainties.",
        source: "docs/method.md.",
        example: "41,000/s at 100 %, maximum 38,000: the array had warmed up.",
        remedy: "Warm up longer (--warmup), or use more slots (--depth).",
    }
    433 "same-rate-twice" Made(Maker::Curve) SUSPECT pitfalls [48] {
        summary: "Two points asked for the same rate.",
        why: "Rounding brought two percentages together.",
        threshold: "Two points of equal rates.",
        source: "docs/method.md.",
        example: "1 % and 2 % of 90/s are 1/s both.",
        remedy: "Ask for --percents farther apart.",
    }
    434 "points-saturated" Made(Maker::Curve) NOTE pitfalls [29] {
        summary: "Points of the curve are saturated.",
        why: "Their latency is how long they ran, and is left out.",
        threshold: "The saturation criterion of docs/output.md.",
        source: "docs/output.md.",
        example: "90 % and 100 % are more than the array carries of independent arrivals.",
        remedy: "Nothing, where lower points answer the question.",
    }
    435 "all-points-saturated" Made(Maker::Curve) SUSPECT pitfalls [29] {
        summary: "Every point of the curve is saturated.",
        why: "There is no latency to show.",
        threshold: "All points saturated.",
        source: "docs/output.md.",
        example: "The maximum was reached from a cache that the points no longer have.",
        remedy: "Add lower --percents, or more slots (--depth).",
    }
    436 "no-knee-too-few" Made(Maker::Curve) NOTE pitfalls [46] {
        summary: "Too few points for a knee.",
        why: "A bend takes points on both sides of it.",
        threshold: "Fewer unsaturated points of different rates than a knee needs.",
        source: "Kneedle (Satopaa and others, 2011).",
        example: "Three points, two of them saturated.",
        remedy: "Add points (--percents).",
    }
    437 "no-knee-flat" Made(Maker::Curve) NOTE pitfalls [46] {
        summary: "The curve does not rise among its points.",
        why: "Without a rise there is no bend.",
        threshold: "The response rises by no more than its uncertainty, or by a few percent.",
        source: "docs/statistics.md.",
        example: "0.51 ms at 10 % and 0.53 ms at 80 %.",
        remedy: "Add points above, where it rises (--percents).",
    }
    438 "no-knee-straight" Made(Maker::Curve) NOTE pitfalls [46] {
        summary: "The curve rises without a bend.",
        why: "A straight rise has no knee.",
        threshold: "Kneedle finds none.",
        source: "docs/statistics.md.",
        example: "0.5, 0.8, 1.1 and 1.4 ms at 20, 40, 60 and 80 %.",
        remedy: "Add points where you expect it (--percents).",
    }
    439 "response-falls" Made(Maker::Curve) SUSPECT pitfalls [17, 18, 20] {
        summary: "The response falls with more load.",
        why: "More load cannot make storage faster. Something warmed up, woke up or changed between the points.",
        threshold: "A fall along the curve beyond what isotonic regression allows for.",
        source: "docs/statistics.md; fio#1394 has it of power states.",
        example: "0.9 ms at 10 %, 0.6 ms at 50 %: the CPUs had slept.",
        remedy: "Repeat with a longer --warmup, or in another order.",
    }
    440 "percentile-unsupported" Made(Maker::Curve) NOTE pitfalls [36] {
        summary: "A limit is of a percentile that points cannot support.",
        why: "Fewer than ten I/Os beyond a percentile make it the largest of a few times.",
        threshold: "Fewer than 10 I/Os beyond it.",
        source: "Exact binomial interval.",
        example: "p99.9 of 4,000 I/Os.",
        remedy: "Run longer (--for).",
    }
    441 "interval-missing" Made(Maker::Curve) NOTE pitfalls [46] {
        summary: "How sure points are is not known.",
        why: "A short series does not tell how far its parts depend on each other.",
        threshold: "Too few batches for the series' autocorrelation.",
        source: "docs/statistics.md.",
        example: "5 s at 200/s.",
        remedy: "Run longer (--for).",
    }
    442 "curve-depth-given" Made(Maker::Curve) NOTE pitfalls [32] {
        summary: "The maximum is that of the depth that was given.",
        why: "Whether more would carry more was not tried.",
        threshold: "A depth was given.",
        source: "docs/method.md.",
        example: "depth = 32: 40,000/s, and 64 were not tried.",
        remedy: "Leave --depth out.",
    }
    443 "curve-depth-found" Made(Maker::Curve) NOTE pitfalls [32] {
        summary: "The depth that carries most was looked for.",
        why: "It is the least that comes within 2 % of the most.",
        threshold: "Always where the depth was looked for.",
        source: "docs/method.md.",
        example: "64 on each target.",
        remedy: "Nothing is to be done.",
    }
    444 "curve-depth-at-limit" Made(Maker::Curve) SUSPECT pitfalls [32] {
        summary: "The search for the depth ended at its limit.",
        why: "The rate still grew at the greatest depth that was tried.",
        threshold: "The last depth was better than the one before by more than 2 %.",
        source: "docs/method.md.",
        example: "1,024 in flight, and it still grew.",
        remedy: "Allow more in flight with --depth, twice what was tried.",
    }
    445 "maximum-unlike-search" Made(Maker::Curve) SUSPECT pitfalls [17, 24] {
        summary: "The maximum is unlike what the search had found.",
        why: "A few seconds and a longer time say different things: what was seen in the search does not last, or the target \
            changed.",
        threshold: "The maximum run and the search's best differ by more than their uncertainties and a tenth.",
        source: "docs/method.md.",
        example: "52,000/s in 3 s, 41,000/s in 60 s.",
        remedy: "Measure longer (--for); `plimsoll soak` shows what lasts.",
    }
    446 "curve-stopped" Made(Maker::Curve) NOTE pitfalls [48] {
        summary: "The curve stopped at its limit of service time.",
        why: "What was asked for: no point after it was measured.",
        threshold: "stop_service, or Vdbench's stopcurve.",
        source: "The definition.",
        example: "Stopped after 80 %.",
        remedy: "Nothing is to be done.",
    }
    447 "curve-cut-short" Made(Maker::Curve) SUSPECT pitfalls [46] {
        summary: "The curve did not come to its end.",
        why: "Points are missing.",
        threshold: "Fewer points than were asked for.",
        source: "The definition.",
        example: "4 of 6 points.",
        remedy: "Go on with `plimsoll resume`.",
    }
    448 "curve-undecided" Made(Maker::Curve) SUSPECT pitfalls [] {
        summary: "A curve that has no answer to what it was asked.",
        why: "A capacity between points that were not measured, or behind a host that was late, is a guess.",
        threshold: "An asked limit was neither kept nor broken by a point that counts, no point kept up, or the curve ended early.",
        source: "docs/method.md.",
        example: "Asked for p99 below 2 ms; every point up to 100 % kept it.",
        remedy: "Measure the curve again with what its sentence asks for: other --percents, a longer --for or --budget, CPUs of its own (--pin).",
    }
    449 "maximum-not-held" Made(Maker::Curve) SUSPECT pitfalls [11, 14, 24] {
        summary: "A point carried far less than the maximum that it is a part of.",
        why: "A point below the maximum is carried, or the maximum was not one that lasts: a cache or a pool of free blocks was used up in it.",
        threshold: "A point below 100 % reached at least a fifth less than it was offered, and was saturated.",
        source: "docs/method.md.",
        example: "The maximum run said 1,714/s, the point of 90 % carried 597/s.",
        remedy: "Precondition the target (--precondition), measure longer (--for), and see `plimsoll soak`.",
    }
}
