//! What an input is, by its content, and who reads it.

use crate::format::{
    diskspd_text, diskspd_xml, elbencho, fio, fio_terse, fio_text, vdbench, vdbench_flat,
};
use crate::input::{Input, ReadError};
use crate::model::{ForeignResult, InputPlace, Remark, Tool};
use crate::{other_tools, prefix, started, text, twice, wrapped};
use plimsoll_dialects::Dialect;
use plimsoll_dialects::recognise::{Recognised, recognise};
use std::collections::HashMap;

/// Longest text that a result is looked for in behind something before a part of its lines, bytes.
const LONGEST_PASTED: usize = 4 << 20;

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
    let mut result = known(name, &text).or_else(|error| {
        // What no tool prints may stand behind something before each line.
        if !matches!(error, ReadError::Unknown { .. } | ReadError::Nothing { .. }) {
            return Err(error);
        }
        let found = prefix::without_each(&text).find_map(|bare| known(name, &bare).ok());
        let found = found.or_else(|| unwrapped(name, &text));
        let is_pasted = text.len() <= LONGEST_PASTED;
        let among = || prefix::without_some(&text).find_map(|bare| known(name, &bare).ok());
        found
            .or_else(|| is_pasted.then(among).flatten())
            .ok_or(error)
    })?;
    result.started_s = started::of(&text);
    twice::remark(&mut result);
    other_tools::remark(&mut result, &text);
    let broken_off = broken_off(&text).filter(|_| result.tool == Tool::Fio);
    result.remarks.extend(broken_off);
    fold(&mut result.remarks);
    Ok(result)
}

/// Remark on the line by which fio says that a signal ended it.
fn broken_off(text: &str) -> Option<Remark> {
    const SAYS: &str = "fio: terminating on signal ";
    let (line, number) =
        text::lines(text).find_map(|(at, line)| Some((at, line.split_once(SAYS)?.1)))?;
    let number = number.trim();
    let text =
        format!("fio was broken off by signal {number}: the result is of what was done until then");
    Some(Remark {
        at: InputPlace { source: 0, line },
        text,
    })
}

/// Makes one of remarks that say the same three times or more, as of each line that `grep` found.
fn fold(remarks: &mut Vec<Remark>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for remark in remarks.iter() {
        *counts.entry(remark.text.clone()).or_default() += 1;
    }
    remarks.retain_mut(|remark| match counts.get_mut(&remark.text) {
        Some(0) => false,
        Some(count) if *count > 2 => {
            let others = std::mem::take(count) - 1;
            remark.text += &format!(" (and so in {others} more places)");
            true
        }
        _ => true,
    });
}

/// Reads what somebody put into the strings of JSON.
fn unwrapped(name: &str, text: &str) -> Option<ForeignResult> {
    wrapped::texts(text).into_iter().find_map(|(key, inside)| {
        let mut result = known(name, &inside).ok()?;
        let at = InputPlace { source: 0, line: 1 };
        let text = format!("it was read from the strings under `{key}`, whose lines are counted");
        result.remarks.insert(0, Remark { at, text });
        Some(result)
    })
}

fn known(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    if fio::is_one(text) {
        fio::read(name, text)
    } else if fio_terse::is_one(text) {
        of_terse(name, text)
    } else if fio_text::is_one(text) {
        fio_text::read(name, text)
    } else if diskspd_xml::is_one(text) {
        diskspd_xml::read(name, text)
    } else if elbencho::is_one(text) {
        elbencho::read(name, text)
    } else if diskspd_text::is_one(text) {
        diskspd_text::read(name, text)
    } else if vdbench_flat::is_one(text) {
        vdbench::read_flat(name, text)
    } else if vdbench::is_one(text) {
        vdbench::read(name, text)
    } else {
        let failed = diskspd_text::failed(name, text).or_else(|| vdbench::failed(name, text));
        Err(failed.unwrap_or_else(|| unknown(name, text)))
    }
}

