//! Every option of a job, and what this version does with it.
//!
//! The names and kinds are those of fio 3.42. Three tables, each for one treatment: [`works::TABLE`] is carried out,
//! [`nothing::TABLE`] cannot change the load, and [`refused::TABLE`] stops a run that asks for it.

/// Options as lines: name and other name, kind of value, what becomes of it.
macro_rules! options {
    ($($name:literal $(/ $alias:literal)? $kind:expr, $effect:expr;)*) => {
        &[$($crate::fio::options::Opt { name: $name, alias: concat!($($alias)?), kind: $kind, effect: $effect },)*]
    };
}

mod nothing;
mod refused;
mod works;

use plimsoll_diagnostic::nearest;

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// Its other name; empty where it has none.
    pub alias: &'static str,
    /// How its value is read.
    pub kind: ValueKind,
    /// What becomes of it.
    pub effect: Effect,
}

/// Kind of value that an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A number; size suffixes count.
    Int,
    /// A size, a percentage of a file, or a number of zones.
    Extent,
    /// Up to three numbers: of reads, writes and trims.
    Triple,
    /// A smallest and a largest size, up to three times.
    Range,
    /// A time; what a bare number counts, in microseconds.
    Time(i64),
    /// 0 or 1; it must be said.
    Bool,
    /// Said or not.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Anything; its own reader looks at it.
    Text,
}

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It does what fio says that it does; and what becomes of it where real fio is to do the same load.
    Works(Beside),
    /// It cannot change the load, and this is why.
    Nothing(&'static str),
    /// A run that asks for it is refused: why, and what to do.
    Refused(&'static str, &'static str),
}

/// What becomes of an option in a job file that is written for real fio from the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// The plan has it, and so has what is written.
    Planned,
    /// It changes no load, and is left out: why.
    LeftOut(&'static str),
    /// The plan has nothing of it, and without it fio would do something else: why.
    Refused(&'static str),
}

/// All options.
pub fn all() -> impl Iterator<Item = &'static Opt> {
    let tables = [works::TABLE, nothing::TABLE, refused::TABLE];
    tables.into_iter().flatten()
}

/// The option of a name.
pub fn find(name: &str) -> Option<&'static Opt> {
    let named = |o: &&Opt| o.name == name || (!o.alias.is_empty() && o.alias == name);
    all().find(named)
}

/// The option that was probably meant.
pub fn guess(name: &str) -> Option<&'static str> {
    nearest(name, all().map(|o| o.name))
}

/// What belongs on fio's command line and is found in files all the same.
pub const COMMAND_LINE: [&str; 20] = [
    "alloc-size",
    "append-terse",
    "aux-path",
    "bandwidth-log",
    "debug",
    "eta",
    "eta-newline",
    "idle-prof",
    "max-jobs",
    "merge-blktrace-only",
    "minimal",
    "output",
    "output-format",
    "readonly",
    "section",
    "showcmd",
    "status-interval",
    "terse-version",
    "warnings-fatal",
    "output_format",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_stands_once() {
        let mut seen = HashSet::new();
        for option in all() {
            assert!(seen.insert(option.name), "{}", option.name);
            assert!(
                option.alias.is_empty() || seen.insert(option.alias),
                "{}",
                option.alias
            );
        }
        assert!(seen.len() > 280, "{}", seen.len());
        assert_eq!(find("blocksize").map(|o| o.name), Some("bs"));
        assert_eq!(guess("iodepht"), Some("iodepth"));
    }
}
