//! `plimsoll run … --beside vdbench`: with the real one where it is installed, and with a stand-in whose numbers are known.

use crate::beside::both;
use crate::place::{Done, TestFolder, typed};
use plimsoll_record::Record;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const FILE: &str = "sd=sd1,lun=$lun,size=4m,threads=2\nwd=wd1,sd=sd1,xfersize=4k,rdpct=50\n\
                    rd=run1,wd=wd1,iorate=100,elapsed=2,interval=1\n";

/// Says what it was given, and leaves an output folder with known numbers: 60 reads and 40 writes in the counted second.
const STAND_IN: &str = r#"#!/bin/sh
echo "$@" >>asked
echo "Vdbench distribution: vdbench50407 Tue June 05"
while [ $# -gt 0 ]; do
  case $1 in -s) simulate=yes ;; -o) out=$2; shift ;; -f) file=$2; shift ;; esac
  shift
done
cp "$file" given
if [ "$simulate" ]; then
  [ ! -e refuse ] || { echo "06:00:00.000 Unknown keyword"; exit 157; }
  exit 0
fi
mkdir "$out"
echo "Error log. If there are no error messages beyond this line then there were none." >"$out/errorlog.html"
[ ! -e fail ] || echo "06:00:02 read error lba: 4096" >>"$out/errorlog.html"
cat >"$out/flatfile.html" <<EOF
tod Run Interval reqrate rate MB/sec bytes/io read% resp read_resp write_resp resp_max read_max write_max resp_std read_std write_std xfersize threads rdpct cpu_used cpu_kernel
06:00:01.0 SD_format 1 9999988 2048 256 131072 0 0.28 0 0.28 13 0 13 0.4 0 0.4 131072 2 0 10 5
06:00:01.1 SD_format avg_2-1 9999988 0 0 0 0 0 0 0 0 0 0 0 0 0 131072 2 0 NaN NaN
06:00:02.0 run1 1 100 90 0.36 4096 59 0.1 0.1 0.1 4 4 3 0.08 0.08 0.09 4096 2 50 30 12
06:00:03.0 run1 2 100 100 0.390625 4096 59.9 0.3 0.25 0.4 3 3 1 0.07 0.08 0.06 4096 2 50 25 8
06:00:03.1 run1 avg_2-2 100 100 0.390625 4096 59.9 0.3 0.25 0.4 3 3 1 0.07 0.08 0.06 4096 2 50 25 8
EOF
cat >"$out/histogram.html" <<EOF
06:00 Starting RD=SD_format; I/O rate: Uncontrolled MAX
No statistics generated for this run.
06:00 Starting RD=run1; I/O rate: 100
Reads:
    0.200 <       0.400            60 100.0000 100.0000  +++
Writes:
    0.400 <       0.600            40 100.0000 100.0000  +++
EOF
"#;

impl TestFolder {
    /// A place with a definition, and a stand-in in a folder `tool`.
    fn with_stand_in() -> TestFolder {
        let place = TestFolder::new();
        place.text("a.parm", FILE);
        std::fs::create_dir(place.path("tool")).expect("a folder");
        let program = place.text("tool/vdbench", STAND_IN);
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("set");
        place
    }

    /// Our tool beside it, once each.
    fn beside(&self, words: &[&str]) -> Done {
        // The stand-in keeps what it is given, which Vdbench does not.
        let may_write = ["--allow-commands", "--commands-may-write", "."];
        self.beside_only(&[words, &may_write].concat())
    }

    /// The same, which writes only what Vdbench does.
    fn beside_only(&self, words: &[&str]) -> Done {
        let flags = typed("--beside vdbench --beside-program tool --beside-repeats 1 --quiet");
        self.plimsoll(&[&["run"], words, &flags].concat())
    }

    fn asked(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("asked")).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }
}

