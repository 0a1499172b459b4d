//! What to do about a finding, in the words of the dialect in which its plan was written.

/// Remedies as lines: the rule's number and what to do.
macro_rules! words {
    ($($rule:literal $remedy:literal;)*) => { &[$(($rule, $remedy),)*] };
}

mod claim;
mod diskspd;
mod elbencho;
mod fio;
mod vdbench;

use plimsoll_plan::Plan;

/// In whose words a plan was written, or a result is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The definitions' keys, of which the flags have the names.
    #[default]
    Native,
    /// Vdbench's keywords.
    Vdbench,
    /// fio's options.
    Fio,
    /// DiskSPD's flags.
    DiskSpd,
    /// elbencho's options, of its results only.
    Elbencho,
    /// None: a claim without a log.
    Claim,
}

impl Dialect {
    /// Dialects that a plan may be written in.
    pub const ALL: [Dialect; 4] = [
        Dialect::Native,
        Dialect::Vdbench,
        Dialect::Fio,
        Dialect::DiskSpd,
    ];

    /// Dialect of a plan.
    pub fn of(plan: &Plan) -> Self {
        match plan.dialect.as_str() {
            "vdbench" => Dialect::Vdbench,
            "fio" => Dialect::Fio,
            "diskspd" => Dialect::DiskSpd,
            _ => Dialect::Native,
        }
    }

    /// What it is called, where it is another tool's.
    pub(crate) fn tool(self) -> Option<&'static str> {
        match self {
            Dialect::Native => None,
            Dialect::Vdbench => Some("Vdbench"),
            Dialect::Fio => Some("fio"),
            Dialect::DiskSpd => Some("DiskSPD"),
            Dialect::Elbencho => Some("elbencho"),
            Dialect::Claim => Some("a claim"),
        }
    }

    /// The remedies that name a key in its words, by the rules' numbers.
    fn words(self) -> &'static [(u16, &'static str)] {
        match self {
            Dialect::Native => &[],
            Dialect::Vdbench => vdbench::WORDS,
            Dialect::Fio => fio::WORDS,
            Dialect::DiskSpd => diskspd::WORDS,
            Dialect::Elbencho => elbencho::WORDS,
            Dialect::Claim => claim::WORDS,
        }
    }
}

/// A rule's remedy in a dialect's words, where it has another one there.
pub(crate) fn in_words_of(dialect: Dialect, rule: u16) -> Option<&'static str> {
    let words = dialect.words();
    let found = words.iter().find(|(number, _)| *number == rule);
    found.map(|(_, remedy)| *remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, RULES};

    #[test]
    fn no_remedy_that_lint_shows_for_another_tool_s_file_names_a_key_of_a_definition() {
        let keys = [
            "`content`",
            "`placement`",
            "`size`",
            "`range`",
            "`align`",
            "`for`",
            "`warmup`",
            "`interval`",
            "`depth`",
            "`pause`",
            "`repeats`",
            "`arrival`",
            "`pin`",
            "purpose =",
            "caching =",
            "durability =",
            "access =",
            "`load",
            "hit_area",
        ];
        // Other tools' have no repeats.
        let shown = RULES
            .iter()
            .filter(|r| matches!(r.check, Check::Plan(_)) && r.number != 39 || r.number == 204);
        for rule in shown {
            for dialect in Dialect::ALL.into_iter().filter(|d| d.tool().is_some()) {
                // Those of Vdbench's own defaults are no other tool's.
                if dialect != Dialect::Vdbench && (50..60).contains(&rule.number) {
                    continue;
                }
                let words = rule.remedy(dialect);
                for key in keys {
                    assert!(!words.contains(key), "{}: {words}", rule.code());
                }
            }
        }
    }

    #[test]
    fn each_is_of_a_rule_and_of_one() {
        let every = Dialect::ALL
            .into_iter()
            .chain([Dialect::Elbencho, Dialect::Claim]);
        for words in every.map(Dialect::words) {
            for (number, remedy) in words {
                let rule = RULES.iter().find(|r| r.number == *number);
                let rule = rule.expect("a rule of this number");
                assert_ne!(rule.page.remedy, *remedy);
                assert_eq!(words.iter().filter(|(n, _)| n == number).count(), 1);
            }
        }
    }
}
