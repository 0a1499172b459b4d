//! What is doubtful of response times.

use crate::sentence::Values;
use crate::sentence::template::{Said, sentences, who};
use crate::wording::time;
use plimsoll_printable::human;

/// Sentences, with places for the values.
pub(in crate::sentence) const SAID: &[Said] = sentences! {
    "mean-impossible":
        "{who}: a mean of {mean:time} at {rate:rate} takes {in_flight:depth} I/Os in flight, and no more than {asked:depth} can have been: the \
         three are not of one run. At this rate and depth the mean is {possible:time} at most.";
    "percentiles-disordered": "{who}: {lower:quantile} is {lower_value:time}, and {upper:quantile}, which can't be less, is {upper_value:time}.";
    "percentile-above-max": "{who}: {percentile:quantile} is {value:time}, and the largest time of all is {max:time}.";
    "mean-outside": "{who}: the mean is {mean:time}, and all times lie between {min:time} and {max:time}: the three are not of the same I/Os.";
    "spread-impossible":
        "{who}: a standard deviation of {sd:time} is more than any times between {min:time} and {max:time} with a mean of {mean:time} can have \
         ({possible:time}).";
    "spread-too-small":
        "{who}: a standard deviation of {sd:time} is less than {ios:whole} I/Os from {min:time} to {max:time} with these percentiles can have \
         ({least:time}).";
    "histogram-against-percentiles":
        "{who}: {percentile:quantile} is {value:time}, and by the shares of times between {least:fine percent} and {most:fine percent} of the I/Os took \
         no longer: one of the two is not of this run.";
    "percentiles-against-mean":
        "{who}: times with these percentiles have a mean between {least:time} and {most:time}, and {mean:time} is printed: they are not of the \
         same I/Os.";
    "percentiles-above-mean":
        "{who}: times with these percentiles have a mean of {least:time} at least, and {mean:time} is printed: they are not of the same I/Os.";
    "histogram-against-mean":
        "{who}: times with these shares by time have a mean between {least:time} and {most:time}, and {mean:time} is printed: they are not of \
         the same I/Os.";
    "timed-against-counted": "{who}: {ios:whole} I/Os were counted, and {times:whole} times: one of the numbers is not of this run.";
    "percentile-beyond-data":
        "{who}: of {ios:whole} I/Os fewer than ten lie beyond {percentile:quantile}: it, and what is higher, says what happened to a few I/Os, \
         not what to expect.";
    "too-few-for-percentiles":
        "{who}: percentiles of {ios:1 I/O} say what happened to a few I/Os, not what to expect.";
    "answered-by-memory":
        "{who}: a mean of {mean:time} is a memory's, not a disk's or an array's: a cache of the host answered, or the target holds nothing that \
         has to be read.";
    "percentile-of-memory":
        "{who}: {percentile:quantile} is {value:time}, and no storage is so quick: memory answered so many of the I/Os, or the clock \
         is wrong.";
    "durable-in-memory":
        "{who}: a mean of {mean:time} for a sync of what was written through the page cache: nothing that keeps data without power is so \
         quick. The target is memory (tmpfs), or something on the way answers syncs without doing them.";
    "minimum-impossible":
        "{who}: the smallest time is {min:time}, less than a system call takes: some I/Os were stamped together, after they had been handed \
         over. The mean of {mean:time} has that error in it.";
    "longer-than-run":
        "{who}: the largest time is {max:time}, and the run took {length:time}: the clock of these times is wrong, and so is every mean with \
         them in it.";
    "sent-not-intended":
        "{who}: the rate was limited, and {tool} counts an I/O's time from when it was sent, not from when it was due: what waits to be sent is \
         in no mean and no percentile.";
    "square-wave-limit":
        "{who}: {tool} keeps {asked:rate} by running at full speed until a second's share is used up, and then waits: the times are those of \
         full speed, not of this rate.";
    "throttle-in-latency":
        "{who}: the rate of {rate:rate} was kept, and yet all {asked:depth} slots were busy all the time: the mean of {mean:time} is the tool's \
         own throttle, not the target. It says nothing about the target's times.";
};

pub(super) fn stall_hidden(v: &Values) -> Option<String> {
    let max = v.number("max")?;
    let due = match v.text("loop")? {
        "limited" => format!(
            "while it lasted, {} I/Os more were due, and none of them has its wait in these times",
            human::count(v.number("due")? as u64)
        ),
        "alone" => format!(
            "with one I/O in flight nothing completed for {:.1} of the {:.1} s, and these times hardly show it",
            max / 1e9,
            v.number("length")?
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
