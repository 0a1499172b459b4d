//! What differs from Vdbench and is meant to.

use super::files::Case;
use crate::known::{self, Known, known};

const REPLACED: &str =
    "A value that cannot be read, where a later one of the same parameter replaces it";

pub const KNOWN: &[Known] = known! {
    &["is out of range", "expected a low end", "cannot be read", "`-1` is below 0"], &[] => "**Values that mean nothing**";
    &["run ", " runs and seconds"], &["rd=default", "iorate=("] => "in Vdbench a list in `rd=default` stays";
    &["is named twice"], &["wd=(wd", "sd="] => "So is a workload that an rd names twice";
    &["runs, and Vdbench refuses it"], &["=many"] => REPLACED;
    &["runs, and Vdbench refuses it"], &["=half"] => REPLACED;
    &["runs, and Vdbench refuses it"], &["=poison"] => REPLACED;
    &["runs, and Vdbench refuses it"], &["$size", "size=(4k,8k)"] => REPLACED;
    &["runs, and Vdbench refuses it"], &["=o_nonsense"] => REPLACED;
    &["run ", " runs and seconds"], &["\n+ "] => "Vdbench adds them only to an rd that is written on one line";
    &["runs, and Vdbench refuses it"], &["dedupratio", "comp"] => "`forcompratio=` beside `dedupratio=`, which Vdbench refuses";
};

/// Reason why a difference is meant.
pub fn reason(case: &Case, what: &str) -> Option<&'static str> {
    let included = case.included.as_deref().unwrap_or("");
    let asked = format!("{}\n{included}\n{}", case.text, case.words.join(" ")).to_lowercase();
    known::reason(KNOWN, &asked, what)
}

#[test]
fn each_reason_stands_in_the_documentation() {
    known::each_is_said(KNOWN, "vdbench.md");
}
