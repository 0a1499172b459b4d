//! Words of what a number of I/Os in flight is made of.

pub(super) const JOBS: [&str; 9] = [
    "jobs",
    "job",
    "numjobs",
    "threads",
    "thread",
    "workers",
    "worker",
    "processes",
    "streams",
];
pub(super) const HOSTS: [&str; 11] = [
    "hosts", "host", "servers", "server", "clients", "client", "vms", "vm", "machines", "nodes",
    "node",
];
pub(super) const TARGETS: [&str; 9] = [
    "luns", "lun", "volumes", "devices", "disks", "drives", "targets", "ssds", "files",
];
pub(super) const DEPTHS: [&str; 5] = ["depth", "qd", "iodepth", "oio", "queuedepth"];

/// True for a word of what a number of I/Os in flight is made of.
pub(super) fn is_factor(word: &str) -> bool {
    let words = [&JOBS[..], &HOSTS, &TARGETS, &DEPTHS];
    words.iter().any(|all| all.contains(&word))
}
