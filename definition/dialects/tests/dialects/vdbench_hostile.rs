//! Nothing that is given to the Vdbench reader makes it panic, or keeps it busy.

use plimsoll_dialects::vdbench::{self, Input};
use proptest::prelude::*;
use std::fmt::Write;

/// Reads, simulates and plans. What comes of it does not matter here; a refusal has at least one error.
fn read(text: &str) {
    match vdbench::parse(&Input::text("hostile", text)) {
        Ok(parsed) => {
            parsed.simulate();
            let _ = parsed.plan();
        }
        Err(refusal) => {
            assert!(refusal.diagnostics.iter().any(|d| d.is_error()), "{text:?}");
            let _ = refusal.to_string();
        }
    }
}

fn refused_with(text: &str, code: &str) {
    let refusal = vdbench::parse(&Input::text("hostile", text)).expect_err("it must be refused");
    let codes: Vec<&str> = refusal
        .diagnostics
        .iter()
        .map(|d| d.code.as_str())
        .collect();
    assert!(codes.contains(&code), "{codes:?}");
}

const RUNS: &str = "sd=s1,lun=null:1g\nwd=w1,sd=s1\n";

#[test]
fn binary_garbage_is_no_parameter_file() {
    refused_with("sd=s1\0lun", "V0103");
    refused_with("\u{1}\u{2}\u{7f}ELF", "V0125");
}

#[test]
fn words_are_refused_after_some_and_more_than_half_a_million_lines_are_not_read() {
    refused_with(&"garbage\n".repeat(400_000), "V0125");
    refused_with(&"garbage\n".repeat(1_250_000), "V0102");
}

#[test]
fn ten_megabytes_on_one_line_are_refused() {
    read(&"a".repeat(10_000_000));
    read(&"(".repeat(10_000_000));
    read(&"( ".repeat(5_000_000));
    read(&"\"".repeat(10_000_001));
    read(&format!("sd={}", "x,".repeat(5_000_000)));
    read(&format!("sd=({})", "x ".repeat(300_000)));
}

#[test]
fn ten_megabytes_of_definitions_are_read_or_refused() {
    let mut many = String::new();
    for n in 0..90_000 {
        let _ = writeln!(
            many,
            "sd=s{n},lun=null:1g,threads=4,size=512m,openflags=o_direct,hitarea=1m,align=4096,offset=4096,range=(10,90)"
        );
    }
    many.push_str("wd=w1,sd=*\nrd=r1,wd=w1,iorate=max,elapsed=4\n");
    read(&many);
}

#[test]
fn products_of_lists_are_refused_before_they_are_made() {
    for list in ["(1-1000000000,1)", "(1-99999,1)", "(1-9999,1)"] {
        let loops =
            ["forthreads", "forxfersize", "forhitarea", "fordepth"].map(|l| format!(",{l}={list}"));
        read(&format!(
            "{RUNS}rd=r1,wd=w1,iorate={list},elapsed=4{}",
            loops.concat()
        ));
    }
    refused_with(
        &format!("{RUNS}rd=r1,wd=w1,iorate=(1-90000,1),elapsed=4,forthreads=(1-90000,1)"),
        "V0102",
    );
}

#[test]
fn names_and_counts_without_bounds_are_refused() {
    refused_with(
        &format!("{RUNS}rd=r1,wd=(w1-w99999999999),iorate=max,elapsed=4"),
        "V0102",
    );
    read(
        "sd=s,lun=/x,count=(1,999999)\nsd=t,lun=/y,count=(1,999999)\nwd=w,sd=*\nrd=r,wd=w,iorate=max,elapsed=4,sd=range",
    );
    read("hd=h,system=x,clients=4000000000\nsd=s$host,lun=x\n");
    refused_with(
        &format!(
            "hd=h,clients=3000000\n{}",
            "sd=s$host,lun=x,host=$host\n".repeat(3)
        ),
        "V0102",
    );
}

#[test]
fn a_default_that_is_copied_often_stays_within_the_budget() {
    let long = (0..20_000)
        .map(|n| format!("x{n}"))
        .collect::<Vec<_>>()
        .join(",");
    let mut text = format!("sd=s1,lun=null:1g\nwd=default,sd=({long})\n");
    for n in 0..20_000 {
        let _ = writeln!(text, "wd=w{n}");
    }
    refused_with(&text, "V0102");
}

#[test]
fn nesting_is_flat() {
    let deep = format!(
        "{RUNS}rd=r1,wd={}w1{},iorate=max,elapsed=4",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    read(&deep);
}

#[test]
fn an_include_of_itself_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("self.parm");
    std::fs::write(&path, "include=self.parm\n").expect("written");
    let refusal = vdbench::parse(&Input::files([path])).expect_err("it must be refused");
    assert_eq!(refusal.diagnostics[0].code, "V0104");
}

/// Words that the language knows, with bars between them, so that random texts get past its first checks.
const WORDS: &str = "sd=s1|sd=default|sd=(s1-s9)|wd=w1|wd=*|rd=r1|rd=default|fsd=f1|fwd=x1|fwd=format|hd=h1|hd=default|rg=g|lun=null:1g|\
lun=x*|count=(1,3)|anchor=/a|iorate=max|iorate=curve|iorate=50%|iorate=(1-9,d)|iorate=(1,2)|fwdrate=max|elapsed=4|\
elapsed=1h|interval=1|warmup=2|skew=50|xfersize=(4k,50,8k,50)|xfersize=4k|seekpct=(poisson,3)|seekpct=eof|rdpct=0|\
range=(0,50)|hotband=(10,20)|stride=(4k,8k)|streams=2|threads=2|priority=1|forrdpct=(0,100)|sd=single|sd=setsof2|\
format=(restart,only)|operations=(read,write)|openflags=o_direct|startcmd=(\"a b\",cons)|maxdata=2|dedupratio=2|\
dedupunit=4k|concatenatesds=yes|formatsds=yes|distribution=variable|,|,|,|\n|\n| |$host|\"";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,400}") {
        read(&text);
    }

    #[test]
    fn any_bytes_of_ascii_are_read_or_refused(text in "[ -~\\t\\n]{0,300}") {
        read(&text);
    }

    #[test]
    fn any_sequence_of_known_words_is_read_or_refused(
        words in prop::collection::vec(prop::sample::select(WORDS.split('|').collect::<Vec<_>>()), 0..60),
        separator in prop::sample::select(vec!["", ",", "\n"]),
    ) {
        read(&words.join(separator));
        read(&format!("{RUNS}rd=r1,{}", words.join(separator)));
    }

    #[test]
    fn a_valid_file_with_a_few_bytes_changed_is_read_or_refused(
        at in prop::collection::vec(0usize..200, 1..4),
        with in "[ -~\\t\\n]{4}",
    ) {
        let mut text: Vec<char> = format!(
            "{RUNS}wd=w2,sd=s*,xfersize=(4k,50,8k,50),skew=30,seekpct=50\nrd=r1,wd=*,iorate=(100-500,100),forthreads=(1-8,d),elapsed=10,interval=2\nrd=r2,wd=w1,iorate=curve,curve=(50,90)\n"
        ).chars().collect();
        for (at, c) in at.iter().zip(with.chars()) {
            let at = at % text.len();
            text[at] = c;
        }
        read(&text.into_iter().collect::<String>());
    }
}