#[test]
fn a_parameter_file_is_written_once_more_for_vdbench_and_its_numbers_are_read() {
    let place = TestFolder::with_stand_in();
    let done = place
        .beside(&typed("-f a.parm lun=./data --for 2s --record r.plim"))
        .ok();
    // Asked before anything runs whether it takes the file; and with our own flag in its words.
    let asked = place.asked();
    let (last, before) = asked.split_last().expect("it ran");
    assert!(
        before.iter().all(|words| words.starts_with("-s ")),
        "{asked:?}"
    );
    assert!(last.contains("/written.parm -e 2 -o "), "{asked:?}");
    let given = std::fs::read_to_string(place.path("given")).expect("a file for Vdbench");
    let here = place.folder().canonicalize().expect("its path");
    let expected = FILE.replace("$lun", &format!("{}/./data", here.display()));
    assert_eq!(given, expected);
    // Neither the fill nor the first interval; counts by its histogram and not by its share of reads.
    assert_eq!(both(&done.out, "read I/Os")[1], "60");
    assert_eq!(both(&done.out, "write I/Os")[1], "40");
    for part in [
        "250.0 us",
        "400.0 us",
        "200-400 us",
        "Vdbench's resp",
        "First interval: neither",
        "up to 25 % busy",
        "vdbench50407 beside plimsoll",
        "one run of each says little",
    ] {
        assert!(done.out.contains(part), "{part} in {}", done.out);
    }
    let record = Record::open(&place.path("r.plim")).expect("a record");
    let texts = record.definition_texts().expect("texts");
    let name = "beside vdbench50407: vdbench -f written.parm -e 2";
    assert!(texts.iter().any(|t| t.name == name), "{texts:?}");
}

#[test]
fn what_the_other_tool_writes_beside_its_targets_is_not_written() {
    if plimsoll_rig::wall_doubt().is_some() {
        return plimsoll_skipped::skipped!("this kernel builds no whole wall around programs");
    }
    let words = ["-f", "a.parm", "lun=./data", "--for", "2s", "--no-record"];
    let place = TestFolder::with_stand_in();
    place.beside_only(&words).ok();
    assert_eq!(place.names(), ["a.parm", "data", "tool"]);
    // It had tried to.
    place.beside(&words).ok();
    assert_eq!(place.names(), ["a.parm", "asked", "data", "given", "tool"]);
}

