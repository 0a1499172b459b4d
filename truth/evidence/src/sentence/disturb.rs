//! What a disturbance found, in words.

use super::Values;
use crate::wording::{percent, plural, rate, time};

pub(super) fn not_done(v: &Values) -> Option<String> {
    Some(format!(
        "`{}` was not done: {}. See that it works by hand.",
        v.text("what")?,
        v.text("why")?
    ))
}

pub(super) fn not_undone(v: &Values) -> Option<String> {
    Some(format!(
        "`{}`, which puts back what was done, was not: {}. Put it back by hand, and see why it failed.",
        v.text("what")?,
        v.text("why")?
    ))
}

pub(super) fn load_too_low(v: &Values) -> Option<String> {
    Some(format!(
        "The load was too low to see anything: at {} a gap of less than {} may be chance. Ask for a higher rate.",
        rate(v.number("rate")?),
        time(v.number("seen")? * 1e9)
    ))
}

pub(super) fn not_carried(v: &Values) -> Option<String> {
    Some(format!(
        "Only {} of what was due was done before the disturbance: the target did not carry the load even so. Ask for a \
         lower rate.",
        percent(v.number("carried")?)
    ))
}

pub(super) fn host_stood_still(v: &Values) -> Option<String> {
    Some(format!(
        "In {} Plimsoll itself did not run for a while: a gap may be the host's, not the target's. Measure again where the \
         host lets it run.",
        plural(v.count("repeats")?, "repeat")
    ))
}

pub(super) fn errors(v: &Values) -> Option<String> {
    let writes = match v.count("writes")? {
        0 => String::new(),
        n => format!(" ({n} of them writes, of which nobody knows what is on the target)"),
    };
    Some(format!(
        "I/O errors reached the application: {}{writes} in {}. See how long the host keeps I/Os while no path works: \
         no_path_retry, fast_io_fail, dev_loss.",
        plural(v.count("ios")?, "I/O"),
        plural(v.count("repeats")?, "repeat")
    ))
}

pub(super) fn unconfirmed(v: &Values) -> Option<String> {
    Some(format!(
        "{} counted as done while an earlier copy might still arrive by a path that had stalled: their blocks may not hold \
         what was written last.",
        plural(v.count("writes")?, "write")
    ))
}

pub(super) fn not_recovered(v: &Values) -> Option<String> {
    Some(format!(
        "In {} the rate did not come back and stay within 5 % of what was asked for. Let it run longer, or see what is left \
         of the target.",
        plural(v.count("repeats")?, "repeat")
    ))
}

pub(super) fn no_failback(v: &Values) -> Option<String> {
    Some(format!(
        "No failback: in {} the path that was given up did not carry half of its former share again after it was put back. \
         See the path checker and the failback policy, or look longer.",
        plural(v.count("repeats")?, "repeat")
    ))
}

pub(super) fn ping_pong(v: &Values) -> Option<String> {
    Some(format!(
        "Paths went down again after the disturbance was put back: {}. A path that is taken back before it works costs each \
         time what the first loss did.",
        plural(v.count("times")?, "time")
    ))
}

pub(super) fn some_waited(v: &Values) -> Option<String> {
    Some(format!(
        "Some I/Os waited up to {} while others went on: the longest time without any completion was {}. The class is that of \
         who waited longest.",
        time(v.number("longest")? * 1e9),
        time(v.number("blackout")? * 1e9)
    ))
}

pub(super) fn nothing_seen(_: &Values) -> Option<String> {
    Some(
        "Nothing was seen of the disturbance: no gap, no dip, no error, and no path was given up. See that it reached the \
         target, and that the load went there."
            .to_string(),
    )
}
