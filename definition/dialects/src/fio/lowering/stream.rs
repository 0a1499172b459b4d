//! One job as streams: one for each of its clones, or one for all of them where that is the same.

use super::ends::{self, End, Times};
use super::files::{self, Used};
use super::names::is_simulated;
use super::pattern::{self, Access};
use super::rates::{self, Pace};
use super::targets::{Targets, Wanted};
use super::{
    Complaints, content, durability, latency, metadata, refused, replay, sizes, state, verify,
    warn_differs,
};
use crate::fio::engine::Engine;
use crate::fio::logs;
use crate::fio::settings::ABSENT;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{
    AddressSpec, Bytes, Caching, ContentSpec, Durability, Mix, Pattern, Quota, Rate, SizeSpec,
    Stream, TargetId, VerifySpec,
};

/// More clones than this nobody starts.
const MAX_CLONES: i64 = 4096;

/// A job's streams, with its times.
#[derive(Debug)]
pub(super) struct Made {
    pub streams: Vec<Stream>,
    pub times: Times,
}

/// What all clones of a job have in common.
struct Shape<'j> {
    job: &'j Job,
    engine: Engine,
    access: Access,
    size: SizeSpec,
    depth: u32,
    pace: Pace,
    content: ContentSpec,
    verify: Option<VerifySpec>,
    times: Times,
    caching: Caching,
    durability: Durability,
}

/// The streams of a job, under a name.
pub(super) fn of(
    job: &Job,
    name: &str,
    engine: Engine,
    targets: &mut Targets,
    found: &mut Complaints,
) -> Result<Made, Diagnostic> {
    if let Some(op) = engine.on_names() {
        return metadata::of(job, name, op, targets, found);
    }
    if replay::is_asked(job) {
        return replay::of(job, name, engine, targets, found);
    }
    let shape = shape(job, engine, found)?;
    let clones = count(job)?;
    let block = shape.size.min().0;
    for option in ["exec_prerun", "exec_postrun"] {
        if clones > 1 && job.get(option).is_some() {
            let message = format!(
                "`{option}` of job {} runs once; fio runs it for each of its {clones} clones",
                job.name
            );
            found.warn(warn_differs(job, option, message));
        }
    }
    let mut used = Vec::new();
    for number in 0..clones {
        let whole = files::of(job, engine, number, block)?;
        used.push(state::cut(job, number, whole, &shape.access, &shape.size)?);
    }
    let mut streams = Vec::new();
    let apart = are_apart(job);
    let one = !apart && are_one(&shape, &used, found)?;
    for (number, used) in used.iter().enumerate() {
        let name = clone_name(name, number, apart);
        let mut own = clone(&shape, &name, used, targets, found)?;
        if one {
            own.iter_mut()
                .for_each(|s| s.depth = s.depth.map(|d| d.saturating_mul(clones)));
            streams = own;
            break;
        }
        streams.append(&mut own);
    }
    Ok(Made {
        streams,
        times: shape.times,
    })
}

/// How many clones a job has.
pub(super) fn count(job: &Job) -> Result<u32, Diagnostic> {
    let clones = job.number("numjobs").unwrap_or(1).max(1);
    if job.number("numjobs").is_some_and(|n| n < 1) {
        return Err(refused(
            job,
            "numjobs",
            format!("job {} has no clone", job.name),
            "make it 1 or more, or take the job out",
        ));
    }
    if clones > MAX_CLONES {
        return Err(refused(
            job,
            "numjobs",
            format!("job {} has {clones} clones", job.name),
            format!("make it {MAX_CLONES} or fewer"),
        ));
    }
    Ok(clones as u32)
}

/// Whether each clone of a job is a workload of its own: where it is reported alone, or has a log.
pub(super) fn are_apart(job: &Job) -> bool {
    let several = job.number("numjobs").unwrap_or(1) > 1;
    let kept = logs::wanted(job).next().is_some() || state::is_saved(job);
    let alone = kept || latency::is_searched(job);
    several && (alone || !job.is_on("group_reporting"))
}

pub(super) fn clone_name(name: &str, number: usize, apart: bool) -> String {
    match apart {
        true => format!("{name}.{number}"),
        false => name.to_string(),
    }
}

/// The workloads of a job of that name: one, or one for each clone.
pub(in crate::fio) fn clones(job: &Job, name: &str) -> Vec<String> {
    let apart = are_apart(job);
    let count = match apart {
        true => job.number("numjobs").unwrap_or(1).clamp(1, MAX_CLONES) as usize,
        false => 1,
    };
    (0..count).map(|n| clone_name(name, n, apart)).collect()
}

fn shape<'j>(
    job: &'j Job,
    engine: Engine,
    found: &mut Complaints,
) -> Result<Shape<'j>, Diagnostic> {
    let access = pattern::access(job)?;
    let size = sizes::sizes(job)?;
    let depth = depth(job, engine, found);
    let caching = caching(job, engine, found);
    let durability = durability::of(job, engine)?;
    durability::syncs_once(job, durability, found);
    if job.is_on("fill_device") {
        let message = format!(
            "job {} writes all of its file or device; a file does not grow until no space is left",
            job.name
        );
        found.warn(warn_differs(job, "fill_device", message));
    }
    Ok(Shape {
        job,
        engine,
        pace: rates::pace(job, &access, &size, depth)?,
        content: content::content(job, &size, found)?,
        verify: verify::of(job, &size, found)?,
        times: ends::times(job, found)?,
        durability,
        access,
        size,
        depth,
        caching,
    })
}

