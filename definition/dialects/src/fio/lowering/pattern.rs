//! Which operations, how large, and where: `rw=` and what belongs to it.

use super::sizes::sizes;
use super::{Complaints, refused, warn_differs};
use crate::fio::number;
use crate::fio::settings::ABSENT;
use crate::fio::{Job, codes};
use plimsoll_diagnostic::Diagnostic;
use plimsoll_plan::{Bytes, Distribution, Mix, Pattern, RangeSpec, SizeSpec};

/// What `rw=` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Access {
    pub random: bool,
    pub mix: Mix,
    /// Bytes that a sequential order leaves out behind each I/O.
    pub gap: u64,
    /// At the file's end it goes on from the start, until all its bytes are moved; else that is the end of a pass.
    pub wraps: bool,
    pub order: Order,
}

impl Access {
    /// True for a mix of reads and writes.
    pub(super) fn is_mixed(&self) -> bool {
        self.mix.read > 0.0 && self.mix.write > 0.0
    }
}

/// Orders that leap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    /// None of them.
    Plain,
    /// By so many bytes.
    Backward(u64),
    /// `zonemode=strided`: bytes moved in a zone, its own, and those between two.
    Zones(u64, u64, u64),
    /// So many I/Os from each address that is drawn, or on it.
    Runs(u32, bool),
}

/// Percent of reads where nobody says.
const READS: f64 = 50.0;
/// The operations of a job, and whether their addresses are drawn.
pub(super) fn access(job: &Job) -> Result<Access, Diagnostic> {
    let word = job.word("rw").unwrap_or("read");
    let random = word.starts_with("rand");
    let mix = |read: f64, write: f64, trim: f64| Mix::from([read, write, trim]);
    let mix = match word.trim_start_matches("rand") {
        "read" => mix(100.0, 0.0, 0.0),
        "write" => mix(0.0, 100.0, 0.0),
        "trim" => mix(0.0, 0.0, 100.0),
        "rw" | "readwrite" => {
            let reads = reads(job)?;
            mix(reads, 100.0 - reads, 0.0)
        }
        other => {
            return Err(refused(
                job,
                "rw",
                format!(
                    "`rw={other}` writes each block right after it was trimmed, and no order of operations is kept so"
                ),
                "use randwrite, or randtrim with stonewall and a job that writes",
            ));
        }
    };
    let (order, gap, wraps) = order(job, random)?;
    Ok(Access {
        random,
        mix,
        gap,
        wraps,
        order,
    })
}

fn reads(job: &Job) -> Result<f64, Diagnostic> {
    let percent = |option: &str| {
        let given = job.number(option);
        match given {
            Some(p) if !(0..=100).contains(&p) => Err(Diagnostic::error(
                codes::OUT_OF_RANGE,
                format!("`{option}={p}` is no percentage"),
            )
            .at(job.place(option).unwrap_or(job.span), "0 to 100")),
            given => Ok(given.map(|p| p as f64)),
        }
    };
    let writes = percent("rwmixwrite")?.map(|p| 100.0 - p);
    Ok(percent("rwmixread")?.or(writes).unwrap_or(READS))
}

/// One pass over a part of a target: over a percentage, whose borders nobody knows, by whole I/Os where they have one size.
pub(crate) fn one_pass(range: &RangeSpec, size: &SizeSpec, mix: &Mix) -> Pattern {
    let is_percentage = matches!(range, RangeSpec::Percent(..));
    Pattern::Sequential {
        once: true,
        random_start: false,
        whole: is_percentage && matches!(size.occurring(mix)[..], [SizeSpec::Fixed(_)]),
    }
}

