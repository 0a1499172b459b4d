//! The host: kernel, distribution, CPUs, memory, clock.

use crate::host_key::host_key;
use crate::{Root, virtualization};
use plimsoll_evidence::HostFacts;

/// What is known of the host. Under a captured tree, what only a syscall knows is taken from the files beside it, or
/// left out.
pub fn facts(root: &Root) -> HostFacts {
    let online = online_cpus(root);
    let hostname = root.word("/proc/sys/kernel/hostname").unwrap_or_default();
    HostFacts {
        key: host_key(root, &hostname),
        hostname,
        kernel: root.word("/proc/sys/kernel/osrelease").unwrap_or_default(),
        distribution: distribution(root),
        cpu_model: cpu_model(root),
        cpus_available: available_cpus(root).unwrap_or(online),
        cpus_online: online,
        numa_nodes: root
            .word("/sys/devices/system/node/online")
            .map_or(1, |list| list_length(&list).max(1)),
        memory_bytes: memory_bytes(root).unwrap_or(0),
        virtualization: virtualization::detect(root),
        clocksource: root.word("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        governor: root.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        drivers: drivers(root),
    }
}

/// Most drivers are of the kernel's version and say none; those that come from elsewhere, and some of the kernel's, do.
fn drivers(root: &Root) -> Vec<(String, String)> {
    let names = root.names("/sys/module").into_iter();
    names
        .filter_map(|name| {
            let version = root.word(format!("/sys/module/{name}/version"))?;
            Some((name, version))
        })
        .collect()
}

/// `PRETTY_NAME` of os-release, unquoted.
fn distribution(root: &Root) -> Option<String> {
    let text = root
        .text("/etc/os-release")
        .or_else(|| root.text("/usr/lib/os-release"))?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_string())
}

/// x86 says `model name`; others a `Model` or `cpu` line, or nothing.
fn cpu_model(root: &Root) -> Option<String> {
    let text = root.text("/proc/cpuinfo")?;
    ["model name", "Model", "cpu", "uarch"]
        .iter()
        .find_map(|key| {
            text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                (name.trim() == *key && !value.trim().is_empty()).then(|| value.trim().to_string())
            })
        })
}

fn online_cpus(root: &Root) -> u32 {
    root.word("/sys/devices/system/cpu/online")
        .map(|list| list_length(&list))
        .filter(|count| *count > 0)
        .or_else(|| {
            let text = root.text("/proc/stat")?;
            let count = text
                .lines()
                .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
            u32::try_from(count.count()).ok()
        })
        .unwrap_or(0)
}

/// CPUs in this process's affinity mask, which a cpuset narrows too.
fn available_cpus(root: &Root) -> Option<u32> {
    let text = root.text("/proc/self/status")?;
    let list = text
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list_length(list.trim()))
}

fn memory_bytes(root: &Root) -> Option<u64> {
    let text = root.text("/proc/meminfo")?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// How many numbers the kernel's list format names: `0-3,8` is five. A part that cannot be read counts for none.
fn list_length(list: &str) -> u32 {
    list.split(',')
        .filter_map(|part| {
            let (first, last) = part
                .trim()
                .split_once('-')
                .unwrap_or((part.trim(), part.trim()));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first)?.checked_add(1)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lists_are_counted() {
        assert_eq!(list_length("0-3,8"), 5);
        assert_eq!(list_length("0"), 1);
        assert_eq!(list_length(""), 0);
        assert_eq!(list_length("3-1,x,2"), 1);
    }

    #[test]
    fn an_empty_tree_gives_no_facts_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let facts = facts(&Root::at(folder.path()));
        assert_eq!(facts.cpus_online, 0);
        assert_eq!(facts.memory_bytes, 0);
        assert_eq!(facts.cpu_model, None);
        assert_eq!(facts.virtualization, None);
    }

    #[test]
    fn drivers_that_say_their_version_are_told_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        for (module, file, text) in [("bfa", "version", "3.0.2.2\n"), ("sd_mod", "refcnt", "2\n")] {
            let module = folder.path().join("sys/module").join(module);
            std::fs::create_dir_all(&module).unwrap();
            std::fs::write(module.join(file), text).unwrap();
        }
        let told = facts(&Root::at(folder.path())).drivers;
        assert_eq!(told, [("bfa".to_string(), "3.0.2.2".to_string())]);
    }

    #[test]
    fn this_host_has_cpus_and_memory() {
        let facts = facts(&Root::system());
        assert!(facts.cpus_online >= 1);
        assert!(facts.cpus_available >= 1 && facts.cpus_available <= facts.cpus_online);
        assert!(facts.memory_bytes > 0);
        assert!(!facts.kernel.is_empty());
    }
}
