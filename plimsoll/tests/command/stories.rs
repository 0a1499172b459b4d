//! The published accounts, each figure beside its reproduction: `docs/stories.md` has the tables that this makes, in virtual time, and
//! a figure that moves fails it.

use crate::place::TestFolder;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PAGE: &str = "docs/stories.md";

/// In what a figure is.
#[derive(Clone, Copy)]
enum Unit {
    PerSecond,
    Ms,
    Percent,
    MbPerSecond,
    Seconds,
    KiB,
    Count,
}

/// A published figure, where it comes from in a document of ours, and how far it may be off.
struct Figure {
    says: &'static str,
    published: f64,
    unit: Unit,
    /// Factor on the document's number that gives the figure: arrays are simulated at a part of their size.
    times: f64,
    of: fn(&Value) -> Option<f64>,
    within: f64,
}

/// An account's part that one command reproduces.
struct Part {
    account: &'static str,
    command: &'static str,
    figures: &'static [Figure],
}

macro_rules! figures {
    ($($says:literal $published:literal $unit:ident x $times:literal $of:expr, within $within:expr;)*) => {
        &[$(Figure { says: $says, published: $published, unit: Unit::$unit, times: $times, of: $of, within: $within }),*]
    };
}

/// Parts: the account, its command, and the figures.
macro_rules! parts {
    ($($account:ident $command:literal { $($figures:tt)* })*) => {
        &[$(Part { account: $account, command: $command, figures: figures! { $($figures)* } }),*]
    };
}

/// Parts as lines: the load and its flag, its mean time, standard deviation and longest time in ms; and what comes before them.
macro_rules! tails {
    ($($at:literal $rate:literal $mean:literal $deviation:literal $longest:literal $($first:literal $iops:literal within $within:literal)?;)*) => {
        &[$(Part {
            account: CURVE,
            command: concat!("run lab:curve-8k@tails --read 70 --block 8k --depth 512 ", $rate, "--for 30s --warmup 5s --seed 1"),
            figures: &[
                $(Figure { says: $first, published: $iops, unit: Unit::PerSecond, times: 1.0, of: iops, within: $within },)?
                time_us(concat!("mean time at ", $at), $mean, |d| number(d, "/steps/0/service/mean_us"), 0.03),
                time_us(concat!("standard deviation at ", $at), $deviation, |d| number(d, "/steps/0/service/stddev_us"), SPREAD),
                time_us(concat!("the longest at ", $at), $longest, |d| number(d, "/steps/0/service/max_us"), LONGEST),
            ],
        }),*]
    };
}

/// A time that the document has in us.
const fn time_us(
    says: &'static str,
    published: f64,
    of: fn(&Value) -> Option<f64>,
    within: f64,
) -> Figure {
    Figure {
        says,
        published,
        unit: Unit::Ms,
        times: 1e-3,
        of,
        within,
    }
}

/// How far a standard deviation may be off, and the longest time of millions.
const SPREAD: f64 = 0.3;
const LONGEST: f64 = 2.0;

const SLICES: &str = "When testing tools attack: one core carries 75 % of the hits";
const GATEWAY: &str = "A gateway under Xen: 105,000 a second, and 31,000 ten seconds later";
const FLASH: &str = "Testing flash storage: two bricks, their maxima and a ceiling in bytes";
const HYBRID: &str =
    "Pitfalls of load generators: 30,000 I/Os a second, of which the disks see 12,000";
const FAILOVER: &str =
    "Multipath settings that turned a failover of less than a second into minutes";
const CURVE: &str = "A curve of Vdbench, 8 KiB with 70 % reads";

