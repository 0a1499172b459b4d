//! The host is a virtual machine.

use crate::{Check, HostAnswer, HostView, NOTE, Page, Rule, Severities, Symptom};

pub const RULE: Rule = Rule {
    number: 626,
    name: "host-virtual",
    summary: "The host is a virtual machine.",
    severity: Severities::all(NOTE),
    pitfalls: &[],
    page: Page {
        why: "The hypervisor shares out CPUs and storage, keeps caches and sets limits that no guest can see.",
        threshold: "The CPU has the hypervisor's flag, or /sys/hypervisor names one.",
        source: "The hypervisor bit of CPUID, leaf 1.",
        example: "105,000 I/Os a second that fell to 31,000 within a run, while the array's own latency was flat.",
        remedy: "Pin the guest's CPUs and give it memory of its own; test on bare metal what is claimed of a device.",
    },
    check: Check::Host(check),
};

fn check(view: &HostView<'_>) -> HostAnswer {
    let named = view.host.text("/sys/hypervisor/type");
    let flags = view
        .host
        .text("/proc/cpuinfo")
        .and_then(|text| text.lines().find(|line| line.starts_with("flags")));
    let mut answer = HostAnswer::default();
    let flagged = flags.map(|line| line.split_whitespace().any(|flag| flag == "hypervisor"));
    let kind = match (named, flagged) {
        (Some(name), _) if !name.is_empty() => Some(name),
        (_, Some(true)) => Some("a hypervisor"),
        (_, Some(false)) => None,
        _ => {
            answer.miss("/proc/cpuinfo");
            return answer;
        }
    };
    answer.look(kind.map(|kind| {
        Symptom::new(
            "",
            format!("under {kind}"),
            "bare metal, or pinned CPUs",
            "systemd-detect-virt",
        )
    }));
    answer
}

#[cfg(test)]
pub const KNOWN: crate::known::Known = crate::known::Known::Host {
    fires: |h| h.insert("/proc/cpuinfo", "flags : fpu hypervisor"),
    clean: |h| h.insert("/irrelevant", ""),
};
