//! Reading records: show, export, compare, report; and what packagers generate.

use crate::place::TestFolder;

/// A place with a record of a quick run in it.
fn recorded(name: &str) -> TestFolder {
    let place = TestFolder::new();
    place
        .quick(&format!("run null:1GiB -q --rate 2000 --record {name}"))
        .ok();
    place
}

#[test]
fn show_prints_what_the_run_printed() {
    let place = TestFolder::new();
    let run = place
        .quick("run null:1GiB --rate 2000 --record a.plim")
        .ok();
    let shown = place.plimsoll("show a.plim").ok();
    let summary = run
        .out
        .lines()
        .find(|l| l.starts_with("run "))
        .expect("a summary");
    shown.says(&[summary]);
    assert!(!shown.out.contains("intvl"), "{shown:#?}");
    let all = place.plimsoll("show a.plim --intervals").ok();
    assert_eq!(
        all.out
            .lines()
            .filter(|l| crate::underway::interval_number(l).is_some())
            .count(),
        3
    );
    assert_eq!(place.names(), ["a.plim"], "reading leaves nothing behind");
}

#[test]
fn show_json_is_the_document_of_the_run() {
    let place = TestFolder::new();
    let run = place
        .quick("run null:1GiB --rate 2000 --json --record a.plim")
        .ok()
        .json();
    let shown = place.plimsoll("show --json a.plim").ok().json();
    crate::measuring::assert_valid(&shown);
    assert_eq!(run, shown);
}

#[test]
fn exports_hold_every_step_and_interval() {
    let place = recorded("a.plim");
    let steps = place.plimsoll("export --csv a.plim").ok();
    assert_eq!(steps.out.lines().count(), 2);
    let rows = place.plimsoll("export --csv --rows intervals a.plim").ok();
    // The heading, three intervals, and what was followed after the end where something was out then.
    assert!((4..=5).contains(&rows.out.lines().count()), "{rows:#?}");
    assert!(rows.out.starts_with("name,step,interval,"), "{rows:#?}");
    let document = place.plimsoll("export --json a.plim").ok().json();
    assert_eq!(document["status"], "completed");
    let hdr = place.plimsoll("export --hdr a.plim").ok();
    hdr.says(&["HISTFAAAA"]);
    place.plimsoll("export --hdr a.plim -o a.hlog").ok();
    assert_eq!(
        std::fs::read_to_string(place.path("a.hlog")).expect("written"),
        hdr.out
    );
    let points = place.plimsoll("export --influx a.plim a.plim").ok();
    let is_point = |l: &&str| l.starts_with("plimsoll_interval,record=a.plim,step=run,phase=");
    assert_eq!(
        points.out.lines().filter(is_point).count(),
        2 * (rows.out.lines().count() - 1)
    );
    place.plimsoll("export a.plim").refused(&["--csv"]);
    place
        .plimsoll("export --csv --json a.plim")
        .refused(&["cannot be used"]);
}

#[test]
fn mistakes_in_a_comparison_are_named() {
    let place = recorded("a.plim");
    place.plimsoll("compare a.plim a.plim").ok();
    for line in ["compare a.plim", "compare a.plim a.plim a.plim"] {
        place.plimsoll(line).refused(&["A.plim... -- B.plim..."]);
    }
    place
        .plimsoll("compare a.plim -- a.plim --fail-if 'iops < -3%'")
        .refused(&["--fail-if", "before the records"]);
}

#[test]
fn a_report_is_one_page_or_the_way_to_get_one() {
    let place = recorded("a.plim");
    let done = place.plimsoll("report a.plim -o a.html");
    if done.code == Some(2) {
        // Built without the viewer: the error says how to have it.
        done.refused(&["make"]);
        return;
    }
    let page = std::fs::read_to_string(place.path("a.html")).expect("written");
    assert!(page.contains("<html"));
    done.ok();
    place
        .plimsoll("report a.plim -o no/folder/a.html")
        .refused(&["no/folder/a.html"]);
    let both = place
        .quick("run null:1GiB -q --html b.html --record b.plim")
        .ok();
    assert!(both.err.contains("b.html") && place.path("b.html").exists());
}

#[test]
fn man_pages_and_completions_come_from_the_command_line_itself() {
    let place = TestFolder::new();
    place.plimsoll("generate man man").ok();
    place.plimsoll("generate completions completions").ok();
    let page = std::fs::read_to_string(place.path("man/plimsoll-run.1")).expect("written");
    assert!(page.contains("\\-\\-destroy"));
    for name in ["plimsoll.bash", "_plimsoll", "plimsoll.fish"] {
        let text = std::fs::read_to_string(place.path("completions").join(name)).expect("written");
        assert!(text.contains("destroy"), "{name}");
    }
    place.plimsoll("generate rules rules").ok();
    let page = std::fs::read_to_string(place.path("rules/PL012.md")).expect("written");
    // On a terminal its lines are wrapped.
    let words = |text: &str| {
        text.split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let explained = place.plimsoll("explain PL012").ok().out;
    assert_eq!(words(&explained), words(&page));
}

#[test]
fn a_folders_records_are_listed_with_tag_note_and_answer() {
    let place = recorded("a.plim");
    place
        .quick("run null:1GiB -q --record b.plim --title night --tag after --note 'new cables'")
        .ok();
    place.plimsoll("records").ok().says(&["a.plim", "b.plim"]);
    let tagged = place.plimsoll("records --tag after").ok();
    tagged.says(&[
        "[after]",
        "new cables",
        "I/Os per second",
        "trusted as a burst",
    ]);
    assert!(!tagged.out.contains("a.plim"), "{tagged:#?}");
    let json = place.plimsoll("records --json").ok().json();
    assert_eq!(json.as_array().map(Vec::len), Some(2));
    assert_eq!([&json[1]["method"], &json[1]["title"]], ["run", "night"]);
    place.text("c.plim", "no record");
    place.plimsoll("records").ok().warns(&["c.plim"]);
}

#[test]
fn several_records_are_exported_as_one_table_with_a_column_for_the_record() {
    let place = recorded("a.plim");
    let csv = place.plimsoll("export a.plim a.plim --csv").ok().out;
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("record,step,"), "{csv}");
    assert!(rows[1..].iter().all(|r| r.starts_with("a.plim,")), "{csv}");
    let alone = place.plimsoll("export a.plim --csv").ok().out;
    assert_eq!(rows.len() - 1, 2 * (alone.lines().count() - 1));
    place
        .plimsoll("export a.plim a.plim --json")
        .refused(&["--csv, --parquet or --influx"]);
    place
        .plimsoll("export a.plim a.plim --parquet --rows steps -o a.parquet")
        .ok();
    let file = std::fs::read(place.path("a.parquet")).expect("written");
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
}

#[test]
fn rows_of_a_method_are_refused_where_there_is_none_and_a_lun_may_be_named_to_be_destroyed() {
    let place = TestFolder::new();
    let lun = "lab:single-ssd?size=64m";
    let words = format!("run '{lun}' --destroy '{lun}' --for 1s --record r.plim -q");
    place.plimsoll(&words).ok();
    for rows in ["figures", "cells", "points"] {
        let done = place.plimsoll(&["export", "--csv", "--rows", rows, "r.plim"]);
        done.refused(&["r.plim is of no method", "--rows steps"]);
    }
    place.plimsoll("export --csv --rows findings r.plim").ok();
}
