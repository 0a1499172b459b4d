//! What a job is done on, and how it is opened.

use super::{Missing, Opt};
use plimsoll_plan::{Bytes, Caching, Durability, Location, RangeSpec, Stream, Target};
use std::path::Path;

/// Bytes of a name that the kernel takes.
const PATH: usize = 4095;

/// The options of a job's files.
pub(super) fn options(
    target: &Target,
    stream: &Stream,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) {
    let name = &stream.workload;
    let is_file = located(target, stream, options, missing);
    range(target, stream, options, missing);
    if is_file {
        match target.caching {
            Caching::Direct => options.push(("direct", "1".to_string())),
            Caching::Buffered => {
                options.push(("direct", "0".to_string()));
                // What the page cache holds is not dropped before a run.
                options.push(("invalidate", "0".to_string()));
            }
        }
    }
    match target.durability {
        Durability::None => {}
        Durability::Dsync => options.push(("sync", "dsync".to_string())),
        Durability::Sync => options.push(("sync", "sync".to_string())),
        Durability::FsyncEvery(n) => options.push(("fsync", n.to_string())),
        Durability::FdatasyncEvery(n) => options.push(("fdatasync", n.to_string())),
        // Trees are refused.
        Durability::FsyncAtClose => {}
        Durability::FsyncAtEnd => options.push(("end_fsync", "1".to_string())),
    }
    let Some(align) = target.align else {
        return;
    };
    match stream.address.pattern {
        plimsoll_plan::Pattern::Random { coverage: true, .. } => missing.add(
            name,
            "align",
            "each block once, at places that are no multiples of its I/Os",
            "leave the alignment out",
        ),
        _ => options.push(("ba", align.0.to_string())),
    }
}

/// Where it is; true for files and devices.
fn located(
    target: &Target,
    stream: &Stream,
    options: &mut Vec<Opt>,
    missing: &mut Missing<'_>,
) -> bool {
    let name = &stream.workload;
    match &target.location {
        Location::Path(path) => {
            options.push(("filename", escaped(path, stream, missing)));
            return true;
        }
        Location::Concat(paths) => {
            let all: Vec<String> = paths.iter().map(|p| escaped(p, stream, missing)).collect();
            options.push(("filename", all.join(":")));
            if target.stripe.is_some() {
                missing.add(
                    name,
                    "targets",
                    "a stripe over several files",
                    "make it with a volume manager, and name its device",
                );
            }
            let whole = stream.address.range == RangeSpec::Whole && target.offset.0 == 0;
            if !whole || target.size.is_none() {
                missing.add(
                    name,
                    "targets",
                    "a part of several files joined end to end, or of files of sizes that nobody says",
                    "give the target a size, or each file a target of its own",
                );
            }
            return true;
        }
        Location::Null(_) => {}
        Location::Nbd(nbd) => match &nbd.paths[..] {
            [one] => options.push(("uri", one.to_string())),
            _ => missing.add(
                name,
                "targets",
                "several paths to one volume",
                "name one path",
            ),
        },
        Location::Tree(_) => missing.add(
            name,
            "targets",
            "a tree of directories and files",
            "name a file or a device",
        ),
        Location::Lab(_) => missing.add(
            name,
            "targets",
            "a simulated array in virtual time",
            "serve it (`plimsoll lab serve`), and name the device",
        ),
    }
    false
}

/// fio's names have colons between them.
fn escaped(path: &Path, stream: &Stream, missing: &mut Missing<'_>) -> String {
    let text = path.display().to_string();
    // What begins a comment, stands for something else, or is lost at a value's ends: fio would write to another file.
    let is_odd =
        text.contains(['\n', '\r', '#', ';', '$', '\\', '"', '\'', '`']) || text.trim() != text;
    if is_odd || path.to_str().is_none() || text.len() > PATH {
        let what = format!("the name `{}`", text.escape_default());
        missing.add(
            &stream.workload,
            "targets",
            what,
            "give it another name by a link",
        );
    }
    text.replace(':', "\\:")
}

/// The part that is used.
fn range(target: &Target, stream: &Stream, options: &mut Vec<Opt>, missing: &mut Missing<'_>) {
    let name = &stream.workload;
    let size = target.size.or(target.location.stated_size());
    let mut bytes = |from: u64, until: Option<u64>| {
        let from = target.offset.0.saturating_add(from);
        if from > 0 {
            options.push(("offset", from.to_string()));
        }
        if let Some(until) = until {
            let length = target.offset.0.saturating_add(until).saturating_sub(from);
            options.push(("size", length.to_string()));
        }
    };
    match stream.address.range {
        RangeSpec::Whole => bytes(0, size.map(|s| s.0)),
        RangeSpec::Bytes(Bytes(from), Bytes(to)) => bytes(from, Some(to)),
        RangeSpec::Percent(from, to) => {
            let whole = from.fract() == 0.0 && to.fract() == 0.0 && to <= 100.0;
            if whole && size.is_none() && target.offset.0 == 0 {
                if from > 0.0 {
                    options.push(("offset", format!("{from}%")));
                }
                options.push(("size", format!("{}%", to - from)));
            } else if let Some(size) = size.filter(|_| to <= 100.0) {
                let at = |percent: f64| (size.0 as f64 * percent / 100.0) as u64;
                bytes(at(from), Some(at(to)));
            } else {
                missing.add(
                    name,
                    "range",
                    "this part of a target",
                    "write whole percentages up to 100",
                );
            }
        }
        RangeSpec::Clipped { from, until, ahead } => {
            let until = match (until, size) {
                (Some(until), Some(size)) => Some(until.0.min(size.0)),
                (until, size) => until.or(size).map(|b| b.0),
            };
            if ahead.0 > 0 {
                missing.add(
                    name,
                    "range",
                    "addresses in order that begin ahead of its start",
                    "leave it out",
                );
            }
            bytes(from.0, until);
        }
    }
}
