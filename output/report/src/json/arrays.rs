//! Arrays below a step's targets, as they told of themselves.

use plimsoll_evidence::{ArrayEvidence, Bucket, FilerUse, Requests};
use serde_json::{Value, json};

/// One array.
pub(crate) fn array(array: &ArrayEvidence) -> Value {
    let mut told = json!({
        "name": array.name,
        "scale": array.scale,
        "targets": array.targets,
        "observed_s": array.observed_s,
        "core_max": array.busiest_core().map(|(_, core)| core.utilisation),
        "core_mean": array.mean_core(),
        "owner_max": array.largest_owner().map(|(_, share)| share),
        "port_max": array.busiest_port(),
        "mean_us": array.mean_ns().map(|ns| ns / 1e3),
        "back_end_per_io": array.back_end_ratio(),
        "front_end": array.front_end.map(|f| json!({
            "reads": asked(f.reads),
            "writes": asked(f.writes),
            "failed": f.failed,
        })),
        "back_end": array.back_end,
        "read_source": shares(&array.read_source),
        "write_destination": shares(&array.write_destination),
        "cores": array.cores,
        "ports": array.ports,
        "paths": array.paths,
        "media": array.media,
        "journal": array.journal.map(|j| json!({
            "fill_bytes": j.fill_bytes,
            "capacity_bytes": j.capacity_bytes,
            "waited_s": j.waited_ns as f64 / 1e9,
        })),
        "write_amplification": array.write_amplification,
        "reduction": array.reduction,
    });
    if let Some(filer) = array.filer {
        told["filer"] = self::filer(filer);
    }
    told
}

fn filer(f: FilerUse) -> Value {
    let s = |ns: u64| ns as f64 / 1e9;
    json!({
        "calls": f.calls,
        "asked": f.asked,
        "by_client": f.by_client,
        "changes": f.changes,
        "threads": f.threads,
        "utilisation": f.utilisation,
        "waited_for_threads_s": s(f.threads_waited_ns),
        "waited_for_directories_s": s(f.directories_waited_ns),
        "waited_for_log_s": s(f.log_waited_ns),
        "flushes": f.flushes,
        "flushing_s": s(f.flushing_ns),
    })
}

fn asked(requests: Requests) -> Value {
    json!({
        "ios": requests.count,
        "bytes": requests.bytes,
        "mean_us": requests.mean_ns.map(|ns| ns / 1e3),
    })
}

fn shares(buckets: &[Bucket]) -> Vec<Value> {
    let all = plimsoll_measure::total(buckets.iter().map(|b| b.chunks));
    let share = |b: &Bucket| b.chunks as f64 / all.max(1) as f64;
    let one = |b: &Bucket| json!({ "place": b.place, "chunks": b.chunks, "share": share(b) });
    buckets.iter().map(one).collect()
}
