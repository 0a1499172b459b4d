//! Which dialect a file is written in that says what to measure.

use crate::failure::Failure;
use crate::out::tell;
use plimsoll_dialects::Dialect;
use plimsoll_dialects::recognise::{Recognised, is_text, recognise_file, xml_root};
use plimsoll_printable::Printable;
use std::path::Path;

/// The dialect that was asked for, else the one that the first file's name says, else what is in it, which is said. A file
/// that tells nothing is Vdbench's: parameter files may have any name, and their reader says best what is wrong with one.
pub fn of(files: &[String], given: Option<Dialect>) -> Result<Dialect, Failure> {
    let Some(first) = files.first() else {
        return Ok(given.unwrap_or(Dialect::Vdbench));
    };
    if let Some(dialect) = given.or_else(|| Dialect::by_name(first)) {
        return Ok(dialect);
    }
    if first == "-" {
        return Err(Failure::usage(
            "-f -: standard input has no name that says what it is; add --dialect fio",
        ));
    }
    match recognise_file(Path::new(first)) {
        Some(Recognised::Definition(Dialect::Vdbench)) => Ok(Dialect::Vdbench),
        None => match xml_root(Path::new(first)) {
            None => Ok(Dialect::Vdbench),
            Some(root) if root == "Profile" => Ok(Dialect::DiskSpd),
            Some(root) => Err(Failure::usage(format!(
                "{first} is XML, and no definition: it holds <{root}>, and a DiskSPD profile holds <Profile>{}",
                match root == "Results" {
                    true => format!("; it is a result, which `plimsoll audit {first}` judges"),
                    false => String::new(),
                }
            ))),
        },
        Some(Recognised::Definition(dialect)) => {
            let message = format!(
                "{first} is read as {}, by what is in it; --dialect NAME reads it as another",
                dialect.what()
            );
            tell!("{}", Printable(&message));
            Ok(dialect)
        }
        Some(found @ Recognised::Record) => Err(Failure::usage(format!(
            "{first} is no definition, but {}: {}",
            found.what(),
            found.instead(first)
        ))),
    }
}

/// The dialect of the first plain word, where it is a definition and no target: its name says so. fio's ending is that of
/// data too, which is no text.
pub fn plain(word: &str) -> Option<Dialect> {
    let named = Dialect::by_name(word)?;
    let is_data = named == Dialect::Fio && !is_text(Path::new(word));
    (!is_data).then_some(named)
}
