//! Which files a clone of a job uses, and how much of them.

use super::refused;
use crate::fio::engine::Engine;
use crate::fio::number::{self, Number};
use crate::fio::settings::{Assigned, Value};
use crate::fio::{Job, codes};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Bytes, Location, NbdTarget, RangeSpec};
use std::path::PathBuf;

/// More files than this a job does not get; each is open while it runs.
const MAX_FILES: usize = 1024;
/// Bytes of a name with its folders, as the kernel takes them.
const MAX_PATH: usize = 4095;
/// How fio names files where nobody says.
const FORMAT: &str = "$jobname.$jobnum.$filenum";

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
    let size = extent(job, "size")?;
    let each = each_file(job, &size, files, block)?;
    let start = start(job, number)?;
    let mut used = match (start, size, each) {
        (Start::Bytes(from), _, Some(each)) if files == 1 => {
            Used::between(from, from + each, from + each)
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
    used.files = files as u32;
    used.span = span;
    used.size_span = job.place("filesize").or(job.place("size"));
    used.location = location(job, engine, paths, &used)?;
    if matches!(used.location, Location::Null(_)) {
        used.target_bytes = None;
    }
    Ok(used)
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
            Some(bytes) => Ok(Location::Null(Bytes(bytes))),
            None => Err(size_unknown(
                job,
                "size",
                "there is no file whose size could be asked for",
            )
            .help("give size= in bytes")),
        },
        Engine::Nbd => volume(job),
        _ if paths.len() == 1 => Ok(Location::Path(PathBuf::from(paths.remove(0)))),
        _ => Ok(Location::Concat(
            paths.into_iter().map(PathBuf::from).collect(),
        )),
    }
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

