//! What arrays told of their cores, ports, media and journal.

use super::{LimitView, Looked, ramp, waiting};
use plimsoll_evidence::{ArrayEvidence, LimitCause, StepEvidence};
use plimsoll_printable::human;

/// A core is hot where it is busy so many times as much as the mean core: so much would an even load bring, by the same
/// arithmetic. Chance makes 8 cores differ by a few percent.
const HOT: f64 = 1.25;

/// Work that only owners can do is uneven where one core has so many times its part of it.
const OWNS: f64 = 1.25;

/// Above this a station may be the limit though few I/Os wait for it: nothing but the station itself can give more than
/// 1/0.7 of what is done.
const BUSY: f64 = 0.7;
/// From here on it counts as the limit alone.
const FULL: f64 = 0.95;
/// As which it then counts at least.
const OF_A_FULL_ONE: f64 = 0.75;

/// A journal has no room from here on: what is being drained still takes some.
const NO_ROOM: f64 = 0.98;
/// And is the limit where writes wait for it at least so much of their time.
const WAITED: f64 = 0.02;

/// From here on garbage collection is what keeps the media busy: the share of its pages that it moves itself.
const MOVED: f64 = 0.4;

/// Looks at the arrays below the step's targets.
pub fn look(view: &LimitView<'_>) -> Looked {
    let step = view.step;
    if step.arrays.is_empty() {
        return Looked::unseen(&[
            LimitCause::Media,
            LimitCause::HotOwner,
            LimitCause::ArrayCores,
            LimitCause::Port,
            LimitCause::Journal,
            LimitCause::GarbageCollection,
        ]);
    }
    let mut looked = Looked::default();
    for array in &step.arrays {
        stations(step, array, &mut looked);
        journal(step, array, &mut looked);
        filer(step, array, &mut looked);
    }
    looked
}

