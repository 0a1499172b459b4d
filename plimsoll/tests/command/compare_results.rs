//! `plimsoll compare` of results that other tools left: by the rules of records, and only of one tool.

use crate::place::TestFolder;
use serde_json::{Value, json};

/// fio's text of a job whose rate and times follow from how long 80,000 I/Os with eight out took.
fn text(depth: u32, ms: u64) -> String {
    let (rate, mean) = (80_000_000 / ms, 8_000 * ms as usize / 80_000);
    format!(
        "read: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}\n\
         fio-3.33\n\
         read: (groupid=0, jobs=1): err= 0: pid=7: Thu Nov 26 08:09:18 2026\n\
         \x20 read: IOPS={rate}, BW={}KiB/s (1kB/s)(313MiB/{ms}msec)\n\
         \x20    lat (usec): min=50, max=90000, avg={mean}.00, stdev=400.00\n\
         \x20 cpu          : usr=1.00%, sys=2.00%, ctx=1, majf=0, minf=9\n\
         \x20    issued rwts: total=80000,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n",
        4 * rate
    )
}

#[test]
fn results_of_another_tool_are_compared_without_a_verdict() {
    let place = TestFolder::new();
    place.text("before.txt", &text(8, 10_000));
    place.text("after.txt", &text(8, 20_000));
    let done = place
        .plimsoll("compare --json before.txt -- after.txt")
        .ok();
    let found = done.json();
    let metrics = found["steps"][0]["metrics"].as_array().expect("metrics");
    let of = |name: &str| {
        let metric = metrics.iter().find(|m| m["metric"] == name).expect("there");
        assert_eq!(metric["outcome"], "no_verdict", "{metric}");
        [&metric["mean_a"], &metric["mean_b"]].map(|m| m.as_f64().expect("a number"))
    };
    assert_eq!(of("iops"), [8000.0, 4000.0]);
    assert_eq!(of("response_mean"), [1_000_000.0, 2_000_000.0]);
    assert_eq!(found["measured"], json!([]));
}

/// fio's text of a job that reads and writes 10 s long, with the 99th percentile of its reads, us.
fn mixed(p99_us: u32) -> String {
    let side = |name: &str, rate: u32, p99: u32| {
        format!(
            "  {name}: IOPS={rate}, BW={}KiB/s (1kB/s)(1MiB/10000msec)\n\
             \x20    lat (usec): min=50, max=90000, avg=700.00, stdev=400.00\n\
             \x20   clat percentiles (usec):\n\
             \x20    | 50.00th=[  600], 99.00th=[ {p99}], 99.90th=[ 9000]\n",
            4 * rate
        )
    };
    format!(
        "m: (groupid=0, jobs=1): err= 0: pid=7: Thu Nov 26 08:09:18 2026\n{}{}\
         \x20 cpu          : usr=1.00%, sys=2.00%, ctx=1, majf=0, minf=9\n\
         \x20    issued rwts: total=70000,30000,0,0 short=0,0,0,0 dropped=0,0,0,0\n",
        side("read", 7000, p99_us),
        side("write", 3000, 2000)
    )
}

#[test]
fn percentiles_of_reads_and_writes_are_compared_each_for_itself() {
    let place = TestFolder::new();
    place.text("before.txt", &mixed(1000));
    place.text("after.txt", &mixed(1500));
    let words = "compare --json --fail-if p99>+5% before.txt -- after.txt";
    // One run on each side decides nothing.
    let found = place.plimsoll(words).exits(3).json();
    let steps = found["steps"].as_array().expect("steps");
    let of = |step: usize, name: &str| {
        let mut metrics = steps[step]["metrics"].as_array().expect("metrics").iter();
        let metric = metrics.find(|m| m["metric"] == name)?;
        Some([&metric["mean_a"], &metric["mean_b"]].map(|m| m.as_f64().expect("a number")))
    };
    let names: Vec<&str> = steps.iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["m", "m: reads", "m: writes"]);
    assert_eq!(of(0, "iops"), Some([10_000.0; 2]));
    assert_eq!(of(0, "response_p99"), None);
    assert_eq!(of(1, "response_p99"), Some([1e6, 1.5e6]));
    assert_eq!(of(2, "response_p99"), Some([2e6; 2]));
    // The gate is of the directions, and not of what has no percentile.
    let gated = found["gates"][0]["steps"].as_array().expect("steps");
    let gated: Vec<&str> = gated.iter().filter_map(|s| s["step"].as_str()).collect();
    assert_eq!(gated, ["m: reads", "m: writes"]);
}

