//! Paths as targets: each once for each way in which it is opened.

use super::cannot;
use crate::diskspd::codes;
use crate::diskspd::model::{Cache, Target as ProfileTarget};
use plimsoll_diagnostic::{Diagnostic, Span};
use plimsoll_plan::{Bytes, Caching, Durability, Location, Target, TargetId};

/// The targets so far.
#[derive(Default)]
pub(super) struct Targets {
    targets: Vec<Target>,
    /// Which of them are mapped.
    mapped: Vec<bool>,
}

impl Targets {
    /// All targets, in order of first use, and which are mapped.
    pub fn into_parts(self) -> (Vec<Target>, Vec<bool>) {
        (self.targets, self.mapped)
    }

    /// The target of a path: the same for all that ask for it in the same way.
    pub fn of(&mut self, asked: &ProfileTarget) -> Result<TargetId, Box<Diagnostic>> {
        let at = asked.at("path");
        let location = as_large(asked, location(&asked.path, at)?);
        check_making(asked, &location)?;
        let is_lun = matches!(location, Location::Lab(_));
        let made = Target {
            size: asked.file_size.map(Bytes).filter(|_| !is_lun),
            as_made: asked.file_size.is_some(),
            align: align(asked),
            caching: match asked.cache {
                Cache::DisableOs => Caching::Direct,
                Cache::Cached | Cache::DisableLocal => Caching::Buffered,
            },
            durability: match (asked.write_through, asked.sync) {
                (_, true) => Durability::Sync,
                (true, false) => Durability::Dsync,
                (false, false) => Durability::None,
            },
            origins: asked.origins.clone(),
            ..Target::new(asked.path.clone(), location)
        };
        let ways: Vec<usize> = (0..self.targets.len())
            .filter(|at| self.targets[*at].location == made.location)
            .collect();
        // A file has one size, however it is opened.
        if let Some(first) = ways.first().map(|at| &self.targets[*at])
            && first.size != made.size
        {
            return Err(two_sizes(asked, first, at));
        }
        let same = |known: &&usize| {
            let before = &self.targets[**known];
            self.mapped[**known] == asked.mapped
                && before.align == made.align
                && before.caching == made.caching
                && before.durability == made.durability
        };
        if let Some(known) = ways.iter().find(same) {
            return Ok(TargetId(*known as u32));
        }
        let mut made = made;
        if !ways.is_empty() {
            made.name = format!("{} ({})", asked.path, ways.len() + 1);
        }
        self.targets.push(made);
        self.mapped.push(asked.mapped);
        Ok(TargetId(self.targets.len() as u32 - 1))
    }
}

fn two_sizes(asked: &ProfileTarget, first: &Target, at: Option<Span>) -> Box<Diagnostic> {
    let complaint = cannot(
        format!("{} is used twice, and made with two sizes", asked.path),
        at,
    );
    let before = first.origins.of("path");
    let complaint = match before {
        Some(before) if Some(before) != at => complaint.at(before, "the first time"),
        _ => complaint,
    };
    Box::new(complaint.help("let both say the same of the file's size (-c)"))
}

/// What its addresses are multiples of, where that is not the block.
fn align(asked: &ProfileTarget) -> Option<Bytes> {
    let differs = asked.random_percent > 0 && asked.alignment() != u64::from(asked.block);
    differs.then(|| Bytes(asked.alignment()))
}

const WINDOWS_PATH: &str = "it is a Windows path";
const FILE: &str = "name the file by its path on this host, as /mnt/data/test.dat";
const DEVICE: &str = "name the device, as /dev/sdx; `plimsoll ls` lists them";

/// The location that a path names; a Windows path is refused, for here a backslash is a letter like any other.
fn location(path: &str, at: Option<Span>) -> Result<Location, Box<Diagnostic>> {
    let windows = |why: &str, help: &str| {
        let message = format!("`{path}` cannot be used: {why}");
        let complaint = Diagnostic::error(codes::TARGET, message).at_known(at);
        Box::new(complaint.help(help.to_string()))
    };
    let letters: Vec<char> = path.chars().take(3).collect();
    match letters[..] {
        [letter, ':'] if letter.is_ascii_alphabetic() => {
            Err(windows("it is a Windows volume", DEVICE))
        }
        ['#', digit, ..] if digit.is_ascii_digit() && !path.contains(['/', '\\']) => {
            Err(windows("it is the number of a Windows drive", DEVICE))
        }
        // Without a slash too: Windows' is then the folder that the drive is in.
        [letter, ':', _] if letter.is_ascii_alphabetic() => Err(windows(WINDOWS_PATH, FILE)),
        _ if path.contains('\\') => Err(windows(WINDOWS_PATH, FILE)),
        _ => parsed(path, at),
    }
}

fn parsed(path: &str, at: Option<Span>) -> Result<Location, Box<Diagnostic>> {
    Location::parse(path).map_err(|why| {
        let message = format!("`{path}` cannot be used: {why}");
        Box::new(Diagnostic::error(codes::TARGET, message).at_known(at))
    })
}

/// A LUN of the lab takes the size of the file that is to be made (-c): like a new file on Windows, nothing is in it.
fn as_large(asked: &ProfileTarget, location: Location) -> Location {
    match (location, asked.file_size) {
        (Location::Lab(mut lun), Some(size)) if lun.array.size.is_none() => {
            lun.array.size = Some(Bytes(size));
            Location::Lab(lun)
        }
        (location, _) => location,
    }
}

/// A file can be made, and a LUN of the lab that has no size yet; a device cannot.
fn check_making(asked: &ProfileTarget, location: &Location) -> Result<(), Box<Diagnostic>> {
    let at = asked.at("size");
    if asked.file_size == Some(0) {
        return Err(Box::new(cannot(
            "a file of 0 bytes holds nothing to test",
            at,
        )));
    }
    let is_file = matches!(location, Location::Path(path) if !path.starts_with("/dev"));
    let is_lun =
        matches!(location, Location::Lab(lun) if lun.array.size.map(|s| s.0) == asked.file_size);
    if asked.file_size.is_none() || is_file || is_lun {
        return Ok(());
    }
    let message = format!("{} is no file, and only files are made (-c)", asked.path);
    let complaint = Diagnostic::error(codes::CONFLICT, message).at_known(at);
    Err(Box::new(
        complaint.help("leave -c out; -f ends what is used of a device"),
    ))
}
