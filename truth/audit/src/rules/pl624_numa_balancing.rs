use crate::{HostAnswer, HostView, Symptom};

rule! {
    624 "host-numa-balancing" Host(check) SUSPECT pitfalls [] {
        summary: "The kernel moves memory between NUMA nodes by itself.",
        why: "It takes pages away from a process to see who uses them, and an I/O's buffer may be moved while it is out.",
        threshold: "Several NUMA nodes, and numa_balancing is not 0.",
        source: "kernel.numa_balancing in the kernel's sysctl documentation.",
        example: "Two sockets: a second run on the same host differs by 8 %, for where its memory came to lie.",
        remedy: "sysctl kernel.numa_balancing=0, and run with numactl on the node of the adapter.",
    }
    fires: |h| h.insert("/proc/sys/kernel/numa_balancing", "1"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let nodes = view.host.text("/sys/devices/system/node/online");
    match nodes {
        None => {
            let mut answer = HostAnswer::default();
            answer.miss("/sys/devices/system/node/online");
            answer
        }
        Some("0") => HostAnswer::default(),
        Some(nodes) => HostAnswer::of_file(view, "/proc/sys/kernel/numa_balancing", |text| {
            let on = text.parse::<u32>().ok()? != 0;
            Some(on.then(|| {
                Symptom::new("", format!("on, with the nodes {nodes}"))
                    .wanted("0", "sysctl kernel.numa_balancing=0")
            }))
        }),
    }
}
