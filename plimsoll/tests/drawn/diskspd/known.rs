//! What differs from DiskSPD and is meant to.

use crate::known::{self, Known};

pub const KNOWN: &[Known] = &[
    Known {
        found: &["I/Os of 0 bytes"],
        asked: &["-b0"],
        reason: "I/Os of 0 bytes are refused",
    },
    Known {
        found: &["has no path to take its place"],
        asked: &[" *1"],
        reason: "any target that is a template, where DiskSPD looks at the first",
    },
    Known {
        found: &["asks for another order", "a second time"],
        asked: &["-s0"],
        reason: "a second order behind `-s0`",
    },
];

/// Reason why a difference is meant.
pub fn reason(words: &str, what: &str) -> Option<&'static str> {
    known::reason(KNOWN, words, what)
}

#[test]
fn each_reason_stands_in_the_documentation() {
    known::each_is_said(KNOWN, "coming-from-diskspd.md");
}
