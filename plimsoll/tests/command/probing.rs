//! `plimsoll probe`: what simulated arrays are known to do, and what a sparse file has.

use crate::place::{MIB, TestFolder, typed};
use serde_json::Value;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

/// Cache, thin provisioning and zero service.
fn facts(document: &Value) -> [&str; 3] {
    let answers = document["answers"].as_array().expect("answers");
    let fact = |n: usize| answers[n]["fact"].as_str().expect("a fact");
    [fact(0), fact(1), fact(2)]
}

#[test]
fn a_probe_tells_arrays_that_are_known_apart() {
    let place = TestFolder::new();
    // As the personas' files say: a cache, flash that an unmapped block saves, zeros that are detected.
    for (persona, known) in [
        ("scale-out-flash-8", ["seen", "seen", "seen"]),
        ("scale-out-flash-4", ["seen", "seen", "seen"]),
        ("hybrid-hci", ["seen", "seen", "seen"]),
        ("single-ssd", ["not_seen", "seen", "not_seen"]),
        ("curve-8k", ["not_seen", "not_seen", "not_seen"]),
        ("starved-host", ["not_seen", "seen", "not_seen"]),
        ("flash-gateway", ["not_seen", "seen", "not_seen"]),
    ] {
        for seed in ["1", "2", "3"] {
            let target = format!("lab:{persona}");
            let done = place
                .plimsoll(&format!("probe {target} --seed {seed} --json"))
                .ok();
            let document = done.json();
            assert_eq!(facts(&document), known, "{persona} {document:#}");
            assert_eq!(document["addresses"], "written");
            assert!(document["floor_ns"].as_u64() > Some(10_000), "{document:#}");
        }
    }
}

#[test]
fn a_sparse_file_s_hole_is_seen_without_writing() {
    let place = TestFolder::new();
    let path = place.path("sparse");
    let mut file = File::create(&path).expect("a file");
    file.seek(SeekFrom::Start(8 * MIB)).expect("a place");
    let data: Vec<u8> = (0..4 * MIB)
        .map(|n| ((n * 2_654_435_761) >> 7) as u8 | 1)
        .collect();
    file.write_all(&data).expect("written");
    file.set_len(32 * MIB).expect("a length");
    file.sync_all().expect("on the disk");
    let before = std::fs::read(&path).expect("readable");
    let document = place.plimsoll("probe sparse --json").ok().json();
    let [_, thin, zeros] = facts(&document);
    assert_eq!(zeros, "not_observable");
    // A file system without direct I/O answers all of it from memory.
    let reported = document["answers"][1]["beside_ns"].as_u64();
    match reported {
        Some(written) if written > 20_000 => assert_eq!(thin, "seen", "{document:#}"),
        _ => plimsoll_skipped::skipped!(
            "this file system's reads are too fast to be told from those of a hole"
        ),
    }
    assert_eq!(
        std::fs::read(&path).expect("readable"),
        before,
        "it only reads"
    );
}

#[test]
fn what_is_not_known_to_be_written_is_not_called_so() {
    let place = TestFolder::new();
    let hole = File::create(place.path("hole")).expect("a file");
    hole.set_len(16 * MIB).expect("a length");
    std::fs::write(place.path("zeroed"), vec![0; 16 << 20]).expect("written");
    for (target, held) in [
        ("hole", "nothing"),
        ("zeroed", "zeros"),
        ("null:1g", "unknown"),
    ] {
        let document = place
            .plimsoll(&format!("probe {target} --json"))
            .ok()
            .json();
        // Some file systems do not tell holes from data.
        if target == "hole" && document["addresses"] == "zeros" {
            plimsoll_skipped::skipped!("this file system does not tell where a file has holes");
            continue;
        }
        assert_eq!(document["addresses"], held, "{document:#}");
        let [cache, thin, zeros] = facts(&document);
        assert_ne!(cache, "not_seen", "{document:#}");
        assert_eq!([thin, zeros], ["not_observable"; 2], "{document:#}");
        let printed = place.plimsoll(&format!("probe {target}")).ok().out;
        assert!(!printed.contains("written addresses"), "{printed}");
        let words = match held {
            "nothing" => "holds no data",
            "zeros" => "holds nothing but zeros",
            _ => "nobody tells whether they were written",
        };
        assert!(printed.contains(words), "{printed}");
    }
}