/// Through the page cache or around it.
pub(super) fn caching(job: &Job, engine: Engine, found: &mut Complaints) -> Caching {
    let direct = job.is_on("direct") || job.switch("buffered") == Some(false);
    if direct && engine == Engine::Mmap {
        let message = "a map of a file is the page cache: its I/O never goes around it; fio syncs each write then";
        found.warn(warn_differs(job, "direct", message));
    }
    if matches!(engine, Engine::Null | Engine::Nbd) || is_simulated(job) {
        return Caching::Direct;
    }
    if direct && engine != Engine::Mmap {
        return Caching::Direct;
    }
    // What only writes finds nothing in it.
    let writes = ["write", "randwrite", "trim", "randtrim"];
    let reads = !job.word("rw").is_some_and(|rw| writes.contains(&rw)) || verify::reads_back(job);
    if reads && job.switch("invalidate") != Some(false) {
        found.warn(warn_differs(
            job,
            "invalidate",
            "fio drops what the page cache holds of a file before it begins (invalidate=1); Plimsoll leaves it",
        )
        .help("say direct=1 to go around the page cache"));
    }
    Caching::Buffered
}

/// I/Os in flight of one clone.
pub(super) fn depth(job: &Job, engine: Engine, found: &mut Complaints) -> u32 {
    let asked = job
        .number("iodepth")
        .unwrap_or(1)
        .clamp(1, i64::from(u32::MAX)) as u32;
    let direct = job.is_on("direct") || job.switch("buffered") == Some(false);
    let (in_flight, why, help) = match engine {
        _ if asked == 1 => return 1,
        _ if engine.is_sync() => (
            1,
            "a synchronous engine; without a word fio takes psync",
            "for a queue use ioengine=libaio or io_uring; for more synchronous I/O, numjobs=",
        ),
        _ if is_one_by_one(job, engine) => (
            1,
            "fio's libaio trims one by one: Linux AIO has no trim",
            "for a queue of trims use ioengine=io_uring of fio 3.38 or later; for more of them at once, numjobs=",
        ),
        // It is submitted like that here, too, each I/O behind the end of the last.
        Engine::Libaio if !direct && !is_simulated(job) => (
            asked,
            "libaio waits for what goes through the page cache while it submits it",
            "for a queue say direct=1; through the page cache use ioengine=io_uring, or numjobs=",
        ),
        _ => return asked,
    };
    found.warn(
        Diagnostic::warning(
            codes::SYNC_DEPTH,
            format!("job {} has one I/O in flight, and not {asked}", job.name),
        )
        .at(job.place("iodepth").unwrap_or(job.span), "of no effect")
        .at(job.place("ioengine").unwrap_or(job.span), why)
        .help(help),
    );
    in_flight
}

/// Whether each clone has one I/O in flight, whatever its depth.
pub(super) fn is_one_by_one(job: &Job, engine: Engine) -> bool {
    let trims = || pattern::access(job).is_ok_and(|a| a.mix.trim > 0.0);
    engine.is_sync() || engine == Engine::Libaio && trims()
}

/// Whether clones together are one stream with all their slots: each I/O draws its address by itself, and nothing counts.
fn are_one(shape: &Shape<'_>, used: &[Used], found: &mut Complaints) -> Result<bool, Diagnostic> {
    let [first, rest @ ..] = used else {
        return Ok(false);
    };
    let pattern = pattern_of(shape, first, found)?;
    let draws = matches!(
        pattern,
        Pattern::Random {
            coverage: false,
            ..
        }
    );
    let together = shape.times.spread.0 == 0;
    let free = shape.pace == Pace::Free && shape.times.goes_on && together;
    Ok(draws && free && rest.iter().all(|other| other == first))
}

fn pattern_of(
    shape: &Shape<'_>,
    used: &Used,
    found: &mut Complaints,
) -> Result<Pattern, Diagnostic> {
    pattern::pattern(
        shape.job,
        &shape.access,
        &shape.size,
        used.files,
        used.bytes,
        found,
    )
}

