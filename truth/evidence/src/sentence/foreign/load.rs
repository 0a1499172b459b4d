//! What is doubtful of the load, its course and its counts.

use crate::sentence::Values;
use crate::sentence::template::{Said, depth, sentences, who};
use crate::wording::{apart, percent, rate};
use plimsoll_printable::human;

/// Sentences, with places for the values.
pub(in crate::sentence) const SAID: &[Said] = sentences! {
    "depth-disagrees":
        "{who}: rate times mean is {in_flight:depth} I/Os in flight, and the tool counted {counted:depth}: one of the three numbers is not of \
         this run.";
    "depth-not-reached":
        "{who}: only {in_flight:depth} I/Os were in flight, where {asked:depth} were asked for: this is a result for a depth of \
         {in_flight:depth}. What issues the I/O did not keep up, or ran only a part of the time.";
    "depth-not-met":
        "{who}: {asked:depth} I/Os in flight were asked for, and none found more than {most:depth}: a rate or pauses held it back, or this is a \
         result for a depth of {most:depth}.";
    "depth-ignored":
        "{who}: the engine `{engine}` has one I/O out at a time, so the depth of {asked:depth} was never used: this is a result for a depth of \
         {threads:depth}.";
    "depth-submitted":
        "{who}: each thread was in the submission of an I/O for {share:percent} of the time: it waited there for the I/O, or for room in the \
         queue, as libaio does without direct=1. Not the whole depth of {asked:depth} reached the target.";
    "depths-against-mean":
        "{who}: rate times mean is {in_flight:depth} I/Os in flight, and none found more than {most:depth}: the depths or the times are not of \
         this run.";
    "shares-of-nothing": "{who}: the shares of {of} add up to {sum:percent} of all I/Os.";
    "samples-disordered": "{who}: samples of the rate have a mean of {mean:rate}, and lie between {min:rate} and {max:rate}.";
    "rate-missed":
        "{who}: {asked:rate} was asked for and {rate:rate} came, {short:percent} less: the point is saturated, or the generator could not send \
         more. Its times are those of full slots, not of the rate that was asked for.";
    "rate-unsent":
        "{who}: {asked:rate} was asked for and {rate:rate} came, {short:percent} less, with {busy:depth} of {slots:depth} slots busy: the \
         generator did not send more. The times are those of the rate that came.";
    "rate-short":
        "{who}: {asked:rate} was asked for and {rate:rate} came, {short:percent} less: more than chance, and the first sign of a maximum.";
    "rate-exceeded":
        "{who}: {asked:rate} was asked for and {rate:rate} came: the limiter did not keep its rate, so this is no result for {asked:rate}.";
    "rate-over-the-longest":
        "{who}: while all jobs or threads ran, their rate had a mean of {mean:rate}, but {rate:rate} is printed: all I/Os divided by the \
         time of the one that took the longest. The others ended before it, so at no time was this the rate.";
    "times-of-a-limit":
        "{who}: {few:time} is the 1st percentile and {most:time} the 99th, at random addresses and with {in_flight:depth} I/Os in flight: storage \
         scatters more. A limit of {rate:rate} makes the I/Os wait, and their time is {in_flight:depth} over that rate.";
    "rates-of-a-limit":
        "{who}: reads and writes by themselves have the same rate of {rate:rate}: a limit of that rate is what was measured, a provider's or one \
         that was asked for.";
    "rate-over-pauses":
        "{who}: fio's samples, of which there is one for each half second with I/Os, have a mean of {mean:rate}, and the {rate:rate} that it prints \
         are over all of the time. Some jobs ended before the others, or stood still in between, so at no time was this the rate.";
    "response-falls-with-rate":
        "{who}: the mean is {time:time} at {rate:rate}, and {less_time:time} at {more_rate:rate}: the response falls with more load, so something \
         warmed up or changed between the two.";
    "points-on-ceiling":
        "{who}: {in_flight:depth} I/Os were in flight on average, {share:percent} of the {maximum:depth} of the maximum's run: the point lies \
         where the maximum does, so its times are the test's own queue and no latency at that rate.";
    "sections-at-once":
        "{who} ran at once on the same storage, each as fast as it could: none of them shows what the storage carries of it alone.";
    "depth-untried":
        "{who}: {in_flight:depth} I/Os were in flight, and over {rate:rate} that is the mean of {mean:time}, however little the storage needs: \
         whether far fewer do as much cannot be told from a maximum alone. Measure it once more with a third of them.";
    "depth-untried-beside-least":
        "{who}: {in_flight:depth} I/Os were in flight, and over {rate:rate} that is the mean of {mean:time}, however little the storage needs: \
         the quickest took {least:time}, and if one alone takes as long, {few:depth} are the least that can do that rate. Measure it once more \
         with a third of them.";
    "more-threads-than-needed":
        "{who}: {most:depth} I/Os were in flight, and {in_flight:depth} carried {share:percent} of the rate ({point}): more threads than it needs, \
         whose wait is most of its response time.";
    "maximum-no-latency":
        "{who}: the maximum's mean of {mean:time} is its {in_flight:depth} slots over its rate: a number of the test, not of the target.";
    "unsteady":
        "{who}: over five equal parts of the counted time the rate spans {range:percent} and drifts by {rise:percent} of its mean: it had no \
         level that a mean could stand for.";
    "intervals-stood-still":
        "{who}: {stood:1 interval} of {seconds:seconds} had next to no I/Os ({least:rate} in the worst), where the others have {others:rate}: the \
         target, or what is on the way to it, stood still. A loop that waits for answers has next to none of that in its times.";
    "times-of-seconds":
        "{who}: {ios:1 I/O} took {time:time} or longer, and half of all took {median:time} at most: {share:percent} of the mean of {mean:time} \
         is theirs. Something stood still for seconds, with many I/Os in flight or more than once.";
    "unattained":
        "{who}: {tool} was to find a steady state, and says itself that it attained none ({said}): the mean stands for no level.";
    "samples-scatter":
        "{who}: the rate's samples scatter by {scatter:percent} around {mean:rate}, down to {min:rate}: the mean stands for no level.";
    "samples-swing":
        "{who}: the rate went up and down between {min:rate} and {max:rate} by its own samples, which scatter by {scatter:percent} around \
         {mean:rate}: a shorter look would have said something else.";
    "intervals-scatter":
        "{who}: the rates of its intervals have a standard deviation of {scatter:percent} around {mean:rate}: the mean stands for no level.";
    "first-interval-counted":
        "{who}: the average has the first interval in it, which had {first:rate} where the others have {others:rate}. Without it the rate is \
         {others:rate}.";
    "average-disagrees":
        "{who}: the intervals that the average covers have {intervals:rate}, and it says {average:rate}, {ratio:apart}: one of the two is not of \
         this run.";
    "average-bandwidth-disagrees":
        "{who}: the intervals that the average covers have {intervals:bytes}/s, and it says {average:bytes}/s, {ratio:apart}: one of the two is \
         not of this run.";
    "average-time-disagrees":
        "{who}: the intervals that the average covers have a mean of {intervals:time}, and it says {average:time}, {ratio:apart}: one of the two \
         is not of this run.";
    "average-mix-disagrees":
        "{who}: {intervals:percent} of the I/Os of the intervals that the average covers are reads, and it says {average:percent}: one of the two \
         is not of this run.";
    "average-below-longest":
        "{who}: one of the intervals that the average covers has an I/O of {intervals:time}, and the largest time of all is said to be \
         {average:time}: one of the two is not of this run.";
    "no-warm-up": "{who}: nothing was left out at the beginning, so filling caches and starting threads are in the figures.";
    "too-short":
        "{who}: only {seconds:seconds} were counted, and the claim `{claim}` takes {least:seconds} at least: for so short a time caches and write \
         buffers can carry what the target cannot, and no confidence interval can be had.";
    "not-as-written":
        "{who}: what was read is not what had been written there (fio's error 84): the storage lost or changed data, or something else wrote \
         to it meanwhile. No other figure matters before that.";
    "latency-exceeded":
        "{who}: an I/O was given up (fio's error 110): it took longer than max_latency, or the device never answered it. What was measured by \
         then is no result of the whole.";
    "ended-by-error":
        "{who}: an error ended it (fio's error {errno:whole}, whose words stand in its output). How many I/Os failed is not told, and what was \
         measured by then is no result of the whole.";
    "errors-counted":
        "{who}: {errors:1 I/O} failed or came back short. Such an I/O is quick, and some tools count it as done: neither the rate nor the times \
         stand.";
    "nothing-done": "{who}: no I/O was done: nothing was measured.";
    "null-engine": "{who}: the null engine answered, which does no I/O: no storage was measured.";
    "counts-disagree":
        "{who}: {ios:whole} I/Os were counted, and {rate:rate} over the time of the run are {product:whole}, {ratio:apart}: one of the numbers is \
         not of this run.";
    "bandwidth-disagrees":
        "{who}: {rate:rate} of {block:bytes} are {product:bytes}/s, and {printed:bytes}/s is printed, {ratio:apart}: an I/O had another size \
         than was asked for, or one of the numbers has another unit.";
};

