//! What failed is an error: in the last line, in the exit code, in the record. The truth comes from whoever fails: an array
//! of the lab that refuses nine blocks, a server of nbdkit whose scripts fail and count that they did.

use crate::exports::serve as nbdkit;
use crate::place::{Done, MIB, TestFolder, holds, typed};
use crate::serving::Lab;
use serde_json::Value;

/// Start of the blocks that the array refuses to read: nine blocks of 4 KiB from here on, of the 2,048 that a pass over 8 MiB reads.
const BAD: u64 = 4 * MIB;
const BAD_BLOCKS: u64 = 9;
const BLOCKS: u64 = 2_048;

const URI: &str = "nbd+unix:///single-ssd/lun0?socket=s";

/// An array that refuses those blocks.
fn bad_blocks(place: &TestFolder) -> Lab {
    let to = BAD + BAD_BLOCKS * 4096;
    place.text(
        "faults.toml",
        &format!(
            "[[faults]]\nat = \"0s\"\nfault = \"io-errors\"\nlun = 0\nfrom = {BAD}\nto = {to}\nop = \"read\"\n"
        ),
    );
    let array = ["single-ssd", "--size", "64m", "--no-timing"];
    Lab::serve(
        place,
        &[&array[..], &["--socket", "s", "--faults", "faults.toml"]].concat(),
    )
}

/// One pass over the first 8 MiB.
fn one_pass(place: &TestFolder) {
    place.text(
        "pass.toml",
        &format!(
            "[target.t]\npath = \"{URI}\"\n[workload.w]\nread = 100\nblock = \"4k\"\nrange = \"0-8m\"\n\
             access = {{ sequential = \"once\" }}\n[[run]]\nname = \"pass\"\nfor = \"60s\"\nwarmup = \"0s\"\n"
        ),
    );
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

fn offsets(step: &Value) -> Vec<u64> {
    let samples = step["error_samples"].as_array().expect("samples");
    let mut offsets: Vec<u64> = samples
        .iter()
        .map(|s| s["offset"].as_u64().expect("a place"))
        .collect();
    offsets.sort_unstable();
    offsets
}

#[test]
fn a_run_with_failed_ios_exits_with_1_and_says_so_last() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    one_pass(&place);
    let run = |words: &[&str]| {
        place.plimsoll(&[&["run", "pass.toml", "--allow-unwritten"], words].concat())
    };
    let done = run(&["--record", "r.plim"]).exits(1);
    done.says(&[": 9 I/Os failed\n"]);
    let trust = done.out.lines().find(|l| l.starts_with("Trust"));
    assert!(
        trust.is_some_and(|l| l.ends_with("; 9 I/Os failed")),
        "{done:#?}"
    );
    assert!(
        last(&done.err).starts_with("error: 9 I/Os failed in "),
        "{done:#?}"
    );
    assert!(
        last(&done.err).contains("EIO (Input/output error)"),
        "{done:#?}"
    );

    let shown = place.plimsoll(&["show", "r.plim"]).ok();
    shown.says(&["\n9 I/Os failed in "]);
    let document = place.plimsoll(&["show", "--json", "r.plim"]).ok().json();
    crate::measuring::assert_valid(&document);
    let step = &document["steps"][0];
    assert_eq!(document["errors"], BAD_BLOCKS, "{step:#}");
    assert_eq!(step["errors"], BAD_BLOCKS, "{step:#}");
    assert_eq!(step["fsync_errors"], 0);
    assert_eq!(step["ios"], BLOCKS - BAD_BLOCKS);
    let bad: Vec<u64> = (0..BAD_BLOCKS).map(|n| BAD + n * 4096).collect();
    assert_eq!(offsets(step), bad);

    let json = run(&["--no-record", "--json"]).exits(1);
    assert_eq!(json.json()["errors"], BAD_BLOCKS);
    assert!(
        last(&json.err).starts_with("error: 9 I/Os failed"),
        "{json:#?}"
    );
}

#[test]
fn errors_that_the_user_allowed_for_are_said_and_are_no_failure() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    one_pass(&place);
    let run = |most: &str| {
        // What nobody wrote is read on purpose.
        let words = typed("run pass.toml --allow-unwritten --claim cached --no-record");
        place.plimsoll(&[&words[..], &["--max-errors", most]].concat())
    };
    let raised = run("51").ok();
    assert!(
        last(&raised.err).starts_with("note: 9 I/Os failed"),
        "{raised:#?}"
    );
    // Who asks for fewer than the usual 50 wants to end sooner, not to let errors pass.
    for most in ["10", "50"] {
        let kept = run(most).exits(1);
        assert!(
            last(&kept.err).starts_with("error: 9 I/Os failed"),
            "{kept:#?}"
        );
    }
    // The fifth ends it, on whatever worker, and no sixth is counted.
    let ended = run("5").exits(1);
    assert!(
        last(&ended.err).starts_with("error: 5 I/Os failed"),
        "{ended:#?}"
    );
    ended.says(&[": 5 I/Os failed\n"]);
}

