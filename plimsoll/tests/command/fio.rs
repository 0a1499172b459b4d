//! fio's job files, run; the installed fio is asked what it does with the same file.

use crate::place::{TestFolder, typed};
use plimsoll_dialects::fio::{self, Input};
use plimsoll_plan::{Plan, Stream};
use plimsoll_traffic::StreamSource;
use std::process::Command;

/// fio's own JSON of a job file in a place; `None` where it is not installed.
fn by_fio(place: &TestFolder, file: &str) -> Option<serde_json::Value> {
    let output = Command::new("fio")
        .args(["--output-format=json", file])
        .current_dir(place.folder())
        .output()
        .ok()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let start = printed.find('{')?;
    Some(serde_json::from_str(&printed[start..]).expect("fio's JSON"))
}

/// (reads, writes) of each of fio's jobs.
fn counts(fio: &serde_json::Value) -> Vec<(u64, u64)> {
    let jobs = fio["jobs"].as_array().expect("jobs");
    let of = |job: &serde_json::Value, op: &str| job[op]["total_ios"].as_u64().expect("a count");
    jobs.iter()
        .map(|j| (of(j, "read"), of(j, "write")))
        .collect()
}

/// The same of each of our steps.
fn counted(ours: &serde_json::Value) -> Vec<(u64, u64)> {
    let steps = ours["steps"].as_array().expect("steps");
    let of = |step: &serde_json::Value, op: &str| {
        let ops = step["ops"].as_array().expect("operations").iter();
        ops.filter(|o| o["op"] == op)
            .map(|o| o["ios"].as_u64().expect("a count"))
            .sum()
    };
    steps
        .iter()
        // What a file is filled with before it is read is no job's.
        .filter(|s| s["fill"] != true)
        .map(|s| (of(s, "read"), of(s, "write")))
        .collect()
}

#[test]
fn a_job_does_as_many_ios_as_fio_does() {
    let place = TestFolder::new();
    let jobs = "[global]\nioengine=psync\nsize=1m\nfilename=data\nbs=4k\n\
                [fill]\nrw=write\nbs=64k\n\
                [random]\nstonewall\nrw=randread\n\
                [twice]\nstonewall\nrw=read\nloops=2\n\
                [gaps]\nstonewall\nrw=read:8k\n\
                [odd]\nstonewall\nrw=randread\nbs=12k\n\
                [few]\nstonewall\nrw=randread\nnumber_ios=10\n\
                [clones]\nstonewall\nrw=randwrite\nnumjobs=3\ngroup_reporting\n\
                [part]\nstonewall\nrw=read\noffset=256k\nsize=128k\n\
                [more]\nstonewall\nrw=randread\nio_size=3m\n";
    place.text("a.fio", jobs);
    let Some(fio) = by_fio(&place, "a.fio") else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    // What fio made is no file of ours.
    std::fs::remove_file(place.path("data")).expect("fio's file");
    let done = place.plimsoll("run a.fio --json --no-record");
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert_eq!(counted(&done.json()), counts(&fio), "{done:#?}");
}

