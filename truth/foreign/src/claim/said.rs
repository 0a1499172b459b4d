//! Remarks on a claim: what it was taken for, what its numbers come to, and what it leaves out.

use super::gather::Gathered;
use super::port::{Ports, busier_direction};
use crate::model::{InputPlace, Remark, Row, Run};
use plimsoll_evidence::wording::{rate, time};
use plimsoll_plan::Bytes;
use plimsoll_printable::human;

/// A claim's name: its rate, or its bandwidth, and its mean; none where it says neither.
pub(super) fn name(
    iops: Option<f64>,
    bandwidth: Option<Bytes>,
    mean: Option<f64>,
) -> Option<String> {
    let of = iops.map(rate).or_else(|| bandwidth.map(per_second))?;
    Some(match mean {
        Some(mean) => format!("{of} at {}", time(mean)),
        None => of,
    })
}

fn per_second(Bytes(bytes): Bytes) -> String {
    format!("{}/s", human::bytes(bytes))
}

/// A remark for each claim, and one for what nothing was made of.
pub(super) fn remarks(runs: &[Run], said: &Gathered) -> Vec<Remark> {
    let at = InputPlace { source: 0, line: 1 };
    let aside: Vec<String> = said.aside.iter().map(|ns| time(*ns)).collect();
    let others = [
        (
            "not judged, as it is a bound, or of what it is is not said",
            &aside,
        ),
        ("not understood, and so not judged", &said.unread),
    ];
    let others = others.into_iter().filter(|(_, all)| !all.is_empty());
    let others = others.map(|(why, all)| format!("{why}: {}", all.join(" ")));
    let texts = runs.iter().map(about).chain(others);
    texts.map(|text| Remark { at, text }).collect()
}

fn about(run: &Run) -> String {
    let mut text = format!("`{}`", run.name);
    let Some(claimed) = &run.claimed else {
        return text;
    };
    let parts = claimed.parts;
    let each = run.whole().and_then(Row::iops).filter(|_| parts > 1);
    let each = each.map(|all| format!("{parts} x {}", rate(all / parts as f64)));
    let mut read: Vec<String> = each.into_iter().collect();
    read.extend(run.asked.block.iter().map(|(block, _)| block.to_string()));
    read.extend(run.asked.read_share.map(|share| match share {
        1.0 => "reads".to_string(),
        0.0 => "writes".to_string(),
        share => format!("{} reads", human::percent(share)),
    }));
    read.extend(
        claimed
            .slots
            .iter()
            .map(|slots| match slots.words.contains(" x ") {
                true => format!("{} = {} slots", slots.words, human::count(slots.most)),
                false => slots.words.clone(),
            }),
    );
    read.extend(claimed.ports.iter().map(|p| match p.count {
        1 => format!("1 port of {}", p.what),
        n => format!("{n} x {}", p.what),
    }));
    if !read.is_empty() {
        text += &format!(" with {}", read.join(", "));
    }
    text += &comes_to(run);
    let missing = missing(run);
    if !missing.is_empty() {
        text += &format!(" Not said: {}.", missing.join(", "));
    }
    text
}

/// Sentence on what the numbers come to.
fn comes_to(run: &Run) -> String {
    let (Some(claimed), Some(row)) = (&run.claimed, run.whole()) else {
        return String::new();
    };
    let mut says = Vec::new();
    if let Some(in_flight) = row.in_flight() {
        let asked = run
            .asked
            .in_flight
            .map_or(String::new(), |n| format!(", {} possible", human::count(n)));
        says.push(format!("{} I/Os in flight{asked}", human::rate(in_flight)));
    }
    let product = row.iops().zip(run.asked.block);
    let product = product.map(|(iops, (block, _))| Bytes((iops * block.0 as f64) as u64));
    if let Some(bytes) = product.or(row.bandwidth) {
        let share = run.asked.read_share;
        let of_ports = claimed
            .ports
            .iter()
            .map(|p| of_ports(p, bytes.0 as f64, share));
        says.push(per_second(bytes) + &of_ports.collect::<String>());
    }
    match says.is_empty() {
        true => ".".to_string(),
        false => format!(": {}.", says.join(", ")),
    }
}

/// `, 92% of one direction of the 4 ports`; from half to all of it where the mix is not said.
fn of_ports(ports: &Ports, bytes: f64, read_share: Option<f64>) -> String {
    let percent = |share: f64| human::percent(bytes * share / ports.line);
    let busier = percent(busier_direction(read_share));
    let of = match read_share {
        Some(_) => busier,
        None => format!("{busier} to {}", percent(1.0)),
    };
    let ports = match ports.count {
        1 => "port".to_string(),
        n => format!("{n} ports"),
    };
    format!(", {of} of one direction of the {ports}")
}

/// Facts that a reader would have to know and is not told.
fn missing(run: &Run) -> Vec<String> {
    let asked = &run.asked;
    let row = run.whole();
    let all = [
        (asked.block.is_none(), "the transfer size"),
        (asked.read_share.is_none(), "the mix of reads and writes"),
        (asked.random.is_none(), "random or sequential"),
        (row.is_none_or(|r| r.mean_ns().is_none()), "the mean time"),
        (
            row.is_none_or(|r| r.all.latency.percentiles.is_empty()),
            "percentiles",
        ),
        (asked.in_flight.is_none(), "how many I/Os were out"),
        (asked.target_size.is_none(), "how large the area was"),
        (asked.duration_s.is_none(), "how long it went on"),
        (
            run.claimed.as_ref().is_none_or(|c| c.hits.is_none()),
            "how much a cache answered",
        ),
    ];
    let all = all.into_iter().filter(|(missing, _)| *missing);
    all.map(|(_, what)| what.to_string()).collect()
}