#[test]
fn a_curve_with_failed_ios_exits_with_1() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    let words = [
        "curve",
        URI,
        // Half of these blocks are bad, so that the first few I/Os of the slowest host meet one.
        "--range",
        "4m-4168k",
        "--allow-unwritten",
        "--no-record",
    ];
    let more = typed("--percents 50 --depth 2 --no-settle --max-errors 20");
    let done = place.quick(&[&words[..], &more].concat()).exits(1);
    assert!(last(&done.err).contains(" I/Os failed"), "{done:#?}");
}

/// A Vdbench run of two RDs over the bad blocks.
fn vdbench(place: &TestFolder, data_errors: &str) -> Done {
    let parameters = format!(
        "{data_errors}\nsd=sd1,lun=\"{URI}\",threads=4\n\
         wd=wd1,sd=sd1,xfersize=4k,rdpct=100,seekpct=eof,range=(0,8m)\n\
         rd=rd1,wd=wd1,iorate=max,elapsed=60,interval=1\nrd=rd2,wd=wd1,iorate=max,elapsed=60,interval=1\n"
    );
    place.text("parm", &parameters);
    place.plimsoll(&["vdbench", "-f", "parm", "-o", "out", "--allow-unwritten"])
}

#[test]
fn vdbench_ends_as_vdbench_does_after_a_run_with_errors() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    for data_errors in ["", "data_errors=500"] {
        let done = vdbench(&place, data_errors).exits(157);
        assert!(!done.out.contains("completed successfully"), "{done:#?}");
        assert!(!done.out.contains("Starting RD=rd2"), "{done:#?}");
        done.says(&["Total Data Validation or I/O error count: 9\n"]);
        assert!(
            last(&done.out).ends_with(
                "Vdbench terminating due to Data Validation or I/O errors. See errorlog.html."
            ),
            "{done:#?}"
        );
        let log = std::fs::read_to_string(place.path("out/errorlog.html")).expect("a log");
        assert_eq!(log.matches("op: read").count(), 9, "{log}");
        assert!(log.contains("errno: EIO: 'Input/output error'"), "{log}");
    }
}

#[test]
fn a_vdbench_file_means_the_same_to_plimsoll_run() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    vdbench(&place, "data_errors=500");
    place.text(
        "parm.vdb",
        &std::fs::read_to_string(place.path("parm")).expect("text"),
    );
    let words = typed("run parm.vdb --allow-unwritten --claim cached --no-record");
    let done = place.plimsoll(&words).exits(1);
    assert!(
        last(&done.err).starts_with("error: 9 I/Os failed in rd1"),
        "{done:#?}"
    );
    assert!(!done.out.contains("rd2:"), "{done:#?}");
    // Plimsoll's own flag is no word of Vdbench's.
    let allowed = place
        .plimsoll(&[&words[..], &["--max-errors", "500"]].concat())
        .ok();
    assert!(
        last(&allowed.err).starts_with("note: 18 I/Os failed in rd1, rd2"),
        "{allowed:#?}"
    );
}

#[test]
fn vdbench_is_broken_off_at_the_error_that_data_errors_names() {
    let place = TestFolder::new();
    let _lab = bad_blocks(&place);
    let done = vdbench(&place, "data_errors=5").exits(157);
    assert!(
        last(&done.out).ends_with("'data_errors=5' requested. Abort rd=rd1 after last error."),
        "{done:#?}"
    );
    assert_eq!(done.out.matches("op: read").count(), 5, "{done:#?}");
    assert!(!done.out.contains("avg_"), "{done:#?}");
    let status = std::fs::read_to_string(place.path("out/status.html")).expect("a status");
    holds!(status, "Abort requested: 'data_errors=5' requested.");
    assert!(!status.contains("Vdbench complete"), "{status}");
}

#[test]
fn an_error_that_comes_after_the_end_is_an_error_with_its_place() {
    let place = TestFolder::new();
    // Past the first MiB each read fails, a second after the run's end at the earliest.
    let read = "pread=if [ $4 -ge 1048576 ]; then sleep 1.5; echo EIO late >&2; exit 1; fi; head -c $3 /dev/zero";
    let Some(_server) = nbdkit(&place, "s", &["eval", "get_size=echo 8M", read]) else {
        return;
    };
    let words =
        typed("run nbd+unix:///?socket=s --range 1m-4m --allow-unwritten --depth 2 --workers 1");
    let done = place
        .plimsoll(&[&words[..], &crate::place::QUICK, &["--record", "r.plim"]].concat())
        .exits(1);
    assert!(!done.err.contains("did not come back"), "{done:#?}");
    assert!(
        last(&done.err).starts_with("error: 2 I/Os failed"),
        "{done:#?}"
    );
    let document = place.plimsoll(&["show", "--json", "r.plim"]).ok().json();
    crate::measuring::assert_valid(&document);
    let step = &document["steps"][0];
    assert_eq!(step["end"], "elapsed", "{step:#}");
    assert_eq!(step["errors"], 2, "{step:#}");
    for sample in step["error_samples"].as_array().expect("samples") {
        assert_eq!(sample["op"], "read", "{sample:#}");
        assert_eq!(sample["what"], "EIO (Input/output error)", "{sample:#}");
        let offset = sample["offset"].as_u64().expect("a place");
        assert!((MIB..4 * MIB).contains(&offset), "{sample:#}");
        assert!(sample["at_s"].as_f64() > Some(0.3), "{sample:#}");
    }
}

