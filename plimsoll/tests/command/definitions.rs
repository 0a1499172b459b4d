//! Definitions: the examples run, and mistakes are shown where they stand.

use crate::place::TestFolder;
use std::path::PathBuf;

fn examples(ending: &str) -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// The same definition with times and sizes that a test can afford.
fn shortened(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let key = line.split('=').next().unwrap_or_default().trim();
        match key {
            "for" => lines.extend([
                "for = \"200ms\"".to_string(),
                "interval = \"100ms\"".to_string(),
            ]),
            "warmup" => lines.push("warmup = \"0s\"".into()),
            "size" => lines.push("size = \"16m\"".into()),
            _ => lines.push(line.into()),
        }
    }
    lines.join("\n")
}

#[test]
fn every_native_example_runs() {
    for example in examples("toml") {
        let place = TestFolder::new();
        let text = std::fs::read_to_string(&example).expect("readable");
        place.text("example.toml", &shortened(&text));
        let done = place.plimsoll("run example.toml --no-settle --json --record r.plim");
        // In so short a time a limit may be left without an answer, on whatever disk this is.
        assert!(matches!(done.code, Some(0 | 3)), "{done:#?}");
        crate::measuring::assert_valid(&done.json());
    }
}

#[test]
fn every_vdbench_example_makes_a_plan() {
    for example in examples("parm") {
        let place = TestFolder::new();
        let path = example.display().to_string();
        let by_name = place.plimsoll(&["plan", &path]).ok();
        let by_flag = place.plimsoll(&["run", "-f", &path, "--dry-run"]).ok();
        assert_eq!(by_name.out, by_flag.out);
        assert_eq!(place.names(), Vec::<String>::new());
    }
}

#[test]
fn words_replace_variables_of_a_vdbench_file() {
    let place = TestFolder::new();
    place.text(
        "v.parm",
        "sd=sd1,lun=$lun\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=2,interval=1\n",
    );
    let done = place
        .plimsoll(&["run", "-f", "v.parm", "lun=null:1GiB", "--dry-run"])
        .ok();
    done.says(&["null:1GiB"]);
}

#[test]
fn a_native_definition_may_also_stand_after_f() {
    let place = TestFolder::new();
    place.text(
        "d.toml",
        "[target.a]\npath = \"null:1GiB\"\n[workload.w]\n[[run]]\n",
    );
    let plain = place.plimsoll(&["plan", "d.toml"]).ok();
    let flagged = place.plimsoll(&["plan", "-f", "d.toml"]).ok();
    assert_eq!(plain.out, flagged.out);
}

#[test]
fn an_unknown_key_is_shown_with_its_place_and_the_nearest_spelling() {
    let place = TestFolder::new();
    place.text(
        "d.toml",
        "[target.a]\npath = \"./x\"\nsise = \"8m\"\n[workload.w]\n[[run]]\n",
    );
    place
        .plimsoll(&["run", "d.toml"])
        .refused(&["d.toml:3:1", "sise = \"8m\"", "^^^^", "`size`"]);
    assert_eq!(place.names(), ["d.toml"]);
}

#[test]
fn a_definition_without_runs_or_targets_says_what_to_add() {
    let place = TestFolder::new();
    place.text("empty.toml", "");
    let done = place.plimsoll(&["run", "empty.toml"]).exits(2);
    for part in ["[[run]]", "[workload", "[target"] {
        done.warns(&[part]);
    }
    place.text("empty.parm", "");
    place
        .plimsoll(&["run", "-f", "empty.parm"])
        .refused(&["rd=rd1"]);
    place.text(
        "norun.toml",
        "[target.a]\npath = \"null:1GiB\"\n[workload.w]\n",
    );
    place.plimsoll(&["run", "norun.toml"]).refused(&["[[run]]"]);
}

#[test]
fn commands_in_a_definition_run_only_when_allowed() {
    let place = TestFolder::new();
    place.text(
        "c.toml",
        "start_commands = [\"touch ran\"]\n[target.a]\npath = \"null:1GiB\"\n[workload.w]\n\
         [[run]]\nfor = \"200ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\n",
    );
    place
        .plimsoll(&["run", "c.toml", "--no-record"])
        .refused(&["touch ran", "--allow-commands"]);
    assert!(!place.path("ran").exists());
    let done = place
        .plimsoll("run c.toml --no-record --allow-commands --commands-may-write . --json")
        .ok();
    assert_eq!(done.json()["status"], "completed");
    assert!(place.path("ran").exists());
}

#[test]
fn a_kernel_that_builds_no_wall_is_said_and_the_commands_run() {
    let place = TestFolder::new();
    place.text(
        "c.toml",
        "start_commands = [\"touch ran\"]\n[target.a]\npath = \"null:1GiB\"\n[workload.w]\n\
         [[run]]\nfor = \"200ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\n",
    );
    // As a container's filter answers, and as a kernel without it.
    for error in ["EPERM", "ENOSYS"] {
        let plain = place.command(&["run", "c.toml", "--no-record", "--allow-commands"]);
        let mut traced = std::process::Command::new("strace");
        traced
            .args(["-f", "-o", "/dev/null", "-e"])
            .arg(format!("inject=landlock_create_ruleset:error={error}"))
            .arg(plain.get_program())
            .args(plain.get_args())
            .current_dir(place.folder());
        let Ok(output) = traced.output() else {
            return plimsoll_skipped::skipped!("strace is not installed");
        };
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains("Landlock is missing"), "{printed}");
        std::fs::remove_file(place.path("ran")).expect("it ran");
    }
}

