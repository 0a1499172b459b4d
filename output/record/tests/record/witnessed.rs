//! What everyone else saw beside the sample's intervals.

use plimsoll_evidence::Witnessed;
use plimsoll_evidence::witnessed::{
    CgroupUse, ClockSteps, CpuUse, DeviceUse, LinkUse, OwnIo, PathSeen, Pressure, RecordKeeping,
    TcpUse, ThreadUse, ZramUse,
};

/// Of one interval.
pub fn witnessed(seed: u64) -> Witnessed {
    Witnessed {
        observed_s: 1.0,
        cpus: vec![CpuUse {
            busy_s: 0.1 + 0.2,
            steal_s: 0.25,
            all_s: 1.0,
            ..CpuUse::default()
        }],
        threads: vec![ThreadUse {
            ran_s: 0.5,
            waited_s: 0.125,
        }],
        pressure: Some(Pressure {
            io_some_s: 0.75,
            ..Pressure::default()
        }),
        cgroup: Some(CgroupUse {
            cpu_limit: Some(0.5),
            throttled_periods: 3,
            throttled_s: 0.1,
            io_limits: vec!["259:0 riops=400".into()],
        }),
        frequency: None,
        clocks: Some(ClockSteps {
            stepped_ns: -7,
            suspended_ns: 0,
            gained_ns: 0,
        }),
        devices: vec![DeviceUse {
            name: "dm-3".into(),
            // As records have them from before it was known that a kernel does not tell.
            discards: Some(0),
            discarded_bytes: Some(0),
            flushes: Some(0),
            flush_ms: Some(0),
            reads: seed,
            read_bytes: seed * 8192,
            in_flight: 16,
            ..DeviceUse::default()
        }],
        paths: vec![PathSeen {
            name: "sdb".into(),
            of: "dm-3".into(),
            state: "running".into(),
            states_before: vec!["offline".into()],
            ..PathSeen::default()
        }],
        zrams: vec![ZramUse {
            name: "zram0".into(),
            same_pages: (0, seed),
            ..ZramUse::default()
        }],
        caches: Vec::new(),
        media: Vec::new(),
        round_trips: Vec::new(),
        links: vec![LinkUse {
            name: "eth0".into(),
            targets: vec!["\"odd\" näme".into()],
            in_bytes: seed,
            speed: Some(1_250_000_000),
            state: "up".into(),
            mtu: 9000,
            ..LinkUse::default()
        }],
        tcp: Some(TcpUse {
            sent: seed,
            sent_again: 2,
            ..TcpUse::default()
        }),
        own: Some(OwnIo {
            read_bytes: seed * 8192,
            ..OwnIo::default()
        }),
        record: Some(RecordKeeping {
            disks: vec!["sda".into()],
            written_bytes: 40_960,
        }),
    }
}