#[test]
fn other_definitions_are_converted_for_vdbench() {
    let place = TestFolder::with_stand_in();
    let text = "[target.d]\npath = \"data\"\nsize = \"4m\"\n[workload.w]\nblock = \"4k\"\nread = 50\n[[run]]\nload = 100\nfor = \"2s\"\nwarmup = \"0s\"\n";
    place.text("a.toml", text);
    let done = place.beside(&["a.toml", "--no-record"]).ok();
    done.says(&["/data,size=4m", "we count it"]);
    let given = std::fs::read_to_string(place.path("given")).expect("a file for Vdbench");
    assert!(given.contains("elapsed=2,interval=1"), "{given}");
    // Vdbench cannot say this, and is not asked.
    std::fs::remove_file(place.path("asked")).expect("it ran");
    place.text(
        "b.toml",
        &text.replace("read = 50", "access = \"coverage\""),
    );
    let done = place.beside(&["b.toml", "--no-record"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    done.warns(&["Vdbench has no word"]);
    assert!(place.asked().is_empty());
}

#[test]
fn vdbench_is_not_started_where_our_own_run_would_be_refused() {
    let place = TestFolder::with_stand_in();
    let mine = place.foreign("mine", 4 << 20);
    let before = std::fs::read(&mine).expect("readable");
    let done = place.beside(&["-f", "a.parm", "lun=./mine", "--no-record"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    done.warns(&["--destroy"]);
    assert!(
        place.asked().iter().all(|words| words.starts_with("-s ")),
        "simulated only: {:?}",
        place.asked()
    );
    assert_eq!(std::fs::read(&mine).expect("readable"), before);
}

#[test]
fn what_starts_other_programs_is_refused_by_name() {
    let place = TestFolder::with_stand_in();
    for (before, told) in [
        ("hd=default,vdbench=/elsewhere,shell=ssh", "vdbench="),
        ("hd=far,system=192.0.2.1", "system="),
        ("startcmd=\"touch made\"", "--allow-commands"),
    ] {
        place.text("b.parm", &format!("{before}\n{FILE}"));
        let done = place.beside_only(&["-f", "b.parm", "lun=./data", "--no-record"]);
        assert_eq!(done.code, Some(2), "{before}: {done:#?}");
        assert!(done.err.contains(told), "{before}: {}", done.err);
        assert!(!done.err.contains("run 1"), "{before}: {}", done.err);
    }
    assert!(!place.path("data").exists() && !place.path("made").exists());
    // What switches something of Vdbench's own is left out, and said to be.
    place.text("b.parm", &format!("timeout=(60,/bin/true)\nmisc=x\n{FILE}"));
    let done = place
        .beside(&["-f", "b.parm", "lun=./data", "--no-record"])
        .ok();
    assert_eq!(
        done.err.matches("Vdbench runs without").count(),
        2,
        "{}",
        done.err
    );
    let given = std::fs::read_to_string(place.path("given")).expect("a file for Vdbench");
    assert!(given.starts_with("sd=sd1,"), "{given}");
}

#[test]
fn what_vdbench_says_against_it_is_told() {
    let place = TestFolder::with_stand_in();
    place.text("refuse", "");
    let done = place.beside(&["-f", "a.parm", "lun=./data", "--no-record"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    done.warns(&["Unknown keyword"]);
    assert!(!place.path("data").exists(), "before anything ran");
    std::fs::remove_file(place.path("refuse")).expect("it was there");
    place.text("fail", "");
    let done = place.beside(&["-f", "a.parm", "lun=./data", "--no-record"]);
    assert_eq!(done.code, Some(2), "{done:#?}");
    done.warns(&["read error lba: 4096"]);
}

#[test]
fn a_vdbench_that_is_not_there_is_said_with_what_to_do() {
    let place = TestFolder::with_stand_in();
    for (program, told) in [
        ("nowhere", "nowhere"),
        ("tool/missing", "tool/missing"),
        ("/bin/true", "is not Vdbench"),
    ] {
        let done = place.plimsoll(&format!(
            "run -f a.parm lun=./data --beside vdbench --beside-program '{program}' --no-record"
        ));
        assert_eq!(done.code, Some(2), "{program}: {done:#?}");
        assert!(
            done.err.contains(told) && done.err.contains("--beside-program"),
            "{program}: {}",
            done.err
        );
    }
    let mut command = place.command("run -f a.parm lun=./data --beside vdbench --no-record");
    let output = command
        .env("PATH", place.folder())
        .output()
        .expect("it starts");
    let done = Done::new(&output, &[]);
    done.warns(&["vdbench is not installed"]);
    // A link in PATH is followed: the script's own folder has the rest of it.
    std::fs::create_dir(place.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(place.path("tool/vdbench"), place.path("bin/vdbench"))
        .expect("a link");
    let mut command =
        place.command("run -f a.parm lun=./data --beside vdbench --no-record --quiet");
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let output = command.env("PATH", path).output().expect("it starts");
    Done::new(&output, &[]).ok();
}

/// The real one: where `PLIMSOLL_VDBENCH` names it, or in PATH.
pub fn real() -> Option<PathBuf> {
    let named = std::env::var_os("PLIMSOLL_VDBENCH").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).map(|folder| folder.join("vdbench"));
    named.or_else(|| folders.find(|program| program.is_file()))
}

#[test]
fn the_real_vdbench_does_as_many_ios_on_the_same_schedule() {
    let Some(program) = real() else {
        return plimsoll_skipped::skipped!("Vdbench is not installed");
    };
    let place = TestFolder::new();
    place.text("a.parm", &FILE.replace("elapsed=2", "elapsed=4"));
    let program = program.to_string_lossy();
    let words = format!(
        "run -f a.parm lun=./data --beside vdbench --beside-program '{program}' --beside-repeats 1 --quiet --no-record"
    );
    let done = place.plimsoll(&words).ok();
    // About 100 a second in three counted seconds, half of them reads; a schedule that is drawn, on a machine that others use.
    for line in ["read I/Os", "write I/Os"] {
        for ios in both(&done.out, line) {
            let ios: f64 = ios.parse().expect("a number");
            assert!((90.0..=210.0).contains(&ios), "{line} {ios}: {}", done.out);
        }
    }
    done.says(&["known to its bucket"]);
    assert_eq!(
        place.names(),
        ["a.parm", "data"],
        "its output is not left here"
    );
}
