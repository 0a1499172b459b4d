//! The methods, as their users meet them.

use crate::place::{MIB, TestFolder, typed};
use crate::resuming::{killed_after, steps};
use serde_json::Value;

/// The one verdict of a document.
#[track_caller]
fn verdict(document: &Value) -> Value {
    let verdicts = document["verdicts"].as_array().expect("a list");
    assert_eq!(verdicts.len(), 1, "{verdicts:#?}");
    verdicts[0].clone()
}

/// The number in a table's row, by its column's name.
fn cell(table: &Value, row: usize, column: &str) -> Option<f64> {
    let columns = table["columns"].as_array()?;
    let at = columns.iter().position(|c| c["name"] == column)?;
    table["rows"][row][at]["quantity"]["value"].as_f64()
}

fn words(table: &Value, row: usize, column: usize) -> &str {
    table["rows"][row][column]["quantity"]["value"]
        .as_str()
        .unwrap_or_default()
}

/// Rate that a closed loop of so many in flight reaches on a target, measured by itself.
fn alone(place: &TestFolder, target: &str, depth: u32) -> f64 {
    let depth = depth.to_string();
    let line = format!("run {target} --depth {depth} --for 2s --warmup 200ms");
    let run = typed(&line);
    let rest = ["--seed", "3", "--no-record", "--json", "-q"];
    let document = place.plimsoll(&[&run[..], &rest].concat()).ok().json();
    document["steps"][0]["iops"].as_f64().expect("a rate")
}

#[test]
fn the_concurrency_that_a_campaign_finds_is_the_least_that_carries_nearly_the_most() {
    let place = TestFolder::new();
    let target = "lab:curve-8k?size=1g";
    let line = format!("saturate {target} --reads 100 --blocks 8k --for 1s");
    let run = typed(&line);
    let rest = ["--warmup", "200ms", "--seed", "1", "--no-record", "--json"];
    let document = place.plimsoll(&[&run[..], &rest].concat()).ok().json();
    crate::measuring::assert_valid(&document);
    let verdict = verdict(&document);
    assert_eq!(verdict["class"], "complete");
    let table = &verdict["tables"][0];
    let depth = cell(table, 0, "depth").expect("a depth") as u32;
    // Each depth measured by itself, far beyond and well below what was found.
    let most = alone(&place, target, 2048);
    assert!(alone(&place, target, depth) > 0.96 * most, "{depth}");
    assert!(
        alone(&place, target, depth * 3 / 4) < 0.97 * most,
        "{depth}"
    );
    for (row, share) in [(1, 0.5), (2, 0.25)] {
        let rate = cell(table, row, "iops").expect("a rate");
        assert!((rate / most / share - 1.0).abs() < 0.2, "{share}: {rate}");
    }
    assert_eq!(words(table, 3, 1), "synchronous");
    let one = cell(table, 3, "iops").expect("a rate");
    assert!((one / alone(&place, target, 1) - 1.0).abs() < 0.05, "{one}");
}

#[test]
fn a_campaign_and_a_sweep_run_on_a_real_file() {
    let place = TestFolder::new();
    let run = typed("saturate f --size 16m --reads 0,100 --blocks 4k,64k");
    let times = typed("--for 200ms --warmup 0s --interval 50ms --depth 4 --no-settle");
    let done = place.plimsoll(&[&run[..], &times, &["--record", "r.plim", "--json"]].concat());
    // Whether four slots were enough is the machine's affair.
    assert!(matches!(done.code, Some(0 | 3)), "{done:#?}");
    let found = verdict(&done.json());
    assert!(
        ["complete", "depth-short"].contains(&found["class"].as_str().unwrap_or_default()),
        "{found:#}"
    );
    let tables = found["tables"].as_array().expect("tables");
    assert_eq!(tables.len(), 3);
    for table in &tables[..2] {
        assert_eq!(table["rows"].as_array().map(Vec::len), Some(8));
        for row in 0..8 {
            assert!(cell(table, row, "iops").is_some());
            let in_flight = cell(table, row, "in_flight").expect("a number");
            assert!(in_flight <= 64.0, "{table:#}");
        }
    }
    assert_eq!(std::fs::metadata(place.path("f")).unwrap().len(), 16 * MIB);

    let run = typed("sweep f --block 4k,16k --depth 1,2 --repeats 2");
    let done = place.plimsoll(
        &[
            &run[..],
            &times[..6],
            &["--no-settle", "--no-record", "--json"],
        ]
        .concat(),
    );
    let document = done.ok().json();
    crate::measuring::assert_valid(&document);
    let found = verdict(&document);
    assert_eq!(found["tables"][0]["rows"].as_array().map(Vec::len), Some(4));
    assert_eq!(found["charts"][0]["kind"], "heat");
    let mut names: Vec<&str> = document["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    names.sort_unstable();
    let cells = ["16k,depth=1", "16k,depth=2", "4k,depth=1", "4k,depth=2"];
    let expected: Vec<String> = cells
        .iter()
        .flat_map(|c| std::iter::repeat_n(format!("sweep_(block={c})"), 2))
        .collect();
    assert_eq!(names, expected);
}

#[test]
fn reduction_is_a_matrix_of_duplicates_compression_and_zeros() {
    let place = TestFolder::new();
    // An array that keeps no zeros: writing them costs it less.
    let run = typed("sweep lab:scale-out-flash-4?size=256m --over reduction --read 0");
    let rest = typed(
        "--block 4k --depth 64 --workers 1 --for 100ms --warmup 0s --repeats 1 --seed 1 \
         --no-record --json",
    );
    let done = place.plimsoll(&[&run[..], &rest].concat());
    // What zeros are worth is asked: that there are some is no fault. One repeat decides nothing.
    assert_eq!(done.code, Some(3), "{done:#?}");
    let document = done.json();
    crate::measuring::assert_valid(&document);
    let verdict = verdict(&document);
    let chart = &verdict["charts"][0];
    assert_eq!(chart["kind"], "heat");
    assert_eq!(chart["x"]["label"], "dedupe");
    assert_eq!(chart["x"]["categories"], serde_json::json!(["1", "2"]));
    assert_eq!(chart["y"]["label"], "compress, zeros");
    assert_eq!(chart["y"]["categories"].as_array().map(Vec::len), Some(6));
    let table = &verdict["tables"][0];
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(12));
    for row in 0..12 {
        let [dedupe, compress, zeros] = [0, 1, 2].map(|column| words(table, row, column));
        assert!(["1", "2"].contains(&dedupe) && ["1", "2", "4"].contains(&compress));
        assert_eq!(zeros, ["0%", "50%"][row % 2]);
        if zeros == "50%" {
            let of = |row| cell(table, row, "iops").expect("a rate");
            assert!(of(row) > 1.1 * of(row - 1), "{row}: {table:#}");
        }
    }
}

