//! `plimsoll vdbench`: Vdbench's flags, lines, folder and exit codes.

use crate::place::{Done, TestFolder, typed};

/// Vdbench's exit code for a refusal or a failure.
const VDBENCH_FAILED: Option<i32> = Some(157);

const RAW: &str = "sd=sd1,lun=$lun,size=4m,threads=4\nwd=wd1,sd=sd1,rdpct=70,xfersize=4k\n\
                   rd=rd1,wd=wd1,iorate=(100,200),elapsed=2,interval=1\n";

fn vdbench(place: &TestFolder, words: &[&str]) -> Done {
    place.plimsoll(&[&["vdbench"][..], words].concat())
}

/// Lines that `egrep 'Starting|avg_'` prints.
fn scraped(out: &str) -> Vec<&str> {
    out.lines()
        .filter(|l| l.contains("Starting") || l.contains("avg_"))
        .collect()
}

#[test]
fn a_simulation_prints_its_runs_and_does_no_io() {
    let place = TestFolder::new();
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
    let place = TestFolder::new();
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
        let place = TestFolder::new();
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
    let place = TestFolder::new();
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
        &typed("-f raw.parm -o out lun=./mine --destroy ./mine"),
    )
    .ok();
    assert_ne!(std::fs::read(&path).expect("readable"), before);
}

#[test]
fn a_simulation_has_times_of_day_and_a_folder_where_one_is_named() {
    let place = TestFolder::new();
    place.text("raw.parm", RAW);
    let words = ["-f", "raw.parm", "-s", "lun=./data"];
    let timed = |done: &Done| {
        let time = |l: &str| l.len() > 13 && l[..12].matches(':').count() == 2;
        done.out.lines().all(time)
    };
    let done = vdbench(&place, &words).ok();
    assert!(timed(&done), "{done:#?}");
    assert_eq!(place.names(), ["raw.parm"]);
    let named = vdbench(&place, &[&words[..], &["-o", "out+"]].concat()).ok();
    assert!(timed(&named), "{named:#?}");
    let log = std::fs::read_to_string(place.path("out001/logfile.html")).expect("written");
    for line in named.out.lines() {
        assert!(log.contains(line), "{line}");
    }
}

#[test]
fn a_simulation_takes_no_folder_of_others_either() {
    let place = TestFolder::new();
    place.text("raw.parm", RAW);
    std::fs::create_dir(place.path("site")).expect("a folder");
    place.text("site/summary.html", "<h1>mine</h1>");
    let done = vdbench(
        &place,
        &["-f", "raw.parm", "-s", "lun=./data", "-o", "site"],
    );
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    done.warns(&["site"]);
    let page = std::fs::read_to_string(place.path("site/summary.html"));
    assert_eq!(page.expect("there"), "<h1>mine</h1>");
}

/// Vdbench's size counts from the start of the lun, so 8 MiB from 1 MiB on are 7 MiB.
#[test]
fn an_offset_may_stand_beside_a_size() {
    let place = TestFolder::new();
    let job = "sd=sd1,lun=./data,size=8m,offset=1m\nwd=wd1,sd=sd1,rdpct=0,seekpct=eof,xfersize=64k\n\
               rd=rd1,wd=wd1,iorate=max,elapsed=2,interval=1\n";
    place.text("job.parm", job);
    vdbench(&place, &["-f", "job.parm", "-o", "out"]).ok();
    let data = std::fs::read(place.path("data")).expect("it was made");
    assert_eq!(data.len(), 8 << 20);
    let (before, after) = data.split_at(1 << 20);
    assert!(
        before.iter().all(|b| *b == 0),
        "nothing is written before the offset"
    );
    let blank = |block: &[u8]| block.iter().all(|b| *b == 0);
    assert!(!after.chunks(4096).any(blank), "all behind it is");
}

