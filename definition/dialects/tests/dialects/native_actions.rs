//! What is done while a run runs, and disturbances, as their users write them.

use plimsoll_dialects::native::{self, DirectFlags, Method, direct};
use plimsoll_plan::*;

/// A definition of one target and one workload, with these keys in the run.
fn run(path: &str, keys: &str) -> String {
    format!("[target.disk]\npath = \"{path}\"\n\n[workload.oltp]\n\n[[run]]\n{keys}\n")
}

fn plan(text: &str) -> Plan {
    native::parse("test.toml", text)
        .unwrap_or_else(|failure| panic!("{failure}"))
        .plan
}

#[track_caller]
fn complaint(text: &str) -> String {
    match native::parse("test.toml", text) {
        Ok(native) => panic!("it was accepted: {:?}", native.plan),
        Err(failure) => failure.to_string(),
    }
}

/// (s, what, whether it is a command) of a step's actions.
fn actions(step: &Step) -> Vec<(f64, &str, bool)> {
    let of = |a: &TimedAction| a.at.as_secs_f64();
    let each = step.actions.iter().map(|a| match &a.action {
        Action::Command(command) => (of(a), command.line.as_str(), true),
        Action::Fault(words) => (of(a), words.as_str(), false),
    });
    // Borrowed from the step.
    each.collect()
}