/// Reads terse lines of fio. Where the same jobs stand there as fio's text, that is read: it says what was asked, and counts I/Os.
fn of_terse(name: &str, text: &str) -> Result<ForeignResult, ReadError> {
    let terse = fio_terse::read(name, text);
    let bare = fio_terse::without(text);
    let beside = fio_text::is_one(&bare).then(|| fio_text::read(name, &bare).ok());
    match (terse, beside.flatten()) {
        (Ok(terse), Some(mut beside)) if has_all(&beside, &terse) => {
            let text = "the same jobs stand here as terse lines and as text: the text is judged, which tells more";
            let at = terse.runs.first().map(|run| run.at).unwrap_or_default();
            beside.remarks.insert(
                0,
                Remark {
                    at,
                    text: text.into(),
                },
            );
            Ok(beside)
        }
        (Err(_), Some(beside)) => Ok(beside),
        (terse, _) => terse,
    }
}

/// True where a result has all jobs of another one, by their names.
fn has_all(result: &ForeignResult, other: &ForeignResult) -> bool {
    let has = |name: &str| result.runs.iter().any(|run| run.name == name);
    result.runs.len() >= other.runs.len() && other.runs.iter().all(|run| has(&run.name))
}

/// Reads the files of a folder: one result where they are the pages of one, else a result for each that is known. With them come
/// those that are not, each with its reason.
pub fn read_folder(inputs: &[Input]) -> (Vec<ForeignResult>, Vec<ReadError>) {
    if vdbench::is_folder(inputs.iter().map(Input::file_name)) {
        return match vdbench::read_folder(inputs) {
            Ok(mut result) => {
                result.started_s = inputs.iter().find_map(|input| started::of(&input.text()));
                (vec![result], Vec::new())
            }
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

/// True where all lines of a text are like `1000, 751, 0, 4096, 0`: a time in ms, a value, a direction, a size, an offset.
fn is_log_of_fio(text: &str) -> bool {
    let is_sample = |line: &str| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let are_numbers = cells.iter().all(|cell| cell.parse::<u64>().is_ok());
        (4..=7).contains(&cells.len()) && are_numbers && ["0", "1", "2"].contains(&cells[2])
    };
    let mut lines = text.lines().take(50).filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(is_sample) && lines.all(is_sample)
}

/// First line of Vdbench's errorlog.html.
const ERROR_LOG: &str = "Error log. If there is no data beyond this line";

/// What is said of an input that nobody reads.
fn unknown(name: &str, text: &str) -> ReadError {
    let unsupported = |what, remedy| ReadError::Unsupported {
        name: name.into(),
        what,
        remedy,
    };
    if is_log_of_fio(text) {
        return unsupported(
            "a log that fio wrote beside its result (write_lat_log=, write_iops_log= or write_bw_log=)",
            "give what fio itself printed, as text or with --output-format=json",
        );
    }
    if let Some(failed) = fio_text::failed(name, text) {
        return failed;
    }
    if fio_text::is_part(text) {
        return fio_text::nothing(name, text);
    }
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
    if let Some(begins) = text.lines().position(|line| line.contains(ERROR_LOG)) {
        let mut errors = text.lines().enumerate().skip(begins + 1);
        let error = errors.find(|(_, line)| line.to_lowercase().contains("error"));
        return match error {
            Some((at, said)) => ReadError::Failed {
                name: name.into(),
                tool: "Vdbench",
                line: at as u32 + 1,
                said: said.trim().chars().take(200).collect(),
            },
            None => unsupported(
                "an error log of Vdbench without an error",
                "give the folder that Vdbench wrote",
            ),
        };
    }
    let fio = Some(Recognised::Definition(Dialect::Fio));
    if recognise(text.as_bytes()) == fio {
        return unsupported(
            "a job file of fio",
            "give what fio printed of it, as text or with --output-format=json; `plimsoll lint` judges the job file",
        );
    }
    let seen = match text.contains('\0') {
        true => "; it is no text at all",
        false if text.to_ascii_lowercase().contains("iops") || text.contains("I/O per s") => {
            "; a rate that somebody wrote down is checked by itself, as with `plimsoll check '264000 IOPS at 1.15 ms, 4k, depth=10'`"
        }
        false => "",
    };
    ReadError::Unknown {
        name: name.into(),
        seen,
    }
}
