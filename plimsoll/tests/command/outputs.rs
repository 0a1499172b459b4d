//! Pages, exports, records, man pages and report folders: nothing of somebody else's is written over unasked, and
//! nothing that a command needs is written over at all.

use crate::place::{Done, MIB, TestFolder, typed};
use std::fs::{File, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

const RECORD: &str = "run null:1GiB -q --rate 2000 --seed 1 --record";

/// A place with a record of a quick run in it.
fn recorded() -> TestFolder {
    let place = TestFolder::new();
    place
        .quick(&[&typed(RECORD)[..], &["a.plim"]].concat())
        .ok();
    place
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("readable")
}

/// False, and said, where the program was built without the page.
fn has_page(place: &TestFolder) -> bool {
    let done = place.plimsoll("report a.plim -o probe.html");
    let has = done.code == Some(0);
    if has {
        std::fs::remove_file(place.path("probe.html")).expect("removed");
    } else {
        done.refused(&["make"]);
        plimsoll_skipped::skipped!("the program was built without the report's page");
    }
    has
}

/// True where files here keep marks; else says so.
fn keeps_marks(place: &TestFolder) -> bool {
    let export = ["export", "--csv", "a.plim", "-o", "probe.csv"];
    place.plimsoll(&export).ok();
    let keeps = place.plimsoll(&export).code == Some(0);
    std::fs::remove_file(place.path("probe.csv")).expect("removed");
    if !keeps {
        plimsoll_skipped::skipped!("the temporary folder's file system keeps no user attributes");
    }
    keeps
}

#[test]
fn the_record_that_is_read_is_never_written_over() {
    let place = recorded();
    std::fs::hard_link(place.path("a.plim"), place.path("hard")).expect("a hard link");
    symlink("a.plim", place.path("link")).expect("a link");
    let before = bytes(&place.path("a.plim"));
    for output in ["a.plim", "./a.plim", "hard", "link", "a.plim-wal"] {
        for words in [
            &["report", "a.plim", "--overwrite", "-o", output][..],
            &["export", "--csv", "a.plim", "--overwrite", "-o", output],
        ] {
            place
                .plimsoll(words)
                .refused(&[output, "the record that is read"]);
        }
    }
    assert_eq!(bytes(&place.path("a.plim")), before);
    assert_eq!(place.names(), ["a.plim", "hard", "link"]);
}

#[test]
fn a_file_of_somebody_else_is_replaced_only_when_told_so() {
    let place = recorded();
    if !keeps_marks(&place) {
        return;
    }
    let mine = place.text("mine.csv", "mine");
    let export = ["export", "--csv", "a.plim", "-o", "mine.csv"];
    place
        .plimsoll(&export)
        .refused(&["mine.csv", "--overwrite"]);
    assert_eq!(bytes(&mine), b"mine");
    place
        .plimsoll(&[&export[..], &["--overwrite"]].concat())
        .ok();
    let written = bytes(&mine);
    let printed = place.plimsoll("export --csv a.plim").ok().out;
    assert_eq!(written, printed.as_bytes());
    // Now it is Plimsoll's, until somebody edits it.
    place.plimsoll(&export).ok();
    let edited = [&written[..], b"and my notes\n"].concat();
    std::fs::write(&mine, &edited).expect("edited");
    place
        .plimsoll(&export)
        .refused(&["mine.csv", "--overwrite"]);
    assert_eq!(bytes(&mine), edited);
    assert_eq!(place.names(), ["a.plim", "mine.csv"]);
}

#[test]
fn standard_output_is_written_as_the_shell_opened_it() {
    let place = recorded();
    let plain = place.plimsoll("export --csv a.plim").ok().out;
    for name in ["-", "/dev/stdout"] {
        let done = place.plimsoll(&format!("export --csv a.plim -o {name}"));
        assert_eq!(done.ok().out, plain);
    }
    assert_eq!(place.names(), ["a.plim"]);
    if has_page(&place) {
        let page = place.plimsoll("report a.plim -o -").ok().out;
        place.plimsoll("report a.plim -o a.html").ok();
        assert_eq!(page.into_bytes(), bytes(&place.path("a.html")));
    }
    // As `>> a.plim` does it.
    let before = bytes(&place.path("a.plim"));
    let record = std::fs::File::options()
        .append(true)
        .open(place.path("a.plim"));
    let words = ["export", "--csv", "a.plim"];
    let mut onto = place.command(&words);
    let onto = onto.stdout(record.expect("opens")).stderr(Stdio::piped());
    let done = Done::new(&onto.output().expect("the program starts"), &words);
    done.refused(&["standard output", "the record that is read"]);
    assert_eq!(bytes(&place.path("a.plim")), before);
}

#[test]
fn a_page_is_judged_before_anything_is_measured() {
    let place = TestFolder::new();
    let mine = place.text("mine.html", "mine");
    std::fs::create_dir(place.path("folder")).expect("a folder");
    let run = typed("run data --size 1m --record r.plim --html");
    for (page, words) in [
        ("mine.html", &["mine.html", "--overwrite"][..]),
        ("/dev/null", &["a device"]),
        ("folder", &["a folder"]),
        ("no/page.html", &["no/page.html"]),
        ("r.plim", &["the record of this run"]),
        ("r.plim-wal", &["the record of this run"]),
        ("data", &["a target of this run"]),
        ("./folder/../data", &["a target of this run"]),
        ("-", &["report RECORD -o -"]),
    ] {
        place.quick(&[&run[..], &[page]].concat()).refused(words);
    }
    assert_eq!(bytes(&mine), b"mine");
    assert_eq!(place.names(), ["folder", "mine.html"], "nothing was made");
}

#[test]
fn the_definition_is_never_written_over() {
    let text = "[target.a]\npath = \"null:1GiB\"\n[workload.w]\nread = 100\n[[run]]\nfor = \"300ms\"\nwarmup = \"0s\"\n";
    let place = TestFolder::new();
    let definition = place.text("precious.toml", text);
    std::fs::hard_link(&definition, place.path("hard")).expect("a hard link");
    for output in ["precious.toml", "hard"] {
        for flag in ["--html", "--record"] {
            let words = ["run", "precious.toml", "--overwrite", flag, output];
            place
                .plimsoll(&words)
                .refused(&[output, "a file of the definition"]);
        }
    }
    assert_eq!(bytes(&definition), text.as_bytes());
    // Of a Vdbench file that includes another, both.
    place.text("sds.parm", "sd=sd1,lun=null:1GiB\n");
    place.text(
        "raw.parm",
        "include=sds.parm\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n",
    );
    let words = ["run", "raw.parm", "--overwrite", "--html", "sds.parm"];
    place
        .plimsoll(&words)
        .refused(&["sds.parm", "a file of the definition"]);
    assert_eq!(
        place.names(),
        ["hard", "precious.toml", "raw.parm", "sds.parm"]
    );
}

#[test]
fn a_target_is_never_the_record() {
    let place = recorded();
    let before = bytes(&place.path("a.plim"));
    let words = ["run", "a.plim", "-q", "--overwrite", "--record", "a.plim"];
    place.quick(&words).refused(&["the record of a run"]);
    assert_eq!(bytes(&place.path("a.plim")), before);
    let data = place.foreign("data", 1 << 20);
    let whole = bytes(&data);
    let words = ["run", "data", "-q", "--overwrite", "--record", "data"];
    place.quick(&words).refused(&["a target of this run"]);
    assert_eq!(bytes(&data), whole);
    let words = ["run", "new", "--size", "1m", "-q", "--record", "new"];
    place.quick(&words).refused(&["a target of this run"]);
    assert_eq!(place.names(), ["a.plim", "data"]);
}

#[test]
fn what_lies_where_the_records_log_would_be_stays() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let place = TestFolder::new();
        let name = format!("a.plim{suffix}");
        place.text(&name, "my notes");
        for overwrite in [&[][..], &["--overwrite"]] {
            let words = [&typed(RECORD)[..], &["a.plim"], overwrite].concat();
            place.quick(&words).refused(&[&name, "remove it"]);
        }
        assert_eq!(bytes(&place.path(&name)), b"my notes");
        assert_eq!(place.names(), [name]);
    }
}

