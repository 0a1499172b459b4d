//! `plimsoll audit`: what other tools left, by the built program.

use crate::place::{TestFolder, holds};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PAGE: &str = "docs/audit-foreign.md";

fn sample(name: &str) -> PathBuf {
    Path::new(ROOT)
        .join("truth/foreign/tests/corpus")
        .join(name)
}

fn path(name: &str) -> String {
    sample(name).to_str().expect("text").to_string()
}

#[test]
fn the_exit_code_says_whether_a_result_stands() {
    let place = TestFolder::new();
    let audit = |words: &[&str]| place.plimsoll(&[&["audit"], words].concat()).code;
    assert_eq!(audit(&[&path("vdbench/repaired.txt")]), Some(0));
    assert_eq!(audit(&[&path("vdbench/repaired.txt"), "--strict"]), Some(0));
    assert_eq!(audit(&[&path("vdbench/curve-8k.txt")]), Some(0), "suspect");
    assert_eq!(audit(&[&path("vdbench/curve-8k.txt"), "--strict"]), Some(1));
    let collapse = path("vdbench/collapse.txt");
    assert_eq!(
        audit(&[&collapse, "--claim", "sustained"]),
        Some(1),
        "invalid"
    );
    assert_eq!(audit(&["no-such-file"]), Some(2));
    // The worst counts, and what could not be read is worse.
    let (clean, invalid) = (path("fio/honest.json"), path("diskspd/impossible.txt"));
    assert_eq!(audit(&[&clean, &invalid]), Some(1));
    assert_eq!(audit(&[&invalid, "no-such-file"]), Some(2));
}

/// The figures of the sample that an answer has to repeat are fio's own.
#[test]
fn the_last_lines_say_what_was_measured_and_whether_it_is_to_be_believed() {
    let place = TestFolder::new();
    let text = std::fs::read_to_string(sample("fio/buffered.json")).expect("read");
    let start = text.find('{').expect("JSON");
    let json: Value = serde_json::from_str(&text[start..]).expect("JSON");
    let iops = json["jobs"][0]["read"]["iops"].as_f64().expect("a rate");
    let done = place.plimsoll(&["audit", &path("fio/buffered.json")]).ok();
    done.ends_in(&["Answer", "Trust", "Next"]);
    let answer = done.out.lines().find(|l| l.starts_with("Answer"));
    let answer = answer.expect("an answer").replace(',', "");
    holds!(
        answer,
        &format!(" {iops:.0} reads per second"),
        "it is doubtful"
    );
    done.says(&["of which 1 matters", "(PL019)", "Say direct=1"]);
    assert!(!done.out.contains("clean"), "{done:#?}");
    // Of several the worst is the answer.
    let both = [path("fio/honest.json"), path("diskspd/impossible.txt")];
    let done = place.plimsoll(&["audit", &both[0], &both[1]]);
    done.ends_in(&["Answer", "Trust", "Next"]);
    done.says(&[
        "Answer   2 results: 1 not to be believed, 0 doubtful, 1 neither",
        "DiskSPD measured",
    ]);
}

#[test]
fn a_result_is_judged_by_its_length_unless_somebody_claims_more() {
    let place = TestFolder::new();
    let text = std::fs::read_to_string(sample("fio/honest.json")).expect("read");
    let audit = |text: &str, words: &[&str]| {
        place.text("fio.json", text);
        place.plimsoll(&[&["audit", "fio.json"], words].concat())
    };
    // fio says of it 31003 ms.
    audit(&text, &[]).says(&["audit for the claim burst: ", "trusted as a burst of 31s"]);
    let claimed = audit(&text, &["--claim", "sustained"]);
    claimed.says(&[
        "suspect  PL030",
        "too short to be trusted as sustained load",
    ]);
    assert!(!claimed.out.contains("claim burst"), "{claimed:#?}");
    let long = text
        .replace("31003", "61003")
        .replace("\"runtime\" : \"30", "\"runtime\" : \"60");
    audit(&long, &[]).says(&["audit for the claim sustained: "]);
    place
        .plimsoll(&["check", "5000 at 1ms, for 20s"])
        .says(&["audit for the claim burst: "]);
}

