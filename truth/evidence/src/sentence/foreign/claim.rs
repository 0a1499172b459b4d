//! What is doubtful of a claim without a log.

use crate::sentence::template::{Said, sentences};

/// Sentences, with places for the values.
pub(in crate::sentence) const SAID: &[Said] = sentences! {
    "claim-above-slots":
        "{who}: {rate:rate} at {mean:time} takes {in_flight:depth} I/Os in flight, and {slots} allows {asked:depth}: one of these numbers is wrong. With \
         {asked:depth} in flight the mean is {possible_mean:time} at this rate, or the rate is {possible_rate:rate} at this mean. The depth \
         would have to be {times:.2} times as large.";
    "claim-below-slots":
        "{who}: {rate:rate} at {mean:time} is {in_flight:depth} I/Os in flight, {off:off} less than the {asked:depth} of {slots}. A load that \
         always fills its slots would have a mean of {possible_mean:time} at this rate, or {possible_rate:rate} at this mean: either the three \
         numbers are not of one run, or the slots were not always full.";
    "claim-rounded":
        "{who}: {rate:rate} at {mean:time} is {in_flight:depth} I/Os in flight, where {slots} allows {asked:depth}. Rounding to the last digit that is \
         written can explain that: ask for one digit more.";
    "claim-other-slots":
        "{who}: {rate:rate} at {mean:time} is {in_flight:depth} I/Os in flight. That is not the {asked:depth} of {slots}, but it fits {other:depth}: \
         the jobs and the depth may be {how}. Say which.";
    "claim-unnamed-targets":
        "{who}: {rate:rate} at {mean:time} takes {in_flight:depth} I/Os in flight, and {slots} allows {asked:depth}. It fits {times:count} targets, or \
         {times:count} hosts, with as many each, which are not named.";
    "beyond-the-ports":
        "{who}: {bytes:rate of bytes} in one direction, and {ports} carry {line:rate of bytes} at most: {times:.2} times what fits. These ports \
         end at {possible}, so part of the data never crossed them, or one of the numbers is wrong.";
    "beyond-the-ports-one-way":
        "{who}: {bytes:rate of bytes}, and {ports} carry {line:rate of bytes} in each direction. Only a mix of reads and writes has room for \
         that, and no mix is named.";
    "more-at-larger-size":
        "{who}: {rate:rate} of {block:bytes}, where {small_rate:rate} of {small_block:bytes} are claimed with no less concurrency: a larger \
         transfer cannot be {by:off} quicker to do. The two are not of the same load.";
    "fewer-bytes-at-larger-size":
        "{who}: {bytes:bytes}/s with {block:bytes}, and {small_bytes:bytes}/s with {small_block:bytes}: larger transfers carry {by:off} fewer \
         bytes. See whether they arrive as they were sent, or are split on the way.";
    "mix-above-both":
        "{who}: the mix does {rate:rate}, reads alone {reads:rate} and writes alone {writes:rate}: in it more reads or more writes are \
         done than of these alone, so the three are not of the same load.";
};