#[test]
fn a_record_is_made_on_no_device_and_through_no_link_that_leads_nowhere() {
    let place = TestFolder::new();
    symlink("/dev/null", place.path("null")).expect("a link");
    symlink("/dev/plimsoll-no-disk", place.path("missing")).expect("a link");
    for (name, why) in [("null", "a device"), ("missing", "not there")] {
        for overwrite in [&[][..], &["--overwrite"]] {
            let words = [&typed(RECORD)[..], &[name], overwrite].concat();
            place.quick(&words).refused(&[name, why]);
        }
    }
    assert!(!Path::new("/dev/plimsoll-no-disk").exists());
}

#[test]
fn man_pages_and_completions_replace_only_their_own() {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("man")).expect("a folder");
    let mine = place.text("man/plimsoll-run.1", "mine");
    let generate = ["generate", "man", "man"];
    place
        .plimsoll(&generate)
        .refused(&["plimsoll-run.1", "--overwrite"]);
    assert_eq!(bytes(&mine), b"mine");
    let there = std::fs::read_dir(place.path("man"))
        .expect("a folder")
        .count();
    assert_eq!(there, 1, "all are judged before one is written");
    place
        .plimsoll(&[&generate[..], &["--overwrite"]].concat())
        .ok();
    assert!(bytes(&mine).starts_with(b".ie"));
    let outside = place.text("outside", "mine");
    std::fs::create_dir(place.path("shells")).expect("a folder");
    symlink(&outside, place.path("shells/_plimsoll")).expect("a link");
    place
        .plimsoll("generate completions shells")
        .refused(&["_plimsoll"]);
    assert_eq!(bytes(&outside), b"mine");
}