/// One clone: a stream, or one for reads and one for writes.
fn clone(
    shape: &Shape<'_>,
    name: &str,
    used: &Used,
    targets: &mut Targets,
    found: &mut Complaints,
) -> Result<Vec<Stream>, Diagnostic> {
    let Shape {
        job, access, size, ..
    } = shape;
    let mut pattern = pattern_of(shape, used, found)?;
    let end = ends::end(job, &shape.times, access, size, used)?;
    if ends::fio_begins_again(access, size, used, &end) {
        let message = format!(
            "job {} goes through its file once; where its last I/O ends before the file does, fio begins again until it has moved as \
             much as the file holds",
            job.name
        );
        found.warn(warn_differs(job, "rw", message));
    }
    if end == End::Pass {
        pattern = pattern::one_pass(&used.range, size, &access.mix);
    }
    let address = AddressSpec {
        range: used.range,
        ..AddressSpec::whole(pattern)
    };
    let target = target(shape, used, targets);
    let mut stream = Stream::new(name, target, access.mix, size.clone(), address);
    if let End::Quota(quota) = end {
        stream.quota = quota;
    }
    stream.depth = Some(shape.depth);
    if let Some(weight) = job.number("flow").filter(|n| *n > 0) {
        stream.share = weight as f64;
    }
    stream.content = shape.content.clone();
    stream.verify = shape.verify.clone();
    if verify::only_checks(job) {
        stream.mix = only_read(job, access)?;
    }
    match shape.pace {
        Pace::Free => {}
        Pace::Thinks(think, slots) => {
            stream.throttle.think = Some(think);
            stream.depth = Some(slots);
            if slots < shape.depth {
                let message = format!(
                    "job {} has {slots} in flight, and not {}: fio lets all of them come back before it pauses",
                    job.name, shape.depth
                );
                found.warn(warn_differs(job, "thinktime", message));
            }
        }
        Pace::One(rate) => {
            stream.fixed_rate = Some(rate);
            stream.arrival = Some(rates::arrival(job));
        }
        Pace::Two(read, write) => return two(shape, &stream, end, (read, write), found),
    }
    Ok(vec![stream])
}

/// Writes that are only checked are reads of the same addresses.
fn only_read(job: &Job, access: &Access) -> Result<Mix, Diagnostic> {
    match access.random {
        false => Ok(Mix::READS),
        true => Err(refused(
            job,
            "verify_only",
            format!(
                "which blocks job {} would have written is not known: its order is drawn",
                job.name
            ),
            "read all of the file in order: rw=read with the same verify=",
        )),
    }
}

fn target(shape: &Shape<'_>, used: &Used, targets: &mut Targets) -> TargetId {
    let align = shape.job.triple("ba").map(|each| each[0]);
    let align = align.filter(|n| *n != ABSENT && *n > 0);
    targets.of(Wanted {
        engine: shape.engine.on_files(),
        location: used.location.clone(),
        caching: shape.caching,
        durability: shape.durability,
        align: align.map(|n| Bytes(n.unsigned_abs())),
        offset: used.offset,
        bytes: used.target_bytes,
        span: used.span,
        size_span: used.size_span,
    })
}

/// Reads and writes with a rate each.
fn two(
    shape: &Shape<'_>,
    stream: &Stream,
    end: End,
    rates: (Option<Rate>, Option<Rate>),
    found: &mut Complaints,
) -> Result<Vec<Stream>, Diagnostic> {
    let job = shape.job;
    let option = match job.get("rate") {
        Some(_) => "rate",
        None => "rate_iops",
    };
    if stream.quota.passes.is_some() || end == End::Pass {
        return Err(files::size_unknown(
            job,
            "size",
            "its reads and its writes end together when they have moved as much as its files hold",
        )
        .help("give it size= in bytes, or runtime= with time_based"));
    }
    let part_of = |mix: Mix| match rates {
        (Some(read), Some(write)) => {
            let share = rates::share(mix, (read, write), &shape.size);
            Ok(part(stream.quota, share, &mix, &shape.size))
        }
        _ if end == End::Time => Ok(stream.quota),
        _ => Err(refused(
            job,
            option,
            format!(
                "of the reads and the writes of job {} only one has a rate, and nobody knows beforehand how much the other moves",
                job.name
            ),
            "give it runtime= with time_based, or both a rate",
        )),
    };
    found.warn(warn_differs(
        job,
        option,
        format!(
            "the reads and the writes of job {} have {} slots each; in fio they share them",
            job.name, shape.depth
        ),
    ));
    let mut address = stream.address.clone();
    if address.pattern == Pattern::SequentialEach {
        address.pattern = Pattern::IN_ORDER;
    }
    let with = |mix: Mix, rate: Option<Rate>| {
        Ok(Stream {
            mix,
            address: address.clone(),
            fixed_rate: rate,
            arrival: rate.map(|_| rates::arrival(job)),
            quota: part_of(mix)?,
            ..stream.clone()
        })
    };
    Ok(vec![
        with(Mix::READS, rates.0)?,
        with(Mix::WRITES, rates.1)?,
    ])
}

/// What is left of a quota for one direction, whose part it is in the long run; in whole I/Os where they have one size.
fn part(quota: Quota, (of_ios, of_bytes): (f64, f64), mix: &Mix, size: &SizeSpec) -> Quota {
    let scaled = |all: u64, part: f64| ((all as f64 * part).round() as u64).max(1);
    let whole = |bytes: u64| match size.occurring(mix)[..] {
        [SizeSpec::Fixed(block)] => bytes.next_multiple_of(block.0.max(1)),
        _ => bytes,
    };
    Quota {
        bytes: quota.bytes.map(|b| Bytes(whole(scaled(b.0, of_bytes)))),
        ios: quota.ios.map(|n| scaled(n, of_ios)),
        ..quota
    }
}