pub(super) fn depth_above_threads(v: &Values) -> Option<String> {
    let threads = v.number("threads")?;
    let in_flight = v.number("in_flight")?;
    Some(format!(
        "{}: `threads={}` was asked for, and {} I/Os were in flight: the number of threads is not the concurrency behind these \
         figures. {} targets, or as many hosts, would explain it.",
        who(v)?,
        depth(threads),
        depth(in_flight),
        depth((in_flight / threads).ceil())
    ))
}

pub(super) fn collapse(v: &Values) -> Option<String> {
    let unchanged = match (v.number("in_flight"), v.number("cpu")) {
        (Some(in_flight), Some(cpu)) => format!(
            " In flight were {} all the while, and the host's CPUs were at most {} busy: neither the load nor the generator's own \
             work explains it.{}",
            depth(in_flight),
            percent(cpu),
            reads_alone(v)
        ),
        (Some(in_flight), None) => format!(
            " In flight were {} all the while: the load did not change.",
            depth(in_flight)
        ),
        _ => String::new(),
    };
    let mean = match v.number("mean_rate") {
        Some(mean) if v.number("near").is_some_and(|n| n > 0.0) => {
            format!(" The mean of {} is the rate of neither.", rate(mean))
        }
        Some(mean) => format!(" The mean of {} was at no time the rate.", rate(mean)),
        None => String::new(),
    };
    Some(format!(
        "{}: the rate collapsed within the run, from {} to {}, by {}.{mean}{unchanged}",
        who(v)?,
        rate(v.number("from")?),
        rate(v.number("to")?),
        percent(v.number("fall")?)
    ))
}