const STORIES: &[Part] = parts! {
    SLICES "run lab:scale-out-flash-8 --hits read=75,area=1m,placement=contiguous --depth 64 --for 10s --seed 1" {
        "the hottest core's share of what only owners do" 78.1 Percent x 100.0 |d| number(d, "/steps/0/arrays/0/owner_max"), within 0.01;
        "reads that the cache answered" 75.0 Percent x 100.0 |d| number(d, "/steps/0/arrays/0/read_source/0/share"), within 0.02;
    }
    GATEWAY "run 'lab:flash-gateway@tails?scale=1&size=1g' --block 4k --depth 14 --for 8s --warmup 2s --seed 1" {
        "I/Os a second of 14 threads" 59_189.5 PerSecond x 1.0 iops, within 0.02;
        "their mean time" 0.233 Ms x 1.0 mean_ms, within 0.03;
        "standard deviation" 0.052 Ms x 1e-3 |d| number(d, "/steps/0/service/stddev_us"), within SPREAD;
        "the longest" 6.729 Ms x 1e-3 |d| number(d, "/steps/0/service/max_us"), within LONGEST;
    }
    GATEWAY "run 'lab:flash-gateway@tails?scale=1&size=1g' --block 4k --depth 16 --for 8s --warmup 2s --seed 1" {
        "I/Os a second of 16 threads" 64_172.1 PerSecond x 1.0 iops, within 0.03;
        "their mean time" 0.245 Ms x 1.0 mean_ms, within 0.03;
        "standard deviation" 0.083 Ms x 1e-3 |d| number(d, "/steps/0/service/stddev_us"), within SPREAD;
        "the longest" 18.297 Ms x 1e-3 |d| number(d, "/steps/0/service/max_us"), within LONGEST;
    }
    GATEWAY "run 'lab:flash-gateway@tails?scale=1&size=1g' --block 4k --depth 32 --for 8s --warmup 2s --seed 1" {
        "I/Os a second of 32 threads, mended" 104_968.0 PerSecond x 1.0 iops, within 0.02;
        "their mean time" 0.292 Ms x 1.0 mean_ms, within 0.06;
        "standard deviation" 0.113 Ms x 1e-3 |d| number(d, "/steps/0/service/stddev_us"), within SPREAD;
        "the longest" 16.0 Ms x 1e-3 |d| number(d, "/steps/0/service/max_us"), within LONGEST;
    }
    GATEWAY "audit truth/foreign/tests/corpus/vdbench/collapse.txt" {
        "before the fall (PL108)" 96_334.0 PerSecond x 1.0 |d| of_finding(d, "from"), within 0.001;
        "after it, mean of two intervals" 31_824.5 PerSecond x 1.0 |d| of_finding(d, "to"), within 0.001;
        "the printed average, at no time the rate" 54_462.75 PerSecond x 1.0 |d| of_finding(d, "mean_rate"), within 0.001;
    }
    FLASH "run 'lab:scale-out-flash-8?scale=4&size=1g' --read 0 --block 4k --depth 48 --for 2s --warmup 500ms --seed 1" {
        "writes a second, 192 in flight" 160_000.0 PerSecond x 4.0 iops, within 0.02;
        "their mean time" 1.2 Ms x 1.0 mean_ms, within 0.02;
    }
    FLASH "fio --name=writes '--filename=lab\\:scale-out-flash-8?scale=4&size=1g' --rw=randwrite --bs=4k --ioengine=libaio --direct=1 \
                  --norandommap --numjobs=6 --iodepth=8 --group_reporting --ramp_time=500ms --runtime=2 --time_based --randseed=1" {
        "the same by a job of fio, as it was measured" 160_000.0 PerSecond x 4.0 |d| number(d, "/jobs/0/write/iops"), within 0.02;
        "its mean time" 1.2 Ms x 1e-6 |d| number(d, "/jobs/0/write/lat_ns/mean"), within 0.02;
    }
    FLASH "run 'lab:scale-out-flash-8?scale=4&size=1g' --read 100 --block 4k --depth 160 --for 1s --warmup 500ms --seed 1" {
        "reads a second, 640 in flight" 455_000.0 PerSecond x 4.0 iops, within 0.02;
        "their mean time" 1.4 Ms x 1.0 mean_ms, within 0.02;
    }
    FLASH "run 'lab:scale-out-flash-8?scale=4&size=1g' --read 70 --block 4k --depth 76 --for 1s --warmup 500ms --seed 1" {
        "70/30 a second, 304 in flight" 264_000.0 PerSecond x 4.0 iops, within 0.02;
        "their mean time" 1.15 Ms x 1.0 mean_ms, within 0.02;
    }
    FLASH "run 'lab:scale-out-flash-8?scale=4&size=1g' --read 0 --block 1m --depth 48 --for 4s --warmup 500ms --seed 1" {
        "writes of 1 MiB, 700 to 750 MB/s" 725.0 MbPerSecond x 4.0 mb, within 0.035;
    }
    FLASH "saturate 'lab:scale-out-flash-8?scale=20&size=1g' --reads 0 --blocks 16k,64k,256k,1m --seed 1" {
        "writes from 16 KiB on: what rate times size comes to, 700 to 750 MB/s" 725.0 MbPerSecond x 20e-6 |d| of_report(d, "read0_ceiling"), within 0.05;
    }
    FLASH "run examples/stripe-width.toml --seed 1" {
        "what the array saw of writes of 1 MiB, 256 KB, where a stripe's width was given for its unit" 256.0 KiB x 0.000_976_562_5 arrives_bytes, within 0.001;
    }
    FLASH "check '264000 at 1.15ms, 4k, jobs=8 depth=10, 4 hosts, 8 x 8Gb FC'" {
        "in flight by Little's law, where 320 are said (PL114)" 304.0 Count x 1.0 |d| of_finding(d, "in_flight"), within 0.001;
    }
    HYBRID "run examples/tour/zero-buffers.toml --set 'target.vm.path=lab:hybrid-hci?scale=100&size=512m' --seed 1" {
        "I/Os a second at the front end" 30_000.0 PerSecond x 100.0 |d| number(d, "/steps/2/iops"), within 0.01;
        "those that reach flash and disks" 12_000.0 PerSecond x 100.0 behind, within 0.13;
        "reads that were answered as zeros" 33.0 Percent x 100.0 |d| share(d, 2, "read_source", "zero"), within 0.02;
        "writes that went to the journal" 60.0 Percent x 100.0 |d| share(d, 2, "write_destination", "journal"), within 0.02;
        "writes that were zeros" 40.0 Percent x 100.0 |d| share(d, 2, "write_destination", "journal zero"), within 0.02;
    }
    HYBRID "diskspd -c512M -b8K -t4 -o32 -r -w30 -W720 -d20 -L --allow-unwritten 'lab:hybrid-hci?scale=100'" {
        "reads that no disk answered, twelve minutes after DiskSPD made its file" 36.0 Percent x 100.0 |d| share(d, 0, "read_source", "unmapped"), within 0.02;
    }
    FAILOVER "disturb 'lab:scale-out-flash-4?size=1g' --rate 400 --arrival even --depth 64 --at 8s --do-fault 'path-down path=0 silent=true' \
                  --undo-at 38s --undo-fault 'path-up path=0' --for 50s --times 1 --seed 1" {
        "no completion, one of four paths silent, given up after 30 s" 29.37 Seconds x 1.0 |d| of_report(d, "blackout"), within 0.005;
        "the longest response" 30.0 Seconds x 1.0 |d| of_report(d, "longest_response"), within 0.005;
    }
    CURVE "audit truth/foreign/tests/corpus/vdbench/curve-8k.txt" {
        "at 98 % 128,300/s were asked for, and missed (PL103)" 127_696.82 PerSecond x 1.0 |d| of_rule(d, "PL103", "rate"), within 0.001;
    }
    CURVE "compare truth/foreign/tests/corpus/vdbench/curve-8k.txt -- lab:curve-8k@tails" {
        "mean time at 90 %" 1.286 Ms x 1e-3 |d| number(d, "/5/array_response_us"), within 0.06;
        "mean time at 92 %" 2.006 Ms x 1e-3 |d| number(d, "/6/array_response_us"), within 0.06;
        "mean time at 94 %" 2.891 Ms x 1e-3 |d| number(d, "/7/array_response_us"), within 0.06;
        "mean time at 96 %" 3.862 Ms x 1e-3 |d| number(d, "/8/array_response_us"), within 0.06;
        "mean time at 98 %" 3.945 Ms x 1e-3 |d| number(d, "/9/array_response_us"), within 0.06;
    }
    CURVE "run lab:curve-8k --read 70 --block 8k --depth 512 --for 2s --warmup 1s --seed 1" {
        "the maximum, 512 in flight" 130_848.33 PerSecond x 1.0 iops, within 0.01;
        "its mean time" 3.913 Ms x 1.0 mean_ms, within 0.01;
    }
    CURVE "run lab:curve-8k --read 70 --block 8k --depth 512 --rate 91600 --for 2s --warmup 1s --seed 1" {
        "mean time at 70 %" 0.817 Ms x 1.0 mean_ms, within 0.02;
    }
    CURVE "run lab:curve-8k --read 70 --block 8k --depth 512 --rate 104700 --for 2s --warmup 1s --seed 1" {
        "mean time at 80 %" 0.897 Ms x 1.0 mean_ms, within 0.02;
    }
};