#[test]
fn findings_come_with_their_line_their_rule_and_what_to_do() {
    let place = TestFolder::new();
    std::fs::copy(sample("vdbench/collapse.txt"), place.path("run.log")).expect("copied");
    let done = place.plimsoll("audit --claim sustained run.log");
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(
        lines[0].starts_with("run.log: taken for a log or console text of Vdbench, 1 run"),
        "{done:#?}"
    );
    assert!(
        lines[1].starts_with("invalid  PL108 collapse (run.log:8): `run1 (threads=32)`:"),
        "{done:#?}"
    );
    let all = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "from 96,334/s to 31,825/s",
        "Report both levels",
        "(plimsoll explain PL108)",
        "not observable here, and so neither good nor bad: ",
    ] {
        assert!(all.contains(says), "{says}: {done:#?}");
    }
}

#[test]
fn json_is_one_document_with_values_and_places() {
    let place = TestFolder::new();
    let done = place.plimsoll(&format!(
        "audit --json '{}' '{}'",
        path("diskspd/impossible.txt"),
        path("fio/honest.json")
    ));
    let document: Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(document["worst"], "invalid");
    let first = &document["results"][0];
    assert_eq!(first["tool"], "DiskSPD");
    let finding = &first["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["name"], &finding["severity"]),
        (&"PL105".into(), &"littles-law".into(), &"invalid".into())
    );
    // In the shape of a record's.
    assert_eq!(
        (&first["schema"], &first["claim"]),
        (&1.into(), &"burst".into())
    );
    assert!(
        finding["values"]
            .as_array()
            .expect("values")
            .iter()
            .any(|v| v["quantity"]["unit"] == "per_second")
    );
    assert_eq!(finding["places"][0]["line"], 45);
    assert!(finding["remedy"].is_string());
    let unseen = first["not_observable"].as_array().expect("a list");
    assert!(unseen.iter().any(|n| n["rule"] == "PL124"), "{unseen:#?}");
    assert_eq!(
        document["results"][1]["findings"]
            .as_array()
            .map(|f| f.iter().all(|f| f["severity"] == "note")),
        Some(true)
    );
}

#[test]
fn standard_input_and_folders_are_read() {
    let place = TestFolder::new();
    let mut child = place
        .command("audit -")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let text = std::fs::read(sample("elbencho/clean.csv")).expect("read");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(&text)
        .expect("written");
    let out = child.wait_with_output().expect("ended");
    let printed = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        printed.starts_with("standard input: taken for a CSV of elbencho 3.1-10"),
        "{printed}"
    );
    assert_eq!(out.status.code(), Some(0));
    // An output folder is one result; any other folder has one for each file that is one.
    std::fs::create_dir(place.path("out")).expect("made");
    std::fs::copy(
        sample("vdbench/collapse.txt"),
        place.path("out/summary.html"),
    )
    .expect("copied");
    place.text(
        "out/parmfile.html",
        "sd=sd1,lun=/mnt/a,threads=32\nwd=wd1,sd=sd1,xfersize=4k,rhpct=75\nrd=run1,wd=wd1,iorate=max,elapsed=10,interval=2\n",
    );
    let done = place.plimsoll("audit --claim sustained out");
    assert!(
        done.out
            .starts_with("out: taken for an output folder of Vdbench"),
        "{done:#?}"
    );
    done.says(&[
        "suspect  PL016 hot-slice (",
        "invalid  PL108 collapse (out/summary.html:8)",
    ]);
    std::fs::create_dir(place.path("all")).expect("made");
    std::fs::copy(sample("fio/merged.json"), place.path("all/a.json")).expect("copied");
    place.text("all/notes.txt", "nothing\n");
    let done = place.plimsoll("audit all");
    assert_eq!(done.code, Some(0), "{done:#?}");
    done.warns(&["passed over: all/notes.txt is no result that is known"]);
}