#[test]
fn a_curve_s_words_need_a_curve() {
    let place = TestFolder::new();
    let text = "[target.a]\npath = \"null:1GiB\"\n[workload.w]\n[[run]]\nload = \"max\"\n";
    place.text("single.toml", text);
    place
        .plimsoll(&["curve", "single.toml"])
        .refused(&["load = \"curve\""]);
    place
        .plimsoll(&["plan", "single.toml", "--slo", "p99=1ms"])
        .refused(&["--slo p99=1ms", "only a curve has it"]);
}

/// A Vdbench file whose run takes ten seconds.
fn parameter_file(place: &TestFolder) {
    place.text(
        "v.parm",
        "sd=sd1,lun=null:1GiB,threads=2\nwd=wd1,sd=sd1\nrd=rd1,wd=wd1,iorate=100,elapsed=10,interval=1\n",
    );
}

#[test]
fn times_and_added_parameters_change_a_parameter_file() {
    let place = TestFolder::new();
    parameter_file(&place);
    let words = ["run", "v.parm", "--for", "2s", "--no-record", "--json"];
    let done = place.plimsoll(&words).ok();
    assert_eq!(
        done.json()["steps"][0]["counted_intervals"][1],
        2,
        "{done:#?}"
    );
    for front in [&["run", "v.parm"][..], &["run", "-f", "v.parm"]] {
        let words = ["--dry-run", "+", "forthreads=7", "iorate=(100,200,300)"];
        let done = place.plimsoll(&[front, &words].concat()).ok();
        done.says(&["3 steps", "threads=7"]);
    }
    let unknown = ["run", "v.parm", "+", "forthread=7x"];
    place.plimsoll(&unknown).refused(&["forthread"]);
}

#[test]
fn what_flags_cannot_change_in_a_parameter_file_is_refused_with_what_can() {
    let place = TestFolder::new();
    parameter_file(&place);
    for (flag, remedy) in [
        (["--depth", "8"], "+ forthreads=8"),
        (["--set", "run.for=3s"], "+ keyword=value"),
        (["--size", "1g"], "$NAME"),
        (["--for", "soon"], "soon"),
    ] {
        place
            .plimsoll(&[&["run", "v.parm", "--dry-run"][..], &flag].concat())
            .refused(&[flag[0], remedy]);
    }
    for (flag, remedy) in [
        (["--for", "2s"], "`-e SECONDS`"),
        (["--warmup", "2s"], "`-w SECONDS`"),
        (["--depth", "8"], "`+ forthreads=8`"),
        (["--set", "run.for=3s"], "NAME=VALUE"),
    ] {
        let words = [&["vdbench", "-f", "v.parm"][..], &flag].concat();
        let done = place.plimsoll(&words).exits(157);
        done.warns(&[flag[0], remedy]);
    }
    assert_eq!(place.names(), ["v.parm"]);
}

#[test]
fn a_definition_of_any_name_is_read_in_the_dialect_that_its_content_says() {
    let place = TestFolder::new();
    place.text(
        "odd.name",
        "[target.a]\npath = \"null:1g\"\n[workload.w]\n[[run]]\nfor = \"1s\"\n",
    );
    let printed = place.plimsoll(&["plan", "-f", "odd.name"]).ok();
    printed.warns(&["odd.name is read as a definition"]);
    // Who says what it is gets no such line, and gets what was asked for.
    let asked = place
        .plimsoll(&["plan", "-f", "odd.name", "--dialect", "toml"])
        .ok();
    assert_eq!(asked.out, printed.out);
    assert!(!asked.err.contains("is read as"), "{asked:#?}");
    let other = place
        .plimsoll(&["plan", "-f", "odd.name", "--dialect", "vdbench"])
        .exits(2);
    other.warns(&["error[V0125]"]);
    place
        .plimsoll(&["plan", "-f", "odd.name", "--dialect", "ini"])
        .refused(&["`ini` is no dialect", "toml, vdbench, fio, diskspd"]);
}

#[test]
fn a_definition_that_is_empty_is_one_and_no_target() {
    let place = TestFolder::new();
    for name in ["e.fio", "e.toml", "e.parm"] {
        let file = place.text(name, "");
        for verb in ["lint", "plan", "run"] {
            let printed = place.plimsoll(&[verb, name]);
            assert_ne!(printed.code, Some(0), "{verb} {name}: {}", printed.out);
            assert!(
                printed.err.contains("error["),
                "{verb} {name}: {}",
                printed.err
            );
        }
        assert_eq!(std::fs::read(file).expect("there").len(), 0);
    }
    // What is not there yet may be data.
    place.plimsoll(&["plan", "new.fio", "--size", "1m"]).ok();
}

#[test]
fn commands_get_no_descriptor_that_the_program_was_started_with() {
    let place = TestFolder::new();
    place.text("kept", "kept\n");
    place.text(
        "a.toml",
        "start_commands = [\"! { echo lost >&7; } 2>$TMPDIR/said && grep -q 'Bad file descriptor' $TMPDIR/said\"]\n\
         [target.a]\npath = \"null:1GiB\"\n[workload.w]\n\
         [[run]]\nfor = \"200ms\"\nwarmup = \"0s\"\ninterval = \"100ms\"\n",
    );
    let line = format!(
        "exec {} run a.toml --no-record --quiet --allow-commands 7>>kept",
        env!("CARGO_BIN_EXE_plimsoll")
    );
    let ran = std::process::Command::new("bash")
        .args(["-c", &line])
        .current_dir(place.folder())
        .output()
        .expect("a shell");
    assert!(ran.status.success(), "{ran:?}");
    let kept = std::fs::read_to_string(place.path("kept")).expect("readable");
    assert_eq!(kept, "kept\n");
}
