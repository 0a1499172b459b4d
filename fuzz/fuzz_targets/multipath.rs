//! A `multipath.conf`, a zero byte, and what `multipath -ll` says: whatever stands there, the doctor looks at it, and what it says can
//! be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_audit::{HostView, changes, examine, lines};
use plimsoll_evidence::HostState;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let (conf, said) = bytes.split_at(end);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut host = HostState::default();
    host.insert("/etc/multipath.conf", text(conf));
    host.insert("/commands/multipath -ll", text(said.get(1..).unwrap_or(&[])));
    host.insert("/sys/block/dm-0/dm/uuid", "mpath-36005");
    host.insert("/sys/block/dm-0/slaves/sda", "");
    host.insert("/sys/block/sda/queue/scheduler", "[none]");
    let checkup = examine(&HostView::of_all(&host));
    for finding in &checkup.findings {
        assert!(!finding.title().is_empty());
    }
    lines(&checkup);
    assert!(changes(&host, &host).is_empty());
});
