//! `plimsoll fio`: fio's command line, results in its forms, its exit codes; beside the real fio where that is here.

use crate::place::{TestFolder, holds, typed};
use serde_json::Value;
use std::process::Command;

const JOBS: &str = "[global]\nioengine=null\nsize=1m\nbs=4k\n[a]\nrw=randread\nnumjobs=2\n[b]\nrw=write\n\
                    [c]\nstonewall\nrw=randrw\nnumjobs=3\ngroup_reporting\n[d]\nrw=read\nnew_group\ngroup_reporting\n";

/// Figures that stand for a job in fio's document: name, group, I/Os, and directions as bits.
fn jobs(document: &Value) -> Vec<(String, u64, u64, u64)> {
    let all = document["jobs"].as_array().expect("jobs").iter();
    all.map(|job| {
        let ios = |direction: &str| job[direction]["total_ios"].as_u64().expect("a count");
        (
            job["jobname"].as_str().expect("a name").to_string(),
            job["groupid"].as_u64().expect("a group"),
            ios("read") + ios("write"),
            u64::from(ios("read") > 0) + 2 * u64::from(ios("write") > 0),
        )
    })
    .collect()
}

#[test]
fn jobs_groups_and_counts_are_those_of_the_real_fio() {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    let words = ["--output-format=json", "jobs.fio"];
    let ours = place.plimsoll(&[&["fio"], &words[..]].concat()).ok().json();
    if let Some(real) = real(&place, &words) {
        assert_eq!(jobs(&ours), jobs(&real));
    }
    let ours = jobs(&ours);
    let reported: Vec<(&str, u64, u64)> = ours.iter().map(|j| (&*j.0, j.1, j.2)).collect();
    let expected = [
        ("a", 0, 256),
        ("a", 0, 256),
        ("b", 0, 256),
        ("c", 1, 768),
        ("d", 2, 256),
    ];
    assert_eq!(reported, expected);
}

#[test]
fn results_go_where_they_are_asked_for_in_each_form_and_never_over_a_target() {
    let place = TestFolder::new();
    let job =
        typed("fio --name=x --filename=f --rw=write --size=1m --bs=4k --ioengine=psync --direct=0");
    let with = |more: &[&str]| place.plimsoll(&[&job[..], more].concat());
    with(&[
        "--no-record",
        "--output=out",
        "--output-format=json+,terse,normal",
    ])
    .ok();
    let text = std::fs::read_to_string(place.path("out")).expect("results");
    assert!(text.starts_with("{\n"), "{text}");
    assert!(
        text.contains("\"bins\"") && text.contains("\n3;plimsoll-"),
        "{text}"
    );
    assert!(text.contains("\nx: (groupid=0, jobs=1): err= 0"), "{text}");
    assert!(text.contains("issued rwts: total=0,256,0,0"), "{text}");
    assert_eq!(place.names(), ["f", "out"], "no record");
    // A second run replaces its results, as fio does, but no target and no record.
    with(&["--output=out", "--record=r.plim", "--destroy=f"]).ok();
    assert!(
        with(&["--output=f", "--destroy=f"])
            .exits(1)
            .err
            .contains('f')
    );
    let before = std::fs::read(place.path("r.plim")).expect("the record");
    with(&["--output=r.plim", "--destroy=f"]).exits(1);
    assert!(before == std::fs::read(place.path("r.plim")).expect("the record"));
}

#[test]
fn what_is_only_looked_at_does_no_io() {
    let place = TestFolder::new();
    place.text(
        "jobs.fio",
        "[x]\nfilename=f\nsize=1m\nrw=randwrite\nexec_prerun=echo 'a b' > g\n",
    );
    let shown = place.plimsoll(&["fio", "--showcmd", "jobs.fio"]).ok().out;
    assert!(shown.starts_with("fio --name=x "), "{shown}");
    holds!(shown, "--rw=randwrite", "'echo '\\''a b'\\'' > g'");
    place.plimsoll(&["fio", "--parse-only", "jobs.fio"]).ok();
    let refused = place.plimsoll(&["fio", "--readonly", "jobs.fio"]).exits(1);
    refused.warns(&["job x writes"]);
    let unknown = place
        .plimsoll(&["fio", "--name=x", "--colour=red"])
        .exits(1);
    unknown.warns(&["`colour`"]);
    for flag in ["--client=h", "--output-format=xml", "--trigger=x"] {
        place.plimsoll(&["fio", flag, "jobs.fio"]).exits(1);
    }
    assert!(
        place
            .plimsoll(&["fio", "--help"])
            .ok()
            .out
            .contains("--output-format")
    );
    assert_eq!(place.names(), ["jobs.fio"]);
}

