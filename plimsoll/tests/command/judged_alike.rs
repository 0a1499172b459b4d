//! One run, judged as our own record and as the folder of another tool: what both show gets one verdict. Runs of simulated arrays are
//! drawn from seeds, and take no time.

use crate::place::{TestFolder, holds};
use plimsoll_draw::Draw;
use serde_json::Value;
use std::collections::BTreeMap;

/// Draws in each run of the tests; `PLIMSOLL_DRAWS` asks for more.
const DRAWS: u64 = 12;

/// Rules that look at what a folder of Vdbench shows, too: rates over time, times and depths.
const BOTH_SEE: [&str; 6] = ["PL103", "PL105", "PL108", "PL114", "PL152", "PL411"];

/// A run's record and its folder, from one parameter file.
fn done(place: &TestFolder, name: &str, text: &str) -> (String, String) {
    place.text(&format!("{name}.parm"), text);
    place
        .plimsoll(&["vdbench", "-f", &format!("{name}.parm"), "-o", name])
        .ok();
    // In a folder of their own the pages are all that there is.
    let record = format!("{name}.plim");
    std::fs::rename(
        place.path(&format!("{name}/record.plim")),
        place.path(&record),
    )
    .expect("moved");
    (record, name.to_string())
}

/// The severity of each rule that found something, of those that see both.
fn found(place: &TestFolder, what: &str, claim: &str) -> BTreeMap<String, String> {
    let done = place.plimsoll(&["audit", "--json", "--claim", claim, what]);
    let document: Value = done.json();
    let list = match document["records"].as_array().map(Vec::len) {
        Some(1) => &document["records"][0]["findings"],
        _ => &document["results"][0]["findings"],
    };
    let all = list.as_array().expect("findings").iter();
    let word = |v: &Value| v.as_str().unwrap_or_default().to_string();
    all.map(|f| (word(&f["rule"]), word(&f["severity"])))
        .filter(|(rule, _)| BOTH_SEE.contains(&rule.as_str()))
        .collect()
}

fn drawn(dice: &mut Draw) -> String {
    let array = dice.of(&[
        "starved-host",
        "starved-host",
        "flash-gateway?scale=50&size=64g",
        "scale-out-flash-8?scale=200&size=8g",
        "curve-8k?scale=16",
        "single-ssd?scale=50&size=1g",
        "single-ssd?scale=50&size=256m",
    ]);
    let depth = dice.of(&[4, 16, 32]);
    let reads = dice.of(&[100, 70, 0]);
    let warm_up = dice.of(&["", ",warmup=3", ",warmup=5", ",warmup=10"]);
    let elapsed = dice.of(&[20, 40, 60]);
    format!(
        "sd=sd1,lun=\"lab:{array}\",threads={depth}\nwd=wd1,sd=sd1,xfersize=8k,rdpct={reads},seekpct=100\n\
         rd=run1,wd=wd1,iorate=max,elapsed={elapsed},interval=1{warm_up}\n"
    )
}

#[test]
fn a_drawn_run_has_the_same_verdict_as_a_record_and_as_a_folder() {
    let draws = std::env::var("PLIMSOLL_DRAWS");
    let draws = draws.ok().and_then(|n| n.parse().ok()).unwrap_or(DRAWS);
    let place = TestFolder::new();
    let mut fallen = 0;
    for seed in 0..draws {
        let text = drawn(&mut Draw(seed));
        let (record, folder) = done(&place, &format!("run{seed}"), &text);
        for claim in ["sustained", "device"] {
            let own = found(&place, &record, claim);
            fallen += own.len();
            assert_eq!(
                own,
                found(&place, &folder, claim),
                "seed {seed}, {claim}:\n{text}"
            );
        }
    }
    assert!(fallen > 0, "nothing was found in any of them");
}

