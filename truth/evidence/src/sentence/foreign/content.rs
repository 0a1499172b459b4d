//! What is doubtful of the addresses and bytes.

use super::bytes;
use crate::sentence::Values;
use crate::sentence::template::{Said, sentences, who};

/// Sentences, with places for the values.
pub(in crate::sentence) const SAID: &[Said] = sentences! {
    "wrote-zeros":
        "{who}: zeros were written. An array that detects zeros, or a thin or compressing target, notes them and writes nothing: the medium may \
         have seen none of these {rate:rate}.";
    "wrote-the-same":
        "{who}: one pattern was written again and again. A target that deduplicates or compresses stores it once: the medium may have seen next \
         to none of these {rate:rate}.";
    "wrote-reused":
        "{who}: buffers were filled once and written again and again, hardly changed: on a target that compresses, this is another load than new \
         data.";
    "content-reducible":
        "{who}: content was asked for that deduplicates {dedupe:.1} : 1 and compresses {compression:.1} : 1: the medium of a target that does \
         both sees a part of this load.";
    "read-what-was-made":
        "{who}: it read a file that {tool} made for the run, which has zeros or one pattern in it: a target that detects those answers without \
         its medium.";
    "known-defect": "{who}: {tool} {version}: {what} ({source}).";
    "answered-above-disk":
        "{who}: of {reads:whole} reads around the page cache, the host's disks saw {reached:whole}: something above them answered the rest, as the \
         holes of a file that was never written or a cache, so the rate and the times are not the disks'.";
    "small-target": "{who}: addresses come from {size:bytes} only: the cache of a controller or an array may hold all of it.";
    "hit-area":
        "{who}: {share:percent} of the I/Os went to {area:bytes}. On an array that deals slices over 8 cores one core does {hottest:percent} of \
         the work, and any cache holds the area: this is a test of that core and of that cache.";
    "threads-share-sequence":
        "{who}: {threads:depth} threads read or write the same addresses in the same order: whoever comes second is answered from a cache, and \
         the target carries a part of this rate.";
    "threads-of-one-sequence":
        "{who}: several threads read or write the same addresses in the same order: whoever comes second is answered from a cache, and the \
         target carries a part of this rate.";
};

pub(super) fn through_page_cache(v: &Values) -> Option<String> {
    let of = match v.text("does")? {
        "writes" => "writes end in the host's memory, and reach the target later or after the run",
        "synced at the end" => {
            "writes end in the host's memory, and their times are that memory's: they reach the target by the sync at the end at the latest, \
             which the rate has in it"
        }
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