/// What stands behind `rw=write:8k`, whose pass ends at the file's end; or the zones of `zonemode=strided`, which start again. The
/// order, the bytes that it leaves out, and whether it starts again.
fn order(job: &Job, random: bool) -> Result<(Order, u64, bool), Diagnostic> {
    let (zones, skip) = strided(job, random)?;
    let Some((_, text)) = job.text("rw").and_then(|t| t.split_once(':')) else {
        return Ok((zones, skip, true));
    };
    let number = number::size(text, job.get("rw").map_or(1024, |a| a.kb));
    let Some(value) = number.map(|n| n.value) else {
        return Err(
            Diagnostic::error(codes::VALUE, format!("`{text}` is no gap"))
                .at(job.place("rw").unwrap_or(job.span), "behind the colon"),
        );
    };
    if zones != Order::Plain {
        return Err(refused(
            job,
            "rw",
            format!("job {} leaps in its zones", job.name),
            "leave out what stands behind the colon, or the zones",
        ));
    }
    match (random, u64::try_from(value)) {
        (true, Ok(0 | 1)) => Ok((Order::Plain, 0, false)),
        (true, Ok(ios)) => {
            let repeat = job.word("rw_sequencer") == Some("identical");
            let ios = u32::try_from(ios).unwrap_or(u32::MAX);
            Ok((Order::Runs(ios, repeat), 0, false))
        }
        (true, Err(_)) => Err(refused(
            job,
            "rw",
            format!("job {} draws an address after {value} I/Os", job.name),
            "give a number above 0",
        )),
        (false, Ok(gap)) => Ok((Order::Plain, gap, false)),
        (false, Err(_)) => Ok((backward(job, value.unsigned_abs())?, 0, true)),
    }
}

/// What goes backwards begins each I/O so much before the end of the last one.
fn backward(job: &Job, step: u64) -> Result<Order, Diagnostic> {
    let largest = sizes(job)?.max().0;
    match step < largest {
        false => Ok(Order::Backward(step)),
        true => Err(refused(
            job,
            "rw",
            format!(
                "job {} goes back by {step}, less than one of its I/Os",
                job.name
            ),
            "give the size of an I/O and what lies between two, as -8k for each 4 KiB block",
        )),
    }
}

/// `zonemode=strided`; where its zones are single I/Os in order, that is a gap.
fn strided(job: &Job, random: bool) -> Result<(Order, u64), Diagnostic> {
    let bytes = |option: &str| u64::try_from(job.number(option).unwrap_or(0));
    let below = |_| {
        refused(
            job,
            "zoneskip",
            format!("a zone of job {} begins before the one before it", job.name),
            "give sizes that are 0 or more",
        )
    };
    let size = bytes("zonesize").map_err(below)?;
    let range = bytes("zonerange").map_err(below)?;
    let skip = bytes("zoneskip").map_err(below)?;
    let asked = match job.word("zonemode") {
        Some("zbd") => {
            return Err(refused(
                job,
                "zonemode",
                "zoned devices cannot be tested yet",
                "leave it out for a device without zones",
            ));
        }
        Some("strided") => true,
        // Older versions of fio took a size of a zone for enough, and this one still does.
        _ => size > 0,
    };
    let largest = sizes(job)?.max().0;
    let range = if range == 0 { size } else { range };
    match asked {
        false => Ok((Order::Plain, 0)),
        true if range < largest => Err(refused(
            job,
            "zonesize",
            format!(
                "a zone of job {} has {range} bytes, and an I/O {largest}",
                job.name
            ),
            "give zonesize= that holds at least one I/O",
        )),
        true if size == largest && range == size && !random => Ok((Order::Plain, skip)),
        true => Ok((Order::Zones(size, range, skip), 0)),
    }
}

/// The order of addresses of a job on `files` files, whose range has so many bytes where that is known.
pub(super) fn pattern(
    job: &Job,
    access: &Access,
    size: &SizeSpec,
    files: u32,
    bytes: Option<u64>,
    found: &mut Complaints,
) -> Result<Pattern, Diagnostic> {
    let pattern = match (leaps(job, access, files)?, access.random) {
        (Some(leaps), _) => leaps,
        (None, false) => in_order(job, access, files)?,
        (None, true) => drawn(job, access, size, (files, bytes), found)?,
    };
    if access.is_mixed() && pattern.is_shared() {
        found.warn(warn_differs(
            job,
            "rw",
            format!("the reads and writes of job {} follow each other in one order of addresses; fio's go through the file each by itself", job.name),
        ));
    }
    Ok(pattern)
}