/// The files of a clone, and where they were named.
fn paths(job: &Job, number: u32) -> Result<(Vec<String>, Span), Diagnostic> {
    let (option, span) = match job.filenames.last() {
        Some(last) => ("filename", last.assigned.span),
        None => (
            "filename_format",
            job.place("directory").unwrap_or(job.span),
        ),
    };
    let mut names: Vec<String> = Vec::new();
    for name in match option {
        "filename" => named(job)?,
        _ => generated(job, number)?,
    } {
        if name.len() > MAX_PATH {
            return Err(refused(
                job,
                option,
                format!("a name of job {} is longer than {MAX_PATH} bytes", job.name),
                "give its file a shorter name",
            ));
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > MAX_FILES {
        return Err(too_many(job, names.len() as u64));
    }
    Ok((names, span))
}

/// The names of all `filename=`, each in the folder that stood when it was read. fio takes the first folder for them, whatever the
/// clone's number is.
fn named(job: &Job) -> Result<Vec<String>, Diagnostic> {
    let mut names = Vec::new();
    for each in &job.filenames {
        let folder = folder(job, each.directory.as_deref(), 0)?;
        for name in split_names(&each.assigned.text) {
            if name.is_empty() || name == "-" {
                return Err(no_file(job, "filename", &name));
            }
            names.push(in_folder(folder.as_deref(), name));
        }
    }
    match names.is_empty() {
        true => Err(no_file(job, "filename", "")),
        false => Ok(names),
    }
}

/// The folder of a clone: they take turns.
fn folder(job: &Job, directory: Option<&str>, number: u32) -> Result<Option<String>, Diagnostic> {
    let Some(text) = directory else {
        return Ok(None);
    };
    let mut folders = split_names(text);
    if folders.is_empty() || folders.iter().any(String::is_empty) {
        return Err(no_file(job, "directory", ""));
    }
    let at = number as usize % folders.len();
    Ok(Some(folders.swap_remove(at)))
}

/// A name in its folder; a name from the root on stands in it, too.
fn in_folder(folder: Option<&str>, name: String) -> String {
    match folder {
        Some(folder) => {
            let slash = if folder.ends_with('/') { "" } else { "/" };
            format!("{folder}{slash}{}", name.trim_start_matches('/'))
        }
        None => name,
    }
}

fn no_file(job: &Job, option: &str, name: &str) -> Diagnostic {
    refused(
        job,
        option,
        format!("`{name}` is no file that could be tested"),
        "name a file or a device",
    )
}

fn too_many(job: &Job, files: u64) -> Diagnostic {
    refused(
        job,
        "nrfiles",
        format!(
            "job {} uses {files} files, and {MAX_FILES} are the most",
            job.name
        ),
        "use fewer and larger files: what is tested is storage, and no file system's names",
    )
}

fn generated(job: &Job, number: u32) -> Result<Vec<String>, Diagnostic> {
    let count = u64::try_from(job.number("nrfiles").unwrap_or(1))
        .unwrap_or(1)
        .max(1);
    if count > MAX_FILES as u64 {
        return Err(too_many(job, count));
    }
    taken_as_it_is(job, count)?;
    let folder = folder(job, job.text("directory"), number)?;
    let format = job.text("filename_format").filter(|f| !f.is_empty());
    let format = format.unwrap_or(FORMAT);
    let name = |file: u64| {
        let of_file = [
            ("$jobname", job.section.clone()),
            ("$jobnum", number.to_string()),
            ("$filenum", file.to_string()),
            ("$clientuid", String::new()),
        ];
        let mut room = MAX_PATH;
        let mut name = format.to_string();
        for (keyword, text) in &of_file {
            name = replaced(&name, keyword, text, &mut room)?;
        }
        (!name.is_empty()).then_some(name)
    };
    let no_name = || {
        refused(
            job,
            "filename_format",
            format!(
                "fio makes no name for the files of job {} out of `{format}` and its own",
                job.name
            ),
            "give the job a plain name, or its files with filename=",
        )
    };
    (0..count)
        .map(|file| {
            Ok(in_folder(
                folder.as_deref(),
                name(file).ok_or_else(no_name)?,
            ))
        })
        .collect()
}

/// A text with a keyword in it replaced, in upper case too. fio makes it in a buffer that has `room` for all that it copies, and never
/// comes to an end where what it puts in has the keyword in it.
fn replaced(text: &str, keyword: &str, by: &str, room: &mut usize) -> Option<String> {
    if by.to_ascii_lowercase().contains(keyword) {
        return None;
    }
    let mut text = text.to_string();
    while let Some(at) = text.to_ascii_lowercase().find(keyword) {
        *room = room.checked_sub(text.len() + by.len())?;
        text.replace_range(at..at + keyword.len(), by);
    }
    Some(text)
}

/// Of a job with one file whose name something has that is no plain file, fio uses that thing itself.
fn taken_as_it_is(job: &Job, files: u64) -> Result<(), Diagnostic> {
    let is_thing = || std::fs::symlink_metadata(&job.section).is_ok_and(|found| !found.is_file());
    match files == 1 && is_thing() {
        false => Ok(()),
        true => Err(Diagnostic::error(
            codes::CANNOT_RUN,
            format!("the job's name is that of a folder, a device or a link, and fio would use `{}` itself", job.section),
        )
        .at(job.span, "in this job")
        .help("say filename=, or give the job another name")),
    }
}

/// Names with colons between them; `\:` is one that belongs to a name. Colons before a name are dropped, and behind the last name
/// one: a second one there is an empty name.
pub(in crate::fio) fn split_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut name = String::new();
        rest = rest.trim_start_matches(':');
        let mut chars = rest.char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' if chars.next_if(|(_, next)| *next == ':').is_some() => name.push(':'),
                ':' => {
                    end = at + 1;
                    break;
                }
                c => name.push(c),
            }
        }
        rest = &rest[end..];
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::split_names;

    #[test]
    fn colons_part_names_unless_they_are_escaped() {
        assert_eq!(split_names("a:/b/c"), ["a", "/b/c"]);
        assert_eq!(split_names(":a::b:"), ["a", "b"]);
        assert_eq!(split_names("a::"), ["a", ""]);
        assert_eq!(split_names(r"/dev/bsg/0\:0\:1:b"), ["/dev/bsg/0:0:1", "b"]);
    }
}
