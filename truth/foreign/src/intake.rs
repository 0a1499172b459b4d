//! The files that a user names, read whole and within bounds. Nothing is written.

use crate::input::{Input, ReadError};
use crate::model::ForeignResult;
use crate::read;
use std::fs;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Most bytes of one input.
pub const MOST_BYTES: u64 = 256 << 20;
/// Most files of a folder.
const MOST_FILES: usize = 1000;
/// Most bytes of a folder's files together.
const MOST_FOLDER_BYTES: u64 = 1 << 30;

/// Inputs that were found where the user pointed.
#[derive(Debug)]
pub struct Intake {
    /// The results.
    pub results: Vec<ForeignResult>,
    /// Files beside them that are none, each with its reason.
    pub passed_over: Vec<ReadError>,
}

/// Reason why nothing could be judged.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// Path that cannot be read.
    #[error("{path} cannot be read: {error}")]
    Unreadable {
        /// Path.
        path: String,
        /// Error of the system.
        error: std::io::Error,
    },
    /// Path of a device.
    #[error(
        "{path} is a device, and audit takes results: name the file that the tool wrote. `plimsoll run {path}` measures the device"
    )]
    Device {
        /// Path.
        path: String,
    },
    /// File that is too large.
    #[error(
        "{path} has more than {} MiB: give its part with the results; of fio use json instead of json+, and no per-I/O logs",
        MOST_BYTES >> 20
    )]
    TooLarge {
        /// Path.
        path: String,
    },
    /// A folder without a result.
    #[error("{path}: {}", nothing_in(*.files, *.folders, .first))]
    NoResult {
        /// Path.
        path: String,
        /// Number of files in the folder.
        files: usize,
        /// Number of folders in it, which are not entered.
        folders: usize,
        /// Words about the first file.
        first: String,
    },
    /// One file that is none.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Takes in a file, a folder, or standard input where `path` is `-`.
pub fn take(path: &str) -> Result<Intake, IntakeError> {
    if path == "-" {
        let bytes = bounded(std::io::stdin().lock(), "standard input")?;
        return one(Input {
            name: "standard input".into(),
            bytes,
        });
    }
    if Path::new(path).is_dir() {
        return folder(path);
    }
    one(Input {
        name: path.into(),
        bytes: file(path)?,
    })
}

/// A file's bytes.
pub(crate) fn file(path: &str) -> Result<Vec<u8>, IntakeError> {
    let unreadable = |error| IntakeError::Unreadable {
        path: path.into(),
        error,
    };
    let kind = fs::metadata(path).map_err(unreadable)?.file_type();
    // Any other that is no file would never end, or waits for somebody.
    if kind.is_block_device() || kind.is_char_device() {
        return Err(IntakeError::Device { path: path.into() });
    }
    bounded(fs::File::open(path).map_err(unreadable)?, path)
}

fn one(input: Input) -> Result<Intake, IntakeError> {
    Ok(Intake {
        results: vec![read::read(&input)?],
        passed_over: Vec::new(),
    })
}

fn bounded(reader: impl Read, path: &str) -> Result<Vec<u8>, IntakeError> {
    let mut bytes = Vec::new();
    let read = reader.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| IntakeError::Unreadable {
        path: path.into(),
        error,
    })?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(IntakeError::TooLarge { path: path.into() }),
        false => Ok(bytes),
    }
}

/// Reason why a folder has no result, in words.
fn nothing_in(files: usize, folders: usize, first: &str) -> String {
    match (files, folders) {
        (0, 0) => "it is empty".to_string(),
        (0, 1) => "it has no files, only a folder, which is not entered: give that one".to_string(),
        (0, n) => {
            format!("it has no files, only {n} folders, which are not entered: give one of them")
        }
        _ => format!("none of its {files} files is a result that is known{first}"),
    }
}

/// The plain files of a folder, in the order of their names; not those of folders in it.
fn folder(path: &str) -> Result<Intake, IntakeError> {
    let unreadable = |error| IntakeError::Unreadable {
        path: path.into(),
        error,
    };
    let entries = fs::read_dir(path)
        .map_err(unreadable)?
        .filter_map(Result::ok);
    let (mut names, others): (Vec<_>, Vec<_>) =
        entries.map(|e| e.path()).partition(|path| path.is_file());
    let folders = others.iter().filter(|path| path.is_dir()).count();
    names.sort();
    let (mut inputs, mut left) = (Vec::new(), MOST_FOLDER_BYTES);
    let mut left_out = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let read = match number < MOST_FILES {
            true => file_of_folder(name, &mut left),
            false => Err("the folder has more than a thousand files"),
        };
        match read {
            Ok(input) => inputs.push(input),
            Err(why) => left_out.push(ReadError::LeftOut {
                name: name.to_string_lossy().into_owned(),
                why,
            }),
        }
    }
    let (results, mut passed_over) = read::read_folder(&inputs);
    passed_over.extend(left_out);
    let records = passed_over
        .iter()
        .any(|e| matches!(e, ReadError::Record { .. }));
    if results.is_empty() && !records {
        let first = passed_over
            .first()
            .map(|e| format!(": {e}"))
            .unwrap_or_default();
        return Err(IntakeError::NoResult {
            path: path.into(),
            files: names.len(),
            folders,
            first,
        });
    }
    Ok(Intake {
        results,
        passed_over,
    })
}

/// A file's bytes, where there is room for them; a folder's other files are judged without it.
fn file_of_folder(path: &Path, left: &mut u64) -> Result<Input, &'static str> {
    const UNREADABLE: &str = "it cannot be opened and read";
    let length = fs::metadata(path).map_err(|_| UNREADABLE)?.len();
    if length > MOST_BYTES || length > *left {
        return Err("it is too large, or the folder's files together are");
    }
    *left -= length;
    let name = path.to_string_lossy().into_owned();
    let file = fs::File::open(path).map_err(|_| UNREADABLE)?;
    let bytes = bounded(file, &name).map_err(|_| UNREADABLE)?;
    Ok(Input { name, bytes })
}
