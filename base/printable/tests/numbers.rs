//! What numbers look like, from the table that the test of the HTML page's `format.ts` reads, too.

use plimsoll_printable::human;
use serde_json::Value;

fn cases(kind: &str) -> Vec<(f64, String)> {
    let all: Value = serde_json::from_str(include_str!("numbers.json")).expect("JSON");
    let case = |case: &Value| {
        let value = case[0].as_f64().expect("a number");
        (value, case[1].as_str().expect("a text").to_owned())
    };
    let cases: Vec<_> = all[kind].as_array().expect(kind).iter().map(case).collect();
    assert!(!cases.is_empty());
    cases
}

#[test]
fn numbers_look_as_the_table_says() {
    type Format = fn(f64) -> String;
    let formats: [(&str, Format); 6] = [
        ("count", |v| human::count(v as u64)),
        ("rate", human::rate),
        ("number", human::number),
        ("percent", human::percent),
        ("time_ns", human::time),
        ("bytes", |v| human::bytes(v as u64)),
    ];
    for (kind, format) in formats {
        for (value, text) in cases(kind) {
            assert_eq!(format(value), text, "{kind} {value}");
        }
    }
}