#[test]
fn a_campaign_that_is_killed_again_and_again_comes_to_its_end() {
    let place = TestFolder::new();
    let run = typed("saturate null:1GiB --reads 100 --blocks 4k --depth 4");
    let rest = typed("--for 100ms --warmup 0s --interval 50ms --record r.plim");
    assert!(killed_after(&place, &[&run[..], &rest].concat(), 3, 0));
    let resume = ["resume", "r.plim", "--no-settle"];
    let mut kept: Vec<Value> = Vec::new();
    for round in 0..200_u64 {
        let now = steps(&place, "r.plim");
        assert_eq!(now[..kept.len()], kept[..], "what was done stays as it was");
        kept = now;
        if !killed_after(
            &place,
            &resume,
            [3, 7, 2, 5][round as usize % 4],
            round * 900,
        ) {
            break;
        }
    }
    let document = place.plimsoll("show --json r.plim").ok().json();
    assert_eq!(document["status"], "completed");
    let verdict = verdict(&document);
    assert_eq!(
        verdict["tables"][0]["rows"].as_array().map(Vec::len),
        Some(4)
    );
}

#[test]
fn what_is_no_campaign_or_sweep_is_refused_with_the_remedy() {
    let place = TestFolder::new();
    let refuse = |words: &[&str], parts: &[&str]| {
        place.plimsoll(words).refused(parts);
    };
    refuse(&["sweep", "null:1g", "--repeats", "0"], &["--repeats", "0"]);
    refuse(
        &["sweep", "null:1g", "--over", "content"],
        &["--over", "reduction"],
    );
    refuse(
        &["sweep", "null:1g", "--order", "any"],
        &["--order", "abba"],
    );
    refuse(
        &["sweep", "null:1g", "--block", "4k"],
        &["has one cell", "--block 4k,8k"],
    );
    refuse(
        &["sweep", "null:1g", "--block", "4k,4096"],
        &["twice", "--repeats"],
    );
    refuse(
        &["saturate", "null:1g", "--reads", "101"],
        &["--reads", "101"],
    );
    refuse(
        &["saturate", "null:1g", "--blocks", "0"],
        &["--blocks", "0"],
    );
    place.text(
        "d.toml",
        "[target.t]\npath = \"null:1g\"\n[workload.w]\n[[run]]\nfor = \"1s\"\nblocks = [\"4k\"]\n",
    );
    refuse(
        &["run", "d.toml"],
        &["d.toml:6", "`blocks`", "only a saturate or a pts has it"],
    );
    place.text(
        "e.toml",
        "[target.t]\npath = \"null:1g\"\n[workload.w]\n[[run]]\nfor = \"1s\"\n",
    );
    refuse(
        &["resume", "nofile.plim"],
        &[
            "no record nofile.plim",
            "a run says at its end where its record is",
        ],
    );
    refuse(
        &["curve", "null:1g", "--like", "nofile", "--dry-run"],
        &["nofile", "plimsoll fingerprint TARGET --save"],
    );
    let unknown = place.plimsoll("fingerprint --like");
    let unknown = unknown.refused(&["'--like'", "plimsoll COMMAND --help"]);
    assert!(!unknown.err.contains("as a value"), "{unknown:#?}");
    refuse(&["sweep", "e.toml"], &["no sweep", "method = \"sweep\""]);
}