#[test]
fn what_is_no_result_is_refused_with_what_to_do() {
    let place = TestFolder::new();
    let refused = |words: &[&str], says: &str| {
        let done = place.plimsoll(&[&["audit"], words].concat());
        assert_eq!(done.code, Some(2), "{done:#?}");
        done.warns(&[says]);
    };
    refused(&["/dev/null"], "is a device");
    place.text(
        "job.parm",
        "sd=sd1,lun=/dev/sdb\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max\n",
    );
    refused(&["job.parm"], "give the folder that Vdbench wrote");
    place.quick("run null:1g --record own.plim --quiet").ok();
    let own = place.plimsoll("audit own.plim");
    assert!(own.out.starts_with("own.plim"), "{own:#?}");
    assert_eq!(
        place.names(),
        ["job.parm", "own.plim"],
        "audit writes nothing"
    );
}

/// The commands of the page, each with the text that stands behind it.
#[test]
fn the_page_shows_what_the_program_prints() {
    let page = std::fs::read_to_string(Path::new(ROOT).join(PAGE)).expect("the page");
    let mut shown = 0;
    let mut made = page.clone();
    for block in page.split("```sh\n").skip(1) {
        let Some((command, behind)) = block.split_once("\n```\n\n```text\n") else {
            continue;
        };
        let Some((text, _)) = behind.split_once("\n```") else {
            continue;
        };
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let out = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(&words)
            .current_dir(ROOT)
            .env("COLUMNS", "110")
            .output()
            .expect("started");
        let printed = String::from_utf8_lossy(&out.stdout).trim_end().to_string();
        shown += 1;
        if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
            made = made.replacen(
                &format!("{command}\n```\n\n```text\n{text}\n"),
                &format!("{command}\n```\n\n```text\n{printed}\n"),
                1,
            );
        } else {
            assert_eq!(printed, text, "{command}: PLIMSOLL_UPDATE=1 writes it anew");
        }
    }
    assert!(shown >= 3, "{shown} examples");
    if made != page {
        std::fs::write(Path::new(ROOT).join(PAGE), made).expect("written");
    }
}

#[test]
fn names_from_a_result_cannot_command_a_terminal() {
    let place = TestFolder::new();
    let text = std::fs::read_to_string(sample("fio/zero.json")).expect("read");
    let name = |text: &str| {
        let (_, rest) = text.split_once("\"jobname\" : \"").expect("a name");
        rest.split('"').next().unwrap_or_default().to_string()
    };
    let named = text.replace(
        &format!("\"jobname\" : \"{}\"", name(&text)),
        "\"jobname\" : \"a\\u001b[2Jb\\n\"",
    );
    place.text("a.json", &named);
    let done = place.plimsoll("audit a.json");
    done.says(&[r"a\x1b[2Jb"]);
    assert!(!done.out.contains('\x1b'), "{done:#?}");
}

#[test]
fn the_rules_judge_for_the_claim_and_their_pages_are_in_the_catalogue() {
    let place = TestFolder::new();
    let buffered = path("fio/buffered.json");
    let audit = |claim: &str| place.plimsoll(&["audit", "--claim", claim, &buffered]);
    assert_eq!(audit("sustained").code, Some(0));
    assert_eq!(audit("device").code, Some(1), "PL019 is invalid for it");
    assert!(audit("device").out.contains("invalid  PL019 buffered-io"));
    let page = place.plimsoll("explain histogram-against-mean").out;
    assert!(page.starts_with("# PL516 histogram-against-mean"), "{page}");
}

/// fio repeats no option that has no value: `zero_buffers` is in its job file only.
const ZERO_JOB: &str = "[global]\nioengine=libaio\ndirect=1\nbs=4k\niodepth=8\nfilename=/tmp/F\nsize=64m\ntime_based\nruntime=40\nramp_time=5\n\
     [w]\nrw=randwrite\nzero_buffers\n";

