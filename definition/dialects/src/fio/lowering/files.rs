//! Which files a clone of a job uses, and how much of them.

use super::names::paths;
use super::refused;
use crate::fio::engine::{self, Engine};
use crate::fio::number::{self, Number};
use crate::fio::settings::{Assigned, Value};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Bytes, Location, NbdTarget, RangeSpec};
use std::path::PathBuf;

/// Beginning of the name of a simulated array's LUN, once fio's backslash before the colon is read.
pub(super) const LAB: &str = "lab:";

/// What one clone of a job uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Used {
    pub location: Location,
    /// How many files it is made of.
    pub files: u32,
    pub range: RangeSpec,
    /// Where addresses count from.
    pub offset: Bytes,
    /// What of the target must be there; `None`: all that is.
    pub target_bytes: Option<u64>,
    /// The bytes of the range, where they are known.
    pub bytes: Option<u64>,
    pub span: Span,
    pub size_span: Option<Span>,
}

/// What clone `number` of a job uses; each file is cut to whole I/Os of `block`.
pub(super) fn of(job: &Job, engine: Engine, number: u32, block: u64) -> Result<Used, Diagnostic> {
    let (paths, span) = match engine {
        Engine::Null | Engine::Nbd => (Vec::new(), job.span),
        _ => paths(job, number)?,
    };
    let files = paths.len().max(1) as u64;
    let luns = paths.iter().filter(|p| p.starts_with(LAB)).count() as u64;
    if files > 1 && luns > 0 {
        let what = match luns == files {
            true => format!("{luns} LUNs of simulated arrays, which cannot be one"),
            false => "a simulated array with other files".to_string(),
        };
        return Err(refused(
            job,
            "filename",
            format!("job {} joins {what}", job.name),
            "give each a job of its own",
        ));
    }
    let size = extent(job, "size")?;
    let each = each_file(job, &size, files, block)?;
    let start = match (start(job, number)?, each) {
        // Of a file whose size is said a percentage is bytes; fio begins at the next whole I/O.
        (Start::Percent(p), Some(file)) if files == 1 && job.get("filesize").is_some() => {
            let from = (file as f64 * p / 100.0) as u64;
            Start::Bytes(from.next_multiple_of(block.max(1)))
        }
        (start, _) => start,
    };
    let mut used = match (start, size, each) {
        (Start::Bytes(from), _, Some(each)) if files == 1 && job.get("filesize").is_some() => {
            part_of_file(job, from, each, &size, block)?
        }
        (Start::Bytes(from), _, Some(each)) if files == 1 => {
            Used::between(from, from + each, from + each)
        }
        (Start::Bytes(0), Extent::Percent(p), Some(_)) if p < 100.0 => {
            return Err(refused(
                job,
                "size",
                format!("job {} uses a part of each of several files", job.name),
                "give size= in bytes, or a job for each file",
            ));
        }
        (Start::Bytes(0), _, Some(each)) => {
            Used::between(0, each.saturating_mul(files), each.saturating_mul(files))
        }
        (Start::Bytes(_) | Start::Percent(_), _, _) if files > 1 => {
            return Err(refused(
                job,
                if job.get("size").is_some() {
                    "offset"
                } else {
                    "filename"
                },
                format!(
                    "job {} uses a part of each of several files, whose sizes are not known",
                    job.name
                ),
                "give size= or filesize= in bytes and no offset=, or a job for each file",
            ));
        }
        (Start::Bytes(0), Extent::All, None) => Used::all(RangeSpec::Whole),
        (Start::Bytes(from), Extent::All, None) => Used {
            offset: Bytes(from),
            ..Used::all(RangeSpec::Whole)
        },
        (Start::Bytes(0), Extent::Percent(p), None) => Used::all(percent(0.0, p)),
        (Start::Percent(from), Extent::Percent(p), None) => Used::all(percent(from, from + p)),
        (Start::Percent(from), Extent::All, None) => Used::all(percent(from, 100.0)),
        (Start::Bytes(_), _, _) => return Err(mixed(job, "size")),
        (Start::Percent(_), _, _) => return Err(mixed(job, "offset")),
    };
    let used_from = Bytes(from_its_offset(job, &used));
    if let RangeSpec::Bytes(from, to) = used.range
        && used_from > Bytes(0)
    {
        used.range = RangeSpec::Bytes(Bytes(0), Bytes(to.0 - from.0));
        used.offset = used_from;
        used.target_bytes = used.target_bytes.map(|bytes| bytes - used_from.0);
    }
    used.files = files as u32;
    used.span = span;
    used.size_span = job.place("filesize").or(job.place("size"));
    used.location = location(job, engine, paths, &used)?;
    if !used.location.is_storage() {
        used.target_bytes = None;
    }
    Ok(used)
}

