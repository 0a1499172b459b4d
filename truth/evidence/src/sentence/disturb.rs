//! What a disturbance found, in words.

use super::Values;
use super::template::{Said, sentences};
use crate::wording::plural;

/// Sentences, with places for the values.
pub(super) const SAID: &[Said] = sentences! {
    "disturb-not-done": "`{what}` was not done: {why}. See that it works by hand.";
    "disturb-not-undone": "`{what}`, which puts back what was done, was not: {why}. Put it back by hand, and see why it failed.";
    "disturb-load-too-low":
        "The load was too low to see anything: at {rate:rate} a gap of less than {seen:seconds} may be chance. Ask for a higher rate.";
    "disturb-not-carried":
        "Only {carried:percent} of what was due was done before the disturbance: the target did not carry the load even so. Ask for a lower \
         rate.";
    "disturb-host-stood-still":
        "In {repeats:1 repeat} Plimsoll itself did not run for a while: a gap may be the host's, not the target's. Measure again where the host \
         lets it run.";
    "disturb-unconfirmed":
        "{writes:1 write} counted as done while an earlier copy might still arrive by a path that had stalled: their blocks may not hold what \
         was written last.";
    "disturb-not-recovered":
        "In {repeats:1 repeat} the rate did not come back and stay within 5 % of what was asked for. Let it run longer, or see what is left of \
         the target.";
    "disturb-stayed-slow":
        "In {repeats:1 repeat} the response times did not come back: {now:seconds} in the mean at the end, and {before:seconds} before the \
         disturbance. Let it run longer, or see what is left of the target.";
    "disturb-no-failback":
        "No failback: in {repeats:1 repeat} the path that was given up did not carry half of its former share again after it was put back. See \
         the path checker and the failback policy, or look longer.";
    "disturb-ping-pong":
        "Paths went down again after the disturbance was put back: {times:1 time}. A path that is taken back before it works costs each time \
         what the first loss did.";
    "disturb-some-waited":
        "Some I/Os waited up to {longest:seconds} while others went on: the longest time without any completion was {blackout:seconds}. The \
         class is that of who waited longest.";
    "disturb-nothing-seen":
        "Nothing was seen of the disturbance: no gap, no dip, no error, and no path was given up. See that it reached the target, and that the \
         load went there.";
};

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