/// The columns that repeat the definition, as Vdbench 5.04.07 filled them for these files.
#[test]
fn the_flat_file_s_columns_are_vdbench_s_where_workloads_and_storage_differ() {
    let place = TestFolder::new();
    let job = "sd=sd1,lun=null:10m,size=10m,threads=2\nsd=sd2,lun=null:10m,size=10m,threads=4\n\
               wd=wd1,sd=sd1,rdpct=100,skew=30\nwd=wd2,sd=sd2,xfersize=8k,rdpct=50,skew=70\n\
               wd=wd3,sd=(sd1,sd2),xfersize=(4k,50,8k,50),rdpct=70\n\
               rd=rd1,wd=(wd1,wd2),iorate=100,elapsed=2,interval=1\n\
               rd=rd2,wd=wd3,iorate=curve,curve=(10),elapsed=2,interval=1,forthreads=3\n";
    place.text("job.parm", job);
    vdbench(&place, &["-f", "job.parm", "-o", "out"]).ok();
    let flat = std::fs::read_to_string(place.path("out/flatfile.html")).expect("written");
    let mut lines = flat.lines().skip_while(|l| !l.starts_with(' '));
    let titles: Vec<&str> = lines.next().expect("titles").split_whitespace().collect();
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split_whitespace().collect()).collect();
    let value = |run: &str, title: &str| {
        let column = |t: &str| titles.iter().position(|x| *x == t).expect("a column");
        let row = rows
            .iter()
            .find(|r| r[column("Run")] == run)
            .expect("a row");
        row[column(title)].to_string()
    };
    for (title, first, second) in [
        ("xfersize", "n/a", "4096"),
        ("threads", "-1", "3"),
        ("rdpct", "n/a", "70"),
        ("rhpct", "0", "0"),
        ("whpct", "0", "0"),
        ("seekpct", "100", "100"),
        ("lunsize", "0.0195", "0.0195"),
        ("version", "n/a", "n/a"),
        ("compratio", "1", "1"),
        ("dedupratio", "n/a", "n/a"),
        ("reqrate", "100", "9999977"),
    ] {
        assert_eq!(value("rd1", title), first, "{title} of rd1");
        assert_eq!(value("rd2", title), second, "{title} of rd2");
    }
}

#[test]
fn the_histogram_has_the_edges_that_the_file_gives() {
    let place = TestFolder::new();
    place.text(
        "job.parm",
        &format!("histogram=(default,10,5,20,1m)\n{RAW}"),
    );
    vdbench(&place, &["-f", "job.parm", "-o", "out", "lun=null:1GiB"]).ok();
    for page in ["histogram.html", "sd1.histogram.html"] {
        let text = std::fs::read_to_string(place.path("out").join(page)).expect("written");
        let edges: Vec<&str> = text
            .lines()
            .skip_while(|l| !l.contains("min(ms)"))
            .skip(2)
            .map_while(|l| l.split_whitespace().nth(2))
            .collect();
        assert_eq!(edges, ["0.010", "0.015", "0.020", "1.000", "max"], "{text}");
    }
}

#[test]
fn a_run_that_an_amount_of_data_ends_says_so() {
    let place = TestFolder::new();
    let job = |limit: &str| {
        format!(
            "sd=sd1,lun=null:10m,size=10m,threads=4\nwd=wd1,sd=sd1,xfersize=(4k,50,8k,50)\n\
             rd=rd1,wd=wd1,iorate=2000,elapsed=2,interval=1,{limit}\n"
        )
    };
    // A hundred times the storage takes longer than two seconds.
    for (limit, said) in [("maxdata=1m", true), ("maxdata=100", false)] {
        place.text("job.parm", &job(limit));
        let done = vdbench(&place, &["-f", "job.parm", "-o", "out"]).ok();
        let words = "Reached maxdata=";
        assert_eq!(done.out.contains(words), said, "{limit}: {done:#?}");
    }
}

#[test]
fn far_behind_its_rate_a_run_has_the_times_that_vdbench_prints() {
    let place = TestFolder::new();
    place.text(
        "behind.parm",
        "sd=sd1,lun=lab:curve-8k/lun0,threads=1\nwd=wd1,sd=sd1,xfersize=8k,rdpct=100,seekpct=100\n\
         rd=run1,wd=wd1,iorate=200000,elapsed=5,interval=1\n",
    );
    let done = vdbench(&place, &["-f", "behind.parm"]);
    // One thread is always busy: a second has as many I/Os as their times go into it.
    let lines = scraped(&done.out);
    let average = lines.iter().find(|l| l.contains("avg_2-5"));
    let line = average.unwrap_or_else(|| panic!("{}", done.out));
    let fields = line
        .split_whitespace()
        .skip(2)
        .filter_map(|f| f.parse().ok());
    let fields: Vec<f64> = fields.collect();
    let (rate, resp_ms) = (fields[0], fields[4]);
    assert!((rate * resp_ms / 1000.0 - 1.0).abs() < 0.02, "{line}");
    let words = "run lab:curve-8k/lun0 --rate 200000 --depth 1 --workers 1 --warmup 1s --for 4s --block 8k --no-record --json";
    let step = place.plimsoll(words).ok().json()["steps"][0].clone();
    let number = |of: &serde_json::Value| of.as_f64().expect("a number");
    let busy = number(&step["iops"]) * number(&step["service"]["mean_us"]) / 1e6;
    assert!((busy - 1.0).abs() < 0.02, "{busy}");
}
