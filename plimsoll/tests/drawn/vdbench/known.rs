//! What differs from Vdbench and is meant to.

use super::files::Case;
use crate::known::{self, Known};

const REPLACED: &str =
    "A value that cannot be read, where a later one of the same parameter replaces it";

pub const KNOWN: &[Known] = &[
    Known {
        found: &[
            "is out of range",
            "expected a low end",
            "cannot be read",
            "`-1` is below 0",
        ],
        asked: &[],
        reason: "**Values that mean nothing**",
    },
    Known {
        found: &["run ", " runs and seconds"],
        asked: &["rd=default", "iorate=("],
        reason: "in Vdbench a list in `rd=default` stays",
    },
    Known {
        found: &["is named twice"],
        asked: &["wd=(wd", "sd="],
        reason: "So is a workload that an rd names twice",
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["=many"],
        reason: REPLACED,
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["=half"],
        reason: REPLACED,
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["=poison"],
        reason: REPLACED,
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["$size", "size=(4k,8k)"],
        reason: REPLACED,
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["=o_nonsense"],
        reason: REPLACED,
    },
    Known {
        found: &["run ", " runs and seconds"],
        asked: &["\n+ "],
        reason: "Vdbench adds them only to an rd that is written on one line",
    },
    Known {
        found: &["runs, and Vdbench refuses it"],
        asked: &["dedupratio", "comp"],
        reason: "`forcompratio=` beside `dedupratio=`, which Vdbench refuses",
    },
];

/// Why a difference is meant.
pub fn reason(case: &Case, what: &str) -> Option<&'static str> {
    let included = case.included.as_deref().unwrap_or("");
    let asked = format!("{}\n{included}\n{}", case.text, case.words.join(" ")).to_lowercase();
    known::reason(KNOWN, &asked, what)
}

#[test]
fn each_reason_stands_in_the_documentation() {
    known::each_is_said(KNOWN, "vdbench.md");
}
