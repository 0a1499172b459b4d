//! What is doubtful of a result that another tool produced, in words. Where several of its runs have the same doubt, the numbers
//! are those of the first that is named.

use super::{Make, Values};
use crate::wording::{percent, rate, time};
use plimsoll_printable::human;

/// The rules of other tools' results.
pub(super) const RULES: &[(&str, Make)] = &[
    ("mean-impossible", mean_impossible),
    ("depth-disagrees", depth_disagrees),
    ("depth-above-threads", depth_above_threads),
    ("depth-not-reached", depth_not_reached),
    ("depth-ignored", depth_ignored),
    ("percentiles-disordered", percentiles_disordered),
    ("percentile-above-max", percentile_above_max),
    ("mean-outside", mean_outside),
    ("spread-impossible", spread_impossible),
    ("percentile-beyond-data", percentile_beyond_data),
    ("answered-by-memory", answered_by_memory),
    ("minimum-impossible", minimum_impossible),
    ("longer-than-run", longer_than_run),
    ("stall-hidden", stall_hidden),
    ("sent-not-intended", sent_not_intended),
    ("square-wave-limit", square_wave_limit),
    ("throttle-in-latency", throttle_in_latency),
    ("rate-missed", rate_missed),
    ("rate-exceeded", rate_exceeded),
    ("points-on-ceiling", points_on_ceiling),
    ("maximum-no-latency", maximum_no_latency),
    ("collapse", collapse),
    ("less-with-more-depth", less_with_more_depth),
    ("unsteady", unsteady),
    ("samples-scatter", samples_scatter),
    ("first-interval-counted", first_interval_counted),
    ("average-disagrees", average_disagrees),
    ("no-warm-up", no_warm_up),
    ("too-short", too_short),
    ("wrote-zeros", wrote_zeros),
    ("wrote-the-same", wrote_the_same),
    ("wrote-reused", wrote_reused),
    ("content-not-told", content_not_told),
    ("content-reducible", content_reducible),
    ("read-what-was-made", read_what_was_made),
    ("through-page-cache", through_page_cache),
    ("small-target", small_target),
    ("hit-area", hit_area),
    ("generator-busy", generator_busy),
    ("errors-counted", errors_counted),
    ("nothing-done", nothing_done),
    ("null-engine", null_engine),
    ("counts-disagree", counts_disagree),
    ("bandwidth-disagrees", bandwidth_disagrees),
    ("threads-share-sequence", threads_share_sequence),
];

/// The runs that a finding is about.
fn who(v: &Values) -> Option<String> {
    let runs = v.texts("run")?;
    let first = runs.first()?;
    Some(match runs.len() {
        1 => format!("`{first}`"),
        2 => format!("`{first}` and `{}`", runs[1]),
        n => format!("`{first}` and {} others", n - 1),
    })
}

fn bytes(v: &Values, name: &str) -> Option<String> {
    Some(human::bytes(v.number(name)? as u64))
}

/// I/Os in flight: whole ones without decimals.
fn depth(number: f64) -> String {
    match (number - number.round()).abs() < 0.005 {
        true => human::count(number.round() as u64),
        false => human::number(number),
    }
}

fn mean_impossible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: a mean of {} at {} takes {} I/Os in flight, and no more than {} can have been: the mean cannot be. At this rate and \
         depth it is {} at most.",
        who(v)?,
        time(v.number("mean")?),
        rate(v.number("rate")?),
        depth(v.number("in_flight")?),
        depth(v.number("asked")?),
        time(v.number("possible")?)
    ))
}

fn depth_disagrees(v: &Values) -> Option<String> {
    Some(format!(
        "{}: rate times mean is {} I/Os in flight, and the tool counted {}: one of the three numbers is not of this run.",
        who(v)?,
        depth(v.number("in_flight")?),
        depth(v.number("counted")?)
    ))
}