/// The order of a job that draws addresses, all of them or some.
fn drawn(
    job: &Job,
    access: &Access,
    size: &SizeSpec,
    (files, bytes): (u32, Option<u64>),
    found: &mut Complaints,
) -> Result<Pattern, Diagnostic> {
    let distribution = distribution(job, bytes)?;
    let service = job.text("file_service_type").unwrap_or("roundrobin");
    let fio_s = match service.split(':').next() {
        // It draws them, too.
        Some("random") => None,
        Some("sequential") => Some("goes through one after the other"),
        Some("zipf" | "pareto" | "normal" | "gauss") => Some("prefers some of them"),
        _ => Some("takes its files in turn"),
    };
    if let Some(fio_s) = fio_s.filter(|_| files > 1) {
        let message = format!(
            "job {} draws a file anew for each I/O; fio {fio_s}",
            job.name
        );
        found.warn(warn_differs(job, "filename", message));
    }
    match percentage(job, access)? {
        None | Some(100) => Ok(random(job, access, size, distribution, found)),
        Some(_) if distribution.is_some() => Err(refused(
            job,
            "percentage_random",
            "an order is partly sequential, or has a distribution",
            "keep one of percentage_random= and random_distribution=",
        )),
        Some(0) => in_order(job, access, files),
        Some(percent) => {
            no_map(
                job,
                "percentage_random",
                "where addresses are partly sequential",
                found,
            );
            Ok(Pattern::PercentRandom(percent as f64))
        }
    }
}

/// An order that leaps, where the job has one.
fn leaps(job: &Job, access: &Access, files: u32) -> Result<Option<Pattern>, Diagnostic> {
    let pattern = match access.order {
        Order::Plain => return Ok(None),
        Order::Backward(step) => Pattern::Backward { step: Bytes(step) },
        Order::Zones(size, range, skip) => Pattern::Zones {
            size: Bytes(size),
            range: Bytes(range),
            skip: Bytes(skip),
            random: access.random,
        },
        Order::Runs(ios, repeat) => Pattern::Runs { ios, repeat },
    };
    for option in ["percentage_random", "random_distribution"] {
        if access.random && job.get(option).is_some() {
            return Err(refused(
                job,
                option,
                format!("job {} draws its addresses alike where it leaps", job.name),
                "leave it out",
            ));
        }
    }
    match files {
        1 => Ok(Some(pattern)),
        _ => Err(refused(
            job,
            "rw",
            format!("job {} leaps in several files", job.name),
            "use one file",
        )),
    }
}

fn in_order(job: &Job, access: &Access, files: u32) -> Result<Pattern, Diagnostic> {
    match (files, access.gap) {
        (1, 0) if access.is_mixed() => Ok(Pattern::SequentialEach),
        (1, 0) => Ok(Pattern::IN_ORDER),
        (1, gap) => Ok(Pattern::Stride {
            min: Bytes(gap),
            max: Bytes(gap),
        }),
        (files, 0) => Ok(Pattern::Streams(files)),
        _ => Err(refused(
            job,
            "rw",
            format!("job {} leaves gaps in several files", job.name),
            "use one file, or no gap",
        )),
    }
}

/// fio visits each block once unless something forbids that; so do we.
fn random(
    job: &Job,
    access: &Access,
    size: &SizeSpec,
    distribution: Option<Distribution>,
    found: &mut Complaints,
) -> Pattern {
    let occurring = size.occurring(&access.mix);
    let one_size = matches!(occurring[..], [SizeSpec::Fixed(_)]);
    let map = has_map(job);
    if map && !one_size {
        no_map(job, "rw", "where sizes differ", found);
    }
    Pattern::Random {
        distribution: distribution.unwrap_or(Distribution::Uniform),
        coverage: map && one_size,
    }
}

/// Whether fio keeps in mind which blocks a job has been to.
pub(super) fn has_map(job: &Job) -> bool {
    let drawn = job.text("random_distribution");
    let alike = drawn.is_none_or(|text| text == "random" || text.starts_with("random:"));
    !job.is_on("norandommap") && job.get("ba").is_none() && alike
}

fn no_map(job: &Job, option: &str, when: &str, found: &mut Complaints) {
    if job.is_on("norandommap") {
        return;
    }
    found.warn(
        warn_differs(
            job,
            option,
            format!("job {} draws each address anew {when}; fio visits each block once, and shortens I/Os for it", job.name),
        )
        .help("norandommap says so, and then fio does the same"),
    );
}

/// The percentage of I/Os that seek; `None` where nobody says.
fn percentage(job: &Job, access: &Access) -> Result<Option<i64>, Diagnostic> {
    let Some(each) = job.triple("percentage_random") else {
        return Ok(None);
    };
    let mix = access.mix.percents();
    let used = each.into_iter().zip(mix).filter(|(_, p)| *p > 0.0);
    let mut used: Vec<i64> = used
        .map(|(n, _)| if n == ABSENT { 100 } else { n })
        .collect();
    used.dedup();
    match used[..] {
        [one] if (0..=100).contains(&one) => Ok(Some(one)),
        [one] => Err(Diagnostic::error(
            codes::OUT_OF_RANGE,
            format!("`percentage_random={one}` is no percentage"),
        )
        .at(
            job.place("percentage_random").unwrap_or(job.span),
            "0 to 100",
        )),
        _ => Err(refused(
            job,
            "percentage_random",
            format!(
                "the reads and the writes of job {} seek differently often",
                job.name
            ),
            "give reads and writes a job each",
        )),
    }
}

