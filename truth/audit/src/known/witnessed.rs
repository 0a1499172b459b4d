//! What everyone else saw of the sound run: a disk that did what was asked of it, and a host that had nothing else to do.

use super::Observed;
use plimsoll_evidence::witnessed::{
    CacheUse, CgroupUse, ClockSteps, CpuUse, DeviceUse, DriveHealth, Frequency, LinkUse,
    MediaState, OwnIo, Pressure, RecordKeeping, TcpUse, ThreadUse,
};
use plimsoll_evidence::{OpSummary, StepEvidence, StreamSummary, Witnessed};
use plimsoll_measure::{Histogram, Op};

/// The sound step with its operations, all of them reads, and what was seen of them.
pub fn reading(mut step: StepEvidence) -> StepEvidence {
    step.ops = vec![OpSummary {
        op: Op::Read,
        ios: step.ios,
        bytes: step.bytes,
        errors: 0,
        response: Histogram::default(),
        service: Histogram::default(),
    }];
    step.witnessed = Some(sound(&step));
    step
}

fn sound(step: &StepEvidence) -> Witnessed {
    let cpu = CpuUse {
        busy_s: 60.0,
        interrupts_s: 2.0,
        all_s: 600.0,
        ..CpuUse::default()
    };
    let thread = ThreadUse {
        ran_s: 54.0,
        waited_s: 0.3,
    };
    let disk = DeviceUse {
        name: "sdx".into(),
        reads: step.ios,
        read_bytes: step.bytes,
        read_ms: 18_600_000,
        in_flight: 32,
        busy_ms: 600_000,
        queue_ms: 18_600_000,
        ..DeviceUse::default()
    };
    Witnessed {
        observed_s: 600.0,
        cpus: vec![cpu; 16],
        threads: vec![thread; 2],
        pressure: Some(Pressure::default()),
        cgroup: Some(CgroupUse::default()),
        frequency: Some(Frequency {
            governor: Some("performance".into()),
            lowest_khz: Some(2_900_000),
            highest_khz: Some(3_000_000),
            throttled: Some(0),
            ..Frequency::default()
        }),
        clocks: Some(ClockSteps::default()),
        devices: vec![disk],
        caches: vec![CacheUse {
            target: "disk".into(),
            target_bytes: 1 << 40,
            dirty_bytes: Some(0),
            ..CacheUse::default()
        }],
        media: vec![MediaState {
            name: "sdx".into(),
            celsius: Some(41.0),
            celsius_max: Some(43.0),
            celsius_warning: Some(70.0),
            critical_warning: Some(0),
            used: Some(0.1),
            health: Some(DriveHealth {
                spare: 1.0,
                spare_least: 0.1,
                ..DriveHealth::default()
            }),
            disk: None,
        }],
        tcp: Some(TcpUse::default()),
        own: Some(OwnIo {
            asked_read_bytes: step.bytes,
            read_bytes: step.bytes,
            ..OwnIo::default()
        }),
        record: Some(RecordKeeping {
            disks: vec!["sdq".into()],
            written_bytes: 1 << 20,
        }),
        ..Witnessed::default()
    }
}

impl Observed {
    /// Observations of the kernel and the host in the step.
    pub fn witnessed(&mut self) -> &mut Witnessed {
        self.steps[0].witnessed.get_or_insert_default()
    }

    /// The disk's counters.
    pub fn device(&mut self) -> &mut DeviceUse {
        &mut self.witnessed().devices[0]
    }

    /// The kernel's account of this process.
    pub fn own(&mut self) -> &mut OwnIo {
        self.witnessed().own.get_or_insert_default()
    }

    /// A link to the target, of so many bytes a second, by which so many came.
    pub fn link(&mut self, name: &str, speed: u64, in_bytes: u64) {
        self.witnessed().links.push(LinkUse {
            name: name.into(),
            targets: vec!["disk".into()],
            in_bytes,
            speed: Some(speed),
            state: "up".into(),
            mtu: 1500,
            ..LinkUse::default()
        });
    }
}

/// A second target on a disk of its own, `sdy`, with streams on both: `part` of all that was done is on the first.
pub fn on_two_disks(o: &mut Observed, part: f64) {
    let mut second = o.environment.targets[0].clone();
    second.name = "other".into();
    second.stack[0].name = "sdy".into();
    o.environment.targets.push(second);
    let mut planned = o.plan.targets[0].clone();
    planned.name = "other".into();
    o.plan.targets.push(planned);
    let ops = o.step().ops.clone();
    let stream = |target: u32, part: f64| StreamSummary {
        workload: "oltp".into(),
        target,
        ops: ops.iter().map(|op| of_part(op, part)).collect(),
        ..StreamSummary::default()
    };
    o.step().streams = vec![stream(0, part), stream(1, 1.0 - part)];
    let first = o.device().clone();
    let share = |part: f64| DeviceUse {
        reads: (first.reads as f64 * part) as u64,
        read_bytes: (first.read_bytes as f64 * part) as u64,
        read_ms: (first.read_ms as f64 * part) as u64,
        ..first.clone()
    };
    let mut other = share(1.0 - part);
    other.name = "sdy".into();
    o.witnessed().devices = vec![share(part), other];
}

fn of_part(op: &OpSummary, part: f64) -> OpSummary {
    OpSummary {
        ios: (op.ios as f64 * part) as u64,
        bytes: (op.bytes as f64 * part) as u64,
        ..op.clone()
    }
}
