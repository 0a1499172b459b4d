//! `plimsoll lint` and `plimsoll explain`: what would make a result false, found in its definition.

use crate::place::{Done, TestFolder, holds};
use serde_json::Value;

/// Zeros, a hit area in one piece, and a rate that is too short to last.
const BAD: &str = r#"[target.disk]
path = "/dev/sdx"
size = "1t"

[workload."oltp, 1:2"]
read = 50
block = "8k"
content = "zeros"
hits = "read=75,area=1m,placement=contiguous"

[[run]]
load = "max"
depth = 64
warmup = "5s"
for = "10s"
"#;

/// Without fault: a file that is made and filled, read for ten minutes.
const GOOD: &str = r#"[target.disk]
path = "disk.dat"
size = "1t"

[workload.oltp]
read = 100
block = "8k"

[[run]]
load = "max"
depth = 32
warmup = "1m"
for = "10m"
"#;

const VDBENCH: &str = "sd=sd1,lun=/dev/sdx,size=1t,openflags=o_direct\n\
                       wd=wd1,sd=sd1,xfersize=4k,rdpct=70,rhpct=75\n\
                       rd=rd1,wd=wd1,iorate=max,elapsed=600,interval=1\n";

fn lint(text: &str, words: &[&str]) -> (TestFolder, Done) {
    let place = TestFolder::new();
    place.text("a.toml", text);
    let done = place.plimsoll(&[&["lint", "a.toml"], words].concat());
    (place, done)
}

fn codes(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().expect("findings");
    findings.iter().filter_map(|f| f["rule"].as_str()).collect()
}

