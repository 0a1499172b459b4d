//! `plimsoll audit`.

use crate::audit_record;
use crate::cli::AuditArgs;
use crate::exit;
use crate::failure::Failure;
use crate::out::{self, say, tell};
use plimsoll_evidence::Severity;
use plimsoll_foreign::{Intake, IntakeError, ReadError, intake, judge, terminal};
use plimsoll_report::terminal::wrap;
use serde::Serialize;
use std::process::ExitCode;

/// What `--json` prints.
#[derive(Serialize)]
struct Document {
    /// The worst finding of all results and records; `none` where there is none.
    worst: String,
    /// A judgement of each result of another tool.
    results: Vec<judge::Judgement>,
    /// A judgement of each record, with its path.
    records: Vec<audit_record::Document>,
    /// Files that are no results, each with its reason.
    passed_over: Vec<String>,
}

/// What was named, judged.
#[derive(Default)]
struct Judged {
    results: Vec<judge::Judgement>,
    records: Vec<audit_record::Judged>,
    passed_over: Vec<String>,
    /// Something that was named could not be read.
    unread: bool,
}

/// Judges records, and results that other tools left.
pub fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let mut judged = Judged::default();
    for what in &args.what {
        if let Err(failure) = judged.take(what, args) {
            judged.unread = true;
            tell!("{failure}");
        }
    }
    if args.json {
        out::json(&judged.document()?)?;
    } else {
        print(&judged);
    }
    let code = match judged.unread {
        true => exit::REFUSED,
        false => exit::of_audit(judged.worst(), args.strict),
    };
    Ok(ExitCode::from(code))
}

impl Judged {
    fn take(&mut self, what: &str, args: &AuditArgs) -> Result<(), Failure> {
        match intake::take(what) {
            Ok(Intake {
                results,
                passed_over,
            }) => {
                self.results.extend(results.iter().map(judge::judge));
                for other in passed_over {
                    self.of_folder(&other, args);
                }
                Ok(())
            }
            Err(IntakeError::Read(ReadError::Record { .. })) if what == "-" => Err(Failure::usage(
                "standard input is a record of Plimsoll's, which is read where it lies: name it by its path",
            )),
            Err(IntakeError::Read(ReadError::Record { .. })) => {
                self.records.push(audit_record::judge(what, args)?);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A file of a folder that is no other tool's result: a record, or passed over.
    fn of_folder(&mut self, other: &ReadError, args: &AuditArgs) {
        let record = match other {
            ReadError::Record { name } => {
                audit_record::judge(name, args).map_err(|e| e.to_string())
            }
            other => Err(other.to_string()),
        };
        match record {
            Ok(record) => self.records.push(record),
            Err(reason) => {
                // A folder may hold anything; but what looks like a result and cannot be read is no clean bill.
                self.unread |= !matches!(other, ReadError::Unknown { .. });
                self.passed_over.push(reason);
            }
        }
    }

    fn worst(&self) -> Option<Severity> {
        let results = self.results.iter().filter_map(judge::Judgement::worst);
        results
            .chain(self.records.iter().filter_map(audit_record::Judged::worst))
            .max()
    }

    fn document(&self) -> Result<Document, Failure> {
        let worst = self.worst();
        let records = self.records.iter().map(audit_record::Judged::document);
        Ok(Document {
            worst: worst.map_or("none".into(), |w| format!("{w:?}").to_lowercase()),
            results: self.results.clone(),
            records: records.collect::<Result<_, _>>()?,
            passed_over: self.passed_over.clone(),
        })
    }
}

fn print(judged: &Judged) {
    let columns = crate::display::columns();
    for (index, judgement) in judged.results.iter().enumerate() {
        if index > 0 {
            say!();
        }
        for paragraph in terminal::paragraphs(judgement) {
            let text = wrap(&paragraph.text, columns.saturating_sub(paragraph.indent), 0);
            text.lines()
                .for_each(|l| say!("{:indent$}{l}", "", indent = paragraph.indent));
            if text.is_empty() {
                say!();
            }
        }
    }
    for (index, record) in judged.records.iter().enumerate() {
        if index + judged.results.len() > 0 {
            say!();
        }
        record.print();
    }
    for reason in &judged.passed_over {
        tell!("passed over: {reason}");
    }
}
