//! What `plimsoll lint` finds in job files of fio: options without effect, sections that run at once, and such as are reported as one.

use crate::place::{TestFolder, holds};
use serde_json::Value;
use std::process::Command;

/// All that is said of a job file.
fn linted(text: &str) -> String {
    let place = TestFolder::new();
    place.text("a.fio", text);
    let done = place.plimsoll("lint a.fio");
    format!("{}{}", done.out, done.err)
}

/// A job on no storage, an option that changes nothing in it, and one with which it does.
const WITHOUT_EFFECT: [(&str, &str, &str); 12] = [
    ("rw=randread", "rwmixread=70", "rw=randrw"),
    ("rw=randwrite", "rwmixwrite=70", "rw=randrw"),
    ("rw=randread", "rate_process=poisson", "rate_iops=100000"),
    ("rw=read", "percentage_random=50", "rw=randread"),
    ("rw=write", "random_distribution=zipf:1.2", "rw=randwrite"),
    ("rw=randread\nbssplit=4k/50:8k/50", "bs=64k", "bssplit=0"),
    ("rw=randread\nbsrange=4k-8k", "bs=64k", "bsrange=0"),
    ("rw=read", "thinktime_blocks=7", "thinktime=1"),
    ("rw=write", "verify_interval=512", "verify=crc32c"),
    ("rw=read", "fsync=8", "rw=write"),
    ("rw=write", "verify_fatal=1", "verify=crc32c"),
    ("rw=read", "rw_sequencer=identical", "rw=randread:8"),
];

/// Counts of fio for a job: I/Os and bytes of each kind.
fn done_by_fio(text: &str) -> Option<Vec<u64>> {
    let place = TestFolder::new();
    place.text("a.fio", text);
    let real = Command::new("fio")
        .args(["--output-format=json", "a.fio"])
        .current_dir(place.folder())
        .output();
    let out = real.ok().filter(|out| out.status.success())?;
    let document: Value = serde_json::from_slice(&out.stdout).ok()?;
    let job = &document["jobs"][0];
    let of = |direction: &str, field: &str| job[direction][field].as_u64();
    let fields = ["read", "write"].map(|d| [of(d, "total_ios"), of(d, "io_bytes")]);
    fields.into_iter().flatten().collect()
}

#[test]
fn an_option_is_named_where_it_changes_nothing_and_only_there() {
    for (job, option, with) in WITHOUT_EFFECT {
        let text = format!("[j]\nioengine=null\nsize=1m\n{job}\n");
        let name = option.split('=').next().unwrap_or_default();
        let told = format!("`{name}` has no effect: job j ");
        let plain = linted(&format!("{text}{option}\n"));
        assert!(plain.contains(&told), "{job} {option}: {plain}");
        match (
            done_by_fio(&text),
            done_by_fio(&format!("{text}{option}\n")),
        ) {
            (Some(without), Some(with)) => assert_eq!(without, with, "{job} {option}"),
            _ => plimsoll_skipped::skipped!("fio is not installed, or is another"),
        }
        // What takes the other's word away takes its line away.
        let (key, _) = with.split_once('=').expect("an option");
        let kept = |line: &&str| !with.ends_with("=0") || !line.starts_with(key);
        let job: Vec<&str> = job.lines().filter(kept).collect();
        let with = if with.ends_with("=0") { "" } else { with };
        let text = format!(
            "[j]\nioengine=null\nsize=1m\n{}\n{option}\n{with}\n",
            job.join("\n")
        );
        let counts = linted(&text);
        assert!(!counts.contains(&told), "{text}: {counts}");
    }
    // One that is meant for some of the jobs that it reaches is none.
    let both = linted(
        "[global]\nioengine=null\nsize=1m\nrwmixread=70\n[a]\nrw=randread\n[b]\nrw=randrw\n",
    );
    assert!(!both.contains("has no effect"), "{both}");
    // A line that reaches several jobs is named once, and another of the same option for itself.
    let head = "[global]\nioengine=null\nsize=1m\nrw=randread\n";
    let once = linted(&format!(
        "{head}rwmixread=70\n[a]\n[b]\n[c]\nrwmixread=60\n"
    ));
    assert_eq!(once.matches("has no effect").count(), 2, "{once}");
    assert!(once.contains("job a ") && once.contains("job c "), "{once}");
}

