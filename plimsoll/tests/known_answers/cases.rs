//! The cases: what is planted, and what has to be found.

use std::sync::LazyLock;

/// A simulated run with a planted fault, or with none.
pub struct Case {
    pub name: &'static str,
    pub planted: &'static str,
    pub text: &'static str,
    /// Rules that have to fire; none: no rule of runs may.
    pub fires: Vec<&'static str>,
}

pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let case = |text: &'static str| {
        let (head, text) = text.split_once('\n').expect("a definition");
        let head: Vec<&str> = head.split('|').map(str::trim).collect();
        let [name, planted, fires] = head[..] else {
            panic!("{head:?}");
        };
        let fires = fires.split_whitespace().filter(|r| *r != "-").collect();
        Case {
            name,
            planted,
            text,
            fires,
        }
    };
    TEXTS.split("\n# ").skip(1).map(case).collect()
});

/// Each case's name, what is planted, and the rules that have to fire (`-`: none), over its definition.
const TEXTS: &str = r#"
# sound-reads | nothing: random reads on schedule, a third of what is carried | -
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 1500, for = "30s", warmup = "5s" }]

# sound-closed-loop | nothing: a closed loop of 16 on an array of many cores | -
target.lun.path = "lab:flash-gateway?scale=50&size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 16, for = "30s", warmup = "5s" }]

# zeros | the writes are zeros | zeros-served
target.lun.path = "lab:scale-out-flash-8?size=8g"
workload.w = { read = 0, block = "8k", content = "zeros" }
run = [{ load = 500, for = "10s", warmup = "1s" }]

# duplicates | the writes are one pattern | duplicates-kept-once
target.lun.path = "lab:scale-out-flash-8?size=8g"
workload.w = { read = 0, block = "8k", content = "pattern=deadbeef" }
run = [{ load = 500, for = "10s", warmup = "1s" }]

# hot-slice | three quarters of the reads go to 1 MiB in one piece | hot-core hot-region
target.lun.path = "lab:scale-out-flash-8?scale=200&size=8g"
workload.w = { read = 100, block = "4k", hits = "read=75,area=1m,placement=contiguous" }
run = [{ load = "max", depth = 64, for = "10s", warmup = "1s" }]

# small | the LUN fits into the cache, and was read once | cache-answered
target.lun.path = "lab:scale-out-flash-8?size=16m"
workload.w = { read = 100, block = "8k" }
run = [{ load = 500, for = "10s", warmup = "20s" }]

# warming | the cache fills while it is measured | still-warming
target.lun.path = "lab:scale-out-flash-8?scale=200"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 32, for = "30s", warmup = "1s" }]

# overload | twice what is carried is asked for | saturated-latency
target.lun.path = "lab:scale-out-flash-8?scale=200&size=8g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 5000, for = "10s", warmup = "1s" }]

# few-slots | a rate with a quarter of the slots that it needs | slots-were-the-limit
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 5000, depth = 2, for = "10s", warmup = "1s" }]

# ceiling | a rate that keeps most of its slots busy | at-the-ceiling
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = 30000, arrival = "even", depth = 28, for = "5s", warmup = "1s" }]

# starved-host | the issuing thread loses its CPU within ten seconds | collapse
target.lun.path = "lab:starved-host?scale=50&size=64g"
workload.w = { read = 100, block = "4k" }
run = [{ load = "max", depth = 64, for = "30s", warmup = "0s" }]

# write-cliff | an SSD's spare flash is used up within the step | collapse amplification-rising
target.lun.path = "lab:single-ssd?scale=64"
workload.w = { read = 0, block = "4k" }
run = [
    { name = "fill", purpose = "fill", block = "1m", access = { sequential = "once" }, for = "1h" },
    { name = "overwrite", depth = 16, for = "5m", warmup = "0s", limits = { written = "3g" } },
]

# journal | writes fill the journal within the step | collapse journal-full
target.lun.path = "lab:hybrid-hci?scale=40&size=8g"
workload.w = { read = 0, block = "32k" }
run = [{ load = "max", depth = 32, for = "3m", warmup = "0s" }]

# path-down | a path of four was pulled before the step | path-imbalance
target.lun.path = "lab:hybrid-hci?size=64g"
workload.w = { read = 100, block = "8k" }
run = [
    { name = "before", load = 100, for = "2s", warmup = "0s", actions = [{ at = "1s", fault = "path-down path=0" }] },
    { name = "after", load = 500, for = "10s", warmup = "1s" },
]

# held-at-the-end | the only path takes 500 ms longer from 400 ms before the end on | rate-missed
target.lun.path = "lab:single-ssd?size=8g"
workload.w = { read = 100, block = "4k" }
run = [{ load = 1000, for = "20s", warmup = "1s", actions = [{ at = "20600ms", fault = "path-slow path=0 by=500ms" }] }]

# neighbours-at-first | others take 60 % of the array's cores in the first second, which counts | first-interval
target.lun.path = "lab:scale-out-flash-8?size=64g"
workload.w = { read = 100, block = "8k" }
run = [{ load = "max", depth = 64, for = "15s", warmup = "0s", actions = [{ at = "0s", fault = "neighbours taken=0.6 for=1s" }] }]

# unlike-targets | one workload on an array and on a slow drive | lopsided-targets
target.a.path = "lab:curve-8k?size=64g"
target.b.path = "lab:single-ssd?size=8g"
workload.w = { targets = ["a", "b"], read = 100, block = "8k" }
run = [{ load = "max", depth = 8, for = "10s", warmup = "1s" }]

# three-times | the same is measured three times | best-of-several
target.lun.path = "lab:curve-8k?size=64g"
workload.w = { read = 100, block = "8k" }
run = [
    { name = "first", load = "max", depth = 8, for = "10s", warmup = "1s" },
    { name = "second", load = "max", depth = 8, for = "10s", warmup = "1s" },
    { name = "third", load = "max", depth = 8, for = "10s", warmup = "1s" },
]

# narrow-port | reads of 64 KiB over the one port of a drive | port-full
target.lun.path = "lab:single-ssd?size=8g"
workload.w = { read = 100, block = "64k" }
run = [{ load = "max", depth = 64, for = "10s", warmup = "1s" }]

# known-files | stats of 400 files, of which each comes round within the client's attribute time-out | attributes-cached
target.t.tree = { root = "lab:filer", depth = 1, width = 4, files = 100 }
workload.w = { operations = { stat = 100 } }
run = [{ load = 5000, for = "20s", warmup = "1s" }]
"#;

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