#[test]
fn readonly_writes_nothing_neither_fills_nor_makes() {
    let place = TestFolder::new();
    let reads = |more: &[&str]| {
        let words = typed("fio --no-record --readonly --name=r --rw=randread --size=1m");
        place.plimsoll(&[&words[..], more].concat())
    };
    reads(&["--filename=new"]).exits(1);
    assert!(place.names().is_empty());
    let hole = std::fs::File::create(place.path("hole")).expect("a file");
    hole.set_len(1 << 20).expect("its length");
    reads(&["--filename=hole"]).exits(1);
    reads(&["--filename=hole", "--fill"]).exits(1);
    let blocks = || {
        std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(place.path("hole")).expect("it"))
    };
    assert_eq!(blocks(), 0, "nothing was written");
    reads(&["--filename=hole", "--allow-unwritten"]).ok();
    place.foreign("full", 1 << 20);
    reads(&["--filename=full"]).ok();
}

#[test]
fn a_step_ends_with_the_last_of_its_jobs_whatever_ends_each() {
    let place = TestFolder::new();
    place.text(
        "jobs.fio",
        "[global]\nioengine=null\nsize=1m\nbs=4k\n[timed]\nrw=read\nruntime=1\nrate_iops=50\n[sized]\nrw=read\n",
    );
    let document = place
        .plimsoll(&["fio", "--no-record", "--output-format=json", "jobs.fio"])
        .ok()
        .json();
    assert_eq!(document["jobs"][1]["read"]["total_ios"], 256);
    let timed = document["jobs"][0]["read"]["total_ios"]
        .as_u64()
        .expect("a count");
    assert!((1..=60).contains(&timed), "{timed}");
}

/// Document of the real fio for these words, where it is here.
fn real(place: &TestFolder, words: &[&str]) -> Option<Value> {
    let real = Command::new("fio")
        .args(words)
        .current_dir(place.folder())
        .output();
    match real {
        Ok(out) if out.status.success() => {
            Some(serde_json::from_slice(&out.stdout).expect("fio's document"))
        }
        other => {
            plimsoll_skipped::skipped!("fio: {other:?}");
            None
        }
    }
}

#[test]
fn a_job_takes_its_whole_time_where_nothing_was_due_at_its_end() {
    let place = TestFolder::new();
    // One read and one write are due, both at the beginning.
    let words = typed(
        "--output-format=json --name=slow --filename=f --size=1m --rw=rw --rate=50,50 --runtime=2",
    );
    let document = place.plimsoll(&[&["fio"], &words[..]].concat()).ok().json();
    let runtimes = |document: &Value| {
        ["read", "write"].map(|direction| {
            let of = &document["jobs"][0][direction];
            (of["total_ios"].as_u64(), of["runtime"].as_u64())
        })
    };
    for (ios, runtime_ms) in runtimes(&document) {
        // A worker may have its job a moment late.
        assert_eq!(
            (ios, runtime_ms.map(|ms| (1900..=2000).contains(&ms))),
            (Some(1), Some(true))
        );
    }
    if let Some(real) = real(&place, &words) {
        let all = runtimes(&real);
        assert!(
            all.iter()
                .all(|(ios, ms)| *ios <= Some(2) && *ms > Some(1500)),
            "{all:?}"
        );
    }
}