/// The rest of the curve, of an array with its tails.
const TAILS: &[Part] = tails! {
    "85 %" "--rate 111300 " 0.953 0.494 53.8;
    "90 %" "--rate 117800 " 1.286 1.885 107.7;
    "92 %" "--rate 120400 " 2.006 5.19 701.1;
    "94 %" "--rate 123000 " 2.891 8.809 563.4;
    "96 %" "--rate 125700 " 3.862 21.9 2393.7;
    "98 %" "--rate 128300 " 3.945 27.4 1903.5 "I/Os a second at 98 %, where 128,300 were asked for" 127_696.82 within 0.003;
    "the maximum" "" 3.913 37.5 2903.5 "the maximum of the array that misses 98 %" 130_848.33 within 0.03;
};

fn number(document: &Value, pointer: &str) -> Option<f64> {
    document.pointer(pointer)?.as_f64()
}

fn iops(document: &Value) -> Option<f64> {
    number(document, "/steps/0/iops")
}

fn mean_ms(document: &Value) -> Option<f64> {
    Some(number(document, "/steps/0/response/mean_us")? / 1e3)
}

fn mb(document: &Value) -> Option<f64> {
    Some(number(document, "/steps/0/bytes_per_s")? / 1e6)
}

/// I/Os a second behind the front end, of the run behind two fills.
fn behind(document: &Value) -> Option<f64> {
    let of = |name: &str| number(document, &format!("/steps/2/arrays/0/{name}"));
    Some((of("back_end/reads")? + of("back_end/writes")?) / of("observed_s")?)
}

