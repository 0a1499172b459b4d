//! What a method answers, in every output.

use crate::browser::after_its_scripts;
use crate::place::{Done, TestFolder, holds, typed};
use serde_json::Value;

/// A short campaign on a simulated array; `more` flags.
fn saturate(place: &TestFolder, more: &[&str]) -> Done {
    let words = typed("saturate lab:curve-8k?size=64m --reads 100 --blocks 8k,64k --seed 7");
    place.quick(&[&words[..], more].concat())
}

fn verdict(document: &Value) -> &Value {
    let verdict = &document["verdicts"][0];
    assert_eq!(verdict["kind"], "method", "{document}");
    verdict
}

fn length(of: &Value) -> usize {
    of.as_array().map_or(0, Vec::len)
}

#[test]
fn an_answer_is_the_same_in_every_output() {
    let place = TestFolder::new();
    let run = saturate(&place, &["--json", "--record", "a.plim"])
        .ok()
        .json();
    crate::measuring::assert_valid(&run);
    let shown = place.plimsoll("show --json a.plim").ok().json();
    assert_eq!(run, shown);
    let answer = verdict(&run);
    assert_eq!(answer["decided"], true, "{answer}");
    let sentence = answer["sentence"].as_str().expect("a sentence");

    let text = place.plimsoll("show a.plim").ok().out;
    holds!(text, &format!("\nSaturate: complete\n{sentence}\n"));
    let figures = answer["figures"].as_array().expect("figures");
    assert!(!figures.is_empty());
    for figure in figures {
        let label = figure["label"].as_str().expect("a label");
        assert!(text.contains(label), "{label} is missing: {text}");
    }
    // A chart of lines: its scale below, its signs named.
    holds!(
        text,
        "(logarithmic) against transfer size (logarithmic): ● full"
    );

    let rows = |of: &str| -> Vec<String> {
        let done = place
            .plimsoll(&format!("export --csv --rows '{of}' a.plim"))
            .ok();
        done.out.lines().skip(1).map(String::from).collect()
    };
    assert_eq!(rows("figures").len(), figures.len());
    let rate = figures[0]["quantity"]["value"].as_f64().expect("a rate");
    assert!(
        rows("figures")[0].contains(&format!(",{rate},per_second,")),
        "{:?}",
        rows("figures")
    );
    let tables = answer["tables"].as_array().expect("tables");
    let cells = tables
        .iter()
        .map(|t| length(&t["columns"]) * length(&t["rows"]));
    assert_eq!(rows("cells").len(), cells.sum::<usize>());
    let charts = answer["charts"].as_array().expect("charts");
    let series = charts
        .iter()
        .flat_map(|c| c["series"].as_array().expect("series"));
    let points: usize = series.map(|s| length(&s["points"])).sum();
    assert!(points > 0);
    assert_eq!(rows("points").len(), points);

    place.plimsoll("report a.plim -o a.html").ok();
    let Some(page) = after_its_scripts(&place.path("a.html")) else {
        return;
    };
    for part in [
        "What it carries at each depth",
        "id=\"figures-1\"",
        "id=\"table-1-1\"",
        "id=\"chart-1-2\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.matches("<canvas").count() >= charts.len() + 3);
}

#[test]
fn a_question_that_was_not_answered_ends_with_3_and_says_so() {
    let place = TestFolder::new();
    // The rate still grows at a depth of 4.
    let flags = ["--depth", "4", "--record", "a.plim"];
    let done = saturate(&place, &flags).exits(3);
    done.says(&["Saturate: depth-short (not decided)"]);
    let last = done.err.lines().last().unwrap_or_default();
    assert_eq!(
        last,
        "undecided: the question of saturate could not be answered, as its verdict says"
    );
    let json = saturate(&place, &["--depth", "4", "--no-record", "--json"]).exits(3);
    let document = json.json();
    crate::measuring::assert_valid(&document);
    assert_eq!(document["status"], "completed");
    assert_eq!(verdict(&document)["decided"], false);
    // To look at it is no failure.
    let shown = place.plimsoll("show a.plim").ok();
    shown.says(&["(not decided)"]);

    // What it found is in all that has findings, once.
    let found = document["findings"].as_array().expect("findings");
    let limits = found.iter().filter(|f| f["rule"] == "depth-at-limit");
    assert_eq!(limits.count(), 2, "{found:?}");
    let rows = place.plimsoll("export --csv --rows findings a.plim").ok();
    assert_eq!(
        rows.out.matches(",depth-at-limit,suspect,").count(),
        2,
        "{rows:#?}"
    );
    let db = rusqlite::Connection::open(place.path("a.plim")).expect("a record");
    let count: i64 = db
        .query_row(
            "SELECT count(*) FROM findings WHERE rule = 'depth-at-limit'",
            [],
            |row| row.get(0),
        )
        .expect("a count");
    assert_eq!(count, 2);
}

#[test]
fn a_comparison_has_what_methods_said_of_their_answers() {
    let place = TestFolder::new();
    for name in ["a.plim", "b.plim"] {
        saturate(&place, &["--depth", "4", "--record", name]).exits(3);
    }
    let words = ["compare", "a.plim", "--", "b.plim"];
    let text = place.plimsoll(&words).ok().out;
    let expected = "A in 1 of 1, B in 1 of 1: saturate: ";
    assert!(text.contains(expected), "{text}");
    let words = ["compare", "--html", "c.html", "a.plim", "--", "b.plim"];
    place.plimsoll(&words).ok();
    let page = std::fs::read_to_string(place.path("c.html")).expect("a page");
    assert!(page.contains("saturate: "), "{page}");
}

#[test]
fn a_curves_doubts_are_findings_with_values_once_each() {
    let place = TestFolder::new();
    let words = ["curve", "lab:curve-8k?size=64m", "--depth", "8"];
    let words = [&words[..], &["--percents", "10,50", "--record", "a.plim"]].concat();
    place.quick(&words).ok();
    let document = place.plimsoll("show --json a.plim").ok().json();
    crate::measuring::assert_valid(&document);
    let found = document["findings"].as_array().expect("findings");
    let given: Vec<&Value> = found
        .iter()
        .filter(|f| f["rule"] == "curve-depth-given")
        .collect();
    let [given] = given[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        given["values"],
        serde_json::json!([{ "name": "slots", "quantity": { "unit": "count", "value": 8 } }])
    );
    let notes = document["verdicts"][0]["notes"].as_array().expect("notes");
    assert!(notes.contains(&given["message"]), "{notes:?}");
}
