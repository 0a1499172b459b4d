//! `plimsoll vdbench`: Vdbench's flags, lines, folder and exit codes.

use crate::place::{Done, Place};

/// Vdbench's exit code for a refusal or a failure.
const VDBENCH_FAILED: Option<i32> = Some(157);

const RAW: &str = "sd=sd1,lun=$lun,size=4m,threads=4\nwd=wd1,sd=sd1,rdpct=70,xfersize=4k\n\
                   rd=rd1,wd=wd1,iorate=(100,200),elapsed=2,interval=1\n";

fn vdbench(place: &Place, words: &[&str]) -> Done {
    place.plimsoll(&[&["vdbench"][..], words].concat())
}

/// What `egrep 'Starting|avg_'` prints.
fn scraped(out: &str) -> Vec<&str> {
    out.lines()
        .filter(|l| l.contains("Starting") || l.contains("avg_"))
        .collect()
}

#[test]
fn a_simulation_prints_its_runs_and_does_no_io() {
    let place = Place::new();
    place.text("raw.parm", RAW);
    let done = vdbench(&place, &["-f", "raw.parm", "-s", "lun=./data"]).ok();
    let lines: Vec<&str> = done
        .out
        .lines()
        .filter(|l| l.contains("Simulating RD="))
        .collect();
    assert_eq!(lines.len(), 2, "{done:#?}");
    assert!(lines[0].contains("RD=rd1; I/O rate: 100"), "{done:#?}");
    assert!(lines[1].contains("For loops: iorate=200"), "{done:#?}");
    assert!(!place.path("data").exists());
}

#[test]
fn what_vdbench_refuses_exits_as_vdbench_does() {
    let place = Place::new();
    place.text(
        "bad.parm",
        "sd=sd1,lun=./data,sise=4m\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n",
    );
    for words in [
        &["-f", "bad.parm", "-s"][..],
        &["-f", "missing.parm", "-s"],
        &["-f", "bad.parm", "-o", "out"],
    ] {
        let done = vdbench(&place, words);
        assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
        assert!(!done.err.is_empty() || !done.out.is_empty());
    }
    assert!(!place.path("data").exists());
}

#[test]
fn a_run_prints_lines_that_scrapers_find_and_leaves_the_report_folder() {
    for lun in ["lun=null:1GiB", "lun=./data"] {
        let place = Place::new();
        place.text("raw.parm", RAW);
        let done = vdbench(&place, &["-f", "raw.parm", "-o", "out", lun]).ok();
        let lines = scraped(&done.out);
        // A file that is made is formatted first, in a run of its own.
        let lines = &lines[lines.len().saturating_sub(4)..];
        let kinds: Vec<bool> = lines
            .iter()
            .map(|l| l.contains("Starting RD=rd1;"))
            .collect();
        assert_eq!(kinds, [true, false, true, false], "{done:#?}");
        assert!(lines[1].contains("avg_2-2"), "{done:#?}");
        for page in [
            "logfile.html",
            "summary.html",
            "flatfile.html",
            "totals.html",
            "histogram.html",
            "parmfile.html",
        ] {
            let text = std::fs::read_to_string(place.path("out").join(page))
                .unwrap_or_else(|e| panic!("{page}: {e}"));
            assert!(!text.is_empty(), "{page}");
        }
        let totals = std::fs::read_to_string(place.path("out/totals.html")).expect("written");
        assert_eq!(totals.matches("avg_2-2").count(), 2, "{totals}");
    }
}

#[test]
fn data_of_others_is_safe_from_vdbench_files_too() {
    let place = Place::new();
    place.text("raw.parm", RAW);
    let path = place.foreign("mine", 4 << 20);
    let before = std::fs::read(&path).expect("readable");
    let done = vdbench(&place, &["-f", "raw.parm", "-o", "out", "lun=./mine"]);
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    assert!(
        format!("{}{}", done.out, done.err).contains("--destroy"),
        "{done:#?}"
    );
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    vdbench(
        &place,
        &[
            "-f",
            "raw.parm",
            "-o",
            "out",
            "lun=./mine",
            "--destroy",
            "./mine",
        ],
    )
    .ok();
    assert_ne!(std::fs::read(&path).expect("readable"), before);
}
