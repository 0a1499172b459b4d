//! `formatsds=yes`: storage is filled before anything runs, whether or not it was there.

use super::target::Targets;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Item, Step, Stream, Target, TargetId, fill_content};

/// Vdbench's name for the run, and the I/Os that it keeps in flight.
const NAME: &str = "SD_format";
const SLOTS: u32 = 2;

/// Step that writes what the runs behind it write and read: `items`.
pub(super) fn step(
    definition: &Definition,
    targets: &Targets,
    items: &[Item],
) -> Result<Step, Box<Diagnostic>> {
    let general = &definition.general;
    let mut filled: Vec<(TargetId, &Target)> = Vec::new();
    for (id, target) in targets.iter() {
        if filled.iter().any(|(_, t)| t.location == target.location)
            || !target.location.is_storage()
        {
            continue;
        }
        let file = target
            .location
            .paths()
            .iter()
            .any(|p| !p.starts_with("/dev"));
        if file && target.size.is_none() {
            let diagnostic = Diagnostic::error(
                codes::SIZE_UNKNOWN,
                format!("sd={} is to be formatted but has no size", target.name),
            )
            .help("add size=");
            let place = target
                .origins
                .of("path")
                .or(general.origins.of("formatsds"));
            return Err(Box::new(match place {
                Some(span) => diagnostic.at(span, "a file"),
                None => diagnostic,
            }));
        }
        filled.push((id, target));
    }
    let stream = |(id, _): &(TargetId, &Target)| {
        let content = fill_content(items.iter().flat_map(Item::steps), *id);
        Stream::fill(NAME, *id, Bytes(general.format_transfer), content)
    };
    Ok(Step::fill(NAME, filled.iter().map(stream).collect(), SLOTS))
}
