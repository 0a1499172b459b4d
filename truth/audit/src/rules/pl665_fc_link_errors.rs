use crate::{HostAnswer, HostView, Symptom};

rule! {
    665 "fc-link-errors" Host(check) SUSPECT pitfalls [] {
        summary: "A Fibre Channel link has lost frames or its light.",
        why: "A frame with a wrong checksum is thrown away, and its command is sent again after a time-out of seconds. A link that fails \
            takes its path with it. Both are in the longest response times, and look like the array's.",
        threshold: "Since the adapter's start: any frame with an invalid CRC is suspect; failures of the link and losses of synchronisation \
            are a note, as a cable that is moved makes some, and suspect from 10 on.",
        source: "/sys/class/fc_host/*/statistics of scsi_transport_fc: hexadecimal, all ones where the adapter does not count.",
        example: "host7 with 41 invalid CRCs: an optic that fades, and one read in a million takes 30 s.",
        remedy: "Look at the switch port's errors and the optics' power, and replace cable or optic. Counters that stand still are old.",
    }
    fires: |h| counts(h, ["0x29", "0x0", "0x0"]),
    clean: |h| counts(h, ["0x0", "0x0", "0x0"]),
}

/// Counter, what it counts, and from where on it is more than a note.
const COUNTERS: [(&str, &str, u64); 3] = [
    ("invalid_crc_count", "frames with an invalid CRC", 1),
    ("link_failure_count", "failures of the link", 10),
    ("loss_of_sync_count", "losses of synchronisation", 10),
];

fn check(view: &HostView<'_>) -> HostAnswer {
    let mut answer = HostAnswer::default();
    for host in view.host.names("/sys/class/fc_host") {
        for (counter, what, suspect) in COUNTERS {
            let path = format!("/sys/class/fc_host/{host}/statistics/{counter}");
            match view.host.text(&path).and_then(counted) {
                None => answer.miss(path),
                Some(count) => answer.look((count > 0).then(|| {
                    Symptom::new(host, format!("{count} {what}"))
                        .wanted(
                            "none, or no more than when you looked before",
                            "grep . /sys/class/fc_host/DISK/statistics/*_count",
                        )
                        .note_if(count < suspect)
                })),
            }
        }
    }
    answer
}

/// `0x1a`; `None` where the adapter does not count.
fn counted(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x")?;
    let count = u64::from_str_radix(digits, 16).ok()?;
    (count != u64::MAX).then_some(count)
}

#[cfg(test)]
fn counts(host: &mut plimsoll_evidence::HostState, values: [&str; 3]) {
    for ((counter, ..), value) in COUNTERS.iter().zip(values) {
        host.insert(
            format!("/sys/class/fc_host/host7/statistics/{counter}"),
            value,
        );
    }
}

#[test]
fn counts_are_hexadecimal_and_all_ones_are_none() {
    use plimsoll_evidence::Severity;
    let ask = |values| {
        let mut host = crate::known::host();
        counts(&mut host, values);
        check(&HostView::of_all(&host))
    };
    let some = ask(["0x0", "0x10", "0x2"]);
    let said: Vec<_> = some
        .symptoms
        .iter()
        .map(|s| (s.seen.as_str(), s.at_most))
        .collect();
    assert_eq!(said[0].0, "16 failures of the link");
    assert!(said[0].1 > Severity::Note);
    assert_eq!(said[1], ("2 losses of synchronisation", Severity::Note));
    let none = ask(["0xffffffffffffffff", "12", "0xzz"]);
    assert_eq!((none.looked, none.unseen.len()), (0, 3));
}
