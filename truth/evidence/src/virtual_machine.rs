//! Whether a host is a virtual machine, by the texts of its files. One rule for whoever looks: a run's witness, and the doctor.

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

/// Name of the hypervisor that this host runs on: `VMware`, or `virtual machine` where only the CPU tells; `None` where nothing shows one.
/// `text` gives a file's text by its absolute path.
pub fn virtual_machine(text: impl Fn(&str) -> Option<String>) -> Option<String> {
    let word = |path: &str| {
        text(path)
            .map(|t| t.trim().to_string())
            .filter(|t| !t.is_empty())
    };
    let kind = word("/sys/hypervisor/type");
    // Dom0 sees the real firmware; it is no guest, and the hypervisor schedules its CPUs all the same.
    if word("/proc/xen/capabilities").is_some_and(|all| all.contains("control_d")) {
        return Some("Xen's control domain (Dom0)".to_string());
    }
    let firmware: String = ["sys_vendor", "product_name", "board_vendor", "bios_vendor"]
        .iter()
        .filter_map(|name| word(&format!("/sys/class/dmi/id/{name}")))
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    // EC2's bare-metal hosts carry the same vendor; only the CPU's own flag tells them from guests.
    let flag = text("/proc/cpuinfo").and_then(|t| hypervisor_flag(&t));
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

/// The bit that hypervisors set in CPUID, from the text of `/proc/cpuinfo`; `None` where the architecture shows no such flag.
pub fn hypervisor_flag(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}
