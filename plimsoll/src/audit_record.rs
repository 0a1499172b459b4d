//! `plimsoll audit` of a record of Plimsoll's own: judged again, by the rules of today.

use crate::cli::AuditArgs;
use crate::display;
use crate::failure::Failure;
use crate::out::say;
use plimsoll_audit::{Audit, format};
use plimsoll_diagnostic::Sources;
use plimsoll_evidence::Severity;
use plimsoll_printable::Printable;
use plimsoll_record::Record;
use plimsoll_report::{AnswerLines, Measured, terminal};
use serde::Serialize;
use std::path::Path;

/// A record's path, and what is said of it.
pub struct Judged {
    path: String,
    audit: Audit,
    closing: AnswerLines,
}

/// The same, as `--json` prints it.
#[derive(Serialize)]
pub struct Document {
    path: String,
    #[serde(flatten)]
    audit: serde_json::Value,
}

/// Judges a record.
pub fn judge(path: &str, args: &AuditArgs) -> Result<Judged, Failure> {
    if args.job.is_some() {
        return Err(Failure::usage(format!(
            "{path} is a record of Plimsoll's, which holds its definition: leave --job out"
        )));
    }
    let record = Record::open(Path::new(path))?;
    let audit = plimsoll_rig::audit_record(&record, args.claim)?;
    let closing = AnswerLines::of(&Measured {
        environment: record.environment(),
        steps: &record.steps()?,
        verdicts: &record.verdicts()?,
        findings: audit.findings.iter().map(|f| &f.finding).collect(),
        claim: audit.claim,
        status: record.status(),
        record: Some(Path::new(path)),
    });
    Ok(Judged {
        path: path.to_string(),
        audit,
        closing,
    })
}

impl Judged {
    /// The worst that was found.
    pub fn worst(&self) -> Option<Severity> {
        self.audit.worst()
    }

    /// Audit of the record, and its name as a text without lines.
    pub fn named(&self) -> (&Audit, Sources) {
        let mut sources = Sources::default();
        sources.add(&self.path, "");
        (&self.audit, sources)
    }

    /// Path of the record.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The record's answer, with the trust that it has by this audit.
    pub fn closing(&self) -> AnswerLines {
        self.closing.clone()
    }

    /// For people.
    pub fn print(&self) {
        say!("{}", Printable(&self.path));
        say!(
            "{}",
            terminal::audit_in_full(&self.audit, &display::style())
        );
    }

    /// For programs.
    pub fn document(&self) -> Result<Document, Failure> {
        Ok(Document {
            path: self.path.clone(),
            audit: format::json(&self.audit, &Sources::default())?,
        })
    }
}
