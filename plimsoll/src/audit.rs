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
    /// The worst finding of all results; `none` where there is none.
    worst: String,
    /// A judgement of each result.
    results: Vec<judge::Judgement>,
    /// Files that are no results, each with its reason.
    passed_over: Vec<String>,
}

/// Judges results that other tools left.
pub fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let (mut judgements, mut passed_over, mut unread) = (Vec::new(), Vec::new(), false);
    let mut of_records = exit::CLEAN;
    for what in &args.what {
        match intake::take(what) {
            Ok(Intake {
                results,
                passed_over: others,
            }) => {
                judgements.extend(results.iter().map(judge::judge));
                passed_over.extend(others.iter().map(ReadError::to_string));
            }
            Err(IntakeError::Read(ReadError::Record { .. })) => {
                of_records = of_records.max(audit_record::run(what.as_ref(), args)?);
            }
            Err(error) => {
                unread = true;
                tell!("{}", Failure::from(error));
            }
        }
    }
    let worst = judgements.iter().filter_map(judge::Judgement::worst).max();
    if judgements.is_empty() && passed_over.is_empty() && !unread {
        return Ok(ExitCode::from(of_records));
    }
    if args.json {
        let worst = worst.map_or("none".into(), |w| format!("{w:?}").to_lowercase());
        out::json(&Document {
            worst,
            results: judgements,
            passed_over,
        })?;
    } else {
        print(&judgements, &passed_over);
    }
    let code = match worst {
        _ if unread => exit::REFUSED,
        Some(Severity::Invalid) => exit::FAILED,
        Some(Severity::Suspect) if args.strict => exit::FAILED,
        _ => exit::CLEAN,
    };
    Ok(ExitCode::from(code.max(of_records)))
}

fn print(judgements: &[judge::Judgement], passed_over: &[String]) {
    let columns = crate::display::columns();
    for (index, judgement) in judgements.iter().enumerate() {
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
    for reason in passed_over {
        tell!("passed over: {reason}");
    }
}