/// Counts of reads and writes of each job, with `plimsoll fio` and with the real one, on the null engine.
#[test]
fn what_is_written_in_an_odd_way_is_counted_as_fio_counts_it() {
    for job in [
        "rw=randrw\nbs=8k,",
        "rw=write\nbs=,8k",
        "rw=read\nbssplit=8k/100,,",
        "rw=write\nbssplit=,8k/100",
        "rw=write\nbsrange=8k-8k,4k-4k,",
        "rw=read\nbs=64k\nio_size=1000k",
        "rw=read\nsize=50%\nfilesize=1m",
        "rw=read\nfilesize=1m\noffset=256k",
        "rw=randread\nbs=12k\nnorandommap",
        "rw=rw\nbs=12k",
        "rw=randread\nloops=2\nnumber_ios=100",
        "rw=randread\niodepth=4\nthinktime=1ms\nthinktime_blocks=8",
        "rw=randread\nrate_iops=500\nthinktime=5ms\nnumber_ios=20",
    ] {
        let place = TestFolder::new();
        let size = if job.contains("filesize") {
            ""
        } else {
            "size=1m\n"
        };
        place.text("a.fio", &format!("[x]\nioengine=null\n{size}{job}\n"));
        let Some(real) = by_fio(&place, "a.fio") else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let ours = place
            .plimsoll("fio --no-record --output-format=json a.fio")
            .ok();
        let sum = |document: &serde_json::Value, key: &str| {
            let of = |op| document["jobs"][0][op][key].as_u64().unwrap_or(0);
            // Each I/O draws whether it reads.
            of("read") + of("write")
        };
        let ours = ours.json();
        if !job.contains("randrw") {
            assert_eq!(sum(&ours, "total_ios"), sum(&real, "total_ios"), "{job}");
            assert_eq!(sum(&ours, "io_bytes"), sum(&real, "io_bytes"), "{job}");
        }
        let each = |document: &serde_json::Value, op: &str| {
            let of = &document["jobs"][0][op];
            of["io_bytes"].as_u64().unwrap_or(0) / of["total_ios"].as_u64().unwrap_or(0).max(1)
        };
        for op in ["read", "write"] {
            assert_eq!(each(&ours, op), each(&real, op), "{job}: {op}");
        }
    }
}

/// Jobs that begin at different times, with ramps of different lengths: each counts what fio counts of it. Were its ramp counted, that would be
/// half as much more at least; so much as a busy host holds up is let pass.
#[test]
fn a_jobs_ramp_begins_when_it_does() {
    for jobs in [
        "[x]\nstartdelay=1\nramp_time=1\n",
        "[x]\nramp_time=1\n[y]\nstartdelay=1\nramp_time=1\n",
        "[x]\n[y]\nramp_time=1\nrate_iops=200\n",
        "[x]\nramp_time=1\n[y]\nstartdelay=500ms\nramp_time=2\nrate_iops=200\n",
        "[x]\nramp_time=1\n[y]\nwait_for=x\nramp_time=1\nrate_iops=300\n",
    ] {
        let place = TestFolder::new();
        let global =
            "[global]\nioengine=null\nsize=1g\nrw=read\nrate_iops=100\nruntime=1\ntime_based\n";
        place.text("a.fio", &format!("{global}{jobs}"));
        let Some(real) = by_fio(&place, "a.fio") else {
            return plimsoll_skipped::skipped!("fio is not installed");
        };
        let ours = place
            .plimsoll("fio --no-record --output-format=json a.fio")
            .ok();
        let ours = ours.json();
        for job in 0..jobs.matches('[').count() {
            let of = |document: &serde_json::Value, key: &str| {
                let number = document["jobs"][job]["read"][key].as_u64();
                number.unwrap_or_else(|| panic!("{key} of {document}"))
            };
            let (own, its) = (of(&ours, "total_ios"), of(&real, "total_ios"));
            // A ramp that counted, or counted time that didn't, is a factor of 1.9 at least.
            assert!(
                own * 3 > its * 2 && its * 3 > own * 2,
                "{jobs}: {own}, fio's {its}"
            );
            assert_eq!(of(&ours, "runtime"), 1000, "{jobs}");
        }
    }
}

#[test]
fn what_a_command_line_says_of_all_jobs_reaches_those_of_its_file() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[a]\nioengine=null\nrw=read\n[b]\nioengine=null\nrw=read\nsize=128k\n",
    );
    let words = typed("--output-format=json --bs=16k --size=64k a.fio --name=c --ioengine=null");
    let of = |document: &serde_json::Value| -> Vec<(String, u64, u64)> {
        let jobs = document["jobs"].as_array().expect("jobs").iter();
        let of = |j: &serde_json::Value| {
            let number = |v: &serde_json::Value| v.as_u64().expect("a number");
            (
                j["jobname"].to_string(),
                number(&j["groupid"]),
                number(&j["read"]["total_ios"]),
            )
        };
        jobs.map(of).collect()
    };
    let real = Command::new("fio")
        .args(&words)
        .current_dir(place.folder())
        .output();
    let Ok(real) = real else {
        return plimsoll_skipped::skipped!("fio is not installed");
    };
    let real: serde_json::Value = serde_json::from_slice(&real.stdout).expect("fio's JSON");
    let ours = place
        .plimsoll(&[&["fio", "--no-record"][..], &words].concat())
        .ok();
    assert_eq!(of(&ours.json()), of(&real));
}

