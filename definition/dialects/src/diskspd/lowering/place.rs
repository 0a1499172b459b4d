//! Where I/Os go: order, part of the target, distribution.

use super::cannot;
use crate::diskspd::model::Target;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{AddressSpec, Bytes, Distribution, Pattern, RangeSpec};

/// The addresses of a thread, or of all threads of a target where they do not depend on who draws them.
pub(super) fn addresses(target: &Target, thread: u64) -> Result<AddressSpec, Box<Diagnostic>> {
    Ok(AddressSpec {
        range: range(target, thread)?,
        pattern: pattern(target)?,
        hits: None,
    })
}

/// Places count from the base in DiskSPD, and from the target's start here: they are the same where the base is one of them.
fn range(target: &Target, thread: u64) -> Result<RangeSpec, Box<Diagnostic>> {
    let unit = match target.random_percent {
        0 => u64::from(target.block),
        _ => target.alignment(),
    };
    if !target.base.is_multiple_of(unit) {
        let message = format!(
            "the base of {} bytes is no multiple of {unit} bytes, which places are multiples of here",
            target.base
        );
        return Err(Box::new(cannot(message, target.at("-B"))));
    }
    let (phase, ahead) = start(target, thread, unit)?;
    let until = (target.max > 0).then_some(Bytes(target.max));
    if target.base == 0 && until.is_none() && phase == 0 && ahead == 0 {
        return Ok(RangeSpec::Whole);
    }
    Ok(RangeSpec::Clipped {
        from: Bytes(target.base.saturating_add(phase)),
        until,
        ahead: Bytes(ahead),
    })
}

/// Where a thread begins (-T), and where it goes on after the end: DiskSPD's rounds keep what the start is more than a
/// multiple of the stride.
fn start(target: &Target, thread: u64, unit: u64) -> Result<(u64, u64), Box<Diagnostic>> {
    if target.thread_stride == 0 {
        return Ok((0, 0));
    }
    if !target.thread_stride.is_multiple_of(unit) {
        let message = format!(
            "threads that begin {} bytes apart are off the blocks of {unit} bytes, which places are multiples of here",
            target.thread_stride
        );
        return Err(Box::new(cannot(message, target.at("-T"))));
    }
    let first = thread.saturating_mul(target.thread_stride);
    let phase = first % target.alignment();
    Ok((phase, first - phase))
}

pub(super) fn pattern(target: &Target) -> Result<Pattern, Box<Diagnostic>> {
    let block = u64::from(target.block);
    let apart = target.alignment();
    match target.random_percent {
        0 => in_order(target, block, apart),
        100 => Ok(Pattern::random(distribution(target)?)),
        _ if apart != block => Err(Box::new(cannot(
            format!(
                "sequences (-rs) of blocks of {block} bytes that begin {apart} bytes apart cannot be kept"
            ),
            target.at("-r"),
        ))),
        percent => Ok(Pattern::PartRandom {
            percent: f64::from(percent),
            distribution: distribution(target)?,
            whole_runs: (1..100).contains(&target.write_percent),
        }),
    }
}

fn in_order(target: &Target, block: u64, stride: u64) -> Result<Pattern, Box<Diagnostic>> {
    if stride == block {
        return Ok(Pattern::IN_ORDER);
    }
    if stride < block || !stride.is_multiple_of(block) {
        let message = format!(
            "a stride of {stride} bytes for blocks of {block} bytes cannot be kept: it has to be a multiple of them"
        );
        return Err(Box::new(cannot(message, target.at("-s"))));
    }
    let gap = Bytes(stride - block);
    Ok(Pattern::Stride { min: gap, max: gap })
}

/// Zones are percent of what is used; those in bytes need its size.
fn distribution(target: &Target) -> Result<Distribution, Box<Diagnostic>> {
    let Some(asked) = &target.distribution else {
        return Ok(Distribution::Uniform);
    };
    if !asked.absolute {
        let zones = asked.ranges.iter();
        return Ok(Distribution::Zoned(
            zones
                .map(|(io, part)| (f64::from(*io), *part as f64))
                .collect(),
        ));
    }
    let end = [target.file_size, Some(target.max).filter(|max| *max > 0)];
    let Some(end) = end
        .into_iter()
        .flatten()
        .min()
        .filter(|end| *end > target.base)
    else {
        let complaint = cannot(
            "ranges in bytes (-rdabs) need to know where the target ends",
            target.at("distribution"),
        );
        return Err(Box::new(complaint.help(
            "say where it ends: -f for a part of a target, -c for a file that is made",
        )));
    };
    zones_of(&asked.ranges, end - target.base).ok_or_else(|| {
        Box::new(cannot(
            "no range of the distribution lies within the target",
            target.at("distribution"),
        ))
    })
}

/// What lies past the end is left out, and what remains has all I/Os.
fn zones_of(ranges: &[(u32, u64)], size: u64) -> Option<Distribution> {
    let mut zones: Vec<(f64, f64)> = Vec::new();
    let mut from = 0u64;
    for (io, length) in ranges {
        let length = match length {
            0 => size.saturating_sub(from),
            length => (*length).min(size.saturating_sub(from)),
        };
        if length > 0 {
            zones.push((f64::from(*io), length as f64 / size as f64 * 100.0));
        }
        from = from.saturating_add(length);
    }
    if from < size {
        zones.push((0.0, (size - from) as f64 / size as f64 * 100.0));
    }
    let ios: f64 = zones.iter().map(|(io, _)| io).sum();
    for (io, _) in &mut zones {
        *io = *io / ios * 100.0;
    }
    (ios > 0.0).then_some(Distribution::Zoned(zones))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_bytes_end_with_the_target() {
        let zones = |ranges: &[(u32, u64)], size| match zones_of(ranges, size) {
            Some(Distribution::Zoned(zones)) => zones,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            zones(&[(90, 10), (0, 10), (10, 0)], 100),
            [(90.0, 10.0), (0.0, 10.0), (10.0, 80.0)]
        );
        // DiskSPD's own example: what is left of 90, 0 and 5 in 20 is all in the first 10.
        assert_eq!(
            zones(&[(90, 10), (0, 10), (5, 20), (5, 0)], 20),
            [(100.0, 50.0), (0.0, 50.0)]
        );
        assert_eq!(zones(&[(100, 25)], 100), [(100.0, 25.0), (0.0, 75.0)]);
        assert_eq!(zones_of(&[(0, 100), (100, 0)], 50), None);
    }
}
