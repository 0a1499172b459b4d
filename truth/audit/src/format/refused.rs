//! What could not be looked at, in the forms in which findings are given: who asked for a document gets one.

use super::github::annotation;
use super::sarif::{located, log};
use super::{FilePlace, json::SCHEMA};
use serde::Serialize;
use serde_json::{Value, json};

/// One complaint about a definition that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// A short stable word for it, where it has one: `not-toml`, `V0163`.
    pub code: Option<String>,
    /// Message that says what is wrong.
    pub message: String,
    /// Help: what to do.
    pub help: Option<String>,
    /// Place in the text that is complained of.
    pub place: Option<FilePlace>,
}

impl Complaint {
    fn title(&self) -> &str {
        self.code.as_deref().unwrap_or("not-read")
    }

    fn text(&self) -> String {
        match &self.help {
            Some(help) => format!("{}; {help}", self.message),
            None => self.message.clone(),
        }
    }
}

/// JSON of complaints: a document without `findings`, so that nobody takes it for one in which nothing was found.
pub fn refused_json(complaints: &[Complaint]) -> Value {
    json!({"schema": SCHEMA, "refused": complaints})
}

/// SARIF log of an invocation that failed, with an error for each complaint.
pub fn refused_sarif(complaints: &[Complaint], exit_code: u8) -> Value {
    let result = |complaint: &Complaint| {
        let mut result = json!({
            "ruleId": complaint.title(),
            "level": "error",
            "message": {"text": complaint.text()},
        });
        if let Some(place) = &complaint.place {
            result["locations"] = json!([located(place)]);
        }
        result
    };
    let mut log = log(&[], complaints.iter().map(result).collect());
    log["runs"][0]["invocations"] = json!([{"executionSuccessful": false, "exitCode": exit_code}]);
    log
}

/// GitHub's workflow commands for complaints, one a line.
pub fn refused_github(complaints: &[Complaint]) -> String {
    let line = |c: &Complaint| annotation("error", c.place.as_ref(), c.title(), &c.text());
    complaints.iter().map(line).collect::<Vec<_>>().join("\n")
}