#[test]
fn a_host_that_starves_in_the_warm_up_makes_a_claim_on_the_device_invalid() {
    let place = TestFolder::new();
    let done =
        place.plimsoll("run lab:starved-host --depth 32 --for 60s --claim device --record a.plim");
    assert_eq!(done.code, Some(1), "{done:#?}");
    let (_, audit) = done
        .out
        .split_once("audit for the claim device:")
        .expect("an audit");
    let mut lines = audit.lines().skip(1);
    let first = lines.next().expect("a finding");
    assert!(
        first.starts_with("invalid  PL151 host-was-the-limit: Limited by the host's CPU"),
        "{audit}"
    );
    assert!(audit.contains("PL152 fell-in-warm-up"), "{audit}");
    // What lasts is what was counted.
    assert_eq!(
        place.plimsoll("audit a.plim --claim sustained").code,
        Some(0)
    );
    let text = "sd=sd1,lun=lab:starved-host,threads=32\nwd=wd1,sd=sd1,xfersize=4k,rdpct=100,seekpct=100\n\
                rd=run1,wd=wd1,iorate=max,elapsed=60,interval=1,warmup=5\n";
    let (_, folder) = self::done(&place, "starved", text);
    let read = place.plimsoll(&["audit", "--claim", "device", &folder]);
    assert_eq!(read.code, Some(1), "{read:#?}");
    read.says(&["invalid  PL152 fell-in-warm-up"]);
}

#[test]
fn the_published_course_of_five_intervals_is_a_fall_in_the_record_as_in_the_folder() {
    let place = TestFolder::new();
    let text = "sd=sd1,lun=lab:starved-host,threads=32\nwd=wd1,sd=sd1,xfersize=4k,rdpct=100,seekpct=100\n\
                rd=run1,wd=wd1,iorate=max,elapsed=10,interval=2\n";
    let (record, folder) = self::done(&place, "published", text);
    for result in [record, folder] {
        let read = place.plimsoll(&["audit", "--claim", "device", &result]);
        assert_eq!(read.code, Some(1), "{read:#?}");
        let said = read.out.lines().find(|line| line.contains("PL108"));
        let said = said.unwrap_or_else(|| panic!("{read:#?}"));
        assert!(said.starts_with("invalid"), "{said}");
        assert!(said.contains("96,34") && said.contains("31,82"), "{said}");
    }
}

/// The persona says whose fall it is: its own times stay as they were.
#[test]
fn a_fall_above_the_array_is_the_hosts() {
    let place = TestFolder::new();
    let done =
        place.plimsoll("run lab:starved-host --depth 32 --for 10s --warmup 0s --record a.plim");
    let said = done
        .out
        .lines()
        .find(|line| line.contains("PL108"))
        .expect("a fall");
    holds!(
        said,
        "what fell is above it, in the host",
        "Without the host's fall"
    );
    let sustained = place.plimsoll("run lab:starved-host --depth 32 --for 60s --record b.plim");
    sustained.says(&["suspect  PL152 fell-in-warm-up"]);
}

/// The persona's rows at 120 and at 140 in flight, of which 70 % are reads, make 1,075 us at 128: 119,000/s.
#[test]
fn a_maximum_that_is_far_too_deep_is_told_what_would_have_done() {
    let place = TestFolder::new();
    let said = |depth: u32| {
        let run = format!(
            "run lab:curve-8k --block 8k --read 70 --for 5s --warmup 1s --depth {depth} --record {depth}.plim"
        );
        place.plimsoll(&run);
        place.plimsoll(&format!("audit {depth}.plim")).out
    };
    let deep = said(512);
    let carried = deep
        .split_once("128 of them carry ")
        .and_then(|(_, rest)| rest.split_once("/s"));
    let carried = carried.and_then(|(rate, _)| rate.replace(',', "").parse::<f64>().ok());
    let carried = carried.unwrap_or_else(|| panic!("{deep}"));
    assert!((carried / 119_014.0 - 1.0).abs() < 0.02, "{carried}");
    assert!(!said(128).contains("PL156"));
}