/// The share of chunks of one place in a step.
fn share(document: &Value, step: u32, which: &str, place: &str) -> Option<f64> {
    let places = document.pointer(&format!("/steps/{step}/arrays/0/{which}"))?;
    let found = places.as_array()?.iter().find(|p| p["place"] == place)?;
    found["share"].as_f64()
}

/// A value of the first finding of the first result.
fn of_finding(document: &Value, name: &str) -> Option<f64> {
    let values = document
        .pointer("/results/0/findings/0/values")?
        .as_array()?;
    let value = values.iter().find(|v| v["name"] == name)?;
    value.pointer("/quantity/value")?.as_f64()
}

/// A value of the first finding of a rule.
fn of_rule(document: &Value, rule: &str, name: &str) -> Option<f64> {
    let findings = document.pointer("/results/0/findings")?.as_array()?;
    let finding = findings
        .iter()
        .find(|f| f["rule"] == rule && f["severity"] == "note")?;
    let value = finding["values"]
        .as_array()?
        .iter()
        .find(|v| v["name"] == name)?;
    value.pointer("/quantity/value")?.as_f64()
}

/// Bytes of a write as it reaches the array.
fn arrives_bytes(document: &Value) -> Option<f64> {
    let of = |name: &str| {
        number(
            document,
            &format!("/steps/0/arrays/0/front_end/writes/{name}"),
        )
    };
    Some(of("bytes")? / of("ios")?)
}

/// A figure of the first verdict.
fn of_report(document: &Value, name: &str) -> Option<f64> {
    let figures = document.pointer("/verdicts/0/figures")?.as_array()?;
    let figure = figures.iter().find(|f| f["name"] == name)?;
    figure.pointer("/quantity/value")?.as_f64()
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Unit::PerSecond => {
                let digits = format!("{value:.0}");
                let (thousands, rest) = digits.split_at(digits.len().saturating_sub(3));
                match thousands {
                    "" => format!("{rest}/s"),
                    _ => format!("{thousands},{rest}/s"),
                }
            }
            Unit::Ms => format!("{value:.3} ms"),
            Unit::Percent => format!("{value:.1} %"),
            Unit::MbPerSecond => format!("{value:.0} MB/s"),
            Unit::Seconds => format!("{value:.1} s"),
            Unit::KiB => format!("{value:.0} KiB"),
            Unit::Count => format!("{value:.0}"),
        }
    }
}

/// The document of a command, of which a run leaves no record, but where only that has it.
fn document(command: &str) -> Value {
    let place = TestFolder::new();
    let record = place.path("r.plim").display().to_string();
    let more = match command.split(' ').next() {
        Some("audit" | "check") => " --json",
        // Behind `--` there are only records.
        Some("compare") => "",
        Some("fio") => " --no-record --output-format=json",
        Some("diskspd") => &format!(" --record {record}"),
        _ => " --json --no-record --quiet",
    };
    let run = |line: &str| {
        let mut process = place.command(line);
        process.current_dir(ROOT).output().expect("started")
    };
    let command = command.replacen("compare ", "compare --json ", 1);
    let mut output = run(&format!("{command}{more}"));
    if command.starts_with("diskspd") {
        output = run(&format!("show {record} --json"));
    }
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{command}: {e}: {output:?}"))
}