#[test]
fn files_that_are_to_go_go_at_the_end_where_this_run_made_them() {
    let place = TestFolder::new();
    place.foreign("there", 64 << 10);
    place.text(
        "a.fio",
        "[global]\nioengine=psync\nsize=64k\nrw=write\nunlink=1\n[made]\nnumjobs=2\n[there]\nfilename=there\n",
    );
    let done = place.plimsoll("fio --no-record --destroy=there a.fio").ok();
    done.warns(&["only those that this run made"]);
    assert_eq!(place.names(), ["a.fio", "there"]);
    place.plimsoll("run a.fio --no-record --destroy there").ok();
    assert_eq!(place.names(), ["a.fio", "there"]);
}

#[test]
fn a_file_that_is_opened_in_another_way_later_is_no_second_target() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[global]\nioengine=psync\nfilename=f\nsize=64k\nrw=write\n[a]\n[b]\nstonewall\nfsync=4\n",
    );
    place.plimsoll("fio --no-record a.fio").ok();
    place.text(
        "b.fio",
        "[global]\nioengine=psync\nfilename=f\nsize=64k\nrw=write\n[a]\n[b]\nfsync=4\n",
    );
    let refused = place.plimsoll("fio --no-record b.fio").exits(1);
    refused.warns(&["one and the same"]);
}

#[test]
fn two_files_and_a_section_run_as_asked() {
    let place = TestFolder::new();
    place.text(
        "one",
        "[global]\nioengine=null\nsize=${SIZE}\nrw=read\n[a]\nbs=4k\n[b]\nbs=8k\nstonewall\n",
    );
    place.text("two", "[c]\nioengine=null\nsize=1m\nrw=write\n");
    let words = ["run", "-f", "one", "two", "--no-record", "--json"];
    let run = |words: &[&str]| {
        let output = place
            .command(words)
            .env("SIZE", "1m")
            .output()
            .expect("it starts");
        crate::place::Done::new(&output, words)
    };
    let done = run(&words).ok();
    assert_eq!(counted(&done.json()), [(256, 0), (128, 0), (0, 256)]);
    done.warns(&["one is read as a fio job file"]);
    let part = run(&typed(
        "run -f one --dialect fio --section b --no-record --json",
    ))
    .ok();
    assert_eq!(counted(&part.json()), [(128, 0)]);
    let planned = run(&["plan", "-f", "one"]).ok();
    planned.says(&["sequential, one pass"]);
    // A pipe says nothing of itself.
    run(&["plan", "-f", "-"]).refused(&["--dialect fio"]);
    run(&["run", "-f", "one", "--dry-run", "--depth", "4"]).refused(&["--depth", "--section NAME"]);
}

#[test]
fn a_file_of_somebody_else_is_written_only_where_that_is_said() {
    let place = TestFolder::new();
    place.foreign("precious", 1 << 20);
    let before = std::fs::read(place.path("precious")).expect("there");
    place.text(
        "a.fio",
        "[x]\nioengine=psync\nfilename=precious\nsize=1m\nrw=randwrite\nbs=4k\n",
    );
    let refused = place.plimsoll("run a.fio --no-record");
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    refused.warns(&["--destroy"]);
    assert_eq!(
        std::fs::read(place.path("precious")).expect("there"),
        before
    );
    let flag = ["run", "a.fio", "--no-record", "--destroy", "precious"];
    place.plimsoll(&flag).ok();
    assert_ne!(
        std::fs::read(place.path("precious")).expect("there"),
        before
    );
}

