//! Vdbench parameter files: any text is read, simulated and planned, or refused with at least one error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_dialects::vdbench::{self, Input};

fuzz_target!(|text: &str| {
    // An include would read files of the machine that fuzzes.
    if text.contains("include=") {
        return;
    }
    match vdbench::parse(&Input::text("fuzz", text)) {
        Ok(parsed) => {
            parsed.simulate();
            let _ = parsed.plan();
        }
        Err(refusal) => assert!(refusal.diagnostics.iter().any(|d| d.is_error())),
    }
});
