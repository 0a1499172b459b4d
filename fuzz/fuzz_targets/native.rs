//! The native reader answers every text, and every plan that it makes can be checked, described and shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_dialects::native;
use plimsoll_plan::{describe, validate};

fuzz_target!(|bytes: &[u8]| match native::parse_bytes("fuzz.toml", bytes) {
    Ok(native) => {
        assert!(validate(&native.plan).is_empty());
        let _ = describe(&native.plan).text();
    }
    Err(failure) => {
        assert!(!failure.diagnostics.is_empty());
        let _ = failure.to_string();
    }
});