#[test]
fn a_run_has_actions_in_the_order_of_their_times_and_the_plan_shows_them() {
    let keys = "actions = [{ at = \"10s\", command = \"a=1, b || c\" }, { at = \"35.5s\", command = \"date\" }]\nfor = \"40s\"";
    let plan = plan(&run("null:1g", keys));
    let step = plan.steps().next().unwrap();
    assert_eq!(
        actions(step),
        [(10.0, "a=1, b || c", true), (35.5, "date", true)]
    );
    let text = describe(&plan).text();
    for line in [
        "step       at  while it runs\n",
        "   1      10s  a=1, b || c (with --allow-commands)\n",
        "   1  35500ms  date (with --allow-commands)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn faults_are_of_simulated_arrays_and_commands_of_real_targets() {
    let fault = "actions = { at = \"1s\", fault = \"path-down path=0\" }";
    let lab = plan(&run("lab:curve-8k", fault));
    assert_eq!(
        actions(lab.steps().next().unwrap()),
        [(1.0, "path-down path=0", false)]
    );
    let message = complaint(&run("null:1g", fault));
    assert!(message.contains("the targets are real"), "{message}");
    let message = complaint(&run(
        "lab:curve-8k",
        "actions = [{ at = \"1s\", command = \"date\" }]",
    ));
    assert!(message.contains("its time is not ours"), "{message}");
}

/// Keys of a run, a line for each case, where ` / ` ends a line of it, and what is said.
const NOT_TO_BE_DONE: &str = r#"
actions = [{ at = "35s", command = "x" }] => after the end of run `run1`
actions = [{ at = "9s", command = "x" }, { at = "8s", command = "y" }] => `y` at 8s stands after an action at 9s
actions = [{ command = "x" }] => it has no time
actions = [{ at = "1s" }] => a command, or a fault
actions = [{ at = "1s", command = "x", fault = "cache-loss" }] => a command, or a fault
actions = [{ at = "1s", command = "  " }] => does nothing
actions = [{ at = "soon", command = "x" }] => soon
actions = [{ at = "1s", comand = "x" }] => `command` is near
actions = "date" => expected what is done and when
load = "curve" / actions = [{ at = "1s", command = "x" }] => is a curve, and has actions
purpose = "fill" / actions = [{ at = "1s", command = "x" }] => is a fill
method = "disturb" / at = "9s" / do = "x" / actions = [{ at = "1s", command = "x" }] => leave `actions` out
"#;

#[test]
fn actions_that_cannot_be_done_as_written_are_refused() {
    for line in NOT_TO_BE_DONE.trim().lines() {
        let (keys, part) = line.split_once(" => ").expect("two sides");
        let message = complaint(&run("null:1g", &keys.replace(" / ", "\n")));
        assert!(message.contains(part), "{keys}: {message}");
    }
}

/// The method of a plan, and the step that it repeats.
fn disturbed(plan: &Plan) -> (&DisturbSpec, &Step) {
    let [Item::Method(method)] = plan.items.as_slice() else {
        panic!("{plan:?}");
    };
    match &method.question {
        Question::Disturb(spec) => (spec, &method.steps[0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_disturbance_has_times_of_its_own_and_finds_its_rate() {
    let keys =
        "method = \"disturb\"\nat = \"20s\"\ndo = \"off a=1\"\nundo_at = \"50s\"\nundo = \"on\"";
    let plan = plan(&run("null:1g", keys));
    let (spec, step) = disturbed(&plan);
    assert_eq!((spec.times, &spec.maximum), (3, &Some(Load::Max)));
    assert_eq!(actions(step), [(20.0, "off a=1", true), (50.0, "on", true)]);
    assert_eq!(
        step.actions.iter().map(|a| a.puts_back).collect::<Vec<_>>(),
        [false, true]
    );
    // 30 s after the last action, of which 5 s are warm-up.
    assert_eq!(step.elapsed, Nanos::secs(75));
    assert_eq!(step.interval, Nanos(100_000_000));
    assert!(matches!(
        step.load,
        Load::PercentOfLast { percent: 50.0, .. }
    ));
    let maximum = spec.maximum_of(step).unwrap();
    assert_eq!((&maximum.load, maximum.total_depth()), (&Load::Max, 32));
    assert!(maximum.actions.is_empty());
    let text = describe(&plan).text();
    assert!(text.contains("50% of the short maximum"), "{text}");
    assert!(text.contains("run1 (3 times)"), "{text}");
}

#[test]
fn a_disturbance_at_a_given_rate_needs_no_maximum_and_a_fault_that_ends_lengthens_it() {
    let keys = "method = \"disturb\"\nat = \"10s\"\ndo_fault = \"path-down path=0 for=40s\"\ntimes = 7\nload = 500\ndepth = 8";
    let plan = plan(&run("lab:scale-out-flash-4", keys));
    let (spec, step) = disturbed(&plan);
    assert_eq!((spec.times, &spec.maximum), (7, &None));
    assert_eq!((step.elapsed, step.total_depth()), (Nanos::secs(75), 8));
    let fixed = format!("{keys}\nfor = \"20s\"");
    let text = run("lab:scale-out-flash-4", &fixed);
    let plan = native::parse("test.toml", &text).unwrap().plan;
    assert_eq!(disturbed(&plan).1.elapsed, Nanos::secs(20));
}

#[test]
fn half_a_disturbance_is_refused_in_a_file_and_on_the_command_line() {
    for (keys, part) in [
        ("do = \"x\"", "this has none"),
        ("at = \"9s\"", "this does nothing"),
        (
            "at = \"9s\"\ndo = \"x\"\nundo_at = \"20s\"",
            "nothing is done",
        ),
        ("at = \"9s\"\ndo = \"x\"\nundo = \"y\"", "has no time"),
        (
            "at = \"9s\"\ndo = \"x\"\ndo_fault = \"cache-loss\"",
            "here are both",
        ),
        ("at = \"5s\"\ndo = \"x\"", "nothing to compare with"),
        ("at = \"9s\"\ndo = \"x\"\ntimes = 0", "at least 1"),
        (
            "at = \"9s\"\ndo = \"x\"\ntimes = 1001",
            "between 1 and 1000",
        ),
        (
            "at = \"9s\"\ndo = \"x\"\nload = { schedule = \"5:1s 9:1s\" }",
            "its load is not one rate",
        ),
        ("at = \"9s\"\ndo = \"x\"\nfor = \"3s\"", "after the end"),
    ] {
        let text = run("null:1g", &format!("method = \"disturb\"\n{keys}"));
        let message = complaint(&text);
        assert!(message.contains(part), "{keys}: {message}");
    }
    let message = complaint(&run("null:1g", "at = \"9s\""));
    assert!(message.contains("is no disturb"), "{message}");
    let flags = DirectFlags {
        targets: vec!["null:1g".into()],
        method: Method::Named("disturb"),
        of_method: vec![("--at", "at", "9s".into())],
        ..DirectFlags::default()
    };
    let message = direct(&flags).unwrap_err().to_string();
    assert!(message.contains("--do"), "{message}");
    let whole = DirectFlags {
        of_method: vec![
            ("--at", "at", "9s".into()),
            ("--do", "do", "echo a=b, c".into()),
        ],
        ..flags
    };
    let plan = direct(&whole).unwrap();
    assert_eq!(actions(disturbed(&plan).1), [(9.0, "echo a=b, c", true)]);
}
