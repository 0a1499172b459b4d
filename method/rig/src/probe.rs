//! A probe: what answers reads of a target, and how fast, in less than three seconds: written, repeated, empty and zeroed addresses, one
//! I/O at a time.
//!
//! It only reads, unless the target's data may be destroyed: then it trims, zeroes and writes six small areas.

mod answers;
mod areas;

pub use answers::{Answered, Fact, Probed};
pub use areas::Held;

use crate::{RigError, RunOptions, RunResult};
use answers::{AGAIN, DATA, EMPTY, FIRST, GROUPS, PASSES, TRIMMED, Times, ZEROS};
use areas::{Areas, Slice};
use plimsoll_engine::Control;
use plimsoll_measure::Histogram;
use plimsoll_plan::{
    AddressSpec, Bytes, ContentSpec, Depth, Distribution, HitPlacement, HitSpec, Item, Limits,
    Load, Location, Mix, Nanos, Pattern, Plan, RangeSpec, SizeSpec, Step, Stream, Target, TargetId,
};
use std::time::{Duration, Instant};

/// The target to probe, and how.
#[derive(Debug, Clone)]
pub struct ProbeOptions {
    /// The target.
    pub location: Location,
    /// Size of the part that is looked at.
    pub size: Option<Bytes>,
    /// True where small areas at its start may be trimmed and written.
    pub may_write: bool,
}

/// Names of the steps that bring something in or change it.
const BRING: &str = "bring in";
const TRIM: &str = "trim";
const WRITE_ZEROS: &str = "write zeros";
const WRITE_DATA: &str = "write data";

/// Bytes of each I/O: what most arrays and file systems handle as one.
const BLOCK: Bytes = Bytes(4096);
/// Reads of one kind in a row. The kinds take turns, first one in front and then the other, so that a host that grows slower or
/// faster does it to both.
const GROUP: u64 = 20;
/// And no longer than this, each. All of them together stay below three seconds.
const LONGEST: Nanos = Nanos(18_000_000);
/// The reads that bring something in may last longer: there are more of them.
const BRING_LONGEST: Nanos = Nanos(60_000_000);
/// Bytes of each slice that are read again and again, dealt over all of it.
const REPEATED: Bytes = Bytes(256 << 10);
/// Reads that bring it in: four of each block, of which two in a hundred have none. Half of them are enough, six blocks of seven: the
/// median is one of those.
const BRING_IN: u64 = 4 * REPEATED.0 / BLOCK.0;
/// A step is the last one after so much: what is slow is not asked all.
const DEADLINE: Duration = Duration::from_millis(2200);
/// Bytes of each of the areas that are trimmed, zeroed or written: one of each for each pass, a group in each eighth.
const AREA: u64 = GROUPS as u64 * PASS.0;
/// In I/Os of this many bytes.
const PASS: Bytes = Bytes(64 << 10);
/// An area that is not through by then is not asked about. What was taken away is put back, however long it takes.
const PASS_LONGEST: Nanos = Nanos(100_000_000);

/// Asks the target.
///
/// # Errors
/// Where it cannot be opened or read, or is too small.
pub fn probe(
    options: &ProbeOptions,
    run: &RunOptions,
    control: &Control,
) -> Result<Probed, RigError> {
    // What was never written is what is asked for; a simulated LUN would be left empty by that.
    let run = RunOptions {
        allow_unwritten: !options.location.is_simulated(),
        no_settle: true,
        ..run.clone()
    };
    let size = match areas::file_size(options)? {
        Some(size) => size,
        None => opened_size(options, &run)?,
    };
    let areas = Areas::of(options, size)?;
    let result = until_deadline(options, &steps(options, &areas), &run, control);
    // Whatever became of it, what it took away is put back: a simulated LUN is gone with the run.
    let took_away = options.may_write && !options.location.is_simulated();
    let refilled = took_away.then(|| carry_out(options, refills(), &run, &Control::default()));
    let result = result?;
    let areas = Areas {
        // Where it cannot be read so, nothing more is known.
        held: areas.held_as_read(&options.location).unwrap_or(areas.held),
        ..areas
    };
    let refilled = refilled.transpose()?;
    let whole = refills().len();
    let put_back = refilled.as_ref().is_none_or(|r| {
        let full = r.steps.iter().filter(|s| s.ios >= AREA / PASS.0);
        r.errors() == 0 && full.count() == whole
    });
    let errors = result.errors() + refilled.map_or(0, |r| r.errors());
    Ok(Probed {
        not_put_back: !put_back,
        errors,
        ..answers::answers(
            options.location.text(),
            result.environment.simulated,
            &times(&result),
            &areas,
        )
    })
}

