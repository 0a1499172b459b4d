//! What a job did in one direction: read, write or trim.

use super::job::milliseconds;
use super::samples::RateSeries;
use super::{Form, Shown, times};
use plimsoll_evidence::OpSummary;
use plimsoll_measure::Histogram;
use serde_json::{Value, json};

pub(super) struct Direction<'a> {
    /// Of each of the job's streams.
    pub ops: Vec<&'a OpSummary>,
    pub runtime_s: f64,
    pub samples: RateSeries,
    pub percentiles: &'a [f64],
    pub shown: Shown,
    pub form: Form,
}

pub(super) fn value(of: &Direction<'_>) -> Value {
    let total = |field: fn(&OpSummary) -> u64| of.ops.iter().map(|o| field(o)).sum::<u64>();
    let (ios, bytes) = (total(|o| o.ios), total(|o| o.bytes));
    // As fio has it: over whole milliseconds, which a reader finds beside them.
    let runtime_ms = if ios > 0 {
        milliseconds(of.runtime_s)
    } else {
        0
    };
    let rate = |n: u64| match runtime_ms {
        0 => 0.0,
        ms => n as f64 * 1e3 / ms as f64,
    };
    let merged = |field: fn(&OpSummary) -> &Histogram| {
        let mut all = Histogram::new();
        of.ops.iter().for_each(|o| all.merge(field(o)));
        all
    };
    let (service, response) = (merged(|o| &o.service), merged(|o| &o.response));
    let percentiles = |asked: bool| asked.then_some(of.percentiles);
    let (bw, iops) = (of.samples.kib_per_s(), of.samples.iops());
    json!({
        "io_bytes": bytes, "io_kbytes": bytes >> 10,
        "bw_bytes": rate(bytes) as u64, "bw": (rate(bytes) / 1024.0) as u64, "iops": rate(ios),
        "runtime": runtime_ms, "total_ios": ios,
        "short_ios": 0, "drop_ios": total(|o| o.errors),
        "slat_ns": times::empty(),
        "clat_ns": times::of(&service, percentiles(of.shown.clat_percentiles), of.form),
        "lat_ns": times::of(&response, percentiles(of.shown.lat_percentiles), of.form),
        "bw_min": bw.least as u64, "bw_max": bw.most as u64,
        "bw_agg": if ios > 0 { 100.0 } else { 0.0 },
        "bw_mean": bw.mean, "bw_dev": bw.deviation, "bw_samples": bw.samples,
        "iops_min": iops.least as u64, "iops_max": iops.most as u64,
        "iops_mean": iops.mean, "iops_stddev": iops.deviation, "iops_samples": iops.samples,
    })
}