#[test]
fn of_two_percentages_that_contradict_each_other_the_one_without_effect_is_named() {
    let head = "[j]\nioengine=null\nsize=4m\nrw=randrw\n";
    for (first, last) in [
        ("rwmixread=90", "rwmixwrite=30"),
        ("rwmixwrite=30", "rwmixread=90"),
    ] {
        let text = format!("{head}{first}\n{last}\n");
        let name = first.split('=').next().unwrap_or_default();
        let found = linted(&text);
        holds!(found, &format!("`{name}` has no effect"));
        match (done_by_fio(&text), done_by_fio(&format!("{head}{last}\n"))) {
            (Some(both), Some(one)) => assert_eq!(both, one, "{text}"),
            _ => plimsoll_skipped::skipped!("fio is not installed, or is another"),
        }
    }
    let agreed = linted(&format!("{head}rwmixread=70\nrwmixwrite=30\n"));
    assert!(!agreed.contains("has no effect"), "{agreed}");
}

const SECTIONS: [&str; 4] = [
    "[read_iops]\nbs=4k\nrw=randread\n",
    "[write_iops]\nbs=4k\nrw=randwrite\n",
    "[read_bw]\nbs=128k\nrw=randread\n",
    "[write_bw]\nbs=128k\nrw=randwrite\n",
];
const AT_ONCE: &str = "[global]\nioengine=libaio\ndirect=1\niodepth=64\nsize=8g\ntime_based\nramp_time=10s\nruntime=90s\n";

#[test]
fn sections_that_run_at_once_on_one_storage_are_named_and_such_as_run_alone_are_not() {
    let at_once = "read_iops, write_iops, read_bw and write_bw run at once on the same storage";
    let together = linted(&format!("{AT_ONCE}directory=.\n{}", SECTIONS.concat()));
    holds!(together, at_once, "PL043");
    let apart = SECTIONS.map(|section| format!("{section}stonewall\n"));
    let alone = linted(&format!("{AT_ONCE}directory=.\n{}", apart.concat()));
    assert!(!alone.contains("PL043"), "{alone}");
    // Devices of their own are storage of their own, and clones are one load.
    let devices = ["sdx", "sdy"].map(|d| format!("filename=/dev/{d}\n"));
    let apart = format!(
        "{AT_ONCE}{}{}{}{}",
        SECTIONS[0], devices[0], SECTIONS[1], devices[1]
    );
    let two = linted(&apart);
    assert!(!two.contains("PL043"), "{two}");
    let clones = linted(&format!("{AT_ONCE}directory=.\nnumjobs=4\n{}", SECTIONS[0]));
    assert!(!clones.contains("PL043"), "{clones}");
    // A rate is no maximum.
    let rated = linted(&format!(
        "{AT_ONCE}directory=.\nrate_iops=100\n{}",
        SECTIONS.concat()
    ));
    assert!(!rated.contains("PL043"), "{rated}");
}

#[test]
fn loads_that_fio_reports_as_one_under_the_first_ones_name_are_named() {
    let head = "[global]\nioengine=null\nsize=1m\nbs=4k\nrw=randread\ngroup_reporting\n";
    let text =
        format!("{head}[test1]\nstonewall\n[test2]\nnorandommap\nstonewall\n[test3]\nbs=256k\n");
    let merged = linted(&text);
    let told = "jobs test2 and test3 run at once and are reported as one, by the name test2";
    assert!(merged.contains(told), "{merged}");
    assert!(!merged.contains("test1 and"), "{merged}");
    let place = TestFolder::new();
    place.text("a.fio", &text);
    let real = Command::new("fio")
        .args(["--output-format=json", "a.fio"])
        .current_dir(place.folder())
        .output();
    match real
        .ok()
        .and_then(|out| serde_json::from_slice::<Value>(&out.stdout).ok())
    {
        Some(document) => {
            let jobs = document["jobs"].as_array().expect("jobs").iter();
            let names: Vec<&str> = jobs.filter_map(|j| j["jobname"].as_str()).collect();
            assert_eq!(names, ["test1", "test2"]);
        }
        None => plimsoll_skipped::skipped!("fio is not installed, or is another"),
    }
    for apart in ["new_group", "stonewall", "group_reporting=0"] {
        let own = linted(&text.replace("[test3]\n", &format!("[test3]\n{apart}\n")));
        assert!(!own.contains("reported as one"), "{apart}: {own}");
    }
    // Options that come to the same are no difference.
    for b in [
        "",
        "bs=4096\n",
        "iodepth=1\ndirect=0\n",
        "buffered=1\n",
        "rwmixwrite=50\n",
        "sync=none\n",
    ] {
        let alike = linted(&format!("{head}[a]\n[b]\n{b}"));
        assert!(!alike.contains("reported as one"), "{alike}");
    }
    // Once for all that are one.
    let many = linted(&format!("{head}[a]\n[b]\nbs=8k\n[c]\nbs=16k\n"));
    assert_eq!(many.matches("reported as one").count(), 1, "{many}");
}

