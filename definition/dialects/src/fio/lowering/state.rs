//! How far an earlier run has come: `verify_state_load=`, and for which jobs `verify_state_save=` keeps that.

use super::files::Used;
use super::pattern::{self, Access, Order};
use super::{Complaints, refused, verify, warn_differs};
use crate::fio::Job;
use crate::fio::engine::{self, Engine};
use crate::fio::state::{VerifyState, state_path};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Mix, RangeSpec, SizeSpec};
use std::io::Read;

/// No state of a job is larger: that has 65,536 I/Os in flight.
const MOST_BYTES: u64 = 1 << 20;
/// Options that end a job elsewhere than its state does, or have it go on behind that.
const ELSEWHERE: [&str; 5] = ["io_size", "number_ios", "loops", "time_based", "filesize"];

/// Whether the state of a job is to be kept, and can be.
pub(in crate::fio) fn is_saved(job: &Job) -> bool {
    is_to_be_saved(job) && unsaved(job).is_none()
}

fn is_to_be_saved(job: &Job) -> bool {
    job.is_on("verify_state_save")
        && verify::is_asked(job)
        && verify::writes(job)
        && !verify::only_checks(job)
}

/// Why no state of a job says which blocks it has written: fio goes through them again in the order of its own generator.
fn unsaved(job: &Job) -> Option<&'static str> {
    let Ok(access) = pattern::access(job, &mut Complaints::default()) else {
        return Some("its order is none that a state tells of");
    };
    let one_size = pattern::sizes(job).is_ok_and(|size| fixed(&size, &Mix::WRITES).is_some());
    let several = job.number("nrfiles").is_some_and(|n| n > 1)
        || job.filenames.len() > 1
        || job.text("filename").is_some_and(|t| t.contains(':'))
        || job.get("opendir").is_some();
    if access.random {
        Some("its order is drawn here by another generator than fio's")
    } else if access.mix.write < 100.0 {
        Some("it does not only write")
    } else if !is_plain(&access) {
        Some("its order leaps")
    } else if !one_size {
        Some("its blocks differ in size")
    } else if several {
        Some("it uses several files")
    } else if engine::of(job).is_ok_and(|e| e == Engine::Nbd) {
        Some("its target is no file")
    } else {
        None
    }
}

fn is_plain(access: &Access) -> bool {
    !access.random && access.gap == 0 && access.order == Order::Plain
}

fn fixed(size: &SizeSpec, mix: &Mix) -> Option<Bytes> {
    match size.occurring(mix)[..] {
        [SizeSpec::Fixed(block)] => Some(*block),
        _ => None,
    }
}

/// Says where no state is kept, and where one is not needed.
pub(super) fn judge(job: &Job, found: &mut Complaints) {
    let name = &job.name;
    if let Some(why) = unsaved(job).filter(|_| is_to_be_saved(job)) {
        found.warn(
            warn_differs(
                job,
                "verify_state_save",
                format!("no state of job {name} is saved: {why}"),
            )
            .help("a state is saved of rw=write with one bs= on one file"),
        );
    }
    if job.is_on("verify_state_load") && verify::writes(job) && !verify::only_checks(job) {
        found.warn(warn_differs(
            job,
            "verify_state_load",
            format!("job {name} writes itself: all of that is read back, whatever a state says of an earlier run"),
        ));
    }
}

/// What a clone uses, but for what was not written by the end of the run that its state is of.
pub(super) fn cut(
    job: &Job,
    number: u32,
    used: Used,
    access: &Access,
    size: &SizeSpec,
) -> Result<Used, Diagnostic> {
    let checks = !verify::writes(job) || verify::only_checks(job);
    if !job.is_on("verify_state_load") || !verify::is_asked(job) || !checks {
        return Ok(used);
    }
    can_tell(job, access)?;
    let name = &job.name;
    let block = fixed(size, &access.mix);
    let (Some(block), RangeSpec::Bytes(from, to), 1) = (block, &used.range, used.files) else {
        return Err(no(
            job,
            format!(
                "a state tells of blocks of one size on one file, of which job {name} knows how large it is"
            ),
            "give it one file, one bs=, and size= in bytes",
        ));
    };
    let blocks = to.0.saturating_sub(from.0) / block.0.max(1);
    let start = used.offset.0.saturating_add(from.0);
    let bytes = written(job, number, (start, block.0, blocks))?.saturating_mul(block.0);
    let end = from.0.saturating_add(bytes);
    Ok(Used {
        range: RangeSpec::Bytes(*from, Bytes(end)),
        bytes: Some(bytes),
        target_bytes: used.target_bytes.map(|all| all.min(end)),
        ..used
    })
}

fn no(job: &Job, why: String, remedy: &str) -> Diagnostic {
    refused(job, "verify_state_load", why, remedy)
}

/// Whether a state tells how far a job is to go: its order is fio's, and nothing else ends it.
fn can_tell(job: &Job, access: &Access) -> Result<(), Diagnostic> {
    let name = &job.name;
    if !is_plain(access) {
        return Err(no(
            job,
            format!(
                "which blocks the state of job {name} is of is not known: only an order from the start to the end is the same here as in fio"
            ),
            "write and read in order (rw=write, rw=read), or leave it out: then all of the size is checked",
        ));
    }
    let given = |option: &&&str| match **option {
        "loops" => job.number("loops").is_some_and(|n| n > 1),
        option => job.get(option).is_some_and(|a| !a.is_off()),
    };
    match ELSEWHERE.iter().find(given) {
        Some(option) => Err(no(
            job,
            format!("job {name} is to end where its state does, and has {option}="),
            "leave one of them out",
        )),
        None => Ok(()),
    }
}

/// How many of a clone's blocks were written, by its state: of so many from `start` on, each of `block` bytes.
fn written(
    job: &Job,
    number: u32,
    (start, block, blocks): (u64, u64, u64),
) -> Result<u64, Diagnostic> {
    let name = &job.name;
    let path = state_path(name, job.clones_before + u64::from(number));
    let about = |why: String| format!("the state file {path} of job {name} {why}");
    let state = read(&path).map_err(|why| {
        no(
            job,
            about(why),
            "write it with verify_state_save=1 in a job of the same name and place, started in the same folder; or leave this out: \
             then all of the size is checked",
        )
    })?;
    let written = state.written(start, block, blocks).map_err(|why| {
        no(
            job,
            about(why),
            "give the job the offset=, size= and bs= of the one that wrote, which goes from the start to the end (rw=write)",
        )
    })?;
    match written {
        0 => Err(no(
            job,
            about("tells of nothing that was written and can be checked".to_string()),
            "leave the job out",
        )),
        written => Ok(written),
    }
}

fn read(path: &str) -> Result<VerifyState, String> {
    let unread = |e: std::io::Error| format!("cannot be read: {e}");
    let about = std::fs::metadata(path).map_err(unread)?;
    // A pipe would never end, and a device is no state.
    if !about.is_file() {
        return Err("is no file".to_string());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(unread)?;
    VerifyState::decode(&bytes)
}