/// The size that it is found to have where it is opened, bytes.
fn opened_size(options: &ProbeOptions, run: &RunOptions) -> Result<u64, RigError> {
    let stream = Stream::new(
        "probe",
        TargetId(0),
        Mix::READS,
        SizeSpec::Fixed(BLOCK),
        AddressSpec::whole(Pattern::ONE_PASS),
    );
    let one = vec![step("one read".into(), stream, 1, 1)];
    let result = carry_out(options, one, run, &Control::default())?;
    Ok(result.environment.targets[0].size_bytes)
}

/// The steps as far as they come in time, or until `control` stops them. Virtual time has no end.
fn until_deadline(
    options: &ProbeOptions,
    steps: &[Step],
    run: &RunOptions,
    control: &Control,
) -> Result<RunResult, RigError> {
    let began = Instant::now();
    let virtual_time = options.location.is_simulated();
    let own = Control::default();
    crate::run(&plan(options, steps.to_vec()), run, &own, &mut |_| {
        if control.stopped() || (!virtual_time && began.elapsed() >= DEADLINE) {
            own.stop();
        }
    })
}

fn carry_out(
    options: &ProbeOptions,
    steps: Vec<Step>,
    run: &RunOptions,
    control: &Control,
) -> Result<RunResult, RigError> {
    crate::run(&plan(options, steps), run, control, &mut |_| {})
}

fn plan(options: &ProbeOptions, steps: Vec<Step>) -> Plan {
    Plan {
        dialect: "command line".into(),
        ..Plan::new(
            vec![target(options)],
            steps.into_iter().map(Item::Step).collect(),
        )
    }
}

/// The name of a group's step, or of what is done before it.
fn named(kind: &str, group: usize) -> String {
    format!("{kind} {group}")
}

/// Service times of the reads, without those of areas that were not made what they were to be, or not brought in: they say nothing.
fn times(result: &RunResult) -> Times {
    let step = |name| result.steps.iter().find(|s| s.name == name);
    let done = |name, ios| step(name).is_some_and(|s| s.ios >= ios);
    let made = |kind, group| done(named(kind, group / GROUPS), AREA / PASS.0);
    let usable = |kind, group| match kind {
        AGAIN => done(named(BRING, group), BRING_IN / 2),
        TRIMMED => made(TRIM, group),
        ZEROS => made(WRITE_ZEROS, group),
        DATA => made(WRITE_DATA, group),
        _ => true,
    };
    let times = |kind, group| match step(named(kind, group)).filter(|_| usable(kind, group)) {
        Some(step) => step.service.clone(),
        None => Histogram::new(),
    };
    let groups = |kind| (0..PASSES * GROUPS).map(|n| times(kind, n)).collect();
    [FIRST, AGAIN, EMPTY, TRIMMED, ZEROS, DATA]
        .map(|kind| (kind, groups(kind)))
        .into()
}

fn target(options: &ProbeOptions) -> Target {
    Target {
        size: options.size,
        ..Target::new("target", options.location.clone())
    }
}

/// The steps, in order.
fn steps(options: &ProbeOptions, areas: &Areas) -> Vec<Step> {
    let mut steps = as_they_are(areas);
    if options.may_write {
        (0..PASSES).for_each(|pass| steps.extend(made_so(pass)));
    }
    steps
}

/// Writes over what was trimmed and zeroed, so that nothing is left that answers too fast.
fn refills() -> Vec<Step> {
    let refill = |number| Step {
        elapsed: Nanos::secs(60),
        ..pass(
            format!("refill {number}"),
            area(number),
            Mix::WRITES,
            ContentSpec::Unique,
        )
    };
    [0, 1, 4, 5].map(refill).into()
}

/// A slice is read and brought in. Then, in each round, another one's first reads, those of a hole, and those of the slice that was
/// brought in before: in this order in one round and in the opposite one in the next.
fn as_they_are(areas: &Areas) -> Vec<Step> {
    let Some((before, others)) = areas.written.split_first() else {
        return Vec::new();
    };
    let mut before = before;
    let mut steps = vec![reads("begin".into(), before), bring_in(0, before)];
    for (n, slice) in others.iter().enumerate() {
        let mut group = vec![reads(named(FIRST, n), slice)];
        if let Some(hole) = areas.empty.as_ref().and_then(|e| e.get(n)) {
            group.push(reads(named(EMPTY, n), hole));
        }
        group.push(reads(named(AGAIN, n), before));
        if n % 2 == 1 {
            group.reverse();
        }
        steps.append(&mut group);
        steps.push(bring_in(n + 1, slice));
        before = slice;
    }
    // Nobody reads the last one again.
    steps.pop();
    steps
}

