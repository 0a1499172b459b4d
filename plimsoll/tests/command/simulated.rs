//! `lab:` targets: the same command, record and report, on a model in virtual time.

use crate::place::{Done, TestFolder, typed};
use plimsoll_record::{Record, canonical_dump};
use serde_json::Value;
use std::process::Command;

/// A record as text, without wall-clock stamps and the environment.
pub fn dump(place: &TestFolder, name: &str) -> String {
    let record = Record::open(&place.path(name)).expect("a record");
    canonical_dump(&record).expect("a dump")
}

/// The points of the first verdict by their percentage: whether each is saturated.
pub fn saturated(document: &Value) -> Vec<(u64, bool)> {
    let points = document["verdicts"][0]["points"]
        .as_array()
        .expect("points");
    let of = |p: &Value| (p["percent"].as_u64()?, p["saturated"].as_bool()?).into();
    points.iter().filter_map(of).collect()
}

#[test]
fn a_run_takes_no_time_and_says_everywhere_that_it_is_simulated() {
    let place = TestFolder::new();
    let words = typed("run lab:scale-out-flash-8?size=64m --read 70 --block 8k");
    let words = [
        &words[..],
        &["--for", "1h", "--rate", "100", "--record", "a.plim"],
    ]
    .concat();
    let done = place.plimsoll(&words).ok();
    done.says(&["simulated  a model", "clock virtual"]);
    let trust = done.out.lines().find(|l| l.starts_with("Trust"));
    assert!(trust.is_some_and(|l| l.contains("nothing real was measured")));
    done.warns(&["at a scale of 20"]);
    let quiet = place.quick("run lab:curve-8k?size=1m -q --no-record").ok();
    quiet.says(&["nothing real was measured"]);
    let shown = place.plimsoll("show a.plim").ok();
    shown.says(&["nothing real was measured"]);
    let document = place.plimsoll("show --json a.plim").ok().json();
    crate::measuring::assert_valid(&document);
    let environment = &document["environment"];
    assert_eq!(environment["simulated"], true);
    assert_eq!(environment["backend"], "simulated");
    assert_eq!(environment["host"]["hostname"], "");
    let target = &environment["targets"][0];
    assert_eq!(target["kind"], "simulated LUN");
    assert_eq!(target["size_bytes"], 64 << 20);
    let step = &document["steps"][0];
    assert_eq!(step["cpu_ns_per_io"], Value::Null);
    let ios = step["ios"].as_f64().expect("a count");
    assert!((ios / 360_000.0 - 1.0).abs() < 0.01, "{ios}");
}

#[test]
fn streams_take_turns_where_there_is_one_worker() {
    let place = TestFolder::new();
    for load in [&["--rate", "max"][..], &["--rate", "1000"]] {
        let words =
            typed("run lab:single-ssd?size=1g --access streams=4 --for 2s --no-record --json");
        let document = place.plimsoll(&[&words[..], load].concat()).ok().json();
        assert!(
            document["steps"][0]["ios"].as_u64() > Some(1_000),
            "{document}"
        );
    }
}

#[test]
fn a_curve_finds_where_the_published_array_saturates() {
    let place = TestFolder::new();
    let document = place
        .plimsoll(
            "curve lab:curve-8k/lun0?size=1g lab:curve-8k/lun1?size=1g --read 70 --block 8k \
             --depth 256 --percents 50,92,98,104 --for 8s --warmup 2s --seed 1 --json --no-record",
        )
        .ok()
        .json();
    assert_eq!(
        saturated(&document),
        [(50, false), (92, false), (98, false), (104, true)]
    );
    let maximum = document["verdicts"][0]["maximum_iops"]["mean"].as_f64();
    // 130,848 published for 512 in flight.
    assert!((maximum.expect("a rate") / 130_848.0 - 1.0).abs() < 0.01);
}

#[test]
fn a_workload_with_a_rate_of_its_own_is_judged_under_a_load_of_max() {
    let place = TestFolder::new();
    let step = |rate: u32| -> Value {
        place.text(
            "own.toml",
            &format!(
                "[target.t]\npath = \"lab:curve-8k/lun0?size=1g\"\n[workload.own]\nblock = \"8k\"\nrate = {rate}\n\
                 [[run]]\nname = \"r\"\nworkloads = [\"own\"]\nload = \"max\"\nfor = \"3s\"\nwarmup = \"1s\"\n"
            ),
        );
        let document = place
            .plimsoll("run own.toml --json --no-record")
            .ok()
            .json();
        document["steps"][0].clone()
    };
    let past = step(900_000);
    assert_eq!(past["saturation"]["saturated"], true);
    assert_eq!(past["offered_iops"], 900_000.0);
    assert_eq!(past["load"], "900,000/s of its own");
    let within = step(5000);
    assert_eq!(within["saturation"]["saturated"], false);
}

