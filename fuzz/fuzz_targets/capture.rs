//! A captured host: any bytes are refused with a reason, or read as a host that can be looked at and packed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_audit::{HostView, examine};
use plimsoll_capture::{pack, unpack};

fuzz_target!(|bytes: &[u8]| {
    let packed = zstd::encode_all(bytes, 1).expect("it packs anything");
    for bytes in [bytes, &packed] {
        let Ok(host) = unpack(bytes) else { continue };
        assert!(!host.is_empty());
        examine(&HostView::of_all(&host));
        // A path that leads upwards is not packed.
        let Ok(again) = pack(&host) else { continue };
        let again = unpack(&again).expect("what was packed can be read");
        let packed = pack(&again).expect("it was packed before");
        assert_eq!(unpack(&packed).expect("and again"), again);
    }
});
