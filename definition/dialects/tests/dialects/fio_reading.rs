//! What fio's grammar makes of a text: the expectations are what fio 3.33 does with the same text.

use plimsoll_diagnostic::{Diagnostic, Sources, render};
use plimsoll_dialects::fio::{self, HostFacts, Input, Lowered, Text};
use plimsoll_plan::{Bytes, SizeSpec, Step};

fn planned(input: &Input) -> Result<(Lowered, String), String> {
    let parsed = fio::parse(input).map_err(|r| r.to_string())?;
    let shown = |list: &[Diagnostic], sources: &Sources| -> String {
        list.iter()
            .map(|d| render(d, sources, false) + "\n")
            .collect()
    };
    let warnings = shown(&parsed.warnings, &parsed.sources);
    let lowered = parsed
        .plan()
        .map_err(|errors| shown(&errors, &parsed.sources))?;
    let warnings = warnings + &shown(&lowered.warnings, &parsed.sources);
    Ok((lowered, warnings))
}

fn plan(text: &str) -> (Lowered, String) {
    planned(&Input::text("a.fio", text)).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str) -> String {
    let input = Input::text("a.fio", text);
    planned(&input).map_or_else(|e| e, |_| panic!("accepted: {text}"))
}

fn steps(lowered: &Lowered) -> Vec<&Step> {
    lowered.plan.steps().collect()
}

fn block(lowered: &Lowered) -> u64 {
    match steps(lowered)[0].streams[0].size {
        SizeSpec::Fixed(Bytes(bytes)) => bytes,
        ref other => panic!("{other:?}"),
    }
}

const NULL: &str = "[global]\nioengine=null\nsize=1g\n";

#[test]
fn comments_begin_anywhere_and_what_is_written_last_counts() {
    let text = "; a comment\n  [global] # rw=write\nioengine=null ; not libaio\n size=1g\nbs=4k\n\n\
                [globals]\nbs=16k\n[a]\n[b]\nbs=8k\nbs=32k#64k\n";
    let (lowered, _) = plan(text);
    let streams = &steps(&lowered)[0].streams;
    let sizes: Vec<u64> = streams.iter().map(|s| s.size.max().0).collect();
    // A header that begins with the six letters is a global one, too.
    assert_eq!(sizes, [16 << 10, 32 << 10]);
    let names: Vec<&str> = streams.iter().map(|s| s.workload.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn file_names_add_up_and_that_is_said() {
    let text =
        "[global]\nfilename=a\nsize=1m\ndirect=1\n[x]\nfilename=b\nrw=randread\nnorandommap\n";
    let (lowered, warnings) = plan(text);
    assert_eq!(lowered.plan.targets[0].location.text(), "a + b");
    assert!(
        warnings.contains("F0142") && warnings.contains("a.fio:6:1"),
        "{warnings}"
    );
    // `\:` belongs to a name, and `:` parts names.
    let (lowered, _) = plan("[x]\nfilename=a\\:b\nsize=1m\n");
    assert_eq!(lowered.plan.targets[0].location.text(), "a:b");
}

#[test]
fn variables_and_keywords_are_replaced() {
    let mut input = Input::text(
        "a.fio",
        &format!("{NULL}[x]\nbs=${{BS}}\n${{CLONES}}\ngroup_reporting\n"),
    );
    // A variable may hold an option whole.
    let given = [("BS", "8k"), ("CLONES", "numjobs=$ncpus*2")];
    input.environment = given.map(|(n, v)| (n.to_string(), v.to_string())).into();
    input.host = HostFacts {
        cpus: 3,
        ..HostFacts::default()
    };
    let (lowered, _) = planned(&input).expect("a plan");
    assert_eq!(block(&lowered), 8192);
    assert_eq!(steps(&lowered)[0].streams.len(), 6);
    input.environment.clear();
    let none = planned(&input).expect_err("no size");
    assert!(none.contains("`bs` has no value"), "{none}");
    let (_, warnings) = plan(&format!("{NULL}[x]\nbs=4${{GONE}}k\n"));
    assert!(warnings.contains("GONE is not set"), "{warnings}");
}

#[test]
fn included_files_hold_options_where_they_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
        folder.path().join(name)
    };
    file("common", "bs=64k\nioengine=null\nsize=1g\n");
    let job = file(
        "a.fio",
        "[x]\nbs=4k\ninclude common\n[y]\nioengine=null\nsize=1g\n",
    );
    let (lowered, _) = planned(&Input::files([job])).expect("a plan");
    let sizes =
        |l: &Lowered| -> Vec<u64> { steps(l)[0].streams.iter().map(|s| s.size.max().0).collect() };
    assert_eq!(sizes(&lowered), [64 << 10, 4096]);
    file("common", "[z]\nbs=64k\n");
    let again = file("b.fio", "[x]\ninclude common\n");
    let error = planned(&Input::files([again])).expect_err("a section");
    assert!(
        error.contains("options only") && error.contains("common:1:1"),
        "{error}"
    );
    let missing = file("c.fio", "[x]\ninclude nowhere\n");
    let error = planned(&Input::files([missing])).expect_err("no file");
    assert!(error.contains("cannot include nowhere"), "{error}");
    let round = file("d.fio", "[x]\ninclude d.inc\n");
    file("d.inc", "include d.inc\n");
    let error = planned(&Input::files([round])).expect_err("no end");
    assert!(error.contains("16 deep"), "{error}");
}

