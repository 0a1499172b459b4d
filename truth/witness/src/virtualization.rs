//! Whether this is a virtual machine or a container, as far as it shows.

use crate::Root;
use plimsoll_evidence::virtual_machine;

/// `VMware`, `container (docker)`, `KVM, container (lxc)`; `None` where nothing shows.
pub fn detect(root: &Root) -> Option<String> {
    let found: Vec<String> = [virtual_machine(|path| root.text(path)), container(root)]
        .into_iter()
        .flatten()
        .collect();
    (!found.is_empty()).then(|| found.join(", "))
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