/// Vdbench's exit code for a refusal or a failure.
const VDBENCH_FAILED: Option<i32> = Some(157);

const RAW: &str =
    "sd=sd1,lun=null:1GiB\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n";

#[test]
fn a_report_folder_is_taken_again_and_another_folder_is_not() {
    let place = recorded();
    if !keeps_marks(&place) {
        return;
    }
    place.text("raw.parm", RAW);
    let vdbench = |words: &[&str]| {
        let base = ["vdbench", "-f", "raw.parm", "-o", "out"];
        place.plimsoll(&[&base[..], words].concat())
    };
    vdbench(&[]).ok();
    place.text("out/notes.txt", "mine");
    vdbench(&[]).ok();
    assert_eq!(bytes(&place.path("out/notes.txt")), b"mine");
    // An edited page, and one of another program.
    let page = place.path("out/totals.html");
    let edited = [&bytes(&page)[..], b"what I make of it\n"].concat();
    std::fs::write(&page, &edited).expect("edited");
    let done = vdbench(&[]);
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    done.warns(&["totals.html", "-o"]);
    assert_eq!(bytes(&page), edited);
    vdbench(&["--overwrite"]).ok();
    let mine = place.text("out/thesis.html", "mine");
    let done = vdbench(&[]);
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    vdbench(&["--overwrite"]).ok();
    assert_eq!(bytes(&mine), b"mine", "it has no page's name");
}

#[test]
fn a_folder_without_a_report_stays_as_it_is() {
    let place = TestFolder::new();
    place.text("raw.parm", RAW);
    std::fs::create_dir(place.path("output")).expect("a folder");
    let mine = place.text(
        "output/summary.html",
        "<title>Vdbench summary report</title><pre>",
    );
    let outside = place.text("outside", "mine");
    symlink(&outside, place.path("output/logfile.html")).expect("a link");
    let done = place.plimsoll("vdbench -f raw.parm");
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    done.warns(&["-o"]);
    let done = place.plimsoll("vdbench -f raw.parm --overwrite");
    assert_eq!(
        done.code, VDBENCH_FAILED,
        "a link is never written through: {done:#?}"
    );
    assert_eq!(bytes(&outside), b"mine");
    assert!(place.path("output/logfile.html").is_symlink());
    drop(mine);
    let list = place.text("list", "mine");
    let done = place.plimsoll("vdbench -f raw.parm -o list");
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    assert_eq!(bytes(&list), b"mine");
}

#[test]
fn a_record_that_vdbench_is_told_to_make_replaces_none() {
    let place = recorded();
    place.text("raw.parm", RAW);
    let before = bytes(&place.path("a.plim"));
    let words = typed("vdbench -f raw.parm -o out --record a.plim");
    let done = place.plimsoll(&words);
    assert_eq!(done.code, VDBENCH_FAILED, "{done:#?}");
    done.warns(&["a.plim exists already"]);
    assert_eq!(bytes(&place.path("a.plim")), before);
}