/// What `random_distribution=` says; `None` for all blocks alike.
fn distribution(job: &Job, bytes: Option<u64>) -> Result<Option<Distribution>, Diagnostic> {
    let Some(text) = job.text("random_distribution") else {
        return Ok(None);
    };
    let mut parts = text.splitn(2, ':');
    let (name, rest) = (parts.next().unwrap_or_default(), parts.next());
    let no = |why: &str, remedy: &str| {
        refused(
            job,
            "random_distribution",
            format!("`random_distribution={text}` cannot be used: {why}"),
            remedy,
        )
    };
    let parameter = |default: f64| match rest {
        None => Ok(default),
        Some(rest) if rest.contains(':') => Err(no(
            "its hottest block cannot be chosen",
            "leave out what stands behind the second colon",
        )),
        Some(rest) => rest.trim().parse::<f64>().map_err(|_| {
            no(
                "its number cannot be read",
                "give one number behind the colon",
            )
        }),
    };
    match name {
        "random" => Ok(None),
        "zipf" => parameter(1.1).map(|p| Some(Distribution::Zipf(p))),
        "pareto" => parameter(0.2).map(|p| Some(Distribution::Pareto(p))),
        "normal" | "gauss" if rest.is_none() => Err(no(
            "its deviation is missing",
            &format!("say its deviation in percent of the file, as random_distribution={name}:20"),
        )),
        "normal" | "gauss" => parameter(0.0).map(|p| Some(Distribution::Normal(p))),
        "zoned" => zones(rest.unwrap_or_default(), None)
            .map(|z| Some(Distribution::Zoned(z)))
            .ok_or_else(|| {
                no(
                    "its zones do not sum to 100 of both",
                    "give accesses and sizes in percent: zoned:60/10:40/90",
                )
            }),
        "zoned_abs" => bytes
            .and_then(|bytes| zones(rest.unwrap_or_default(), Some(bytes)))
            .map(|z| Some(Distribution::Zoned(z)))
            .ok_or_else(|| {
                no(
                    "its zones are not all of a file whose size is known",
                    "give size= in bytes, and zones that are all of it",
                )
            }),
        _ => Err(no(
            "it is unknown",
            "use random, zipf, pareto, normal or zoned",
        )),
    }
}

/// (percent of accesses, percent of the range) of each zone; blanks share what is left.
fn zones(text: &str, bytes: Option<u64>) -> Option<Vec<(f64, f64)>> {
    // Of reads, writes and trims: only where all are alike.
    let mut sides: Vec<&str> = text.split(',').collect();
    sides.dedup();
    let [text] = sides[..] else {
        return None;
    };
    let share = |text: &str| match (text.trim(), bytes) {
        ("", _) => Some(None),
        (t, None) => t.trim_end_matches('%').parse::<f64>().ok().map(Some),
        (t, Some(all)) => Some(Some(
            number::size(t, 1024)?.value as f64 * 100.0 / all as f64,
        )),
    };
    let mut list = Vec::new();
    for zone in text.split(':') {
        let (accesses, size) = zone.split_once('/').unwrap_or((zone, ""));
        let accesses = match accesses.trim() {
            "" => None,
            t => Some(t.trim_end_matches('%').parse::<f64>().ok()?),
        };
        list.push((accesses, share(size)?));
    }
    let fill = |given: Vec<Option<f64>>| {
        let sum: f64 = given.iter().flatten().sum();
        let open = given.iter().filter(|g| g.is_none()).count();
        let rest = (100.0 - sum) / open.max(1) as f64;
        let whole = sum <= 100.001 && (open > 0 || sum > 99.999);
        whole.then(|| {
            given
                .into_iter()
                .map(|g| g.unwrap_or(rest))
                .collect::<Vec<f64>>()
        })
    };
    let accesses = fill(list.iter().map(|z| z.0).collect())?;
    let sizes = fill(list.iter().map(|z| z.1).collect())?;
    Some(accesses.into_iter().zip(sizes).collect())
}