fn depth_above_threads(v: &Values) -> Option<String> {
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

fn depth_not_reached(v: &Values) -> Option<String> {
    Some(format!(
        "{}: only {} I/Os were in flight, where {} were asked for: this is a result for a depth of {}. What issues the I/O did not \
         keep up, or ran only a part of the time.",
        who(v)?,
        depth(v.number("in_flight")?),
        depth(v.number("asked")?),
        depth(v.number("in_flight")?)
    ))
}

fn depth_ignored(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the engine `{}` has one I/O out at a time, so the depth of {} was never used: this is a result for a depth of {}.",
        who(v)?,
        v.text("engine")?,
        depth(v.number("asked")?),
        depth(v.number("threads")?)
    ))
}

fn percentiles_disordered(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} is {}, and {}, which can't be less, is {}.",
        who(v)?,
        human::quantile(v.number("lower")?),
        time(v.number("lower_value")?),
        human::quantile(v.number("upper")?),
        time(v.number("upper_value")?)
    ))
}

fn percentile_above_max(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} is {}, and the largest time of all is {}.",
        who(v)?,
        human::quantile(v.number("percentile")?),
        time(v.number("value")?),
        time(v.number("max")?)
    ))
}

fn mean_outside(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the mean is {}, and all times lie between {} and {}: the three are not of the same I/Os.",
        who(v)?,
        time(v.number("mean")?),
        time(v.number("min")?),
        time(v.number("max")?)
    ))
}

fn spread_impossible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: a standard deviation of {} is more than any times between {} and {} with a mean of {} can have ({}).",
        who(v)?,
        time(v.number("sd")?),
        time(v.number("min")?),
        time(v.number("max")?),
        time(v.number("mean")?),
        time(v.number("possible")?)
    ))
}

fn percentile_beyond_data(v: &Values) -> Option<String> {
    Some(format!(
        "{}: of {} I/Os fewer than ten lie beyond {}: it, and what is higher, says what happened to a few I/Os, not what to expect.",
        who(v)?,
        human::count(v.number("ios")? as u64),
        human::quantile(v.number("percentile")?)
    ))
}

fn answered_by_memory(v: &Values) -> Option<String> {
    Some(format!(
        "{}: a mean of {} is a memory's, not a disk's or an array's: a cache of the host answered, or the target holds nothing \
         that has to be read.",
        who(v)?,
        time(v.number("mean")?)
    ))
}

fn minimum_impossible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the smallest time is {}, less than a system call takes: some I/Os were stamped together, after they had been handed \
         over. The mean of {} has that error in it.",
        who(v)?,
        time(v.number("min")?),
        time(v.number("mean")?)
    ))
}

fn longer_than_run(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the largest time is {}, and the run took {}: the clock of these times is wrong, and so is every mean with them in it.",
        who(v)?,
        time(v.number("max")?),
        time(v.number("length")?)
    ))
}

fn stall_hidden(v: &Values) -> Option<String> {
    let max = v.number("max")?;
    let due = match v.text("loop")? {
        "limited" => format!(
            "while it lasted, {} I/Os more were due, and none of them has its wait in these times",
            human::count(v.number("due")? as u64)
        ),
        _ => "a loop that waits for answers had next to none out then, and counts it hardly at all"
            .to_string(),
    };
    Some(format!(
        "{}: one time of {} beside a {} of {}: {due}. If all stood still so long, a load that comes by a clock has a mean of {} \
         and not of {}.",
        who(v)?,
        time(max),
        v.text("beside")?,
        time(v.number("beside_value")?),
        time(v.number("mean_intended")?),
        time(v.number("mean")?)
    ))
}

fn sent_not_intended(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate was limited, and {} counts an I/O's time from when it was sent, not from when it was due: what waits to be \
         sent is in no mean and no percentile.",
        who(v)?,
        v.text("tool")?
    ))
}

