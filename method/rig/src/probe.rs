//! What answers reads of this target, and how fast, in less than three seconds: written, repeated, empty and zeroed addresses, one
//! I/O at a time.
//!
//! It only reads, unless the target's data may be destroyed: then it trims, zeroes and writes three small areas.

mod answers;
mod areas;

pub use answers::{Answered, Fact, Probed};
pub use areas::Held;

use crate::{Control, RigError, RunOptions};
use areas::Areas;
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Depth, HitPlacement, HitSpec, Item, Limits, Load, Location,
    Mix, Nanos, Pattern, Plan, RangeSpec, SizeSpec, Step, Stream, Target, TargetId,
};
use std::collections::BTreeMap;

/// What is probed.
#[derive(Debug, Clone)]
pub struct ProbeOptions {
    /// The target.
    pub location: Location,
    /// How much of it is looked at.
    pub size: Option<Bytes>,
    /// Whether small areas at its start may be trimmed and written.
    pub may_write: bool,
}

/// Bytes of each I/O: what most arrays and file systems handle as one.
const BLOCK: Bytes = Bytes(4096);
/// So many I/Os of each kind.
const IOS: u64 = 160;
/// And no longer than this, each. All of them together stay below three seconds.
const LONGEST: Nanos = Nanos(220_000_000);
/// What is read again and again by each of two passes, dealt over a half of the target each.
const REPEATED: Bytes = Bytes(512 << 10);
/// Bytes of each area that is trimmed, zeroed or written.
const AREA: u64 = 1 << 20;
/// In I/Os of this many bytes.
const PASS: Bytes = Bytes(64 << 10);
/// An area that is not through by then is not asked about. What was taken away is put back, however long it takes.
const PASS_LONGEST: Nanos = Nanos(200_000_000);

/// Asks the target.
///
/// # Errors
/// Where it cannot be opened or read.
pub fn probe(
    options: &ProbeOptions,
    run: &RunOptions,
    control: &Control,
) -> Result<Probed, RigError> {
    let areas = Areas::of(options)?;
    let steps = steps(options, &areas);
    let plan = Plan {
        dialect: "command line".into(),
        title: None,
        claim: None,
        targets: vec![target(options)],
        items: steps.into_iter().map(Item::Step).collect(),
        max_errors: plimsoll_plan::DEFAULT_MAX_ERRORS,
        seed: None,
        start_commands: Vec::new(),
        end_commands: Vec::new(),
    };
    // What was never written is what is asked for; a simulated LUN would be left empty by that.
    let run = RunOptions {
        allow_unwritten: !matches!(options.location, Location::Lab(_)),
        no_settle: true,
        ..run.clone()
    };
    let result = crate::run(&plan, &run, control, &mut |_| {})?;
    let done = |name: &str| {
        let step = result.steps.iter().find(|s| s.name == name);
        step.is_some_and(|s| s.ios >= AREA / PASS.0)
    };
    // Reads of an area that was not made what it was to be say nothing.
    let made = |reads: &str| match reads {
        "trimmed" => done("trim"),
        "zeros" => done("write zeros"),
        "data" => done("write data"),
        _ => true,
    };
    let steps = result.steps.iter().filter(|s| made(&s.name));
    let service: BTreeMap<String, _> = steps.map(|s| (s.name.clone(), s.service.clone())).collect();
    Ok(answers::answers(
        options.location.text(),
        result.environment.simulated,
        result.errors(),
        &service,
        &areas,
    ))
}

fn target(options: &ProbeOptions) -> Target {
    Target {
        size: options.size,
        ..Target::new("target", options.location.clone())
    }
}

