//! Where the counted time begins and ends, and what of the I/Os on its edges counts, in virtual time.

use crate::place::{TestFolder, typed};
use rusqlite::Connection;

/// An array of one path that answers a read in 1 ms; from 57 s to 60 s it takes three seconds more.
const SLOW_AT_THE_END: &str = r#"
name = "slow-at-the-end"
about = "An array of one path, which is slow at the end"
scale = 1.0
[luns]
count = 1
gib = 0.0625
[ports]
count = 1
paths = 1
mib_s = 1e9
command_us = 0.0
[latency]
read_us = 1000.0
write_us = 1000.0
map_us = 1000.0
[[faults]]
at = "57s"
fault = "path-slow"
path = 0
by = "3s"
for = "3s"
"#;

#[test]
fn the_warm_up_is_in_no_counted_interval_whatever_its_length() {
    for (warmup, length, interval, expected) in [
        ("5s", "60s", "60s", vec![(0, 5_000, 1), (5_000, 60_000, 0)]),
        ("10ms", "1s", "1s", vec![(0, 10, 1), (10, 1_000, 0)]),
        (
            "2500ms",
            "3s",
            "2s",
            vec![
                (0, 2_000, 1),
                (2_000, 500, 1),
                (2_500, 2_000, 0),
                (4_500, 1_000, 0),
            ],
        ),
    ] {
        let place = TestFolder::new();
        let words = ["run", "lab:scale-out-flash-4?size=64m", "--rate", "2000"];
        let times = ["--warmup", warmup, "--for", length, "--interval", interval];
        let rest = ["-q", "--json", "--record", "a.plim"];
        let done = place.plimsoll(&[&words[..], &times, &rest].concat()).ok();
        let step = &done.json()["steps"][0];
        let seconds: i64 = expected.iter().filter(|i| i.2 == 0).map(|i| i.1).sum();
        assert_eq!(step["counted_s"].as_f64(), Some(seconds as f64 / 1e3));
        // At this rate each tenth of a second has some 200.
        let ios = step["ios"].as_f64().expect("a count");
        let near = (ios / (2.0 * seconds as f64) - 1.0).abs();
        assert!(near < 0.1, "{ios} in {seconds} ms");
        let db = Connection::open(place.path("a.plim")).expect("a record");
        let query =
            "SELECT start_ns / 1000000, length_ns / 1000000, warmup FROM intervals WHERE drain = 0";
        let mut statement = db.prepare(query).expect("a query");
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .expect("rows");
        let rows: Vec<(i64, i64, i64)> = rows.collect::<Result<_, _>>().expect("rows");
        assert_eq!(rows, expected);
    }
}

#[test]
fn a_target_that_stands_still_at_the_end_shows_in_the_percentiles_and_the_record() {
    let place = TestFolder::new();
    place.text("slow.toml", SLOW_AT_THE_END);
    let words = typed("run lab:./slow.toml --rate 20 --arrival even");
    let times = ["--warmup", "0s", "--for", "60s", "--interval", "10s"];
    let all = [&words[..], &times, &["--depth", "64", "--record", "a.plim"]].concat();
    let lines = place.plimsoll(&all).ok();
    let step = &place.plimsoll("show --json a.plim").ok().json()["steps"][0];
    // One is due each 50 ms. Sixty of the 1,200 took three seconds: 5 %.
    let ms = |at: &str| {
        step["response"]["percentiles_us"][at]
            .as_f64()
            .expect("a percentile")
            / 1e3
    };
    assert!((ms("50") - 1.0).abs() < 0.1, "{}", ms("50"));
    assert!((ms("99") - 3_001.0).abs() < 30.0, "{}", ms("99"));
    assert_eq!(step["ios"], 1_140);
    let mean_ms = step["response"]["mean_us"].as_f64().expect("a mean") / 1e3;
    let truth = 1.0 + 3_000.0 * 60.0 / 1_200.0;
    assert!((mean_ms - truth).abs() < 1.0, "{mean_ms}, in truth {truth}");

    // What came back later is no line, and is named in the record and its exports.
    let shown = lines
        .out
        .lines()
        .filter(|l| l.contains(':') && l.ends_with(" 0"));
    assert!(shown.count() >= 6, "{lines:#?}");
    assert!(!lines.out.contains("     d7"), "{lines:#?}");
    let db = Connection::open(place.path("a.plim")).expect("a record");
    let query = "SELECT interval, start_ns, ios FROM intervals WHERE drain = 1";
    let drain = db.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    assert_eq!(drain.expect("one"), (7, 60_000_000_000_i64, 60));
    let hdr = place.plimsoll("export --hdr a.plim").ok();
    hdr.says(&["read.response.drain"]);
    let csv = place.plimsoll("export --csv --rows intervals a.plim").ok();
    assert!(
        csv.out.lines().next().expect("a header").contains(",drain"),
        "{csv:#?}"
    );
}
