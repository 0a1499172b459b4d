//! Any text is a log or is refused, and what is read is what its sum says.

use plimsoll_plan::{LogIo, LogSummary, Names, ReplayOptions, read_log};
use proptest::prelude::*;

/// Words of logs, and what is none.
fn word() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "a",
        "b",
        "add",
        "open",
        "close",
        "read",
        "write",
        "trim",
        "sync",
        "datasync",
        "wait",
        "0",
        "512",
        "4096",
        "18446744073709551615",
        "4294967296",
        "-1",
        "1.5",
        "\u{7f}",
    ];
    let known = proptest::sample::select(KNOWN).prop_map(str::to_string);
    prop_oneof![4 => known, 1 => "[0-9]{1,12}", 1 => "\\PC{0,6}"]
}

/// A line that says an I/O, with any numbers.
fn io_line() -> impl Strategy<Value = String> {
    let action = proptest::sample::select(&["read", "write", "trim", "sync"][..]);
    (0..1_000_000u64, action, 0..1_000_000_000u64, 1..100_000u32)
        .prop_map(|(us, action, offset, length)| format!("{us} a {action} {offset} {length}"))
}

fn options() -> impl Strategy<Value = ReplayOptions> {
    (any::<bool>(), 1..1000u32, 1..10u32, 0..16u32).prop_map(|(at_once, speed, scale, bits)| {
        ReplayOptions {
            at_once,
            speed,
            scale,
            align: 1 << bits,
            skip: Vec::new(),
        }
    })
}

fn read(text: &[u8], options: &ReplayOptions) -> Option<(LogSummary, Vec<LogIo>)> {
    let mut ios = Vec::new();
    let summary = read_log(text, options, Names::These(&[]), |io| {
        ios.push(io);
        Ok(())
    });
    summary.ok().map(|summary| (summary, ios))
}

proptest! {
    #[test]
    fn any_words_are_read_or_refused(
        version in 1..5u8,
        lines in prop::collection::vec(prop::collection::vec(word(), 0..7), 0..20),
        options in options(),
    ) {
        let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        let text = format!("fio version {version} iolog\n{}", lines.join("\n"));
        if let Some((summary, ios)) = read(text.as_bytes(), &options) {
            prop_assert_eq!(summary.facts.all_ios() + summary.facts.syncs, ios.len() as u64);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), options in options()) {
        let text = [&b"fio version 3 iolog\n"[..], &bytes].concat();
        read(&text, &options);
        prop_assert!(read(&bytes, &options).is_none());
    }

    #[test]
    fn what_is_read_is_what_its_sum_says(
        lines in prop::collection::vec(io_line(), 1..60),
        options in options(),
    ) {
        let text = format!("fio version 3 iolog\n0 a add\n{}\n", lines.join("\n"));
        let Some((summary, ios)) = read(text.as_bytes(), &options) else {
            prop_assert!(lines.iter().all(|line| line.contains("sync")));
            return Ok(());
        };
        prop_assert_eq!(ios.len(), lines.len());
        prop_assert!(ios.is_sorted_by_key(|io| io.due_ns));
        prop_assert!(!options.at_once || ios.iter().all(|io| io.due_ns == 0));
        let align = u64::from(options.align);
        prop_assert!(ios.iter().all(|io| io.offset.is_multiple_of(align)));
        let end = ios.iter().map(|io| io.offset + u64::from(io.length)).max();
        prop_assert_eq!(end, Some(summary.facts.end.0));
        prop_assert_eq!(ios.last().map(|io| io.due_ns), Some(summary.facts.length.0));
        let of = |op: usize| ios.iter().filter(move |io| io.op as usize == op);
        for op in 0..3 {
            prop_assert_eq!(of(op).count() as u64, summary.facts.ios[op]);
            prop_assert_eq!(of(op).map(|io| u64::from(io.length)).sum::<u64>(), summary.facts.bytes[op]);
        }
        prop_assert_eq!(of(3).count() as u64, summary.facts.syncs);
    }
}
