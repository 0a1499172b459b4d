//! What an array says of itself: plain data, and JSON of the same names.

mod hardware;

pub use hardware::{Media, Port};

use crate::connection::Lab;
use plimsoll_array::counters::Requests;
use plimsoll_array::masking::{ExportState, Igroup, Masking};
use plimsoll_array::working_set::WorkingSetSize;
use plimsoll_array::{Array, Event, PathCondition, Served};
use serde::Serialize;
use std::collections::BTreeMap;

/// The window of the working set, nanoseconds: two minutes.
const WORKING_SET_WINDOW: u64 = 120_000_000_000;

/// Everything that is counted, since the start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The array.
    pub persona: String,
    /// Description of the array.
    pub about: String,
    /// Divisor of the persona's parameters.
    pub scale: f64,
    /// Replies leave at the model's time.
    pub timing: bool,
    /// Time since the start, nanoseconds.
    pub now_ns: u64,
    /// The front end.
    pub front_end: FrontEnd,
    /// Requests to the media behind the front end.
    pub back_end: BackEnd,
    /// Chunks read, by where they were found.
    pub read_source: BTreeMap<String, u64>,
    /// Chunks written, by where they went.
    pub write_destination: BTreeMap<String, u64>,
    /// Each core, in the order of the slices that it owns; empty where they are no limit.
    pub cores: Vec<Core>,
    /// Each front-end port.
    pub ports: Vec<Port>,
    /// Flash dies and disks, a line for each kind that there is.
    pub media: Vec<Media>,
    /// The journal, where there is one.
    pub journal: Option<Journal>,
    /// Data reduction and space.
    pub space: Space,
    /// Each LUN.
    pub luns: Vec<Lun>,
    /// Each path.
    pub paths: Vec<Path>,
    /// Sets of initiators.
    pub igroups: Vec<Igroup>,
    /// LUNs shown to sets of initiators.
    pub exports: Vec<Export>,
    /// Faults, and their ends, the last ones, the oldest first.
    pub events: Vec<Event>,
    /// Delay of replies against the model: the lab's own error.
    pub lag: Lag,
    /// Clients' connections.
    pub connections: Connections,
}

/// Requests of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FrontEnd {
    /// Reads.
    pub reads: Requests,
    /// Writes.
    pub writes: Requests,
    /// Trims.
    pub trims: Requests,
    /// Writes of zeros that nobody sent.
    pub zeroes: Requests,
    /// Flushes.
    pub flushes: Requests,
    /// Requests that failed, vanished or made no sense.
    pub failed: u64,
}

/// Requests to flash and disks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BackEnd {
    /// Reads of flash and disk.
    pub reads: u64,
    /// Writes to flash and disk.
    pub writes: u64,
    /// Pages that the flash writes for each page that it is given; `None` where garbage collection is no part of the model.
    pub write_amplification: Option<f64>,
    /// Pages that hosts wrote, where pages are mapped.
    pub pages_written: Option<u64>,
    /// Pages that were moved to make room.
    pub pages_moved: Option<u64>,
}

/// A processor core.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Core {
    /// Work done, nanoseconds.
    pub busy_ns: u64,
    /// True while the core's controller works.
    pub works: bool,
    /// Number of the core's controller.
    pub controller: u32,
    /// Work taken, nanoseconds: what waits is in it.
    pub taken_ns: u64,
    /// Of the work taken, what was bound to it by the address, nanoseconds.
    pub owner_ns: u64,
}

/// A write journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Journal {
    /// Bytes in it.
    pub fill: u64,
    /// Bytes that fit.
    pub capacity: u64,
    /// Sum of the times that writes waited for room, nanoseconds.
    pub waited_ns: u64,
}

/// Space and what saves it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Space {
    /// Bytes of new data written, before compression.
    pub new_bytes: u64,
    /// Bytes that the array's model stores for them.
    pub stored_bytes: u64,
    /// The array compresses.
    pub compresses: bool,
    /// Different chunks that the model holds, where it deduplicates.
    pub distinct_chunks: u64,
    /// Bytes of memory that the lab itself holds; `None` with a backing file.
    pub held_bytes: Option<u64>,
    /// Bytes of memory that it may hold: beyond them writes fail with "no space". `None` with a backing file.
    pub limit_bytes: Option<u64>,
}

