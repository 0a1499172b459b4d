//! What is doubtful of response times.

use super::super::Values;
use super::{depth, who};
use crate::wording::{rate, time};
use plimsoll_printable::human;

pub(super) fn mean_impossible(v: &Values) -> Option<String> {
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

pub(super) fn percentiles_disordered(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} is {}, and {}, which can't be less, is {}.",
        who(v)?,
        human::quantile(v.number("lower")?),
        time(v.number("lower_value")?),
        human::quantile(v.number("upper")?),
        time(v.number("upper_value")?)
    ))
}

pub(super) fn percentile_above_max(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} is {}, and the largest time of all is {}.",
        who(v)?,
        human::quantile(v.number("percentile")?),
        time(v.number("value")?),
        time(v.number("max")?)
    ))
}

pub(super) fn mean_outside(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the mean is {}, and all times lie between {} and {}: the three are not of the same I/Os.",
        who(v)?,
        time(v.number("mean")?),
        time(v.number("min")?),
        time(v.number("max")?)
    ))
}

pub(super) fn spread_impossible(v: &Values) -> Option<String> {
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

pub(super) fn spread_too_small(v: &Values) -> Option<String> {
    Some(format!(
        "{}: a standard deviation of {} is less than {} I/Os from {} to {} with these percentiles can have ({}).",
        who(v)?,
        time(v.number("sd")?),
        human::count(v.number("ios")? as u64),
        time(v.number("min")?),
        time(v.number("max")?),
        time(v.number("least")?)
    ))
}

pub(super) fn histogram_against_percentiles(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} is {}, and by the shares of times between {} and {} of the I/Os took no longer: one of the two is not of this run.",
        who(v)?,
        human::quantile(v.number("percentile")?),
        time(v.number("value")?),
        human::percent(v.number("least")?),
        human::percent(v.number("most")?)
    ))
}

pub(super) fn percentiles_against_mean(v: &Values) -> Option<String> {
    against_mean(v, "percentiles")
}

pub(super) fn histogram_against_mean(v: &Values) -> Option<String> {
    against_mean(v, "shares by time")
}

fn against_mean(v: &Values, what: &str) -> Option<String> {
    Some(format!(
        "{}: times with these {what} have a mean between {} and {}, and {} is printed: they are not of the same I/Os.",
        who(v)?,
        time(v.number("least")?),
        time(v.number("most")?),
        time(v.number("mean")?)
    ))
}

pub(super) fn timed_against_counted(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} I/Os were counted, and {} times: one of the numbers is not of this run.",
        who(v)?,
        human::count(v.number("ios")? as u64),
        human::count(v.number("times")? as u64)
    ))
}

pub(super) fn percentile_beyond_data(v: &Values) -> Option<String> {
    Some(format!(
        "{}: of {} I/Os fewer than ten lie beyond {}: it, and what is higher, says what happened to a few I/Os, not what to expect.",
        who(v)?,
        human::count(v.number("ios")? as u64),
        human::quantile(v.number("percentile")?)
    ))
}

pub(super) fn answered_by_memory(v: &Values) -> Option<String> {
    Some(format!(
        "{}: a mean of {} is a memory's, not a disk's or an array's: a cache of the host answered, or the target holds nothing \
         that has to be read.",
        who(v)?,
        time(v.number("mean")?)
    ))
}

pub(super) fn minimum_impossible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the smallest time is {}, less than a system call takes: some I/Os were stamped together, after they had been handed \
         over. The mean of {} has that error in it.",
        who(v)?,
        time(v.number("min")?),
        time(v.number("mean")?)
    ))
}

pub(super) fn longer_than_run(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the largest time is {}, and the run took {}: the clock of these times is wrong, and so is every mean with them in it.",
        who(v)?,
        time(v.number("max")?),
        time(v.number("length")?)
    ))
}

pub(super) fn stall_hidden(v: &Values) -> Option<String> {
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

pub(super) fn sent_not_intended(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate was limited, and {} counts an I/O's time from when it was sent, not from when it was due: what waits to be \
         sent is in no mean and no percentile.",
        who(v)?,
        v.text("tool")?
    ))
}

pub(super) fn square_wave_limit(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} keeps {} by running at full speed until a second's share is used up, and then waits: the times are those of full \
         speed, not of this rate.",
        who(v)?,
        v.text("tool")?,
        rate(v.number("asked")?)
    ))
}

pub(super) fn throttle_in_latency(v: &Values) -> Option<String> {
    Some(format!(
        "{}: the rate of {} was kept, and yet all {} slots were busy all the time: the mean of {} is the tool's own throttle, not \
         the target. It says nothing about the target's times.",
        who(v)?,
        rate(v.number("rate")?),
        depth(v.number("asked")?),
        time(v.number("mean")?)
    ))
}
