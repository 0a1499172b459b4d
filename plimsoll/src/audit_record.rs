//! `plimsoll audit` of a record of Plimsoll's own: judged again, by the rules of today.

use crate::cli::AuditArgs;
use crate::failure::Failure;
use crate::out::{self, say};
use crate::{display, exit};
use plimsoll_audit::format;
use plimsoll_diagnostic::Sources;
use plimsoll_printable::Printable;
use plimsoll_record::Record;
use plimsoll_report::terminal;
use std::path::Path;

/// Judges a record and prints what is found; gives the exit code.
pub fn run(path: &Path, args: &AuditArgs) -> Result<u8, Failure> {
    let record = Record::open(path)?;
    let audit = plimsoll_rig::audit_record(&record, args.claim)?;
    if args.json {
        out::json(&format::json(&audit, &Sources::default())?)?;
    } else {
        say!("{}", Printable(&path.display().to_string()));
        say!("{}", terminal::audit_in_full(&audit, &display::style()));
    }
    Ok(exit::of_audit(audit.worst(), args.strict))
}