#[test]
fn the_array_tells_of_its_hot_core_everywhere() {
    let place = TestFolder::new();
    let words = typed("run lab:scale-out-flash-8 --depth 64 --for 5s");
    let hits = typed("--hits read=75,area=1m,placement=contiguous --seed 1");
    let words = [&words[..], &hits, &["--record", "hot.plim"]].concat();
    let ran = place.plimsoll(&words).ok();
    let shown = place.plimsoll("show hot.plim").ok();
    for printed in [&ran.out, &shown.out] {
        assert!(
            printed.contains("the array lab:scale-out-flash-8 at 1/20:"),
            "{printed}"
        );
        assert!(printed.contains("largest owner"), "{printed}");
        assert!(printed.contains("cache 75%, local flash 25%"), "{printed}");
    }

    let document = place.plimsoll("show --json hot.plim").ok().json();
    crate::measuring::assert_valid(&document);
    let array = &document["steps"][0]["arrays"][0];
    assert_eq!(array["targets"][0], "lab:scale-out-flash-8");
    let number = |key: &str| array[key].as_f64().expect("a number");
    assert!(number("core_max") > 0.99, "{array:#}");
    assert!(number("core_mean") < 0.4, "{array:#}");
    // 3/4 of the reads, and an eighth of the rest, are bound to one core.
    assert!((number("owner_max") - 0.781).abs() < 0.01, "{array:#}");
    let front = array["front_end"]["reads"]["ios"]
        .as_f64()
        .expect("a count");
    let ios = document["steps"][0]["ios"].as_f64().expect("a count");
    assert!((front / ios - 1.0).abs() < 0.01, "{front} {ios}");

    let dump = dump(&place, "hot.plim");
    let intervals = dump.lines().filter(|l| l.starts_with("interval"));
    assert!(intervals.clone().count() >= 5);
    for line in intervals {
        assert!(line.contains("\"core_max\""), "{line}");
    }
    let exported = place.plimsoll("export --json hot.plim").ok().json();
    assert_eq!(
        exported["steps"][0]["evidence"]["arrays"][0]["name"],
        "lab:scale-out-flash-8"
    );
}

#[test]
fn what_an_array_told_of_the_warm_up_is_not_in_the_step() {
    let place = TestFolder::new();
    let measured = |warmup: &str| {
        let words = typed("run lab:scale-out-flash-4?size=64m --rate 1000 --for 5s");
        let rest = ["--warmup", warmup, "-q", "--no-record", "--json"];
        place.plimsoll(&[&words[..], &rest].concat()).ok().json()
    };
    for warmup in ["0s", "3s"] {
        let document = measured(warmup);
        let array = &document["steps"][0]["arrays"][0];
        assert_eq!(array["observed_s"], 5.0);
        let ios = array["front_end"]["reads"]["ios"]
            .as_f64()
            .expect("a count");
        assert!((ios / 5_000.0 - 1.0).abs() < 0.1, "{ios}");
    }
}

