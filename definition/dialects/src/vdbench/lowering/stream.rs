//! One workload on one target.

use super::content;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use crate::vdbench::model::{Band, LoopKey, Seek, Sizes, Storage, StorageRange, Workload};
use crate::vdbench::run::Run;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    AddressSpec, Bytes, Distribution, HitPlacement, HitSpec, Mix, Pattern, RangeSpec, Rate,
    SizeSpec, Stream, TargetId,
};

/// The value of a loop in a run.
pub(super) fn loop_value(run: &Run, key: LoopKey) -> Option<f64> {
    run.loops
        .iter()
        .find(|(k, _)| *k == key)
        .map(|(_, value)| value.number())
}

/// `share` is this stream's; a fixed rate is divided by `parts`, the streams of the workload.
pub(super) fn stream(
    definition: &Definition,
    run: &Run,
    workload: &Workload,
    part: &[usize],
    target: TargetId,
    share: f64,
    parts: usize,
) -> Result<Stream, Box<Diagnostic>> {
    let storage = &definition.storages[part[0]];
    let read = loop_value(run, LoopKey::ReadPercent).unwrap_or(workload.read_percent);
    Ok(Stream {
        share,
        fixed_rate: workload.rate.map(|r| Rate(r / parts as f64)),
        // Those without a rate come last, whatever their number.
        priority: workload.rate.and(workload.priority),
        content: content::content(definition, run, storage)?,
        ..Stream::new(
            workload.name.clone(),
            target,
            Mix::of_reads(read),
            size(run, workload),
            AddressSpec {
                range: range(workload, storage),
                pattern: pattern(run, workload)?,
                hits: hits(run, workload, storage),
            },
        )
    })
}

pub(super) fn size(run: &Run, workload: &Workload) -> SizeSpec {
    if let Some(size) = loop_value(run, LoopKey::TransferSize) {
        return SizeSpec::Fixed(Bytes(size as u64));
    }
    transfer(&workload.sizes)
}

/// `xfersize=`
pub(super) fn transfer(sizes: &Sizes) -> SizeSpec {
    match sizes {
        Sizes::Fixed(size) => SizeSpec::Fixed(Bytes(*size)),
        Sizes::Weighted(list) => {
            SizeSpec::Weighted(list.iter().map(|(s, p)| (Bytes(*s), *p)).collect())
        }
        Sizes::Range { min, max, align } => {
            SizeSpec::range(Bytes(*min), Bytes(*max), Bytes(*align))
        }
    }
}

/// The workload's part of the storage, else the storage's own.
fn range(workload: &Workload, storage: &Storage) -> RangeSpec {
    let range = match workload.band {
        Some(Band::Range(range) | Band::Hot(range, _)) => Some(range),
        None => storage.range,
    };
    match range {
        None => RangeSpec::Whole,
        Some(StorageRange::Percent(lo, hi)) if lo == 0.0 && hi == 100.0 => RangeSpec::Whole,
        Some(StorageRange::Percent(lo, hi)) => RangeSpec::Percent(lo, hi),
        Some(StorageRange::Bytes(lo, hi)) => RangeSpec::Bytes(Bytes(lo), Bytes(hi)),
    }
}

fn pattern(run: &Run, workload: &Workload) -> Result<Pattern, Box<Diagnostic>> {
    let seek = match loop_value(run, LoopKey::SeekPercent) {
        Some(percent) if percent < 0.0 => Seek::UntilEnd,
        Some(0.0) => Seek::Sequential,
        Some(percent) => Seek::Percent(percent),
        None => workload.seek,
    };
    let random = seek == Seek::Percent(100.0);
    let cannot = |what: &str, field: &str, with: &str| {
        Err(Box::new(
            Diagnostic::error(
                codes::CANNOT_RUN,
                format!(
                    "wd={}: {what} cannot be combined with {with}",
                    workload.name
                ),
            )
            .at(
                workload.origins.of(field).unwrap_or(workload.span),
                "not in this version",
            ),
        ))
    };
    if let Some(streams) = workload.streams {
        return match (workload.stride, workload.band) {
            (Some(_), _) => cannot("streams=", "streams", "stride="),
            (_, Some(Band::Hot(..))) => cannot("streams=", "streams", "hotband="),
            _ => Ok(Pattern::Streams(streams)),
        };
    }
    if let Some((min, max)) = workload.stride {
        return Ok(Pattern::Stride {
            min: Bytes(min),
            max: Bytes(max),
        });
    }
    if let Some(Band::Hot(_, mode)) = workload.band {
        return match random {
            true => Ok(Pattern::random(Distribution::Hotband(mode))),
            false => cannot("hotband=", "hotband", "seekpct= other than 100"),
        };
    }
    Ok(match seek {
        Seek::Sequential => Pattern::IN_ORDER,
        Seek::SequentialNonZero => Pattern::Sequential {
            once: false,
            random_start: true,
            whole: false,
        },
        Seek::UntilEnd => Pattern::Sequential {
            once: true,
            random_start: false,
            whole: true,
        },
        Seek::Percent(_) if random => Pattern::RANDOM,
        Seek::Percent(percent) => Pattern::PercentRandom(percent),
        Seek::Poisson(midpoint) => Pattern::random(Distribution::Poisson(midpoint)),
    })
}

pub(super) fn hits(run: &Run, workload: &Workload, storage: &Storage) -> Option<HitSpec> {
    let read_percent = loop_value(run, LoopKey::ReadHits).unwrap_or(workload.read_hits);
    let write_percent = loop_value(run, LoopKey::WriteHits).unwrap_or(workload.write_hits);
    let area = loop_value(run, LoopKey::HitArea).map_or(storage.hit_area, |a| a as u64);
    (read_percent > 0.0 || write_percent > 0.0).then_some(HitSpec::new(
        read_percent,
        write_percent,
        Bytes(area),
        HitPlacement::Contiguous,
    ))
}