fn steps(options: &ProbeOptions, areas: &Areas) -> Vec<Step> {
    let mut steps = vec![reads("written", areas.written, None)];
    let (lower, upper) = halves(areas.written);
    for (half, first, again) in [
        (lower, "first", "again"),
        (upper, "first, others", "again, others"),
    ] {
        let short = |name| Step {
            elapsed: Nanos(LONGEST.0 / 2),
            ..reads(name, half, Some(REPEATED))
        };
        steps.push(short(first));
        steps.push(Step {
            depths: Depth::each([TargetId(0)], 32),
            limits: Limits {
                ios: Some(4096),
                ..Limits::default()
            },
            ..reads("bring in", half, Some(REPEATED))
        });
        steps.push(short(again));
    }
    if let Some(empty) = areas.empty {
        steps.push(reads("never written", empty, None));
    }
    if options.may_write {
        let trim = Mix {
            read: 0.0,
            write: 0.0,
            trim: 100.0,
        };
        steps.push(pass("trim", 0, trim, ContentSpec::Unique));
        steps.push(reads("trimmed", area(0), None));
        steps.push(pass("write zeros", 1, Mix::WRITES, ContentSpec::Zeros));
        steps.push(pass("write data", 2, Mix::WRITES, ContentSpec::Unique));
        steps.push(reads("zeros", area(1), None));
        steps.push(reads("data", area(2), None));
        // What was trimmed holds data again; zeros too, so that nothing is left that answers too fast.
        for (name, number) in [("refill", 0), ("refill zeros", 1)] {
            steps.push(Step {
                elapsed: Nanos::secs(60),
                ..pass(name, number, Mix::WRITES, ContentSpec::Unique)
            });
        }
    }
    steps
}

/// Two parts that share no address.
fn halves(range: RangeSpec) -> (RangeSpec, RangeSpec) {
    const BLOCKS: u64 = 4096;
    match range {
        RangeSpec::Bytes(from, to) => {
            let middle = Bytes(from.0 + (to.0 - from.0) / 2 / BLOCKS * BLOCKS);
            match middle == from {
                // One block: the second pass finds it read already, and the two do not agree.
                true => (range, range),
                false => (RangeSpec::Bytes(from, middle), RangeSpec::Bytes(middle, to)),
            }
        }
        _ => (
            RangeSpec::Percent(0.0, 50.0),
            RangeSpec::Percent(50.0, 100.0),
        ),
    }
}

/// The area of a number, for writing.
fn area(number: u64) -> RangeSpec {
    RangeSpec::Bytes(Bytes(number * AREA), Bytes((number + 1) * AREA))
}

/// Random reads, one at a time.
fn reads(name: &str, range: RangeSpec, hits: Option<Bytes>) -> Step {
    let address = AddressSpec {
        range,
        hits: hits.map(|area| HitSpec {
            read_percent: 100.0,
            write_percent: 100.0,
            area,
            placement: HitPlacement::Scattered,
        }),
        ..AddressSpec::whole(Pattern::RANDOM)
    };
    let stream = Stream::new(
        "probe",
        TargetId(0),
        Mix::READS,
        SizeSpec::Fixed(BLOCK),
        address,
    );
    step(name, stream, 1, IOS)
}

/// One pass of writes or trims over an area.
fn pass(name: &str, number: u64, mix: Mix, content: ContentSpec) -> Step {
    let address = AddressSpec {
        range: area(number),
        ..AddressSpec::whole(Pattern::ONE_PASS)
    };
    let stream = Stream {
        content,
        ..Stream::new("probe", TargetId(0), mix, SizeSpec::Fixed(PASS), address)
    };
    Step {
        elapsed: PASS_LONGEST,
        ..step(name, stream, 4, AREA / PASS.0)
    }
}

fn step(name: &str, stream: Stream, depth: u32, ios: u64) -> Step {
    Step {
        interval: Nanos(100_000_000),
        limits: Limits {
            ios: Some(ios),
            ..Limits::default()
        },
        ..Step::new(
            name,
            vec![stream],
            Depth::each([TargetId(0)], depth),
            Load::Max,
            LONGEST,
        )
    }
}
