//! `formatsds=yes`: storage is filled before anything runs, whether or not it was there.

use super::target::Targets;
use crate::vdbench::codes;
use crate::vdbench::definition::Definition;
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Depth, Item, Limits, Load, Location, Mix, Nanos, Origins,
    Pattern, Purpose, RangeSpec, SizeSpec, Step, Stream, Target, TargetId, Throttle, Window,
    Workers, fill_content,
};

/// Vdbench's name for the run, and the I/Os that it keeps in flight.
const NAME: &str = "SD_format";
const SLOTS: u32 = 2;
/// A fill ends when it's through; this is Vdbench's way to say so.
const UNTIL_THROUGH: Nanos = Nanos::secs(10 * 365 * 86_400);

/// It writes what the runs behind it write and read: `items`.
pub(super) fn step(
    definition: &Definition,
    targets: &Targets,
    items: &[Item],
) -> Result<Step, Box<Diagnostic>> {
    let general = &definition.general;
    let mut filled: Vec<(TargetId, &Target)> = Vec::new();
    for (id, target) in targets.iter() {
        if filled.iter().any(|(_, t)| t.location == target.location)
            || matches!(target.location, Location::Null(_))
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
    Ok(Step {
        name: NAME.to_string(),
        run: NAME.to_string(),
        loops: Vec::new(),
        streams: filled
            .iter()
            .map(|(id, _)| Stream {
                content: fill_content(items.iter().flat_map(Item::steps), *id),
                ..stream(*id, general.format_transfer)
            })
            .collect(),
        depths: filled
            .iter()
            .map(|(id, _)| Depth {
                target: *id,
                slots: SLOTS,
            })
            .collect(),
        load: Load::Max,
        warmup: Nanos(0),
        elapsed: UNTIL_THROUGH,
        interval: Nanos::secs(1),
        pause: Nanos(0),
        limits: Limits::default(),
        workers: Workers::default(),
        purpose: Purpose::Fill,
        start_commands: Vec::new(),
        end_commands: Vec::new(),
        actions: Vec::new(),
        origins: Origins::default(),
    })
}

fn stream(target: TargetId, transfer: u64) -> Stream {
    Stream {
        workload: NAME.to_string(),
        target,
        share: 1.0,
        fixed_rate: None,
        priority: None,
        throttle: Throttle::default(),
        depth: None,
        window: Window::default(),
        mix: Mix {
            read: 0.0,
            write: 100.0,
            trim: 0.0,
        },
        size: SizeSpec::Fixed(Bytes(transfer)),
        address: AddressSpec {
            range: RangeSpec::Whole,
            pattern: Pattern::Sequential {
                once: true,
                random_start: false,
                whole: false,
            },
            hits: None,
        },
        content: ContentSpec::Unique,
    }
}