fn square_wave_limit(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} keeps {} by running at full speed until a second's share is used up, and then waits: the times are those of full \
         speed, not of this rate.",
        who(v)?,
        v.text("tool")?,
        rate(v.number("asked")?)
    ))
}

fn throttle_in_latency(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate of {} was kept, and yet all {} slots were busy all the time: the mean of {} is the tool's own throttle, not \
         the target. It says nothing about the target's times.",
        who(v)?,
        rate(v.number("rate")?),
        depth(v.number("asked")?),
        time(v.number("mean")?)
    ))
}

fn rate_missed(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} was asked for and {} came, {} less: the point is saturated, or the generator could not send more. Its times are \
         those of full slots, not of the rate that was asked for.",
        who(v)?,
        rate(v.number("asked")?),
        rate(v.number("rate")?),
        percent(v.number("short")?)
    ))
}

fn rate_exceeded(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} was asked for and {} came: the limiter did not keep its rate, so this is no result for {}.",
        who(v)?,
        rate(v.number("asked")?),
        rate(v.number("rate")?),
        rate(v.number("asked")?)
    ))
}

fn points_on_ceiling(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} I/Os were in flight on average, {} of the {} of the maximum's run: the point lies where the maximum does, so its \
         times are the test's own queue and no latency at that rate.",
        who(v)?,
        depth(v.number("in_flight")?),
        percent(v.number("share")?),
        depth(v.number("maximum")?)
    ))
}

fn maximum_no_latency(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the maximum's mean of {} is its {} slots over its rate: a number of the test, not of the target.",
        who(v)?,
        time(v.number("mean")?),
        depth(v.number("in_flight")?)
    ))
}

fn collapse(v: &Values) -> Option<String> {
    let unchanged = match (v.number("in_flight"), v.number("cpu")) {
        (Some(in_flight), Some(cpu)) => format!(
            " In flight were {} all the while, and the host's CPUs were at most {} busy: neither the load nor the generator's own \
             work explains it.",
            depth(in_flight),
            percent(cpu)
        ),
        (Some(in_flight), None) => format!(
            " In flight were {} all the while: the load did not change.",
            depth(in_flight)
        ),
        _ => String::new(),
    };
    let mean = match v.number("mean_rate") {
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

fn less_with_more_depth(v: &Values) -> Option<String> {
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

fn unsteady(v: &Values) -> Option<String> {
    Some(format!(
        "{}: over five equal parts of the counted time the rate spans {} and drifts by {} of its mean: it had no level that a mean \
         could stand for.",
        who(v)?,
        percent(v.number("range")?),
        percent(v.number("rise")?)
    ))
}

fn samples_scatter(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate's samples scatter by {} around {}, down to {}: the mean stands for no level.",
        who(v)?,
        percent(v.number("scatter")?),
        rate(v.number("mean")?),
        rate(v.number("min")?)
    ))
}

fn first_interval_counted(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the average has the first interval in it, which had {} where the others have {}. Without it the rate is {}.",
        who(v)?,
        rate(v.number("first")?),
        rate(v.number("others")?),
        rate(v.number("others")?)
    ))
}

fn average_disagrees(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the average says {}, and the intervals that it covers have {}: one of the two is not of this run.",
        who(v)?,
        rate(v.number("average")?),
        rate(v.number("intervals")?)
    ))
}

fn no_warm_up(v: &Values) -> Option<String> {
    Some(format!(
        "{}: nothing was left out at the beginning, so filling caches and starting threads are in the figures.",
        who(v)?
    ))
}

fn too_short(v: &Values) -> Option<String> {
    Some(format!(
        "{}: only {:.1} s were counted: caches and write buffers can carry so long what the target cannot, and no interval of \
         confidence is to be had of it.",
        who(v)?,
        v.number("seconds")?
    ))
}

fn wrote_zeros(v: &Values) -> Option<String> {
    Some(format!(
        "{}: zeros were written. An array that detects zeros, or a thin or compressing target, notes them and writes nothing: the \
         medium may have seen none of these {}.",
        who(v)?,
        rate(v.number("rate")?)
    ))
}

