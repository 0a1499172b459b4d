//! The audit at a run's end, and again of its record.

use crate::place::{Done, TestFolder, typed};

const ZEROS: &str = "run lab:scale-out-flash-8?size=8g --read 0 --content zeros --rate 500 --for 10s --warmup 1s --quiet";

fn rules(place: &TestFolder, record: &str) -> Vec<(String, String)> {
    let db = rusqlite::Connection::open(place.path(record)).expect("a record");
    let mut found = db
        .prepare("SELECT rule, severity FROM findings")
        .expect("a table");
    let rows = found
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn zeros(place: &TestFolder, words: &[&str]) -> Done {
    place.plimsoll(&[&typed(ZEROS), words].concat())
}

#[test]
fn zeros_are_named_before_and_after_and_the_run_does_not_pass() {
    let place = TestFolder::new();
    let done = zeros(&place, &["--record", "a.plim"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    done.says(&[
        "audit for the claim burst: 2 invalid",
        "invalid  PL012 zero-content: ",
    ]);
    // 500/s at the host, and the media had a part in none.
    done.says(&[
        "invalid  PL200 zeros-served: 100% of the writes",
        "(plimsoll explain PL200)",
    ]);
    let found = rules(&place, "a.plim");
    for rule in ["PL012", "PL200"] {
        let times = found
            .iter()
            .filter(|(r, s)| r == rule && s == "invalid")
            .count();
        assert_eq!(times, 1, "{rule}: {found:?}");
    }
    let json = zeros(&place, &["--no-record", "--json"]);
    assert_eq!(json.code, Some(1), "{json:#?}");
    let document = json.json();
    crate::measuring::assert_valid(&document);
    let named = document["findings"].as_array().expect("findings").iter();
    assert_eq!(
        named.filter(|f| f["rule"] == "PL200").count(),
        1,
        "{document}"
    );
}

/// The values of a rule's one finding, by their names.
fn values_of(findings: &serde_json::Value, rule: &str) -> serde_json::Value {
    let all = findings.as_array().expect("findings").iter();
    let mut found = all.filter(|f| f["rule"] == rule);
    let one = found.next().unwrap_or_else(|| panic!("no {rule}"));
    assert!(found.next().is_none(), "{rule} once");
    one["values"].clone()
}

#[test]
fn a_findings_values_are_the_same_in_every_document_and_in_the_record() {
    let place = TestFolder::new();
    let words = typed(
        "run lab:scale-out-flash-8?size=8g&scale=50 --block 8k --hits read=40,area=1m,placement=contiguous --depth 128 --for 4s \
          --warmup 2s --quiet --json --record hot.plim",
    );
    let run = place.plimsoll(&words).json();
    crate::measuring::assert_valid(&run);
    let show = place.plimsoll(&["show", "hot.plim", "--json"]).json();
    crate::measuring::assert_valid(&show);
    let audit = place.plimsoll(&["audit", "hot.plim", "--json"]).json();
    let said = values_of(&run["findings"], "PL204");
    assert_eq!(said, values_of(&show["findings"], "PL204"));
    let audited = &audit["records"][0]["findings"];
    assert_eq!(said, values_of(audited, "PL204"));
    let seen: String = rusqlite::Connection::open(place.path("hot.plim"))
        .and_then(|db| {
            let sql = "SELECT seen FROM findings WHERE rule = 'PL204'";
            db.query_row(sql, [], |row| row.get(0))
        })
        .expect("a row");
    assert_eq!(
        said,
        serde_json::from_str::<serde_json::Value>(&seen).expect("JSON")
    );
    let value = |name: &str| {
        let mut all = said.as_array().expect("values").iter();
        all.find(|v| v["name"] == name).cloned().unwrap_or_default()
    };
    // Two parts of five go to one core of eight: what the array's own counters say, what the rule's page says, and what the others could do.
    assert_eq!(value("busiest")["quantity"]["unit"], "share");
    assert!(
        value("busiest")["quantity"]["value"].as_f64() > Some(0.9),
        "{said}"
    );
    assert_eq!(value("busiest")["threshold"]["value"], 0.5);
    assert_eq!(value("factor")["threshold"]["value"], 1.5);
    let rate = run["steps"][0]["iops"].as_f64().expect("a rate");
    let clean = value("clean")["quantity"]["value"]
        .as_f64()
        .expect("a clean figure");
    assert_eq!(value("clean")["quantity"]["unit"], "per_second");
    let half = value("clean_half_width")["quantity"]["value"]
        .as_f64()
        .expect("how sure");
    assert!(clean > 1.5 * rate && half > 0.0 && half < clean, "{said}");
}

#[test]
fn a_record_is_judged_again_and_another_claim_judges_otherwise() {
    let place = TestFolder::new();
    zeros(&place, &["--record", "a.plim"]);
    let before = std::fs::read(place.path("a.plim")).expect("a record");
    let again = place.plimsoll(&["audit", "a.plim"]);
    assert_eq!(again.code, Some(1), "{again:#?}");
    again.says(&["PL012 zero-content", "PL200"]);
    let document = place.plimsoll(&["audit", "--json", "a.plim"]).json();
    let document = &document["records"][0];
    assert_eq!(document["path"], "a.plim");
    let findings = document["findings"].as_array().expect("findings");
    let own: Vec<&str> = findings.iter().filter_map(|f| f["rule"].as_str()).collect();
    assert_eq!(own.iter().filter(|r| **r == "PL012").count(), 1, "{own:?}");
    assert!(
        document["clean"].as_array().is_some_and(|c| c.len() > 20),
        "{document}"
    );
    let host = place.plimsoll(&["audit", "--claim", "host", "a.plim"]).ok();
    host.says(&["note     PL012"]);
    let after = std::fs::read(place.path("a.plim")).expect("a record");
    assert!(before == after, "to judge is to read");
}

#[test]
fn a_sound_run_gets_a_bill_in_two_lines() {
    let place = TestFolder::new();
    let words = typed("run lab:curve-8k?size=64g --block 8k --rate 500 --for 30s --quiet --strict");
    let done = place
        .plimsoll(&[&words[..], &["--no-record"]].concat())
        .ok();
    let lines: Vec<&str> = done
        .out
        .lines()
        .filter(|l| l.contains("audit") || l.contains("not observable"))
        .collect();
    assert_eq!(lines.len(), 1, "{done:#?}");
    assert!(
        lines[0].starts_with("audit for the claim burst: clean; "),
        "{done:#?}"
    );
    let at = done
        .out
        .lines()
        .position(|l| l == lines[0])
        .expect("it is there");
    let next = done.out.lines().nth(at + 1).unwrap_or_default();
    assert!(next.contains("could see all"), "{done:#?}");
}

#[test]
fn what_is_suspect_fails_a_strict_run_only() {
    let place = TestFolder::new();
    let words = typed("run lab:curve-8k?size=64g --rate 500 --for 6s --no-record --quiet");
    let with = |more: &[&str]| place.plimsoll(&[&words[..], more].concat());
    let done = with(&["--claim", "sustained"]).ok();
    done.says(&[
        "suspect  PL030 too-short",
        "too short to be trusted as sustained load",
    ]);
    let reads = place.plimsoll("lint --claim sustained -- fio --name=a --filename=f --size=1g --rw=read --runtime=45 --time_based");
    reads.says(&["PL030", "counts 45s, and 1m00s is the least"]);
    let strict = with(&["--strict", "--claim", "sustained"]);
    assert_eq!(strict.code, Some(1), "{strict:#?}");
    // So short a run is taken for what it is, where nobody claims more.
    let burst = with(&["--strict"]).ok();
    burst.says(&["trusted as a burst of 6s; "]);
}

#[test]
fn a_file_in_memory_is_called_what_it_is() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        plimsoll_skipped::skipped!("/dev/shm cannot be written");
        return;
    };
    let place = TestFolder::new();
    let file = folder.path().join("t.dat");
    let path = file.display().to_string();
    let done = place.quick(&format!(
        "run '{path}' --size 8m --caching buffered --no-record"
    ));
    assert_eq!(done.code, Some(1), "{done:#?}");
    done.says(&["PL300 memory-target: ", "tmpfs"]);
}

#[test]
fn records_are_one_document_whether_named_or_in_a_folder() {
    let place = TestFolder::new();
    for name in ["a.plim", "b.plim"] {
        zeros(&place, &["--record", name]);
    }
    let paths = |done: &Done| -> Vec<String> {
        let document = done.json();
        assert_eq!(document["worst"], "invalid", "{document}");
        let records = document["records"].as_array().expect("records").iter();
        let path = |r: &serde_json::Value| r["path"].as_str().map(str::to_string);
        records.filter_map(path).collect()
    };
    let both = place.plimsoll(&["audit", "--json", "a.plim", "b.plim"]);
    assert_eq!(both.code, Some(1), "{both:#?}");
    assert_eq!(paths(&both), ["a.plim", "b.plim"]);
    std::fs::create_dir(place.path("all")).expect("made");
    std::fs::rename(place.path("a.plim"), place.path("all/a.plim")).expect("moved");
    let folder = place.plimsoll(&["audit", "--json", "all"]);
    assert_eq!(folder.code, Some(1), "{folder:#?}");
    assert_eq!(paths(&folder), ["all/a.plim"]);
    let record = std::fs::File::open(place.path("b.plim")).expect("opened");
    let piped = place
        .command(&["audit", "-"])
        .stdin(record)
        .output()
        .expect("ran");
    assert_eq!(piped.status.code(), Some(2));
    let said = String::from_utf8_lossy(&piped.stderr).into_owned();
    assert!(said.contains("name it by its path"), "{said}");
}

#[test]
fn a_record_without_steps_is_not_clean() {
    let place = TestFolder::new();
    zeros(&place, &["--record", "a.plim"]);
    let db = rusqlite::Connection::open(place.path("a.plim")).expect("a record");
    db.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM steps; DELETE FROM findings;")
        .expect("emptied");
    drop(db);
    let done = place.plimsoll(&["audit", "a.plim"]);
    done.says(&["PL100 nothing-measured"]);
    assert!(!done.out.contains("found nothing"), "{done:#?}");
}

#[test]
fn whatever_shows_a_record_that_was_changed_names_the_contradiction() {
    let place = TestFolder::new();
    let run = typed("run null:1GiB --rate 100 -q --seed 7 --record");
    for (record, change, said) in [
        ("whole.plim", "", ""),
        (
            "step.plim",
            "UPDATE steps SET iops = 2 * iops",
            "for `steps.iops`",
        ),
        (
            "target.plim",
            "UPDATE step_targets SET response_max_us = 3 * response_max_us + 5",
            "for `step_targets.response_max_us`",
        ),
        (
            "interval.plim",
            "UPDATE intervals SET iops = 2 * iops + 7 WHERE interval = 2",
            "for `intervals.iops of interval 2`",
        ),
    ] {
        place.quick(&[&run[..], &[record]].concat()).ok();
        let db = rusqlite::Connection::open(place.path(record)).expect("a record");
        db.execute_batch(change).expect("changed");
        drop(db);
        for words in [
            &["show", record][..],
            &["show", "--json", record],
            &["export", "--csv", record],
            &["export", "--csv", "--rows", "targets", record],
            &["export", "--json", record],
        ] {
            let done = place.plimsoll(words).ok();
            match said {
                "" => assert_eq!(done.err, "", "{done:#?}"),
                said => {
                    let warning = "warning: record-contradicts: the record says ";
                    assert!(done.err.starts_with(warning), "{done:#?}");
                    done.warns(&[said]);
                    assert_eq!(done.err.lines().count(), 1, "{done:#?}");
                }
            }
        }
    }
}

#[test]
fn a_null_target_is_not_blamed_for_slots_that_it_cannot_fill() {
    let place = TestFolder::new();
    let done = place.plimsoll("run null:64GiB --for 2s --warmup 1s --no-record");
    assert!(!done.out.contains("PL114"), "{done:#?}");
}

/// True where a rule speaks of a record.
fn speaks(place: &TestFolder, record: &str, rule: &str) -> bool {
    let document = place.plimsoll(&["audit", record, "--json"]).json();
    let found = document["records"][0]["findings"].as_array();
    let found = found.expect("findings").iter();
    found.filter(|f| f["rule"] == rule).count() > 0
}

#[test]
fn trims_of_what_holds_nothing_are_named_and_those_of_data_are_not() {
    let place = TestFolder::new();
    let holes = std::fs::File::create(place.path("holes")).expect("made");
    holes.set_len(16 << 20).expect("longer");
    drop(holes);
    place.foreign("data", 16 << 20);
    for (target, planted) in [("holes", true), ("data", false)] {
        let words = format!(
            "run '{target}' --read 0 --trim 100 --block 64k --access sequential=once --for 30s --warmup 0s --destroy '{target}' \
              --record r.plim --overwrite --quiet"
        );
        let done = place.plimsoll(&words);
        assert!(done.code != Some(2), "{done:#?}");
        assert_eq!(speaks(&place, "r.plim", "PL150"), planted, "{target}");
    }
}

#[test]
fn a_record_that_was_changed_by_hand_contradicts_itself() {
    let place = TestFolder::new();
    zeros(&place, &["--record", "a.plim"]);
    assert!(!speaks(&place, "a.plim", "PL425"));
    let db = rusqlite::Connection::open(place.path("a.plim")).expect("a record");
    db.execute_batch("UPDATE steps SET iops = 2 * iops")
        .expect("changed");
    drop(db);
    let done = place.plimsoll(&["audit", "a.plim"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    done.says(&["PL425 record-contradicts", "`steps.iops`"]);
}