/// A LUN.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lun {
    /// The export's name.
    pub export: String,
    /// Addresses for clients, one for each path.
    pub uris: Vec<String>,
    /// Size, bytes.
    pub bytes: u64,
    /// Bytes that were written, zeros among them.
    pub mapped_bytes: u64,
    /// Of these, zeros.
    pub zero_bytes: u64,
    /// Snapshots.
    pub snapshots: usize,
    /// Old content that the array keeps for them, bytes.
    pub snapshot_bytes: u64,
    /// Reads of this LUN.
    pub reads: Requests,
    /// Writes to this LUN.
    pub writes: Requests,
    /// Reads by size: (up to so many bytes, how many); empty sizes left out.
    pub read_sizes: Vec<(u64, u64)>,
    /// Writes by size.
    pub write_sizes: Vec<(u64, u64)>,
    /// Chunks read from it, by where they were found.
    pub read_source: BTreeMap<String, u64>,
    /// Chunks written to it, by where they went.
    pub write_destination: BTreeMap<String, u64>,
    /// Bytes touched in the last two minutes, an estimate from a sample.
    pub working_set: WorkingSetSize,
}

/// A LUN that is shown to an igroup.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Export {
    /// Number of the export.
    pub id: u32,
    /// The LUN.
    pub lun: u32,
    /// The ports over which it is shown.
    pub ports: Vec<String>,
    /// To whom.
    pub igroup: String,
    /// The number by which these hosts know it.
    pub lun_id: u32,
    /// The LUN's name, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The container that it is in, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Reachability for its hosts.
    pub status: ExportState,
}

/// A snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// The LUN.
    pub lun: u32,
    /// Number among the LUN's snapshots, from 1.
    pub number: u32,
    /// Time of the snapshot, nanoseconds from the start.
    pub at_ns: u64,
}

/// A path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Path {
    /// The port that it leads to.
    pub port: String,
    /// Number of that port, from 0.
    pub port_number: u32,
    /// `up`, `slow`, `down` or `silent`.
    pub state: &'static str,
    /// By how much it is slow, nanoseconds.
    pub slow_ns: u64,
    /// True where the path is down because the controller of its port is out.
    pub controller_out: bool,
    /// Requests that came over it and were served.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Requests that were refused or vanished.
    pub failed: u64,
}

/// Delay of replies against the model, nanoseconds; `None` before the first reply.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lag {
    /// Replies.
    pub count: u64,
    /// Half of them were at most so late.
    pub p50_ns: Option<u64>,
    /// 99 % of them were.
    pub p99_ns: Option<u64>,
    /// The latest.
    pub max_ns: Option<u64>,
    /// The sum of all, nanoseconds.
    pub sum_ns: u64,
}

/// Clients' connections, open and counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Connections {
    /// Everybody, the oldest first.
    pub open: Vec<Connection>,
    /// Connections accepted.
    pub accepted: u64,
    /// Connections that got an export.
    pub sessions: u64,
    /// Connections hung up on because there were too many.
    pub refused: u64,
    /// Connections hung up on for what they sent or did not take.
    pub dropped: u64,
    /// Whom the last of them was, and why.
    pub last_drop: Option<String>,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Connection {
    /// Address of the client, or its process.
    pub peer: String,
    /// The path that it came over.
    pub path: u32,
    /// LUN of the connection, once it has one.
    pub lun: Option<u32>,
    /// True where the connection is encrypted with TLS.
    pub tls: bool,
}

/// Reads all counters as they are now.
pub(crate) fn of(lab: &Lab) -> Status {
    let (peers, counts, last_drop) = lab.registry.look();
    let lag = lab.lag.snapshot();
    let connections = Connections {
        open: peers
            .into_iter()
            .map(|p| Connection {
                peer: p.caller.name,
                path: p.path,
                lun: p.lun,
                tls: p.tls,
            })
            .collect(),
        accepted: counts.accepted,
        sessions: counts.sessions,
        refused: counts.refused,
        dropped: counts.dropped,
        last_drop,
    };
    let lag = Lag {
        count: lag.count(),
        p50_ns: lag.quantile_ns(0.5),
        p99_ns: lag.quantile_ns(0.99),
        max_ns: lag.max_ns(),
        sum_ns: lag.sum_ns(),
    };
    let masking = lab.access.look(Masking::clone);
    lab.model.look(|array, now_ns| Status {
        persona: lab.persona.name.clone(),
        about: lab.persona.about.clone(),
        scale: array.scale(),
        timing: lab.model.timing,
        now_ns,
        front_end: FrontEnd {
            reads: array.counters().reads,
            writes: array.counters().writes,
            trims: array.counters().trims,
            zeroes: array.counters().zeroes,
            flushes: array.counters().flushes,
            failed: array.counters().failed,
        },
        back_end: BackEnd {
            reads: array.counters().media_reads,
            writes: array.counters().media_writes,
            write_amplification: array.mapping().map(|m| m.write_amplification()),
            pages_written: array.mapping().map(|m| m.host_pages),
            pages_moved: array.mapping().map(|m| m.moved_pages),
        },
        read_source: shares(&array.counters().read_source),
        write_destination: shares(&array.counters().write_destination),
        cores: cores(array, now_ns),
        ports: hardware::ports(array, &masking, now_ns),
        media: hardware::media(array, now_ns),
        journal: array.journal().map(|j| Journal {
            fill: j.fill(),
            capacity: j.capacity(),
            waited_ns: j.waited_ns,
        }),
        space: Space {
            new_bytes: array.counters().new_bytes,
            stored_bytes: array.counters().stored_bytes,
            compresses: lab.persona.reduction.compression,
            distinct_chunks: array.distinct_chunks(),
            held_bytes: lab.store.held_bytes(),
            limit_bytes: lab.store.limit_bytes(),
        },
        luns: luns(lab, array, now_ns),
        paths: paths(array, &masking),
        exports: exports(array, &masking),
        igroups: masking.igroups().to_vec(),
        events: array.events().cloned().collect(),
        lag,
        connections,
    })
}

