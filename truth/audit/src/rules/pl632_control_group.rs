use crate::{HostAnswer, HostView, Symptom};

rule! {
    632 "host-control-group" Host(check) SUSPECT pitfalls [53] {
        summary: "A control group limits what is started here.",
        why: "A limit of I/O looks like an array's ceiling, flat and exact; one of CPU time like storage that stands still for parts of each tenth of a second.",
        threshold: "A cpu.max below the CPUs that are online, or any io.max (blkio.throttle) on the devices, of the group that the doctor was started in or of one above it.",
        source: "cgroup-v2 of the kernel's documentation.",
        example: "A container with cpu.max 200000 100000 on 16 CPUs: 60,000 I/Os a second, whatever the disk.",
        remedy: "Start the load outside of the group, or lift its limits (systemctl set-property UNIT CPUQuota= IOReadIOPSMax=).",
    }
    fires: |h| {
        h.insert(LIMITS, "io sdx riops=1000");
    },
    clean: |h| h.insert(LIMITS, ""),
}

/// What the group's files say, a line for each limit: `cpu 2.5`, `io sda riops=1000`.
const LIMITS: &str = "/commands/limits of the control group";

fn check(view: &HostView<'_>) -> HostAnswer {
    const COMMAND: &str = "cat /proc/self/cgroup";
    HostAnswer::of_file(view, LIMITS, |text| {
        let cpus = view.host.cpus_online()? as f64;
        let mut found = Vec::new();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("cpu", most)) => {
                    let most: f64 = most.parse().ok()?;
                    let seen = format!("{most} of {cpus} CPUs' time");
                    let limited = most < cpus;
                    found.extend(
                        limited.then(|| Symptom::new("", seen).wanted("all of it", COMMAND)),
                    );
                }
                Some(("io", limit)) => {
                    let (device, what) = limit.split_once(' ')?;
                    let below = view.devices.iter().any(|d| d == device);
                    let seen = format!("I/O limited to {what}");
                    found.extend(
                        below.then(|| Symptom::new(device, seen).wanted("no limit", COMMAND)),
                    );
                }
                _ => return None,
            }
        }
        Some(found)
    })
}
