//! What an input is, by its content, and who reads it.

use crate::format::{
    diskspd_text, diskspd_xml, elbencho, fio, fio_terse, fio_text, vdbench, vdbench_flat,
};
use crate::model::ForeignResult;
use crate::text;
use std::borrow::Cow;

/// A file's name and its bytes.
#[derive(Debug, Clone)]
pub struct Input {
    /// As the user knows it.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Input {
    /// Its text.
    pub fn text(&self) -> Cow<'_, str> {
        text::decode(&self.bytes)
    }

    /// The last part of its name.
    pub fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// Why an input cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing is in it.
    #[error("{name} is empty: the tool's run may not have come to its end")]
    Empty {
        /// The input.
        name: String,
    },
    /// A record of Plimsoll's own, or another SQLite file.
    #[error("{name} is a SQLite file, as Plimsoll's own records are: it is no other tool's result")]
    Record {
        /// The input.
        name: String,
    },
    /// Nothing that is known.
    #[error(
        "{name} is no result that is known: neither fio's JSON, text or terse output, nor Vdbench's output, nor DiskSPD's text or XML, nor elbencho's \
         table or CSV was found in it{seen}"
    )]
    Unknown {
        /// The input.
        name: String,
        /// What it looks like.
        seen: &'static str,
    },
    /// It is of a tool that is known, in a form that isn't read.
    #[error("{name} is {what}, which is not read: {remedy}")]
    Unsupported {
        /// The input.
        name: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// It is one of too many files, or too large.
    #[error("{name} was not read: {why}")]
    LeftOut {
        /// The input.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// The tool itself says that its run failed, and there are no figures.
    #[error(
        "{name}:{line}: the run of {tool} failed, and there are no figures to judge: `{said}`; mend what it says and run it again"
    )]
    Failed {
        /// The input.
        name: String,
        /// The tool.
        tool: &'static str,
        /// Where it says so.
        line: u32,
        /// What it says.
        said: String,
    },
    /// It is what it looks like, but there are no figures in it.
    #[error("{name} looks like {what}, but {missing}: {remedy}")]
    Nothing {
        /// The input.
        name: String,
        /// What it looks like.
        what: &'static str,
        /// What is not there.
        missing: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}

/// Reads one file, or what was copied.
pub fn read(input: &Input) -> Result<ForeignResult, ReadError> {
    let name = input.name.as_str();
    if input.bytes.starts_with(b"SQLite format 3\0") {
        return Err(ReadError::Record { name: name.into() });
    }
    let text = input.text();
    if text.trim().is_empty() {
        return Err(ReadError::Empty { name: name.into() });
    }
    if fio::is_one(&text) {
        fio::read(name, &text)
    } else if fio_terse::is_one(&text) {
        fio_terse::read(name, &text)
    } else if fio_text::is_one(&text) {
        fio_text::read(name, &text)
    } else if diskspd_xml::is_one(&text) {
        diskspd_xml::read(name, &text)
    } else if elbencho::is_one(&text) {
        elbencho::read(name, &text)
    } else if diskspd_text::is_one(&text) {
        diskspd_text::read(name, &text)
    } else if vdbench_flat::is_one(&text) {
        vdbench::read_flat(name, &text)
    } else if vdbench::is_one(&text) {
        vdbench::read(name, &text)
    } else {
        Err(diskspd_text::failed(name, &text).unwrap_or_else(|| unknown(name, &text)))
    }
}

/// Reads the files of a folder: one result where they are the pages of one, else a result for each that is known. With them come
/// those that are not, each with its reason.
pub fn read_folder(inputs: &[Input]) -> (Vec<ForeignResult>, Vec<ReadError>) {
    if vdbench::is_folder(inputs.iter().map(Input::file_name)) {
        return match vdbench::read_folder(inputs) {
            Ok(result) => (vec![result], Vec::new()),
            Err(error) => (Vec::new(), vec![error]),
        };
    }
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for input in inputs {
        match read(input) {
            Ok(result) => results.push(result),
            Err(error) => errors.push(error),
        }
    }
    (results, errors)
}

/// What is said of an input that nobody reads.
fn unknown(name: &str, text: &str) -> ReadError {
    let unsupported = |what, remedy| ReadError::Unsupported {
        name: name.into(),
        what,
        remedy,
    };
    if text.contains("<Profile>") && text.contains("<TimeSpans>") {
        return unsupported(
            "a profile of DiskSPD",
            "give the result that DiskSPD printed with -R xml",
        );
    }
    if text
        .lines()
        .take(2000)
        .any(|l| l.trim_start().starts_with("sd=") || l.trim_start().starts_with("rd="))
    {
        return unsupported(
            "a parameter file of Vdbench",
            "give the folder that Vdbench wrote",
        );
    }
    let seen = match text.contains('\0') {
        true => "; it is no text at all",
        false => "",
    };
    ReadError::Unknown {
        name: name.into(),
        seen,
    }
}
