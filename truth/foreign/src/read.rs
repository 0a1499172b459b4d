//! What an input is, by its content, and who reads it.

use crate::format::{
    diskspd_text, diskspd_xml, elbencho, fio, fio_terse, fio_text, vdbench, vdbench_flat,
};
use crate::input::{Input, ReadError};
use crate::model::ForeignResult;

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
