//! DiskSPD's profiles and command lines: any text is read, planned and printed again, or refused with at least one error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_dialects::diskspd::{self, Parsed, Refusal};

fuzz_target!(|text: &str| {
    let paths = ["data".to_string()];
    look(diskspd::parse_text("fuzz", text, &paths));
    // A profile would read files of the machine that fuzzes.
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    if !words.iter().any(|w| w.starts_with("-X")) {
        look(diskspd::parse_command(&words));
    }
});

fn look(result: Result<Parsed, Box<Refusal>>) {
    match result {
        Ok(parsed) => {
            let _ = parsed.plan();
            parsed.text();
            // What is printed can be read again.
            if let Err(refusal) = diskspd::parse_text("again", &parsed.xml(0), &[]) {
                panic!("{refusal}");
            }
        }
        Err(refusal) => assert!(refusal.diagnostics.iter().any(|d| d.is_error())),
    }
}
