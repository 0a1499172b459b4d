//! Files, includes, substitution and what the command line adds.

use plimsoll_dialects::vdbench::command_line::{self, CommandLineError, Output};
use plimsoll_dialects::vdbench::{self, Input, Overrides, Parsed, Refusal};
use std::path::PathBuf;
use tempfile::TempDir;

fn words(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect()
}

fn accepted(input: &Input) -> Parsed {
    vdbench::parse(input).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn refused(input: &Input) -> Refusal {
    *vdbench::parse(input).expect_err("it must be refused")
}

fn code(input: &Input) -> String {
    refused(input)
        .diagnostics
        .iter()
        .find(|d| d.is_error())
        .expect("an error")
        .code
        .clone()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    folder
}

const RUN: &str = "sd=s1,lun=null:1g\nwd=w1,sd=s1\nrd=r1,wd=w1,iorate=100,elapsed=4\n";

#[test]
fn several_files_are_read_as_one_and_includes_are_found_beside_their_file_or_above_it() {
    let folder = folder(&[
        ("jobs/a.parm", "include=disks\n"),
        (
            "jobs/b.parm",
            "include=work\nrd=r1,wd=w1,iorate=100,elapsed=4\n",
        ),
        ("jobs/disks", "sd=s1,lun=null:1g\n"),
        ("work", "wd=w1,sd=s1\n"),
    ]);
    let input = Input::files(["a.parm", "b.parm"].map(|f| folder.path().join("jobs").join(f)));
    assert_eq!(accepted(&input).runs.len(), 1);
}

#[test]
fn an_absent_include_names_the_places_that_were_tried() {
    let folder = folder(&[("a.parm", "include=nowhere\n")]);
    let refusal = refused(&Input::files([folder.path().join("a.parm")]));
    assert_eq!(refusal.diagnostics[0].code, "V0104");
    assert!(refusal.diagnostics[0].notes[0].contains("nowhere"));
}

#[test]
fn words_replace_both_signs_the_longest_first_and_leave_comments_alone() {
    let text = "* $unknown\nsd=s1,lun=null:$size\nsd=s2,lun=null:!sizes\nwd=w1,sd=*\nrd=r1,wd=w1,iorate=$n,elapsed=4\n";
    let input =
        Input::text("t", text).with_words(&words(&[("size", "1g"), ("sizes", "2g"), ("n", "7")]));
    let parsed = accepted(&input);
    assert_eq!(parsed.definition.storages[0].luns[0].path, "null:1g");
    assert_eq!(parsed.definition.storages[1].luns[0].path, "null:2g");
}

#[test]
fn a_word_that_replaces_nothing_and_a_place_without_a_word_are_errors() {
    let unused = Input::text("t", RUN).with_words(&words(&[("size", "1g")]));
    assert_eq!(code(&unused), "V0110");
    let missing = Input::text("t", RUN.replace("iorate=100", "iorate=$rate"));
    assert_eq!(code(&missing), "V0111");
}

#[test]
fn a_complaint_about_a_replaced_word_points_to_its_place_in_the_file() {
    let text = RUN.replace("iorate=100", "iorate=$rate");
    let refusal = refused(&Input::text("t", text).with_words(&words(&[("rate", "fast")])));
    let label = &refusal.diagnostics[0].labels[0];
    let source = &refusal.sources.get(label.span.file).text;
    assert_eq!(
        &source[label.span.start as usize..label.span.end as usize],
        "$rate"
    );
}

#[test]
fn the_command_line_overrides_times_and_adds_to_every_run() {
    let mut input = Input::text("t", RUN);
    input.overrides = Overrides {
        elapsed: Some(20.0),
        warmup: Some(5.0),
        interval: Some(5.0),
    };
    input.appended = vec!["threads=(1,2)".to_string(), "pause=3".to_string()];
    let parsed = accepted(&input);
    let lines = parsed.simulate().lines;
    assert_eq!(
        lines[1],
        "Simulating RD=r1; I/O rate: 100; elapsed=20 warmup=5; For loops: threads=2"
    );
    assert_eq!(parsed.definition.runs[0].pause, 3.0);
}

fn args(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

#[test]
fn vdbench_flags_are_read_joined_or_apart() {
    let invocation = command_line::parse(&args(
        "-f a.parm b.parm -o out+ -e30 -w 5 -i 1 -s -mb dev=/dev/x + threads=4",
    ));
    let invocation = invocation.expect("valid");
    assert_eq!(invocation.files, ["a.parm", "b.parm"].map(PathBuf::from));
    assert_eq!(invocation.output, Output::Next("out".into()));
    assert!(invocation.simulate && invocation.decimal_megabytes && invocation.refused.is_empty());
    assert_eq!(
        invocation.overrides,
        Overrides {
            elapsed: Some(30.0),
            warmup: Some(5.0),
            interval: Some(1.0)
        }
    );
    assert_eq!(invocation.words, words(&[("dev", "/dev/x")]));
    assert_eq!(invocation.appended, ["threads=4"]);
    assert_eq!(
        command_line::parse(&args("-fparmfile -s"))
            .expect("valid")
            .files,
        ["parmfile"].map(PathBuf::from)
    );
    assert_eq!(
        command_line::parse(&args("-s -o r.tod"))
            .expect("valid")
            .output,
        Output::TimeOfDay("r".into())
    );
}

#[test]
fn what_cannot_be_done_is_refused_by_name_and_what_has_no_effect_is_ignored_by_name() {
    let invocation =
        command_line::parse(&args("-f p -jrn -vr -l 3 -r rd2 -cy -m 4 -p 5571 -k -d 27"))
            .expect("valid");
    let refused: Vec<&str> = invocation
        .refused
        .iter()
        .map(|(flag, _)| flag.as_str())
        .collect();
    assert_eq!(refused, ["-jrn", "-vr", "-l 3", "-r rd2", "-cy"]);
    let ignored: Vec<&str> = invocation
        .ignored
        .iter()
        .map(|(flag, _)| flag.as_str())
        .collect();
    assert_eq!(ignored, ["-m 4", "-p 5571", "-k", "-d 27"]);
}

#[test]
fn a_command_line_that_is_not_vdbench_s_is_an_error() {
    let error = |line: &str| command_line::parse(&args(line)).expect_err("it must be refused");
    assert!(matches!(error("-f p -x"), CommandLineError::Unknown { .. }));
    assert!(matches!(error("-f"), CommandLineError::Value(_)));
    assert!(matches!(
        error("-f p -e soon"),
        CommandLineError::Number { .. }
    ));
    assert!(matches!(error("compare a b"), CommandLineError::Verb(_)));
    assert!(matches!(error("-s stray"), CommandLineError::Stray(_)));
}

#[test]
fn the_quick_test_is_a_definition_of_its_own() {
    let invocation = command_line::parse(&args("-t -o out")).expect("valid");
    let parsed = accepted(&invocation.input());
    assert_eq!(parsed.runs.len(), 1);
    let lowered = parsed.plan().expect("it can be run");
    assert_eq!(
        lowered.plan.targets[0].location.text(),
        "/tmp/quick_vdbench_test"
    );
}

#[test]
fn a_question_mark_without_quotes_is_dropped_with_a_warning_and_stays_in_quotes() {
    let text = |lun: &str| {
        format!(
            "sd=s1,lun={lun},size=1g\n{}",
            RUN.split_once('\n').expect("lines").1
        )
    };
    let of = |lun: &str| {
        let folder = folder(&[("a.parm", &text(lun))]);
        accepted(&Input::files([folder.path().join("a.parm")]))
    };
    let location = |parsed: &Parsed| parsed.definition.storages[0].luns[0].path.clone();
    let bare = of("/data/a?b");
    assert_eq!(location(&bare), "/data/ab");
    let messages: Vec<_> = bare.warnings.iter().map(|d| d.message.clone()).collect();
    assert!(
        messages.iter().any(|m| m.contains("`?` is dropped")),
        "{messages:?}"
    );
    let quoted = of("\"/data/a?b\"");
    assert_eq!(location(&quoted), "/data/a?b");
    let messages: Vec<_> = quoted.warnings.iter().map(|d| d.message.clone()).collect();
    assert!(!messages.iter().any(|m| m.contains("`?`")), "{messages:?}");
}

#[test]
fn a_run_gives_its_trees_numbers_which_differ_from_run_to_run_where_it_makes_them() {
    let with = |second: &str| {
        format!(
            "fsd=f,anchor=/t,depth=1,width=1\nfwd=w,fsd=f,operation=read\n\
             rd=default,fwd=w,fwdrate=max,depth=2,width=3,files=5,sizes=64k,elapsed=2\nrd=a\nrd=b{second}\n"
        )
    };
    let read = |text: String| {
        let parsed = vdbench::parse(&Input::text("t", &text)).unwrap_or_else(|r| panic!("{r}"));
        parsed.plan()
    };
    let plan = read(with("")).unwrap_or_else(|e| panic!("{e:?}")).plan;
    let tree = plan.targets[0].location.tree().expect("a tree");
    assert_eq!((tree.depth, tree.width, tree.files), (2, 3, 5));
    assert_eq!(
        tree.sizes,
        plimsoll_plan::FileSizes::Fixed(plimsoll_plan::Bytes(64 << 10))
    );
    let errors = read(with(",sizes=32k")).expect_err("another size");
    let says = "its anchor has sizes=64k since rd=a, and rd=b wants sizes=32k";
    assert!(errors[0].message.contains(says), "{errors:?}");
    // Operations of the run are none of its format's.
    let plan = read(with(",sizes=32k,operation=write,format=yes"));
    let plan = plan.unwrap_or_else(|e| panic!("{e:?}")).plan;
    let names: Vec<&str> = plan.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["f", "f (sizes=32k)"]);
    let used: Vec<u32> = plan.steps().map(|s| s.streams[0].target.0).collect();
    assert_eq!(used, [0, 1, 1]);
}
