//! A folder of pages that are written while a run goes on, and that readers follow.

use super::error::OutputError;
use super::found::{Found, parent};
use super::judge::{OutputPermit, Rules, check_place};
use super::mark::{self, Mark};
use super::place::OutputPlace;
use super::precious::Precious;
use super::temporary;
use crate::nodes::is_among_devices;
use plimsoll_witness::content::Digest;
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fcntl_getfl, fcntl_setfl, fstat, openat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// How much of a page is looked at to know it again, bytes.
const HEAD: u64 = 512;

/// What makes a file of the folder a page.
#[derive(Debug, Clone, Copy)]
pub struct Pages {
    /// What its name ends in, as `.html`.
    pub ending: &'static str,
    /// What stands in its first bytes.
    pub head: &'static str,
}

/// Leave to write a report into a folder: one that is not there yet, an empty one, or one with an earlier report, whose
/// pages go and whose other files stay.
#[derive(Debug)]
pub struct FolderPermit {
    path: PathBuf,
    there: Option<Opened>,
    overwrite: bool,
    precious: Vec<Precious>,
}

#[derive(Debug)]
struct Opened {
    folder: OwnedFd,
    real: PathBuf,
    /// Pages of the earlier report.
    pages: Vec<Found>,
}

impl FolderPermit {
    /// Judges the folder. Looks only: nothing is made or removed. Without `overwrite` every page in it must be one that
    /// Plimsoll wrote and nobody changed since; with it, pages that look like such ones go as well, and others are
    /// replaced where they have the name of a page.
    pub fn ask(path: &Path, pages: Pages, rules: &Rules) -> Result<Self, OutputError> {
        let mut precious = rules.precious.iter();
        precious.try_for_each(|kept| kept.check_folder(path))?;
        let there = match open(path) {
            Ok(folder) => Some(judge(path, folder, pages, rules)?),
            Err(Errno::NOENT) => {
                check_free(path)?;
                None
            }
            Err(Errno::NOTDIR) => {
                return Err(OutputError::refused(
                    path,
                    "it is no folder",
                    "name a folder",
                ));
            }
            Err(error) => return Err(OutputError::system(path, error)),
        };
        Ok(FolderPermit {
            path: path.into(),
            there,
            overwrite: rules.overwrite,
            precious: rules.precious.to_vec(),
        })
    }

    /// Whether a record of this name is there and goes with the earlier report: every byte of it is as the report's run left it. Another
    /// one is an error.
    pub fn replaces_record(&self, name: &str) -> Result<bool, OutputError> {
        let Some(there) = &self.there else {
            return Ok(false);
        };
        let path = self.path.join(name);
        let found = Found::within(&there.folder, OsStr::new(name));
        let found = found.map_err(|e| OutputError::system(&path, e))?;
        let Some(found) = found.filter(|found| !found.is_empty()) else {
            return Ok(false);
        };
        if self.overwrite || Mark::ReportRecord.is_on(&found) {
            return Ok(true);
        }
        Err(OutputError::refused(
            &path,
            "it is there, and is not as the run of the report in this folder left it",
            "name another folder with -o, keep the new record elsewhere with --record, or add --overwrite to replace it",
        ))
    }

    /// Makes the folder, or removes the earlier report's pages.
    pub fn open(self) -> Result<OutputFolder, OutputError> {
        let (folder, real) = match self.there {
            Some(there) => {
                for page in &there.pages {
                    remove(&self.path, page)?;
                }
                (there.folder, there.real)
            }
            None => make(&self.path)?,
        };
        Ok(OutputFolder {
            path: self.path,
            folder,
            real,
            overwrite: self.overwrite,
            precious: self.precious,
        })
    }
}

/// A folder that pages are written into.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    folder: OwnedFd,
    real: PathBuf,
    overwrite: bool,
    precious: Vec<Precious>,
}

impl OutputFolder {
    /// Makes a page of this name, empty.
    pub fn page(&self, name: &str) -> Result<LiveFile, OutputError> {
        let path = self.path.join(name);
        if name.contains('/') || Path::new(name).file_name() != Some(OsStr::new(name)) {
            return Err(OutputError::refused(
                &path,
                "a page's name is one word",
                "name it without a slash",
            ));
        }
        let place = OutputPlace::within(&self.folder, &self.real, &path, OsStr::new(name))?;
        let rules = Rules {
            overwrite: self.overwrite,
            precious: &self.precious,
        };
        let failed = |e: Errno| OutputError::system(&path, e);
        let file = OutputPermit::judge(place, &rules)?.open()?.publish()?;
        // What somebody else writes to it meanwhile stays, and the page is then not as Plimsoll wrote it.
        fcntl_setfl(&file, fcntl_getfl(&file).map_err(&failed)? | OFlags::APPEND)
            .map_err(failed)?;
        let mut live = LiveFile {
            file,
            size: 0,
            digest: Digest::default(),
            is_marked: false,
        };
        live.mark();
        Ok(live)
    }