fn shares(chunks: &[u64; Served::COUNT]) -> BTreeMap<String, u64> {
    Served::ALL
        .iter()
        .map(|s| (s.name().replace(' ', "-"), chunks[*s as usize]))
        .collect()
}

fn cores(array: &Array, now: u64) -> Vec<Core> {
    let Some(cores) = array.cores() else {
        return Vec::new();
    };
    let of_each = cores.each().len() / cores.controllers();
    let core = |(at, c): (usize, &plimsoll_array::core::Core)| Core {
        busy_ns: c.station.done_ns(now),
        works: cores.is_alive(at),
        controller: (at / of_each) as u32,
        taken_ns: c.station.work_ns,
        owner_ns: c.owner_ns,
    };
    cores.each().iter().enumerate().map(core).collect()
}

fn luns(lab: &Lab, array: &Array, now: u64) -> Vec<Lun> {
    let lun = |(lun, export): (&plimsoll_array::Lun, &plimsoll_nbd::Export)| {
        let sizes = |s: &plimsoll_array::sizes::Sizes| s.each().filter(|s| s.1 > 0).collect();
        Lun {
            export: export.name.clone(),
            uris: lab
                .endpoints
                .iter()
                .map(|e| e.uri(&export.name, lab.is_secret()))
                .collect(),
            bytes: export.size,
            mapped_bytes: lun.mapped_chunks() * plimsoll_array::CHUNK,
            zero_bytes: lun.zero_chunks() * plimsoll_array::CHUNK,
            snapshots: lun.snapshots.each().len(),
            snapshot_bytes: lun.snapshots.kept_chunks() * plimsoll_array::CHUNK,
            reads: lun.reads,
            writes: lun.writes,
            read_sizes: sizes(&lun.read_sizes),
            write_sizes: sizes(&lun.write_sizes),
            read_source: shares(&lun.read_source),
            write_destination: shares(&lun.write_destination),
            working_set: lun.working_set.size(now, WORKING_SET_WINDOW),
        }
    };
    array
        .luns()
        .iter()
        .zip(lab.exports.iter())
        .map(lun)
        .collect()
}

fn exports(array: &Array, masking: &Masking) -> Vec<Export> {
    let works = array.front_end().working_ports();
    let names = masking.ports();
    let export = |e: &plimsoll_array::masking::Export| Export {
        id: e.id,
        lun: e.lun,
        ports: e.ports.iter().map(|p| names[*p as usize].clone()).collect(),
        igroup: e.igroup.clone(),
        lun_id: e.lun_id,
        name: e.name.clone(),
        container: e.container.clone(),
        status: e.state(&works),
    };
    masking.exports().iter().map(export).collect()
}

/// All snapshots, by LUN and number.
pub(crate) fn snapshots(lab: &Lab) -> Vec<Snapshot> {
    lab.model.look(|array, _| {
        let mut all = Vec::new();
        for (lun, l) in (0..).zip(array.luns()) {
            all.extend(l.snapshots.each().iter().map(|s| Snapshot {
                lun,
                number: s.number,
                at_ns: s.at_ns,
            }));
        }
        all
    })
}

fn paths(array: &Array, masking: &Masking) -> Vec<Path> {
    let path = |p: &plimsoll_array::path::Path| {
        let (state, slow_ns) = match p.state {
            PathCondition::Up => ("up", 0),
            PathCondition::Slow(ns) => ("slow", ns),
            PathCondition::Down => ("down", 0),
            PathCondition::Silent => ("silent", 0),
        };
        Path {
            port: masking.ports()[p.port as usize].clone(),
            port_number: p.port,
            state,
            slow_ns,
            controller_out: array.front_end().is_out(p),
            requests: p.requests,
            bytes: p.bytes,
            failed: p.failed,
        }
    };
    array.front_end().paths().iter().map(path).collect()
}
