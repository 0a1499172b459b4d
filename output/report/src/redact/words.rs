//! The words that a redacted result may hold. They are this program's own: what a record says is looked up here, and is left out
//! where it is not found.

/// Methods, by the names of their commands.
pub(super) const METHODS: &[&str] = &[
    "adaptive",
    "disturb",
    "fingerprint",
    "pts",
    "repeats",
    "saturate",
    "soak",
    "sweep",
];

/// The classes of their answers.
pub(super) const CLASSES: &[&str] = &[
    "best-found",
    "cliff",
    "complete",
    "cut-short",
    "data-affecting",
    "dealt",
    "depth-short",
    "disruptive",
    "drifting",
    "never-steady",
    "no-cliff",
    "no-single-best",
    "not-identifiable",
    "not-steady",
    "steady",
    "tolerable",
    "transparent",
    "undecided",
    "workers-short",
];

/// Places where an array found what was read, and put what was written.
pub(super) const PLACES: &[&str] = &[
    "cache",
    "disk",
    "duplicate",
    "front end",
    "journal",
    "journal zero",
    "local flash",
    "remote flash",
    "unmapped",
    "zero",
];

/// Values of findings that are parts of a whole.
pub(super) const SHARES: &[&str] = &[
    "again",
    "busiest",
    "busy",
    "cached",
    "came_down",
    "carried",
    "change",
    "drop",
    "duplicates",
    "first",
    "foreign",
    "from_memory",
    "half_width",
    "last",
    "lowest",
    "mean",
    "no_slot",
    "of_devices",
    "off",
    "over",
    "part",
    "pressure",
    "range",
    "rise",
    "same",
    "scatter",
    "share",
    "shortfall",
    "steal",
    "uncertainty",
    "used",
    "waited",
    "within",
    "worst",
    "worth",
    "zeros",
];

/// Values of findings that are ratios without being parts.
pub(super) const RATIOS: &[&str] = &["factor", "overwrites", "ratio", "requests_for_each"];

/// The word, if it is one of these.
pub(super) fn known(words: &[&'static str], text: &str) -> Option<&'static str> {
    words.iter().find(|word| **word == text).copied()
}