#[test]
fn findings_have_their_place_and_the_text_under_it_and_the_worst_decides() {
    let (_place, done) = lint(BAD, &["--claim", "sustained"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    let zeros = done
        .out
        .find("error[PL012 zero-content]")
        .expect("the worst comes first");
    assert_eq!(zeros, 0, "{done:#?}");
    done.says(&[
        "--> a.toml:8:11",
        "content = \"zeros\"",
        "warning[PL016 hot-slice]",
        "--> a.toml:9:8",
    ]);
    assert!(done.out.contains("--> a.toml:15:7"), "too short: {done:#?}");
    let counts = done
        .out
        .lines()
        .find(|l| l.contains("looked and found nothing"));
    assert!(
        counts.is_some_and(|l| l.starts_with("1 invalid, ")),
        "{counts:?}"
    );
    done.ends_in(&["Answer", "Trust", "Next"]);
}

#[test]
fn the_predicted_share_of_the_hot_owner_is_that_of_arithmetic() {
    let (_place, done) = lint(BAD, &["--format", "json"]);
    let document = done.json();
    let findings = document["findings"].as_array().expect("findings");
    let hot = findings
        .iter()
        .find(|f| f["rule"] == "PL016")
        .expect("it is hot");
    let share = hot["values"][0]["quantity"]["value"]
        .as_f64()
        .expect("a share");
    // Half are reads, 75 % of them hits: 37.5 %, and an eighth of the rest.
    assert!((share - (0.375 + 0.625 / 8.0)).abs() < 0.002, "{hot}");
    assert_eq!(hot["place"]["line"], 9);
    assert_eq!(hot["place"]["file"], "a.toml");
}

#[test]
fn what_is_without_fault_is_clean_and_claims_change_what_is_bad() {
    let (_place, done) = lint(GOOD, &["--strict"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(
        done.out
            .starts_with("nothing found for the claim sustained"),
        "{done:#?}"
    );
    // What the host can issue does not depend on what is written.
    let (_place, host) = lint(BAD, &["--claim", "host"]);
    assert_eq!(host.code, Some(0), "{host:#?}");
    host.says(&["note[PL012 zero-content]"]);
    // The definition's own claim counts, too.
    let (_place, own) = lint(&format!("claim = \"host\"\n{BAD}"), &[]);
    assert_eq!(own.code, Some(0), "{own:#?}");
    let suspect = GOOD.replace("for = \"10m\"", "for = \"10s\"");
    // A run so short is judged as a burst, which it may be.
    let (_place, short) = lint(&suspect, &["--strict"]);
    assert_eq!(short.code, Some(0), "{short:#?}");
    let (_place, strict) = lint(&suspect, &["--strict", "--claim", "sustained"]);
    assert_eq!(strict.code, Some(1), "{strict:#?}");
}

#[test]
fn what_cannot_be_read_is_refused_in_every_format() {
    let unparsable = |format| lint("[target", &["--format", format]).1;
    unparsable("text").refused(&["not-toml"]);
    let place = TestFolder::new();
    let absent = |format| place.plimsoll(&format!("lint none.parm --format '{format}'"));
    for done in ["json", "sarif", "github"].map(unparsable) {
        assert_eq!(done.code, Some(2), "{done:#?}");
        done.warns(&["error[not-toml]"]);
    }
    for done in ["json", "sarif", "github"].map(absent) {
        assert_eq!(done.code, Some(2), "{done:#?}");
        done.says(&["none.parm cannot be read"]);
    }
    let document = unparsable("json").json();
    let complaint = &document["refused"][0];
    assert_eq!(document["schema"], 1, "{document:#}");
    assert_eq!(document.get("findings"), None, "{document:#}");
    assert_eq!(complaint["code"], "not-toml");
    assert_eq!(complaint["place"]["file"], "a.toml");
    assert_eq!(complaint["place"]["line"], 1);
    let log = unparsable("sarif").json();
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["results"][0]["ruleId"], "not-toml");
    let at = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], "a.toml");
    assert_eq!(at["region"]["startLine"], 1);
    let command = unparsable("github").out;
    assert!(
        command.starts_with("::error file=a.toml,line=1,"),
        "{command}"
    );
    assert_eq!(command.lines().count(), 1, "{command}");
    let place = TestFolder::new();
    place.plimsoll("lint /dev/null").refused(&["no definition"]);
    place.plimsoll("lint none.toml").refused(&["cannot read"]);
}

#[test]
fn too_few_or_too_many_threads_are_found_where_they_were_written() {
    let place = TestFolder::new();
    let line_of = |text: &str, rule: &str| {
        place.text("t.parm", text);
        let done = place.plimsoll("lint t.parm --format json");
        let document = done.json();
        let findings = document["findings"].as_array().expect("findings");
        let one = findings.iter().find(|f| f["rule"] == rule);
        let one = one.unwrap_or_else(|| panic!("no {rule}: {document}"));
        one["place"]["line"].clone()
    };
    let file = |threads: &str, rate: &str| {
        format!(
            "sd=default,openflags=o_direct\nsd=sd1,lun=/dev/sdx,size=1t{threads}\nwd=wd1,sd=sd1,xfersize=4k,rdpct=70\n\
             rd=rd1,wd=wd1,elapsed=600,interval=1,warmup=60,\n iorate={rate}\n"
        )
    };
    assert_eq!(line_of(&file(",threads=2", "max"), "PL033"), 2);
    assert_eq!(line_of(&file(",threads=2000", "max"), "PL034"), 2);
    assert_eq!(line_of(&file(",threads=64", "curve"), "PL035"), 2);
    // Nobody wrote any: the load is what is nearest.
    assert_eq!(line_of(&file("", "curve"), "PL035"), 5);
}

#[test]
fn a_vdbench_files_defaults_are_found_where_they_bite() {
    let place = TestFolder::new();
    place.text("a.parm", VDBENCH);
    let done = place.plimsoll("lint a.parm --format json");
    let document = done.json();
    let found = codes(&document);
    for rule in ["PL016", "PL050", "PL051", "PL031", "PL040"] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    let findings = document["findings"].as_array().expect("findings");
    let area = findings.iter().find(|f| f["rule"] == "PL051").expect("it");
    assert_eq!(area["place"]["line"], 2);
    assert_eq!(area["place"]["file"], "a.parm");
    // What is said is no default.
    place.text(
        "b.parm",
        &VDBENCH
            .replace("size=1t", "size=1t,threads=32,hitarea=8m")
            .replace("interval=1", "interval=1,warmup=60"),
    );
    let said = place.plimsoll("lint b.parm --format json").json();
    for rule in ["PL050", "PL051", "PL031"] {
        assert!(!codes(&said).contains(&rule), "{rule}: {said}");
    }
    // Even on 8 owners of 1 MiB; other arrays may see it otherwise.
    let findings = said["findings"].as_array().expect("findings");
    let hot = findings
        .iter()
        .find(|f| f["rule"] == "PL016")
        .expect("a note");
    assert_eq!(hot["severity"], "note");
}

#[test]
fn sarif_has_all_that_its_schema_requires() {
    let (_place, done) = lint(BAD, &["--format", "sarif"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    let log = done.json();
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .is_some_and(|s| s.ends_with("sarif-2.1.0.json"))
    );
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "plimsoll");
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        assert!(
            rule["id"].is_string() && rule["shortDescription"]["text"].is_string(),
            "{rule}"
        );
        let level = rule["defaultConfiguration"]["level"].as_str();
        assert!(
            ["none", "note", "warning", "error"]
                .map(Some)
                .contains(&level),
            "{rule}"
        );
    }
    let results = runs[0]["results"].as_array().expect("results");
    assert!(results.len() >= 3, "{log}");
    for result in results {
        assert!(
            result["message"]["text"]
                .as_str()
                .is_some_and(|t| !t.is_empty()),
            "{result}"
        );
        let level = result["level"].as_str();
        assert!(
            ["note", "warning", "error"].map(Some).contains(&level),
            "{result}"
        );
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"], "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a.toml");
        let region = &place["region"];
        let of = |name: &str| region[name].as_u64().unwrap_or(0);
        assert!(of("startLine") >= 1 && of("startColumn") >= 1, "{result}");
        let ends = (of("endLine"), of("endColumn")) > (of("startLine"), of("startColumn"));
        assert!(ends, "{result}");
    }
}

