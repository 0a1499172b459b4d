use crate::{RuleAnswer, RuleFinding, RunView, applies, findings};

rule! {
    304 "virtual-host" Run(check) NOTE pitfalls [49, 58] {
        summary: "The host is a virtual machine or a container.",
        why: "Below a guest lie its hypervisor's queues, caches and limits, and other guests. What is measured is all of \
            them together.",
        threshold: "The host says that it is a guest.",
        source: "CPUID, DMI and cgroups, as systemd-detect-virt has them.",
        example: "A virtual disk whose file lies in the page cache of its host: 300,000 reads/s from a SATA disk.",
        remedy: "State it with the result; for claims on a device measure on bare metal.",
    }
    fires: |o| o.environment.host.virtualization = Some("KVM".into()),
}

fn check(view: &RunView<'_>) -> RuleAnswer {
    applies(view.is_real())?;
    let hosts = view
        .environment
        .hosts()
        .filter_map(|h| h.virtualization.as_deref());
    findings(hosts.map(|what| {
        RuleFinding::new(format!("The host is a guest: {what}.")).text("virtualization", what)
    }))
}
