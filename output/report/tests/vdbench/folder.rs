//! Where a report goes, and what is never replaced.

use crate::fixture;
use crate::stage::{at, create, marks_are_kept, read, run};
use plimsoll_permit::output::Rules;
use plimsoll_report::vdbench::*;
use std::fs;
use tempfile::TempDir;

#[test]
fn a_plus_takes_the_next_free_folder_and_tod_the_time() {
    let place = TempDir::new().expect("a folder");
    let base = place.path().join("out").display().to_string();
    let chosen = |word: &str| choose_folder(word, &fixture::noon()).display().to_string();
    assert_eq!(chosen(&base), base);
    assert_eq!(chosen(&format!("{base}+")), format!("{base}001"));
    fs::create_dir(format!("{base}001")).expect("a folder");
    assert_eq!(chosen(&format!("{base}+")), format!("{base}002"));
    assert_eq!(
        chosen(&format!("{base}.tod")),
        format!("{base}.260321.120000")
    );
}

#[test]
fn an_earlier_report_is_replaced_and_other_files_stay() {
    let folder = TempDir::new().expect("a folder");
    if !marks_are_kept(folder.path()) {
        return;
    }
    let create = || create(folder.path(), &Options::default()).expect("a report");
    create()
        .starting(run("rd1", RequestedRate::ControlledMax), &at(0))
        .expect("a start");
    fs::write(folder.path().join("notes.txt"), "mine").expect("a file");
    assert!(folder.path().join("sd1.html").exists());
    create();
    assert!(
        !folder.path().join("sd1.html").exists(),
        "the earlier report's pages are gone"
    );
    assert!(folder.path().join("notes.txt").exists());
}

#[test]
fn a_folder_with_files_and_without_a_report_is_refused() {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in [
        ("thesis.html", "mine"),
        ("notes.txt", "mine"),
        // What the real Vdbench left is somebody's measurement.
        ("summary.html", "<title>Vdbench summary report</title><pre>"),
    ] {
        let mine = folder.path().join(name);
        fs::write(&mine, text).expect("a file");
        let refused = create(folder.path(), &Options::default()).expect_err("refused");
        assert!(refused.to_string().contains("-o"), "{refused}");
        assert_eq!(fs::read_to_string(&mine).expect("there"), text);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        fs::remove_file(mine).expect("removed");
    }
}

#[test]
fn a_page_that_was_edited_since_is_not_replaced() {
    let folder = TempDir::new().expect("a folder");
    if !marks_are_kept(folder.path()) {
        return;
    }
    create(folder.path(), &Options::default()).expect("a report");
    let page = folder.path().join("totals.html");
    let edited = read(folder.path(), "totals.html") + "and what I make of it\n";
    fs::write(&page, &edited).expect("edited");
    let refused = create(folder.path(), &Options::default()).expect_err("refused");
    assert!(refused.to_string().contains("totals.html"), "{refused}");
    assert_eq!(read(folder.path(), "totals.html"), edited);
    let rules = Rules {
        overwrite: true,
        ..Rules::default()
    };
    let told = permit(folder.path(), &rules).expect("told to");
    VdbenchWriter::create(told, &Options::default(), &at(0)).expect("a report");
    assert!(!read(folder.path(), "totals.html").contains("what I make"));
}

#[test]
fn a_link_among_the_pages_leads_nobody_out_of_the_folder() {
    let place = TempDir::new().expect("a folder");
    let (folder, mine) = (place.path().join("out"), place.path().join("precious"));
    fs::create_dir(&folder).expect("a folder");
    fs::write(&mine, "mine").expect("a file");
    let link = folder.join("logfile.html");
    std::os::unix::fs::symlink(&mine, &link).expect("a link");
    for overwrite in [false, true] {
        let rules = Rules {
            overwrite,
            ..Rules::default()
        };
        let made = permit(&folder, &rules)
            .and_then(|told| VdbenchWriter::create(told, &Options::default(), &at(0)));
        assert!(made.is_err(), "{overwrite}");
        assert_eq!(fs::read_to_string(&mine).expect("there"), "mine");
        assert!(link.is_symlink());
    }
}

#[test]
fn a_target_cannot_write_over_a_page_or_outside_the_folder() {
    let place = TempDir::new().expect("a folder");
    let folder = place.path().join("out");
    let mut report = create(&folder, &Options::default()).expect("a report");
    let mut odd = run("rd1", RequestedRate::ControlledMax);
    odd.streams[0].sd = "flatfile".into();
    odd.streams[0].wd = "../escaped".into();
    report.starting(odd, &at(1)).expect("a start");
    assert!(read(&folder, "flatfile.html").contains("queue_depth"));
    assert!(folder.join("flatfile_.html").exists());
    assert!(folder.join("_.._escaped.html").exists());
    assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 1);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_that_names_it() {
    let place = TempDir::new().expect("a folder");
    let file = place.path().join("file");
    fs::write(&file, "").expect("a file");
    let error = create(&file.join("out"), &Options::default()).expect_err("no folder");
    assert!(error.to_string().contains("file/out"), "{error}");
}