#[test]
fn github_commands_are_one_line_each_whatever_names_hold() {
    let bad = BAD.replace("oltp, 1:2", "a%\\n::error::b");
    let (_place, done) = lint(&bad, &["--format", "github"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    let first = done.out.lines().next().unwrap_or_default();
    let begins =
        "::error file=a.toml,line=8,endLine=8,col=11,endColumn=18,title=PL012 zero-content::";
    assert!(first.starts_with(begins), "{first}");
    holds!(first, "a%25%0A::error::b on disk writes zeros");
    let level = |l: &str| {
        ["::error ", "::warning ", "::notice "]
            .iter()
            .any(|w| l.starts_with(w))
    };
    assert!(done.out.lines().all(level), "{done:#?}");
}

#[test]
fn a_plan_counts_what_lint_would_say() {
    let place = TestFolder::new();
    place.text("a.toml", BAD);
    place.text("b.toml", GOOD);
    for words in [&["plan", "a.toml"][..], &["run", "a.toml", "--dry-run"]] {
        let done = place.plimsoll(words).ok();
        done.says(&["1 invalid, ", "(plimsoll lint shows them)"]);
    }
    let clean = place.plimsoll("plan b.toml").ok();
    assert!(!clean.out.contains("plimsoll lint"), "{clean:#?}");
}

#[test]
fn a_rule_is_explained_by_number_and_by_name_and_all_are_listed() {
    let place = TestFolder::new();
    let both = place.plimsoll("explain PL012 hot-slice").ok();
    for part in [
        "# PL012 zero-content",
        "# PL016 hot-slice",
        "## Why it matters",
        "## What to do",
    ] {
        assert!(both.out.contains(part), "{part}: {both:#?}");
    }
    let list = place.plimsoll("explain").ok();
    assert!(
        list.out
            .lines()
            .any(|l| l.starts_with("PL012 zero-content")),
        "{list:#?}"
    );
    assert_eq!(
        list.out.lines().filter(|l| l.starts_with("PL")).count(),
        plimsoll_audit::RULES.len()
    );
    let json = place.plimsoll("explain 12 --json").ok().json();
    assert_eq!(json[0]["code"], "PL012");
    assert_eq!(json[0]["severity"]["sustained"], "invalid");
    place
        .plimsoll("explain zero-contents")
        .refused(&["did you mean zero-content?"]);
    place
        .plimsoll("explain PL999")
        .refused(&["no rule `PL999`"]);
}

#[test]
fn arrays_that_are_not_there_and_second_definitions_are_refused() {
    let (_place, done) = lint(&GOOD.replace("disk.dat", "lab:nonsense"), &[]);
    done.refused(&["there is no persona `nonsense`"]);
    let place = TestFolder::new();
    place.text("a.toml", GOOD);
    place.text("b.toml", GOOD);
    place
        .plimsoll("lint a.toml b.toml")
        .refused(&["one definition at a time", "b.toml"]);
}

#[test]
fn a_hot_set_that_is_everything_and_data_that_is_nothing_are_suspect() {
    let hot = GOOD.replace(
        "block = \"8k\"",
        "block = \"8k\"\nhits = \"read=100,area=8k\"",
    );
    let (_place, done) = lint(&hot, &["--strict"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    done.says(&["warning[PL024 tiny-hot-set]"]);
    let nothing = BAD.replace("content = \"zeros\"", "content = \"compress=100000\"");
    let (_place, done) = lint(&nothing, &[]);
    done.says(&["warning[PL014 reducible-content]"]);
}

#[test]
fn what_a_vdbench_file_is_told_to_do_is_in_vdbench_s_words() {
    let place = TestFolder::new();
    place.text("a.parm", VDBENCH);
    let done = place.plimsoll("lint a.parm");
    done.says(&["hitarea="]);
    for word in ["`placement`", "`depth`", "`warmup`", "`for`", "`content`"] {
        assert!(!done.out.contains(word), "{word}: {done:#?}");
    }
    let document = place.plimsoll("lint a.parm --format json").json();
    let findings = document["findings"].as_array().expect("findings");
    let hot = findings
        .iter()
        .find(|f| f["rule"] == "PL016")
        .expect("hits");
    let said = hot["remedy"].as_str().expect("a remedy");
    assert!(said.contains("hitarea=8m"), "{said}");
    assert!(!said.contains("hotband"), "{said}");
    place.text("a.parm", &VDBENCH.replace("rhpct=75", "hotband=(10,20)"));
    place
        .plimsoll("lint a.parm")
        .says(&["Leave hotband= out: its bands"]);
}

#[test]
fn findings_in_a_vdbench_file_have_the_place_of_what_is_to_blame() {
    let place = TestFolder::new();
    let head = "compratio=2\ndedupratio=2\ndedupunit=8k\n";
    let rest = "sd=sd1,lun=/dev/sdx,size=1t,openflags=o_direct,threads=32\n\
                wd=wd1,sd=sd1,xfersize=8k,rdpct=0\n\
                rd=rd1,wd=wd1,iorate=max,elapsed=600,interval=1,warmup=60";
    let loops = "forrhpct=(50,90),forhitarea=(1m,2m),forseekpct=(40,60),forxfersize=(5k,6k)";
    for (text, places) in [
        (format!("{head}{rest}\n"), &[("PL014", 1), ("PL052", 2)][..]),
        (format!("{rest},forcompratio=(2,4)\n"), &[("PL014", 3)]),
        (
            format!("{rest},{loops}\n").replace("rdpct=0", "rdpct=100"),
            &[("PL018", 3), ("PL021", 3)],
        ),
    ] {
        place.text("a.parm", &text);
        let document = place.plimsoll("lint a.parm --format json").json();
        let findings = document["findings"].as_array().expect("findings");
        for finding in findings {
            assert!(finding["place"].is_object(), "{finding:#}");
        }
        for (rule, line) in places {
            let found = findings.iter().find(|f| f["rule"] == *rule);
            let found = found.unwrap_or_else(|| panic!("{rule}: {document:#}"));
            assert_eq!(found["place"]["line"], *line, "{found:#}");
        }
    }
}

#[test]
fn files_through_the_page_cache_are_found_at_their_anchor_with_a_remedy_for_files() {
    let place = TestFolder::new();
    place.text(
        "a.parm",
        "* files\nfsd=fsd1,anchor=/mnt/a,depth=1,width=1,files=10,size=1m\n\
         fwd=fwd1,fsd=fsd1,operation=write,xfersize=1m,threads=2\n\
         rd=rd1,fwd=fwd1,fwdrate=max,format=yes,elapsed=600,interval=5\n",
    );
    let document = place.plimsoll("lint a.parm --format json").json();
    let findings = document["findings"].as_array().expect("findings");
    let found = findings.iter().find(|f| f["rule"] == "PL019");
    let found = found.unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!(found["place"]["line"], 2, "{found:#}");
    assert!(found.to_string().contains("fsd or fwd"), "{found:#}");
}

#[test]
fn the_owner_that_a_hotband_makes_hot_is_predicted_as_that_of_a_hit_area_is() {
    let shares = |wd: &str| -> Vec<f64> {
        let place = TestFolder::new();
        let text = format!(
            "sd=sd1,lun=lab:scale-out-flash-8,threads=32\nwd=wd1,sd=sd1,xfersize=8k,rdpct=100,{wd}\n\
             rd=run1,wd=wd1,iorate=max,elapsed=600,interval=1,warmup=60\n"
        );
        place.text("a.parm", &text);
        let document = place.plimsoll("lint a.parm --format json").json();
        let findings = document["findings"].as_array().expect("findings").iter();
        let hot = findings.filter(|f| f["rule"] == "PL016");
        hot.map(|f| f["message"].as_str().expect("a message"))
            .map(|m| m.split(" sends ").nth(1).expect("a share"))
            .map(|m| {
                m.split('%')
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("a number")
            })
            .collect()
    };
    // Vdbench takes a megabyte of its table for 1000 bytes: 32.65 % of the accesses go to the first 1.024 MB, which is a slice, and an
    // eighth of nearly all others with them.
    let hot = shares("hotband=(10,20)");
    let expected = 32.65 + 67.35 / 8.0;
    assert!(hot.len() == 1 && (hot[0] - expected).abs() < 4.0, "{hot:?}");
    assert!(shares("seekpct=100").is_empty());
    assert_eq!(shares("rhpct=75").len(), 1);
}

#[test]
fn a_simulated_array_has_no_page_cache_to_warn_of() {
    let rules = |lun: &str| {
        let place = TestFolder::new();
        let text = format!(
            "sd=sd1,lun={lun},threads=1\nwd=wd1,sd=sd1,xfersize=8k,rdpct=70,seekpct=100\n\
             rd=run1,wd=wd1,iorate=200000,elapsed=5,interval=1\n"
        );
        place.text("a.parm", &text);
        let document = place.plimsoll("lint a.parm --format json").json();
        let all: Vec<String> = codes(&document).into_iter().map(str::to_string).collect();
        all
    };
    assert!(rules("/data/file,size=1t").contains(&"PL019".to_string()));
    assert!(!rules("lab:curve-8k/lun0").contains(&"PL019".to_string()));
}
