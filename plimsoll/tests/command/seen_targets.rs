//! What others see of the targets of a run: the network on the way, the page cache, zram.

use crate::place::{MIB, TestFolder, typed};
use crate::serving::Lab;
use plimsoll_skipped::machine::Zram;
use plimsoll_skipped::skipped;
use serde_json::Value;

/// Observations in the counted time of a run of a second and a half.
fn seen(place: &TestFolder, words: &[&str]) -> (Value, Value) {
    let times = ["--for", "1500ms", "--warmup", "0s", "--interval", "500ms"];
    let run = ["run", "-q", "--record", "run.plim"];
    place.plimsoll(&[&run[..], words, &times].concat());
    let document = place.plimsoll("show --json run.plim").ok().json();
    crate::measuring::assert_valid(&document);
    let step = document["steps"][0].clone();
    (step["witnessed"].clone(), step)
}

fn count(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no count: {value}"))
}

#[test]
fn a_target_over_tcp_has_the_link_that_carried_it() {
    let place = TestFolder::new();
    let array = ["single-ssd", "--size", "64m", "--no-timing"];
    let lab = Lab::serve(&place, &[&array[..], &["--listen", "127.0.0.1:0"]].concat());
    let uri = lab.uri();
    let (seen, step) = seen(
        &place,
        &typed(&format!(
            "{uri} --read 0 --destroy {uri} --block 64k --rate 200"
        )),
    );
    let links = seen["links"].as_array().expect("links");
    assert_eq!(links.len(), 1, "{seen:#}");
    assert_eq!(links[0]["name"], "lo");
    assert_eq!(links[0]["targets"][0], uri.as_str());
    // The looks are near the ends of the counted time, and others may use the loopback too.
    assert!(
        count(&links[0]["out_bytes"]) > count(&step["bytes"]) / 2,
        "{seen:#}"
    );
    assert!(count(&seen["tcp"]["sent"]) > 0);
}

#[test]
fn a_file_that_is_written_through_the_page_cache_is_seen_in_it() {
    let place = TestFolder::new();
    let written = typed("data --size 4m --read 0 --caching buffered");
    let (seen, _) = seen(
        &place,
        &[&written[..], &["--access", "sequential", "--block", "64k"]].concat(),
    );
    let Some(cache) = seen["caches"].get(0) else {
        skipped!("this kernel has no cachestat(2)");
        return;
    };
    assert_eq!(cache["target"], "data");
    assert_eq!(count(&cache["target_bytes"]), 4 * MIB);
    assert_eq!(count(&cache["cached_bytes"]), 4 * MIB);
}

#[test]
fn zeros_on_zram_are_seen_as_pages_of_one_word() {
    let Some(zram) = zram() else { return };
    let place = TestFolder::new();
    let device = zram.path();
    let line = format!("{device} --read 0 --content zeros --access sequential --destroy {device}");
    let zeros = typed(&line);
    let (seen, _) = seen(&place, &zeros);
    let held = &seen["zrams"][0];
    assert_eq!(held["name"], zram.0.as_str(), "{seen:#}");
    let (before, after) = (count(&held["same_pages"][0]), count(&held["same_pages"][1]));
    assert!(after > before && after <= 4096, "{held}");
    // All of it is data to whoever wrote it, and next to nothing of it is kept.
    assert!(count(&held["data_bytes"][1]) >= 4096 * after, "{held}");
    assert!(count(&held["compressed_bytes"][1]) < 65_536, "{held}");
}

/// A zram device of 16 MiB; `None`, with the reason printed, where there can be none.
fn zram() -> Option<Zram> {
    Zram::new()
        .inspect_err(|e| skipped!("no zram device can be made: {e}"))
        .ok()
}
