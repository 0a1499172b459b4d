//! What is written.

use super::{Complaints, otherwise, refused};
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
    if job.is_on("zero_buffers") || removed == 100.0 {
        return Ok(ContentSpec::Zeros);
    }
    if removed == 0.0 && repeated == 0.0 {
        return plain(job, found);
    }
    if job.get("buffer_pattern").is_some() {
        return Err(refused(
            job,
            "buffer_pattern",
            "a pattern excludes compression and duplicates",
            "leave it out, or the percentages",
        ));
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
    Ok(ContentSpec::Reducible {
        compress: 100.0 / (100.0 - removed),
        dedupe,
    })
}

/// What neither compresses nor repeats.
fn plain(job: &Job, found: &mut Complaints) -> Result<ContentSpec, Diagnostic> {
    if let Some(text) = job.text("buffer_pattern") {
        return bytes(text).map(ContentSpec::Pattern).ok_or_else(|| {
            refused(
                job,
                "buffer_pattern",
                format!("the pattern {text} cannot be made"),
                "write it as one hexadecimal number (0xdeadbeef) or one text in quotation marks",
            )
        });
    }
    if job.switch("scramble_buffers") == Some(false) && !job.is_on("refill_buffers") {
        let said = format!(
            "the blocks of job {} differ from each other; fio writes the same few over and over",
            job.name
        );
        found.warn(
            otherwise(job, "scramble_buffers", said)
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
        found.warn(otherwise(job, "dedupe_percentage", format!("the duplicates of job {} lie scattered, and are of 5 % of its blocks; fio's repeat the block before", job.name)));
    }
    Ok(DedupeSpec {
        ratio: 100.0 / (100.0 - percent),
        unit: size.min(),
        sets: None,
        flip_flop: false,
        placement: DedupePlacement::Scattered,
    })
}

/// `0xdeadbeef` or `"text"`.
fn bytes(text: &str) -> Option<Vec<u8>> {
    if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        let plain = !inner.is_empty() && !inner.contains(['"', '%', '\\']);
        return plain.then(|| inner.as_bytes().to_vec());
    }
    let hex = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    if hex.is_empty() || hex.len() > 8192 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let padded = match hex.len() % 2 {
        0 => hex.to_string(),
        _ => format!("0{hex}"),
    };
    let pairs = (0..padded.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&padded[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn patterns_are_one_number_or_one_text() {
        assert_eq!(bytes("0xdeadbeef"), Some(vec![0xde, 0xad, 0xbe, 0xef]));
        assert_eq!(bytes("0x1"), Some(vec![1]));
        assert_eq!(bytes("\"abc\""), Some(b"abc".to_vec()));
        for odd in ["12", "0x", "\"%o\"", "\"a\"0x1", "0x1é", "'file'"] {
            assert_eq!(bytes(odd), None, "{odd}");
        }
    }
}
