//! What arrays told of their cores, ports, media and journal.

use super::{LimitView, Looked, at_station, ramp};
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
    }
    looked
}

/// The busiest place of all arrays, 0..=1.
pub fn busiest(step: &StepEvidence) -> Option<(f64, String)> {
    let of = |array: &ArrayEvidence| {
        let core = array.busiest_core().map(|(_, c)| (c.utilisation, "cores"));
        let port = array.busiest_port().map(|u| (u, "ports"));
        let media = array.media.iter().map(|m| (m.utilisation, m.kind.as_str()));
        let all = core.into_iter().chain(port).chain(media);
        let most = all.max_by(|a, b| a.0.total_cmp(&b.0));
        most.map(|(u, what)| (u, format!("the {what} of {}", array.name)))
    };
    let all = step.arrays.iter().filter_map(of);
    all.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A kind of station.
struct Station {
    cause: LimitCause,
    /// I/Os there, by their utilisation.
    holds: f64,
    utilisation: f64,
    seen: String,
}

fn stations(step: &StepEvidence, array: &ArrayEvidence, looked: &mut Looked) {
    let mut found: Vec<Station> = Vec::new();
    match cores(array) {
        Some(cores) => found.push(cores),
        None => looked
            .unseen
            .extend([LimitCause::HotOwner, LimitCause::ArrayCores]),
    }
    match ports(array) {
        Some(ports) => found.push(ports),
        None => looked.unseen.push(LimitCause::Port),
    }
    let media = media(array);
    if media.is_empty() {
        looked.unseen.push(LimitCause::Media);
    }
    found.extend(media);
    // No more I/Os are anywhere than there are; what their number says is shared out.
    let all: f64 = found.iter().map(|s| s.holds).sum();
    let there = step.depth_mean.max(all);
    for station in found {
        let full = ramp(station.utilisation, BUSY, FULL, OF_A_FULL_ONE);
        // A station that is busy counts only for what others leave.
        let queue = station.holds / there;
        looked.add(station.cause, queue.max(full), station.seen);
    }
}

fn cores(array: &ArrayEvidence) -> Option<Station> {
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
    let (cause, holds, seen) = match (is_hot, owner) {
        (true, Some((_, part))) => (
            LimitCause::HotOwner,
            at_station(hot.utilisation),
            format!(
                "{busy}, with {} of the work that only an address's owner can do",
                percent(part)
            ),
        ),
        (true, None) => (LimitCause::ArrayCores, at_station(hot.utilisation), busy),
        (false, _) => (LimitCause::ArrayCores, each.map(at_station).sum(), busy),
    };
    Some(Station {
        cause,
        holds,
        utilisation: hot.utilisation,
        seen,
    })
}

fn ports(array: &ArrayEvidence) -> Option<Station> {
    let busiest = array.busiest_port()?;
    let each = array.ports.iter().map(|p| at_station(p.utilisation));
    let of = match array.ports.len() {
        1 => format!("the port of {}", array.name),
        n => format!("the busiest of {n} ports of {}", array.name),
    };
    Some(Station {
        cause: LimitCause::Port,
        holds: each.sum(),
        utilisation: busiest,
        seen: format!("{of} was busy {} of the time", human::percent(busiest)),
    })
}

/// Flash and disks; what keeps the flash busy may be the garbage that it collects.
fn media(array: &ArrayEvidence) -> Vec<Station> {
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
            holds: m.count as f64 * at_station(m.utilisation),
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

/// Writes that wait for room: the time that they do is told, so no queue has to be estimated.
fn journal(step: &StepEvidence, array: &ArrayEvidence, looked: &mut Looked) {
    let (Some(journal), Some(front)) = (array.journal, array.front_end) else {
        return;
    };
    // A write of several chunks waits once, and is counted for each of them.
    let places = array.write_destination.iter();
    let into = places.filter(|b| b.place.starts_with("journal"));
    let chunks: u64 = into.map(|b| b.chunks).sum();
    let chunk = front.writes.bytes as f64 / 4096.0 / front.writes.count.max(1) as f64;
    let waits = match chunks {
        0 => 1.0,
        _ => chunk.max(1.0),
    };
    let waited_s = journal.waited_ns as f64 / 1e9 / waits;
    let share = waited_s / (step.depth_mean * array.observed_s).max(f64::MIN_POSITIVE);
    let fill = match journal.fill() {
        Some(fill) => format!("{} full at the end", human::percent(fill.min(1.0))),
        None => "without any room".to_string(),
    };
    looked.add(
        LimitCause::Journal,
        share,
        format!(
            "writes waited for room in the journal of {}, which was {fill}",
            array.name
        ),
    );
}
