//! The status in Prometheus' text format (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

use crate::status::{Core, Path, Status};
use plimsoll_array::counters::Requests;
use plimsoll_array::masking::ExportState;
use plimsoll_printable::metrics::Metrics;
use std::fmt::Display;

/// Metrics of the lab, whose names all begin alike.
#[derive(Default)]
struct Text(Metrics);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) -> &mut Self {
        self.0.family(&format!("{PREFIX}{name}"), kind, help);
        self
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) -> &mut Self {
        self.0.sample(&format!("{PREFIX}{name}"), labels, value);
        self
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help).value(name, &[], value);
    }
}

const PREFIX: &str = "plimsoll_lab_";

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// All metrics.
pub(super) fn text(status: &Status) -> String {
    let mut text = Text::default();
    let about = [("persona", status.persona.as_str())];
    text.family("info", "gauge", "The array.")
        .value("info", &about, 1);
    text.single(
        "scale",
        "gauge",
        "What its parameters were divided by.",
        status.scale,
    );
    let uptime = seconds(status.now_ns);
    text.single("uptime_seconds", "gauge", "Time since the start.", uptime);
    front_end(&mut text, status);
    back_end(&mut text, status);
    cores(&mut text, status);
    ports_and_media(&mut text, status);
    journal_and_space(&mut text, status);
    luns(&mut text, status);
    paths(&mut text, status);
    exports(&mut text, status);
    itself(&mut text, status);
    text.0.into_text()
}

fn front_end(text: &mut Text, status: &Status) {
    let front = &status.front_end;
    let ops = [
        ("read", front.reads),
        ("write", front.writes),
        ("trim", front.trims),
        ("zero", front.zeroes),
        ("flush", front.flushes),
    ];
    let mut each = |name: &str, help: &str, of: fn(&Requests) -> f64| {
        text.family(name, "counter", help);
        for (op, count) in &ops {
            text.value(name, &[("op", op)], of(count));
        }
    };
    each("requests_total", "Requests of hosts.", |c| c.count as f64);
    each("bytes_total", "Their bytes.", |c| c.bytes as f64);
    each("array_seconds_total", "How long the array had them.", |c| {
        seconds(c.array_ns)
    });
    text.single(
        "failed_total",
        "counter",
        "Requests that failed.",
        front.failed,
    );
}

fn back_end(text: &mut Text, status: &Status) {
    let name = "media_requests_total";
    text.family(name, "counter", "Requests to flash and disk.")
        .value(name, &[("op", "read")], status.back_end.reads)
        .value(name, &[("op", "write")], status.back_end.writes);
    if let Some(amplification) = status.back_end.write_amplification {
        let help = "What the flash writes for each page that it is given.";
        text.single("write_amplification", "gauge", help, amplification);
    }
    for (name, help, shares) in [
        (
            "read_source_chunks_total",
            "Chunks read, by where they were found.",
            &status.read_source,
        ),
        (
            "write_destination_chunks_total",
            "Chunks written, by where they went.",
            &status.write_destination,
        ),
    ] {
        text.family(name, "counter", help);
        for (place, chunks) in shares {
            text.value(name, &[("place", place.as_str())], chunks);
        }
    }
    let pages = (status.back_end.pages_written).zip(status.back_end.pages_moved);
    if let Some((written, moved)) = pages {
        let help = "Pages that hosts wrote to flash.";
        text.single("flash_pages_written_total", "counter", help, written);
        let help = "Pages that were moved to make room.";
        text.single("flash_pages_moved_total", "counter", help, moved);
    }
}

fn cores(text: &mut Text, status: &Status) {
    let mut each = |name: &str, help: &str, of: fn(&Core) -> u64| {
        text.family(name, "counter", help);
        for (i, core) in status.cores.iter().enumerate() {
            let (number, controller) = (i.to_string(), core.controller.to_string());
            let labels = [("core", &*number), ("controller", &*controller)];
            text.value(name, &labels, seconds(of(core)));
        }
    };
    let help = "Work done by each core.";
    each("core_busy_seconds_total", help, |c| c.busy_ns);
    let help = "Work taken by each core, with what still waits.";
    each("core_taken_seconds_total", help, |c| c.taken_ns);
    let help = "Of the work taken, what only the owner of an address can do.";
    each("core_owner_seconds_total", help, |c| c.owner_ns);
}

