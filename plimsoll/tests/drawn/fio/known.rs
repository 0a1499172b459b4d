//! What differs from fio and is meant to.

use super::jobs::Case;
use crate::known::{self, Known};

const COUNTS: &[&str] = &[
    " bytes, fio's",
    " I/Os, fio's",
    " reads, fio's",
    " writes, fio's",
    "log of",
];

pub const KNOWN: &[Known] = &[
    Known {
        found: COUNTS,
        asked: &["=rand", "bs", ",", "!norandommap", "!random_distribution"],
        reason: "fio shortens I/Os where a part of them was visited",
    },
    Known {
        found: COUNTS,
        asked: &["=rand", "bs", "/", "!norandommap", "!random_distribution"],
        reason: "fio shortens I/Os where a part of them was visited",
    },
    Known {
        found: COUNTS,
        asked: &["=rand", "bsrange", "!norandommap", "!random_distribution"],
        reason: "fio shortens I/Os where a part of them was visited",
    },
    Known {
        found: COUNTS,
        asked: &["=rand", ":"],
        reason: "begin at a drawn place each, the first too, and a place may be drawn again",
    },
    Known {
        found: &["less than one of its I/Os"],
        asked: &[":-"],
        reason: "a step back that is shorter than an I/O is refused",
    },
    Known {
        found: &["partly in bytes and partly as a percentage"],
        asked: &["%", "offset"],
        reason: "a part of a file of unknown size is given in bytes or in percent, not in both",
    },
    Known {
        found: &["where its file has ended"],
        asked: &["filesize", "offset"],
        reason: "at or behind `filesize=` is refused",
    },
    Known {
        found: &["draws its addresses alike where it leaps"],
        asked: &["=rand", ":", "random_distribution"],
        reason: "so is `random_distribution=` or `percentage_random=` with `rw=randread:8`",
    },
    Known {
        found: &["only one has a rate"],
        asked: &["rate"],
        reason: "needs `time_based`",
    },
    Known {
        found: COUNTS,
        asked: &["zonemode", "loops"],
        reason: "zones begin again with the file's first",
    },
    Known {
        found: COUNTS,
        asked: &["zonemode"],
        reason: "zones begin again with the file's first",
    },
    Known {
        found: &["log of"],
        asked: &["io_size", "!=rand"],
        reason: "No I/O goes past what `size=` or `filesize=` says",
    },
    Known {
        found: &["log of"],
        asked: &["=rw:"],
        reason: "it has one order of addresses for both",
    },
    Known {
        found: &["log of"],
        asked: &["=readwrite:"],
        reason: "it has one order of addresses for both",
    },
    Known {
        found: &["log of"],
        asked: &["=rw", "loops"],
        reason: "begins no pass anew",
    },
    Known {
        found: &["log of"],
        asked: &["=readwrite", "loops"],
        reason: "begins no pass anew",
    },
    Known {
        found: COUNTS,
        asked: &["rate_iops", "bs", "/"],
        reason: "A rate counts I/Os of the mean size.",
    },
    Known {
        found: COUNTS,
        asked: &["rate_iops", "bsrange"],
        reason: "A rate counts I/Os of the mean size.",
    },
    Known {
        found: &["are one and the same"],
        asked: &["filename=data"],
        reason: "jobs that start together and write one file in two ways",
    },
    Known {
        found: COUNTS,
        asked: &[":-", "filesize"],
        reason: "fio begins at its size and not at its end",
    },
    Known {
        found: COUNTS,
        asked: &["=rw", "loops"],
        reason: "may have an I/O more or less than in fio",
    },
    Known {
        found: COUNTS,
        asked: &["=readwrite", "loops"],
        reason: "may have an I/O more or less than in fio",
    },
    Known {
        found: &["log of"],
        asked: &[":-", "offset"],
        reason: "fio begins at its size and not at its end",
    },
    Known {
        found: &["does not say how large its files are"],
        asked: &[":", "%"],
        reason: "a gap in a part of unknown size",
    },
    Known {
        found: &["waits for the end of others, which nobody knows before"],
        asked: &["wait_for", "rate"],
        reason: "only such a one may have a rate",
    },
    Known {
        found: &["is not a multiple of its I/O size"],
        asked: &[":"],
        reason: "a gap that is no multiple of the I/O's size",
    },
    Known {
        found: &["pauses, and its reads and its writes have rates of their own"],
        asked: &["thinktime", "rate"],
        reason: "`thinktime=` beside rates of reads and of writes",
    },
    Known {
        found: COUNTS,
        asked: &[":4k", "bs"],
        reason: "a pass ends at the file's end",
    },
    Known {
        found: COUNTS,
        asked: &[":12k"],
        reason: "a pass ends at the file's end",
    },
];

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
