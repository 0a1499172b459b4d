//! Logs of I/Os: any bytes are read or refused, and what is read holds what its sum says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_plan::{Names, ReplayOptions, read_log};

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, log) = input;
    let options = ReplayOptions {
        at_once: choice & 1 != 0,
        speed: u32::from(choice >> 2) + 1,
        scale: u32::from(choice >> 4) + 1,
        align: 1 << (choice >> 5),
        skip: Vec::new(),
    };
    let names = match choice & 2 {
        0 => Names::One,
        _ => Names::These(&[]),
    };
    let (mut last, mut count, mut end) = (0, 0, 0);
    let summary = read_log(log, &options, names, |io| {
        assert!(io.due_ns >= last);
        assert!(io.offset.is_multiple_of(u64::from(options.align)));
        (last, count) = (io.due_ns, count + 1);
        end = end.max(io.offset + u64::from(io.length));
        Ok(())
    });
    if let Ok(summary) = summary {
        assert_eq!(summary.facts.all_ios() + summary.facts.syncs, count);
        assert_eq!((summary.facts.end.0, summary.facts.length.0), (end, last));
        assert_eq!(summary.names.iter().map(|name| name.end.0).max(), Some(end));
        summary.sizes.spec();
    }
});
