//! What is doubtful of the addresses and bytes.

use super::super::Values;
use super::{bytes, depth, who};
use crate::wording::{percent, rate};
use plimsoll_printable::human;

pub(super) fn wrote_zeros(v: &Values) -> Option<String> {
    Some(format!(
        "{}: zeros were written. An array that detects zeros, or a thin or compressing target, notes them and writes nothing: the \
         medium may have seen none of these {}.",
        who(v)?,
        rate(v.number("rate")?)
    ))
}

pub(super) fn wrote_the_same(v: &Values) -> Option<String> {
    Some(format!(
        "{}: one pattern was written again and again. A target that deduplicates or compresses stores it once: the medium may have \
         seen next to none of these {}.",
        who(v)?,
        rate(v.number("rate")?)
    ))
}

pub(super) fn wrote_reused(v: &Values) -> Option<String> {
    Some(format!(
        "{}: buffers were filled once and written again and again, hardly changed: on a target that compresses, this is another \
         load than new data.",
        who(v)?
    ))
}

pub(super) fn content_reducible(v: &Values) -> Option<String> {
    Some(format!(
        "{}: content was asked for that deduplicates {:.1} : 1 and compresses {:.1} : 1: the medium of a target that does both \
         sees a part of this load.",
        who(v)?,
        v.number("dedupe")?,
        v.number("compression")?
    ))
}

pub(super) fn read_what_was_made(v: &Values) -> Option<String> {
    Some(format!(
        "{}: it read a file that {} made for the run, which has zeros or one pattern in it: a target that detects those answers \
         without its medium.",
        who(v)?,
        v.text("tool")?
    ))
}

pub(super) fn through_page_cache(v: &Values) -> Option<String> {
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

pub(super) fn answered_above_disk(v: &Values) -> Option<String> {
    Some(format!(
        "{}: of {} reads around the page cache, the host's disks saw {}: something above them answered the rest, so the rate and the \
         times are not the disks'.",
        who(v)?,
        human::count(v.number("reads")? as u64),
        human::count(v.number("reached")? as u64)
    ))
}

pub(super) fn small_target(v: &Values) -> Option<String> {
    Some(format!(
        "{}: addresses come from {} only: the cache of a controller or an array may hold all of it.",
        who(v)?,
        bytes(v, "size")?
    ))
}

pub(super) fn hit_area(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} of the I/Os went to {}. On an array that deals slices over 8 cores one core does {} of the work, and any cache \
         holds the area: this is a test of that core and of that cache.",
        who(v)?,
        percent(v.number("share")?),
        bytes(v, "area")?,
        percent(v.number("hottest")?)
    ))
}

pub(super) fn threads_share_sequence(v: &Values) -> Option<String> {
    Some(format!(
        "{}: {} threads read or write the same addresses in the same order: whoever comes second is answered from a cache, and the \
         target carries a part of this rate.",
        who(v)?,
        depth(v.number("threads")?)
    ))
}