/// Remaining explanations where only reads were slowed down.
fn reads_alone(v: &Values) -> &'static str {
    match v.number("reads") {
        Some(1.0) => {
            " Reads fill no write cache and wake no garbage collection, so that a host or hypervisor that gave the generator less CPU is a \
             likely cause, or other load on the storage: the array's own times tell which."
        }
        _ => "",
    }
}

pub(super) fn fell_in_warm_up(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the warm-up had {} for a while, and what was counted has {}: the fall is not in the average, and nothing tells what fell.",
        who(v)?,
        rate(v.number("before")?),
        rate(v.number("after")?)
    ))
}

pub(super) fn less_with_more_depth(v: &Values) -> Option<String> {
    let runs = v.texts("run")?;
    let [more, less] = &runs[..] else { return None };
    Some(format!(
        "`{more}` has {} I/Os out and came to {}, `{less}` has {} and came to {}: more load should not carry {} less. Something \
         changed between the two.",
        depth(v.number("depth")?),
        rate(v.number("rate")?),
        depth(v.number("less_depth")?),
        rate(v.number("less_rate")?),
        percent(v.number("fall")?)
    ))
}

pub(super) fn generator_busy(v: &Values) -> Option<String> {
    let whose = match v.text("of")? {
        "generator" => "the threads that made the load were busy",
        _ => "the host's CPUs were busy",
    };
    Some(format!(
        "{}: {whose} {} of the time: the limit may be the host that asks, and the target may carry more.",
        who(v)?,
        percent(v.number("busy")?)
    ))
}

pub(super) fn fields_disagree(v: &Values) -> Option<String> {
    let means = human::count(v.number("means")?.round() as u64);
    let stated = human::count(v.number("said")?.round() as u64);
    let (one, other) = (v.text("one")?, v.text("other")?);
    Some(match v.text("relation")? {
        "at most" => format!(
            "{}: `{one}` is {means}, and `{other}`, which can't be less, {stated}: one of the two is not of this run.",
            who(v)?
        ),
        _ => format!(
            "{}: by `{one}`, `{other}` is {means}, and it says {stated}, {}: one of the two is not of this run.",
            who(v)?,
            apart(v.number("said")? / v.number("means")?)
        ),
    })
}
