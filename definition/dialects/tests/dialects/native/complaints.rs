//! What is said of slips, and how it is shown.

use super::{read, run};
use plimsoll_dialects::native;

/// What is said of a definition that cannot be used.
fn complaint(text: &str) -> String {
    match native::parse("test.toml", text) {
        Ok(native) => panic!("it was accepted: {:?}", native.plan),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn what_is_in_no_run_gets_a_warning() {
    let native = read(
        "[target.a]\npath = \"null:1g\"\n[target.b]\npath = \"null:1g\"\n\
         [workload.w]\ntargets = \"a\"\n[workload.v]\n[[run]]\nworkloads = \"w\"\n",
    );
    let message: Vec<&str> = native.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        message,
        ["workload `v` is in no run", "target `b` is in no run"]
    );
    assert_eq!(read(&run("")).warnings, []);
}

#[test]
fn a_misspelt_key_is_shown_with_its_correction() {
    insta::assert_snapshot!(complaint(&run("wramup = \"5s\"")));
}

#[test]
fn a_wrong_type_says_what_was_expected() {
    insta::assert_snapshot!(complaint(&run("for = true\nload = { rate = 5 }")));
}

#[test]
fn a_wrong_word_inside_a_value_is_underlined_alone() {
    insta::assert_snapshot!(complaint(&run(
        "block = [\"4k\", \"8x\"]\ndistribution = { zpif = 1.1 }"
    )));
}

#[test]
fn an_unknown_name_shows_the_nearest() {
    insta::assert_snapshot!(complaint(&run("workloads = [\"oltpp\"]")));
}

#[test]
fn text_that_is_no_toml_shows_where_it_stops_being_so() {
    insta::assert_snapshot!(complaint("[target.disk\npath = 1\n"));
}

#[test]
fn a_plan_that_makes_no_sense_is_shown_where_it_was_written() {
    insta::assert_snapshot!(complaint(
        "[target.disk]\npath = \"./f\"\nsize = \"1m\"\n[workload.w]\nblock = \"1000\"\nhits = { read = 5, area = \"2m\" }\n[[run]]\nfor = \"1s\"\ninterval = \"2s\"\n"
    ));
}

/// Keys of a run, a line for each case, where ` / ` ends a line of it, and what is said.
const KEYS: &str = r#"
load = 0 => a rate of 0 asks for nothing
load = "curv" => `curve` is near
load = "50%" => there is no step before this
load = [] => the list is empty
depth = 0 => at least 1
depth = { dsik = 3 } => defined are disk
for = "0s" => a time of 0
read = 80 / trim = 30 => at most 100
access = "sequential" / distribution = "zipf=1.1" => no random addresses
range = "20%-10%" => end after the start
block = { 4k = 50, 8k = 40 } => sum to 90
block = "4k-5k" => give a step
slo = "p99" => p99=2ms
workers = 64 => at most 32 workers
name = "a" / [[run]] / name = "a" => two runs have the name
workloads = [] => has no workload
"#;

/// Definitions, in the same way.
const DEFINITIONS: &str = r#"
 => add
[target.disk] / size = "1g" / [workload.w] / [[run]] => has no path
sd=sd1,lun=/dev/x => Vdbench parameter file
target = 5 => `target` is a table
[target.d] / path = "nbds+vsock://2" / [workload.w] / [[run]] => needs AF_VSOCK
[target.d] / paths = ["nbd://a/x", "./file"] / [workload.w] / [[run]] => `./file` is no NBD address
[target.d] / path = ["nbd://a/x", "nbd://b/x"] / [workload.w] / [[run]] => several ways to one NBD volume go into `paths`
[target.d] / path = "null:1g" / selector = "round-robin" / [workload.w] / [[run]] => `selector` is for NBD
[target.d] / path = "lab:fast?scal=2" / [workload.w] / [[run]] => did you mean `scale`?
[target.d] / path = "null:1g" / [workload.w] / read = [1, 2] / [[run]] => loops stand in a [[run]]
[target.d] / path = "null:1g" / [workload.w] / share = 1 / [workload.v] / [[run]] => or none of them
[target.d] / path = "null:1g" / [workload.w] / priority = 1 / [[run]] => add rate
"#;

#[test]
fn other_slips_each_get_an_error_that_names_the_remedy() {
    let keys = slips(KEYS).map(|(keys, expected)| (run(&keys), expected));
    for (text, expected) in keys.chain(slips(DEFINITIONS)) {
        let message = complaint(&text);
        assert!(message.contains(expected), "{text}\n---\n{message}");
    }
}

fn slips(table: &'static str) -> impl Iterator<Item = (String, &'static str)> {
    let lines = table.trim_matches('\n').lines();
    lines.map(|line| {
        let (text, expected) = line.split_once(" => ").expect("two sides");
        (text.replace(" / ", "\n") + "\n", expected)
    })
}

#[test]
fn what_only_a_curve_has_is_refused_without_one() {
    for line in [
        "slo = [\"p99=2ms\"]",
        "percents = [10, 50]",
        "stop_service = \"2ms\"",
    ] {
        let text = complaint(&run(line));
        assert!(text.contains("but no curve"), "{text}");
        assert!(text.contains("load = \"curve\""), "{text}");
    }
}