/// The busiest place of all arrays, 0..=1.
pub fn busiest(step: &StepEvidence) -> Option<(f64, String)> {
    let of = |array: &ArrayEvidence| {
        let core = array.busiest_core().map(|(_, c)| (c.utilisation, "cores"));
        let port = array.busiest_port().map(|u| (u, "ports"));
        let media = array.media.iter().map(|m| (m.utilisation, m.kind.as_str()));
        let full = journal_waits(step, array).is_some_and(|w| w.is_full);
        let journal = full.then_some((1.0, "journal"));
        let filer = filer_waits(step, array).into_iter();
        let filer = filer.map(|wait| (wait.share, wait.stations));
        let all = core.into_iter().chain(port).chain(media).chain(journal);
        let all = all.chain(filer);
        let most = all.max_by(|a, b| a.0.total_cmp(&b.0));
        most.map(|(u, what)| (u, format!("the {what} of {}", array.name)))
    };
    let all = step.arrays.iter().filter_map(of);
    all.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Busy share at most of a core that met all work of owners alone; 0 where no such work is told.
pub fn one_owner(step: &StepEvidence) -> f64 {
    let of = |array: &ArrayEvidence| {
        let bound: f64 = array.cores.iter().filter_map(|c| c.owner_bound).sum();
        let rest = array.mean_core().unwrap_or(0.0) - bound / array.cores.len().max(1) as f64;
        if bound > 0.0 { bound + rest } else { 0.0 }
    };
    step.arrays.iter().map(of).fold(0.0, f64::max)
}

/// I/Os at the ports and media that are told, on average: those that are served, and those that wait.
pub fn held(step: &StepEvidence) -> f64 {
    let at = |u: f64| u + waiting(u, step.depth_mean);
    let of = |array: &ArrayEvidence| {
        let ports: f64 = array.ports.iter().map(|p| at(p.utilisation)).sum();
        let media = array
            .media
            .iter()
            .map(|m| m.count as f64 * at(m.utilisation));
        ports + media.sum::<f64>()
    };
    step.arrays.iter().map(of).sum()
}

/// Of what is in flight, the share that is served by, or waits for, one kind of the ports and media that are told. Were those
/// faster, each I/O would be, whatever the depth.
pub fn longest(step: &StepEvidence) -> f64 {
    let at = |u: f64| u + waiting(u, step.depth_mean);
    let of = |array: &ArrayEvidence| {
        let ports: f64 = array.ports.iter().map(|p| at(p.utilisation)).sum();
        let media = array
            .media
            .iter()
            .map(|m| m.count as f64 * at(m.utilisation));
        media.fold(ports, f64::max) / step.depth_mean
    };
    step.arrays.iter().map(of).fold(0.0, f64::max)
}

/// A kind of station.
struct Station {
    cause: LimitCause,
    /// I/Os that are served there, on average.
    serves: f64,
    /// Those that wait there, by its utilisation.
    waiting: f64,
    utilisation: f64,
    seen: String,
}

fn stations(step: &StepEvidence, array: &ArrayEvidence, looked: &mut Looked) {
    let mut found: Vec<Station> = Vec::new();
    let depth = step.depth_mean;
    match cores(array, depth) {
        Some(cores) => found.push(cores),
        None => looked
            .unseen
            .extend([LimitCause::HotOwner, LimitCause::ArrayCores]),
    }
    match ports(array, depth) {
        Some(ports) => found.push(ports),
        None => looked.unseen.push(LimitCause::Port),
    }
    let media = media(array, depth);
    if media.is_empty() {
        looked.unseen.push(LimitCause::Media);
    }
    found.extend(media);
    // Of those in flight some are served; no more than the others can wait.
    let served: f64 = found.iter().map(|s| s.serves).sum();
    let may_wait = (depth - served).max(0.0);
    let wait: f64 = found.iter().map(|s| s.waiting).sum();
    let scale = if wait > may_wait {
        may_wait / wait
    } else {
        1.0
    };
    for station in found {
        let full = ramp(station.utilisation, BUSY, FULL, OF_A_FULL_ONE);
        // A station that is busy counts only for what others leave.
        let queue = station.waiting * scale / depth;
        looked.add(station.cause, queue.max(full), station.seen);
    }
}

fn cores(array: &ArrayEvidence, depth: f64) -> Option<Station> {
    let (number, hot) = array.busiest_core()?;
    let mean = array.mean_core()?;
    let each = array.cores.iter().map(|c| c.utilisation);
    let percent = human::percent;
    let busy = format!(
        "core {number} of {} was {} busy and the mean core {}",
        array.name,
        percent(hot.utilisation),
        percent(mean)
    );
    let count = array.cores.len() as f64;
    let owner = array
        .largest_owner()
        .filter(|(core, part)| *core == number && part * count >= OWNS);
    let is_hot = array.cores.len() > 1 && hot.utilisation >= HOT * mean;
    let serves = each.clone().sum();
    let (cause, waiting, seen) = match (is_hot, owner) {
        (true, Some((_, part))) => (
            LimitCause::HotOwner,
            waiting(hot.utilisation, depth),
            format!(
                "{busy}, with {} of the work that only an address's owner can do",
                percent(part)
            ),
        ),
        (true, None) => (
            LimitCause::ArrayCores,
            waiting(hot.utilisation, depth),
            busy,
        ),
        (false, _) => (
            LimitCause::ArrayCores,
            each.map(|u| waiting(u, depth)).sum(),
            busy,
        ),
    };
    Some(Station {
        cause,
        serves,
        waiting,
        utilisation: hot.utilisation,
        seen,
    })
}

fn ports(array: &ArrayEvidence, depth: f64) -> Option<Station> {
    let busiest = array.busiest_port()?;
    let each = array.ports.iter().map(|p| waiting(p.utilisation, depth));
    let of = match array.ports.len() {
        1 => format!("the port of {}", array.name),
        n => format!("the busiest of {n} ports of {}", array.name),
    };
    Some(Station {
        cause: LimitCause::Port,
        serves: array.ports.iter().map(|p| p.utilisation).sum(),
        waiting: each.sum(),
        utilisation: busiest,
        seen: format!("{of} was busy {} of the time", human::percent(busiest)),
    })
}

/// Flash and disks; what keeps the flash busy may be the garbage that it collects.
fn media(array: &ArrayEvidence, depth: f64) -> Vec<Station> {
    let station = |m: &plimsoll_evidence::MediaUse| {
        let moved = match m.kind.as_str() {
            "disks" => None,
            _ => moved(array).filter(|share| *share >= MOVED),
        };
        let busy = format!(
            "{} of {} were busy {} of the time",
            m.kind,
            array.name,
            human::percent(m.utilisation)
        );
        let (cause, seen) = match (moved, array.write_amplification) {
            (Some(share), Some(amplification)) => (
                LimitCause::GarbageCollection,
                format!(
                    "{busy}, {} of it for pages that they move to make room: {amplification:.1} are programmed for each that is written",
                    human::percent(share)
                ),
            ),
            _ => (LimitCause::Media, busy),
        };
        Station {
            cause,
            serves: m.count as f64 * m.utilisation,
            waiting: m.count as f64 * waiting(m.utilisation, depth),
            utilisation: m.utilisation,
            seen,
        }
    };
    array.media.iter().map(station).collect()
}

/// Of all operations on pages, the share that moves them: a move is a read and a program.
fn moved(array: &ArrayEvidence) -> Option<f64> {
    const PAGE: f64 = 4096.0;
    let front = array.front_end?;
    let (read, written) = (
        front.reads.bytes as f64 / PAGE,
        front.writes.bytes as f64 / PAGE,
    );
    let moves = 2.0 * written * (array.write_amplification? - 1.0).max(0.0);
    let all = read + written + moves;
    (all > 0.0).then(|| moves / all)
}

/// How writes wait for room in a journal.
struct JournalWaits {
    /// Of what is in flight, the share that does.
    share: f64,
    /// It had no room at the end, and writes waited: it takes in what it drains, and no more, whatever is in flight.
    is_full: bool,
}

/// Writes that wait for room: the time that they do is told, so no queue has to be estimated.
fn journal_waits(step: &StepEvidence, array: &ArrayEvidence) -> Option<JournalWaits> {
    let (journal, writes) = (array.journal?, array.front_end?.writes);
    // A write of several chunks waits once, and is counted for each of them.
    let places = array.write_destination.iter();
    let into = places.filter(|b| b.place.starts_with("journal"));
    let chunks: u64 = into.map(|b| b.chunks).sum();
    let times = match chunks {
        0 => 1.0,
        _ => (writes.bytes as f64 / 4096.0 / writes.count.max(1) as f64).max(1.0),
    };
    let waited_ns = journal.waited_ns as f64 / times;
    let in_flight_ns = step.depth_mean * array.observed_s * 1e9;
    let of_writes = writes.mean_ns.map_or(0.0, |mean_ns| {
        waited_ns / (mean_ns * writes.count as f64).max(1.0)
    });
    Some(JournalWaits {
        share: waited_ns / in_flight_ns.max(1.0),
        is_full: journal.fill().is_none_or(|fill| fill >= NO_ROOM) && of_writes >= WAITED,
    })
}

fn journal(step: &StepEvidence, array: &ArrayEvidence, looked: &mut Looked) {
    let (Some(waits), Some(journal)) = (journal_waits(step, array), array.journal) else {
        return;
    };
    let fill = match journal.fill() {
        Some(fill) => format!("{} full at the end", human::percent(fill.min(1.0))),
        None => "without any room".to_string(),
    };
    let full = if waits.is_full { OF_A_FULL_ONE } else { 0.0 };
    looked.add(
        LimitCause::Journal,
        waits.share.max(full),
        format!(
            "writes waited for room in the journal of {}, which was {fill}",
            array.name
        ),
    );
}

/// What calls wait for in a filer.
struct FilerWait {
    cause: LimitCause,
    /// Of what is in flight, the share that does.
    share: f64,
    /// Wait of a call, on average, ns.
    mean_ns: f64,
    stations: &'static str,
}

/// Waits of calls in a filer: the times are told, so no queue has to be estimated.
fn filer_waits(step: &StepEvidence, array: &ArrayEvidence) -> Vec<FilerWait> {
    let Some(f) = array.filer else {
        return Vec::new();
    };
    let in_flight_ns = (step.depth_mean * array.observed_s * 1e9).max(1.0);
    let wait = |cause, waited_ns: u64, calls: u64, stations| FilerWait {
        cause,
        share: waited_ns as f64 / in_flight_ns,
        mean_ns: waited_ns as f64 / calls.max(1) as f64,
        stations,
    };
    let (locks, log) = (f.directories_waited_ns, f.log_waited_ns);
    let mut waits = vec![
        wait(LimitCause::Target, f.threads_waited_ns, f.calls, "threads"),
        wait(LimitCause::Target, locks, f.changes, "locks of directories"),
        wait(LimitCause::Journal, log, f.changes, "logs"),
    ];
    // Whoever waits for a thread waits for what the calls wait for that have one.
    let threads = waits[0].share;
    let held_ns = (f.utilisation * f.threads as f64 * array.observed_s * 1e9).max(1.0);
    for (at, waited_ns) in [(1, locks), (2, log)] {
        let passed = threads * (waited_ns as f64 / held_ns).min(1.0);
        waits[at].share += passed;
        waits[0].share = (waits[0].share - passed).max(0.0);
    }
    waits
}

fn filer(step: &StepEvidence, array: &ArrayEvidence, looked: &mut Looked) {
    for wait in filer_waits(step, array) {
        let mean = human::time(wait.mean_ns);
        let seen = format!(
            "a call waited {mean} on average for the {} of {}",
            wait.stations, array.name
        );
        looked.add(wait.cause, wait.share, seen);
    }
}