fn ports_and_media(text: &mut Text, status: &Status) {
    let name = "port_busy_seconds_total";
    text.family(name, "counter", "Work done by each front-end port.");
    for (i, port) in status.ports.iter().enumerate() {
        let labels = [("port", &*i.to_string()), ("name", &*port.name)];
        text.value(name, &labels, seconds(port.busy_ns));
    }
    let name = "media_units";
    text.family(name, "gauge", "Flash dies and disks.");
    for media in &status.media {
        text.value(name, &[("kind", media.kind)], media.count);
    }
    let name = "media_busy_seconds_total";
    text.family(name, "counter", "Work done by all of a kind.");
    for media in &status.media {
        text.value(name, &[("kind", media.kind)], seconds(media.busy_ns));
    }
}

fn journal_and_space(text: &mut Text, status: &Status) {
    if let Some(journal) = &status.journal {
        text.single(
            "journal_fill_bytes",
            "gauge",
            "Bytes in the journal.",
            journal.fill,
        );
        let help = "Bytes that fit into the journal.";
        text.single("journal_capacity_bytes", "gauge", help, journal.capacity);
        let waited = seconds(journal.waited_ns);
        text.single(
            "journal_wait_seconds_total",
            "counter",
            "How long writes waited for room.",
            waited,
        );
    }
    let space = &status.space;
    text.single(
        "new_bytes_total",
        "counter",
        "New data, before compression.",
        space.new_bytes,
    );
    text.single(
        "stored_bytes_total",
        "counter",
        "What it takes.",
        space.stored_bytes,
    );
    let help = "Different chunks that are held.";
    text.single("distinct_chunks", "gauge", help, space.distinct_chunks);
}

fn luns(text: &mut Text, status: &Status) {
    let mut each = |name: &str, kind: &str, help: &str, of: &dyn Fn(usize) -> u64| {
        text.family(name, kind, help);
        for (i, lun) in status.luns.iter().enumerate() {
            text.value(name, &[("lun", &lun.export)], of(i));
        }
    };
    let luns = &status.luns;
    each("lun_reads_total", "counter", "Reads of each LUN.", &|i| {
        luns[i].reads.count
    });
    each("lun_writes_total", "counter", "Writes of each LUN.", &|i| {
        luns[i].writes.count
    });
    each(
        "lun_mapped_bytes",
        "gauge",
        "Bytes that were written.",
        &|i| luns[i].mapped_bytes,
    );
    each(
        "lun_working_set_bytes",
        "gauge",
        "Bytes touched in two minutes.",
        &|i| luns[i].working_set.union,
    );
    each("lun_snapshots", "gauge", "Snapshots.", &|i| {
        luns[i].snapshots as u64
    });
}

fn paths(text: &mut Text, status: &Status) {
    let number = |i: usize| (i.to_string(), status.paths[i].port_number.to_string());
    let name = "path_up";
    text.family(name, "gauge", "1 where a path works.");
    for (i, path) in status.paths.iter().enumerate() {
        let works = matches!(path.state, "up" | "slow");
        let (path_number, port) = number(i);
        let labels = [
            ("path", &*path_number),
            ("port", &*port),
            ("state", path.state),
        ];
        text.value(name, &labels, u8::from(works));
    }
    let mut each = |name: &str, help: &str, of: fn(&Path) -> u64| {
        text.family(name, "counter", help);
        for (i, path) in status.paths.iter().enumerate() {
            let (path_number, port) = number(i);
            text.value(name, &[("path", &*path_number), ("port", &*port)], of(path));
        }
    };
    each("path_requests_total", "Requests over each path.", |p| {
        p.requests
    });
    let help = "Requests over each path that were refused or not answered.";
    each("path_failed_total", help, |p| p.failed);
}

fn exports(text: &mut Text, status: &Status) {
    let name = "exports";
    text.family(name, "gauge", "Exports, by how they can be reached.");
    for state in [ExportState::Ha, ExportState::Degraded, ExportState::Down] {
        let count = status.exports.iter().filter(|e| e.status == state).count();
        text.value(name, &[("status", state.name())], count);
    }
}

fn itself(text: &mut Text, status: &Status) {
    let lag = &status.lag;
    let name = "emulation_lag_seconds";
    text.family(name, "summary", "How late replies left, against the model.");
    for (quantile, ns) in [("0.5", lag.p50_ns), ("0.99", lag.p99_ns), ("1", lag.max_ns)] {
        if let Some(ns) = ns {
            text.value(name, &[("quantile", quantile)], seconds(ns));
        }
    }
    text.value("emulation_lag_seconds_sum", &[], seconds(lag.sum_ns));
    text.value("emulation_lag_seconds_count", &[], lag.count);
    let open = status.connections.open.len();
    text.single("connections", "gauge", "Connections that are open.", open);
    let dropped = status.connections.dropped;
    text.single(
        "connections_dropped_total",
        "counter",
        "Connections that were dropped.",
        dropped,
    );
    if let Some(held) = status.space.held_bytes {
        text.single("held_bytes", "gauge", "Memory for data.", held);
    }
}
