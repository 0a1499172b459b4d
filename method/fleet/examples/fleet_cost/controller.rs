//! The controller of a real run: it gathers, divides, merges, judges and records as `plimsoll run --hosts all` does.

use crate::plan::plan;
use plimsoll_fleet::{Crew, CrewOptions, LEASE, Nats, NatsOptions, OnLost, drawn_id, now_ns};
use plimsoll_rig::{Control, Event, RunOptions};
use std::path::PathBuf;
use std::time::Duration;

/// Progress of the step, as the controller saw it.
#[derive(Default)]
struct Seen {
    /// (when it was whole here, its nominal end from the step's start, its I/Os), by interval; ns.
    whole: Vec<(u64, u64, u64)>,
    cpu_at_first: Option<f64>,
    cpu_at_last: f64,
    start_ns: u64,
    hosts: usize,
}

/// Carries out the step by all agents that are there, and prints what it took as JSON.
pub fn run(url: &str, seconds: u32, record: PathBuf) -> Result<(), String> {
    let options = NatsOptions {
        url: url.into(),
        ..NatsOptions::default()
    };
    let wire = Nats::connect(&options, "controller").map_err(|e| e.to_string())?;
    let control = Control::default();
    let all = CrewOptions {
        hosts: Vec::new(),
        lease: LEASE,
        on_lost: OnLost::Stop,
        wait: Duration::from_secs(5),
        server: options.clone(),
    };
    let crew = Crew::gather(Box::new(wire), &drawn_id(), all, None, &control)
        .map_err(|e| e.to_string())?;
    let hosts = crew.names().len();
    let how = RunOptions {
        record: Some(record),
        no_settle: true,
        ..RunOptions::default()
    };
    let mut seen = Seen::default();
    plimsoll_rig::run_by(
        Box::new(crew),
        &plan(hosts as u32, seconds),
        &how,
        &control,
        &mut |event| seen.hear(&event),
    )
    .map_err(|e| e.to_string())?;
    println!("{}", seen.as_json());
    Ok(())
}

impl Seen {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Interval { interval, .. } => {
                let end = interval.start_ns + interval.length_ns;
                let ops = interval.stats.streams.iter().flat_map(|s| &s.ops);
                self.whole
                    .push((now_ns(), end, ops.map(|op| op.ios).sum::<u64>()));
                self.cpu_at_last = cpu_s();
                self.cpu_at_first.get_or_insert(self.cpu_at_last);
            }
            Event::StepDone { evidence, .. } => {
                self.hosts = evidence.hosts.len();
                let starts = evidence.hosts.iter().map(|h| h.start.at_ns);
                self.start_ns = starts.min().unwrap_or(0);
            }
            Event::Note(note) => eprintln!("{note}"),
            _ => {}
        }
    }

    /// From the first interval to the last, so that gathering and the end are not in the rate of CPU time.
    fn as_json(&self) -> serde_json::Value {
        let between = match (self.whole.first(), self.whole.last()) {
            (Some(first), Some(last)) => (last.0 - first.0) as f64 / 1e9,
            _ => 0.0,
        };
        let late = |(at, end, _): &(u64, u64, u64)| at.saturating_sub(self.start_ns + end);
        let ios: Vec<u64> = self.whole.iter().map(|w| w.2).collect();
        serde_json::json!({
            "hosts": self.hosts,
            "ios": ios,
            "between_s": between,
            "cpu_s": self.cpu_at_last - self.cpu_at_first.unwrap_or(0.0),
            "memory_mib": memory_mib(),
            "late_max_s": self.whole.iter().map(late).max().unwrap_or(0) as f64 / 1e9,
        })
    }
}

/// CPU time of this process so far, s.
fn cpu_s() -> f64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// The most memory that this process has had, MiB; `None` where the host does not say.
fn memory_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}
