//! elbencho's results: its table for people, the file of `--livecsv`, and its CSV.

use super::{elbencho_csv, elbencho_live, elbencho_table};
use crate::input::ReadError;
use crate::model::{ForeignResult, Format, Remark, Run, Tool};

/// Whether a text is one.
pub fn is_one(text: &str) -> bool {
    text.lines().any(|line| {
        elbencho_csv::is_titles(line)
            || elbencho_table::is_titles(line)
            || elbencho_live::is_titles(line)
    })
}

/// Reads it.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let finish = |format, (runs, remarks): (Vec<Run>, Vec<Remark>)| ForeignResult {
        tool: Tool::Elbencho,
        format,
        version: None,
        sources: vec![name.into()],
        runs,
        remarks,
    };
    let result = if text.lines().any(elbencho_csv::is_titles) {
        elbencho_csv::result(name, text)
    } else if text.lines().any(elbencho_table::is_titles) {
        finish(Format::ElbenchoTable, elbencho_table::runs(text))
    } else {
        finish(Format::ElbenchoLive, elbencho_live::runs(text))
    };
    match result.runs.is_empty() {
        false => Ok(result),
        true => Err(ReadError::Nothing {
            name: name.into(),
            what: result.format.name(),
            missing: "nothing in it is a phase that reads or writes",
            remedy: "give the table or the file of a run with -r or -w, with its titles",
        }),
    }
}
