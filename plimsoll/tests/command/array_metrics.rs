//! What an array tells of itself at its metrics endpoint, in runs over NBD.

use crate::place::{TestFolder, typed};
use crate::serving::Lab;
use serde_json::Value;

/// Address of the served LUN.
pub const LUN: &str = "nbd+unix:///scale-out-flash-8/lun0?socket=s.sock";

/// An array that is so small that few I/Os keep it busy.
pub fn lab(place: &TestFolder) -> (Lab, String) {
    lab_of(place, "200")
}

fn lab_of(place: &TestFolder, scale: &str) -> (Lab, String) {
    let words = format!("scale-out-flash-8 --scale {scale} --socket s.sock --http 127.0.0.1:0");
    let lab = Lab::serve(place, &typed(&words));
    let metrics = format!("http://{}/metrics", lab.address());
    (lab, metrics)
}

/// A run of three seconds in which the array is looked at each half second, and what it printed.
pub fn measured(place: &TestFolder, metrics: &[&str], what: &[&str]) -> (Value, String) {
    let line =
        format!("run '{LUN}' --size 16m --block 4k --for 3s --warmup 500ms --interval 500ms");
    let run = typed(&line);
    let line = format!("--allow-unwritten --destroy '{LUN}' --record run.plim");
    let rest = typed(&line);
    let printed = place.plimsoll(&[&run[..], &rest, metrics, what].concat());
    let document = place.plimsoll("show --json run.plim").ok().json();
    crate::measuring::assert_valid(&document);
    std::fs::remove_file(place.path("run.plim")).expect("the record");
    (document, format!("{}{}", printed.out, printed.err))
}

/// A counter, as the lab tells it to anybody.
fn counter(lab: &Lab, series: &str) -> u64 {
    let text = lab.get("/metrics");
    let line = text.lines().find_map(|l| l.strip_prefix(series));
    line.expect(series).trim().parse().expect("a number")
}

#[test]
fn zeros_over_nbd_are_seen_where_they_end() {
    let place = TestFolder::new();
    let (lab, metrics) = lab(&place);
    let zeros = ["--read", "0", "--content", "zeros", "--rate", "400"];
    let (document, printed) = measured(&place, &["--metrics", &metrics], &zeros);
    assert!(printed.contains("PL200 zeros-served"), "{printed}");
    let array = &document["steps"][0]["arrays"][0];
    assert_eq!(array["targets"][0], LUN);
    assert_eq!(array["scale"], 200.0);
    let front = &array["front_end"]["writes"];
    let count = |value: &Value| value.as_u64().expect("a count");
    let writes = count(&front["ios"]);
    // What it is told of one moment belongs together.
    assert_eq!(count(&front["bytes"]), 4096 * writes);
    assert_eq!(array["write_destination"][0]["place"], "zero");
    assert_eq!(count(&array["write_destination"][0]["chunks"]), writes);
    assert_eq!(count(&array["back_end"]["writes"]), 0);
    // The same that Plimsoll counted, but for the edges: no more than all that the array got, and at the same rate.
    let all = counter(&lab, "plimsoll_lab_requests_total{op=\"write\"}");
    assert!(writes > 0 && writes <= all, "{writes} of {all}");
    let number = |value: &Value| value.as_f64().expect("a number");
    let rate = writes as f64 / number(&array["observed_s"]);
    let own = number(&document["steps"][0]["iops"]);
    assert!((rate / own - 1.0).abs() < 0.3, "{rate} {own}");
}

#[test]
fn a_hot_slice_over_nbd_is_a_hot_core_and_a_spread_one_is_not() {
    let place = TestFolder::new();
    // So small that a host with little CPU to spare keeps it busy.
    let (_lab, metrics) = lab_of(&place, "1000");
    for (hits, hot) in [
        ("read=75,area=1m,placement=contiguous", true),
        ("read=75,area=1m", false),
    ] {
        let (document, printed) = measured(&place, &["--metrics", &metrics], &["--hits", hits]);
        assert_eq!(printed.contains("PL204 hot-core"), hot, "{printed}");
        let array = &document["steps"][0]["arrays"][0];
        assert_eq!(array["cores"].as_array().map(Vec::len), Some(8));
        // Of the reads three quarters, and an eighth of the rest, are one core's own, where they are not spread.
        let owner = array["owner_max"].as_f64().expect("a share");
        assert_eq!(owner > 0.5, hot, "{owner}");
        let busiest = array["core_max"].as_f64().expect("a share");
        assert!((0.0..=1.0).contains(&busiest), "{busiest}");
    }
}

/// Commands that read the served LUN in the words of the other tools.
fn commands_of_other_tools(place: &TestFolder) -> [Vec<String>; 3] {
    let parm = format!(
        "sd=sd1,lun=\"{LUN}\",size=16m\nwd=wd1,sd=sd1,xfersize=4k,rdpct=100\nrd=rd1,wd=wd1,iorate=200,elapsed=7,interval=1,threads=4\n"
    );
    std::fs::write(place.path("r.parm"), parm).expect("written");
    [
        "vdbench -f r.parm".to_owned(),
        format!(
            "fio --name=r --ioengine=nbd --uri={LUN} --size=16m --rw=randread --bs=4k --runtime=7 --time_based --rate_iops=200"
        ),
        format!("diskspd -b4K -r -o4 -d7 -W0 -w0 -f16M -Sh '{LUN}'"),
    ]
    .map(|line| typed(&line).into_iter().map(str::to_owned).collect())
}

