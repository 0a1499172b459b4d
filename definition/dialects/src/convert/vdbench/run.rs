//! Steps and curves as rds.

use super::Missing;
use super::general::command;
use super::names::Names;
use super::storage::Storage;
use super::workload::one_or_list;
use crate::convert::toml::number;
use plimsoll_plan::{Arrival, Bytes, Item, Load, NO_TIME_LIMIT, Nanos, Purpose, Step};

/// The rd of an item.
pub(super) fn line(
    item: &Item,
    step: &Step,
    workloads: &[String],
    storages: &[Storage],
    names: &mut Names,
    missing: &mut Missing,
) -> String {
    // Sisters of a loop have one name in Vdbench; here each is its own run.
    let mut parts = vec![
        format!("rd={}", names.free("rd", &step.name)),
        one_or_list("wd", workloads.iter().cloned()),
    ];
    let gaps = load(item, step, &mut parts, missing);
    arrivals(step, gaps, &mut parts, missing);
    threads(step, storages, &mut parts, missing);
    times(step, &mut parts, missing);
    limits(step, &mut parts, missing);
    for (word, key, all) in [
        ("startcmd", "start_commands", &step.start_commands),
        ("endcmd", "end_commands", &step.end_commands),
    ] {
        match command(word, all) {
            Ok(part) => parts.extend(part),
            Err(what) => missing.of_step(step, key, what, "write a script"),
        }
    }
    if !step.actions.is_empty() {
        missing.of_step(
            step,
            "actions",
            "what is done while it runs",
            "leave it out",
        );
    }
    if step.workers.pin.is_some() {
        missing.of_step(step, "pin", "CPUs of its own", "leave it out");
    }
    if step.purpose == Purpose::Fill {
        missing.of_step(
            step,
            "purpose",
            "a fill of some targets",
            "fill all of them, first of all",
        );
    }
    parts.join(",")
}

/// How much is asked for; returns the gaps.
fn load(
    item: &Item,
    step: &Step,
    parts: &mut Vec<String>,
    missing: &mut Missing,
) -> Option<Arrival> {
    if let Item::Curve(curve) = item {
        let percents: Vec<String> = curve.percents.iter().map(u32::to_string).collect();
        parts.push(format!("iorate=curve,curve=({})", percents.join(",")));
        if let Some(most) = curve.stop_service {
            parts.push(format!("stopcurve={}", number(most.0 as f64 / 1e6)));
        }
        return Some(curve.arrival);
    }
    match &step.load {
        Load::Max | Load::MaxShared => {
            parts.push("iorate=max".to_string());
            None
        }
        Load::Rate { rate, arrival } => {
            parts.push(format!("iorate={}", number(rate.0)));
            Some(*arrival)
        }
        Load::PercentOfLast { percent, arrival } => {
            parts.push(format!("iorate=({}%)", number(*percent)));
            Some(*arrival)
        }
        Load::Schedule { segments, arrival } => {
            let each = segments
                .iter()
                .map(|s| format!("{},{}", number(s.rate.0), number(s.length.as_secs_f64())));
            let each: Vec<String> = each.collect();
            parts.push(format!("distribution=variable,iorate=({})", each.join(",")));
            if *arrival != Arrival::Exponential {
                let what = "rates one after the other with even or uniform gaps";
                missing.of_step(step, "arrival", what, "write arrival = \"exponential\"");
            }
            None
        }
    }
}

/// The gaps of all rates of the run.
fn arrivals(step: &Step, gaps: Option<Arrival>, parts: &mut Vec<String>, missing: &mut Missing) {
    let rates = step.streams.iter().filter(|s| s.fixed_rate.is_some());
    let mut own = rates.map(|s| s.arrival);
    let of_rates = own.next();
    let mixed = of_rates.is_some_and(|first| own.any(|other| other != first));
    let wanted = match (gaps, of_rates.flatten()) {
        (Some(gaps), Some(own)) if gaps != own => None,
        (gaps, own) => Some(gaps.or(own).unwrap_or_default()),
    };
    let Some(wanted) = wanted.filter(|_| !mixed) else {
        let what = "gaps that differ from workload to workload";
        return missing.of_step(step, "arrival", what, "write one kind for all");
    };
    match wanted {
        Arrival::Exponential => {}
        Arrival::Uniform => parts.push("distribution=uniform".to_string()),
        Arrival::Even => parts.push("distribution=deterministic".to_string()),
    }
}

/// Slots, where an sd does not say them for all runs.
fn threads(step: &Step, storages: &[Storage], parts: &mut Vec<String>, missing: &mut Missing) {
    let used: Vec<(u64, Option<u32>)> = step
        .depths
        .iter()
        .map(|d| {
            (
                step.depth_of(d.target),
                storages[d.target.0 as usize].threads,
            )
        })
        .collect();
    if used.iter().all(|(_, threads)| threads.is_some()) {
        return;
    }
    let first = used.first().map_or(1, |(slots, _)| *slots);
    match used.iter().all(|(slots, _)| *slots == first) {
        true => parts.push(format!("threads={first}")),
        false => missing.of_step(
            step,
            "depth",
            "depths that differ from target to target and from run to run",
            "write one depth for all targets of a run",
        ),
    }
}

/// Vdbench cuts times to whole seconds without a word, and takes whole intervals only, two of them at least.
fn times(step: &Step, parts: &mut Vec<String>, missing: &mut Missing) {
    const SECOND: u64 = 1_000_000_000;
    if step.elapsed >= NO_TIME_LIMIT {
        missing.of_step(step, "for", "that no time ends it", "give it a time");
    } else if step.elapsed.0 / step.interval.0.max(1) < 2 {
        let what = "a time of fewer than two intervals";
        let remedy = "write a longer time, or a shorter interval";
        missing.of_step(step, "for", what, remedy);
    }
    let mut time = |key: &str, field: &str, noun: &str, value: Nanos, in_intervals: bool| {
        parts.push(format!("{key}={}", number(value.as_secs_f64())));
        if !value.0.is_multiple_of(SECOND) {
            let what = format!("{noun} of {value}");
            missing.of_step(step, field, what, "write whole seconds");
        } else if in_intervals && !value.0.is_multiple_of(step.interval.0.max(1)) {
            let what = format!("{noun} of {value} in intervals of {}", step.interval);
            missing.of_step(step, field, what, "write a multiple of the interval");
        }
    };
    let ends = step.elapsed < NO_TIME_LIMIT;
    time("elapsed", "for", "a time", step.elapsed, ends);
    time("interval", "interval", "an interval", step.interval, false);
    if step.warmup.0 > 0 {
        time("warmup", "warmup", "a warm-up", step.warmup, true);
    }
    if step.pause.0 > 0 {
        time("pause", "pause", "a pause", step.pause, false);
    }
}

fn limits(step: &Step, parts: &mut Vec<String>, missing: &mut Missing) {
    let limits = &step.limits;
    if limits.ios.is_some() || limits.overwrites.is_some() {
        let what = "a number of I/Os that ends it";
        missing.of_step(step, "limits", what, "write bytes, read or written");
    }
    let mut bytes = |key: &str, value: Option<Bytes>| {
        // Up to 100 Vdbench takes it for a multiple of the storage's size.
        let Some(value) = value else {
            return;
        };
        match value.0 > 100 {
            true => parts.push(format!("{key}={}", value.0)),
            false => missing.of_step(step, "limits", "a limit of up to 100 bytes", "write more"),
        }
    };
    bytes("maxdata", limits.bytes);
    bytes("maxdataread", limits.read_bytes);
    bytes("maxdatawritten", limits.written_bytes);
}