/// What a job uses of one file whose size it says: from its offset on, a percentage of it or all that is left.
fn part_of_file(
    job: &Job,
    from: u64,
    file: u64,
    size: &Extent,
    block: u64,
) -> Result<Used, Diagnostic> {
    let left = file.saturating_sub(from);
    let part = match size {
        Extent::Percent(p) => {
            let part = left.min((file as f64 * p / 100.0) as u64);
            part - part % block.max(1)
        }
        Extent::All | Extent::Bytes(_) => left,
    };
    match part {
        0 => Err(refused(
            job,
            "filesize",
            format!(
                "job {} begins at {from}, where its file has ended",
                job.name
            ),
            "make filesize= larger than offset=",
        )),
        part => Ok(Used::between(from, from + part, file)),
    }
}

/// From where addresses count, where that is the beginning of the job's part of its file and no multiple of its I/Os: fio's blocks begin
/// there. 0 where it is all the same, or where a device takes no such address.
fn from_its_offset(job: &Job, used: &Used) -> u64 {
    /// What around the page cache is the least.
    const SECTOR: u64 = 512;
    let RangeSpec::Bytes(Bytes(from), _) = used.range else {
        return 0;
    };
    let largest = super::sizes::largest_size(job).max(1);
    let is_cached = !job.is_on("direct") && job.switch("buffered") != Some(false);
    let any = match engine::of(job) {
        Ok(Engine::Null) => true,
        Ok(Engine::Nbd) | Err(_) => false,
        Ok(_) => is_cached,
    };
    let possible = any || from.is_multiple_of(SECTOR);
    match possible && !from.is_multiple_of(largest) && job.get("ba").is_none() {
        true => from,
        false => 0,
    }
}

impl Used {
    pub(super) fn all(range: RangeSpec) -> Used {
        Used {
            location: Location::Null(Bytes(0)),
            files: 1,
            range,
            offset: Bytes(0),
            target_bytes: None,
            bytes: None,
            span: Span::new(plimsoll_diagnostic::FileId(0), 0..0),
            size_span: None,
        }
    }

    fn between(from: u64, to: u64, target: u64) -> Used {
        Used {
            target_bytes: Some(target),
            bytes: Some(to - from),
            ..Used::all(RangeSpec::Bytes(Bytes(from), Bytes(to)))
        }
    }
}

/// How much of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Extent {
    All,
    Bytes(u64),
    Percent(f64),
}

enum Start {
    Bytes(u64),
    Percent(f64),
}

fn percent(from: f64, to: f64) -> RangeSpec {
    match from == 0.0 && to >= 100.0 {
        true => RangeSpec::Whole,
        false => RangeSpec::Percent(from, to.min(100.0)),
    }
}

fn mixed(job: &Job, option: &str) -> Diagnostic {
    refused(
        job,
        option,
        format!(
            "the part of its file that job {} uses is given partly in bytes and partly as a percentage",
            job.name
        ),
        "give both size= and offset= in bytes, or both as percentages",
    )
}

/// A size of an option, where it was given.
pub(super) fn extent(job: &Job, option: &str) -> Result<Extent, Diagnostic> {
    let Some(assigned) = job.get(option) else {
        return Ok(Extent::All);
    };
    let Value::Number(Number {
        value,
        percent,
        zones,
        ..
    }) = &assigned.value
    else {
        return Ok(Extent::All);
    };
    if *zones {
        return Err(refused(
            job,
            option,
            format!("`{option}` counts zones, and zoned devices cannot be tested yet"),
            "give it in bytes",
        ));
    }
    match (*percent, u64::try_from(*value)) {
        (_, Err(_)) => Err(refused(
            job,
            option,
            format!("`{option}={}` is below 0", assigned.text),
            "give a size",
        )),
        (true, Ok(p)) if p > 100 => Err(refused(
            job,
            option,
            format!("`{option}={}` is more than all", assigned.text),
            "give 100% or less",
        )),
        (true, Ok(p)) => Ok(Extent::Percent(p as f64)),
        (false, Ok(0)) => Ok(Extent::All),
        (false, Ok(bytes)) if bytes > 1 << 60 => Err(refused(
            job,
            option,
            format!("`{option}={}` is more than any device has", assigned.text),
            "give less",
        )),
        (false, Ok(bytes)) => Ok(Extent::Bytes(bytes)),
    }
}