#[test]
fn in_the_words_of_other_tools_an_array_is_asked_as_well() {
    let place = TestFolder::new();
    let (_lab, metrics) = lab(&place);
    for words in commands_of_other_tools(&place) {
        let own = typed("--allow-unwritten --record run.plim --metrics-map names.toml");
        let printed = place.plimsoll(&[&refs(&words)[..], &own].concat());
        printed.warns(&["add --metrics http://HOST:PORT/metrics"]);
        let own = [
            "--allow-unwritten",
            "--record",
            "run.plim",
            "--metrics",
            &metrics,
        ];
        let printed = place.plimsoll(&[&refs(&words)[..], &own].concat());
        assert!(
            printed.err.contains("PL200 zeros-served"),
            "{words:?}: {printed:?}"
        );
        let document = place.plimsoll("show --json run.plim").ok().json();
        let front = &document["steps"][0]["arrays"][0]["front_end"]["reads"];
        assert!(front["ios"].as_u64().is_some_and(|n| n > 0), "{front}");
        std::fs::remove_file(place.path("run.plim")).expect("the record");
    }
}

fn refs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn an_endpoint_that_is_not_there_costs_a_note_and_nothing_else() {
    let place = TestFolder::new();
    let (_lab, metrics) = lab(&place);
    let load = ["--rate", "200"];
    for (wrong, why) in [
        (
            "http://127.0.0.1:9/metrics".to_owned(),
            "it does not answer",
        ),
        (metrics.replace("/metrics", "/nothing"), "HTTP status 404"),
        (
            metrics.replace("/metrics", "/page.css"),
            "none of the metrics",
        ),
    ] {
        let (document, printed) = measured(&place, &["--metrics", &wrong], &load);
        assert!(printed.contains(why), "{why}: {printed}");
        let step = &document["steps"][0];
        assert!(
            step["arrays"].as_array().is_none_or(Vec::is_empty),
            "{step:#}"
        );
        let notes = step["notes"].to_string();
        assert_eq!(notes.matches(&wrong).count(), 1, "{notes}");
        assert!(step["ios"].as_u64().expect("a count") > 0);
        assert!(!printed.contains("PL200"), "{printed}");
    }
}

#[test]
fn another_arrays_names_come_from_a_file() {
    let place = TestFolder::new();
    let (_lab, metrics) = lab(&place);
    // The lab again, but of all that it tells only this, in other words.
    let map = "[core_busy_seconds]\nmetric = \"plimsoll_lab_core_busy_seconds_total\"\nby = [\"controller\", \"core\"]\nof = \"controller\"\n\
               [[write_destination]]\nmetric = \"plimsoll_lab_write_destination_chunks_total\"\nlabels = { place = \"zero\" }\nas = \"nowhere\"\n";
    place.text("map.toml", map);
    let definition = format!(
        "[target.lun]\npath = \"{LUN}\"\nsize = \"16m\"\nmetrics = \"{metrics}\"\nmetrics_map = \"map.toml\"\n\
         [workload.w]\nread = 0\ncontent = \"zeros\"\n[run]\nload = 300\nfor = \"4s\"\nwarmup = \"500ms\"\ninterval = \"500ms\"\n"
    );
    place.text("zeros.toml", &definition);
    let words = ["run", "zeros.toml", "--destroy", LUN, "--record", "r.plim"];
    let printed = place.plimsoll(&words).out;
    let document = place.plimsoll("show --json r.plim").ok().json();
    let array = &document["steps"][0]["arrays"][0];
    assert_eq!(
        array["write_destination"][0]["place"], "nowhere",
        "{printed}"
    );
    assert_eq!(array["cores"][7]["controller"], 3);
    assert_eq!(array["front_end"], Value::Null);
    assert!(!printed.contains("PL200"), "{printed}");
}

#[test]
fn what_cannot_be_an_endpoint_or_a_mapping_is_refused_before_anything_runs() {
    let place = TestFolder::new();
    place.text("bad.toml", "[raeds]\nmetric = \"x\"\n");
    place.foreign("data", 1 << 20);
    let url = ["--metrics", "http://127.0.0.1:9/metrics"];
    for (target, words, printed) in [
        ("data", &["--metrics", "https://a/m"][..], "http:// alone"),
        ("data", &["--metrics", "http://a:b@c/m"], "in every record"),
        ("data", &["--metrics-map", "bad.toml"], "not where they are"),
        (
            "data",
            &[url[0], url[1], "--metrics-map", "bad.toml"],
            "unknown variant `raeds`",
        ),
        (
            "data",
            &[url[0], url[1], "--metrics-map", "none.toml"],
            "none.toml",
        ),
        ("lab:single-ssd", &url, "tells of itself without it"),
        ("null:1g", &url, "no array of its own"),
    ] {
        let run = ["run", target, "--for", "1s", "--no-record"];
        place
            .plimsoll(&[&run[..], words].concat())
            .refused(&[printed]);
    }
}