#[test]
fn lint_shows_the_line_of_a_job_file() {
    let place = TestFolder::new();
    place.text(
        "a.fio",
        "[x]\nioengine=psync\nfilename=d\nsize=1m\nrw=randread\nruntime=2\ntime_based\n",
    );
    let done = place.plimsoll("lint a.fio");
    done.says(&["PL015", "a.fio:4:1", "PL030", "a.fio:6:1"]);
    place.text(
        "bad.fio",
        "[x]\nioengine=null\nsize=1g\nlockfile=readwrite\n",
    );
    place.plimsoll("run bad.fio").refused(&[
        "`lockfile` cannot be used",
        "bad.fio:4:1",
        "leave it out",
    ]);
}

/// (operation, offset, length) of each I/O in fio's log.
fn log_of(text: &str) -> Vec<(u64, u32)> {
    let lines = text
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>());
    let ios = lines.filter(|w| w.contains(&"read") || w.contains(&"write"));
    let read = |w: Vec<&str>| {
        let [.., offset, length] = w[..] else {
            panic!("{w:?}")
        };
        (
            offset.parse().expect("an offset"),
            length.parse().expect("a length"),
        )
    };
    ios.map(read).collect()
}

fn ios(plan: &Plan, stream: &Stream) -> Vec<(u64, u32)> {
    let target = &plan.targets[stream.target.0 as usize];
    let from = target.offset.0;
    let stated = target.location.stated_size().map(|all| all.0 - from);
    let size = target.size.map(|s| s.0).or(stated).expect("a size");
    let mut source = StreamSource::new(stream, size, 1, target.align.map(|a| a.0), false, 7, 0, 1)
        .expect("a stream");
    std::iter::from_fn(|| source.next())
        .map(|io| (from + io.offset, io.length))
        .take(1 << 16)
        .collect()
}

#[test]
fn ordered_jobs_go_where_fio_goes_and_random_ones_cover_the_same() {
    let place = TestFolder::new();
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    for (options, in_order) in [
        ("rw=read", true),
        ("rw=write\noffset=64k", true),
        ("rw=read:8k", true),
        ("rw=read\nbs=16k\nloops=2", true),
        ("rw=write\nio_size=100k", true),
        ("rw=read\nzonemode=strided\nzonesize=4k\nzoneskip=12k", true),
        ("rw=read:-8k", true),
        ("rw=write:-12k\nio_size=100k", true),
        (
            "rw=read\nzonemode=strided\nzonesize=16k\nzoneskip=48k",
            true,
        ),
        (
            "rw=write\nzonemode=strided\nzonesize=12k\nzonerange=16k\nzoneskip=16k\nio_size=300k",
            true,
        ),
        ("rw=randread", false),
        ("rw=randwrite\nbs=16k\noffset=128k", false),
        ("rw=read\noffset=512", true),
        ("rw=write\nbs=16k\noffset=1000", true),
        ("rw=randread\nbs=8k\noffset=4k", false),
        ("rw=read\nbs=64k\nio_size=130k", true),
    ] {
        let head = "[x]\nioengine=null\nsize=256k\nbs=4k\n";
        let job = format!("{head}{options}\n");
        place.text("a.fio", &format!("{job}write_iolog=log\n"));
        let _ = std::fs::remove_file(place.path("log"));
        let ran = Command::new("fio")
            .arg("a.fio")
            .current_dir(place.folder())
            .output()
            .expect("fio");
        assert!(ran.status.success(), "{options}: {ran:?}");
        let log = std::fs::read_to_string(place.path("log")).expect("a log");
        let parsed = fio::parse(&Input::text("a.fio", &job)).expect("read");
        let plan = parsed
            .plan()
            .unwrap_or_else(|e| panic!("{options}: {e:?}"))
            .plan;
        let stream = &plan.steps().next().expect("a step").streams[0];
        let (mut theirs, mut own) = (log_of(&log), ios(&plan, stream));
        if !in_order {
            theirs.sort_unstable();
            own.sort_unstable();
        }
        assert_eq!(own, theirs, "{options}");
    }
}

