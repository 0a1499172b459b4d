//! What happened on the ways to a volume.

use plimsoll_plan::NbdUri;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// State of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientPathState {
    /// Carries I/O.
    Up,
    /// Carries none until it is tried again.
    Down,
    /// On trial: it is connected to, and read from.
    Trial,
}

/// A path that went down or came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEvent {
    /// Time of the change, ns; in a ledger on CLOCK_MONOTONIC, in a step's report from its start.
    pub at_ns: u64,
    /// Index of the path among the volume's.
    pub path: usize,
    /// Up or down.
    pub state: ClientPathState,
    /// Reason why the path went down; empty where it came back.
    pub why: String,
}

/// One worker's account of a volume's paths. Only that worker writes to it.
#[derive(Debug)]
pub struct Ledger {
    paths: Vec<Counters>,
    events: Mutex<Vec<PathEvent>>,
    unconfirmed: AtomicU64,
}

#[derive(Debug, Default)]
struct Counters {
    ios: AtomicU64,
    errors: AtomicU64,
    moved: AtomicU64,
    read_bytes: AtomicU64,
    hole_bytes: AtomicU64,
    service_ns: AtomicU64,
}

fn add(counter: &AtomicU64, n: u64) {
    // One writer: no locked instruction is needed.
    counter.store(counter.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}

impl Ledger {
    /// Ledger for so many paths.
    pub fn new(paths: usize) -> Self {
        Ledger {
            paths: (0..paths).map(|_| Counters::default()).collect(),
            events: Mutex::default(),
            unconfirmed: AtomicU64::new(0),
        }
    }

    /// An I/O was answered.
    #[inline(always)]
    pub(super) fn answered(&self, path: usize, good: bool, service_ns: u64) {
        let counters = &self.paths[path];
        add(&counters.ios, u64::from(good));
        add(&counters.errors, u64::from(!good));
        add(&counters.service_ns, service_ns);
    }

    /// A read brought so many bytes, of which the server did not send so many: nothing is stored there.
    #[inline(always)]
    pub(super) fn read(&self, path: usize, bytes: u64, holes: u64) {
        let counters = &self.paths[path];
        add(&counters.read_bytes, bytes);
        if holes > 0 {
            add(&counters.hole_bytes, holes);
        }
    }

    /// How many I/Os were answered well on a path so far.
    pub(crate) fn carried(&self, path: usize) -> u64 {
        self.paths[path].ios.load(Ordering::Relaxed)
    }

    /// So many I/Os that were out there are sent elsewhere.
    pub(super) fn moved(&self, path: usize, ios: u64) {
        add(&self.paths[path].moved, ios);
    }

    /// So many writes count as done although an earlier copy may still arrive.
    pub(super) fn unconfirmed(&self, writes: u64) {
        add(&self.unconfirmed, writes);
    }

    /// A path went down or came back.
    pub(super) fn tell(&self, event: PathEvent) {
        if let Ok(mut events) = self.events.lock() {
            events.push(event);
        }
    }
}

/// Report of what one of a volume's paths did in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathReport {
    /// Address that the path leads to.
    pub uri: String,
    /// I/Os that were answered well.
    pub ios: u64,
    /// I/Os that were answered with an error.
    pub errors: u64,
    /// I/Os that were taken off it and sent again.
    pub moved: u64,
    /// Bytes that its reads brought.
    pub read_bytes: u64,
    /// Bytes of `read_bytes` that were not sent, for the server said that nothing is stored there.
    pub hole_bytes: u64,
    /// Sum of its I/Os' service times, ns.
    pub service_ns: u64,
}

/// Report of what a volume's paths did in a step, all workers together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeReport {
    /// The target's name.
    pub target: String,
    /// In the plan's order.
    pub paths: Vec<PathReport>,
    /// Changes of the paths, down and back up, timed from the step's start.
    pub events: Vec<PathEvent>,
    /// Writes that count as done although an earlier copy of them may still arrive and overwrite what came after.
    pub unconfirmed: u64,
}

impl VolumeReport {
    /// Puts workers' ledgers together; `start_ns` is the step's start on CLOCK_MONOTONIC. A path is down from the first
    /// worker's loss of it until all have it back.
    pub fn of(target: &str, uris: &[NbdUri], ledgers: &[&Ledger], start_ns: u64) -> Self {
        let sum = |of: &dyn Fn(&Ledger) -> u64| ledgers.iter().map(|l| of(l)).sum::<u64>();
        let path = |(i, uri): (usize, &NbdUri)| {
            let of = |field: fn(&Counters) -> &AtomicU64| {
                sum(&|l: &Ledger| field(&l.paths[i]).load(Ordering::Relaxed))
            };
            PathReport {
                uri: uri.to_string(),
                ios: of(|c| &c.ios),
                errors: of(|c| &c.errors),
                moved: of(|c| &c.moved),
                read_bytes: of(|c| &c.read_bytes),
                hole_bytes: of(|c| &c.hole_bytes),
                service_ns: of(|c| &c.service_ns),
            }
        };
        let told: Vec<Vec<PathEvent>> = ledgers
            .iter()
            .map(|l| l.events.lock().map(|e| e.clone()).unwrap_or_default())
            .collect();
        VolumeReport {
            target: target.into(),
            paths: uris.iter().enumerate().map(path).collect(),
            events: condensed(told.concat(), uris.len(), start_ns),
            unconfirmed: sum(&|l| l.unconfirmed.load(Ordering::Relaxed)),
        }
    }
}

fn condensed(mut events: Vec<PathEvent>, paths: usize, start_ns: u64) -> Vec<PathEvent> {
    events.sort_by_key(|e| e.at_ns);
    let mut without = vec![0u32; paths];
    events.retain_mut(|event| {
        event.at_ns = event.at_ns.saturating_sub(start_ns);
        let workers = &mut without[event.path];
        if event.state == ClientPathState::Up {
            *workers = workers.saturating_sub(1);
            *workers == 0
        } else {
            *workers += 1;
            *workers == 1
        }
    });
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_down_from_the_first_workers_loss_until_all_have_it_back() {
        let ledgers = [Ledger::new(2), Ledger::new(2)];
        let event = |at_ns, state| PathEvent {
            at_ns,
            path: 1,
            state,
            why: String::new(),
        };
        ledgers[0].tell(event(110, ClientPathState::Down));
        ledgers[1].tell(event(105, ClientPathState::Down));
        ledgers[0].tell(event(120, ClientPathState::Up));
        ledgers[1].tell(event(130, ClientPathState::Up));
        for ledger in &ledgers {
            ledger.answered(0, true, 7);
            ledger.moved(1, 3);
        }
        let uris = ["nbd://a/x", "nbd://b/x"].map(|u| u.parse().unwrap());
        let report = VolumeReport::of("lun", &uris, &[&ledgers[0], &ledgers[1]], 100);
        let seen: Vec<_> = report.events.iter().map(|e| (e.at_ns, e.state)).collect();
        assert_eq!(
            seen,
            [(5, ClientPathState::Down), (30, ClientPathState::Up)]
        );
        assert_eq!((report.paths[0].ios, report.paths[0].service_ns), (2, 14));
        assert_eq!(report.paths[1].moved, 6);
    }
}
