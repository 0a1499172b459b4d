//! Facts of a host that a run and the doctor both judge. Each threshold is here and nowhere else, so that the two cannot disagree:
//! a rule says what a fact means for its claims, and this says from where on there is anything to say, and how bad it is at most.

use plimsoll_evidence::Severity::{self, Note, Suspect};

/// A frequency governor, by its name.
pub fn governor(name: &str) -> Option<Severity> {
    (name != "performance").then_some(Suspect)
}

/// A clocksource, by its name: all of Hyper-V's are read without leaving the guest.
pub fn clocksource(name: &str) -> Option<Severity> {
    const QUICK: [&str; 4] = ["tsc", "kvm-clock", "hyperv", "arch_sys_counter"];
    let quick = QUICK.iter().any(|known| name.starts_with(known));
    (!quick).then_some(Suspect)
}

/// An I/O scheduler, by its name.
pub fn scheduler(name: &str) -> Option<Severity> {
    (!["none", "noop"].contains(&name)).then_some(Suspect)
}

/// The one that is chosen of `none [mq-deadline] kyber`; a device without a choice shows a single word.
pub fn chosen_scheduler(text: &str) -> &str {
    let mut words = text.split_whitespace();
    let chosen = words.find_map(|w| w.strip_prefix('[')?.strip_suffix(']'));
    chosen.unwrap_or(text)
}

/// The most that is read ahead without a word, KiB: the kernel's own default.
pub const READ_AHEAD_KIB: i64 = 128;

/// Severity of the kernel's read-ahead of buffered reads, KiB; `None` where it is low enough.
pub fn read_ahead(kib: i64) -> Option<Severity> {
    match kib {
        kib if kib <= READ_AHEAD_KIB => None,
        ..=1023 => Some(Note),
        1024.. => Some(Suspect),
    }
}

/// A device that says that it rotates. Of some kinds none does; of another it may be true.
pub fn rotational(device: &str, flag: i64) -> Option<Severity> {
    const NEVER: [&str; 4] = ["vd", "xvd", "nvme", "zram"];
    let certain = NEVER.iter().any(|kind| device.starts_with(kind));
    match (flag, certain) {
        (1, true) => Some(Suspect),
        (1, false) => Some(Note),
        _ => None,
    }
}

/// Severity of the number of a device's requests that the block layer lets be out at once; `None` where they are enough. Where a test's
/// depth is known that is what is needed; what the device itself takes at once (`own`: 32 of SATA) is always enough, for without a
/// scheduler there can be no more of them.
pub fn requests(at_once: i64, asked: Option<u64>, own: Option<u64>) -> Option<Severity> {
    let fewer = |than: u64| at_once < i64::try_from(than).unwrap_or(i64::MAX);
    let few = match asked {
        Some(depth) => fewer(depth).then_some(Suspect),
        None if at_once < 64 => Some(Suspect),
        None if at_once < 256 => Some(Note),
        None => None,
    };
    match own {
        // What waits then, waits for the device: its own depth is another rule's.
        Some(own) if asked.is_none() && !fewer(own) => None,
        _ => few,
    }
}

/// A write cache, as the kernel writes it.
pub fn write_cache(word: &str) -> Option<Severity> {
    (word == "write back").then_some(Note)
}

/// The share of the CPUs' time that a hypervisor may take without a word, 0..=1.
pub const STEAL: f64 = 0.01;

/// The share of the CPUs' time that the hypervisor took, 0..=1.
pub fn steal(share: f64) -> Option<Severity> {
    (share > STEAL).then_some(Suspect)
}
