//! Content that says what it is, and is checked: `verify=` and what belongs to it.

use super::{Complaints, refused, warn_differs};
use super::{state, verify_pattern};
use crate::fio::engine::{self, Engine};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    Bytes, Dependency, Depth, IoSource, Load, Mix, NO_TIME_LIMIT, Nanos, Quota, SizeSpec, Step,
    Stream, TargetId, Throttle, VerifySpec, VerifySum, Window,
};
use std::collections::BTreeSet;

/// Whether a job asks for anything: `verify=null` writes and checks nothing, and where there is no storage there is nothing to
/// check.
pub(super) fn is_asked(job: &Job) -> bool {
    word(job).is_some_and(|word| word != "null") && engine::of(job).is_ok_and(|e| e != Engine::Null)
}

/// Verification of a job; a pattern alone stands behind headers.
pub(super) fn word(job: &Job) -> Option<&str> {
    match job.get("verify") {
        Some(given) => (!given.is_off()).then_some(&given.text),
        None => job.get("verify_pattern").map(|_| "pattern_hdr"),
    }
}

pub(super) fn writes(job: &Job) -> bool {
    let word = job.word("rw").unwrap_or("read");
    !matches!(word, "read" | "randread" | "trim" | "randtrim")
}

/// Whether what a job has written is read back behind it. fio does so as well, but not where the time ends a job, unless it reads
/// back as it goes.
pub(in crate::fio) fn reads_back(job: &Job) -> bool {
    let timed = job.is_on("time_based") && job.get("runtime").is_some();
    let backlog = job.number("verify_backlog").is_some_and(|n| n > 0);
    let asked = job.switch("do_verify") != Some(false) && !job.is_on("verify_only");
    is_asked(job) && asked && writes(job) && (backlog || !timed)
}

/// Whether a job's writes are only checked, and not made.
pub(super) fn only_checks(job: &Job) -> bool {
    is_asked(job) && job.is_on("verify_only") && writes(job)
}

/// How the content of a job is verified.
pub(super) fn of(
    job: &Job,
    size: &SizeSpec,
    found: &mut Complaints,
) -> Result<Option<VerifySpec>, Diagnostic> {
    if !is_asked(job) {
        return Ok(None);
    }
    let text = word(job).unwrap_or_default();
    let named = VerifySum::ALL.iter().find(|(name, _)| *name == text);
    let sum = match (named, text) {
        (Some((_, sum)), _) => Some(*sum),
        (None, "pattern") => None,
        (None, "pattern_hdr") => Some(VerifySum::Meta),
        (None, _) => {
            return Err(
                Diagnostic::error(codes::VALUE, format!("`verify={text}` cannot be read"))
                    .at(job.place("verify").unwrap_or(job.span), "unknown")
                    .help("use crc32c, md5, sha256, xxhash, meta or pattern, among others"),
            );
        }
    };
    let pattern = verify_pattern::of(job)?;
    if pattern.is_none() && matches!(text, "pattern" | "pattern_hdr") {
        return Err(refused(
            job,
            "verify",
            format!("`verify={text}` has no pattern"),
            "give verify_pattern=",
        ));
    }
    let spec = VerifySpec {
        sum,
        interval: interval(job, size),
        offset: Bytes(whole(job, "verify_offset")),
        pattern,
        remember: reads_back(job),
    };
    fits(job, size, &spec)?;
    say_what_differs(job, found);
    state::judge(job, found);
    Ok(Some(spec))
}

fn whole(job: &Job, option: &str) -> u64 {
    let given = job.number(option).unwrap_or(0);
    u64::try_from(given).unwrap_or(0)
}

/// A header is in each smallest I/O where their sizes differ, and never less often than that.
fn interval(job: &Job, size: &SizeSpec) -> Option<Bytes> {
    let written = size.occurring(&Mix::WRITES);
    let read = size.occurring(&Mix::READS);
    let min = |sizes: &[&SizeSpec]| sizes.iter().map(|s| s.min()).min();
    let max = |sizes: &[&SizeSpec]| sizes.iter().map(|s| s.max()).max();
    let asked = Bytes(whole(job, "verify_interval"));
    let (least, most) = (min(&written)?, max(&written)?);
    let asked = match asked.0 {
        0 if least == most => return None,
        0 => least,
        _ => asked.min(least),
    };
    let reads = job
        .word("rw")
        .is_none_or(|w| w.ends_with("read") || w.ends_with("rw"));
    Some(match min(&read) {
        Some(least) if reads => asked.min(least),
        _ => asked,
    })
}

