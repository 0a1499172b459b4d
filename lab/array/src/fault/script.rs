//! Faults and their times in a file of their own.

use super::{FaultError, ScheduledFault};
use crate::complaint::{self, Complaint};
use serde::Deserialize;
use std::path::Path;
use toml::Spanned;

/// A TOML file of `[[faults]]`, in the words that a persona has for them.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultScript {
    faults: Vec<ScheduledFault>,
    /// Where each of them begins in the text, bytes.
    begins: Vec<usize>,
    text: String,
    file: Option<String>,
}

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is no script of faults.
    #[error("{0}")]
    Text(Complaint),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    #[serde(default)]
    faults: Vec<Spanned<ScheduledFault>>,
}

impl FaultScript {
    /// Reads a script's file.
    pub fn read(file: &Path) -> Result<Self, ScriptError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|source| ScriptError::Unreadable {
            file: name.clone(),
            source,
        })?;
        match Self::parse(&text) {
            Ok(script) => Ok(FaultScript {
                file: Some(name),
                ..script
            }),
            Err(complaint) => Err(ScriptError::Text(Complaint {
                file: Some(name),
                ..complaint
            })),
        }
    }

    /// Reads a script's text.
    pub fn parse(text: &str) -> Result<Self, Complaint> {
        let Entries { faults } = complaint::read(text)?;
        Ok(FaultScript {
            begins: faults.iter().map(|f| f.span().start).collect(),
            faults: faults.into_iter().map(Spanned::into_inner).collect(),
            text: text.to_owned(),
            file: None,
        })
    }

    /// The faults, as in the file.
    pub fn faults(&self) -> &[ScheduledFault] {
        &self.faults
    }

    /// The complaint that a fault, by its number from 0, cannot happen to an array.
    pub fn complain(&self, number: usize, why: &FaultError) -> Complaint {
        let begin = self.begins.get(number).copied().unwrap_or(0);
        Complaint {
            file: self.file.clone(),
            ..Complaint::at(&self.text, begin..begin, why.to_string(), why.remedy())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"# A pulled cable, and then worse.
[[faults]]
at = "10s"
fault = "path-down"
path = 1
for = "30s"

[[faults]]
at = "1m"
fault = "controller-failover"
controller = 7
pause = "200ms"
"#;

    #[test]
    fn has_the_words_of_a_persona() {
        let script = FaultScript::parse(TWO).unwrap();
        let times: Vec<_> = script.faults().iter().map(|f| f.at.to_string()).collect();
        assert_eq!(times, ["10s", "1m"]);
        assert_eq!(script.faults()[0].fault.to_string(), "path 1 down, for 30s");
        assert_eq!(FaultScript::parse("# none yet\n").unwrap().faults(), []);
    }

    #[test]
    fn what_is_misspelt_is_named_with_its_entry() {
        let wrong = |from: &str, to: &str| {
            let text = TWO.replacen(from, to, 1);
            FaultScript::parse(&text).unwrap_err().to_string()
        };
        assert_eq!(
            wrong("path = 1", "pth = 1"),
            "line 2, column 1: unknown name `pth`; did you mean `path`?"
        );
        assert_eq!(
            wrong("controller-failover", "controller-failure"),
            "line 8, column 1: unknown name `controller-failure`; did you mean `controller-failover`?"
        );
        assert!(wrong("\"10s\"", "\"10\"").starts_with("line 3, column 6: \"10\" is not a time"));
        assert!(wrong("[[faults]]", "[[fault]]").ends_with("did you mean `faults`?"));
        assert!(wrong("at = \"1m\"", "").starts_with("line 8, column 1: `at` is missing"));
        let more = "fault = \"cache-loss\"\npath = 1";
        let more = wrong("fault = \"path-down\"\npath = 1", more);
        assert!(more.contains("unknown name `for`"), "{more}");
    }

    #[test]
    fn what_an_array_does_not_have_is_named_with_its_place_and_a_remedy() {
        let why = FaultError::NoController {
            controller: 7,
            controllers: 4,
        };
        let script = FaultScript::parse(TWO).unwrap();
        assert_eq!(
            script.complain(1, &why).to_string(),
            "line 8, column 1: there is no controller 7; the array has 4, counted from 0; \
             name a controller from 0 to 3"
        );
    }
}