#[test]
fn each_flush_that_fails_is_an_error_and_the_last_one_too() {
    for durability in ["fsync_at_end", "fsync_every=4"] {
        let place = TestFolder::new();
        let flush = "flush=echo one >>flushes; echo EIO no >&2; exit 1";
        let read = "pread=head -c $3 /dev/zero";
        let writes = [
            "pwrite=cat >/dev/null",
            "can_write=exit 0",
            "can_flush=exit 0",
            "can_multi_conn=exit 0",
        ];
        let arguments = [&["eval", "get_size=echo 4M", read, flush][..], &writes].concat();
        let Some(_server) = nbdkit(&place, "s", &arguments) else {
            return;
        };
        let uri = "nbd+unix:///?socket=s";
        place.text(
            "run.toml",
            &format!(
                "[target.t]\npath = \"{uri}\"\n[workload.w]\nread = 0\nblock = \"4k\"\n\
                 [[run]]\nname = \"run\"\nfor = \"60s\"\nwarmup = \"0s\"\nlimits = {{ ios = 16 }}\n"
            ),
        );
        let words = ["run", "run.toml", "--destroy", uri];
        // One at a time, and so many: however slow the server's shell is, four of them are behind a flush that came back.
        let load = ["--rate", "60", "--depth", "1", "--workers", "1"];
        let kept = ["--durability", durability, "--record", "r.plim"];
        let errors = ["--interval", "100ms", "--max-errors", "50"];
        let done = place
            .plimsoll(&[&words[..], &load, &kept, &errors].concat())
            .exits(1);
        let flushes =
            std::fs::read_to_string(place.path("flushes")).expect("it was asked to flush");
        let failed = flushes.lines().count() as u64;
        assert!(
            last(&done.err).contains(&format!("{failed} fsync")),
            "{failed}: {done:#?}"
        );
        let document = place.plimsoll(&["show", "--json", "r.plim"]).ok().json();
        crate::measuring::assert_valid(&document);
        let step = &document["steps"][0];
        assert_eq!(step["errors"], failed, "{step:#}");
        assert_eq!(step["fsync_errors"], failed, "{step:#}");
        assert!(step["ios"].as_u64() > Some(0), "{step:#}");
        let samples = step["error_samples"].as_array().expect("samples");
        assert_eq!(samples.len() as u64, failed);
        for sample in samples {
            assert_eq!(sample["op"], "fsync");
            assert_eq!(sample["what"], "EIO (Input/output error)");
        }
        if durability == "fsync_every=4" {
            // All but the last, and what came back after the end, were in intervals.
            let rows = place
                .plimsoll(&["export", "--csv", "--rows", "intervals", "r.plim"])
                .ok();
            assert!(column(&rows.out, "errors") > 0, "{rows:#?}");
            assert!(failed > 1);
        }
    }
}

/// The sum of a column of a CSV.
fn column(csv: &str, name: &str) -> u64 {
    let mut lines = csv.lines();
    let heading = lines.next().expect("a heading");
    let at = heading
        .split(',')
        .position(|c| c == name)
        .expect("a column");
    let cell = |line: &str| line.split(',').nth(at).and_then(|c| c.parse::<u64>().ok());
    lines.map(|line| cell(line).expect("a number")).sum()
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_not_the_end() {
    let place = TestFolder::new();
    for backend in ["psync", "io_uring"] {
        let name = format!("file-{backend}");
        place.foreign(&name, MIB);
        let file = std::fs::File::options()
            .write(true)
            .open(place.path(&name))
            .expect("opens");
        file.set_len(8 * MIB).expect("longer");
        drop(file);
        let program = env!("CARGO_BIN_EXE_plimsoll");
        let line = format!(
            "ulimit -f 2048; exec {program} run {name} --destroy {name} --read 0 --caching buffered --backend {backend} \
             --for 300ms --interval 100ms --warmup 0s --no-record -q"
        );
        let done = std::process::Command::new("sh")
            .args(["-c", &line])
            .current_dir(place.folder())
            .output()
            .expect("sh starts");
        let done = crate::place::Done::new(&done, &[&line]).exits(1);
        done.warns(&["EFBIG (File too large)"]);
        assert!(last(&done.err).contains("50 I/Os failed"), "{done:#?}");
    }
}