/// The bytes of each file, in whole I/Os where there are several.
fn each_file(job: &Job, size: &Extent, files: u64, block: u64) -> Result<Option<u64>, Diagnostic> {
    let whole = |bytes: u64| match files {
        1 => bytes,
        _ => bytes / block.max(1) * block.max(1),
    };
    if let Some(assigned) = job.get("filesize") {
        return file_size(job, assigned).map(|bytes| Some(whole(bytes)));
    }
    match size {
        Extent::Bytes(bytes) => match whole(bytes / files) {
            0 => Err(refused(
                job,
                "size",
                format!(
                    "the size of job {} is less than one I/O for each of its {files} files",
                    job.name
                ),
                "make it larger",
            )),
            each => Ok(Some(each)),
        },
        Extent::All | Extent::Percent(_) => Ok(None),
    }
}

pub(super) fn file_size(job: &Job, assigned: &Assigned) -> Result<u64, Diagnostic> {
    let read = |text: &str| {
        let number = number::size(text, assigned.kb)?;
        let plain = !number.percent && !number.zones && number.value > 0;
        plain.then_some(number.value as u64)
    };
    if let Some((from, to)) = assigned.text.split_once(['-', ':', ','])
        && read(from) != read(to)
    {
        return Err(refused(
            job,
            "filesize",
            "files of random sizes are not made",
            "give one size",
        ));
    }
    let first = assigned.text.split(['-', ':', ',']).next();
    first
        .and_then(read)
        .filter(|bytes| *bytes <= 1 << 60)
        .ok_or_else(|| {
            Diagnostic::error(
                codes::VALUE,
                format!("`filesize={}` cannot be read", assigned.text),
            )
            .at(assigned.span, "filesize takes a size")
        })
}

/// Where a clone begins.
fn start(job: &Job, number: u32) -> Result<Start, Diagnostic> {
    let offset = extent(job, "offset")?;
    let step = extent(job, "offset_increment")?;
    let times = u64::from(number);
    match (offset, step) {
        (Extent::All, Extent::All) => Ok(Start::Bytes(0)),
        (Extent::Bytes(from), Extent::All) => Ok(Start::Bytes(from)),
        (Extent::All, Extent::Bytes(by)) => Ok(Start::Bytes(by.saturating_mul(times).min(1 << 61))),
        (Extent::Bytes(from), Extent::Bytes(by)) => Ok(Start::Bytes(
            from.saturating_add(by.saturating_mul(times)).min(1 << 61),
        )),
        (Extent::Percent(p), Extent::All) => Ok(Start::Percent(p)),
        (Extent::All, Extent::Percent(by)) => Ok(Start::Percent(by * f64::from(number))),
        (Extent::Percent(p), Extent::Percent(by)) => Ok(Start::Percent(p + by * f64::from(number))),
        _ => Err(mixed(job, "offset_increment")),
    }
}

fn location(
    job: &Job,
    engine: Engine,
    mut paths: Vec<String>,
    used: &Used,
) -> Result<Location, Diagnostic> {
    match engine {
        Engine::Null => match used.target_bytes {
            Some(bytes) => Ok(Location::Null(Bytes(bytes + used.offset.0))),
            None => Err(size_unknown(
                job,
                "size",
                "there is no file whose size could be asked for",
            )
            .help("give size= in bytes")),
        },
        Engine::Nbd => volume(job),
        _ if paths.len() == 1 && paths[0].starts_with(LAB) => simulated(job, &paths[0]),
        _ if paths.len() == 1 => Ok(Location::Path(PathBuf::from(paths.remove(0)))),
        _ => Ok(Location::Concat(
            paths.into_iter().map(PathBuf::from).collect(),
        )),
    }
}

/// A LUN of a simulated array.
fn simulated(job: &Job, path: &str) -> Result<Location, Diagnostic> {
    Location::parse(path).map_err(|e| {
        refused(
            job,
            "filename",
            format!("the array of job {} cannot be used: {e}", job.name),
            "write filename=lab\\:PERSONA, with the backslash before each colon",
        )
    })
}

/// The volume of a job whose engine is an NBD client.
pub(super) fn volume(job: &Job) -> Result<Location, Diagnostic> {
    let read: Result<NbdTarget, _> = job.text("uri").unwrap_or_default().parse();
    read.map(Location::Nbd).map_err(|e| {
        refused(
            job,
            "uri",
            format!("the export of job {} cannot be used: {e}", job.name),
            "give uri=nbd://HOST/EXPORT",
        )
    })
}

/// A size that nobody said, and that must be known before anything runs.
pub(super) fn size_unknown(job: &Job, option: &str, why: &str) -> Diagnostic {
    let complaint = Diagnostic::error(
        codes::SIZE_UNKNOWN,
        format!("job {} does not say how large its files are", job.name),
    )
    .note(why);
    complaint.at(job.place(option).unwrap_or(job.span), "")
}
