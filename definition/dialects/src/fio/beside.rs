//! Options of a job file that do not reach the real fio, which is given what is written from the plan.

use super::Parsed;
use super::codes;
use super::options::{Beside, Effect};
use plimsoll_diagnostic::Diagnostic;

/// Complaints of options that the plan has nothing of: errors where leaving one out changes what fio does, else warnings.
pub(super) fn of(parsed: &Parsed) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for job in &parsed.jobs {
        for assigned in job.settings.values().filter(|a| !a.is_off()) {
            let name = assigned.opt.name;
            let Effect::Works(beside) = assigned.opt.effect else {
                // The plan's own warnings named what changes nothing; with what is refused there is no plan.
                continue;
            };
            let diagnostic = match beside {
                Beside::Planned => continue,
                Beside::LeftOut(why) => Diagnostic::warning(
                    codes::NO_EFFECT,
                    format!("fio runs without `{name}`: {why}"),
                ),
                Beside::Refused(why) => Diagnostic::error(
                    codes::CANNOT_RUN,
                    format!("`{name}` cannot be used beside fio: {why}"),
                )
                .help("leave it out for this comparison"),
            };
            let diagnostic = diagnostic.at(assigned.span, "");
            if !found.contains(&diagnostic) {
                found.push(diagnostic);
            }
        }
    }
    found
}
