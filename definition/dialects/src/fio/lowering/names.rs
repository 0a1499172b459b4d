//! The names of the files of a job, as fio makes them.

use super::files::LAB;
use super::refused;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::{Diagnostic, Span};

/// More files than this a job does not get; each is open while it runs.
const MAX_FILES: usize = 1024;
/// Bytes of a name with its folders, as the kernel takes them.
const MAX_PATH: usize = 4095;
/// How fio names files where nobody says.
const FORMAT: &str = "$jobname.$jobnum.$filenum";

/// The files of a clone, and where they were named.
pub(super) fn paths(job: &Job, number: u32) -> Result<(Vec<String>, Span), Diagnostic> {
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

/// Whether a job works on LUNs of simulated arrays, which no page cache is before.
pub(super) fn is_simulated(job: &Job) -> bool {
    paths(job, 0).is_ok_and(|(paths, _)| paths.iter().all(|p| p.starts_with(LAB)))
}

/// The names of all `filename=`, each in the folder that stood when it was read. fio takes the first folder for them, whatever the
/// clone's number is.
fn named(job: &Job) -> Result<Vec<String>, Diagnostic> {
    let mut names = Vec::new();
    for each in &job.filenames {
        let folder = folder(job, each.directory.as_deref(), 0)?;
        if each.assigned.text.starts_with(LAB) && folder.is_none() {
            return Err(refused(
                job,
                "filename",
                format!(
                    "`{}` would be a file called `lab` and others, for a colon parts names",
                    each.assigned.text
                ),
                "write filename=lab\\:PERSONA for a simulated array, or filename=./lab for that file",
            ));
        }
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
    (0..count)
        .map(|file| one_of_them(job, number, &file.to_string()))
        .collect()
}

/// The names of a clone's files as one, with `*` in the place of a file's number.
pub(super) fn numbered(job: &Job, number: u32) -> Result<String, Diagnostic> {
    one_of_them(job, number, "*")
}

/// The name of a clone's file of that number.
fn one_of_them(job: &Job, number: u32, file: &str) -> Result<String, Diagnostic> {
    let folder = folder(job, job.text("directory"), number)?;
    let format = job.text("filename_format").filter(|f| !f.is_empty());
    let format = format.unwrap_or(FORMAT);
    let of_file = [
        ("$jobname", job.section.clone()),
        ("$jobnum", number.to_string()),
        ("$filenum", file.to_string()),
        ("$clientuid", String::new()),
    ];
    let mut room = MAX_PATH;
    let name = of_file
        .iter()
        .try_fold(format.to_string(), |name, (keyword, text)| {
            replaced(&name, keyword, text, &mut room)
        })
        .filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| {
        refused(
            job,
            "filename_format",
            format!(
                "fio makes no name for the files of job {} from `{format}` and the job's own name",
                job.name
            ),
            "give the job a plain name, or its files with filename=",
        )
    })?;
    Ok(in_folder(folder.as_deref(), name))
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
            format!("the job has the name of a folder, a device or a link, and fio would use `{}` itself", job.section),
        )
        .at(job.span, "in this job")
        .help("set filename=, or give the job another name")),
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
