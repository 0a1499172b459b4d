//! When what a job writes is synced.

use super::files::{Extent, extent};
use super::pattern::{self, Order};
use super::{Complaints, refused, sizes, verify, warn_differs};
use crate::fio::engine::Engine;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Durability, SizeSpec};

/// Options that sync what was written when all is.
const AT_END: [&str; 2] = ["end_fsync", "fsync_on_close"];

/// Says of a job whose loops each end with a sync in fio that here it is one, where nobody knows how much a loop writes.
pub(super) fn syncs_once(job: &Job, durability: Durability, found: &mut Complaints) {
    let option = AT_END.into_iter().find(|option| job.is_on(option));
    let loops = job.number("loops").unwrap_or(1);
    let is_once = durability == Durability::FsyncAtEnd && loops > 1 && !job.is_on("time_based");
    if let Some(option) = option.filter(|_| is_once && verify::writes(job)) {
        let message =
            format!("fio syncs behind each of its {loops} loops; Plimsoll does behind the last");
        found.warn(warn_differs(job, option, message).help(
            "with one file, writes of one size (bs=) and size= in bytes, it does behind each, too",
        ));
    }
}

/// When the writes of a job are durable.
pub(super) fn of(job: &Job, engine: Engine) -> Result<Durability, Diagnostic> {
    let count = |option: &str| {
        let given = job.number(option).unwrap_or(0);
        u32::try_from(given).ok().filter(|n| *n > 0)
    };
    let mut asked: Vec<(&str, Durability)> = Vec::new();
    match job.text("sync") {
        None | Some("none" | "0") => {}
        Some("sync" | "1" | "dsync") if engine == Engine::Mmap => {
            return Err(refused(
                job,
                "sync",
                "what is copied into a map of a file is not written when the copy is done, whatever sync= says",
                "use fsync=1, or another engine",
            ));
        }
        Some("sync" | "1") => asked.push(("sync", Durability::Sync)),
        Some("dsync") => asked.push(("sync", Durability::Dsync)),
        Some(other) => {
            return Err(
                Diagnostic::error(codes::VALUE, format!("`sync={other}` cannot be read"))
                    .at(job.place("sync").unwrap_or(job.span), "none, sync or dsync"),
            );
        }
    }
    if let Some(n) = count("fsync") {
        asked.push(("fsync", Durability::FsyncEvery(n)));
    }
    if let Some(n) = count("fdatasync") {
        asked.push(("fdatasync", Durability::FdatasyncEvery(n)));
    }
    // Where each write waits for itself, nothing is left for the end.
    let is_each = |d: &Durability| matches!(d, Durability::Sync | Durability::FsyncEvery(1));
    let each = asked.iter().any(|(_, durability)| is_each(durability));
    let at_end = writes_of_a_loop(job).map_or(Durability::FsyncAtEnd, Durability::FsyncEvery);
    for option in AT_END {
        if job.is_on(option) && !each {
            asked.push((option, at_end));
        }
    }
    asked.dedup_by_key(|(_, d)| *d);
    match asked[..] {
        [] => Ok(Durability::None),
        [(_, one)] => Ok(one),
        [(first, _), (second, _), ..] => Err(refused(
            job,
            second,
            format!(
                "job {} syncs its writes in two ways, {first}= and {second}=",
                job.name
            ),
            "keep one",
        )),
    }
}

/// Count of writes that each of several loops has over one file, where all are of one size; `None` also of a job that goes on for its time.
fn writes_of_a_loop(job: &Job) -> Option<u32> {
    let loops = job.number("loops").filter(|n| *n > 1);
    let elsewhere = ["io_size", "number_ios", "filesize", "ba", "bs_is_seq_rand"];
    let is_plain = elsewhere.iter().all(|option| job.get(option).is_none());
    let one_file = job.number("nrfiles").unwrap_or(1) == 1
        && !job.text("filename").is_some_and(|f| f.contains(':'));
    loops.filter(|_| is_plain && one_file && !job.is_on("time_based"))?;
    let access = pattern::access(job).ok()?;
    let size = sizes::sizes(job).ok()?;
    let ([SizeSpec::Fixed(block)], Extent::Bytes(bytes)) =
        (&size.occurring(&access.mix)[..], extent(job, "size").ok()?)
    else {
        return None;
    };
    let is_whole = access.mix.write >= 100.0 && access.gap == 0 && access.order == Order::Plain;
    let writes = bytes / block.0.max(1);
    u32::try_from(writes).ok().filter(|n| *n > 0 && is_whole)
}