#[test]
fn sizes_are_mixed_as_fio_mixes_them() {
    let place = TestFolder::new();
    if Command::new("fio").arg("--version").output().is_err() {
        return plimsoll_skipped::skipped!("fio is not installed");
    }
    let job =
        "[x]\nioengine=null\nsize=64m\nrw=randread\nnorandommap\nbssplit=4k/50:8k/30:64k/20\n";
    place.text("a.fio", &format!("{job}write_iolog=log\n"));
    Command::new("fio")
        .arg("a.fio")
        .current_dir(place.folder())
        .output()
        .expect("fio");
    let log = log_of(&std::fs::read_to_string(place.path("log")).expect("a log"));
    let parsed = fio::parse(&Input::text("a.fio", job)).expect("read");
    let plan = parsed.plan().expect("a plan").plan;
    let own = ios(&plan, &plan.steps().next().expect("a step").streams[0]);
    let share = |list: &[(u64, u32)], k: u32| {
        let of = list.iter().filter(|io| io.1 == k << 10).count();
        100.0 * of as f64 / list.len() as f64
    };
    for (size, percent) in [(4, 50.0), (8, 30.0), (64, 20.0)] {
        // Some 3,800 I/Os each, the same ones every time: four standard deviations are 3.3.
        for list in [&log, &own] {
            assert!(
                (share(list, size) - percent).abs() < 3.3,
                "{size}k: {}",
                share(list, size)
            );
        }
    }
}

#[test]
fn a_file_name_with_an_escaped_colon_is_a_simulated_array_and_without_it_refused() {
    let place = TestFolder::new();
    let job = |name: &str, more: &str| {
        format!(
            "[a]\nioengine=libaio\niodepth=8\nrw=randread\nbs=8k\ndirect=1\nruntime=1\ntime_based=1\n{more}filename={name}\n"
        )
    };
    place.text("lab.fio", &job("lab\\:scale-out-flash-8/lun2", ""));
    let ran = place
        .plimsoll("fio --no-record --output-format=json lab.fio")
        .ok();
    let iops = ran
        .json()
        .pointer("/jobs/0/read/iops")
        .and_then(|v| v.as_f64());
    assert!(iops.is_some_and(|n| n > 1000.0), "{ran:?}");
    let plan = place.plimsoll("plan -f lab.fio").ok();
    plan.says(&["lab:scale-out-flash-8/lun2"]);
    // Before an array that is simulated there is no page cache.
    let buffered = job("lab\\:scale-out-flash-8/lun2", "").replace("direct=1\n", "");
    place.text("lab.fio", &buffered);
    let ran = place.plimsoll("fio --no-record lab.fio").ok();
    assert!(!ran.err.contains("page cache"), "{}", ran.err);
    for (text, printed) in [
        (
            job("lab:scale-out-flash-8", ""),
            "write filename=lab\\:PERSONA",
        ),
        (
            job("lab\\:scale-out-flash-8:other", ""),
            "joins a simulated array with other files",
        ),
        (
            job(
                "lab\\:scale-out-flash-8/lun0:lab\\:scale-out-flash-8/lun1",
                "",
            ),
            "joins 2 LUNs of simulated arrays",
        ),
        (
            job("lab\\:scale-out-flash-8?scal=2", ""),
            "did you mean `scale`?",
        ),
        (
            job("lab\\:scale-out-flash-8", "size=3t\n"),
            "is to use 3TiB but has only",
        ),
    ] {
        place.text("lab.fio", &text);
        let refused = place.plimsoll("fio --no-record lab.fio");
        assert!(refused.err.contains(printed), "{printed}: {refused:?}");
    }
    assert!(!place.path("lab").exists(), "no file is made");
    // In a folder it is a file of that name.
    place.text("lab.fio", &job("lab:b", "directory=.\nsize=64k\n"));
    place.plimsoll("fio --no-record --parse-only lab.fio").ok();
}
