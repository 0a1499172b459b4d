//! Trees on `lab:filer`: the same command, record and report, on a model of a filer in virtual time.

use crate::place::{TestFolder, typed};
use crate::simulated::{dump, saturated};

/// A filer whose nodes have four threads each, which a call holds for 100 us.
fn small_filer(place: &TestFolder) {
    let printed = place.plimsoll("lab persona filer").ok().out;
    let small = printed.replace("threads = 16 ", "threads = 4 ");
    let small = small.replace("call_us = 40.0 ", "call_us = 100.0 ");
    assert!(small != printed);
    place.text("small.toml", &small);
}

#[test]
fn a_tree_on_a_filer_is_measured_recorded_and_compared_as_one_on_storage() {
    let place = TestFolder::new();
    small_filer(&place);
    let tree =
        "lab:./small.toml --tree width=4,files=250 --operations stat=80,create=5,delete=5,read=10";
    for (name, seed) in [("a", 1), ("b", 1), ("c", 2)] {
        let line = format!(
            "run {tree} --rate 5k --for 3s --warmup 1s --seed {seed} -q --record {name}.plim"
        );
        place.plimsoll(&line).ok().says(&["simulated"]);
    }
    let [a, b, c] = ["a.plim", "b.plim", "c.plim"].map(|name| dump(&place, name));
    assert!(a == b && a != c, "a seed is a result");
    let document = place.plimsoll("show --json a.plim").ok().json();
    crate::measuring::assert_valid(&document);
    assert_eq!(
        document["environment"]["targets"][0]["kind"],
        "simulated tree"
    );
    let filer = &document["steps"][0]["arrays"][0]["filer"];
    assert!(filer["changes"].as_u64() > Some(1000), "{filer}");
    place
        .plimsoll("show a.plim")
        .ok()
        .says(&["of stats by the client"]);
    place.plimsoll("report a.plim -o a.html").ok();
    place.plimsoll("compare a.plim c.plim").ran();
}

#[test]
fn what_the_client_of_a_filer_answers_is_named_and_its_limit_found_where_it_answers_nothing() {
    let place = TestFolder::new();
    small_filer(&place);
    let fires = |mount: &str| {
        let line = format!(
            "run lab:./small.toml{mount} --tree width=4,files=250 --operations stat=100 --rate 5k --for 10s --claim sustained --json --no-record"
        );
        let document = place.plimsoll(&line).ran().json();
        let findings = document["findings"].as_array().expect("findings").clone();
        findings.iter().any(|f| f["rule"] == "PL211")
    };
    assert!(fires("") && !fires("?actimeo=0"));
    let curve = place.plimsoll(
        "curve lab:./small.toml?actimeo=0 --tree width=4,files=250 --operations stat=100 --percents 50,90,105 --for 2s --json --no-record",
    );
    let document = curve.ok().json();
    let maximum = document["verdicts"][0]["maximum_iops"]["mean"]
        .as_f64()
        .expect("a rate");
    // Four threads, 100 us each.
    assert!((maximum / 40_000.0 - 1.0).abs() < 0.01, "{maximum}");
    assert_eq!(
        saturated(&document),
        [(50, false), (90, false), (105, true)]
    );
    let limit = document["verdicts"][0]["limit"].to_string();
    assert!(
        limit.contains("for the threads of lab:./small.toml"),
        "{limit}"
    );
}

#[test]
fn what_a_filer_cannot_do_is_refused_with_what_can() {
    let place = TestFolder::new();
    for (line, said) in [
        (
            "run lab:curve-8k --tree files=10 --operations stat=100",
            "has no filer",
        ),
        (
            "run lab:filer?actimeo=3 --read 100",
            "actimeo is for a tree",
        ),
        (
            "run lab:filer --tree files=10 --operations move=100 --to lab:filer/lun1",
            "file system of its own",
        ),
        (
            "run lab:filer --tree files=10 --operations stat=100 --hosts sim:2",
            "a tree",
        ),
        (
            "run lab:nofiler --tree files=10 --operations stat=100",
            "no persona `nofiler`",
        ),
    ] {
        place.plimsoll(line).refused(&[said]);
    }
}

/// A path that answers nothing is given up after the host's 30 s, and what was sent over it goes over another.
#[test]
fn a_filers_host_loses_a_path_and_no_operation() {
    let place = TestFolder::new();
    let line = "disturb lab:filer --tree width=4,files=200 --operations read=100 --rate 200 --for 60s --at 10s --times 1 --json \
         --no-record --do-fault";
    let words = [typed(line), vec!["path-down path=0 silent=true"]].concat();
    let step = &place.plimsoll(&words).ran().json()["steps"][0];
    assert_eq!(step["errors"], 0, "{step:#}");
    let longest = step["response"]["max_us"].as_f64().expect("a time");
    assert!((30e6..31e6).contains(&longest), "{longest}");
}