fn wrote_the_same(v: &Values) -> Option<String> {
    Some(format!(
        "{}: one pattern was written again and again. A target that deduplicates or compresses stores it once: the medium may have \
         seen next to none of these {}.",
        who(v)?,
        rate(v.number("rate")?)
    ))
}

fn wrote_reused(v: &Values) -> Option<String> {
    Some(format!(
        "{}: buffers were filled once and written again and again, hardly changed: on a target that compresses, this is another \
         load than new data.",
        who(v)?
    ))
}

fn content_not_told(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the result does not tell what was written. Unless refill_buffers was given, fio writes the same buffers again and \
         again, which a target that compresses finds easier.",
        who(v)?
    ))
}

fn content_reducible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: content was asked for that deduplicates {:.1} : 1 and compresses {:.1} : 1: the medium of a target that does both \
         sees a part of this load.",
        who(v)?,
        v.number("dedupe")?,
        v.number("compression")?
    ))
}

fn read_what_was_made(v: &Values) -> Option<String> {
    Some(format!(
        "{}: it read a file that {} made for the run, which has zeros or one pattern in it: a target that detects those answers \
         without its medium.",
        who(v)?,
        v.text("tool")?
    ))
}

fn through_page_cache(v: &Values) -> Option<String> {
    let of = match v.text("does")? {
        "writes" => "writes end in the host's memory, and reach the target later or after the run",
        "both" => "reads may be answered, and writes taken, by the host's memory",
        _ => "reads may be answered by the host's memory",
    };
    let size = match bytes(v, "size") {
        Some(size) => format!(" All of its {size} may fit in there."),
        None => String::new(),
    };
    Some(format!(
        "{}: I/O went through the page cache: {of}.{size}",
        who(v)?
    ))
}

fn small_target(v: &Values) -> Option<String> {
    Some(format!(
        "{}: addresses come from {} only: the cache of a controller or an array may hold all of it.",
        who(v)?,
        bytes(v, "size")?
    ))
}

fn hit_area(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} of the I/Os went to {}. On an array that deals slices over 8 cores one core does {} of the work, and any cache \
         holds the area: this is a test of that core and of that cache.",
        who(v)?,
        percent(v.number("share")?),
        bytes(v, "area")?,
        percent(v.number("hottest")?)
    ))
}

fn generator_busy(v: &Values) -> Option<String> {
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

fn errors_counted(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} failed or came back short. Such an I/O is quick, and some tools count it as done: neither the rate nor the times \
         stand.",
        who(v)?,
        crate::wording::plural(v.count("errors")?, "I/O")
    ))
}

fn nothing_done(v: &Values) -> Option<String> {
    Some(format!(
        "{}: no I/O was done: nothing was measured.",
        who(v)?
    ))
}

fn null_engine(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the null engine answered, which does no I/O: no storage was measured.",
        who(v)?
    ))
}

fn counts_disagree(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} I/Os were counted, and {} over the time of the run are {}: one of the numbers is not of this run.",
        who(v)?,
        human::count(v.number("ios")? as u64),
        rate(v.number("rate")?),
        human::count(v.number("product")?.round() as u64)
    ))
}

fn bandwidth_disagrees(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} of {} are {}/s, and {}/s is printed, {} off: an I/O had another size than was asked for, or one of the numbers has \
         another unit.",
        who(v)?,
        rate(v.number("rate")?),
        bytes(v, "block")?,
        bytes(v, "product")?,
        bytes(v, "printed")?,
        percent(v.number("off")?.abs())
    ))
}

fn threads_share_sequence(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} threads read or write the same addresses in the same order: whoever comes second is answered from a cache, and the \
         target carries a part of this rate.",
        who(v)?,
        depth(v.number("threads")?)
    ))
}
