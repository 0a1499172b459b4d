//! What differs from fio and is meant to.

use super::jobs::Case;
use crate::known::{self, Known, known};

const COUNTS: &[&str] = &[
    " bytes, fio's",
    " I/Os, fio's",
    " reads, fio's",
    " writes, fio's",
    "log of",
];

pub const KNOWN: &[Known] = known! {
    COUNTS, &["=rand", "bs", ",", "!norandommap", "!random_distribution"] => "fio shortens I/Os where a part of them was visited";
    COUNTS, &["=rand", "bs", "/", "!norandommap", "!random_distribution"] => "fio shortens I/Os where a part of them was visited";
    COUNTS, &["=rand", "bsrange", "!norandommap", "!random_distribution"] => "fio shortens I/Os where a part of them was visited";
    COUNTS, &["=rand", ":"] => "begin at a drawn place each, the first too, and a place may be drawn again";
    &["less than one of its I/Os"], &[":-"] => "a step back that is shorter than an I/O is refused";
    &["partly in bytes and partly as a percentage"], &["%", "offset"] =>
        "a part of a file of unknown size is given in bytes or in percent, not in both";
    &["where its file has ended"], &["filesize", "offset"] => "at or behind `filesize=` is refused";
    &["draws its addresses alike where it leaps"], &["=rand", ":", "random_distribution"] =>
        "so is `random_distribution=` or `percentage_random=` with `rw=randread:8`";
    &["only one has a rate"], &["rate"] => "needs `time_based`";
    COUNTS, &["zonemode", "loops"] => "zones begin again with the file's first";
    COUNTS, &["zonemode"] => "zones begin again with the file's first";
    &["log of"], &["io_size", "!=rand"] => "No I/O goes past what `size=` or `filesize=` says";
    &["log of"], &["=rw:"] => "it has one order of addresses for both";
    &["log of"], &["=readwrite:"] => "it has one order of addresses for both";
    &["log of"], &["=rw", "loops"] => "begins no pass anew";
    &["log of"], &["=readwrite", "loops"] => "begins no pass anew";
    COUNTS, &["rate_iops", "bs", "/"] => "A rate counts I/Os of the mean size.";
    COUNTS, &["rate_iops", "bsrange"] => "A rate counts I/Os of the mean size.";
    &["one and the same"], &["filename=data"] => "jobs that start together and write one file in two ways";
    COUNTS, &[":-", "filesize"] => "fio begins at its size and not at its end";
    COUNTS, &["=rw", "loops"] => "may have an I/O more or less than in fio";
    COUNTS, &["=readwrite", "loops"] => "may have an I/O more or less than in fio";
    COUNTS, &[":-", "offset"] => "fio begins at its size and not at its end";
    &["does not say how large its files are"], &[":", "%"] => "a gap in a part of unknown size";
    &["waits for the end of others, which nobody knows before"], &["wait_for", "rate"] => "only such a one may have a rate";
    &["is not a multiple of its I/O size"], &[":"] => "a gap that is no multiple of the I/O's size";
    &["pauses, and its reads and its writes have rates of their own"], &["thinktime", "rate"] => "`thinktime=` beside rates of reads and of writes";
    COUNTS, &[":4k", "bs"] => "a pass ends at the file's end";
    COUNTS, &[":12k"] => "a pass ends at the file's end";
};

/// Reason why a difference is meant.
pub fn reason(case: &Case, what: &str) -> Option<&'static str> {
    known::reason(KNOWN, &asked(case, what), what)
}

/// The lines of the job that a difference names, without its logs and its name; all lines where it names none.
fn asked(case: &Case, what: &str) -> String {
    let words = case.words.join("\n").replace("--", "");
    let all = format!("{}{}", case.text, words.replace("name=", "["));
    let named = ["a", "b", "c"].into_iter().find(|name| {
        what.starts_with(&format!("job \"{name}\"")) || what.starts_with(&format!("log of {name}:"))
    });
    let lines: Vec<&str> = all
        .lines()
        .filter(|l| !l.starts_with("write_iolog"))
        .collect();
    let Some(name) = named else {
        return lines.join("\n");
    };
    let begins = lines
        .iter()
        .position(|l| l.trim_end_matches(']') == format!("[{name}"));
    let own = lines[begins.unwrap_or(0)..].iter().skip(1);
    let own: Vec<&str> = own.take_while(|l| !l.starts_with('[')).copied().collect();
    own.join("\n")
}

#[test]
fn each_reason_stands_in_the_documentation() {
    known::each_is_said(KNOWN, "coming-from-fio.md");
}
