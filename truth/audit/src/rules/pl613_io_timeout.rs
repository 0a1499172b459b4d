use crate::{HostAnswer, HostView, Symptom};

rule! {
    613 "host-io-timeout" Host(check) NOTE pitfalls [] {
        summary: "An I/O that is lost is waited for for minutes.",
        why: "The kernel gives an I/O up, and tries another path, only when this time is over. A lost I/O is one of that length, in the tail of the latencies or behind the test's end.",
        threshold: "io_timeout above 60,000 ms; of SCSI disks their own timeout above 60 s.",
        source: "sysfs-block of the kernel's ABI; 30 s is the kernel's default, 60 s what array vendors ask for.",
        example: "A timeout of 180 s: a pulled cable costs three minutes, and a test of one minute never sees the I/O come back.",
        remedy: "echo 30000 > /sys/block/DISK/queue/io_timeout, or what the array's vendor asks for.",
    }
    fires: |h| h.insert("/sys/block/sdx/device/timeout", "180"),
    clean: |h| h.insert("/sys/block/sdx/device/timeout", "30"),
}

/// Longer than this, ms.
const LONGEST_MS: u64 = 60_000;

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for device in &view.devices {
        // Not every driver has one.
        let of = |file: &str| view.host.text(&format!("/sys/block/{device}/{file}"));
        let (ms, s) = (of("queue/io_timeout"), of("device/timeout"));
        let (text, unit_ms, command) = match (ms, s) {
            (_, Some(s)) => (s, 1_000, "echo 30 > /sys/block/DISK/device/timeout"),
            (Some(ms), None) => (ms, 1, "echo 30000 > /sys/block/DISK/queue/io_timeout"),
            (None, None) => continue,
        };
        let Ok(timeout) = text.parse::<u64>() else {
            answer.miss(format!("the timeout of {device}"));
            continue;
        };
        let ms = timeout.saturating_mul(unit_ms);
        answer.look((ms > LONGEST_MS).then(|| {
            let seen = format!("{} s", ms / 1_000);
            Symptom::new(device, seen).wanted("60 s or less", command)
        }));
    }
    answer
}