/// Settings that the sides were asked for differently, by name: (A, B).
fn differing(found: &Value) -> Vec<(String, String, String)> {
    let facts = found["measured"].as_array().expect("facts");
    let text = |fact: &Value, key: &str| fact[key].as_str().unwrap_or_default().to_string();
    let one = |fact: &Value, side: &str| {
        let values = fact[side].as_array().expect("values");
        let values = values.iter().filter_map(Value::as_str);
        values.collect::<Vec<_>>().join(", ")
    };
    let all = facts
        .iter()
        .map(|f| (text(f, "name"), one(f, "a"), one(f, "b")));
    all.collect()
}

#[test]
fn what_differs_between_results_is_said_and_nothing_else() {
    let place = TestFolder::new();
    place.text("before.txt", &text(8, 10_000));
    let compare = |after: &str| {
        place.text("after.txt", after);
        let said = place.plimsoll("compare before.txt -- after.txt").ok().out;
        let found = place.plimsoll("compare --json before.txt -- after.txt");
        (said, found.ok().json())
    };
    // By the texts themselves: one option is another one, and nothing else.
    let deeper = text(8, 10_000).replace("iodepth=8", "iodepth=16");
    let larger = text(8, 10_000).replace("4096B", "8192B");
    let ordered = text(8, 10_000).replace("rw=randread", "rw=read");
    let other_engine = text(8, 10_000).replace("libaio", "io_uring");
    for (after, name, a, b) in [
        (&deeper, "depth", "8", "16"),
        (&larger, "size", "4KiB", "8KiB"),
        (&ordered, "addresses", "random", "sequential"),
        (&other_engine, "engine", "libaio", "io_uring"),
    ] {
        let (said, found) = compare(after);
        let expected = (name.to_string(), a.to_string(), b.to_string());
        assert_eq!(differing(&found), [expected], "{name}");
        assert!(said.contains("not the same measurement"), "{said}");
    }
    // Another rate is no other question.
    let (said, found) = compare(&text(8, 12_500));
    assert_eq!(differing(&found), []);
    assert_eq!(found["withheld"], Value::Null);
    assert!(!said.contains("ot the same measurement"), "{said}");
    let elbencho = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n\
                    =========== ================    ==========   =========\n\
                    READ        Elapsed time     :     10.000s     10.000s\n\
                    \x20           IOPS             :        8000        8000\n---\n";
    // Steps are matched by their names.
    let named = text(8, 10_000).replace("read: (", "READ: (");
    place.text("before.txt", &named);
    let (said, found) = compare(elbencho);
    let tools = (
        "tool".to_string(),
        "fio".to_string(),
        "elbencho".to_string(),
    );
    assert_eq!(differing(&found), [tools]);
    assert!(said.contains("Not the same measurement:"), "{said}");
}

#[test]
fn the_same_result_on_both_sides_and_what_is_none_are_named() {
    let place = TestFolder::new();
    place.text("before.txt", &text(8, 10_000));
    place.text("copy.txt", &text(8, 10_000));
    place.text("again.txt", &text(8, 10_001));
    place.text("letter.txt", "Dear all,\n");
    let withheld = |words: &str| {
        let done = place.plimsoll(&format!("compare --json {words}"));
        done.ok().json()["withheld"].clone()
    };
    // A copy is the same run under another name, wherever it stands; a run that took a millisecond more is another.
    let same = "before.txt is on both sides, and a run is no repeat of itself";
    assert_eq!(withheld("before.txt -- copy.txt"), same);
    assert_eq!(
        withheld("again.txt before.txt -- again.txt copy.txt")
            .as_str()
            .map(|w| w.contains("on both sides")),
        Some(true)
    );
    assert_eq!(withheld("before.txt -- again.txt"), Value::Null);
    let done = place.plimsoll("compare before.txt -- copy.txt").ok();
    done.says(&["is on both sides", "no verdict (one run on both sides)"]);
    assert!(!done.out.contains("not the same measurement"), "{done:#?}");
    let done = place.plimsoll("compare before.txt -- letter.txt");
    done.refused(&[
        "letter.txt is no result that is known",
        "Nor is it a record",
    ]);
}