#[test]
fn a_report_folders_record_goes_with_its_report_and_no_other_record_does() {
    let place = recorded();
    if !keeps_marks(&place) {
        return;
    }
    place.text("raw.parm", RAW);
    let vdbench = |more: &[&str]| {
        let base = ["vdbench", "-f", "raw.parm", "-o", "out"];
        place.plimsoll(&[&base[..], more].concat())
    };
    let record = place.path("out/record.plim");
    vdbench(&[]).ok();
    // Who reads it changes nothing.
    place.plimsoll("show out/record.plim").ok();
    let first = bytes(&record);
    vdbench(&[]).ok();
    assert!(bytes(&record) != first, "it is the new run's");
    // Nor does anything else take it for a page.
    let run = "run null:1GiB -q --for 1s --record out/record.plim";
    place.plimsoll(run).refused(&["exists already"]);
    let changes: [&dyn Fn(); 3] = [
        &|| {
            let db = rusqlite::Connection::open(&record).expect("opens");
            let added =
                db.execute_batch("CREATE TABLE mine (what TEXT); INSERT INTO mine VALUES ('mine')");
            added.expect("added");
        },
        &|| drop(place.plimsoll(&format!("{run} --overwrite")).ok()),
        &|| {
            let copied = std::fs::copy(place.path("a.plim"), place.path("out/copied"));
            copied.expect("copied");
            std::fs::rename(place.path("out/copied"), &record).expect("renamed");
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        change();
        let [before, page] = [&record, &place.path("out/totals.html")].map(|path| bytes(path));
        let done = vdbench(&[]).exits(157);
        done.warns(&["record.plim", "--record", "--overwrite"]);
        assert!(bytes(&record) == before, "{number}");
        assert!(
            bytes(&place.path("out/totals.html")) == page,
            "{number}: the report was touched"
        );
        vdbench(&["--record", &format!("{number}.plim")]).ok();
        assert!(bytes(&record) == before, "{number}");
        vdbench(&["--overwrite"]).ok();
        vdbench(&[]).ok();
    }
}

#[test]
fn a_page_is_written_whole_and_again() {
    let place = recorded();
    if !has_page(&place) || !keeps_marks(&place) {
        return;
    }
    place.foreign("old.html", MIB);
    let run = typed("run null:1GiB -q --overwrite --record b.plim --html");
    place.quick(&[&run[..], &["old.html"]].concat()).ok();
    let text = String::from_utf8(bytes(&place.path("old.html"))).expect("text");
    assert!(text.contains("<html") && text.trim_end().ends_with("</html>"));
    place.plimsoll("report a.plim -o old.html").ok();
    assert_eq!(place.names(), ["a.plim", "b.plim", "old.html"]);
}

#[test]
fn an_edit_whose_time_was_put_back_is_seen_and_another_name_or_mode_is_none() {
    let place = recorded();
    if !keeps_marks(&place) {
        return;
    }
    let page = has_page(&place).then(|| typed("report a.plim -o page.html"));
    for words in page
        .into_iter()
        .chain([typed("export --csv a.plim -o a.csv")])
    {
        let path = place.path(words[words.len() - 1]);
        let (moved, hard) = (place.path("moved"), place.path("hard"));
        place.plimsoll(&words).ok();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("another mode");
        std::fs::rename(&path, &moved).expect("moved");
        std::fs::rename(&moved, &path).expect("moved back");
        std::fs::hard_link(&path, &hard).expect("a hard link");
        place.plimsoll(&words).ok();
        std::fs::remove_file(&hard).expect("removed");

        let time = path.metadata().and_then(|m| m.modified()).expect("a time");
        let file = File::options().write(true).open(&path).expect("opens");
        file.write_all_at(b"mine", 100).expect("written");
        file.set_modified(time).expect("its time");
        drop(file);
        let before = bytes(&path);
        place
            .plimsoll(&words)
            .refused(&["not as Plimsoll wrote it"]);
        assert!(bytes(&path) == before, "{words:?}: it was changed");
    }
}

#[test]
fn a_vdbench_run_that_is_refused_leaves_the_earlier_report() {
    let place = TestFolder::new();
    let run = "wd=w,sd=sd1,xfersize=4k,rdpct=0\nrd=r,wd=w,iorate=100,elapsed=2,interval=1\n";
    place.text("good.parm", &format!("sd=sd1,lun=null:1GiB\n{run}"));
    place.plimsoll("vdbench -f good.parm -o out").ok();
    let pages = || {
        let entries = std::fs::read_dir(place.path("out")).expect("a folder");
        let mut all: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                (path.clone(), std::fs::read(path).expect("readable"))
            })
            .collect();
        all.sort();
        all
    };
    let before = pages();
    place.foreign("precious", 1 << 20);
    place.text("bad.parm", &format!("sd=sd1,lun=./precious\n{run}"));
    let done = place.plimsoll("vdbench -f bad.parm -o out").exits(157);
    done.warns(&["precious: it holds data"]);
    assert!(pages() == before, "the report was touched");
    place.plimsoll("vdbench -f bad.parm -o new");
    assert!(!place.path("new").exists());
}
