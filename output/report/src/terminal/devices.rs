//! The devices below targets, as the kernel counts them: a line for each where there are several, such as the columns of a stripe.

use super::style::Style;
use super::table::{Column, Table};
use crate::human;
use plimsoll_evidence::witnessed::DeviceUse;
use plimsoll_evidence::{StepEvidence, Witnessed};

/// The table; empty where no step had several devices that did anything.
pub(super) fn devices(steps: &[&StepEvidence], style: &Style) -> String {
    let mut table = Table::new(vec![
        Column::text("step"),
        Column::text("device"),
        Column::number("reads/s"),
        Column::number("read").droppable(1),
        Column::number("read mean"),
        Column::number("writes/s"),
        Column::number("written").droppable(1),
        Column::number("write mean"),
    ]);
    let mut lines = 0;
    for step in steps {
        let Some(seen) = &step.witnessed else {
            continue;
        };
        let busy = seen.devices.iter().filter(|d| d.reads + d.writes > 0);
        let busy: Vec<&DeviceUse> = busy.collect();
        for device in busy.iter().filter(|_| busy.len() > 1) {
            table.row(cells(step, seen, device), None);
            lines += 1;
        }
    }
    match lines {
        0 => String::new(),
        _ => format!("\ndevices, as the kernel counts:\n{}", table.render(style)),
    }
}

fn cells(step: &StepEvidence, seen: &Witnessed, device: &DeviceUse) -> Vec<String> {
    let rate = |count: u64| seen.per_second(count).filter(|_| count > 0);
    let said = |count: u64| rate(count).map(human::rate).unwrap_or_default();
    let moved = |bytes: u64| {
        let bytes = rate(bytes).map(|b| format!("{}/s", human::bytes(b as u64)));
        bytes.unwrap_or_default()
    };
    let mean = |ms: u64, count: u64| match count {
        0 => String::new(),
        _ => human::time(ms as f64 * 1e6 / count as f64),
    };
    vec![
        step.name.clone(),
        device.name.clone(),
        said(device.reads),
        moved(device.read_bytes),
        mean(device.read_ms, device.reads),
        said(device.writes),
        moved(device.written_bytes),
        mean(device.write_ms, device.writes),
    ]
}

/// Two seconds: 100 reads of 4 KiB in 50 ms together, and one device that did nothing.
#[test]
fn devices_that_did_anything_have_a_line_each_where_there_are_several() {
    let table = |names: &[&str]| {
        let of = |name: &str| DeviceUse {
            name: name.into(),
            reads: 100,
            read_bytes: 409_600,
            read_ms: 50,
            ..DeviceUse::default()
        };
        let idle = DeviceUse {
            name: "idle".into(),
            ..DeviceUse::default()
        };
        let mut step = StepEvidence::new(1, "x");
        step.witnessed = Some(Witnessed {
            observed_s: 2.0,
            devices: names.iter().map(|name| of(name)).chain([idle]).collect(),
            ..Witnessed::default()
        });
        devices(&[&step], &Style::plain(200))
    };
    assert_eq!(table(&["sda"]), "");
    let both = table(&["sda", "sdb"]);
    let line = both.lines().find(|line| line.contains("sdb"));
    let words: Vec<&str> = line.expect("a line").split_whitespace().collect();
    assert_eq!(words, ["x", "sdb", "50.0", "200", "KiB/s", "500us"]);
    assert!(!both.contains("idle"));
}