fn zero_result() -> String {
    r#"{"fio version": "fio-3.33", "global options": {"ioengine": "libaio", "direct": "1", "bs": "4k", "iodepth": "8",
"filename": "/tmp/F", "size": "64m", "runtime": "40", "ramp_time": "5"}, "jobs": [{"jobname": "w", "error": 0,
"job options": {"rw": "randwrite"}, "job_runtime": 40000,
"read": {"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0},
"write": {"io_bytes": 1638400000, "bw_bytes": 40960000, "iops": 10000.0, "runtime": 40000, "total_ios": 400000,
"lat_ns": {"min": 100000, "max": 4000000, "mean": 799000.0, "stddev": 90000.0, "N": 400000}}}]}"#
        .to_string()
}

#[test]
fn a_definition_beside_a_result_says_what_the_result_leaves_out() {
    let place = TestFolder::new();
    place.text("fio.json", &zero_result());
    place.text("job.fio", ZERO_JOB);
    let alone = place.plimsoll("audit fio.json --json");
    let alone: Value = serde_json::from_str(&alone.out).expect("JSON");
    let lacks = |rule: &str| {
        let unseen = alone["results"][0]["not_observable"].as_array();
        unseen.is_some_and(|all| all.iter().any(|n| n["rule"] == rule))
    };
    assert!(lacks("PL012") && lacks("PL022"), "{alone:#}");
    let with = place.plimsoll("audit fio.json --job job.fio");
    assert_eq!(with.code, Some(1), "{with:#?}");
    with.says(&["invalid  PL012 zero-content"]);
}

#[test]
fn a_definition_that_is_not_the_results_is_refused_with_the_reason() {
    let place = TestFolder::new();
    place.text("fio.json", &zero_result());
    let refused = |file: &str, text: &str, says: &str| {
        place.text(file, text);
        let done = place.plimsoll(&["audit", "fio.json", "--job", file]);
        let err = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(done.code, Some(2), "{done:#?}");
        assert!(err.contains(says), "{says}: {done:#?}");
    };
    refused(
        "other.fio",
        &ZERO_JOB.replace("[w]", "[x]"),
        "has no `w`, which the result has; it has `x`",
    );
    refused(
        "larger.fio",
        &ZERO_JOB.replace("bs=4k", "bs=8k"),
        "asks for transfers of 8KiB in `w`, and the result says 4KiB",
    );
    refused(
        "bad.fio",
        &ZERO_JOB.replace("rw=randwrite", "rw=sideways"),
        "bad.fio cannot be read as a fio job file",
    );
    refused(
        "job.parm",
        "sd=sd1,lun=/dev/sdb\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=max\n",
        "job.parm is a Vdbench parameter file, and the result is of fio",
    );
    // What two sections did together is not what the first was asked.
    let two = ZERO_JOB.replace("[w]", "group_reporting\n[w]\nbs=8k") + "[v]\nrw=randread\n";
    place.text("two.fio", &two);
    let done = place.plimsoll("audit fio.json --job two.fio --json").json();
    let found = done["results"][0]["findings"].as_array().expect("findings");
    let of_result = |f: &&Value| f["rule"] == "PL012" && f["places"].is_array();
    assert!(!found.iter().any(|f| of_result(&f)), "{found:#?}");
    let none = place.plimsoll("audit fio.json --job none.fio");
    none.warns(&["none.fio cannot be read"]);
}

#[test]
fn a_definition_without_a_plan_is_not_asked_for_again_and_says_why() {
    let place = TestFolder::new();
    place.text("fio.json", &zero_result());
    let ask = "the definition that it was run with (--job FILE)";
    let alone = place.plimsoll("audit fio.json");
    alone.says(&[ask]);
    place.text("zoned.fio", &format!("{ZERO_JOB}zonemode=zbd\n"));
    let done = place.plimsoll("audit fio.json --job zoned.fio");
    let said = done.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!said.contains(ask), "{said}");
    for words in [
        "zoned.fio was read for what the result leaves out, but no plan can be made of it here",
        "zoned devices cannot be tested yet",
        "a plan of the definition that it was run with, which cannot be made here",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // It is of the whole result, and of no line.
    assert!(!said.contains("fio.json:0"), "{said}");
    // What the result leaves out is known from it.
    assert!(said.contains("PL012"), "{said}");
}

