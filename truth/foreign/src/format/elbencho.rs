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

/// Reads it. Of several kinds in one text the first that has figures counts, as with `--livecsv stdout` under the titles of the table.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let finish = |format, (runs, remarks): (Vec<Run>, Vec<Remark>)| ForeignResult {
        tool: Tool::Elbencho,
        format,
        version: None,
        sources: vec![name.into()],
        runs,
        remarks,
    };
    let csv = || elbencho_csv::result(name, text);
    let table = || finish(Format::ElbenchoTable, elbencho_table::runs(text));
    let live = || finish(Format::ElbenchoLive, elbencho_live::runs(text));
    let kinds: [(fn(&str) -> bool, &dyn Fn() -> ForeignResult); 3] = [
        (elbencho_csv::is_titles, &csv),
        (elbencho_table::is_titles, &table),
        (elbencho_live::is_titles, &live),
    ];
    let there = kinds.into_iter().filter(|(is, _)| text.lines().any(is));
    let mut read = there.map(|(_, read)| read());
    let first = read.next().unwrap_or_else(csv);
    let result = match first.runs.is_empty() {
        true => read.find(|r| !r.runs.is_empty()).unwrap_or(first),
        false => first,
    };
    match result.runs.is_empty() {
        false => Ok(result),
        true => Err(ReadError::Nothing {
            name: name.into(),
            what: result.format.name(),
            missing: "no phase in it says how many I/Os or how many bytes were read or written each second",
            remedy: "give the table or the file of a run with -r or -w, with its titles; folders, and files without content, are not judged",
        }),
    }
}
