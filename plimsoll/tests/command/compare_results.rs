//! `plimsoll compare` of results that other tools left: by the rules of records, and only of one tool.

use crate::place::TestFolder;

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
    assert_eq!(found["measured"], serde_json::json!([]));
}

#[test]
fn what_differs_between_results_is_said() {
    let place = TestFolder::new();
    place.text("before.txt", &text(8, 10_000));
    place.text("after.txt", &text(16, 10_000));
    let done = place.plimsoll("compare before.txt -- after.txt").ok();
    done.says(&["depth", "not the same measurement"]);
    let elbencho = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n\
                    =========== ================    ==========   =========\n\
                    read        Elapsed time     :     10.000s     10.000s\n\
                    \x20           IOPS             :        8000        8000\n---\n";
    place.text("other.txt", elbencho);
    let done = place.plimsoll("compare before.txt -- other.txt").ok();
    done.says(&["Not the same measurement:", "tool: A fio; B elbencho"]);
}

#[test]
fn the_same_result_on_both_sides_and_what_is_none_are_named() {
    let place = TestFolder::new();
    place.text("before.txt", &text(8, 10_000));
    place.text("copy.txt", &text(8, 10_000));
    place.text("letter.txt", "Dear all,\n");
    let done = place.plimsoll("compare before.txt -- copy.txt").ok();
    done.says(&["is on both sides"]);
    let done = place.plimsoll("compare before.txt -- letter.txt");
    done.refused(&["letter.txt is not a record"]);
}
