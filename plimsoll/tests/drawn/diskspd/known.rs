//! What differs from DiskSPD and is meant to.

use crate::known::{self, Known, known};

pub const KNOWN: &[Known] = known! {
    &["I/Os of 0 bytes"], &["-b0"] => "I/Os of 0 bytes are refused";
    &["has no path to take its place"], &[" *1"] => "any target that is a template, where DiskSPD looks at the first";
    &["asks for another order", "a second time"], &["-s0"] => "a second order behind `-s0`";
};

/// Reason why a difference is meant.
pub fn reason(words: &str, what: &str) -> Option<&'static str> {
    known::reason(KNOWN, words, what)
}

#[test]
fn each_reason_stands_in_the_documentation() {
    known::each_is_said(KNOWN, "coming-from-diskspd.md");
}
