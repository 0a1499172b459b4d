//! The cases: what is planted, and what has to be found.

/// A simulated run with a planted fault, or with none.
pub struct Case {
    pub name: &'static str,
    pub planted: &'static str,
    pub text: &'static str,
    /// Rules that have to fire; none: no rule of runs may.
    pub fires: &'static [&'static str],
}

pub static CASES: [Case; 19] = [
    Case {
        name: "sound-reads",
        planted: "nothing: random reads on schedule, a third of what is carried",
        text: r#"
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 1500, for = "30s", warmup = "5s" }]
"#,
        fires: &[],
    },
    Case {
        name: "sound-closed-loop",
        planted: "nothing: a closed loop of 16 on an array of many cores",
        text: r#"
target.lun.path = "lab:flash-gateway?scale=50&size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 16, for = "30s", warmup = "5s" }]
"#,
        fires: &[],
    },
    Case {
        name: "zeros",
        planted: "the writes are zeros",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?size=8g"
workload.w = { read = 0, block = "8k", content = "zeros" }
run = [{ load = 500, for = "10s", warmup = "1s" }]
"#,
        fires: &["zeros-served"],
    },
    Case {
        name: "duplicates",
        planted: "the writes are one pattern",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?size=8g"
workload.w = { read = 0, block = "8k", content = "pattern=deadbeef" }
run = [{ load = 500, for = "10s", warmup = "1s" }]
"#,
        fires: &["duplicates-kept-once"],
    },
    Case {
        name: "hot-slice",
        planted: "three quarters of the reads go to 1 MiB in one piece",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?scale=200&size=8g"
workload.w = { read = 100, block = "4k", hits = "read=75,area=1m,placement=contiguous" }
run = [{ load = "max", depth = 64, for = "10s", warmup = "1s" }]
"#,
        fires: &["hot-core", "hot-region"],
    },
    Case {
        name: "small",
        planted: "the LUN fits into the cache, and was read once",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?size=16m"
workload.w = { read = 100, block = "8k" }
run = [{ load = 500, for = "10s", warmup = "20s" }]
"#,
        fires: &["cache-answered"],
    },
    Case {
        name: "warming",
        planted: "the cache fills while it is measured",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?scale=200"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 32, for = "30s", warmup = "1s" }]
"#,
        fires: &["still-warming"],
    },
    Case {
        name: "overload",
        planted: "twice what is carried is asked for",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?scale=200&size=8g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 5000, for = "10s", warmup = "1s" }]
