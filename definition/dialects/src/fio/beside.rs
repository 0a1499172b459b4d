//! What of a job file does not reach real fio, which is given what is written from the plan.

use super::Parsed;
use super::codes;
use super::options::{Beside, Effect};
use plimsoll_diagnostic::Diagnostic;

/// Options that the plan has nothing of: those that must not be left out as errors, the others as warnings.
pub(super) fn of(parsed: &Parsed) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for job in &parsed.jobs {
        for assigned in job.settings.values().filter(|a| !a.is_off()) {
            let name = assigned.opt.name;
            let Effect::Works(beside) = assigned.opt.effect else {
                // What changes nothing was said to be left out when the plan was made, and what is refused has none.
                continue;
            };
            let said = match beside {
                Beside::Planned => continue,
                Beside::LeftOut(why) => Diagnostic::warning(
                    codes::NO_EFFECT,
                    format!("fio runs without `{name}`: {why}"),
                ),
                Beside::Refused(why) => Diagnostic::error(
                    codes::CANNOT_RUN,
                    format!("`{name}` cannot be set beside fio: {why}"),
                )
                .help("leave it out for this comparison"),
            };
            let said = said.at(assigned.span, "");
            if !found.contains(&said) {
                found.push(said);
            }
        }
    }
    found
}