#[test]
fn a_parameter_file_and_a_command_line_are_read_beside_their_results() {
    let place = TestFolder::new();
    let hits = "sd=sd1,lun=/mnt/a,threads=32,hitarea=1m\nwd=wd1,sd=sd1,xfersize=4k,rhpct=75\nrd=run1,wd=wd1,iorate=max,elapsed=10,interval=2\n";
    place.text("job.parm", hits);
    let result = path("vdbench/repaired.txt");
    let done = place.plimsoll(&["audit", &result, "--job", "job.parm"]);
    done.says(&["PL016 hot-slice"]);
    place.text("job.parm", &hits.replace("rhpct=75", "rdpct=30"));
    let done = place.plimsoll(&["audit", &result, "--job", "job.parm"]);
    let words = "job.parm asks for reads of 30 % in `run1";
    done.warns(&[words]);
    let text = std::fs::read_to_string(sample("diskspd/clean.txt")).expect("read");
    let line = text.lines().find(|l| l.starts_with("Command Line:"));
    let command = line
        .expect("a command line")
        .trim_start_matches("Command Line:")
        .trim();
    place.text("cmd.txt", command);
    let result = path("diskspd/clean.txt");
    let done = place.plimsoll(&["audit", &result, "--job", "cmd.txt"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    place.text(
        "cmd.txt",
        &command.replace("-b8K", "-b16K").replace("-b4K", "-b16K"),
    );
    let done = place.plimsoll(&["audit", &result, "--job", "cmd.txt"]);
    done.warns(&["cmd.txt asks for transfers of 16KiB"]);
}

#[test]
fn findings_of_results_and_records_come_as_sarif_with_the_rules_numbers() {
    let place = TestFolder::new();
    place.quick("run null:1g --record own.plim --quiet").ok();
    let words = [
        "audit",
        "--format",
        "sarif",
        &path("diskspd/impossible.txt"),
        "own.plim",
    ];
    let done = place.plimsoll(&words);
    assert_eq!(done.code, Some(1), "{done:#?}");
    let log = done.json();
    assert_eq!(log["version"], "2.1.0");
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2);
    let first = &runs[0]["results"][0];
    assert_eq!(
        (&first["ruleId"], &first["level"]),
        (&"PL105".into(), &"error".into())
    );
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 45);
    let rules = runs[0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules");
    assert!(rules.iter().any(|r| r["id"] == "PL105"), "{rules:#?}");
}

#[test]
fn how_often_each_rule_spoke_over_known_answers_is_told() {
    let place = TestFolder::new();
    let all = place.plimsoll("explain --coverage --json").ok().json();
    let all = all.as_array().expect("rules");
    let listed = place.plimsoll("explain").ok().out;
    let codes = listed.lines().filter(|line| line.starts_with("PL"));
    assert_eq!(codes.count(), all.len());
    let of = |code: &str| all.iter().find(|one| one["rule"] == code).expect(code);
    // Two of the results that lie here wrote zeros, and each rule that looks at runs is silent on the sound one at least.
    let zeros = of("PL012");
    assert!(zeros["results"]["fired"].as_u64() >= Some(2), "{zeros}");
    assert!(zeros["cases"]["fired"].as_u64() >= Some(1), "{zeros}");
    assert!(of("PL153")["cases"]["clean"].as_u64() >= Some(1));
    // No result of another tool shows what the device saw.
    assert!(of("PL125")["results"]["unseen"].as_u64() > Some(30));
    let said = place.plimsoll("explain --coverage PL012").ok().out;
    let row = said.lines().last().expect("a row");
    let figures: Vec<u64> = row
        .split_whitespace()
        .skip(2)
        .filter_map(|n| n.parse().ok())
        .collect();
    let expected = ["cases", "results"].iter().flat_map(|of| {
        ["fired", "clean", "unseen"].map(|what| zeros[of][what].as_u64().expect("a count"))
    });
    assert_eq!(figures, expected.collect::<Vec<_>>(), "{said}");
}