#[test]
fn a_job_takes_the_time_from_its_own_beginning_to_its_last_io() {
    let place = TestFolder::new();
    // In virtual time: five I/Os at a rate, of which each has its tenth of a second, and a hundred one after the other.
    place.text(
        "jobs.fio",
        "[global]\nfilename=lab\\:scale-out-flash-8\nrw=randread\ndirect=1\nsize=1g\n\
         [rated]\nstartdelay=1\nnumber_ios=5\nrate_iops=10\n[next]\nstartdelay=1\nnumber_ios=100\n\
         [long]\ntime_based\nruntime=4\nrate_iops=10\n",
    );
    let document = place
        .plimsoll("fio --output-format=json --no-record jobs.fio")
        .ok()
        .json();
    let of = |n: usize, key: &str| {
        let read = &document["jobs"][n]["read"];
        read.pointer(key).and_then(Value::as_f64).expect("a number")
    };
    assert_eq!((of(0, "/runtime"), of(2, "/runtime")), (500.0, 4000.0));
    let (runtime_ms, took_ms) = (of(1, "/runtime"), 100.0 * of(1, "/lat_ns/mean") / 1e6);
    assert!(
        (runtime_ms - took_ms).abs() <= 1.0,
        "{runtime_ms} {took_ms}"
    );
}