#[test]
fn a_plan_and_a_seed_give_one_record() {
    let place = TestFolder::new();
    place.text(
        "soak.toml",
        "seed = 11\n[target.a]\npath = \"lab:scale-out-flash-4/lun0?size=64m\"\n[target.b]\n\
         path = \"lab:scale-out-flash-4/lun1?size=64m\"\n[workload.w]\nread = 70\nblock = \"8k\"\n\
         [[run]]\nname = \"points\"\nload = \"curve\"\npercents = [50, 90]\nfor = \"5s\"\nwarmup = \"1s\"\n",
    );
    for name in ["a.plim", "b.plim"] {
        place
            .plimsoll(&format!("run soak.toml -q --record {name}"))
            .ok();
    }
    let first = dump(&place, "a.plim");
    assert!(first.lines().filter(|l| l.starts_with("interval")).count() >= 15);
    assert!(first == dump(&place, "b.plim"), "the same plan twice");
    place
        .plimsoll("run soak.toml -q --seed 12 --record c.plim")
        .ok();
    assert!(first != dump(&place, "c.plim"), "another seed");
    // A process that may use one CPU only; by default there is a worker for each.
    let words = ["run", "soak.toml", "-q", "--record", "d.plim"];
    let mut command = Command::new("taskset");
    command
        .args(["-c", "0"])
        .arg(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(words).current_dir(place.folder());
    match command.output() {
        Ok(output) => {
            Done::new(&output, &words).ok();
            assert!(first == dump(&place, "d.plim"), "on one CPU");
        }
        Err(e) => plimsoll_skipped::skipped!("taskset: {e}"),
    }
}

#[test]
fn asking_for_workers_changes_the_record_only_where_it_quotes_the_plan() {
    let place = TestFolder::new();
    let target = "lab:scale-out-flash-4?size=64m";
    let measured = |workers: &str| {
        let name = format!("{workers}.plim");
        place
            .quick(&format!(
                "run {target} -q --seed 3 --workers {workers} --record {name}"
            ))
            .ok();
        let dump = dump(&place, &name);
        let quoted = |l: &&str| !l.starts_with("plan ") && !l.starts_with("definition ");
        dump.lines()
            .filter(quoted)
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let one = measured("1");
    assert!(one.iter().any(|l| l.starts_with("evidence ")));
    for workers in ["2", "5"] {
        assert!(one == measured(workers), "{workers} workers");
    }
}

#[test]
fn a_plan_that_writes_first_starts_on_an_empty_array() {
    let place = TestFolder::new();
    let printed = |words: &[&str]| place.quick(words).ok().err;
    let target = "lab:single-ssd?size=64m";
    assert!(printed(&["run", target, "--no-record"]).contains("held data"));
    assert!(!printed(&["run", target, "--read", "0", "--no-record"]).contains("held data"));
    // What reads nothing is no result of a medium, and is asked for as what it is.
    let line = format!("run {target} --allow-unwritten --claim cached --no-record");
    let unwritten = typed(&line);
    assert!(!printed(&unwritten).contains("held data"));
}

#[test]
fn vdbench_files_name_luns_of_the_lab() {
    let place = TestFolder::new();
    place.text(
        "lab.parm",
        "sd=default,threads=8\nsd=sd,lun=lab:scale-out-flash-4/lun*,count=(0,2),size=64m\n\
         wd=wd1,sd=(sd0,sd1),rdpct=70,xfersize=8k\nrd=rd1,wd=wd1,iorate=(500,1000),elapsed=20,interval=1\n",
    );
    let done = place.plimsoll("vdbench -f lab.parm -o out").ok();
    assert_eq!(done.out.matches("avg_2-20").count(), 2, "{done:#?}");
    // The lines of 20 intervals bear 20 seconds, though hardly one has passed.
    let seconds: std::collections::BTreeSet<&str> = done
        .out
        .lines()
        .filter(|l| {
            l.contains(" avg_")
                || l.split_whitespace()
                    .nth(1)
                    .is_some_and(|n| n.parse::<u32>().is_ok())
        })
        .filter_map(|l| l.get(..8))
        .collect();
    assert!(seconds.len() >= 40, "{seconds:?}");
    done.says(&["nothing real was measured"]);
    let record = Record::open(&place.path("out/record.plim")).expect("a record");
    assert!(record.environment().simulated);
    assert_eq!(
        record.environment().targets[1].location,
        "lab:scale-out-flash-4/lun1"
    );
}

#[test]
fn a_persona_of_ones_own_is_a_file() {
    let place = TestFolder::new();
    place.text(
        "mine.toml",
        "name = \"mine\"\nabout = \"Two LUNs of 250 us\"\nscale = 1.0\n[luns]\ncount = 2\ngib = 0.25\n\
         [ports]\ncount = 1\npaths = 1\nmib_s = 1e9\ncommand_us = 0.0\n\
         [latency]\nread_us = 250.0\nwrite_us = 250.0\n",
    );
    let done = place
        .quick("run lab:./mine.toml/lun1 --depth 1 --json --no-record")
        .ok();
    let iops = done.json()["steps"][0]["iops"].as_f64().expect("a rate");
    assert!((3_990.0..=4_000.0).contains(&iops), "{iops}");
}

#[test]
fn what_is_no_lab_is_refused_with_what_would_be() {
    let place = TestFolder::new();
    for (words, parts) in [
        (
            &["run", "lab:scale-out-flsh-8"][..],
            &["scale-out-flsh-8", "did you mean `scale-out-flash-8`?"][..],
        ),
        (
            &["run", "lab:single-ssd", "null:1g"],
            &["null:1g", "simulated", "all targets, or none"],
        ),
        (&["run", "lab:single-ssd/lun3"], &["1 LUN", "lun3"]),
        (
            &["run", "lab:single-ssd", "--size", "1t"],
            &["1TiB", "16GiB"],
        ),
        (
            &["run", "lab:single-ssd", "--backend", "psync"],
            &["psync", "--backend"],
        ),
        (
            &["run", "lab:single-ssd?speed=9"],
            &["speed", "scale, size, path"],
        ),
        (&["run", "lab:./no.toml"], &["no.toml"]),
        (
            &["run", "lab:single-ssd", "--block", "1000"],
            &["1000", "512"],
        ),
    ] {
        place
            .plimsoll(&[words, &["--no-record"]].concat())
            .refused(parts);
        assert!(place.names().is_empty());
    }
}

#[test]
fn a_plan_of_an_array_that_is_not_there_is_no_plan() {
    let place = TestFolder::new();
    for words in [&["plan"][..], &["run", "--dry-run"]] {
        for (target, parts) in [
            ("lab:single-sd", "did you mean `single-ssd`?"),
            ("lab:single-ssd/lun1", "has 1 LUN and no lun1"),
        ] {
            place
                .plimsoll(&[words, &[target]].concat())
                .refused(&[parts]);
        }
        place.plimsoll(&[words, &["lab:single-ssd"]].concat()).ok();
    }
}

#[test]
fn an_array_whose_model_no_machine_has_the_memory_for_is_refused_with_the_scale_that_fits() {
    let place = TestFolder::new();
    let run = |target: &str| place.plimsoll(&format!("run {target} --read 100 --for 1s"));
    for target in [
        "lab:hybrid-hci?scale=1e-7",
        "lab:scale-out-flash-8?scale=1e-7&size=64m",
    ] {
        let done = run(target).exits(2);
        done.warns(&["a scale of at least"]);
    }
    let large = run("lab:single-ssd?size=1000000t").exits(2);
    large.warns(&["make the LUNs smaller"]);
}

/// One slice has three quarters of the hits, so its owner has 1/8 of a quarter and three quarters: 78 %. What is placed by its content
/// is even all the same.
#[test]
fn work_is_even_by_content_where_it_is_uneven_by_address() {
    let place = TestFolder::new();
    let words = typed(
        "run lab:scale-out-flash-8?size=1g --depth 64 --for 2s --seed 1 --json -q --no-record",
    );
    let hits = ["--hits", "read=75,area=1m,placement=contiguous"];
    let document = place.plimsoll(&[&words[..], &hits].concat()).json();
    crate::measuring::assert_valid(&document);
    let array = &document["steps"][0]["arrays"][0];
    let cores = array["cores"].as_array().expect("cores");
    let part = |of: &str| {
        let each = cores.iter().map(|c| c[of].as_f64().expect("known"));
        each.clone().fold(0.0, f64::max) / each.sum::<f64>()
    };
    let (owner, content) = (part("owner_bound"), part("content_bound"));
    assert!((owner - 0.781).abs() < 0.02, "{owner}");
    assert!((0.125..0.16).contains(&content), "{content}");
    let media = &array["media"][0];
    let [mean, most] = ["utilisation", "busiest"].map(|of| media[of].as_f64().expect("known"));
    assert!(mean > 0.0 && (mean..2.0 * mean).contains(&most), "{media}");
    // 40 dies at this scale are two drives of 16 and one of 8; a mean of many dies lies between theirs and the busiest one's.
    let drives = &media["drives"];
    let of_drives = drives["busiest"].as_f64().expect("known");
    assert_eq!(drives["count"], 3, "{media}");
    assert!((mean..most).contains(&of_drives), "{media}");
}

#[test]
fn a_stripe_cuts_at_its_units_and_a_width_that_was_given_for_one_is_named() {
    let place = TestFolder::new();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/stripe-width.toml");
    let run = |unit: &str| {
        let line = format!(
            "run {example} --set target.volume.stripe={unit} --for 1s --json --no-record -q"
        );
        place.plimsoll(&line).ok().json()
    };
    let size = |document: &Value| {
        let writes = &document["steps"][0]["arrays"][0]["front_end"]["writes"];
        writes["bytes"].as_f64().expect("bytes") / writes["ios"].as_f64().expect("a count")
    };
    let cut = run("256k");
    assert_eq!(size(&cut), 262_144.0);
    assert!(
        cut["findings"]
            .to_string()
            .contains("was that given for the unit?"),
        "{cut:#}"
    );
    let whole = run("1m");
    assert_eq!(size(&whole), 1_048_576.0);
    assert!(
        !whole["findings"].to_string().contains("PL308"),
        "{whole:#}"
    );
    let luns = |one: &str, other: &str| {
        place.text("d.toml", &format!("[target.t]\npath = [\"{one}\", \"{other}\"]\nstripe = \"1m\"\n[workload.w]\nread = 100\n[[run]]\nfor = \"1s\"\n"));
        place.plimsoll("plan d.toml")
    };
    luns("lab:curve-8k", "lab:curve-8k/lun1").ok();
    luns("lab:curve-8k", "lab:curve-8k").refused(&["a LUN twice"]);
    luns("lab:curve-8k", "lab:single-ssd").refused(&["LUNs of one simulated array"]);
}