/// Reads that bring a slice in for a group of reads.
fn bring_in(group: usize, slice: &Slice) -> Step {
    Step {
        depths: Depth::each([TargetId(0)], 32),
        elapsed: BRING_LONGEST,
        interval: BRING_LONGEST,
        limits: Limits {
            ios: Some(BRING_IN),
            ..Limits::default()
        },
        ..reads(named(BRING, group), slice)
    }
}

/// Three areas for a pass, of which the one in front is the last one of the other pass, and a group in each eighth of them.
fn made_so(pass_number: usize) -> Vec<Step> {
    let trim = Mix::TRIMS;
    let at = |number: u64| match pass_number {
        0 => number,
        _ => 5 - number,
    };
    let made =
        |name, number, mix, content| pass(named(name, pass_number), area(at(number)), mix, content);
    let mut steps = vec![
        made(TRIM, 0, trim, ContentSpec::Unique),
        made(WRITE_ZEROS, 1, Mix::WRITES, ContentSpec::Zeros),
        made(WRITE_DATA, 2, Mix::WRITES, ContentSpec::Unique),
    ];
    for eighth in 0..GROUPS {
        let mut group: Vec<Step> = [(TRIMMED, 0), (ZEROS, 1), (DATA, 2)]
            .map(|(kind, number)| {
                let from = at(number) * AREA + eighth as u64 * PASS.0;
                let slice = Slice {
                    from,
                    to: from + PASS.0,
                };
                reads(named(kind, pass_number * GROUPS + eighth), &slice)
            })
            .into();
        if eighth % 2 == 1 {
            group.reverse();
        }
        steps.append(&mut group);
    }
    steps
}

/// The area of a number, for writing.
fn area(number: u64) -> RangeSpec {
    RangeSpec::Bytes(Bytes(number * AREA), Bytes((number + 1) * AREA))
}

/// Random reads of a slice, one at a time: of so much of it, dealt over all of it, that it can be read again. What is not larger than
/// that is read as it is, no block twice.
fn reads(name: String, slice: &Slice) -> Step {
    let small = slice.bytes() < 2 * REPEATED.0;
    let address = AddressSpec {
        range: RangeSpec::Bytes(Bytes(slice.from), Bytes(slice.to)),
        hits: (!small).then_some(HitSpec::new(
            100.0,
            100.0,
            REPEATED,
            HitPlacement::Scattered,
        )),
        ..AddressSpec::whole(Pattern::Random {
            distribution: Distribution::Uniform,
            coverage: small,
        })
    };
    let stream = Stream::new(
        "probe",
        TargetId(0),
        Mix::READS,
        SizeSpec::Fixed(BLOCK),
        address,
    );
    step(name, stream, 1, GROUP.min(slice.bytes() / BLOCK.0))
}

/// One pass of writes or trims over an area.
fn pass(name: String, range: RangeSpec, mix: Mix, content: ContentSpec) -> Step {
    let address = AddressSpec {
        range,
        ..AddressSpec::whole(Pattern::ONE_PASS)
    };
    let stream = Stream {
        content,
        ..Stream::new("probe", TargetId(0), mix, SizeSpec::Fixed(PASS), address)
    };
    Step {
        elapsed: PASS_LONGEST,
        interval: PASS_LONGEST,
        ..step(name, stream, 4, AREA / PASS.0)
    }
}

fn step(name: String, stream: Stream, depth: u32, ios: u64) -> Step {
    Step {
        interval: LONGEST,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stopped_leaves_data_where_it_may_have_trimmed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thin");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(8 << 20)
            .unwrap();
        let options = ProbeOptions {
            location: Location::Path(path.clone()),
            size: None,
            may_write: true,
        };
        let run = RunOptions {
            destroy: vec![path.display().to_string()],
            ..RunOptions::default()
        };
        let control = Control::default();
        control.stop();
        let probed = probe(&options, &run, &control).unwrap();
        assert!(!probed.not_put_back, "{probed:?}");
        let after = std::fs::read(&path).unwrap();
        let area = AREA as usize;
        for number in [0, 1, 4, 5] {
            let of_it = &after[number * area..(number + 1) * area];
            let blocks = of_it.chunks(BLOCK.0 as usize);
            let data = |block: &[u8]| block.iter().any(|b| *b != block[0]);
            assert!(blocks.into_iter().all(data), "area {number}");
        }
        // Nothing else was written.
        assert!(after[2 * area..4 * area].iter().all(|b| *b == 0));
        assert!(after[6 * area..].iter().all(|b| *b == 0));
    }
}
