//! Sizes of a job's I/Os, for each operation.

use crate::fio::number;
use crate::fio::settings::{ABSENT, Value};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, SizeSpec};

/// The size of an I/O where nobody says.
const BLOCK: i64 = 4096;

/// The largest I/O of a job, bytes; 0 where that cannot be read.
pub(in crate::fio) fn largest_size(job: &Job) -> u64 {
    sizes(job).map_or(0, |size| size.max().0)
}

/// Sizes of a job's I/Os, by operation.
pub(in crate::fio) fn sizes(job: &Job) -> Result<SizeSpec, Diagnostic> {
    let later = |a: &str, b: &str| match (job.get(a), job.get(b)) {
        (Some(_), Some(_)) => true,
        (given, _) => given.is_some(),
    };
    let each = job.triple("bs").unwrap_or([BLOCK; 3]);
    let plain = each.map(|n| if n == ABSENT { BLOCK } else { n });
    let list = match (later("bssplit", "bsrange"), job.get("bsrange")) {
        (true, _) => split(job, plain)?,
        (false, Some(assigned)) => match assigned.value {
            Value::Ranges(each) => each
                .into_iter()
                .zip(plain)
                .map(|((min, max), plain)| match min {
                    ABSENT => range(job, plain, plain),
                    _ => range(job, min, max),
                })
                .collect::<Result<Vec<_>, _>>()?,
            _ => Vec::new(),
        },
        (false, None) => plain
            .into_iter()
            .map(|n| block(job, "bs", n).map(SizeSpec::Fixed))
            .collect::<Result<Vec<_>, _>>()?,
    };
    match <[SizeSpec; 3]>::try_from(list) {
        Ok(sizes) => Ok(SizeSpec::of_operations(sizes)),
        Err(_) => Ok(SizeSpec::Fixed(Bytes(BLOCK as u64))),
    }
}

fn block(job: &Job, option: &str, size: i64) -> Result<Bytes, Diagnostic> {
    match u64::try_from(size) {
        Ok(bytes) if bytes > 0 => Ok(Bytes(bytes)),
        _ => Err(Diagnostic::error(
            codes::OUT_OF_RANGE,
            format!("an I/O of job {} has {size} bytes", job.name),
        )
        .at(job.place(option).unwrap_or(job.span), "")),
    }
}

fn range(job: &Job, min: i64, max: i64) -> Result<SizeSpec, Diagnostic> {
    let (min, max) = (block(job, "bsrange", min)?, block(job, "bsrange", max)?);
    Ok(match min == max {
        true => SizeSpec::Fixed(min),
        false => SizeSpec::Range {
            min,
            // Sizes are multiples of the smallest.
            max: Bytes(max.0 / min.0 * min.0),
            align: min,
        },
    })
}

/// `8k/90:32k/10,4k`: of reads, writes and trims; sizes without a percentage share what is left, and else the last has it. An
/// operation of which nothing is said between commas has those of `bs=`.
fn split(job: &Job, plain: [i64; 3]) -> Result<Vec<SizeSpec>, Diagnostic> {
    let text = job.text("bssplit").unwrap_or_default();
    let wrong = || {
        Diagnostic::error(codes::VALUE, format!("`bssplit={text}` cannot be read")).at(
            job.place("bssplit").unwrap_or(job.span),
            "sizes with percentages: 4k/60:64k/40",
        )
    };
    let kb = job.get("bssplit").map_or(1024, |a| a.kb);
    let mut out: Vec<SizeSpec> = Vec::new();
    for (part, plain) in text.split(',').zip(plain.into_iter().chain([BLOCK])) {
        if part.trim().is_empty() {
            out.push(SizeSpec::Fixed(block(job, "bssplit", plain)?));
            continue;
        }
        let mut list: Vec<(Bytes, Option<f64>)> = Vec::new();
        for entry in part.split(':') {
            let (size, percent) = entry.split_once('/').unwrap_or((entry, ""));
            let size = number::size(size, kb).ok_or_else(wrong)?.value;
            let percent = match percent.trim() {
                "" => None,
                text => Some(text.parse::<u32>().map_err(|_| wrong())?),
            };
            list.push((block(job, "bssplit", size)?, percent.map(f64::from)));
        }
        out.push(weighted(&list).ok_or_else(wrong)?);
    }
    let last = out.last().cloned().ok_or_else(wrong)?;
    if out.len() > 3 {
        return Err(wrong());
    }
    out.resize(3, last);
    Ok(out)
}

fn weighted(list: &[(Bytes, Option<f64>)]) -> Option<SizeSpec> {
    let given: f64 = list.iter().filter_map(|(_, p)| *p).sum();
    let open = list.iter().filter(|(_, p)| p.is_none()).count();
    if given > 100.0 && open > 0 {
        return None;
    }
    let rest = (100.0 - given) / open.max(1) as f64;
    let mut left = 100.0;
    let all = list.iter().enumerate().map(|(at, (bytes, percent))| {
        // fio draws from 100: what is above comes never, and the last has what is below.
        let share = match at + 1 == list.len() {
            true => left,
            false => percent.unwrap_or(rest).min(left),
        };
        left -= share;
        (*bytes, share)
    });
    let used: Vec<(Bytes, f64)> = all.filter(|(_, p)| *p > 1e-9).collect();
    match used[..] {
        [] => None,
        [(size, _)] => Some(SizeSpec::Fixed(size)),
        _ => Some(SizeSpec::Weighted(used)),
    }
}