#[test]
fn what_fio_would_not_read_is_refused_at_its_place() {
    for (text, parts) in [
        ("rw=read\n[x]\n", ["F0110", "a.fio:1:1"]),
        ("\u{feff}[x]\nrw=read\n", ["F0110", "a byte order mark"]),
        ("[x]\niodepht=4\n", ["did you mean iodepth?", "a.fio:2:1"]),
        (
            "[x]\nrw=RANDREAD\n",
            ["`rw=RANDREAD` cannot be read", "randread"],
        ),
        ("[x]\ndirect=yes\n", ["direct takes a number", "a.fio:2:1"]),
        ("[x]\ndirect\n", ["`direct` has no value", "a.fio:2:1"]),
        ("[x]\nbs=k4\n", ["bs takes a number", "a.fio:2:1"]),
        ("[x]\nrw = randread\n", ["write rw=randread", "a.fio:2:1"]),
        (
            "[x]\nioengine= libaio\n",
            ["write ioengine=libaio", "a.fio:2:1"],
        ),
        ("[x]\nsync = 0\n", ["write sync=0", "a.fio:2:1"]),
        ("[x]\niodepth=0\n", ["iodepth takes 1 or more", "a.fio:2:1"]),
        (
            "[x]\nserialize_overlap=1\nioengine=libaio\niodepth=8\nrw=randrw\nsize=1m\n",
            ["use iodepth=1", "a.fio:2:1"],
        ),
        (
            "[x]\nrandom_distribution=normal\nrw=randread\nsize=1m\n",
            ["random_distribution=normal:20", "a.fio:2:1"],
        ),
        ("[x\nrw=read\n", ["ends with ]", "a.fio:1:1"]),
        (
            "[global]\nrw=read\n",
            ["there is no job to run", "a.fio:1:1"],
        ),
        (
            "[x]\nrwmixread=101\nrw=rw\nioengine=null\nsize=1g\n",
            ["no percentage", "a.fio:2:1"],
        ),
        (
            "[x]\nioengine=rbd\npool=a\n",
            ["the engine `rbd`", "a.fio:2:1"],
        ),
    ] {
        let error = refused(text);
        assert!(parts.iter().all(|p| error.contains(p)), "{text}: {error}");
    }
    let (_, warnings) = plan(&format!("{NULL}output-format=json\n[x]\n"));
    assert!(warnings.contains("F0121"), "{warnings}");
}

