//! The other pages of a report.

use crate::fixture;
use crate::stage::{at, create, evidence_of, execute, read, run};
use plimsoll_permit::output::Rules;
use plimsoll_report::vdbench::*;
use std::fs;
use tempfile::TempDir;

#[test]
fn the_other_pages_are_as_they_were() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let pages = [
        "summary",
        "totals",
        "status",
        "errorlog",
        "skew",
        "parmfile",
        "sd1",
        "sd1.histogram",
    ];
    let text: Vec<String> = pages
        .iter()
        .map(|page| {
            format!(
                "== {page}.html\n{}",
                read(folder.path(), &format!("{page}.html"))
            )
        })
        .collect();
    insta::assert_snapshot!(
        text.join("\n")
            .replace(&folder.path().display().to_string(), "DIR")
    );
}

/// Names that are markup, lines of their own, or orders to a terminal.
#[test]
fn what_a_page_quotes_is_text_in_it() {
    const HOSTILE: &str = "x\"'><script>alert(1)</script>&amp;\u{1b}[2J\nrd=forged";
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let options = Options {
        parameter_files: vec![(
            HOSTILE.into(),
            "* <script>document.title='ran'</script>\n\tsd=a&b\r\n".into(),
        )],
        ..Options::default()
    };
    let told = permit(folder, &Rules::default()).unwrap();
    let mut writer = VdbenchWriter::create(told, &options, &at(0)).unwrap();
    let mut run = run(HOSTILE, RequestedRate::UncontrolledMax);
    run.streams[0].sd = HOSTILE.into();
    run.streams[0].wd = format!("w{HOSTILE}");
    run.streams[0].lun = HOSTILE.into();
    run.loops = vec![(HOSTILE.into(), HOSTILE.into())];
    writer.starting(run, &at(0)).unwrap();
    let interval = fixture::interval(1, false, 10, 5);
    writer.interval(&interval, &at(1)).unwrap();
    writer.message(HOSTILE, &at(1)).unwrap();
    let mut evidence = evidence_of(&[interval], fixture::steps().swap_remove(0));
    evidence.error_samples = vec![plimsoll_evidence::ErrorSample {
        target: HOSTILE.into(),
        op: plimsoll_measure::Op::Read,
        offset: 0,
        length: 512,
        at_ns: 1,
        what: HOSTILE.into(),
    }];
    writer.averages(&evidence, &at(2)).unwrap();
    let ending = Ending::Failed(HOSTILE.into());
    writer.finish(&ending, &at(3)).unwrap();

    let mut pages = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        pages += 1;
        let tags = page
            .replace("<title>Vdbench ", "")
            .replace("</title><pre>", "");
        let tags = tags.replace("<A HREF=\"", "").replace("</A>", "");
        let tags = tags.replace("<a name=\"_1\"></a><i><b>", "");
        let tags = tags.replace("</b></i>", "");
        // What is left begins no element: "min(ms) <  max(ms)" is the histogram's own.
        let markup = tags
            .match_indices('<')
            .find(|(i, _)| !tags[i + 1..].starts_with("  "));
        assert_eq!(markup, None, "{path:?}: {page}");
        assert!(!page.contains("\nrd=forged"), "{path:?}: {page}");
        let control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!page.contains(control), "{path:?}: {page:?}");
        for link in page.split("<A HREF=\"").skip(1) {
            let file = link.split_once("\">").unwrap().0;
            assert!(!file.contains(['"', '\'', '<', '/', ':']), "{file}");
        }
    }
    assert!(pages > 11, "{pages}");
    let parameters = read(folder, "parmfile.html");
    assert!(
        parameters.contains("* &lt;script&gt;document.title='ran'&lt;/script&gt;\n\tsd=a&amp;b\n"),
        "{parameters}"
    );
    let flat = read(folder, "flatfile.html");
    let lines: Vec<&str> = flat
        .lines()
        .filter(|l| !l.starts_with(['*', '<']))
        .collect();
    let columns: Vec<usize> = lines.iter().map(|l| l.split_whitespace().count()).collect();
    assert!(columns.iter().all(|c| *c == columns[0]), "{columns:?}");
}

