//! What is written.

use super::{Complaints, refused, verify_pattern, warn_differs};
use crate::fio::Job;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{ContentSpec, DedupePlacement, DedupeSpec, SizeSpec};

/// The content of a job's blocks. fio writes a few buffers over and over, with a few bytes changed; here every block differs
/// from every other, which is what `refill_buffers` asks for.
pub(super) fn content(
    job: &Job,
    size: &SizeSpec,
    found: &mut Complaints,
) -> Result<ContentSpec, Diagnostic> {
    let percent = |option: &str| {
        let given = job.number(option).unwrap_or(0);
        match given {
            0..=100 => Ok(given as f64),
            _ => Err(refused(
                job,
                option,
                format!("`{option}={given}` is no percentage"),
                "give 0 to 100",
            )),
        }
    };
    let removed = percent("buffer_compress_percentage")?;
    let repeated = percent("dedupe_percentage")?;
    let pattern = pattern(job)?;
    // Of what excludes each other fio takes percentages before a pattern, and that before zeros.
    match (removed, &pattern) {
        (0.0, _) if repeated == 0.0 => return plain(job, pattern, found),
        (100.0, Some(pattern)) => return Ok(ContentSpec::Pattern(pattern.clone())),
        (100.0, None) => return Ok(ContentSpec::Zeros),
        _ => {}
    }
    if repeated == 100.0 {
        return Err(refused(
            job,
            "dedupe_percentage",
            "where all blocks are duplicates there is none that they are duplicates of",
            "give 99 or less, or zero_buffers",
        ));
    }
    let dedupe = match repeated > 0.0 {
        false => None,
        true => Some(duplicates(job, size, repeated, found)?),
    };
    let compress = 100.0 / (100.0 - removed);
    Ok(match pattern {
        Some(pattern) if removed > 0.0 => ContentSpec::ReduciblePattern {
            pattern,
            compress,
            dedupe,
        },
        _ => ContentSpec::Reducible { compress, dedupe },
    })
}

/// The bytes of `buffer_pattern=`.
fn pattern(job: &Job) -> Result<Option<Vec<u8>>, Diagnostic> {
    let Some(text) = job.text("buffer_pattern") else {
        return Ok(None);
    };
    let read = verify_pattern::read(text).filter(|(_, offsets)| offsets.is_empty());
    match read {
        Some((bytes, _)) => Ok(Some(bytes)),
        None => Err(refused(
            job,
            "buffer_pattern",
            format!("the pattern {text} cannot be made"),
            "write numbers (0xdeadbeef, 66) and texts in quotation marks one behind the other, 4096 bytes at most",
        )),
    }
}

/// What neither compresses nor repeats.
fn plain(
    job: &Job,
    pattern: Option<Vec<u8>>,
    found: &mut Complaints,
) -> Result<ContentSpec, Diagnostic> {
    if let Some(pattern) = pattern {
        return Ok(ContentSpec::Pattern(pattern));
    }
    if job.is_on("zero_buffers") {
        return Ok(ContentSpec::Zeros);
    }
    if job.switch("scramble_buffers") == Some(false) && !job.is_on("refill_buffers") {
        let message = format!(
            "the blocks of job {} differ from each other; fio writes the same few over and over",
            job.name
        );
        found.warn(
            warn_differs(job, "scramble_buffers", message)
                .help("for data that deduplicates, say dedupe_percentage="),
        );
    }
    Ok(ContentSpec::Unique)
}

fn duplicates(
    job: &Job,
    size: &SizeSpec,
    percent: f64,
    found: &mut Complaints,
) -> Result<DedupeSpec, Diagnostic> {
    if job
        .number("dedupe_working_set_percentage")
        .is_some_and(|p| p != 5)
    {
        return Err(refused(
            job,
            "dedupe_working_set_percentage",
            "duplicates are of 5 % of the blocks",
            "leave it out",
        ));
    }
    if job.word("dedupe_mode") != Some("working_set") {
        let message = format!(
            "the duplicates of job {} are drawn from a pool of 5 % of its blocks, and lie scattered; in fio each repeats the block before it",
            job.name
        );
        found.warn(warn_differs(job, "dedupe_percentage", message));
    }
    Ok(DedupeSpec::new(
        100.0 / (100.0 - percent),
        size.min(),
        DedupePlacement::Scattered,
    ))
}