    /// The folder as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A page that is there from its first line on. Nothing forces it onto the medium, which may be the tested one.
#[derive(Debug)]
pub struct LiveFile {
    file: File,
    /// Bytes written so far, and their digest.
    size: u64,
    digest: Digest,
    is_marked: bool,
}

impl LiveFile {
    /// Says that what is in it up to here was written by Plimsoll.
    fn mark(&mut self) {
        if !self.is_marked {
            mark::set_written(&self.file, self.size, &self.digest);
            self.is_marked = true;
        }
    }
}

impl Write for LiveFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_marked = false;
        let written = self.file.write(bytes)?;
        self.digest.write_all(&bytes[..written])?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.mark();
        Ok(())
    }
}

/// Marks the record of a report's folder, after the last write to it: the next report there may replace it as it is now. Without the
/// mark that takes `--overwrite`.
pub fn mark_record(path: &Path) {
    let _ = File::open(path).and_then(|file| mark::set_report_record(&file));
}

fn open(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty())
}

/// What is in the folder, and whether it may go.
fn judge(path: &Path, folder: OwnedFd, pages: Pages, rules: &Rules) -> Result<Opened, OutputError> {
    let real = path
        .canonicalize()
        .map_err(|e| OutputError::system(path, e))?;
    let (mut going, mut foreign, mut has_others) = (Vec::new(), None, false);
    for name in names(&folder).map_err(|e| OutputError::system(path, e))? {
        if !name.as_bytes().ends_with(pages.ending.as_bytes()) {
            has_others |= !temporary::is_one(&name);
            continue;
        }
        let mut place = OutputPlace::within(&folder, &real, &path.join(&name), &name)?;
        let Some(found) = &place.there else { continue };
        if is_page(found, pages, rules.overwrite) {
            check_place(&place, rules)?;
            going.extend(place.there.take());
        } else if !rules.overwrite && foreign.is_none() {
            foreign = Some(place.path);
        }
    }
    let remedy = "name another folder with -o, or add --overwrite";
    if let Some(page) = foreign {
        let why = "it is not as Plimsoll wrote it, and a report is to be written beside it";
        return Err(OutputError::refused(&page, why, remedy));
    }
    if has_others && going.is_empty() && !rules.overwrite {
        let why = "it holds files, and no report that Plimsoll wrote";
        return Err(OutputError::refused(path, why, remedy));
    }
    Ok(Opened {
        folder,
        real,
        pages: going,
    })
}

/// True for a page of an earlier report: as it was written; or, where more may go, one that begins as pages do.
fn is_page(found: &Found, pages: Pages, overwrite: bool) -> bool {
    if found.file_type() != FileType::RegularFile {
        return false;
    }
    let begins_so = || {
        let mut head = Vec::new();
        let read = found
            .read()
            .and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.is_ok() && String::from_utf8_lossy(&head).contains(pages.head)
    };
    Mark::Written.is_on(found) || (overwrite && begins_so())
}

fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort();
    Ok(names)
}

/// A folder that is not there can be made here.
fn check_free(path: &Path) -> Result<(), OutputError> {
    if path.is_symlink() {
        let why = "it is a link to a folder that is not there";
        let remedy = "remove the link, or name another folder";
        return Err(OutputError::refused(path, why, remedy));
    }
    let mut above = parent(path);
    loop {
        match open(above) {
            Ok(folder) => {
                let stat = fstat(folder).map_err(|e| OutputError::system(path, e))?;
                if is_among_devices(stat.st_dev) {
                    let why = "it is not there, and among devices nothing is made";
                    return Err(OutputError::refused(path, why, "name a folder elsewhere"));
                }
                return Ok(());
            }
            Err(Errno::NOENT) if above != Path::new(".") => above = parent(above),
            Err(error) => return Err(OutputError::system(path, error)),
        }
    }
}

/// Makes the folder; those above it where they lack.
fn make(path: &Path) -> Result<(OwnedFd, PathBuf), OutputError> {
    let failed = |e: io::Error| OutputError::system(path, e);
    std::fs::create_dir_all(parent(path)).map_err(failed)?;
    match std::fs::create_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            let why = "it was made by somebody else meanwhile";
            Err(OutputError::refused(path, why, "name another folder"))
        }
        Err(error) => Err(failed(error)),
        Ok(()) => {
            let folder = open(path).map_err(|e| failed(e.into()))?;
            let real = path.canonicalize().map_err(failed)?;
            Ok((folder, real))
        }
    }
}

fn remove(folder: &Path, page: &Found) -> Result<(), OutputError> {
    let path = folder.join(page.name());
    match page.remove() {
        Ok(true) => Ok(()),
        Ok(false) => Err(OutputError::refused(
            &path,
            "it was replaced by somebody else meanwhile",
            "name another folder",
        )),
        Err(error) => Err(OutputError::system(&path, error)),
    }
}