"#,
        fires: &["saturated-latency"],
    },
    Case {
        name: "few-slots",
        planted: "a rate with a quarter of the slots that it needs",
        text: r#"
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 5000, depth = 2, for = "10s", warmup = "1s" }]
"#,
        fires: &["slots-were-the-limit"],
    },
    Case {
        name: "ceiling",
        planted: "a rate that keeps most of its slots busy",
        text: r#"
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 2600, arrival = "even", depth = 2, for = "10s", warmup = "1s" }]
"#,
        fires: &["at-the-ceiling"],
    },
    Case {
        name: "starved-host",
        planted: "the issuing thread loses its CPU within ten seconds",
        text: r#"
target.lun.path = "lab:starved-host?scale=50&size=64g"
workload.w = { read = 100, block = "4k" }
run = [{ load = "max", depth = 64, for = "30s", warmup = "0s" }]
"#,
        fires: &["collapse"],
    },
    Case {
        name: "write-cliff",
        planted: "an SSD's spare flash is used up within the step",
        text: r#"
target.lun.path = "lab:single-ssd?scale=64"
workload.w = { read = 0, block = "4k" }
run = [
    { name = "fill", purpose = "fill", block = "1m", access = { sequential = "once" }, for = "1h" },
    { name = "overwrite", depth = 16, for = "5m", warmup = "0s", limits = { written = "3g" } },
]
"#,
        fires: &["collapse", "amplification-rising"],
    },
    Case {
        name: "journal",
        planted: "writes fill the journal within the step",
        text: r#"
target.lun.path = "lab:hybrid-hci?scale=40&size=8g"
workload.w = { read = 0, block = "32k" }
run = [{ load = "max", depth = 32, for = "3m", warmup = "0s" }]
"#,
        fires: &["collapse", "journal-full"],
    },
    Case {
        name: "path-down",
        planted: "a path of four was pulled before the step",
        text: r#"
target.lun.path = "lab:hybrid-hci?size=64g"
workload.w = { read = 100, block = "8k" }
run = [
    { name = "before", load = 100, for = "2s", warmup = "0s", actions = [{ at = "1s", fault = "path-down path=0" }] },
    { name = "after", load = 500, for = "10s", warmup = "1s" },
]
"#,
        fires: &["path-imbalance"],
    },
    Case {
        name: "held-at-the-end",
        planted: "the only path takes 500 ms longer from 400 ms before the end on",
        text: r#"
target.lun.path = "lab:single-ssd?size=8g"
workload.w = { read = 100, block = "4k" }
run = [{ load = 1000, for = "20s", warmup = "1s", actions = [{ at = "20600ms", fault = "path-slow path=0 by=500ms" }] }]
"#,
        fires: &["rate-missed"],
    },
    Case {
        name: "neighbours-at-first",
        planted: "others take 60 % of the array's cores in the first second, which counts",
        text: r#"
target.lun.path = "lab:scale-out-flash-8?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 64, for = "15s", warmup = "0s", actions = [{ at = "0s", fault = "neighbours taken=0.6 for=1s" }] }]
"#,
        fires: &["first-interval"],
    },
    Case {
        name: "unlike-targets",
        planted: "one workload on an array and on a slow drive",
        text: r#"
target.a.path = "lab:curve-8k?size=64g"
target.b.path = "lab:single-ssd?size=8g"
workload.w = { targets = ["a", "b"], read = 100, block = "8k" }
run = [{ load = "max", depth = 8, for = "10s", warmup = "1s" }]
"#,
        fires: &["lopsided-targets"],
    },
    Case {
        name: "three-times",
        planted: "the same is measured three times",
        text: r#"
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [
    { name = "first", load = "max", depth = 8, for = "10s", warmup = "1s" },
    { name = "second", load = "max", depth = 8, for = "10s", warmup = "1s" },
    { name = "third", load = "max", depth = 8, for = "10s", warmup = "1s" },
]
"#,
        fires: &["best-of-several"],
    },
    Case {
        name: "narrow-port",
        planted: "reads of 64 KiB over the one port of a drive",
        text: r#"
target.lun.path = "lab:single-ssd?size=8g"
workload.w = { read = 100, block = "64k" }
run = [{ load = "max", depth = 64, for = "10s", warmup = "1s" }]
"#,
        fires: &["port-full"],
    },
];

/// A sound run that differs with each seed: its persona, its mix of sizes, its rate.
pub fn clean_with_seed(seed: u64) -> String {
    let (lun, most) = [
        ("lab:curve-8k?size=64g", 2000),
        ("lab:scale-out-flash-4?scale=20&size=64g", 2000),
        ("lab:flash-gateway?scale=20&size=64g", 2000),
        ("lab:scale-out-flash-8?scale=400&size=64g", 200),
    ][(seed % 4) as usize];
    let block = ["4k", "8k", "16k", "4k=50,8k=50"][(seed / 4 % 4) as usize];
    let load = match seed / 16 % 2 {
        0 => format!("load = {}", most / 2 + seed % 7 * most / 20),
        _ => format!("load = \"max\", depth = {}", 2 + seed % 3),
    };
    format!(
        "target.lun.path = \"{lun}\"\nworkload.w = {{ read = 100, block = \"{block}\" }}\n\
         run = [{{ {load}, for = \"20s\", warmup = \"5s\" }}]\n"
    )
}