#[test]
fn a_file_is_written_only_where_it_is_named_and_only_at_its_start() {
    let place = TestFolder::new();
    let path = place.foreign("data", 16 * MIB);
    let before = std::fs::read(&path).expect("readable");
    place.plimsoll("probe data").ok();
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    let printed = place.plimsoll("probe data --destroy data").ok();
    printed.says(&["zero service"]);
    let after = std::fs::read(&path).expect("readable");
    let three = 3 * MIB as usize;
    assert_ne!(after[..three], before[..three]);
    assert!(
        after[three..] == before[three..],
        "what lies behind is as it was"
    );
    // Nothing that was trimmed or zeroed is left so.
    assert!(
        after[..three]
            .chunks(4096)
            .all(|block| block.iter().any(|b| *b != 0))
    );
    place.foreign("short", 2 * MIB);
    for words in [
        vec!["probe", "short"],
        vec!["probe", "short", "--destroy", "short"],
    ] {
        place.plimsoll(&words).refused(&["short", "4MiB"]);
    }
    place.plimsoll("probe nowhere").refused(&["nowhere"]);
    place
        .plimsoll("probe data --size much")
        .refused(&["--size"]);
}

#[test]
fn a_run_can_be_probed_first_and_what_cannot_be_is_measured_all_the_same() {
    let place = TestFolder::new();
    place.foreign("data", 4 * MIB);
    let run = ["run", "data", "--probe", "--no-record", "--json"];
    // What the audit says of it is not asked.
    let done = place.quick(&run);
    done.warns(&["written addresses answer"]);
    assert!(done.json()["steps"][0]["ios"].as_u64() > Some(0));
    let made = typed("run made.dat --size 4m --probe --no-record -q");
    let done = place.quick(&made);
    done.warns(&["made.dat: not probed"]);
    done.says(&["achieved"]);
}

#[test]
fn files_in_pieces_and_small_targets_are_probed_or_refused_in_words_of_their_own() {
    let place = TestFolder::new();
    // So many pieces of data, so far from each other, in 16 MiB.
    let pieces = |name: &str, data: u64, apart: u64| {
        let mut file = File::create(place.path(name)).expect("a file");
        for at in (0..16 * MIB).step_by(apart as usize) {
            file.seek(SeekFrom::Start(at)).expect("a place");
            file.write_all(&vec![7; data as usize]).expect("written");
        }
        file.set_len(16 * MIB).expect("a length");
        file.sync_all().expect("on the disk");
    };
    pieces("larger", 32 << 10, 128 << 10);
    pieces("blocks", 4 << 10, 16 << 10);
    pieces("one", 1, 16 * MIB);
    place.foreign("small", 4 * MIB);
    for target in ["larger", "small", "null:4m", "null:5000001"] {
        let done = place.plimsoll(&format!("probe {target}")).ok();
        done.says(&["answer one at a time"]);
    }
    if place.plimsoll("probe one").code == Some(0) {
        plimsoll_skipped::skipped!("this file system does not tell where a file has holes");
    } else {
        for (target, words) in [
            ("blocks", "4MiB of data that it holds are too little"),
            ("one", "4KiB of data that it holds are too little"),
        ] {
            let printed = place
                .plimsoll(&format!("probe {target}"))
                .refused(&[target, words, "16KiB", "Write more of it"])
                .err;
            assert!(!printed.contains("workload"), "{printed}");
        }
    }
    let printed = place
        .plimsoll("probe null:3m")
        .refused(&["3MiB", "4MiB", "larger target"])
        .err;
    assert!(!printed.contains("workload"), "{printed}");
}

#[test]
fn what_was_not_seen_has_no_chance_and_both_medians() {
    let place = TestFolder::new();
    let document = place
        .plimsoll("probe lab:curve-8k --seed 1 --json")
        .ok()
        .json();
    for answer in document["answers"].as_array().expect("answers") {
        assert_eq!(answer.get("p"), None, "{answer:#}");
    }
    let printed = place.plimsoll("probe lab:curve-8k --seed 1").ok().out;
    let cache = printed.lines().find(|l| l.starts_with("cache: "));
    let cache = cache.expect("an answer");
    assert!(cache.starts_with("cache: not seen: "), "{cache}");
    assert!(
        cache.contains(" beside ") && !cache.contains("chance"),
        "{cache}"
    );
}