/// The tables, with what is too far from what was published.
fn tables() -> (String, Vec<String>) {
    let (mut text, mut wrong) = (String::new(), Vec::new());
    let mut documents: HashMap<&str, Value> = HashMap::new();
    let mut account = "";
    for part in STORIES.iter().chain(TAILS) {
        if part.account != account {
            account = part.account;
            let _ = write!(text, "\n## {account}\n");
        }
        let _ = write!(
            text,
            "\n```sh\nplimsoll {}\n```\n\n| Figure | Published | Reproduced |\n|---|---|---|\n",
            part.command
        );
        let document = documents
            .entry(part.command)
            .or_insert_with(|| document(part.command));
        for figure in part.figures {
            let Some(value) = (figure.of)(document) else {
                wrong.push(format!("{}: nothing to be found", figure.says));
                continue;
            };
            let value = value * figure.times;
            let (published, shown) = (figure.unit.show(figure.published), figure.unit.show(value));
            let _ = writeln!(text, "| {} | {published} | {shown} |", figure.says);
            // What is negative has no logarithm, and is no figure.
            let apart = (value / figure.published).ln().abs();
            if apart.is_nan() || apart > figure.within.ln_1p() {
                wrong.push(format!("{}: {published}, and here {shown}", figure.says));
            }
        }
    }
    (text, wrong)
}

#[test]
fn each_published_figure_is_reproduced_and_the_page_shows_it() {
    const BEGIN: &str = "<!-- made by plimsoll/tests/command/stories.rs -->\n";
    let path = Path::new(ROOT).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (head, shown) = page.split_once(BEGIN).expect("where the tables begin");
    let (made, wrong) = tables();
    assert!(wrong.is_empty(), "{wrong:#?}");
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{made}")).expect("written");
        return;
    }
    assert_eq!(made, shown, "PLIMSOLL_UPDATE=1 writes it anew");
}

#[test]
fn a_vdbench_curve_of_the_lab_hides_its_stalls_as_the_published_one_does() {
    let place = TestFolder::new();
    place.text(
        "curve.parm",
        "sd=sd1,lun=lab:curve-8k@tails/lun0\nsd=sd2,lun=lab:curve-8k@tails/lun1\nwd=wd1,sd=(sd1,sd2),xfersize=8k,rdpct=70\n\
         rd=rd1,wd=wd1,iorate=curve,curve=(80,98),elapsed=10,interval=1,warmup=2,threads=256\n",
    );
    place.plimsoll("vdbench -f curve.parm -o out --seed 1").ok();
    let said = place.plimsoll("audit out").ok().out;
    assert!(said.contains("stall-hidden"), "{said}");
}

#[test]
fn a_persona_is_fitted_to_a_log_with_a_gap_and_the_gap_is_said() {
    let log = Path::new(ROOT).join("truth/foreign/tests/corpus/vdbench/curve-8k.txt");
    let log = std::fs::read_to_string(log).expect("the log");
    // The average of 80 % is not there.
    let cut = log.lines().filter(|line| !line.contains("104663.12"));
    let place = TestFolder::new();
    place.text("cut.log", &(cut.collect::<Vec<_>>().join("\n") + "\n"));
    let done = place.plimsoll("lab fit cut.log").ok();
    done.warns(&["`rd1_(80%)", "no line of its figures is there"]);
    place.text("fitted.toml", &done.out);
    let command = "run lab:./fitted.toml --read 70 --block 8k --depth 512 --for 5s --warmup 1s --seed 1 --json --no-record";
    let run = place.plimsoll(command).ok().json();
    let off = iops(&run).expect("a rate") / 130_848.33 - 1.0;
    assert!(off.abs() < 0.02, "{off}");
    let beside = place
        .plimsoll("run lab:curve-8k --read 70 --block 8k --like fitted.toml --for 2s --no-record")
        .ok();
    beside.says(&["beside lab:./fitted.toml", "512 in flight", "as that array"]);
    // An average without its beginning is of a load that nobody knows.
    let headless = log.lines().filter(|line| !line.contains("(80%)"));
    place.text("cut.log", &(headless.collect::<Vec<_>>().join("\n") + "\n"));
    let done = place.plimsoll("lab fit cut.log");
    assert!(
        !done.out.contains("104663") && done.err.contains("left out"),
        "{done:?}"
    );
    let other = place.text(
        "other.log",
        &log.replace("   8192  69.98", "   8192  39.98"),
    );
    let refused = place.plimsoll(&["lab", "fit", &other.display().to_string()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
