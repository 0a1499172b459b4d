//! What is doubtful of the load, its course and its counts.

use super::super::Values;
use super::{bytes, depth, who};
use crate::wording::{percent, rate, time};
use plimsoll_printable::human;

pub(super) fn depth_disagrees(v: &Values) -> Option<String> {
    Some(format!(
        "{}: rate times mean is {} I/Os in flight, and the tool counted {}: one of the three numbers is not of this run.",
        who(v)?,
        depth(v.number("in_flight")?),
        depth(v.number("counted")?)
    ))
}

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

pub(super) fn depth_not_reached(v: &Values) -> Option<String> {
    Some(format!(
        "{}: only {} I/Os were in flight, where {} were asked for: this is a result for a depth of {}. What issues the I/O did not \
         keep up, or ran only a part of the time.",
        who(v)?,
        depth(v.number("in_flight")?),
        depth(v.number("asked")?),
        depth(v.number("in_flight")?)
    ))
}

pub(super) fn depth_ignored(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the engine `{}` has one I/O out at a time, so the depth of {} was never used: this is a result for a depth of {}.",
        who(v)?,
        v.text("engine")?,
        depth(v.number("asked")?),
        depth(v.number("threads")?)
    ))
}

pub(super) fn rate_missed(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} was asked for and {} came, {} less: the point is saturated, or the generator could not send more. Its times are \
         those of full slots, not of the rate that was asked for.",
        who(v)?,
        rate(v.number("asked")?),
        rate(v.number("rate")?),
        percent(v.number("short")?)
    ))
}

pub(super) fn rate_exceeded(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} was asked for and {} came: the limiter did not keep its rate, so this is no result for {}.",
        who(v)?,
        rate(v.number("asked")?),
        rate(v.number("rate")?),
        rate(v.number("asked")?)
    ))
}

pub(super) fn rate_over_the_longest(v: &Values) -> Option<String> {
    Some(format!(
        "{}: samples of the rate, taken while all jobs ran, have a mean of {}, but {} is printed: all I/Os divided by the time of the job that \
         took the longest. The others ended before it, so at no time was this the rate.",
        who(v)?,
        rate(v.number("mean")?),
        rate(v.number("rate")?)
    ))
}

pub(super) fn points_on_ceiling(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} I/Os were in flight on average, {} of the {} of the maximum's run: the point lies where the maximum does, so its \
         times are the test's own queue and no latency at that rate.",
        who(v)?,
        depth(v.number("in_flight")?),
        percent(v.number("share")?),
        depth(v.number("maximum")?)
    ))
}

pub(super) fn maximum_no_latency(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the maximum's mean of {} is its {} slots over its rate: a number of the test, not of the target.",
        who(v)?,
        time(v.number("mean")?),
        depth(v.number("in_flight")?)
    ))
}

pub(super) fn collapse(v: &Values) -> Option<String> {
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

pub(super) fn unsteady(v: &Values) -> Option<String> {
    Some(format!(
        "{}: over five equal parts of the counted time the rate spans {} and drifts by {} of its mean: it had no level that a mean \
         could stand for.",
        who(v)?,
        percent(v.number("range")?),
        percent(v.number("rise")?)
    ))
}

pub(super) fn samples_scatter(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate's samples scatter by {} around {}, down to {}: the mean stands for no level.",
        who(v)?,
        percent(v.number("scatter")?),
        rate(v.number("mean")?),
        rate(v.number("min")?)
    ))
}

pub(super) fn first_interval_counted(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the average has the first interval in it, which had {} where the others have {}. Without it the rate is {}.",
        who(v)?,
        rate(v.number("first")?),
        rate(v.number("others")?),
        rate(v.number("others")?)
    ))
}

pub(super) fn average_disagrees(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the average says {}, and the intervals that it covers have {}: one of the two is not of this run.",
        who(v)?,
        rate(v.number("average")?),
        rate(v.number("intervals")?)
    ))
}

pub(super) fn no_warm_up(v: &Values) -> Option<String> {
    Some(format!(
        "{}: nothing was left out at the beginning, so filling caches and starting threads are in the figures.",
        who(v)?
    ))
}

pub(super) fn too_short(v: &Values) -> Option<String> {
    Some(format!(
        "{}: only {:.1} s were counted: caches and write buffers can carry so long what the target cannot, and no interval of \
         confidence is to be had of it.",
        who(v)?,
        v.number("seconds")?
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

pub(super) fn errors_counted(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} failed or came back short. Such an I/O is quick, and some tools count it as done: neither the rate nor the times \
         stand.",
        who(v)?,
        crate::wording::plural(v.count("errors")?, "I/O")
    ))
}

pub(super) fn nothing_done(v: &Values) -> Option<String> {
    Some(format!(
        "{}: no I/O was done: nothing was measured.",
        who(v)?
    ))
}

pub(super) fn null_engine(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the null engine answered, which does no I/O: no storage was measured.",
        who(v)?
    ))
}

pub(super) fn counts_disagree(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} I/Os were counted, and {} over the time of the run are {}: one of the numbers is not of this run.",
        who(v)?,
        human::count(v.number("ios")? as u64),
        rate(v.number("rate")?),
        human::count(v.number("product")?.round() as u64)
    ))
}

pub(super) fn shares_of_nothing(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the shares of {} add up to {} of all I/Os.",
        who(v)?,
        v.text("of")?,
        human::percent(v.number("sum")?)
    ))
}

pub(super) fn samples_disordered(v: &Values) -> Option<String> {
    Some(format!(
        "{}: samples of the rate have a mean of {}, and lie between {} and {}.",
        who(v)?,
        rate(v.number("mean")?),
        rate(v.number("min")?),
        rate(v.number("max")?)
    ))
}

pub(super) fn bandwidth_disagrees(v: &Values) -> Option<String> {
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

pub(super) fn depths_against_mean(v: &Values) -> Option<String> {
    Some(format!(
        "{}: rate times mean is {} I/Os in flight, and none found more than {}: the depths or the times are not of this run.",
        who(v)?,
        depth(v.number("in_flight")?),
        depth(v.number("most")?)
    ))
}

pub(super) fn fields_disagree(v: &Values) -> Option<String> {
    let means = human::count(v.number("means")?.round() as u64);
    let said = human::count(v.number("said")?.round() as u64);
    let (one, other) = (v.text("one")?, v.text("other")?);
    Some(match v.text("relation")? {
        "at most" => format!(
            "{}: `{one}` is {means}, and `{other}`, which can't be less, {said}: one of the two is not of this run.",
            who(v)?
        ),
        _ => format!(
            "{}: by `{one}`, `{other}` is {means}, and it says {said}: one of the two is not of this run.",
            who(v)?
        ),
    })
}
