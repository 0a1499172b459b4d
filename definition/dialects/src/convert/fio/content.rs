//! What a job writes.

use super::{Missing, Opt};
use plimsoll_plan::{ContentSpec, DedupePlacement, DedupeSpec, Stream};

/// Bytes of a pattern that a line may have.
const PATTERN_MAX: usize = 512;

/// The options of what is written.
pub(super) fn options(stream: &Stream, options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    if stream.mix.write <= 0.0 {
        return;
    }
    let name = &stream.workload;
    match &stream.content {
        // Without it fio writes a few buffers over and over.
        ContentSpec::Unique => options.push(("refill_buffers", "1".to_string())),
        ContentSpec::Zeros => options.push(("zero_buffers", "1".to_string())),
        ContentSpec::Pattern(bytes) => pattern(name, bytes, options, missing),
        ContentSpec::File(_) => missing.add(
            name,
            "content",
            "a file's bytes, repeated from block to block",
            "write a pattern, or compress = and dedupe = as the file has them",
        ),
        ContentSpec::PartZero { .. } => missing.add(
            name,
            "content",
            "zeros in a part of the blocks",
            "leave zeros out, or write content = \"zeros\"",
        ),
        ContentSpec::Reducible { compress, dedupe } => {
            reducible(stream, *compress, dedupe.as_ref(), options, missing);
        }
        ContentSpec::ReduciblePattern {
            pattern: bytes,
            compress,
            dedupe,
        } => {
            pattern(name, bytes, options, missing);
            reducible(stream, *compress, dedupe.as_ref(), options, missing);
        }
    }
}

fn pattern(name: &str, bytes: &[u8], options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    if bytes.len() > PATTERN_MAX {
        return missing.add(
            name,
            "content",
            format!("a pattern of more than {PATTERN_MAX} bytes"),
            "write a shorter one",
        );
    }
    let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    options.push(("buffer_pattern", format!("0x{digits}")));
}

fn reducible(
    stream: &Stream,
    compress: f64,
    dedupe: Option<&DedupeSpec>,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let name = &stream.workload;
    match removed(compress) {
        Some(0) => {}
        Some(percent) => {
            options.push(("buffer_compress_percentage", percent.to_string()));
            options.push(("refill_buffers", "1".to_string()));
        }
        None => missing.add(
            name,
            "content",
            format!("a compression of {compress}, which removes no whole percentage"),
            "write 2, 4, 5 or 10",
        ),
    }
    let Some(dedupe) = dedupe else {
        return;
    };
    let plain = dedupe.sets.is_none()
        && !dedupe.flip_flop
        && dedupe.placement == DedupePlacement::Scattered
        && dedupe.unit == stream.size.min();
    match removed(dedupe.ratio).filter(|_| plain) {
        Some(percent) => {
            options.push(("dedupe_percentage", percent.to_string()));
            options.push(("dedupe_mode", "working_set".to_string()));
        }
        None => missing.add(
            name,
            "content",
            "duplicates of units other than the I/O, in sets or runs, or of no whole percentage",
            "write dedupe = 2 with the block as its unit, and no more",
        ),
    }
}

/// The percentage that a ratio removes, where it is whole.
fn removed(ratio: f64) -> Option<u32> {
    let percent = 100.0 - 100.0 / ratio;
    let whole = percent.round();
    // 100 / (100 - n) is exact to a few units of the last place.
    ((percent - whole).abs() < 1e-9 && whole < 100.0).then_some(whole as u32)
}
