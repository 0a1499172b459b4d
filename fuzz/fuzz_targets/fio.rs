//! fio job files: any text is read and planned, or refused with at least one error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_dialects::fio::{self, Input};

fuzz_target!(|text: &str| {
    // An include or a log would read files of the machine that fuzzes.
    if text.contains("include") || text.contains("read_iolog") {
        return;
    }
    match fio::parse(&Input::text("fuzz", text)) {
        Ok(parsed) => {
            if let Err(errors) = parsed.plan() {
                assert!(errors.iter().any(|d| d.is_error()));
            }
        }
        Err(refusal) => assert!(refusal.diagnostics.iter().any(|d| d.is_error())),
    }
});
