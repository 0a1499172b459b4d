//! What the arrays below a step's targets told of themselves.

use plimsoll_evidence::{
    ArrayEvidence, ArrayPath, BackEndUse, Bucket, CoreUse, MediaUse, PortUse, Reduction, Requests,
};
use serde::Serialize;

/// One array.
#[derive(Serialize)]
pub(crate) struct Array<'a> {
    name: &'a str,
    scale: Option<f64>,
    targets: &'a [String],
    observed_s: f64,
    core_max: Option<f64>,
    core_mean: Option<f64>,
    owner_max: Option<f64>,
    port_max: Option<f64>,
    mean_us: Option<f64>,
    back_end_per_io: Option<f64>,
    front_end: Option<FrontEnd>,
    back_end: Option<BackEndUse>,
    read_source: Vec<Share<'a>>,
    write_destination: Vec<Share<'a>>,
    cores: &'a [CoreUse],
    ports: &'a [PortUse],
    paths: &'a [ArrayPath],
    media: &'a [MediaUse],
    journal: Option<Journal>,
    write_amplification: Option<f64>,
    reduction: Option<Reduction>,
}

#[derive(Serialize)]
struct FrontEnd {
    reads: Asked,
    writes: Asked,
    failed: u64,
}

#[derive(Serialize)]
struct Asked {
    ios: u64,
    bytes: u64,
    mean_us: Option<f64>,
}

#[derive(Serialize)]
struct Share<'a> {
    place: &'a str,
    chunks: u64,
    share: f64,
}

#[derive(Serialize)]
struct Journal {
    fill_bytes: u64,
    capacity_bytes: u64,
    waited_s: f64,
}

impl<'a> Array<'a> {
    pub(crate) fn of(array: &'a ArrayEvidence) -> Self {
        Array {
            name: &array.name,
            scale: array.scale,
            targets: &array.targets,
            observed_s: array.observed_s,
            core_max: array.busiest_core().map(|(_, core)| core.utilisation),
            core_mean: array.mean_core(),
            owner_max: array.largest_owner().map(|(_, share)| share),
            port_max: array.busiest_port(),
            mean_us: array.mean_ns().map(|ns| ns / 1e3),
            back_end_per_io: array.back_end_ratio(),
            front_end: array.front_end.map(|f| FrontEnd {
                reads: asked(f.reads),
                writes: asked(f.writes),
                failed: f.failed,
            }),
            back_end: array.back_end,
            read_source: shares(&array.read_source),
            write_destination: shares(&array.write_destination),
            cores: &array.cores,
            ports: &array.ports,
            paths: &array.paths,
            media: &array.media,
            journal: array.journal.map(|j| Journal {
                fill_bytes: j.fill_bytes,
                capacity_bytes: j.capacity_bytes,
                waited_s: j.waited_ns as f64 / 1e9,
            }),
            write_amplification: array.write_amplification,
            reduction: array.reduction,
        }
    }
}

fn asked(requests: Requests) -> Asked {
    Asked {
        ios: requests.count,
        bytes: requests.bytes,
        mean_us: requests.mean_ns.map(|ns| ns / 1e3),
    }
}

fn shares(buckets: &[Bucket]) -> Vec<Share<'_>> {
    let all = plimsoll_measure::total(buckets.iter().map(|b| b.chunks));
    let share = |b: &'_ Bucket| b.chunks as f64 / all.max(1) as f64;
    buckets
        .iter()
        .map(|b| Share {
            place: &b.place,
            chunks: b.chunks,
            share: share(b),
        })
        .collect()
}