/// A header with its sum needs room, at its start or where it is moved to.
fn fits(job: &Job, size: &SizeSpec, spec: &VerifySpec) -> Result<(), Diagnostic> {
    let Some(sum) = spec.sum else {
        return Ok(());
    };
    let header = sum.header_bytes();
    let block = spec.interval.unwrap_or(size.min()).0;
    if block <= header {
        return Err(refused(
            job,
            "verify",
            format!("a header takes {header} bytes, and a block has {block}"),
            "use larger blocks, or a larger verify_interval=",
        ));
    }
    let to = spec.offset.0;
    if to > 0 && (to < header || to + header > block) {
        return Err(refused(
            job,
            "verify_offset",
            format!("a header of {header} bytes cannot be moved by {to} in a block of {block}"),
            format!("give {header} to {}", block.saturating_sub(header)),
        ));
    }
    Ok(())
}

fn say_what_differs(job: &Job, found: &mut Complaints) {
    let name = &job.name;
    let mut say = |option: &str, what: String| found.warn(warn_differs(job, option, what));
    if job.number("verify_backlog").is_some_and(|n| n > 0) && reads_back(job) {
        say(
            "verify_backlog",
            format!(
                "what job {name} has written is read back when all jobs that started with it are done, and not as it goes"
            ),
        );
    }
    if writes(job)
        && !reads_back(job)
        && !only_checks(job)
        && job.switch("do_verify") != Some(false)
    {
        say(
            "verify",
            format!(
                "the blocks of job {name} can be verified, and nothing is read back behind it: its time ends it, in fio too"
            ),
        );
    }
    let loops = job.number("loops").unwrap_or(1);
    if loops > 1 && reads_back(job) {
        say(
            "loops",
            format!("what job {name} has written is read back once, behind its last loop"),
        );
    }
    if job.text("verify") == Some("sha512") && writes(job) {
        say(
            "verify",
            "fio before 3.39 does not finish its SHA-512, and refuses blocks that have a whole one"
                .to_string(),
        );
    }
}

/// What reads back what a step has written; nothing where nothing is to be. What is to be done behind the jobs is done behind
/// that.
pub(super) fn read_back(step: &mut Step) -> Option<Step> {
    let remembers = |s: &&Stream| s.verify.as_ref().is_some_and(|v| v.remember);
    let mut streams: Vec<Stream> = Vec::new();
    for written in step.streams.iter().filter(remembers) {
        let name = &written.workload;
        // Clones that are reported as one have one name, and what they wrote is one list.
        let same = |s: &Stream| s.workload == *name && s.target == written.target;
        if !streams.iter().any(same) {
            streams.push(back(written));
        }
    }
    if streams.is_empty() {
        return None;
    }
    let targets: BTreeSet<TargetId> = streams.iter().map(|s| s.target).collect();
    Some(Step {
        interval: step.interval.min(Nanos::secs(1)),
        end_commands: std::mem::take(&mut step.end_commands),
        workers: step.workers.clone(),
        origins: step.origins.clone(),
        ..Step::new(
            format!("{} (read back)", step.name),
            streams,
            Depth::each(targets, 0),
            Load::Max,
            NO_TIME_LIMIT,
        )
    })
}

fn back(written: &Stream) -> Stream {
    let sizes = written.size.occurring(&Mix::WRITES);
    let verify = written.verify.clone().map(|v| VerifySpec {
        remember: false,
        ..v
    });
    Stream {
        mix: Mix::READS,
        size: sizes.first().copied().unwrap_or(&written.size).clone(),
        source: Some(IoSource::ReadBack(written.workload.clone())),
        verify,
        share: 1.0,
        fixed_rate: None,
        arrival: None,
        throttle: Throttle::default(),
        window: Window::default(),
        dependency: Dependency::default(),
        quota: Quota::default(),
        ..written.clone()
    }
}