#[test]
fn what_fio_does_by_a_line_is_found_at_that_line() {
    let head = "[oltp]\nioengine=libaio\ndirect=1\ntime_based\nruntime=120\nramp_time=30\nrefill_buffers\nfilename=/mnt/x/test.dat\nsize=100g\n";
    for (lines, code, says, at) in [
        (
            "rw=randread\nbs=8k\nrate_iops=500",
            "PL036",
            "keeps by waiting",
            "rate_iops=500",
        ),
        (
            "rw=randread\nbs=8k\nrate=10m\nthinktime=1000",
            "PL036",
            "keeps by waiting",
            "rate=10m",
        ),
        (
            "rw=randread\nbs=4k\noffset=512",
            "PL022",
            "its offset of 512 bytes",
            "offset=512",
        ),
        (
            "rw=randread\nbs=4k\nba=512",
            "PL022",
            "its align of 512 bytes",
            "ba=512",
        ),
        (
            "rw=read\nbs=128k\nnumjobs=8\ngroup_reporting",
            "PL023",
            "its clones all start at the same place",
            "numjobs=8",
        ),
    ] {
        let said = linted(&format!("{head}{lines}\n"));
        let found = said.split("warning[").find(|f| f.starts_with(code));
        let found = found.unwrap_or_else(|| panic!("{lines}: {said}"));
        assert!(
            found.contains(says) && found.contains(&format!("| {at}")),
            "{lines}: {found}"
        );
    }
    // Pauses claim no rate, a thread of its own submits on time, and clones with an offset each start apart.
    for (lines, code) in [
        ("rw=randread\nbs=8k\nthinktime=1000", "PL036"),
        (
            "rw=randread\nbs=8k\nrate_iops=500\nio_submit_mode=offload",
            "PL036",
        ),
        ("rw=randread\nbs=4k\noffset=1m", "PL022"),
        (
            "rw=read\nbs=128k\nnumjobs=8\ngroup_reporting\noffset_increment=10g",
            "PL023",
        ),
    ] {
        let said = linted(&format!("{head}{lines}\n"));
        assert!(!said.contains(code), "{lines}: {said}");
    }
}

#[test]
fn a_size_of_nothing_is_said_to_be_all_of_the_device() {
    let job = "[j]\nioengine=libaio\ndirect=1\nfilename=/dev/null-of-none\nrw=randread\nruntime=9\ntime_based\n";
    let said = linted(&format!("{job}size=0G\n"));
    holds!(
        said,
        "`size` has no effect: job j uses all of its file or device"
    );
    assert!(!linted(&format!("{job}size=1G\n")).contains("`size` has no effect"));
    assert!(!linted(job).contains("`size` has no effect"));
}

#[test]
fn a_tool_is_known_by_its_path_and_by_its_name_on_windows() {
    let place = TestFolder::new();
    let expected = |words: &str| {
        let done = place.plimsoll(&format!("lint -- {words}"));
        assert!(!done.err.contains("no definition"), "{words}: {done:#?}");
        done.out
    };
    let words = "-c10G -b8K -d60 x.dat";
    let plain = expected(&format!("diskspd {words}"));
    assert!(plain.contains("PL019"), "{plain}");
    for tool in [
        "diskspd.exe",
        "DiskSpd.exe",
        "'.\\diskspd.exe'",
        "'C:\\x\\amd64\\diskspd.exe'",
        "./diskspd",
        "sudo diskspd",
    ] {
        assert_eq!(expected(&format!("{tool} {words}")), plain, "{tool}");
    }
    let words = "--name=a --filename=x --size=1g --rw=randread";
    let plain = expected(&format!("fio {words}"));
    assert_eq!(expected(&format!("sudo /usr/bin/fio {words}")), plain);
    place
        .plimsoll(&format!("convert --to toml -- fio.exe {words}"))
        .exits(0);
    // A target may have a tool's name, behind a path.
    let done = place.plimsoll("plan /mnt/fio /mnt/b");
    done.says(&["/mnt/fio"]);
}
