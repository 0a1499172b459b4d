//! What the other methods find.

use crate::Maker;

made! {
    450 "adaptive-budget" Made(Maker::Method("adaptive")) NOTE pitfalls [46] {
        summary: "What an adaptive curve did with its time.",
        why: "It says which stages and limits the time was enough for.",
        threshold: "Always at its end.",
        source: "docs/curve-adaptive.md.",
        example: "38 steps in 2m 51s of 3m.",
        remedy: "Nothing is to be done.",
    }
    451 "adaptive-budget-short" Made(Maker::Method("adaptive")) SUSPECT pitfalls [46] {
        summary: "The time of an adaptive curve was too short for all of it.",
        why: "What is left out is not known as well as was asked for.",
        threshold: "A stage or a limit that was not reached.",
        source: "docs/curve-adaptive.md.",
        example: "The knee was found, the capacity at p99=1ms not.",
        remedy: "Give a longer --budget.",
    }
    452 "adaptive-cut-short" Made(Maker::Method("adaptive")) SUSPECT pitfalls [46] {
        summary: "An adaptive curve ended early.",
        why: "It says what its whole points say.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Interrupted after 12 points.",
        remedy: "Go on with `plimsoll resume`.",
    }
    453 "capacity-between" Made(Maker::Method("adaptive")) NOTE pitfalls [46] {
        summary: "A capacity lies between two points.",
        why: "It is known no better than the points lie apart.",
        threshold: "A limit that no point is near.",
        source: "docs/curve-adaptive.md.",
        example: "Between 31,000 and 34,000/s.",
        remedy: "Give it more time (--budget).",
    }
    454 "hysteresis" Made(Maker::Method("adaptive")) SUSPECT pitfalls [17, 18] {
        summary: "On the way down the response was another than on the way up.",
        why: "The state of the storage depends on what came before: a cache, a queue, garbage that was left.",
        threshold: "Points of the same rate differ by more than their uncertainties.",
        source: "docs/curve-adaptive.md.",
        example: "0.9 ms up and 1.4 ms down at 20,000/s.",
        remedy: "State the direction, and let it settle between points.",
    }
    455 "no-hysteresis" Made(Maker::Method("adaptive")) NOTE pitfalls [17] {
        summary: "On the way down the response was that on the way up.",
        why: "The points do not depend on their order.",
        threshold: "Points of the same rate agree.",
        source: "docs/curve-adaptive.md.",
        example: "0.9 ms both ways.",
        remedy: "Nothing is to be done.",
    }
    456 "burst-allowance" Made(Maker::Method("adaptive")) NOTE pitfalls [24, 25] {
        summary: "What the target lets through at first is not what it carries.",
        why: "A limiter by tokens lets a burst pass that was saved up. A short point behind a rest looks carried that would not last.",
        threshold: "Behind a full load, without a rest, the rate that is kept is lower than behind a rest.",
        source: "docs/curve-adaptive.md.",
        example: "A limit of 400/s with two seconds of burst was taken for 412/s.",
        remedy: "Nothing is to be done: the capacity is the one behind a full load.",
    }
    460 "campaign-cut-short" Made(Maker::Method("saturate")) SUSPECT pitfalls [46] {
        summary: "Not all combinations were measured.",
        why: "Those that are missing may be the ones that matter.",
        threshold: "Fewer than planned.",
        source: "The record.",
        example: "7 of 12.",
        remedy: "Go on with `plimsoll resume`.",
    }
    461 "depth-at-limit" Made(Maker::Method("saturate")) SUSPECT pitfalls [32] {
        summary: "The rate still grew at the greatest depth.",
        why: "It may carry more, and its least concurrency is not known.",
        threshold: "As curve-depth-at-limit (PL444).",
        source: "docs/saturate.md.",
        example: "512 on each target.",
        remedy: "Allow more in flight with --depth, twice what was tried.",
    }
    462 "less-than-in-search" Made(Maker::Method("saturate")) SUSPECT pitfalls [24, 17] {
        summary: "The longer measurement reached less than the search.",
        why: "What was seen in a few seconds does not last.",
        threshold: "Less by more than a tenth.",
        source: "docs/saturate.md.",
        example: "52,000/s searched, 31,000/s measured.",
        remedy: "Measure longer; see `plimsoll soak`.",
    }
    463 "saturated-cells" Made(Maker::Method("sweep")) NOTE pitfalls [29] {
        summary: "Cells asked for more than the target carries.",
        why: "They have no response time.",
        threshold: "The saturation criterion.",
        source: "docs/output.md.",
        example: "3 cells.",
        remedy: "Ask for less there.",
    }
    464 "sweep-cut-short" Made(Maker::Method("sweep")) SUSPECT pitfalls [46] {
        summary: "Not all steps of a sweep were measured.",
        why: "Cells have unequal repeats, or none.",
        threshold: "Fewer than planned.",
        source: "The record.",
        example: "30 of 45.",
        remedy: "Go on with `plimsoll resume`.",
    }
    465 "single-repeats" Made(Maker::Method("sweep")) SUSPECT pitfalls [63] {
        summary: "Each cell was measured once.",
        why: "How far repeats lie apart is not known.",
        threshold: "One repeat.",
        source: "Maricq and others (OSDI 2018).",
        example: "Two cells 4 % apart.",
        remedy: "Give at least 2 repeats, better 5 (--repeats 5).",
    }
    466 "target-changed" Made(Maker::Method("sweep")) SUSPECT pitfalls [17] {
        summary: "The target changed while it was measured.",
        why: "From the first step to the last it came to carry more, or less: what was measured late had another target.",
        threshold: "A drift over the steps beyond chance; or a fall by a fifth within a repeat, which the later ones have from their beginning.",
        source: "docs/sweep.md.",
        example: "8 % less from the first round to the last.",
        remedy: "Precondition it, or let it rest; a drawn order keeps it from favouring a cell.",
    }
    467 "workers-at-limit" Made(Maker::Method("saturate")) SUSPECT pitfalls [27] {
        summary: "The rate still grew with the most workers that were tried.",
        why: "It may carry more with more submitters: a lock or a queue for each of them was the limit, not the storage.",
        threshold: "As curve-depth-at-limit (PL444), over workers.",
        source: "docs/saturate.md.",
        example: "16 workers on 2 CPUs, and 9 % more than with 8.",
        remedy: "Allow more of them with --workers.",
    }
    470 "soak-cut-short" Made(Maker::Method("soak")) SUSPECT pitfalls [46] {
        summary: "A soak did not come to its end.",
        why: "The cliff may come after it.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Six of 18 hours.",
        remedy: "Go on with `plimsoll resume`.",
    }
    471 "soak-few-overwrites" Made(Maker::Method("soak")) SUSPECT pitfalls [15, 14] {
        summary: "A soak wrote the targets too seldom.",
        why: "Garbage collection begins when the flash and its spare were written once, and is settled after three times.",
        threshold: "Fewer than 3 times.",
        source: "Greedy garbage collection, simulated: settled after 2.5 to 3 times.",
        example: "0.8 times in an hour.",
        remedy: "Soak longer; a file or device with --overwrites 3.",
    }
    472 "soak-writes-nothing" Made(Maker::Method("soak")) NOTE pitfalls [15] {
        summary: "A soak wrote nothing.",
        why: "There was nothing to collect.",
        threshold: "No written byte.",
        source: "docs/soak.md.",
        example: "A soak of reads.",
        remedy: "Add writes, where the write cliff is asked for.",
    }
    473 "soak-not-settled" Made(Maker::Method("soak")) NOTE pitfalls [16] {
        summary: "After the cliff no level stayed.",
        why: "What is sustained is not known.",
        threshold: "No steady window after the last change.",
        source: "docs/soak.md.",
        example: "It still fell at the end.",
        remedy: "Soak longer (--for).",
    }
    474 "soak-rounds-unsteady" Made(Maker::Method("soak")) SUSPECT pitfalls [16, 15] {
        summary: "Preconditioning ended unsteady.",
        why: "The soak began on storage in transition.",
        threshold: "25 rounds without a steady window.",
        source: "SNIA PTS.",
        example: "25 rounds.",
        remedy: "Soak longer (--for), or look for what changes the target.",
    }
    475 "soak-overloaded" Made(Maker::Method("soak")) SUSPECT pitfalls [29] {
        summary: "A soak asked for more than is carried.",
        why: "Its response times say how long it was.",
        threshold: "Not done from the start.",
        source: "docs/soak.md.",
        example: "40,000/s asked of 31,000.",
        remedy: "Ask for less (--rate), or soak at max.",
    }
    476 "soak-host-late" Made(Maker::Method("soak")) SUSPECT pitfalls [51] {
        summary: "The host was in the way of a soak.",
        why: "That time is not the target's.",
        threshold: "More than a second in all.",
        source: "docs/soak.md.",
        example: "12 s in 4 hours.",
        remedy: "Measure where the host has nothing else to do.",
    }
    480 "disturb-not-done" Made(Maker::Method("disturb")) SUSPECT pitfalls [12] {
        summary: "The disturbance did not happen.",
        why: "What was measured is the undisturbed load.",
        threshold: "The action failed, or the step ended before it.",
        source: "The action's own end.",
        example: "exit status: 1.",
        remedy: "See its output.",
    }
    481 "disturb-not-undone" Made(Maker::Method("disturb")) SUSPECT pitfalls [12] {
        summary: "The disturbance was not undone.",
        why: "There is no recovery to measure.",
        threshold: "The second action failed.",
        source: "The action's own end.",
        example: "The link stayed down.",
        remedy: "See its output, and undo it by hand.",
    }
    482 "disturb-load-too-low" Made(Maker::Method("disturb")) NOTE pitfalls [36] {
        summary: "The load is too low to show the gap.",
        why: "Between two I/Os of a low rate a gap hides.",
        threshold: "The rate shows no gap shorter than its own.",
        source: "docs/disturb.md.",
        example: "10/s see no gap below 0.3 s.",
        remedy: "Ask for more.",
    }
    483 "disturb-not-carried" Made(Maker::Method("disturb")) SUSPECT pitfalls [29] {
        summary: "The load was not carried before the disturbance.",
        why: "A backlog that was there before looks like the disturbance's.",
        threshold: "Less than the rate was done before it.",
        source: "docs/disturb.md.",
        example: "93 % before the first action.",
        remedy: "Ask for less.",
    }
    484 "disturb-host-stood-still" Made(Maker::Method("disturb")) SUSPECT pitfalls [51] {
        summary: "The host stood still in a disturbance.",
        why: "Its pause looks like an outage.",
        threshold: "As host-stood-still (PL405).",
        source: "docs/disturb.md.",
        example: "In 1 of 5 repeats.",
        remedy: "Repeat it.",
    }
    485 "disturb-errors" Made(Maker::Method("disturb")) SUSPECT pitfalls [12] {
        summary: "I/Os failed in a disturbance.",
        why: "An application sees errors, not only waiting; of a failed write nobody knows what is there.",
        threshold: "Any failed I/O.",
        source: "docs/disturb.md.",
        example: "14 I/Os in 2 of 5 repeats.",
        remedy: "Raise retries and path timeouts, or state it.",
    }
    486 "disturb-unconfirmed" Made(Maker::Method("disturb")) SUSPECT pitfalls [12] {
        summary: "Writes may arrive twice after a disturbance.",
        why: "As writes-unconfirmed (PL424).",
        threshold: "As PL424.",
        source: "docs/disturb.md.",
        example: "3 writes.",
        remedy: "Do not rely on these blocks.",
    }
    487 "disturb-not-recovered" Made(Maker::Method("disturb")) SUSPECT pitfalls [16] {
        summary: "The load did not come back to what it was.",
        why: "What stays is a degraded state.",
        threshold: "Not within 5 % of before for 5 s.",
        source: "docs/disturb.md.",
        example: "In 2 of 5 repeats.",
        remedy: "See the paths and the array.",
    }
    488 "disturb-no-failback" Made(Maker::Method("disturb")) NOTE pitfalls [58] {
        summary: "A path was not used again.",
        why: "The repaired path carries nothing.",
        threshold: "No share of it after it came back.",
        source: "docs/disturb.md.",
        example: "failback manual.",
        remedy: "Set failback immediate, where it is wanted.",
    }
    489 "disturb-ping-pong" Made(Maker::Method("disturb")) SUSPECT pitfalls [58] {
        summary: "The paths changed back and forth.",
        why: "Each change costs a pause.",
        threshold: "More changes than the disturbance made.",
        source: "docs/disturb.md.",
        example: "Four times.",
        remedy: "See the path checkers and failback.",
    }
    490 "disturb-some-waited" Made(Maker::Method("disturb")) NOTE pitfalls [36] {
        summary: "A few I/Os waited much longer than the gap.",
        why: "The gap is that of most; single I/Os had another path's deadline.",
        threshold: "The longest response is more than twice the gap.",
        source: "docs/disturb.md.",
        example: "Gap 1.2 s, longest 30 s.",
        remedy: "See the deadline of a path.",
    }
    491 "disturb-nothing-seen" Made(Maker::Method("disturb")) NOTE pitfalls [62] {
        summary: "Nothing was to be seen of the disturbance.",
        why: "It was transparent, or it did not touch what was measured.",
        threshold: "No gap, no dip, no error.",
        source: "docs/disturb.md.",
        example: "Another LUN's path was pulled.",
        remedy: "Make sure that it touched the paths in use.",
    }
    492 "disturb-stayed-slow" Made(Maker::Method("disturb")) SUSPECT pitfalls [16] {
        summary: "Response times did not come back after a disturbance.",
        why: "The rate that was asked for may be carried by fewer paths or a busier controller, and each I/O waits longer than before.",
        threshold: "Over the last 5 s (or half of what is left) a mean of more than 1.5 times that before, and 4 standard deviations of bins above it.",
        source: "docs/disturb.md.",
        example: "0.8 ms before, 2.4 ms at the end, at the same rate.",
        remedy: "Let it run longer, and see which paths and controllers carry the load then.",
    }
    495 "pts-style" Made(Maker::Method("pts")) NOTE pitfalls [15] {
        summary: "The test is in the style of the specification, not compliant.",
        why: "The specification asks for a purge, for its own times and for all of the device.",
        threshold: "Anything of it that was changed.",
        source: "SNIA Solid State Storage Performance Test Specification.",
        example: "Rounds were scaled down 60 times.",
        remedy: "Run it unscaled, on a purged device.",
    }
    496 "pts-cut-short" Made(Maker::Method("pts")) SUSPECT pitfalls [46] {
        summary: "A test of the specification did not come to its end.",
        why: "No steady window, no result.",
        threshold: "Interrupted or failed.",
        source: "The record.",
        example: "Round 3 of 25.",
        remedy: "Go on with `plimsoll resume`.",
    }
}
