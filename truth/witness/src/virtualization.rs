//! Whether this is a virtual machine or a container, as far as it shows.

use crate::Root;

/// Product and vendor words of the firmware's tables, and what they mean.
const FIRMWARE: &[(&str, &str)] = &[
    ("firecracker", "Firecracker"),
    ("qemu", "QEMU"),
    ("kvm", "KVM"),
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("xen", "Xen"),
    ("microsoft corporation", "Hyper-V"),
    ("amazon ec2", "Amazon EC2"),
    ("google", "Google Compute Engine"),
    ("openstack", "OpenStack"),
    ("nutanix", "Nutanix"),
    ("bochs", "Bochs"),
    ("parallels", "Parallels"),
    ("bhyve", "bhyve"),
];

/// `VMware`, `container (docker)`, `KVM, container (lxc)`; `None` where nothing shows.
pub fn detect(root: &Root) -> Option<String> {
    let found: Vec<String> = [machine(root), container(root)]
        .into_iter()
        .flatten()
        .collect();
    (!found.is_empty()).then(|| found.join(", "))
}

fn machine(root: &Root) -> Option<String> {
    let kind = root.word("/sys/hypervisor/type");
    let firmware: String = ["sys_vendor", "product_name", "board_vendor", "bios_vendor"]
        .iter()
        .filter_map(|name| root.word(format!("/sys/class/dmi/id/{name}")))
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    // EC2's bare-metal hosts carry the same vendor; only the CPU's own flag tells them from guests.
    let flag = has_hypervisor_flag(root);
    let named = FIRMWARE
        .iter()
        .find(|(word, _)| firmware.contains(word))
        .map(|(_, name)| (*name).to_string());
    match (named, kind) {
        (Some(name), _) if flag != Some(false) => Some(name),
        (_, Some(kind)) => Some(kind),
        _ if flag == Some(true) => Some("virtual machine".to_string()),
        _ => None,
    }
}

/// The bit that hypervisors set in CPUID; `None` where the architecture shows no such flag.
fn has_hypervisor_flag(root: &Root) -> Option<bool> {
    let text = root.text("/proc/cpuinfo")?;
    let flags = text.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn container(root: &Root) -> Option<String> {
    let environment = root.bytes("/proc/1/environ").unwrap_or_default();
    let named = environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(b"container="))
        .map(|name| String::from_utf8_lossy(name).into_owned());
    let kind = named
        .or_else(|| root.has("/run/.containerenv").then(|| "podman".to_string()))
        .or_else(|| root.has("/.dockerenv").then(|| "docker".to_string()))
        .or_else(|| by_control_group(&root.text("/proc/1/cgroup").unwrap_or_default()))?;
    Some(format!("container ({kind})"))
}

fn by_control_group(text: &str) -> Option<String> {
    ["docker", "kubepods", "lxc", "containerd", "libpod"]
        .iter()
        .find(|word| text.contains(*word))
        .map(|word| (*word).to_string())
}
