//! What people see.

use plimsoll_diagnostic::{Diagnostic, FileId, Sources, Span, render};

fn place(sources: &Sources, file: FileId, word: &str) -> Span {
    let at = sources
        .get(file)
        .text
        .find(word)
        .expect("the word is in the text");
    Span::new(file, at..at + word.len())
}

fn one(text: &str) -> (Sources, FileId) {
    let mut sources = Sources::default();
    let file = sources.add("work.toml", text);
    (sources, file)
}

#[test]
fn an_error_shows_the_line_the_cause_and_the_corrected_line() {
    let (sources, file) = one("[[run]]\nload = \"max\"\nwarmpu = \"5s\"\n");
    let span = place(&sources, file, "warmpu");
    let diagnostic = Diagnostic::error("unknown-key", "a run has no key `warmpu`")
        .at(span, "not known here")
        .note("a run's keys are load, for, warmup")
        .help("`warmup` is near")
        .patch(span, "warmup");
    insta::assert_snapshot!(render(&diagnostic, &sources, false));
}

#[test]
fn two_places_in_two_files_are_both_shown() {
    let mut sources = Sources::default();
    let a = sources.add("a.parm", "sd=sd1,lun=/dev/x\n");
    let b = sources.add("<command line>", "sd=sd1");
    let diagnostic = Diagnostic::warning("twice", "`sd1` is defined twice")
        .at(place(&sources, b, "sd1"), "this one wins")
        .at(place(&sources, a, "sd1"), "first defined here")
        .help("rename one of them");
    insta::assert_snapshot!(render(&diagnostic, &sources, false));
}

#[test]
fn tabs_and_carriage_returns_keep_the_underline_in_place() {
    let (sources, file) = one("a = 1\r\n\tb\t= bad\r\nc = 3\r\n");
    let diagnostic = Diagnostic::error("bad", "no").at(place(&sources, file, "bad"), "here");
    insta::assert_snapshot!(render(&diagnostic, &sources, false));
}

#[test]
fn the_place_in_a_cut_line_is_the_true_one() {
    let text = format!(
        "x = 1\ny = \"{}\" wrong = {}\n",
        "a".repeat(5_000_000),
        "b".repeat(5_000_000)
    );
    let (sources, file) = one(&text);
    let diagnostic = Diagnostic::error("bad", "no").at(place(&sources, file, "wrong"), "here");
    insta::assert_snapshot!(render(&diagnostic, &sources, false));
}

#[test]
fn replaced_bytes_and_control_characters_do_not_reach_the_terminal() {
    let text = String::from_utf8_lossy(b"a = \xff\xfe\x1b[31m \x00 oops").into_owned();
    let (sources, file) = one(&text);
    let diagnostic = Diagnostic::error("bad", format!("no {text}"))
        .at(place(&sources, file, "oops"), "here")
        .help(text.clone());
    let drawn = render(&diagnostic, &sources, false);
    assert!(!drawn.contains(['\u{1b}', '\0']), "{drawn}");
}

#[test]
fn a_complaint_without_a_place_and_one_with_a_lost_place_are_drawn_too() {
    let (sources, _) = one("x");
    let lost = Span::new(FileId(9), 3..5);
    let diagnostic = Diagnostic::error("bad", "no")
        .at(lost, "nowhere")
        .patch(lost, "z");
    assert_eq!(render(&diagnostic, &sources, false), "error[bad]: no");
}

#[test]
fn colour_comes_only_when_asked() {
    let (sources, file) = one("x");
    let diagnostic = Diagnostic::error("bad", "no").at(place(&sources, file, "x"), "here");
    assert!(render(&diagnostic, &sources, true).contains("\u{1b}["));
    assert!(!render(&diagnostic, &sources, false).contains("\u{1b}["));
}