#[test]
fn a_run_is_known_by_what_it_says_in_whatever_lines_and_format() {
    let place = TestFolder::new();
    place.text("a.txt", &text(8, 10_000));
    place.text("later.txt", &format!("fio started\n\n{}", text(8, 10_000)));
    place.text("other.txt", &text(8, 10_001));
    let json = json!({"fio version": "fio-3.33", "jobs": [{
        "jobname": "read", "groupid": 0, "error": 0,
        "job options": {"rw": "randread", "bs": "4k", "iodepth": "8", "ioengine": "libaio"},
        "read": {"io_bytes": 327_680_000, "bw_bytes": 32_768_000, "iops": 8000.0, "runtime": 10_000, "total_ios": 80_000,
            "lat_ns": {"min": 50_012, "max": 89_999_871, "mean": 1_000_000.4, "stddev": 400_001.7, "N": 80_000}},
    }]});
    place.text("a.json", &format!("{json:#}"));
    place.text("line.json", &json.to_string());
    for copy in ["later.txt", "a.json", "line.json"] {
        let done = place
            .plimsoll(&format!("compare a.txt {copy} -- other.txt"))
            .ok();
        done.says(&["is a run that is given twice; it counts once"]);
        let done = place.plimsoll(&format!("compare a.txt -- {copy}")).ok();
        done.says(&["no verdict (one run on both sides)"]);
    }
    let done = place.plimsoll("compare other.txt -- a.json").ok();
    assert!(!done.out.contains("one run on both sides"), "{done:#?}");
}

/// A published log of Vdbench.
fn published(name: &str) -> String {
    let corpus = "/../truth/foreign/tests/corpus/vdbench/";
    format!("{}{corpus}{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_result_beside_an_array_is_as_that_array_or_low_for_it() {
    let place = TestFolder::new();
    let compare = |log: &str, array: &str| {
        let log = published(log);
        place
            .plimsoll(&["compare", "--json", &log, array])
            .ok()
            .json()
    };
    let gateway = "lab:flash-gateway?scale=1&size=1g";
    // Measured before and after the host was mended; the array's times are computed from the runs with 14 and 16 threads and this one.
    let mended = &compare("repaired.txt", gateway)[0];
    assert_eq!(mended["verdict"], "as that array", "{mended}");
    let collapsed = &compare("collapse.txt", gateway)[0];
    let share = collapsed["share"].as_f64().expect("a share");
    assert!((share - 54_462.75 / 104_968.0).abs() < 0.03, "{collapsed}");
    assert_eq!(collapsed["verdict"], "low for that array");

    let fitted = place
        .plimsoll(&["lab", "fit", &published("curve-8k.txt")])
        .ok();
    place.text("fitted.toml", &fitted.out);
    let points = compare("curve-8k.txt", "lab:./fitted.toml");
    let points = points.as_array().expect("points");
    assert_eq!(points.len(), 10);
    for name in ["rd1", "rd1_(80%)"] {
        let is = |point: &&Value| {
            point["name"]
                .as_str()
                .is_some_and(|n| n.starts_with(name) && n != "rd1_")
        };
        let point = points.iter().find(is).expect("there");
        assert_eq!(point["verdict"], "as that array", "{point}");
    }
    let slow = compare("curve-8k.txt", "lab:scale-out-flash-8?size=1g");
    assert_eq!(slow[0]["limited"], false, "{slow}");
    place
        .plimsoll(&[
            "compare",
            &published("collapse.txt"),
            gateway,
            "--fail-if",
            "iops < -3%",
        ])
        .refused(&["no gates"]);
    place
        .plimsoll(&["compare", &published("collapse.txt"), "lab:flash-gatewey"])
        .refused(&["there is no persona `flash-gatewey`"]);
}
