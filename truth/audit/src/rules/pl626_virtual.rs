use crate::{HostAnswer, HostView, Symptom};
use plimsoll_evidence::{hypervisor_flag, virtual_machine};

rule! {
    626 "host-virtual" Host(check) NOTE pitfalls [] {
        summary: "The host is a virtual machine.",
        why: "The hypervisor shares out CPUs and storage, keeps caches and sets limits that no guest can see.",
        threshold: "The CPU has the hypervisor's flag, /sys/hypervisor names one, or the firmware's tables do and the CPU does not deny it.",
        source: "The hypervisor bit of CPUID, leaf 1.",
        example: "105,000 I/Os a second that fell to 31,000 within a run, while the array's own latency was flat.",
        remedy: "Pin the guest's CPUs and give it memory of its own; test on bare metal what is claimed of a device.",
    }
    fires: |h| h.insert("/proc/cpuinfo", "flags : fpu hypervisor"),
}

fn check(view: &HostView<'_>) -> HostAnswer {
    let text = |path: &str| view.host.text(path).map(str::to_string);
    let flag = text("/proc/cpuinfo").and_then(|cpus| hypervisor_flag(&cpus));
    let mut answer = HostAnswer::default();
    let kind = match virtual_machine(text) {
        None if flag.is_none() => {
            answer.miss("/proc/cpuinfo");
            return answer;
        }
        kind => kind,
    };
    answer.look(kind.map(|kind| {
        Symptom::new(
            "",
            match kind.contains("Dom0") {
                true => format!("it is no guest but {kind}"),
                false => format!("it is one: {kind}"),
            },
        )
        .wanted("bare metal, or pinned CPUs", "systemd-detect-virt")
    }));
    answer
}
