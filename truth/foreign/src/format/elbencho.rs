//! elbencho's results: its table for people, the file of `--livecsv`, and its CSV.

use super::{elbencho_csv, elbencho_live, elbencho_table};
use crate::input::ReadError;
use crate::model::{ForeignResult, Format, Remark, Run, Tool};

/// True where a text is one of elbencho's.
pub fn is_one(text: &str) -> bool {
    text.lines().any(|line| {
        elbencho_csv::is_titles(line)
            || elbencho_table::begins(line)
            || elbencho_live::is_titles(line)
    })
}

/// Reads it. Of several kinds in one text the first that has figures counts, as with `--livecsv stdout` under the titles of the table.
pub fn read(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let kinds = [
        Format::ElbenchoCsv,
        Format::ElbenchoTable,
        Format::ElbenchoLive,
    ];
    let mut read = kinds.into_iter().filter_map(|kind| of(kind, name, text));
    let first = read
        .next()
        .unwrap_or_else(|| elbencho_csv::result(name, text));
    let result = match first.runs.is_empty() {
        true => read.find(|r| !r.runs.is_empty()).unwrap_or(first),
        false => first,
    };
    match result.runs.is_empty() {
        false => Ok(result),
        true => Err(ReadError::Nothing {
            name: name.into(),
            what: result.format.name(),
            missing: "no phase in it says how many I/Os, or files with their bytes, were read or written each second",
            remedy: "give the table or the file of a run with -r or -w, with its titles; folders, and files without content, are not judged",
        }),
    }
}

/// Result of a text in one of the kinds; `None` where its titles are not there.
fn of(format: Format, name: &str, text: &str) -> Option<ForeignResult> {
    let titled = |is: fn(&str) -> bool| text.lines().any(is);
    let (runs, remarks): (Vec<Run>, Vec<Remark>) = match format {
        Format::ElbenchoTable if titled(elbencho_table::begins) => elbencho_table::runs(text),
        Format::ElbenchoLive if titled(elbencho_live::is_titles) => elbencho_live::runs(text),
        Format::ElbenchoCsv if titled(elbencho_csv::is_titles) => {
            return Some(elbencho_csv::result(name, text));
        }
        _ => return None,
    };
    Some(ForeignResult {
        tool: Tool::Elbencho,
        format,
        version: None,
        started_s: None,
        sources: vec![name.into()],
        runs,
        remarks,
    })
}