#[test]
fn an_execution_that_fails_says_why_and_never_that_it_completed() {
    let folder = TempDir::new().expect("a folder");
    let report = create(folder.path(), &Options::default()).expect("a report");
    let why = Ending::Failed("sd1 did not answer.".into());
    let line = report.finish(&why, &at(1)).expect("an end").join("\n");
    assert!(line.starts_with(
        "12:00:01.011 Vdbench execution failed: sd1 did not answer. Output directory: "
    ));
    assert!(read(folder.path(), "errorlog.html").contains("sd1 did not answer"));
    assert!(!read(folder.path(), "logfile.html").contains("successfully"));
}

/// List of runs as Vdbench 5.04.07 has it: a run of the same name as the one before with its loop values alone, below the others'.
#[test]
fn the_runs_are_listed_first_and_each_line_leads_to_its_run() {
    let folder = TempDir::new().expect("a folder");
    let planned = [
        ("rd1", "threads=1"),
        ("rd1", "threads=2"),
        ("never", "None"),
        ("rd<2>", "None"),
    ];
    let options = Options {
        planned: planned
            .map(|(name, loops)| PlannedRun {
                name: name.into(),
                loops: loops.into(),
            })
            .into(),
        ..Options::default()
    };
    let mut report = create(folder.path(), &options).expect("a report");
    // A format comes first, of which the definition says nothing; a curve that ends early leaves points out.
    for (second, name) in ["SD_format", "rd1", "rd1", "rd<2>"].iter().enumerate() {
        let at = at(second as i64);
        let start = report.starting(run(name, RequestedRate::UncontrolledMax), &at);
        start.expect("a start");
    }
    let finished = report.finish(&Ending::Completed, &at(9));
    finished.expect("an end");
    let list = "Link to Run Definitions:         <A HREF=\"#_1\">rd1 For loops: threads=1</A>\n\
                \x20                                               <A HREF=\"#_2\">threads=2</A>\n\
                \x20                                <A HREF=\"#_3\">never For loops: None</A>\n\
                \x20                                <A HREF=\"#_4\">rd&lt;2&gt; For loops: None</A>\n";
    for page in [
        "summary",
        "totals",
        "histogram",
        "skew",
        "localhost",
        "localhost-0",
        "sd1",
        "sd1.histogram",
    ] {
        let text = read(folder.path(), &format!("{page}.html"));
        let listed = text.find(list).unwrap_or_else(|| panic!("{page}: {text}"));
        let places: Vec<usize> = [5, 1, 2, 4]
            .iter()
            .map(|n| text.find(&format!("<a name=\"_{n}\">")).expect("its place"))
            .collect();
        assert!(listed < places[0] && places.is_sorted(), "{page}: {text}");
    }
}

/// Use of the folder by Vdbench's own programs: `parseflat` takes the first line that begins with a blank for the titles; `compare` reads
/// every run's name and anchor from the summary.
#[test]
fn vdbench_s_own_programs_find_their_way() {
    let folder = TempDir::new().expect("a folder");
    execute(folder.path());
    let flat = read(folder.path(), "flatfile.html");
    let mut lines = flat.lines().skip_while(|l| !l.starts_with(' '));
    let titles = lines.next().expect("titles").split_whitespace().count();
    assert!(lines.all(|l| l.split_whitespace().count() == titles));
    for page in ["summary.html", "totals.html"] {
        let text = read(folder.path(), page);
        let runs: Vec<(&str, &str)> = text
            .lines()
            .filter(|l| l.contains("Starting RD"))
            .map(|l| {
                let name = l
                    .split_once("RD=")
                    .and_then(|(_, rest)| rest.split_once(';'));
                (
                    l.split('"').nth(1).expect("an anchor"),
                    name.expect("a name").0,
                )
            })
            .collect();
        assert_eq!(runs, [("_1", "rd1"), ("_2", "rd2")], "{page}");
    }
}