#[test]
fn behind_a_flag_stands_a_job_file_and_behind_what_needs_a_value_its_value() {
    let place = TestFolder::new();
    place.text("jobs.fio", JOBS);
    let words =
        typed("--output-format=json --eta-newline 1 --runtime 1 --time_based jobs.fio --thread");
    let ours = place.plimsoll(&[&["fio"], &words[..]].concat()).ok().json();
    let times = |document: &Value| {
        let all = document["jobs"].as_array().expect("jobs").iter();
        all.map(|job| {
            let long = |direction: &str| job[direction]["runtime"].as_u64() >= Some(1000);
            (job["jobname"].clone(), long("read"), long("write"))
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(times(&ours).len(), 5);
    if let Some(real) = real(&place, &words) {
        assert_eq!(times(&ours), times(&real));
    }
    // This one needs a value, in fio too, and so it has taken the file for it.
    let eaten = place.plimsoll(&["fio", "--direct", "jobs.fio"]).exits(1);
    eaten.warns(&["--direct=jobs.fio"]);
}

#[test]
fn the_command_line_is_read_as_fio_reads_it() {
    let place = TestFolder::new();
    let shown = |words: &[&str]| {
        place
            .plimsoll(&[&["fio", "--showcmd"], words].concat())
            .ok()
            .out
    };
    // What stands before the first job is of all; one dash does; files add up.
    let text = shown(&typed(
        "--ioengine=null -size=1m --name=a -rw=read --name=b --rw=write",
    ));
    let expected = "fio --ioengine=null --size=1m --name=a --rw=read --name=b --rw=write";
    assert_eq!(text.trim(), expected);
    place.text(
        "files.fio",
        "[global]\nfilename=a\n[w]\nfilename=b\nsize=1m\nrw=write\n",
    );
    let expected = "fio --filename=a --name=w --size=1m --rw=write --filename=b";
    assert_eq!(shown(&["files.fio"]).trim(), expected);
    let alone = place.plimsoll(&["fio", "--rw=read"]).exits(1);
    alone.warns(&["--name=JOB"]);
    let unknown = place.plimsoll(&["fio", "--bogus=1"]).exits(1);
    unknown.warns(&["--bogus is no flag of fio's", "no option of a job"]);
    let lacking = place
        .plimsoll("fio --no-record --name=n --filename=none")
        .exits(1);
    lacking.warns(&[
        "none does not exist, and no size= says",
        "give it one, as size=10g",
    ]);
    // A text of somebody's is no result to be replaced.
    place.text("thesis", "my thesis\n");
    let job = typed("fio --no-record --name=n --ioengine=null --size=1m --rw=read --output=thesis");
    assert!(place.plimsoll(&job).exits(1).err.contains("thesis"));
    assert_eq!(
        std::fs::read_to_string(place.path("thesis")).expect("it"),
        "my thesis\n"
    );
}

#[test]
fn options_stand_where_they_were_written_in_documents_and_command_lines() {
    let place = TestFolder::new();
    let text = "[global]\nioengine=null\nsize=1m\nbs=4k\nrw=trim\n[a]\nrw=randrw\niodepth=4\nnumjobs=2\n[b]\nstonewall\nrw=read\nbs=4k,16k\npercentile_list=50:99\n[c]\n";
    place.text("jobs.fio", text);
    let ours = place
        .plimsoll(&["fio", "--output-format=json", "--no-record", "jobs.fio"])
        .ok()
        .json();
    assert_eq!(ours["global options"]["size"], "1m");
    assert_eq!(ours["jobs"][0]["job options"]["iodepth"], "4");
    assert!(ours["jobs"][0]["job options"]["size"].is_null());
    let shown = place.plimsoll(&["fio", "--showcmd", "jobs.fio"]).ok().out;
    let expected = "fio --ioengine=null --size=1m --bs=4k --rw=trim --name=a --rw=randrw --iodepth=4 --numjobs=2 --name=b --stonewall --rw=read --bs=4k,16k --percentile_list=50:99 --name=c";
    assert_eq!(shown.trim(), expected);
    let fio = |words: &[&str]| {
        Command::new("fio")
            .args(words)
            .current_dir(place.folder())
            .output()
    };
    match (
        fio(&["--showcmd", "jobs.fio"]),
        fio(&["--output-format=json", "jobs.fio"]),
    ) {
        (Ok(line), Ok(run)) if line.status.success() && run.status.success() => {
            assert_eq!(String::from_utf8_lossy(&line.stdout).trim(), shown.trim());
            let real: Value = serde_json::from_slice(&run.stdout).expect("fio's document");
            assert_eq!(ours["global options"], real["global options"]);
            for (ours, real) in (0..4).map(|n| (&ours["jobs"][n], &real["jobs"][n])) {
                assert_eq!(ours["job options"], real["job options"]);
            }
            let text = fio(&["jobs.fio"]).expect("fio ran").stdout;
            let ours = place.plimsoll("fio --no-record jobs.fio").ok().out;
            assert_eq!(headings(&ours), headings(&String::from_utf8_lossy(&text)));
            let of_b = "b: (g=1): rw=read, bs=(R) 4096B-4096B, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=null, iodepth=1";
            assert!(ours.contains(of_b), "{ours}");
            // And none of its figures contradicts another one.
            place.text("own.txt", &ours);
            let judged = place.plimsoll("audit own.txt");
            assert!(!judged.out.contains("PL523"), "{judged:#?}");
        }
        other => plimsoll_skipped::skipped!("fio: {other:?}"),
    }
}

/// Lines of a text before the jobs' results, without the version.
fn headings(text: &str) -> Vec<&str> {
    let head = text.lines().take_while(|line| !line.is_empty());
    head.filter(|line| !line.starts_with("fio-") && !line.starts_with("plimsoll-"))
        .collect()
}

#[test]
fn reads_and_writes_are_shown_as_one_and_percentiles_of_what_is_asked_for() {
    let place = TestFolder::new();
    let text = "[global]\nioengine=null\nsize=1m\nbs=4k\nrw=randrw\n[a]\nunified_rw_reporting=mixed\nlat_percentiles=1\nclat_percentiles=0\n\
                [b]\nstonewall\nunified_rw_reporting=both\n";
    place.text("jobs.fio", text);
    let ours = place
        .plimsoll(&[
            "fio",
            "--output-format=json,normal",
            "--no-record",
            "jobs.fio",
        ])
        .ok();
    let (json, normal) = ours
        .out
        .split_at(ours.out.rfind("}\n").expect("a document") + 2);
    let document: Value = serde_json::from_str(json).expect("a document");
    let (a, b) = (&document["jobs"][0], &document["jobs"][1]);
    assert!(a["read"].is_null() && a["sync"].is_null());
    assert_eq!(
        (&a["mixed"]["total_ios"], &b["mixed"]["total_ios"]),
        (&256.into(), &256.into())
    );
    let both = b["read"]["total_ios"]
        .as_u64()
        .zip(b["write"]["total_ios"].as_u64());
    assert_eq!(both.map(|(r, w)| r + w), Some(256));
    assert!(
        a["mixed"]["lat_ns"]["percentile"].is_object()
            && a["mixed"]["clat_ns"]["percentile"].is_null()
    );
    assert!(
        b["mixed"]["clat_ns"]["percentile"].is_object()
            && b["mixed"]["lat_ns"]["percentile"].is_null()
    );
    holds!(normal, "  mixed: IOPS=", "  lat percentiles (");
}

#[test]
fn options_and_engines_are_listed_with_what_becomes_of_them() {
    let place = TestFolder::new();
    let out = |words: &[&str]| place.plimsoll(&[&["fio"], words].concat()).ok().out;
    assert!(out(&["--enghelp"]).contains("\tmmap\n"));
    assert!(out(&["--cmdhelp"]).lines().count() > 200);
    assert!(out(&["--cmdhelp=bs"]).contains("alias: blocksize"));
    assert!(out(&["--cmdhelp=cgroup"]).contains("is refused"));
    let unknown = place.plimsoll(&["fio", "--cmdhelp=iodepht"]).exits(1);
    unknown.warns(&["did you mean iodepth?"]);
}

#[test]
fn a_job_that_ends_in_its_warm_up_fails_with_the_reason_in_each_command() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[a]\nioengine=null\nsize=1m\nbs=4k\nrw=randread\nramp_time=2s\n",
    );
    for (words, out) in [
        ("fio a.fio", false),
        ("run a.fio --record a.plim", true),
        ("audit a.plim", true),
    ] {
        let done = place.plimsoll(words);
        assert_eq!(done.code, Some(1), "{done:#?}");
        let printed = if out { &done.out } else { &done.err };
        assert!(printed.contains("PL402 nothing-counted"), "{done:#?}");
        assert!(printed.contains("Nothing was counted"), "{done:#?}");
    }
}

#[test]
fn the_beginning_of_a_name_stands_for_all_of_it_where_it_is_the_only_one() {
    let place = TestFolder::new();
    let words = typed(
        "--output-f=json --max-jobs=2 --name=a --ioengine=null --size=64k --numjob=2 --loop=3 --group_rep",
    );
    let ours = place.plimsoll(&[&["fio"], &words[..]].concat()).ok();
    ours.warns(&["--max-jobs"]);
    let ours = jobs(&ours.json());
    assert_eq!(ours, [("a".to_string(), 0, 96, 1)]);
    if let Some(real) = real(&place, &words) {
        assert_eq!(ours, jobs(&real));
    }
    // In fio, too, these are ambiguous.
    for typed in ["--num=2", "--out=x"] {
        let refused = place.plimsoll(&["fio", "--name=a", "--size=64k", typed]);
        assert!(refused.exits(1).err.contains("write the whole name"));
    }
}

#[test]
fn how_idle_the_cpus_were_is_told_where_fio_tells_it() {
    let place = TestFolder::new();
    let idle = |of: &Value| -> Vec<(String, bool)> {
        let told = of["cpu_idleness"].as_object().into_iter().flatten();
        // What a CPU does in a unit of work is fio's alone.
        let told = told.filter(|(key, _)| !key.starts_with("unit_"));
        let is_share = |p: f64| (0.0..=100.0).contains(&p);
        told.map(|(key, idle)| (key.clone(), idle.as_f64().is_some_and(is_share)))
            .collect()
    };
    for asked in ["system", "percpu"] {
        let asked = format!("--idle-prof={asked}");
        let job = typed("--name=a --ioengine=null --size=1m --time_based --runtime=1");
        let words: Vec<&str> = ["--output-format=json", &asked]
            .into_iter()
            .chain(job)
            .collect();
        let ours = place.plimsoll(&[&["fio"], &words[..]].concat()).ok().json();
        assert!(
            idle(&ours).contains(&("system".to_string(), true)),
            "{ours}"
        );
        if let Some(real) = real(&place, &words) {
            assert_eq!(idle(&ours), idle(&real), "{asked}");
        }
    }
}

#[test]
fn syncs_are_counted_as_fio_counts_them() {
    let place = TestFolder::new();
    for (option, count) in [("--fsync=1", 15), ("--fsync=4", 3), ("--fdatasync=1", 0)] {
        let job = [
            "--output-format=json",
            "--name=a",
            "--filename=f",
            "--rw=write",
            "--size=64k",
            "--ioengine=psync",
            option,
        ];
        let own = ["fio", "--destroy=f"];
        let count_of = |document: &Value| {
            document["jobs"][0]["sync"]["total_ios"]
                .as_u64()
                .expect("a count")
        };
        let ours = count_of(&place.plimsoll(&[&own, &job[..]].concat()).ok().json());
        // Behind the last write fio begins none any more.
        let last = u64::from(count > 0);
        assert_eq!(ours, count + last, "{option}");
        if let Some(real) = real(&place, &job) {
            assert_eq!(count_of(&real), count, "{option}");
        }
    }
}