#[test]
fn traps_are_taken_as_fio_takes_them_and_said() {
    for (value, bytes, meant) in [
        ("4k", 4096, ""),
        ("4KB", 4096, ""),
        ("4Ki", 4096, ""),
        ("0x1000", 4096, ""),
        ("4KiB", 4000, "bs=4k"),
        ("1.5k", 1, "bs=1536"),
        ("4 k", 4, "bs=4k"),
        ("512q", 512, "leave the unit out"),
        (" 4096", 4096, ""),
        (" 8k", 8, "write bs=8k"),
        ("\t8192,  8192", 8192, ""),
        ("4k-4k", 4096, "write bsrange=4k-4k; for these two bs=4k,4k"),
    ] {
        let (lowered, warnings) = plan(&format!("{NULL}[x]\nbs={value}\n"));
        assert_eq!(block(&lowered), bytes, "{value}");
        assert_eq!(
            warnings.contains("F014"),
            !meant.is_empty(),
            "{value}: {warnings}"
        );
        assert!(warnings.contains(meant), "{value}: {warnings}");
    }
    plan(&format!(
        "{NULL}[x]\nserialize_overlap=1\nrw=randread\niodepth=8\n"
    ));
    let total = |lines: &str| {
        let (lowered, warnings) = plan(&format!("[x]\nioengine=null\nrw=write\n{lines}\n"));
        (lowered.plan.targets[0].location.stated_size(), warnings)
    };
    for (lines, bytes, meant) in [
        ("size=4k-256k", 256 << 10, "`size=4k-256k` is 262144"),
        ("size=4k,8k", 8192, "the last of several"),
        ("size=64k-8k", 8192, "write size=8k"),
        ("size=64k-", 65536, ""),
        ("size=1m\noffset=64k,128k", 1152 << 10, "write offset=128k"),
    ] {
        let (found, warnings) = total(lines);
        assert_eq!(found, Some(Bytes(bytes)), "{lines}: {warnings}");
        assert_eq!(
            warnings.contains("F0140"),
            !meant.is_empty(),
            "{lines}: {warnings}"
        );
        assert!(warnings.contains(meant), "{lines}: {warnings}");
    }
    // It counts wherever in the section it stands.
    let (lowered, _) = plan(&format!("{NULL}[x]\nbs=4k\nkb_base=1000\n"));
    assert_eq!(block(&lowered), 4000);
    let seconds = |value: &str| {
        let (lowered, warnings) = plan(&format!("{NULL}[x]\ntime_based\nruntime={value}\n"));
        (steps(&lowered)[0].elapsed.0 as f64 / 1e9, warnings)
    };
    for (value, expected) in [("90", 90.0), ("1m", 60.0), ("2H", 7200.0), ("1500ms", 1.5)] {
        assert_eq!(seconds(value), (expected, String::new()), "{value}");
    }
    let slip = refused(&format!("{NULL}[x]\ntime_based\nruntime=1min\n"));
    assert!(slip.contains("is too short"), "{slip}");
    let slip = fio::parse(&Input::text("a.fio", "[x]\nruntime=1min\n")).expect("read");
    let warnings = &slip.warnings[0];
    assert!(warnings.message.contains("is 1us"), "{warnings:?}");
    assert!(
        warnings
            .help
            .as_ref()
            .is_some_and(|h| h.contains("runtime=1m")),
        "{warnings:?}"
    );
}

#[test]
fn sections_are_chosen_and_files_follow_each_other() {
    let text = format!("{NULL}[a]\n[b]\n[c]\nstonewall\n");
    let names = |input: &Input| -> Vec<String> {
        let (lowered, _) = planned(input).expect("a plan");
        steps(&lowered).iter().map(|s| s.name.clone()).collect()
    };
    let mut input = Input::text("a.fio", &text);
    assert_eq!(names(&input), ["a + b", "c"]);
    input.sections = vec!["b".into(), "c".into()];
    assert_eq!(names(&input), ["b", "c"]);
    input.sections = vec!["d".into()];
    assert!(planned(&input).is_err_and(|e| e.contains("no section `d`")));
    let here = |name: &str, text: &str| Text::Here {
        name: name.into(),
        text: text.into(),
    };
    let two = Input::of(vec![
        here("a", &text),
        here("b", "[d]\nioengine=null\nsize=1g\n"),
    ]);
    assert_eq!(names(&two), ["a + b", "c", "d"]);
    // Defaults end with their file.
    let alone = Input::of(vec![here("a", &text), here("b", "[d]\nioengine=null\n")]);
    assert!(planned(&alone).is_err_and(|e| e.contains("how large its files are")));
    let words = Input::words([
        "--name=x",
        "--ioengine=null",
        "--size",
        "1g",
        "--norandommap",
        "--rw=randread",
    ]);
    assert_eq!(names(&words), ["x"]);
}
